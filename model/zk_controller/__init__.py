"""Kafka's controller on ZooKeeper: who creates `/controller` elects leaders, and a zombie must have no effect.

Brokers register in `/brokers/ids`, and the one that creates `/controller` is the controller. It reads who is registered
and the partition's znode, elects a leader from the ISR in the order of the assignment, writes that, and sends it to the
brokers. The partition's leader asks the controller to change the ISR (`alter_partition`, KIP-497, from 2.7 on) or
changes it in ZooKeeper itself. A broker whose session expires learns so later: meanwhile it is a zombie, and so is a
controller whose `/controller` somebody deletes (bound `deletions`: by hand, or by a broker that moves the controller),
until it learns of that. What keeps that harmless is a switch each:

* `one_multi`: `/controller` is created and `/controller_epoch` is raised in one transaction, not in two steps, as up to
  2.0. The second step reads the epoch and compares when it writes, so that no epoch is taken twice.
* `epoch_cas`: who takes over compares the version of `/controller_epoch` when it writes it.
* `resigns_first`: a broker opens a new session when its controller has begun to resign, as from 1.1 on
  (Expire.process), after which it writes nothing; before, the controller's thread could go on under the new session.
* `broker_fence`: a broker refuses requests of a lower controller epoch than it has seen (KAFKA-532).
* `write_fence`: a controller writes only where `/controller_epoch` is still the epoch that it holds (KAFKA-6082).
* `controller_cas`: a controller writes only over the version of the partition's znode that it has read.
* `leader_cas`: a leader that writes the ISR itself does so only over the version that it knows.
* `not_controller`: a controller that a leader is ahead of does not refuse it for good (KAFKA-14154).
* `compares_versions`: a controller that a leader is ahead of does not answer that the change is done. From 2.7 to 3.2
  it does where it has read that ISR before, whatever the version, and the leader drops the answer and waits.
* `looks_registered`: a controller that is asked lets nobody into the ISR whom it has not read to be registered, as from
  3.3 on (INELIGIBLE_REPLICA; KAFKA-14140, with KIP-841). From 2.7 to 3.2 it does not look.
* `leader_epoch_check`: a broker refuses a LeaderAndIsr whose leader epoch is not newer (KAFKA-1188, KAFKA-1483).
* `broker_epochs`: who was gone and is back before the controller has read so is new to it, and refuses requests that
  were meant for its registration before (KAFKA-7235, KIP-380). Of the second half no property asks by itself.
* `stop_epoch`: a StopReplica carries the leader epoch, and a broker refuses an older one (KAFKA-9539, KIP-570).
* `client_epochs`: a client takes no metadata of an older leader epoch than it has seen (KAFKA-7738).
* `by_session`, `ends_with_session`, `needs_majority`: ephemeral znodes go when their session ends, not when the
  connection does, and none stays (as with ZOOKEEPER-2985); ZooKeeper writes only with a majority.

With bounds `updates` and `writes`, a controller sends all brokers who leads (UpdateMetadata), and a client writes to
whom the metadata of any of them name. Such a request is late, is from a zombie and is fenced as the others are. Two of
one controller come in any order here, where Kafka keeps it; with one under way at once there is no difference.

What is abstracted away: logs. What is asked here is who has an effect; what a log loses when the ISR or the leader is
wrong is the question of `model/partition/`, whose controller is always the right one. There are no clocks. A controller
reads who is registered, and the partition, at any time after they have changed, which is what its watches (and
`/isr_change_notification`, see `model/studies/isr_notification.py`) come to; so it may miss that a broker was gone. It
stops reading when its session ends, and ends what it had begun; one whose `/controller` was deleted goes on reading
until it resigns. It deals with who is gone before who is new, where Kafka takes the reverse order. It takes all who are
gone out of the ISR, and elects, in one write. Kafka takes a write for each that is gone, and one that takes over writes
these, and that nobody leads, before it elects; what lies between is a partition without a leader, which is here as well
(`elect_nobody`). The partition's znode has no controller epoch. By it a zombie that reads the znode anew gives up where
a newer controller has written; here `write_fence` alone refuses it, so that without that switch a zombie may do more
than Kafka's. No counterexample that is recorded has such a step.

A request goes to all brokers that the controller knows, and reaches each in a step of its own, in any order; to a
broker without a session it may never come. Kafka keeps the order of requests to a broker, but for what it sends again.
A request of an old leader epoch leaves the partition as it is, and its controller epoch is remembered. Kafka sends
StopReplica to brokers that are registered, for a reassignment, a deletion, a shutdown or a replica that goes offline;
here for a replica that is moved away and given back at once. While a topic is deleted Kafka's carries an epoch that
overrides all others (EpochDuringDelete): deletion is left out, as are new partitions, unclean elections and log
directories that fail (`model/studies/log_dir_notification.py`). A request to alter the partition is asked, written and
answered in one step; `model/studies/async_isr.py` has answers that are late or lost. A broker that restarts keeps what
it knows. Nor is the answer lost to who creates `/controller`: Kafka's reads who has it, and the epoch, and compares.
Who is in the ISR and not registered is taken out of it whenever a controller has read so; Kafka's does that only where
it learns that brokers have come or gone, or takes over, and else leaves it to the partition's leader. All else of
reassignment and clients is left out.

The files: `state.py` has bounds, switches and the state, `protocol.py` what controllers and
brokers do, metadata and a client, and how sessions end and begin.

Sources: KafkaController (processBrokerChange, onReplicasBecomeOffline, tryProcessAlterPartition),
ZkReplicaStateMachine, ZkPartitionStateMachine, TopicDeletionManager and ReplicaManager, read at 2.5.0, 2.8.0 and
3.9.0; KafkaZkClient (registerControllerAndIncrementControllerEpoch, updateLeaderAndIsr), KafkaApis
(isBrokerEpochStale) and Partition of Kafka 3.9; KIP-380, KIP-497, KIP-570; the issues named above. Properties are in
`invariants/zk_controller/properties.py`.
"""

from __future__ import annotations

from ...language import GroupLanes
from . import lumping, protocol, state
from .state import Broker

modules = (state, lumping, protocol)

view = GroupLanes(
    lane=Broker,
    state="'controller' if s.held[lane] > 0 else 'broker'",
    generation="held",
    badges={"session": "session", "knows": "known", "obeyed": "seen", "runs": "running", "metadata": "cached"},
    board={"/controller": "controller", "/controller_epoch": "controller_epoch", "partition": "partition"},
)

profiles = {
    "kafka_3_9": {},
    "kafka_14154": {"not_controller": False},
    "kafka_14140": {"looks_registered": False},
    "stale_is_done": {"compares_versions": False},
    "kafka_3_2": {"compares_versions": False, "looks_registered": False},
    "kafka_2_6": {"alter_partition": False},
    "two_steps": {"alter_partition": False, "one_multi": False},
    "kafka_532": {"alter_partition": False, "broker_fence": False},
    "kafka_6082": {"alter_partition": False, "write_fence": False},
    "controller_overwrites": {"alter_partition": False, "controller_cas": False},
    "leader_overwrites": {"alter_partition": False, "leader_cas": False},
    "kafka_1188": {"alter_partition": False, "leader_epoch_check": False},
    "kafka_7235": {"alter_partition": False, "broker_epochs": False},
    "kafka_9539": {"alter_partition": False, "stop_epoch": False},
    "kafka_7738": {"client_epochs": False},
    "acks_1": {"acks_all": False},
    "kafka_2729": {"alter_partition": False, "write_fence": False, "resigns_first": False},
    "goes_on": {"alter_partition": False, "resigns_first": False},
    "epoch_overwrites": {"alter_partition": False, "epoch_cas": False},
    "zookeeper_2985": {"alter_partition": False, "ends_with_session": False},
    "by_connection": {"alter_partition": False, "by_session": False},
    "without_majority": {"alter_partition": False, "needs_majority": False},
    "kafka_1_0": {
        "alter_partition": False,
        "one_multi": False,
        "write_fence": False,
        "resigns_first": False,
        "broker_epochs": False,
        "stop_epoch": False,
        "client_epochs": False,
    },
}
