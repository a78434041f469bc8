"""Kafka's replication of one partition, from "truncate to the high watermark" (0.8) to KIP-320 (2.1).

A producer's record is committed once every member of the in-sync replicas, the ISR, holds it. Whoever leads next must
hold it too. The five versions below answer one question: when a replica starts to follow a new leader, which of its
own records may it keep?

* `truncate_to_hw`: those below its own high watermark. But that lags the leader's high watermark by a fetch, so the
  follower discards records that are committed, and may then be elected (KAFKA-1211, the first scenario of KIP-101).
* `kip101`: those up to where the leader's log leaves the epoch of the follower's newest record (0.11). After two
  quick elections the leader may know nothing of that epoch, and logs diverge (KAFKA-6361).
* `kip279`: those that leader and follower have in common, found by going back epoch by epoch (2.0). Requests
  between replicas of different leader epochs are still served and counted: nothing is fenced (KAFKA-7395).
* `kip320_first_try`: as before, but a follower truncates only once a fetch shows that the logs differ. It was never
  released: a replica may count for a high watermark and truncate its log afterwards.
* `kip320`: as `kip279`, and a leader serves and counts only replicas of its own leader epoch (2.1).

All five are this one text under different switches; turning off one fence of `kip320` at a time shows its purpose.

It is, state for state, the transition system of github.com/hachikuji/kafka-specification, by Jason Gustafson, whose
names are kept: `quorum` is what ZooKeeper holds of the partition (its state znode), and not a quorum of KRaft. As
there:

* The controller has no state of its own, and writing to ZooKeeper is atomic and seen at once by whoever writes next:
  the fencing of ISR changes (`zkVersion`, later the partition epoch) is taken as correct.
* A LeaderAndIsr request, once sent, may arrive at any replica at any later time, never, or twice.
* A fetch is one step: the request, the leader's answer and the append; it carries one record, and the leader's high
  watermark comes with it. There is no clock: the leader may remove a lagging replica from the ISR at any time.
* A broker that is down is a replica that takes no step for a while; the controller may remove it from the ISR. No
  broker loses what is on its disk.
* There is no `min.insync.replicas`, no `acks`, and no unclean election.

What must hold of it is in `invariants/replication/`, and how much of it there is within which bounds in `spec/`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import *
from .parts.logs import common_prefix, end_of_last_epoch

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
    committed_in: Map[RecordId, EpochOrNone]  # in which epoch each record was committed first; -1 if it was not
    committed_at: Map[RecordId, Offset]  # and at which offset


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


# === What properties and proof remember of a run; no guard reads it ===================================================


def note_epoch(s: Partition, decided: LeaderAndIsr) -> None:
    """The controller has decided on an epoch."""
    s.elected[s.next_leader_epoch] = decided.leader
    s.first_isr[s.next_leader_epoch] = decided.isr
    s.last_isr[s.next_leader_epoch] = decided.isr


def note_beginning(s: Partition, leader: Replica, epoch: Epoch) -> None:
    """A leader learns of its epoch."""
    s.began[epoch] = True
    s.leader_log[epoch] = s.log[leader]


def note_written(s: Partition, leader: Replica, written: Record) -> None:
    """A leader appends a record in its epoch."""
    s.leader_log[s.leader_epoch[leader]].append(written)


def note_committed(s: Partition, leader: Replica, offset: int) -> None:
    """A leader's high watermark is past an offset."""
    id = s.log[leader][offset].id
    s.committed_in[id] = s.committed_in[id] if id in s.committed else s.leader_epoch[leader]
    s.committed_at[id] = s.committed_at[id] if id in s.committed else offset
    s.committed.add(id)
    s.leader_committed[s.leader_epoch[leader]] = offset + 1
    s.committed_by[leader] = s.leader_epoch[leader]


# === The controller elects a leader, which learns of it from a request that arrives late, twice or never ==============


@action
def controller_elect_leader(s: Partition, leader: Replica) -> None:
    """The controller elects {leader}, a member of the ISR, for epoch {s.next_leader_epoch}."""
    require(leader in s.quorum.isr)
    require(leader != s.quorum.leader)
    limit(s.next_leader_epoch <= max_leader_epoch)
    decide(s, LeaderAndIsr(leader=leader, leader_epoch=s.next_leader_epoch, isr=s.quorum.isr))


def decide(s: Partition, changed: LeaderAndIsr) -> None:
    """The controller writes to ZooKeeper who leads the next epoch, and sends it to all replicas."""
    s.quorum = changed
    s.requests.add(changed)
    note_epoch(s, changed)
    s.next_leader_epoch += 1


@action
def become_leader(s: Partition, request: LeaderAndIsr) -> None:
    """{request.leader} learns that it leads epoch {request.leader_epoch}."""
    require(request.leader is not None and request.leader_epoch > s.leader_epoch[request.leader])
    leader = request.leader
    assert leader is not None
    s.leader_epoch[leader] = request.leader_epoch
    s.leader[leader] = leader
    s.isr[leader] = request.isr  # its high watermark stays what it was: often behind the old leader's
    note_beginning(s, leader, request.leader_epoch)


def presumes_leadership(s: Partition, replica: Replica) -> bool:
    """Whether the replica believes that it leads. More than one may: an old leader learns late of the new one."""
    return s.leader[replica] == replica


def is_true_leader(s: Partition, replica: Replica) -> bool:
    """Whether the replica leads, and knows so and in which epoch: ZooKeeper accepts its writes only then."""
    return (
        s.quorum.leader == replica
        and presumes_leadership(s, replica)
        and s.leader_epoch[replica] == s.quorum.leader_epoch
    )


# === A replica starts to follow a new leader, and truncates its log: which of its own records may it keep? ============


@action
def become_follower(s: Partition, request: LeaderAndIsr, replica: Replica) -> None:
    """{replica} learns that {request.leader} leads epoch {request.leader_epoch}, and follows it."""
    require(request.leader is not None)
    require(not fence_truncation or is_in_office(s, request))
    require(replica != request.leader)
    require(request.leader_epoch > s.leader_epoch[replica])
    leader = request.leader
    assert leader is not None
    end = len(s.log[replica]) if truncate_on_fetch else truncation_offset(s, leader, replica)
    require(end <= len(s.log[replica]))  # as published; Kafka truncates nothing then and goes on
    cut(s, replica, end)
    s.leader_epoch[replica] = request.leader_epoch
    s.leader[replica] = leader
    s.isr[replica] = request.isr


def cut(s: Partition, replica: Replica, end: int) -> None:
    """A replica truncates its log, and with it what it knows to be committed."""
    s.log[replica].truncate(end)
    s.high_watermark[replica] = min(end, s.high_watermark[replica])


def is_in_office(s: Partition, request: LeaderAndIsr) -> bool:
    """Whether the leader that the request names leads that very epoch, as far as it knows."""
    leader = request.leader
    return leader is not None and presumes_leadership(s, leader) and s.leader_epoch[leader] == request.leader_epoch


def truncation_offset(s: Partition, leader: Replica, follower: Replica) -> int:
    """Where the follower truncates its log, given the leader's."""
    match truncation:
        case Truncation.HIGH_WATERMARK:
            return s.high_watermark[follower]
        case Truncation.END_OF_EPOCH:
            return end_of_last_epoch(s.log[leader], s.log[follower], s.high_watermark[follower])
        case Truncation.COMMON_PREFIX:
            return common_prefix(
                s.log[leader], s.log[follower]
            )  # the outcome of one or more rounds of OffsetsForLeaderEpoch


# === A record is written, fetched by the followers, and committed when the high watermark passes it ===================


@action(kind="client")
def write(s: Partition, leader: Replica) -> None:
    """{leader} appends a producer's record at offset {len(s.log[leader])}, in epoch {s.leader_epoch[leader]}."""
    require(presumes_leadership(s, leader))
    limit(s.next_record_id < max_records)
    limit(len(s.log[leader]) < log_size)
    written = Record(id=s.next_record_id, epoch=s.leader_epoch[leader])
    s.log[leader].append(written)
    note_written(s, leader, written)
    s.next_record_id += 1


def follows(s: Partition, follower: Replica, leader: Replica) -> bool:
    """Whether the follower regards that replica as its leader (a leader follows itself)."""
    return s.leader[follower] == leader


def are_in_one_epoch(s: Partition, one: Replica, other: Replica) -> bool:
    """Whether the newest leader epoch that both have learned of is the same."""
    return s.leader_epoch[one] == s.leader_epoch[other]


def has_reached(s: Partition, follower: Replica, leader: Replica, end: int) -> bool:
    """Whether the follower's log goes up to `end`, and, where a fetch carries it, its epoch there is the leader's."""
    return len(s.log[follower]) >= end and (
        not compare_last_epoch or end == 0 or s.log[follower][end - 1].epoch == s.log[leader][end - 1].epoch
    )


@action
def fetch(s: Partition, leader: Replica, follower: Replica) -> None:
    """{follower} fetches the record at offset {len(s.log[follower])} from {leader}."""
    require(presumes_leadership(s, leader))
    require(follows(s, follower, leader))
    require(not fence_fetch or are_in_one_epoch(s, follower, leader))
    end = len(s.log[follower])
    require(end < len(s.log[leader]))
    require(has_reached(s, follower, leader, end))
    s.log[follower].append(s.log[leader][end])
    s.high_watermark[follower] = min(s.high_watermark[leader], end + 1)
    s.committed_by[follower] = s.committed_by[leader]


@action
def truncate(s: Partition, leader: Replica, follower: Replica) -> None:
    """{follower} learns from {leader} that their logs differ, and truncates its own."""
    require(truncate_on_fetch)
    require(presumes_leadership(s, leader))
    require(follows(s, follower, leader))
    require(not fence_truncation or are_in_one_epoch(s, follower, leader))
    require(ends_differently(s, leader, follower))
    end = truncation_offset(s, leader, follower)
    require(end <= len(s.log[follower]))
    cut(s, follower, end)


def ends_differently(s: Partition, leader: Replica, follower: Replica) -> bool:
    """Whether the follower's newest record is beyond the leader's log, or of another epoch than the leader's there."""
    end = len(s.log[follower])
    return end > len(s.log[leader]) or (end > 0 and s.log[follower][end - 1].epoch != s.log[leader][end - 1].epoch)


@action
def advance_high_watermark(s: Partition, leader: Replica) -> None:
    """{leader} moves its high watermark past offset {s.high_watermark[leader]}, which its ISR {s.isr[leader]} has."""
    require(presumes_leadership(s, leader))
    offset = s.high_watermark[leader]
    require(offset < len(s.log[leader]))
    require(
        all(
            follows(s, follower, leader)
            and (not fence_high_watermark or are_in_one_epoch(s, follower, leader))
            and has_reached(s, follower, leader, offset + 1)
            for follower in s.isr[leader]
        )
    )
    s.high_watermark[leader] = offset + 1
    note_committed(s, leader, offset)


# === The leader changes the ISR, and the state in which no replica is left in it ======================================


@action
def shrink_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """{leader} takes {follower}, which lags, out of the ISR."""
    require(is_true_leader(s, leader))
    require(follower != leader)
    require(follower in s.isr[leader])
    require(
        not (
            follows(s, follower, leader)
            and (not fence_isr_shrink or are_in_one_epoch(s, follower, leader))
            and has_reached(s, follower, leader, len(s.log[leader]))
        )
    )
    write_isr(s, leader, s.isr[leader] - {follower})
    s.left_isr.add(follower)


@action
def expand_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """{leader} takes {follower}, which has all below the high watermark {s.high_watermark[leader]}, into the ISR."""
    require(is_true_leader(s, leader))
    require(not await_epoch_start or has_reached_its_epoch(s, leader))
    require(follower not in s.isr[leader])
    require(follows(s, follower, leader))
    require(not fence_isr_expansion or are_in_one_epoch(s, follower, leader))
    require(has_reached(s, follower, leader, s.high_watermark[leader]))
    write_isr(s, leader, s.isr[leader] | {follower})


def write_isr(s: Partition, leader: Replica, members: Set[Replica]) -> None:
    """The leader writes the ISR to ZooKeeper."""
    s.isr[leader] = members
    s.quorum = replace(s.quorum, isr=members)
    s.last_isr[s.leader_epoch[leader]] = members


def has_reached_its_epoch(s: Partition, leader: Replica) -> bool:
    """Whether the leader's high watermark has reached the records of its own epoch, so that it is no longer stale."""
    offset = s.high_watermark[leader]
    return offset == len(s.log[leader]) or s.log[leader][offset].epoch == s.leader_epoch[leader]


@terminal
def nobody_is_in_sync(s: Partition) -> bool:
    """The ISR is empty: as published, nobody can be elected any more and the partition stays as it is.

    The controller empties the ISR when it removes the last member while there is no leader; Kafka keeps that member.
    """
    return len(s.quorum.isr) == 0


# === A broker fails, and the controller takes it out of the ISR =======================================================


@action(kind="fault")
def controller_shrink_isr(s: Partition, replica: Replica) -> None:
    """{replica} fails{' and leaves the ISR' if s.quorum.leader != replica or len(s.quorum.isr) > 1 else ''}."""
    require(replica in s.quorum.isr)
    limit(s.next_leader_epoch <= max_leader_epoch)
    leads = s.quorum.leader == replica
    stays = leads and s.quorum.isr == {replica}
    changed = LeaderAndIsr(
        leader=None if leads else s.quorum.leader,
        leader_epoch=s.next_leader_epoch,
        isr=s.quorum.isr if stays else s.quorum.isr - {replica},
    )
    decide(s, changed)
    if not stays:
        s.left_isr.add(replica)


# === How it is shown, and its versions ================================================================================

view = LogLanes(
    lane=Replica,
    log="log",
    cell="{entry.epoch}{letter(entry.id)}",
    cell_epoch="entry.epoch",
    high_watermark="high_watermark",
    role="presumes_leadership(s, lane) if s.leader[lane] is not None else None",
    epoch="leader_epoch",
    isr="s.isr[lane] if presumes_leadership(s, lane) else None",
    controller_leader="s.quorum.leader",
    controller_epoch="s.quorum.leader_epoch",
    controller_isr="s.quorum.isr",
)

_unfenced = {
    "fence_truncation": False,
    "fence_fetch": False,
    "fence_high_watermark": False,
    "fence_isr_shrink": False,
    "fence_isr_expansion": False,
    "await_epoch_start": False,
}
profiles = {
    "truncate_to_hw": {"truncation": Truncation.HIGH_WATERMARK, **_unfenced},
    "kip101": {"truncation": Truncation.END_OF_EPOCH, **_unfenced},
    "kip279": {"truncation": Truncation.COMMON_PREFIX, **_unfenced},
    "kip320_first_try": {
        **_unfenced,
        "truncation": Truncation.COMMON_PREFIX,
        "truncate_on_fetch": True,
        "compare_last_epoch": True,
        "await_epoch_start": True,
    },
    "kip320": {"truncation": Truncation.COMMON_PREFIX},
}
