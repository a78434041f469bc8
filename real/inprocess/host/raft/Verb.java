package org.apache.kafka.raft;

import java.util.Locale;

/** What a step of a schedule can be. A step that has nothing to do where it stands does nothing. */
enum Verb {
    /** (from, to, api, is an answer, which): a message arrives. At a node that is down it is as if it were cut. */
    DELIVER,
    /** The same: a message is gone, and who asked is not told. */
    LOSE,
    /** The same: its connection breaks, which who asked is told. */
    CUT,
    /** (from, to, api, whether the answer arrives, which, ms): a request arrives, and its answer, if need be once so much
        time has passed at who is asked; or the answer's connection breaks. Nothing to do: there is no request or no answer. */
    EXCHANGE,
    /** (node): as much time passes at a node as until it does something by itself. */
    TICK,
    /** (node, ms): time passes at a node. */
    AHEAD,
    /** (node, how many, or how many and the number of the first): the controller of a leader appends a batch. */
    APPEND,
    /** (node, how many): the controller of a leader prepares a batch. It, and what follows it, is not written before SCHEDULE. */
    PREPARE,
    /** (node): the controller of a leader says that what it has prepared may be written. */
    SCHEDULE,
    /** (node, kept): the process dies; what ends behind `kept` and was not flushed is gone. */
    CRASH,
    /** (node). */
    START,
    /** (node): the controller of a leader asks to resign. */
    RESIGN,
    /** (node): a controlled shutdown begins. */
    STOP,
    /** (node): another listener registers, is told who leads, and is gone again. */
    REGISTER,
    /** (node): the controller takes a snapshot of what it has applied. */
    SNAPSHOT,
    /** (node): what the latest snapshot holds is deleted from the log. */
    CLEAN,
    /** (node): the process dies, and its disk is replaced by an empty one. */
    REPLACE_DISK,
    /** (leader, node): a leader is asked to make a node a voter. */
    ADD_VOTER,
    /** (leader, node): a leader is asked to make a voter an observer. */
    REMOVE_VOTER,
    /** (): a look at all nodes, which changes nothing. */
    LOOK;

    static Verb of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    boolean isOfMessage() {
        return this == DELIVER || this == LOSE || this == CUT;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
