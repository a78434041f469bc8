"""Partitions: what their leaders accept of producers and coordinators, what they forget, and what readers get."""

from __future__ import annotations

from typing import Annotated

from ...language import Map, Member, Seq, Set, action, replace, require
from ..parts.producer_state import Check, check_batch
from .lumping import settle
from .state import *

# --- writes -----------------------------------------------------------------------------------------------------------


def is_in_order(s: Cluster, partition: Partition, epoch: Epoch, sequence: Count) -> bool:
    """Whether a leader appends a write: its epoch is not old, and its sequence number the next one, or the first of a
    new epoch. Who is not known may have any number since 2.5; before, and in version 2 since 4.1, the first one."""
    known = s.producers[partition][pid_of(epoch)]
    newest = known.epoch if known.epoch > 0 else None
    if checks_of(s, partition) != Checks.ALL:
        return checks_of(s, partition) == Checks.NOTHING or epoch >= known.epoch
    any_number = takes_unknown and not (bump_every_time and zero_of_unknown)
    return check_batch(newest, known.records, epoch, sequence, any_number) == Check.NEXT


def next_sequence(s: Cluster, client: Client, partition: Partition) -> Count:
    """The sequence number of a client's next write to a partition. Up to 2.4 a leader that has forgotten it with its
    records says UNKNOWN_PRODUCER_ID, and where its log begins: the client begins with 0 again (canRetry of
    Kafka 1.1)."""
    known = s.producers[partition][pid_of(s.epoch[client])]
    begins_again = not takes_unknown and forgets == Forgets.WITH_RECORDS and known.epoch == 0
    return 0 if begins_again else s.sequence[client][partition]


def is_duplicate(s: Cluster, partition: Partition, epoch: Epoch, sequence: Count) -> bool:
    """Whether a leader has the write already, and says so: it remembers the numbers of what it has appended, and
    refuses a smaller one (findDuplicateBatch)."""
    known = s.producers[partition][pid_of(epoch)]
    return (
        checks_of(s, partition) == Checks.ALL
        and known.epoch == epoch
        and known.first <= sequence
        and sequence < known.records
    )


def is_verified(s: Cluster, partition: Partition, epoch: Epoch) -> bool:
    """Whether a leader knows that the write is of a transaction: it has a part of it, or the coordinator says so."""
    return (
        not verify
        or (is_open_of(s, partition, pid_of(epoch)) and s.producers[partition][pid_of(epoch)].epoch == epoch)
        or says_ongoing(s.memory, partition, epoch)
        or (former_verifies and says_ongoing(s.former, partition, epoch))
    )


def says_ongoing(line: Line, partition: Partition, epoch: Epoch) -> bool:
    """Whether a coordinator says that a partition is of that producer's transaction, which is under way: what it is yet
    to write to its log does not count (handleVerifyPartitionsInTransaction looks at no pending state)."""
    under_way = line.state in (TxnState.ONGOING, TxnState.PREPARE_EPOCH_FENCE)
    return under_way and line.epoch == epoch and partition in line.partitions


def append(s: Cluster, partition: Partition, txn: Txn, batch: Batch, epoch: Epoch, sequence: Count) -> None:
    """A leader appends a record."""
    pid = pid_of(epoch)
    known = s.producers[partition][pid]
    goes_on = known.epoch == epoch and known.records > 0 and checks_of(s, partition) == Checks.ALL
    s.logs[partition] = s.logs[partition] + Seq([Cell(txn=txn, batch=batch, pid=pid, status=Status.OPEN)])
    if not replicate_later:
        s.replicated[partition] = len(s.logs[partition])
    s.producers[partition][pid] = Producer(
        epoch=epoch,
        first=known.first if goes_on else sequence,
        records=sequence + 1,
        coordinator=known.coordinator,
    )


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
        append(s, partition, request.txn, request.batch, request.epoch, request.sequence)
    settle(s)


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
    settle(s)


@action
def append_verified(s: Cluster, request: Annotated[Request, Member("verified")]) -> None:
    """The write of transaction {request.txn}, of which the coordinator knew, is appended to {request.partition}."""
    partition = request.partition
    require(late_produces > 0 and verify_in_two_steps)
    require(partition is not None)
    if partition is not None:
        require(is_in_order(s, partition, request.epoch, request.sequence))
        s.verified.remove(request)
        append(s, partition, request.txn, request.batch, request.epoch, request.sequence)
    settle(s)


# --- markers ----------------------------------------------------------------------------------------------------------


def takes_marker(s: Cluster, partition: Partition, request: Request) -> bool:
    """Whether a leader takes a marker: neither its epoch nor its coordinator is old. Since 4.2 a marker of version 2
    ends only what was written with an older epoch."""
    pid = pid_of(request.epoch)
    known = s.producers[partition][pid]
    return (
        known.epoch <= request.epoch
        and not (strict_markers and bump_every_time and known.epoch == request.epoch and is_open_of(s, partition, pid))
        and (not fence_markers or known.coordinator <= request.coordinator)
    )


def mark(s: Cluster, partition: Partition, request: Request) -> None:
    """What is open of its producer id is committed, or aborted, and a write that was verified and not appended is
    refused; but in version 2 not one of the next transaction, whose epoch the marker says: `outlives`."""
    pid = pid_of(request.epoch)
    known = s.producers[partition][pid]
    s.logs[partition] = close_records(s.logs[partition], pid, Status.COMMITTED if request.commit else Status.ABORTED)
    s.producers[partition][pid] = Producer(
        epoch=request.epoch,
        first=known.first if known.epoch == request.epoch else 0,
        records=known.records if known.epoch == request.epoch else 0,
        coordinator=request.coordinator,
    )
    s.obeyed[partition] = max(s.obeyed[partition], request.coordinator)
    if guard:
        s.verified = Set(w for w in s.verified if w.partition != partition or outlives(w, request))


def outlives(write: Request, request: Request) -> bool:
    """Whether a write that was verified may be appended though a marker has come since (isV2NextTransactionStarted)."""
    return pid_of(write.epoch) != pid_of(request.epoch) or (bump_every_time and write.epoch == request.epoch)


def close_records(cells: Cells, pid: Pid, status: Status) -> Cells:
    """The records of a partition, none of that producer id open any more."""
    done: Cells = Seq()
    for cell in cells:
        ended = cell.pid == pid and cell.status == Status.OPEN
        done = done + Seq([replace(cell, status=status) if ended else cell])
    return done


@action(kind="fault", budget="losses")
def forget(s: Cluster, partition: Partition) -> None:
    """The leader of {partition} forgets what it knows of the producer."""
    known = s.producers[partition]
    require(losses > 0 and forgets != Forgets.NEVER and not is_open(s, partition))
    require(any(known[pid].epoch > 0 for pid in range(producer_ids)))
    require(forgets == Forgets.WITH_RECORDS or all(known[pid].records == 0 for pid in range(producer_ids)))
    s.producers[partition] = Map({pid: UNKNOWN for pid in range(producer_ids)})
    settle(s)


# --- readers ----------------------------------------------------------------------------------------------------------


@action
def replicate(s: Cluster, partition: Partition) -> None:
    """All replicas in sync have what {partition} holds."""
    require(replicate_later and s.replicated[partition] < len(s.logs[partition]))
    s.replicated[partition] = len(s.logs[partition])
    settle(s)


@action(kind="client", budget="reads")
def read(s: Cluster, partition: Partition) -> None:
    """A reader of committed records reads {partition} up to {last_stable_offset(s, partition)}."""
    require(reads > 0 and read_limit_once and s.delivered[partition] < last_stable_offset(s, partition))
    s.delivered[partition] = last_stable_offset(s, partition)
    settle(s)


@action(kind="client", budget="reads")
def look(s: Cluster, partition: Partition) -> None:
    """A fetch finds nothing open below the high watermark of {partition}."""
    require(reads > 0 and not read_limit_once and partition not in s.looked)
    require(first_open(s, partition) >= s.replicated[partition])
    s.looked.add(partition)
    settle(s)


@action(kind="client")
def read_what_was_looked_for(s: Cluster, partition: Partition) -> None:
    """It reads {partition} up to what is the high watermark now."""
    require(reads > 0 and not read_limit_once and partition in s.looked)
    s.looked.remove(partition)
    s.delivered[partition] = s.replicated[partition]
    settle(s)
