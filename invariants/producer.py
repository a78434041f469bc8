"""What must hold of a producer. R28 to R30 and T4 are the numbers of a catalogue of Kafka's properties.

Not all of it is promised by Kafka: docs/producers.md says which setting keeps which.
"""

from __future__ import annotations

from ..language import Option, invariant, reachable
from ..model.parts.replicated_logs import entries
from ..model.producer.brokers import is_of
from ..model.producer.state import Batch, Number, Outcome, Producing, Written, keys, partitions, records


@invariant
def type_ok(s: Producing) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


def holds(written: Option[Written], number: Number) -> bool:
    """Whether an entry is there, and holds a record."""
    return written is not None and written.first <= number and number <= written.last


def times(s: Producing, number: Number) -> int:
    """How often a record is in the logs."""
    return sum(
        1 for partition in range(partitions) for entry in range(entries) if holds(s.held[partition][entry], number)
    )


def has(batch: Batch, number: Number) -> bool:
    """Whether a batch has a record."""
    return batch.first <= number and number <= batch.last


def may_still_come(s: Producing, number: Number) -> bool:
    """Whether a record may still come into a log."""
    late = s.late
    return (
        number in s.due
        or any(has(batch, number) for batch in s.waiting)
        or any(has(request.batch, number) for request in s.in_flight)
        or (late is not None and has(late.batch, number))
    )


@invariant
def acknowledged_is_durable(s: Producing) -> bool:
    """A record that was acknowledged is there."""
    return all(s.outcome[n] != Outcome.ACKNOWLEDGED or times(s, n) > 0 for n in range(records))


@invariant
def given_up_is_not_there(s: Producing) -> bool:
    """R28: a record that was given up is not there (it may be: an error does not say that nothing was written)."""
    return all(s.outcome[n] != Outcome.GIVEN_UP or times(s, n) == 0 for n in range(records))


@invariant
def no_duplicates(s: Producing) -> bool:
    """R29: no record is there twice."""
    return all(times(s, n) <= 1 for n in range(records))


@invariant
def order_per_key(s: Producing) -> bool:
    """R30: of two records with one key the first comes first, in the same partition."""
    return all(
        a >= b or a % keys != b % keys or times(s, a) == 0 or times(s, b) == 0 or comes_first(s, a, b)
        for a in range(records)
        for b in range(records)
    )


def comes_first(s: Producing, a: Number, b: Number) -> bool:
    """Whether a partition has one record before the first of the other, maybe in one batch, and no other has that."""
    return all(
        first_entry(s, partition, a) <= first_entry(s, partition, b) or first_entry(s, partition, b) == entries
        for partition in range(partitions)
    )


def first_entry(s: Producing, partition: int, number: Number) -> int:
    """The first entry of a partition that holds a record; behind all where none does."""
    return min((entry for entry in range(entries) if holds(s.held[partition][entry], number)), default=entries)


@invariant
def no_gap(s: Producing) -> bool:
    """Where a record is there, those before it with its key are there, or still on their way."""
    return all(
        a >= b or a % keys != b % keys or times(s, b) == 0 or times(s, a) > 0 or may_still_come(s, a)
        for a in range(records)
        for b in range(records)
    )


@invariant
def accepted_is_there(s: Producing) -> bool:
    """A record that `send()` accepted is there, or still on its way."""
    return all(not was_accepted(s, n) or times(s, n) > 0 or may_still_come(s, n) for n in range(records))


def was_accepted(s: Producing, number: Number) -> bool:
    """Whether `send()` took a record."""
    return s.outcome[number] not in (Outcome.NOT_SENT, Outcome.REFUSED)


@invariant
def older_is_given_up_first(s: Producing) -> bool:
    """Once a record's time is over, no older one is sent any more.

    It is not said of records that are given up for another reason: retries that run out, an error for ever up to 2.4,
    and a producer that is closed."""
    return all(
        a >= b or s.outcome[b] != Outcome.GIVEN_UP or a < s.overdue or not is_tried(s, a)
        for a in range(records)
        for b in range(records)
    )


def is_tried(s: Producing, number: Number) -> bool:
    """Whether the producer still sends a record, or waits for its answer."""
    return any(has(batch, number) for batch in s.waiting) or any(
        has(request.batch, number) and not request.abandoned for request in s.in_flight
    )


@invariant
def no_silent_loss(s: Producing) -> bool:
    """A record that is neither there nor on its way was given up, so that its callback had an error."""
    return all(
        not was_accepted(s, n) or s.outcome[n] == Outcome.GIVEN_UP or times(s, n) > 0 or may_still_come(s, n)
        for n in range(records)
    )


@invariant
def appended_once(s: Producing) -> bool:
    """T4: a leader has each sequence of a producer id and epoch once."""
    return all(
        a >= b or not same_sequence(s.held[partition][a], s.held[partition][b])
        for partition in range(partitions)
        for a in range(entries)
        for b in range(entries)
    )


def same_sequence(a: Option[Written], b: Option[Written]) -> bool:
    """Whether two entries have one producer id, epoch and sequence."""
    return (
        a is not None
        and b is not None
        and a.pid > 0
        and a.pid == b.pid
        and a.epoch == b.epoch
        and a.sequence == b.sequence
    )


# --- what must be possible --------------------------------------------------------------------------------------------


def all_acknowledged(s: Producing) -> bool:
    """Whether every record was acknowledged."""
    return all(s.outcome[n] == Outcome.ACKNOWLEDGED for n in range(records))


@reachable
def everything_is_acknowledged(s: Producing) -> bool:
    """Every record was acknowledged, and nothing is on its way."""
    return all_acknowledged(s) and len(s.in_flight) == 0


@reachable
def acknowledged_by_the_next_leader(s: Producing) -> bool:
    """Every record was acknowledged, under another leader than the first."""
    return s.leader != 0 and all_acknowledged(s)


@reachable
def acknowledged_after_a_restart(s: Producing) -> bool:
    """The application has started again, and every record is acknowledged and there."""
    return s.given > 1 and all_acknowledged(s) and all(times(s, n) > 0 for n in range(records))


@reachable
def acknowledged_in_a_retry(s: Producing) -> bool:
    """A batch that is sent again has its answer at the leader."""
    return any(request.batch.attempts > 0 and request.entry is not None for request in s.in_flight)


@reachable
def every_sequence_is_of_one_producer(s: Producing) -> bool:
    """All records are there, written by one producer id or without any."""
    return all(times(s, n) > 0 for n in range(records)) and any(
        all(s.held[partition][e] is None or is_of(s.held[partition][e], pid) for e in range(entries))
        for pid in range(2)
        for partition in range(partitions)
    )
