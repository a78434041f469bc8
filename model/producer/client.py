"""What a producer does with a record, and the application that uses it."""

from __future__ import annotations

from ...language import Seq, Set, action, limit, replace, require
from .state import *

# === What a producer's sender does: it sends batches, again after an error, and gives them up =========================


def first_of(s: Producing, partition: Partition) -> int:
    """Where the first batch of a partition waits; behind all where none does."""
    return min((i for i in range(len(s.waiting)) if s.waiting[i].partition == partition), default=len(s.waiting))


def may_transmit(s: Producing, partition: Partition) -> bool:
    """Whether the first batch of a partition may be sent now. One with a sequence waits for those before it."""
    first = first_of(s, partition)
    return first < len(s.waiting) and (
        not idempotent
        or (
            partition not in s.gap
            and (s.waiting[first].pid > 0 or s.unresolved[partition] is None)
            and (
                s.waiting[first].pid == 0
                or all(
                    request.abandoned
                    or request.batch.partition != partition
                    or request.batch.sequence > s.waiting[first].sequence
                    for request in s.in_flight
                )
            )
        )
    )


@action
def transmit(s: Producing, partition: Partition) -> None:
    """The producer sends the first batch of partition {partition}, to broker {s.believed}."""
    require(len(s.in_flight) < max_in_flight and may_transmit(s, partition) and s.overdue == 0)
    limit(s.next_sequence[partition] < 2 * records)
    first = first_of(s, partition)
    batch = s.waiting[first]
    if idempotent and batch.pid == 0:
        s.in_flight.append(
            Request(
                batch=replace(
                    batch, pid=s.pid[partition], epoch=s.epoch[partition], sequence=s.next_sequence[partition]
                ),
                leader=s.believed,
                entry=None,
                refused=False,
                abandoned=False,
            )
        )
        s.next_sequence[partition] += batch.last - batch.first + 1
    else:
        s.in_flight.append(Request(batch=batch, leader=s.believed, entry=None, refused=False, abandoned=no_answer))
    s.waiting = s.waiting[:first] + s.waiting[first + 1 :]
    if no_answer:
        say(s, batch, Outcome.ACKNOWLEDGED)


def say(s: Producing, batch: Batch, outcome: Outcome) -> None:
    """The callbacks of a batch's records are called."""
    for number in range(records):
        if batch.first <= number and number <= batch.last:
            s.outcome[number] = outcome


def take(s: Producing, turn: Turn) -> None:
    """A request is no longer in flight."""
    s.in_flight = s.in_flight[:turn] + s.in_flight[turn + 1 :]


def fail(s: Producing, request: Request) -> None:
    """A request failed, and may be retried: its batch goes back to the front, or is given up."""
    batch = request.batch
    if not request.abandoned:
        if batch.attempts >= retries or has_another_id(s, batch.partition, batch.pid):
            give_up(s, batch)
        elif batch.first < s.overdue:
            if bumps_epoch:
                s.gap.add(batch.partition)
            else:
                move_down(s, batch)
            give_up(s, batch)
        else:
            place = place_of(s, batch)
            again = replace(batch, attempts=batch.attempts + 1)
            s.waiting = s.waiting[:place] + Seq([again]) + s.waiting[place:]


def move_down(s: Producing, batch: Batch) -> None:
    """Up to 2.4 sequences behind a batch that is given up with retries left are moved down by its records, as if it
    were not there (till KIP-360; Sender.completeBatch, TransactionManager.adjustSequencesDueToFailedBatch of 2.4.1)."""
    size = batch.last - batch.first + 1
    s.next_sequence[batch.partition] -= size
    for place in range(records):
        if place < len(s.waiting):
            other = s.waiting[place]
            if other.partition == batch.partition and other.pid == batch.pid and other.sequence > batch.sequence:
                s.waiting[place] = replace(other, sequence=other.sequence - size)


def has_another_id(s: Producing, partition: Partition, pid: Pid) -> bool:
    """Whether the producer has taken another id since: up to 2.4 no batch of the old one is sent again after an error
    (Sender.completeBatch of 2.4.1, TransactionManager.canRetry)."""
    return not bumps_epoch and pid > 0 and pid != s.pid[partition]


def place_of(s: Producing, batch: Batch) -> int:
    """Where a batch waits that is sent again: in front, or behind those of lower sequences."""
    return sum(1 for other in s.waiting if batch.pid > 0 and other.pid == batch.pid and other.sequence < batch.sequence)


def give_up(s: Producing, batch: Batch) -> None:
    """The callbacks of a batch's records are called with an error, which the application heeds or not."""
    say(s, batch, Outcome.GIVEN_UP)
    if on_error == ErrorHandling.SEND_AGAIN:
        s.due = s.due | {number for number in range(records) if batch.first <= number and number <= batch.last}
    if on_error == ErrorHandling.STOP:
        stop(s)


def stop(s: Producing) -> None:
    """The producer is closed: what waits is given up. What is on its way is still answered."""
    s.closed = True
    s.due = Set()
    for batch in s.waiting:
        say(s, batch, Outcome.GIVEN_UP)
    s.waiting = Seq()


@action(kind="fault", budget="expiries")
def expire_waiting(s: Producing) -> None:
    """delivery.timeout.ms is over for a batch that waits, from record {s.waiting[0].first} on."""
    require(expiries > 0)
    require(len(s.waiting) > 0)
    batch = s.waiting[0]
    s.waiting = s.waiting[1:]
    expire_older(s, batch.first)
    if batch.pid > 0:
        leave_open(s, batch)
    give_up(s, batch)


@action(kind="fault", budget="expiries")
def expire_in_flight(s: Producing, turn: Turn) -> None:
    """delivery.timeout.ms is over for the batch of request {turn}, which may still arrive."""
    require(expiries > 0)
    require(turn < len(s.in_flight) and is_first(s, turn) and not s.in_flight[turn].abandoned)
    batch = s.in_flight[turn].batch
    expire_older(s, batch.first)
    abandon(s, turn)


def abandon(s: Producing, turn: Turn) -> None:
    """The client waits no longer for the answer to request {turn}."""
    batch = s.in_flight[turn].batch
    s.in_flight[turn] = replace(s.in_flight[turn], abandoned=True)
    if batch.pid > 0 and batch.attempts > 0:
        leave_open(s, batch)
    give_up(s, batch)


def expire_older(s: Producing, number: int) -> None:
    """With a batch the time of all is over that are older: Sender.getExpiredInflightBatches and
    RecordAccumulator.expiredBatches take them in turn, up to the first that still has time."""
    if on_error == ErrorHandling.SEND_AGAIN:  # there a record's number does not say how old it is
        return
    for turn in range(max_in_flight):
        if turn < len(s.in_flight) and s.in_flight[turn].batch.first < number and not s.in_flight[turn].abandoned:
            abandon(s, turn)
    for partition in range(partitions):
        for _ in range(records):
            first = first_of(s, partition)
            if first < len(s.waiting) and s.waiting[first].first < number:
                older = s.waiting[first]
                s.waiting = s.waiting[:first] + s.waiting[first + 1 :]
                if older.pid > 0:
                    leave_open(s, older)
                give_up(s, older)


@action(kind="fault", budget="expiries")
def run_out(s: Producing, turn: Turn) -> None:
    """delivery.timeout.ms is over for the batch of request {turn}, at which the producer has not looked yet.

    Up to 2.4 it is asked of the only request on its way: what is behind it gets other sequences while it is there."""
    require(expiries > 0 and idempotent and on_error != ErrorHandling.SEND_AGAIN)
    require(bumps_epoch or len(s.in_flight) == 1)
    require(s.overdue == 0 and turn < len(s.in_flight) and is_first(s, turn) and not s.in_flight[turn].abandoned)
    s.overdue = s.in_flight[turn].batch.first + 1


@action
def look_at_times(s: Producing) -> None:
    """The producer gives up the batches whose time is over, before it sends the next."""
    require(expiries > 0 and s.overdue > 0)
    expire_older(s, s.overdue)
    s.overdue = 0


def leave_open(s: Producing, batch: Batch) -> None:
    """A batch was given up that may be there."""
    behind = batch.sequence + batch.last - batch.first + 1
    before = s.unresolved[batch.partition]
    s.unresolved[batch.partition] = behind if before is None else max(before, behind)


def has_sequences(s: Producing, partition: Partition) -> bool:
    """Whether batches with a sequence have no answer yet."""
    return any(batch.partition == partition and batch.pid > 0 for batch in s.waiting) or awaits(s, partition)


def awaits(s: Producing, partition: Partition) -> bool:
    """Whether requests of a partition have no answer yet."""
    return any(request.batch.partition == partition and not request.abandoned for request in s.in_flight)


@action
def resolve(s: Producing, partition: Partition) -> None:
    """All is answered that has a sequence in partition {partition}: the next begins anew, if there may be a gap."""
    require(idempotent and expiries > 0)
    require(s.unresolved[partition] is not None and partition not in s.gap and not has_sequences(s, partition))
    limit(s.epoch[partition] < 2 and s.given < restarts + 3)
    s.unresolved[partition] = None
    if s.answered[partition] != s.next_sequence[partition]:
        begin_anew(s, partition)


def begin_anew(s: Producing, partition: Partition) -> None:
    """The epoch is bumped; up to 2.4 the producer id is another."""
    if bumps_epoch:
        begin_sequence(s, partition, s.pid[partition], s.epoch[partition] + 1)
    else:
        s.given += 1
        begin_sequence(s, partition, s.given, 0)


@action
def bump(s: Producing, partition: Partition) -> None:
    """A sequence of partition {partition} was out of order: the epoch is bumped, and what waits begins at 0."""
    require(idempotent and bumps_epoch)
    require(partition in s.gap and not awaits(s, partition))
    limit(s.epoch[partition] < 2)
    begin_anew(s, partition)
    s.gap.remove(partition)
    s.unresolved[partition] = None
    for place in range(records):
        if place < len(s.waiting) and s.waiting[place].partition == partition and s.waiting[place].pid > 0:
            batch = s.waiting[place]
            s.waiting[place] = replace(
                batch, pid=s.pid[partition], epoch=s.epoch[partition], sequence=s.next_sequence[partition]
            )
            s.next_sequence[partition] += batch.last - batch.first + 1


def begin_sequence(s: Producing, partition: Partition, pid: Pid, epoch: Epoch) -> None:
    """The next batch of a partition has this producer id and epoch, and sequence 0."""
    s.pid[partition] = pid
    s.epoch[partition] = epoch
    s.next_sequence[partition] = 0
    s.answered[partition] = 0


def first_to(s: Producing, leader: Leader) -> int:
    """The first request to a broker; behind all where there is none."""
    return min((i for i in range(len(s.in_flight)) if s.in_flight[i].leader == leader), default=len(s.in_flight))


def is_first(s: Producing, turn: Turn) -> bool:
    """Whether a request is the first of its connection: a broker answers it before it reads another."""
    return first_to(s, s.in_flight[turn].leader) == turn


def is_on_its_way(s: Producing, leader: Leader) -> bool:
    """Whether a broker has a request that it has not handled."""
    first = first_to(s, leader)
    return first < len(s.in_flight) and s.in_flight[first].entry is None and not s.in_flight[first].refused


# === What an application does: it hands records over, closes, dies and starts again ===================================


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
    require(not s.closed and len(s.due) > 0 and on_error != ErrorHandling.SEND_AGAIN)
    number = min(s.due)
    s.outcome[number] = Outcome.REFUSED
    s.due.remove(number)
    if on_error == ErrorHandling.STOP:
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
