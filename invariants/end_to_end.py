"""What must hold of effects: at most once, at least once, and both.

No setting of Kafka's alone has both for an email; docs/producers.md says what has.
"""

from __future__ import annotations

from ..language import invariant, reachable
from ..model.consumer.protocol import is_current, place
from ..model.consumer.state import Consuming, Member, Partition
from ..model.end_to_end.effects import knows_records, number, sent_count
from ..model.parts.replicated_logs import Entry, entries
from .consumer import is_passed, is_passed_by


@invariant
def type_ok(s: Consuming) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


def times(s: Consuming, partition: Partition, record: int) -> int:
    """How often a record had its effect."""
    processed = sum(s.effects[partition][entry] for entry in range(entries) if number(entry) == record)
    return min(1, processed) if knows_records else processed


def is_to_come(s: Consuming, partition: Partition, entry: Entry) -> bool:
    """Whether an entry is in somebody's hand, or will be read: it is there, and nobody has passed it, nor the group."""
    at = place(s, partition, entry)
    return any(entry in s.in_hand[member][partition] for member in Member) or (
        entry in s.logs[partition].committed
        and at >= s.first[partition]
        and not is_passed(s, partition, s.offset[partition], s.offset_epoch[partition], at)
        and all(not is_current(s, member) or not is_passed_by(s, member, partition, at) for member in Member)
    )


@invariant
def effect_at_most_once(s: Consuming) -> bool:
    """No record has its effect twice."""
    return all(times(s, partition, record) <= 1 for partition in Partition for record in range(entries + 1))


@invariant
def effect_at_least_once(s: Consuming) -> bool:
    """Each record that was sent has had its effect, or has it still to come."""
    return all(
        record >= sent_count(s, partition)
        or times(s, partition, record) > 0
        or any(number(entry) == record and is_to_come(s, partition, entry) for entry in s.logs[partition].appended)
        for partition in Partition
        for record in range(entries + 1)
    )


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def every_effect_is_there(s: Consuming) -> bool:
    """Two records of a partition, or more, have each had their effect."""
    return any(
        sent_count(s, partition) > 1
        and all(record >= sent_count(s, partition) or times(s, partition, record) > 0 for record in range(entries + 1))
        for partition in Partition
    )


@reachable
def effects_of_two_generations(s: Consuming) -> bool:
    """Each record has had its effect, in a later generation than the first."""
    return s.generation > 1 and every_effect_is_there(s)
