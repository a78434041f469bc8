"""What must hold of a broker's registration in ZooKeeper, and what must be possible."""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.studies.broker_registration import Process, Registration, Status, has_session


@invariant
def type_ok(s: Registration) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@transition
def ephemeral_semantics(before: Registration, after: Registration) -> bool:
    """Z6: a registration goes only where its owner's session ends."""
    owner = before.owner
    return owner is None or owner not in after.kept or after.owner == owner


@invariant
def registered_is_in_the_directory(s: Registration) -> bool:
    """A broker that believes to be registered, and has a session, owns the znode."""
    return all(
        s.status[process] != Status.REGISTERED or not has_session(s, process) or s.owner == s.session[process]
        for process in Process
    )


@transition
def known_registration_stops_nobody(before: Registration, after: Registration) -> bool:
    """KAFKA-7165: nobody gives up because of the znode of the session under which it was registered last."""
    return all(
        after.status[process] != Status.GIVEN_UP
        or before.status[process] == Status.GIVEN_UP
        or before.owner != before.before[process]
        for process in Process
    )


@reachable
def answer_is_lost(s: Registration) -> bool:
    """A broker has created its znode, and does not know."""
    return any(
        s.status[process] == Status.STARTING and has_session(s, process) and s.owner == s.session[process]
        for process in Process
    )


@reachable
def old_znode_is_replaced(s: Registration) -> bool:
    """A broker is about to delete the znode of its session before."""
    return any(s.status[process] == Status.REPLACING for process in Process)


@reachable
def gives_up_with_nobody_else(s: Registration) -> bool:
    """A broker has given up, and no other one has a session: with one broker, it took its own znode for another's."""
    return any(
        s.status[one] == Status.GIVEN_UP and not any(has_session(s, other) for other in Process if other != one)
        for one in Process
    )


@reachable
def somebody_else_has_the_id(s: Registration) -> bool:
    """A broker has given up, and another one with its id is registered."""
    return any(
        s.status[one] == Status.GIVEN_UP and s.status[other] == Status.REGISTERED
        for one in Process
        for other in Process
    )
