"""The bounds and switches, and the state of a partition with replicas."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Capacity, Domain, Map, Option, Range, Seq, Set, constant, ghosts, initial, record, state

# --- bounds and switches ----------------------------------------------------------------------------------------------

replicas = constant(3, minimum=1, maximum=6, says="brokers that hold a copy of the partition")
log_size = constant(2, minimum=1, maximum=8, says="records that a log has room for")
max_records = constant(2, minimum=1, maximum=16, says="records that producers write in all")
max_leader_epoch = constant(1, minimum=0, maximum=14, says="leader epochs are 0 to this")


class Truncation(Enum):
    """How a new follower finds the offset to truncate to."""

    HIGH_WATERMARK = "high_watermark"  # its own high watermark
    END_OF_EPOCH = "end_of_epoch"  # KIP-101: where the leader's log leaves the epoch of the follower's newest record
    COMMON_PREFIX = "common_prefix"  # KIP-279: after the last record that both logs have


truncation = constant(Truncation.COMMON_PREFIX, says="how a new follower finds the offset to truncate to")
truncate_on_fetch = constant(False, says="KIP-320, first design: a log is truncated when a fetch shows a difference")
compare_last_epoch = constant(False, says="KIP-320, first design: a fetch carries the last record's epoch")
fence_truncation = constant(True, says="KIP-320: only a leader of the follower's own epoch says where to truncate")
fence_fetch = constant(True, says="KIP-320: only a leader of the follower's own epoch serves its fetch")
fence_high_watermark = constant(True, says="KIP-320: an ISR member in another epoch holds the high watermark back")
fence_isr_shrink = constant(True, says="KIP-320: an ISR member in another epoch counts as lagging")
fence_isr_expansion = constant(True, says="KIP-320: only a replica in the leader's epoch may join the ISR")
await_epoch_start = constant(True, says="KAFKA-7128: none joins the ISR before the high watermark is in the epoch")


# --- what there is ----------------------------------------------------------------------------------------------------


class Replica(Domain, size=replicas, symmetric=True):
    """A broker that holds a copy of the partition."""


RecordId = Annotated[int, Range(0, max_records - 1)]
Epoch = Annotated[int, Range(0, max_leader_epoch)]
EpochOrNone = Annotated[int, Range(-1, max_leader_epoch)]  # -1: no leader epoch yet
Offset = Annotated[int, Range(0, log_size)]


@record
class Record:
    """A producer's record, named by a number of its own, with the epoch of the leader that wrote it."""

    id: RecordId
    epoch: Epoch


@record
class LeaderAndIsr:
    """Who leads in which epoch, and who is in sync: what ZooKeeper holds, and what replicas learn."""

    leader: Option[Replica]
    leader_epoch: EpochOrNone
    isr: Set[Replica]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    committed: Set[RecordId]  # every record that was ever below the high watermark of a replica that leads
    left_isr: Set[Replica]  # every replica that was ever taken out of the ISR


@ghosts
class ProofHistory:
    """What only the proof remembers, of every epoch: see `invariants/replication/proof.py`."""

    elected: Map[Epoch, Option[Replica]]  # which replica the controller named as its leader
    first_isr: Map[Epoch, Set[Replica]]  # the ISR that the controller gave it
    last_isr: Map[Epoch, Set[Replica]]  # the ISR that its leader left it with, so far
    began: Map[Epoch, bool]  # whether its leader ever learned that it leads
    leader_log: Map[Epoch, Annotated[Seq[Record], Capacity(log_size)]]  # its leader's log, while it led
    leader_committed: Map[Epoch, Offset]  # how far its leader moved the high watermark; 0 if it did not
    committed_by: Map[Replica, EpochOrNone]  # from which epoch's leader each replica's high watermark comes


@state
class Partition(History, ProofHistory):
    """One partition: its replicas, its state in ZooKeeper, and the requests under way."""

    log: Map[Replica, Annotated[Seq[Record], Capacity(log_size)]]  # each replica's log, on its disk
    high_watermark: Map[Replica, Offset]  # how far each replica knows its log to be committed
    leader_epoch: Map[Replica, EpochOrNone]  # the newest leader epoch that each replica has heard of
    leader: Map[Replica, Option[Replica]]  # who leads, as far as each replica knows
    isr: Map[Replica, Set[Replica]]  # who is in sync, as far as each replica knows
    next_record_id: Annotated[int, Range(0, max_records)]  # the number of the next record that a producer writes
    next_leader_epoch: Annotated[int, Range(0, max_leader_epoch + 1)]  # the epoch that the controller gives out next
    quorum: LeaderAndIsr  # the partition's state znode in ZooKeeper, which the controller and the true leader write
    requests: Annotated[Set[LeaderAndIsr], Capacity(max_leader_epoch + 1)]  # every LeaderAndIsr request ever sent


@initial
def empty() -> Partition:
    """Empty logs, everyone in sync, and no replica knows who leads."""
    return Partition(
        log=Map({replica: Seq() for replica in Replica}),
        high_watermark=Map({replica: 0 for replica in Replica}),
        leader_epoch=Map({replica: -1 for replica in Replica}),
        leader=Map({replica: None for replica in Replica}),
        isr=Map({replica: Set() for replica in Replica}),
        next_record_id=0,
        next_leader_epoch=0,
        quorum=LeaderAndIsr(leader=None, leader_epoch=-1, isr=Set(Replica)),
        requests=Set(),
    )
