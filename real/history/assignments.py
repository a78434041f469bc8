"""Who holds a copy of a partition, as the metadata log has it: reassignments, and which of them are followed.

Kafka completes a reassignment in the record that takes the last broker into the ISR, or, where all of its target are in
sync, in that which begins it (PartitionReassignmentReplicas, PartitionChangeBuilder.completeReassignmentIfNeeded). In
the model that is a step of its own (`model/partition/controller.py`), so that what is between is observed as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

from ...language.immutable import immutable
from ..logs.metadata_log import Entry

MOST_BROKERS = 5
"""Brokers of one partition that are followed, those together that ever hold a copy of it."""
Where: TypeAlias = tuple[str, int]
"""A topic's id and the number of a partition."""


@immutable
class Assignment:
    """Who holds a copy or is to hold one, and of these who is on the way in and who on the way out."""

    replicas: frozenset[int]
    adding: frozenset[int] = frozenset()
    removing: frozenset[int] = frozenset()

    @property
    def is_under_way(self) -> bool:
        """Whether a reassignment is not complete yet."""
        return bool(self.adding or self.removing)

    @property
    def target(self) -> frozenset[int]:
        """Who holds a copy once it is."""
        return self.replicas - self.removing

    def apply_record(self, fields: Mapping[str, Any]) -> Assignment:
        """The assignment after a record: what it does not name stays."""
        names = {"replicas": "replicas", "adding": "addingReplicas", "removing": "removingReplicas"}
        given = {name: fields.get(field) for name, field in names.items()}
        return Assignment(*(getattr(self, name) if one is None else frozenset(one) for name, one in given.items()))


def assignment_changes(before: Assignment, after: Assignment) -> Assignment | None:
    """What the assignment is for an instant where one record completes a reassignment; None where none is complete
    with it. ValueError where it has another target before it is complete, and where brokers without a copy are to have
    one at once: the model has no such steps."""
    if before.is_under_way:
        if after in (before, Assignment(before.replicas - before.adding)):  # the second cancels it
            return None
        if after == Assignment(before.target):
            return before
        raise ValueError("its reassignment had another target before it was complete")
    if after.is_under_way:
        if after.adding == after.replicas - before.replicas and after.removing <= before.replicas <= after.replicas:
            return None
    elif after.replicas <= before.replicas:
        return None if after == before else Assignment(before.replicas, removing=before.replicas - after.replicas)
    raise ValueError("its replicas were reassigned")


def assigned_brokers(entries: Iterable[Entry]) -> dict[Where, tuple[int, ...]]:
    """The brokers of each partition that is ever reassigned: those of its creation in the order of assignment, then
    those that come, as long as they are few enough. Records that have not what such records have are passed over: who
    takes them says so."""
    first, moved, full = dict[Where, tuple[int, ...]](), dict[Where, tuple[int, ...]](), set[Where]()
    for entry in entries:
        fields = entry.record.fields
        held, where = fields.get("replicas"), (fields.get("topicId", ""), fields.get("partitionId", -1))
        if not isinstance(held, list):
            continue
        replicas = cast("list[int]", held)
        if entry.record.kind == "PARTITION_RECORD":
            first[where] = tuple(replicas)
            if fields.get("addingReplicas") or fields.get("removingReplicas"):
                moved[where] = tuple(replicas)
        elif entry.record.kind == "PARTITION_CHANGE_RECORD" and where in first:
            known = moved.get(where, first[where])
            begun = fields.get("addingReplicas") or fields.get("removingReplicas")
            if set(replicas) != set(known) or begun or where in moved:
                come = tuple(broker for broker in replicas if broker not in known)
                full |= {where} if len(known + come) > MOST_BROKERS else set[Where]()
                moved[where] = known if where in full else known + come
    return moved
