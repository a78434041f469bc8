"""What an application does: it hands records over, closes, dies and starts again."""

from __future__ import annotations

from ...language import Seq, Set, action, limit, replace, require
from .sender import begin_sequence, first_to, is_on_its_way, say, stop
from .state import (
    Batch,
    Number,
    OnError,
    Outcome,
    Partition,
    Producing,
    batch_size,
    blocks,
    flushes,
    keyed,
    keys,
    max_in_flight,
    on_error,
    partitions,
    records,
    restarts,
    sends_again,
    waits,
)


def home(s: Producing, number: Number) -> int:
    """The partition of a record by its key, of those that there are now."""
    return (number % keys + 1) % s.used


@action(kind="client")
def send(s: Producing, partition: Partition) -> None:
    """The application hands over record {min(s.due)}, which goes to partition {partition}."""
    require(not s.closed and len(s.due) > 0 and partition < s.used)
    require(not waits or (len(s.waiting) == 0 and all(request.abandoned for request in s.in_flight)))
    require(not keyed or home(s, min(s.due)) == partition)
    number = min(s.due)
    s.due.remove(number)
    s.outcome[number] = Outcome.ACCEPTED
    end = len(s.waiting) - 1
    if end >= 0 and joins(s.waiting[end], number, partition):
        s.waiting[end] = replace(s.waiting[end], last=number)
    else:
        s.waiting.append(Batch(first=number, last=number, partition=partition, attempts=0, pid=0, epoch=0, sequence=0))


def joins(batch: Batch, number: Number, partition: Partition) -> bool:
    """Whether a record joins a batch that waits."""
    return (
        batch.partition == partition
        and batch.pid == 0
        and batch.attempts == 0
        and batch.last + 1 == number
        and number - batch.first < batch_size
    )


@action(kind="fault", budget="blocks")
def block(s: Producing) -> None:
    """`send()` of record {min(s.due)} fails: the buffer is full, or there are no metadata, for max.block.ms."""
    require(blocks > 0)
    require(not s.closed and len(s.due) > 0 and on_error != OnError.SEND_AGAIN)
    number = min(s.due)
    s.outcome[number] = Outcome.REFUSED
    s.due.remove(number)
    if on_error == OnError.STOP:
        stop(s)


@action(kind="client")
def close(s: Producing) -> None:
    """The application has handed over all, and closes the producer without waiting."""
    require(not flushes and not s.closed and len(s.due) == 0)
    require(len(s.waiting) > 0 or any(not request.abandoned for request in s.in_flight))
    stop(s)
    for turn in range(max_in_flight):
        if turn < len(s.in_flight) and not s.in_flight[turn].abandoned:
            say(s, s.in_flight[turn].batch, Outcome.GIVEN_UP)
            s.in_flight[turn] = replace(s.in_flight[turn], abandoned=True)


@action(kind="fault", budget="restarts")
def die(s: Producing, arrives: bool) -> None:
    """The application's process dies and starts again{'; a request on its way may arrive' if arrives else ''}."""
    require(restarts > 0)
    require(not s.closed and s.late is None)
    require(not arrives or is_on_its_way(s, s.leader))
    limit(s.given < restarts + 3)
    if arrives:
        s.late = s.in_flight[first_to(s, s.leader)]
    s.waiting = Seq()
    s.in_flight = Seq()
    for number in range(records):
        if sends_again and s.outcome[number] != Outcome.ACKNOWLEDGED:
            s.outcome[number] = Outcome.NOT_SENT
            s.due.add(number)
    s.believed = s.leader
    s.given += 1
    s.gap = Set()
    s.overdue = 0
    for partition in range(partitions):
        s.unresolved[partition] = None
        begin_sequence(s, partition, s.given, 0)
