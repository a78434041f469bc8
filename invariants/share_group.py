"""What the members of a share group may rely on, and what Kafka does not keep."""

from __future__ import annotations

from ..language import invariant, leads_to, limits_of, reachable, weak
from ..model.share_group import *


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def accepted_is_not_given_again(s: Group) -> bool:
    """What a member was answered to have accepted is not given again by a broker that may still write."""
    return len(s.given_again_by_leader) == 0


@invariant
def accepted_is_given_to_nobody(s: Group) -> bool:
    """Nor by any other. Kafka does not keep it: a former leader gives what it has, until it learns that it is one."""
    return len(s.given_again) == 0


@invariant
def nothing_is_skipped(s: Group) -> bool:
    """What the leader does not give any more is finished, or was there before the group began.

    Finished is what was accepted, rejected or delivered as often as it may be.
    """
    began = s.began
    return all(
        index in s.confirmed | s.given_up or (began is not None and index < began)
        for broker in Broker
        if is_current(s, broker)
        for index in range(records)
        if index < s.start[broker]
    )


def is_current(s: Group, broker: Broker) -> bool:
    """Whether a broker serves the group, and leads."""
    return s.begun and s.active[broker] and s.active_epoch[broker] == s.epoch


@invariant
def archived_for_a_reason(s: Group) -> bool:
    """Nothing is archived that a member has not rejected, and that was not delivered as often as it may be."""
    return all(
        s.kept_phase[index] != Phase.ARCHIVED or index in s.given_up or s.deliveries[index] == attempts
        for index in range(records)
    )


@invariant
def finished_by_this_group(s: Group) -> bool:
    """Nothing is kept as finished that was finished before the group or its offsets were deleted.

    Kafka does not keep it of a group of the same name: its state epoch is the same, and what a leader writes that has
    read the state of the group that was deleted is accepted.
    """
    return all(not is_finished(s.kept_phase[index]) or index in s.confirmed | s.given_up for index in range(records))


@invariant
def one_holder(s: Group) -> bool:
    """No two members have one record. Kafka does not keep it: a former leader's member may go on."""
    return all(
        s.phase[one][index] != Phase.ACQUIRED or s.phase[other][index] != Phase.ACQUIRED or one == other
        for one in Broker
        for other in Broker
        for index in range(records)
    )


@invariant
def no_more_deliveries_than_the_limit(s: Group) -> bool:
    """No record is delivered more often than group.share.delivery.count.limit says.

    Kafka does not keep it: that a record is acquired is not written, and a leader that comes next counts from what is.
    """
    return len(s.given_too_often) == 0


def is_open(s: Group, index: Index) -> bool:
    """Whether a record was produced after the group began, and nothing has become of it."""
    began = s.began
    return index < s.end and began is not None and began <= index and index not in s.confirmed | s.given_up


def is_closed(s: Group, index: Index) -> bool:
    """Whether something has."""
    return not is_open(s, index)


@leads_to(
    is_closed,
    weak(load, each="broker"),
    weak(resign, each="broker"),
    weak(acquire, each="index"),
    weak(accept, each="index"),
    limits_of(produce),
    limits_of(move_leader),
    limits_of(delete),
    limits_of(expire),
)
def every_record_is_finished(s: Group, index: Index) -> bool:
    """A record produced after the group began is in the end accepted, rejected, or delivered as often as it may be."""
    return is_open(s, index)


@reachable
def all_accepted(s: Group) -> bool:
    """All records are accepted, and the leader has moved."""
    return s.epoch == moves and len(s.confirmed) == records


@reachable
def former_is_refused(s: Group) -> bool:
    """A former leader's member has a record, and what it says of it would be refused."""
    return any(
        is_fenced(s, broker) and s.phase[broker][index] == Phase.ACQUIRED
        for broker in Broker
        if s.active[broker]
        for index in range(records)
    )


@reachable
def of_another_life_is_refused(s: Group) -> bool:
    """The leader has a record in memory that was given before the offsets were deleted, and would be refused."""
    return any(
        is_fenced(s, broker) and is_current(s, broker) and s.phase[broker][index] == Phase.ACQUIRED
        for broker in Broker
        for index in range(records)
    )


@reachable
def given_up_after_attempts(s: Group) -> bool:
    """A record is archived since it was delivered as often as it may be."""
    return any(s.kept_phase[index] == Phase.ARCHIVED and s.deliveries[index] == attempts for index in range(records))
