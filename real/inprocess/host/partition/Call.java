package org.apache.kafka.controller;

import java.util.Locale;

/** What a step of a schedule can be: a request to the controller, a task that it does by itself, or time that passes. */
enum Call {
    /** (broker, whether its last stop was clean, its directories): another life of a broker registers. */
    REGISTER,
    /** (broker, wants to be fenced, wants to shut down, directories that are offline): it has all records. */
    HEARTBEAT,
    /** (broker): it asks to be shut down until it may, while the others are heard. */
    STOP,
    /** (broker): the session of a broker ends, by time that passes while the others are heard. Nothing is fenced by that. */
    SILENCE,
    /** (): the task that fences brokers whose session is over. */
    FENCE,
    /** (leader, how many partition epochs ago it learned of the partition, then each member of the ISR and how many
        registrations ago it learned of that one): AlterPartition. */
    ALTER_ISR,
    /** (0: preferred, 1: unclean): ElectLeaders. */
    ELECT,
    /** (): the task that moves leadership to preferred replicas (auto.leader.rebalance.enable). */
    BALANCE,
    /** (): the task that elects uncleanly where that is allowed; before 3.9 there is none, and nothing is done. */
    ELECT_UNCLEANLY,
    /** (brokers): AlterPartitionReassignments. */
    REASSIGN,
    /** (): the same, to cancel. */
    CANCEL,
    /** (broker, directory): AssignReplicasToDirs. */
    ASSIGN,
    /** (0: for the topic, 1: for all brokers, 2: for the controller's node; value): min.insync.replicas. */
    SET_MIN_ISR,
    /** (the same): unclean.leader.election.enable. */
    SET_UNCLEAN,
    /** (broker): UnregisterBroker. */
    UNREGISTER,
    /** (): another controller takes over, which has the same log. */
    FAIL_OVER,
    /** (): nothing. */
    LOOK;

    static Call of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
