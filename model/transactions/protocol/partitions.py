"""Partitions: what their leaders accept of producers and coordinators, what they forget, and what readers get."""

from __future__ import annotations

from typing import Annotated

from ....language import Member, Seq, Set, action, require
from .state import (
    Cell,
    Cells,
    Cluster,
    Count,
    Epoch,
    Forgets,
    Kind,
    Line,
    Partition,
    Producer,
    Request,
    Status,
    Txn,
    TxnState,
    bump_every_time,
    fence_markers,
    first_open,
    forgets,
    former_verifies,
    guard,
    is_open,
    last_stable_offset,
    late_produces,
    losses,
    read_limit_once,
    reads,
    replicate_later,
    strict_markers,
    verify,
    verify_in_two_steps,
)

# --- writes -----------------------------------------------------------------------------------------------------------


def is_in_order(s: Cluster, partition: Partition, epoch: Epoch, sequence: Count) -> bool:
    """Whether a leader appends a write: its epoch is not old, and its sequence number the next one, or the first of a
    new epoch. Who is not known may have any number; in version 2 the first one."""
    known = s.producers[partition]
    if known.epoch == 0:
        return sequence == 0 or not bump_every_time
    return sequence == (known.records if known.epoch == epoch else 0) and known.epoch <= epoch


def is_duplicate(s: Cluster, partition: Partition, epoch: Epoch, sequence: Count) -> bool:
    """Whether a leader has the write already, and says so."""
    return s.producers[partition].epoch == epoch and sequence < s.producers[partition].records


def is_verified(s: Cluster, partition: Partition, epoch: Epoch) -> bool:
    """Whether a leader knows that the write is of a transaction: it has a part of it, or the coordinator says so."""
    return (
        not verify
        or (is_open(s, partition) and s.producers[partition].epoch == epoch)
        or says_ongoing(s.memory, partition, epoch)
        or (former_verifies and says_ongoing(s.former, partition, epoch))
    )


def says_ongoing(line: Line, partition: Partition, epoch: Epoch) -> bool:
    """Whether a coordinator says that a partition is of that producer's transaction, which is under way."""
    return line.state == TxnState.ONGOING and line.epoch == epoch and partition in line.partitions


def append(s: Cluster, partition: Partition, txn: Txn, epoch: Epoch, sequence: Count) -> None:
    """A leader appends a record."""
    s.logs[partition] = s.logs[partition] + Seq([Cell(txn=txn, status=Status.OPEN)])
    if not replicate_later:
        s.replicated[partition] = len(s.logs[partition])
    s.producers[partition] = Producer(epoch=epoch, records=sequence + 1, coordinator=s.producers[partition].coordinator)


@action
def late_produce_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """A write of transaction {request.txn}, epoch {request.epoch}, arrives late at {request.partition}."""
    partition = request.partition
    require(late_produces > 0 and not verify_in_two_steps)
    require(request.kind == Kind.PRODUCE and partition is not None)
    if partition is not None:
        require(is_verified(s, partition, request.epoch))
        require(is_in_order(s, partition, request.epoch, request.sequence))
        s.late.remove(request)
        append(s, partition, request.txn, request.epoch, request.sequence)


@action
def verify_late_produce(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """A write of transaction {request.txn} arrives late at {request.partition}, and the coordinator knows of it."""
    partition = request.partition
    require(late_produces > 0 and verify_in_two_steps)
    require(request.kind == Kind.PRODUCE and partition is not None)
    if partition is not None:
        require(is_verified(s, partition, request.epoch) and len(s.verified) == 0)
        s.late.remove(request)
        s.verified.add(request)


@action
def append_verified(s: Cluster, request: Annotated[Request, Member("verified")]) -> None:
    """The write of transaction {request.txn}, of which the coordinator knew, is appended to {request.partition}."""
    partition = request.partition
    require(late_produces > 0 and verify_in_two_steps)
    require(partition is not None)
    if partition is not None:
        require(is_in_order(s, partition, request.epoch, request.sequence))
        s.verified.remove(request)
        append(s, partition, request.txn, request.epoch, request.sequence)


# --- markers ----------------------------------------------------------------------------------------------------------


def takes_marker(s: Cluster, partition: Partition, request: Request) -> bool:
    """Whether a leader takes a marker: neither its epoch nor its coordinator is old. Since 4.2 a marker of version 2
    ends only what was written with an older epoch."""
    known = s.producers[partition]
    return (
        known.epoch <= request.epoch
        and not (strict_markers and bump_every_time and known.epoch == request.epoch and is_open(s, partition))
        and (not fence_markers or known.coordinator <= request.coordinator)
    )


def mark(s: Cluster, partition: Partition, request: Request) -> None:
    """What is open is committed, or aborted, and a write that was verified and not appended is refused."""
    known = s.producers[partition]
    s.logs[partition] = closed(s.logs[partition], Status.COMMITTED if request.commit else Status.ABORTED)
    s.producers[partition] = Producer(
        epoch=request.epoch,
        records=known.records if known.epoch == request.epoch else 0,
        coordinator=request.coordinator,
    )
    s.obeyed[partition] = max(s.obeyed[partition], request.coordinator)
    if guard:
        s.verified = Set(waiting for waiting in s.verified if waiting.partition != partition)


def closed(cells: Cells, status: Status) -> Cells:
    """The records of a partition, none of them open any more."""
    done: Cells = Seq()
    for cell in cells:
        done = done + Seq([Cell(txn=cell.txn, status=status if cell.status == Status.OPEN else cell.status)])
    return done


@action(kind="fault", budget="losses")
def forget(s: Cluster, partition: Partition) -> None:
    """The leader of {partition} forgets what it knows of the producer."""
    known = s.producers[partition]
    require(losses > 0 and forgets != Forgets.NEVER and known.epoch > 0 and not is_open(s, partition))
    require(forgets == Forgets.WITH_RECORDS or known.records == 0)
    s.producers[partition] = Producer(epoch=0, records=0, coordinator=0)


# --- readers ----------------------------------------------------------------------------------------------------------


@action
def replicate(s: Cluster, partition: Partition) -> None:
    """All replicas in sync have what {partition} holds."""
    require(replicate_later and s.replicated[partition] < len(s.logs[partition]))
    s.replicated[partition] = len(s.logs[partition])


@action(kind="client", budget="reads")
def read(s: Cluster, partition: Partition) -> None:
    """A reader of committed records reads {partition} up to {last_stable_offset(s, partition)}."""
    require(reads > 0 and read_limit_once and s.delivered[partition] < last_stable_offset(s, partition))
    s.delivered[partition] = last_stable_offset(s, partition)


@action(kind="client", budget="reads")
def look(s: Cluster, partition: Partition) -> None:
    """A fetch finds nothing open below the high watermark of {partition}."""
    require(reads > 0 and not read_limit_once and partition not in s.looked)
    require(first_open(s, partition) >= s.replicated[partition])
    s.looked.add(partition)


@action(kind="client")
def read_what_was_looked_for(s: Cluster, partition: Partition) -> None:
    """It reads {partition} up to what is the high watermark now."""
    require(reads > 0 and not read_limit_once and partition in s.looked)
    s.looked.remove(partition)
    s.delivered[partition] = s.replicated[partition]
