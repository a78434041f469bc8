"""What there is of a partition: bounds, settings, what the versions differ in, and the state."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *

# --- bounds: how much happens -----------------------------------------------------------------------------------------

replicas = constant(3, minimum=1, maximum=5, says="brokers that hold a copy of the partition")
max_records = constant(1, minimum=1, maximum=4, says="records that the producer sends in all")
log_size = constant(2, minimum=1, maximum=8, says="records that a log has room for")
max_leader_epoch = constant(6, minimum=0, maximum=14, says="leader epochs are 0 to this")

isr_shrinks = constant(1, minimum=0, maximum=4, says="followers that lag, and that their leader drops from the ISR")
fences = constant(1, minimum=0, maximum=4, says="live brokers whose heartbeats do not reach the controller")
shutdowns = constant(0, minimum=0, maximum=4, says="brokers that are shut down as they should be, with a flush")
crashes = constant(0, minimum=0, maximum=4, says="broker processes that die; the machine keeps what they wrote")
power_losses = constant(1, minimum=0, maximum=5, says="brokers that lose power, and what was not flushed")
disk_losses = constant(0, minimum=0, maximum=5, says="brokers that start again with an empty disk")
directory_losses = constant(
    0, minimum=0, maximum=5, says="directories with a copy that are lost, while their broker has others (KIP-112)"
)
directory_moves = constant(
    0, minimum=0, maximum=5, says="copies that are moved to another directory of their broker (KIP-113)"
)
host_losses = constant(0, minimum=0, maximum=5, says="hosts that are lost for good")
controller_losses = constant(0, minimum=0, maximum=4, says="controllers on hosts of their own that go down")
preferred_elections = constant(0, minimum=0, maximum=4, says="leaders that are moved while all is well")
unclean_elections = constant(0, minimum=0, maximum=4, says="kafka-leader-election.sh --election-type unclean")
retries = constant(0, minimum=0, maximum=4, says="requests that fail, or whose answer is lost")
reassignments = constant(0, minimum=0, maximum=4, says="reassignments of the partition to other brokers")
cancellations = constant(0, minimum=0, maximum=4, says="reassignments that are cancelled before they are complete")

# --- settings: what somebody has written into a file ------------------------------------------------------------------


class Acks(Enum):
    """What a producer waits for: nothing, the leader's log, or the whole ISR."""

    NONE = "none"
    LEADER = "leader"
    ALL = "all"


acks = constant(Acks.ALL, says="acks of the producer")
idempotent = constant(True, says="enable.idempotence: the leader knows a record that it has; only with acks=all")
max_in_flight = constant(
    5, minimum=0, maximum=5, says="max.in.flight.requests.per.connection; 0: the producer sends nothing"
)
min_isr = constant(2, minimum=1, maximum=5, says="min.insync.replicas")
unclean = constant(False, says="unclean.leader.election.enable")
fsync = constant(False, says="log.flush.interval.messages=1: an append is on disk before anybody learns of it")
follower_reads = constant(False, says="replica.selector.class (KIP-392): consumers read from followers too")
voters = constant(3, minimum=1, maximum=5, says="controllers, or ZooKeeper's servers, on hosts of their own")
co_located = constant(False, says="process.roles=broker,controller: instead, each broker's host has one of them")

# --- switches: what the versions differ in, oldest first --------------------------------------------------------------


class Truncation(Enum):
    """Where a new follower truncates its log."""

    HIGH_WATERMARK = "high_watermark"  # at its own high watermark
    END_OF_EPOCH = "end_of_epoch"  # KIP-101: where the leader's log leaves the epoch of the follower's last record
    COMMON_PREFIX = "common_prefix"  # KIP-279: after the last record that both have


# After each: where the released source has it, since which tag. Of paths, `core` stands for core/src/main/scala/kafka,
# `metadata` for metadata/src/main/java/org/apache/kafka/controller.

truncation = constant(Truncation.COMMON_PREFIX, says="where a new follower truncates its log")
# core/server/ReplicaManager.scala, 0.10.2.0: truncateTo; core/server/ReplicaFetcherThread.scala, 0.11.0.0:
# OffsetsForLeaderEpoch; core/server/AbstractFetcherThread.scala, 2.0.0: getOffsetTruncationState
fence_fetch = constant(True, says="KIP-320: only a leader of the follower's own epoch serves it and counts it")
# core/cluster/Partition.scala, 2.1.0: FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH
truncate_each_epoch = constant(True, says="KAFKA-7164: a follower that missed an epoch asks where to truncate")
# core/cluster/Partition.scala, 2.0.1: makeFollower, oldLeaderEpoch
record_epoch = constant(True, says="KAFKA-7415: a new leader notes where its epoch begins, before it has a record")
# core/cluster/Partition.scala, core/server/epoch/LeaderEpochFileCache.scala, 2.0.1: endOffsetFor
await_epoch_start = constant(True, says="KAFKA-7128: who joins the ISR has all from before the leader's epoch")
# core/cluster/Partition.scala, 2.0.1: leaderEpochStartOffset
await_high_watermark = constant(True, says="KAFKA-2334: no end offset is given before the high watermark caught up")
# core/cluster/Partition.scala, 2.2.0: fetchOffsetForTimestamp, OFFSET_NOT_AVAILABLE
detect_restart = constant(True, says="KAFKA-7235, KIP-631: no restart of a broker escapes the controller")
# core/controller/KafkaController.scala, 2.2.0: bouncedBrokerIds; metadata/ClusterControlManager.java: registerBroker
bound_reads = constant(True, says="KAFKA-9835: a read ends where the log ended when it began")
# clients/src/main/java/org/apache/kafka/common/record/FileRecords.java, 2.5.1, 2.6.0: slice. What it mends is of 1.1.0
reset_at_leader = constant(True, says="KIP-392: only a leader answers a consumer that its offset is out of range")
# clients/src/main/java/org/apache/kafka/clients/consumer/internals/Fetcher.java, 2.4.0: clearPreferredReadReplica
alter_partition = constant(True, says="KIP-497: the controller changes the ISR; before, its leader did, in ZooKeeper")
maximal_isr = constant(True, says="KIP-497: a broker about to join the ISR already counts for the high watermark")
# core/cluster/Partition.scala, 2.7.0: maximalIsr
recheck_high_watermark = constant(True, says="KAFKA-13091: a leader looks at its high watermark once its ISR shrank")
# core/cluster/Partition.scala, 3.1.0: submitAlterIsr, maybeIncrementLeaderHW. What it mends came in 2.7.0
skip_diverging = constant(True, says="KAFKA-13141: a leader learns nothing from the fetch of a log that differs")
# core/server/ReplicaManager.scala, 2.7.2, 2.8.1, 3.0.0: updateFollowerFetchState. What it mends came in 2.8.0, with
# followers that truncate on a fetch's answer (KAFKA-10554), from inter.broker.protocol.version 2.7-IV1 on
fence_truncation = constant(True, says="KAFKA-13207: a late answer of an old leader truncates no log")
# core/server/AbstractFetcherThread.scala, 2.8.1, 3.0.0: truncateOnFetchResponse. What it mends came so, too
reject_fenced = constant(True, says="KIP-841: the controller lets no fenced broker into the ISR")
# metadata/ReplicationControlManager.java, core/controller/KafkaController.scala, 3.3.0: INELIGIBLE_REPLICA
prefer_in_sync = constant(True, says="KAFKA-14372: consumers are sent to followers that are in the ISR")
# core/server/ReplicaManager.scala, 3.3.2, 3.4.0: findPreferredReadReplica
truncate_first = constant(True, says="KAFKA-14704: a follower truncates before it updates its high watermark")
# core/server/AbstractFetcherThread.scala, 3.4.1, 3.5.0: processFetchRequest. What it mends came so, too
reject_restarted = constant(True, says="KIP-903: a broker that registered anew after it caught up stays out of the ISR")
# metadata/ReplicationControlManager.java, 3.5.0: "broker epoch mismatch". Never with ZooKeeper.
one_snapshot = constant(True, says="KAFKA-15221: a follower's offset and registration are read at one moment")
# core/cluster/Partition.scala, 3.7.0: stateSnapshot is read once
keep_epoch = constant(True, says="KAFKA-15021: a smaller ISR alone makes no new leader epoch")
# metadata/PartitionChangeBuilder.java, 3.6.0: triggerLeaderEpochBumpIfNeeded, with metadata.version 3.6
epochs_by_zookeeper = constant(
    False, says="a smaller ISR is a new leader epoch if the controller makes it, and none if the leader asks for it"
)
# core/controller/ReplicaStateMachine.scala, 1.1 to 3.9: doRemoveReplicasFromIsr (removeReplicaFromIsr) makes a new
# leader epoch; core/controller/KafkaController.scala, 2.7 to 3.9: processAlterIsr and tryProcessAlterPartition write
# the epoch of the request, which is the current one, and before 2.7 so did a leader itself (ReplicationUtils).
strict_high_watermark = constant(True, says="KAFKA-15583: no high watermark moves while the ISR is below min.isr")
# core/cluster/Partition.scala, 3.7.0: maybeIncrementLeaderHW, isUnderMinIsr
cap_min_isr = constant(True, says="KAFKA-15583: min.insync.replicas is at most the number of replicas")
# core/cluster/Partition.scala, 3.7.0: effectiveMinIsr
await_target = constant(True, says="KAFKA-15665: a reassignment is complete once all who shall have a copy are in sync")
# metadata/PartitionReassignmentReplicas.java, 3.8.0: maybeCompleteReassignment. With ZooKeeper always: KafkaController
await_added = constant(
    True, says="KAFKA-19975: where there are to be no fewer copies, it is complete once the new ones are in sync"
)
# metadata/PartitionReassignmentReplicas.java, 4.3.0: maybeCompleteReassignment
heed_unclean = constant(True, says="KAFKA-12670: KRaft heeds unclean.leader.election.enable")
# metadata/ConfigurationControlManager.java, 3.9.0: uncleanLeaderElectionEnabledForTopic. With ZooKeeper always.
elr = constant(True, says="KIP-966: eligible leader replicas, and unclean stops that are known as such")
# metadata/PartitionChangeBuilder.java, 3.7.0, behind a feature that new clusters have since 4.1
assign_directories = constant(
    True, says="KIP-858: who has its copy in a directory that the controller does not know of cannot be elected"
)
# metadata/ReplicationControlManager.java, 3.7.0: LeaderAcceptor, handleAssignReplicasToDirs. Never with ZooKeeper.
assignment_keeps_elr = constant(True, says="who says that its copy is in another directory leaves the ELR as it is")
# metadata/ReplicationControlManager.java, 4.3.0 (apache/kafka#20716): handleAssignReplicasToDirs builds its change
# knowing whether ELR is on. Before, the change empties it.
assign_unregistered = constant(
    False, says="who has its copy in another directory may say so before it registers, in the epoch that it had"
)
# server/AssignmentsManager.java, 4.1: maybeSendAssignments takes the broker epoch of the metadata image. Seen on 4.1.1.
# In fact so; off, it comes after. On where a real history is looked at. The verdicts of both are compared in
# tests/real/validation/test_validating.py.
register_apart = constant(
    False, says="with ELR, who restarts after an unclean stop registers first, and is unfenced later"
)
# metadata/ClusterControlManager.java, 3.8.0: registerBroker, BrokerUncleanShutdownHandler. In fact always so; off, it
# is one step. The verdicts of both are compared in tests/real/validation/test_validating.py. On where a real history
# is looked at.
min_isr_is_set = constant(False, says="with ELR, min.insync.replicas is set at any time, which empties it")
# metadata/ConfigurationControlManager.java, 4.1: createClearElrRecordsAsNeeded. On where a real history is looked at.
register_unseen = constant(
    False, says="who registers before the controller has fenced it stays in the ISR, and leads on"
)
# KAFKA-18106. metadata/ClusterControlManager.java, 3.3 to 3.9: registerBroker writes the registration alone; from 4.0.0
# on the broker leaves the ISR (handleBrokerShutdown). On where a real history of such a release is looked at.
stop_fenced = constant(False, says="a broker that the controller has fenced may be shut down, too")
# metadata/BrokerHeartbeatManager.java, 3.3.0: calculateNextBrokerState. In fact always so; off, who is fenced runs on.
# The verdicts of both are compared in tests/real/validation/test_validating.py. On where a real history is looked at.
drop_together = constant(False, says="followers that lag at the same time leave the ISR in one request")
# core/cluster/Partition.scala, 2.6 to 4.1: maybeShrinkIsr. In fact always so; off, each has a request of its own. The
# verdicts of both are compared in tests/real/validation/test_validating.py. On where a real history is looked at.
by_zookeeper = constant(False, says="elections as a controller on ZooKeeper makes them, in detail")
# core/controller/ReplicaStateMachine.scala, 1.1 to 3.9: startup. In fact always so on ZooKeeper; off, one election
# stands for them. On where a real history is looked at; tests/real/validation/test_validating.py compares its verdicts.
check_last_leader = constant(True, says="KAFKA-19522: the last known leader must be alive to be elected")
# metadata/PartitionChangeBuilder.java: canElectLastKnownLeader is without that check from 3.7.0 on; real brokers of
# 4.0.0 elect such a leader, and those of 4.1.0 do not (docs/confirmed.md). With that change maybeUpdateLastKnownLeader
# notes it whenever nobody leads any more; before, once the ISR is empty.

# What no release has that is known.

leave_elr = constant(False, says="who is to hold no copy any more leaves the ELR, too")
# metadata/PartitionChangeBuilder.java, 4.0.0 to 4.4.0: maybePopulateTargetElr asks who is in sync, and not who is a
# replica (docs/kafka-findings.md)

# What never was otherwise in a release that is known, and yet has to be so.

fetch_in_epoch = constant(True, says="who joins the ISR has fetched since its leader's epoch began")
# core/cluster/Partition.scala, 3.7.0: updateFollowerFetchState; KIP-966's description by Vanlightly, section 6.5.4
fresh_checkpoint = constant(True, says="the high watermark on disk is the newest; in fact it may be 5 s old, or more")
# core/server/ReplicaManager.scala, 3.8.0: checkpointHighWatermarks; replica.high.watermark.checkpoint.interval.ms


# --- what there is ----------------------------------------------------------------------------------------------------


class Broker(Domain, size=replicas, symmetric=True):
    """A broker that holds a copy of the partition. Whom the controller prefers among equals is left open."""


RecordId = Annotated[int, Range(0, max_records - 1)]
Epoch = Annotated[int, Range(0, max_leader_epoch)]
Offset = Annotated[int, Range(0, log_size)]


@record
class Record:
    """A producer's record, named by its number, with the epoch of the leader that wrote it."""

    id: RecordId
    epoch: Epoch


@record
class Registration:
    """The partition as the controller has it on record (PartitionRegistration; in ZooKeeper, its state znode)."""

    leader: Option[Broker]
    leader_epoch: Epoch
    isr: Set[Broker]
    elr: Set[Broker]
    last_known_leader: Option[Broker]


@record
class Assignment:
    """Who holds a copy, of them who is on the way in, and who on the way out while a reassignment is not complete."""

    replicas: Set[Broker]
    adding: Set[Broker]
    removing: Set[Broker]


@record
class View:
    """A broker's metadata image of the partition: the newest registration it knows. Only a leader keeps the ISR."""

    leader: Option[Broker]
    leader_epoch: Epoch
    isr: Set[Broker]


class IsrChange(Enum):
    """What a leader asks for (in Kafka's leader PendingShrinkIsr, PendingExpandIsr)."""

    SHRINK = "shrink"
    EXPAND = "expand"


@record
class AlterPartition:
    """An AlterPartition request of a leader that the leader has no answer to yet."""

    broker: Broker  # whom it takes out of the ISR, or into it
    change: IsrChange
    answered: bool  # the controller has done it, and the leader does not know
    restarted: bool  # the broker has registered anew since the leader asked


@record
class DivergingEpoch:
    """A leader's answer that the logs diverge (a fetch's DivergingEpoch), on which the follower has not acted."""

    end: Offset
    late: bool  # the follower has heard of another leader since, or leads


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    committed: Annotated[Seq[RecordId], Capacity(log_size)]  # what was ever below a leader's high watermark
    read: Map[Offset, Set[RecordId]]  # what consumers could have read at each offset
    refused: Set[RecordId]  # records that were reported to the producer as failed, after they were appended
    lossy: Set[Broker]  # brokers that ever lost a part of their log
    left_isr: Set[Broker]  # brokers that ever left the ISR
    damaged: Set[Broker]  # brokers that lost a part of their log, and that no leader has found to have caught up since
    damaged_led: bool  # whether one of them ever began to lead
    ever_unclean: Set[Broker]  # brokers that ever stopped uncleanly


@ghosts
class ProofHistory:
    """What only the proof remembers, of every epoch: see `invariants/partition/proof.py`."""

    began: Map[Epoch, bool]  # whether its leader ever learned that it leads; not of the first, which is led at once
    leader_log: Map[Epoch, Annotated[Seq[Record], Capacity(log_size)]]  # its leader's log, while it led
    leader_committed: Map[Epoch, Offset]  # how far its leader moved the high watermark; 0 if it did not
    committed_by: Map[Broker, Epoch]  # in which epoch was committed what is below each broker's high watermark
    committed_in: Epoch  # in which epoch the last record of `committed` was
    copied: Map[Broker, Epoch]  # the leader of which epoch each broker fetched from last, or the last one that it led
    written_in: Map[RecordId, Epoch]  # in which epoch each record was written last
    written_at: Map[RecordId, Offset]  # and at which offset


@state
class Partition(History, ProofHistory):
    """One partition: the controller's record of it, its brokers, and its producer."""

    registered: Registration  # what the controller has on record: metadata log, or ZooKeeper
    assignment: Assignment  # who is to hold a copy, on record beside it
    fenced: Set[Broker]  # brokers that the controller regards as dead
    up: Set[Broker]  # brokers whose process runs
    gone: Set[Broker]  # brokers whose host is lost
    unclean: Set[Broker]  # brokers that are down, and whose last stop was unclean
    relocated: Set[Broker]  # brokers whose copy is, or will be, in a directory that the controller does not know of
    controllers_down: Annotated[int, Range(0, 5)]  # how many of those on hosts of their own
    voters_down: Set[Broker]  # hosts whose controller is down, where each host has one
    view: Map[Broker, View]  # what each broker last learned of it; nothing while it is down
    truncating: Set[Broker]  # followers that have not asked their leader yet where to truncate
    answer: Map[
        Broker, Option[DivergingEpoch]
    ]  # where each follower is about to truncate its log; None where it does so at once
    log: Map[Broker, Annotated[Seq[Record], Capacity(log_size)]]  # each broker's log, in page cache and on disk
    flushed: Map[Broker, Offset]  # how much of its log is on disk for certain
    high_watermark: Map[Broker, Offset]  # how far each broker knows its log to be committed
    fetch_offset: Map[Broker, Map[Broker, Offset]]  # where a leader knows a follower to fetch next
    request: Map[Broker, Option[AlterPartition]]  # what each leader has asked of the controller
    sent: Annotated[int, Range(0, max_records)]  # how many records the producer has sent
    acknowledged: Set[RecordId]  # records that it may take for safe


@initial
def start(leader: Broker) -> Partition:
    """{leader} leads, everyone is in sync, and all logs are empty."""
    return Partition(
        registered=Registration(leader=leader, leader_epoch=0, isr=Set(Broker), elr=Set(), last_known_leader=None),
        assignment=Assignment(replicas=Set(Broker), adding=Set(), removing=Set()),
        fenced=Set(),
        up=Set(Broker),
        gone=Set(),
        unclean=Set(),
        relocated=Set(),
        controllers_down=0,
        voters_down=Set(),
        view=Map(
            {
                broker: View(leader=leader, leader_epoch=0, isr=Set(Broker) if broker == leader else Set())
                for broker in Broker
            }
        ),
        truncating=Set(),
        answer=Map({broker: None for broker in Broker}),
        log=Map({broker: Seq() for broker in Broker}),
        flushed=Map({broker: 0 for broker in Broker}),
        high_watermark=Map({broker: 0 for broker in Broker}),
        fetch_offset=Map({broker: nothing_fetched() for broker in Broker}),
        request=Map({broker: None for broker in Broker}),
        sent=0,
        acknowledged=Set(),
    )


def nothing_fetched() -> Map[Broker, Offset]:
    """What a new leader knows of its followers' logs, and what a broker that does not lead remembers: nothing."""
    return Map({broker: 0 for broker in Broker})


def nobody_known(epoch: int) -> View:
    """What a broker knows that has heard of no leader since that epoch."""
    return View(leader=None, leader_epoch=epoch, isr=Set())


# --- words that all parts use -----------------------------------------------------------------------------------------


def leads(s: Partition, broker: Broker) -> bool:
    """Whether the broker runs and believes that it leads. More than one may: an old leader may learn of it late."""
    return broker in s.up and s.view[broker].leader == broker


def is_true_leader(s: Partition, broker: Broker) -> bool:
    """Whether the broker leads, and does so in the newest epoch."""
    return leads(s, broker) and s.view[broker].leader_epoch == s.registered.leader_epoch


def effective_min_isr() -> int:
    """The effective min.insync.replicas: how many members the ISR must have for acks=all."""
    return min(min_isr, replicas) if cap_min_isr else min_isr


def controllers_decide(s: Partition) -> bool:
    """Whether a majority of the controllers is up: without it nothing is registered, fenced, elected or changed."""
    return is_majority(Set(Broker) - s.voters_down) if co_located else 2 * (voters - s.controllers_down) > voters


def is_reassigned(s: Partition) -> bool:
    """Whether a reassignment is under way."""
    return len(s.assignment.adding | s.assignment.removing) > 0


def target_replicas(s: Partition) -> Set[Broker]:
    """The brokers that are to hold a copy once the reassignment is complete."""
    return s.assignment.replicas - s.assignment.removing


def may_complete(s: Partition, in_sync: Set[Broker]) -> bool:
    """Whether the reassignment may complete with that ISR: all target replicas are in it. Before 3.8, and since 4.3
    where there are to be no fewer copies, it is enough that it holds the new ones, and at least one target replica."""
    isr, adding, removing = in_sync - s.assignment.removing, s.assignment.adding, s.assignment.removing
    of_added = not await_target or (await_added and len(adding) >= len(removing))
    return is_reassigned(s) and (len(isr) > 0 and adding <= isr if of_added else target_replicas(s) <= isr)


def passes(s: Partition) -> bool:
    """Whether the ISR is one that nobody hears of: with its reassignment complete, as it is in Kafka at once, it is
    below min.isr, and now it is not."""
    isr = s.registered.isr
    is_short = len(isr - s.assignment.removing) < effective_min_isr() <= len(isr)
    return elr and is_short and may_complete(s, isr)


def maximal(s: Partition, leader: Broker) -> Set[Broker]:
    """Kafka's maximalIsr: the ISR that the leader knows, with the broker that it has proposed to add."""
    request = s.request[leader]
    if request is None or request.change == IsrChange.SHRINK:
        return s.view[leader].isr
    return s.view[leader].isr | {request.broker}
