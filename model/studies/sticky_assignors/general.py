"""What the leader does where subscriptions differ: the least loaded gets what is free, then partitions move."""

from __future__ import annotations

from typing import Annotated

from ....language import Map, Option, Range, Set, choose, record, replace
from ...parts.topology import *
from .state import Group, believed_claims, highest_generation, is_there

Loads = Map[Member, Load]
places = topics * max_partitions
looks = places * (places + 1)  # one that is needed beyond these is an error of the model: it has not been seen

Place = Annotated[int, Range(0, places - 1)]  # in the order of partitions


@record
class Balancing:
    """An assignment on the way."""

    owners: Owners
    moved_from: Owners  # who had a partition before it was moved; None: it was not
    has_moved: bool  # something has, in this pass or in all
    fails: bool  # Kafka ends with an exception: it asks for the load of a member that takes no part


def general(s: Group) -> Balancing:
    """All partitions: what is owned stays, the rest goes to the least loaded, and then loads are balanced."""
    kept = kept_owners(s)
    filled = filled_up(s, kept)
    active = Set({m for m in Member if takes_part(s, filled, m)})
    before = Balancing(owners=filled, moved_from=nobody(), has_moved=False, fails=False)
    middle = before if is_revoking(s) else balance_partitions(s, before, active, kept)
    after = balance_partitions(s, middle, active, nobody())
    is_new = all(share(kept, m) == 0 for m in Member)
    if after.has_moved and not is_new and score(after.owners, active) >= score(filled, active):
        return replace(after, owners=filled)
    return after


# --- what is kept, and what is free -----------------------------------------------------------------------------------


def kept_owners(s: Group) -> Owners:
    """Whose claim is believed, and who still subscribes to the topic."""
    owned = believed_claims(s)
    return Map({t: Map({n: kept_owner(s, owned, t, n) for n in range(max_partitions)}) for t in Topic})


def kept_owner(s: Group, owned: Cells, topic: Topic, number: Number) -> Option[Member]:
    """Of a partition."""
    if not is_there(s, topic, number) or all(
        m not in owned[topic][number] or topic not in s.subscribed[m] for m in Member
    ):
        return None
    return choose(m for m in Member if m in owned[topic][number] and topic in s.subscribed[m])


def is_revoking(s: Group) -> bool:
    """Whether a member has left a topic, of which it owns a partition."""
    owned = believed_claims(s)
    return any(
        is_there(s, t, n) and m in owned[t][n] and t not in s.subscribed[m]
        for t in Topic
        for n in range(max_partitions)
        for m in Member
    )


def filled_up(s: Group, kept: Owners) -> Owners:
    """Each free partition goes to the least loaded subscriber; topics with few subscribers come first."""
    owners = kept
    for place in range(places):
        topic = topic_at(s, place)
        number = place % max_partitions
        if is_there(s, topic, number) and owners[topic][number] is None:
            owner = least_loaded(loads(owners), subscribers(s.subscribed, topic))
            owners = set_owner(owners, topic, number, owner)
    return owners


def topic_at(s: Group, place: Place) -> Topic:
    """Of which topic a place in the order of partitions is: by number of subscribers, then by name."""
    return choose(t for t in Topic if sum(1 for other in Topic if comes_before(s, other, t)) == place // max_partitions)


def comes_before(s: Group, a: Topic, b: Topic) -> bool:
    """Whether a topic has fewer subscribers, or as many and the lesser name."""
    many = len(subscribers(s.subscribed, a))
    return many < len(subscribers(s.subscribed, b)) or (many == len(subscribers(s.subscribed, b)) and a < b)


def loads(owners: Owners) -> Loads:
    """How many partitions each member owns."""
    return Map({m: share(owners, m) for m in Member})


def least_loaded(load: Loads, among: Set[Member]) -> Member:
    """The first of those with the fewest partitions."""
    return choose(m for m in Member if m in among and all(load[m] <= load[other] for other in among))


# --- balance ----------------------------------------------------------------------------------------------------------


def potential(s: Group, member: Member) -> Load:
    """How many partitions a member could have."""
    return sum(s.partitions[topic] for topic in s.subscribed[member])


def takes_part(s: Group, owners: Owners, member: Member) -> bool:
    """Whether a member could have more, or has what another could have."""
    return share(owners, member) < potential(s, member) or any(
        owners[t][n] == member and len(subscribers(s.subscribed, t)) > 1 for t in Topic for n in range(max_partitions)
    )


def is_balanced(s: Group, owners: Owners, active: Set[Member]) -> bool:
    """Whether nobody could take a partition of a member that has two more."""
    load = loads(owners)
    return all(load[a] <= load[b] + 1 for a in active for b in active) or all(
        load[m] == potential(s, m) or not any_is_heavier(s, owners, load, m) for m in active
    )


def any_is_heavier(s: Group, owners: Owners, load: Loads, member: Member) -> bool:
    """Whether the owner of a partition that a member could have has two more."""
    return any(
        load_of(load, owners[t][n]) > load[member] + 1
        for t in Topic
        if t in s.subscribed[member]
        for n in range(max_partitions)
    )


def load_of(load: Loads, member: Option[Member]) -> Load:
    """How many partitions somebody owns; nobody owns none."""
    return 0 if member is None else load[member]


def score(owners: Owners, active: Set[Member]) -> int:
    """The differences of loads, of all pairs."""
    load = loads(owners)
    return sum(max(load[a] - load[b], 0) for a in active for b in active)


def balance_partitions(s: Group, start: Balancing, active: Set[Member], left_alone: Owners) -> Balancing:
    """Partitions are looked at in turn until all in a row stay. Those with an owner in `left_alone` stay anyway."""
    now = start
    has_moved = False
    idle = 0
    for step in range(looks):
        if idle < places:
            now = looked_at(s, replace(now, has_moved=False), active, left_alone, step % places)
            has_moved = has_moved or now.has_moved
            idle = 0 if now.has_moved else idle + 1
    assert idle == places
    return replace(now, has_moved=has_moved)


def looked_at(s: Group, now: Balancing, active: Set[Member], left_alone: Owners, place: Place) -> Balancing:
    """A partition of a topic with two subscribers moves, if the balance needs it."""
    topic = topic_at(s, place)
    number = place % max_partitions
    if (
        number >= s.partitions[topic]
        or len(subscribers(s.subscribed, topic)) < 2
        or left_alone[topic][number] is not None
        or now.fails
        or is_balanced(s, now.owners, active)
    ):
        return now
    return maybe_moved(s, now, active, topic, number)


def maybe_moved(s: Group, now: Balancing, active: Set[Member], topic: Topic, number: Number) -> Balancing:
    """A partition moves to the member that had it before its owner, or to the least loaded, if that has two less."""
    load = loads(now.owners)
    mine = load_of(load, now.owners[topic][number])
    previous = previous_owner(s, topic, number)
    if previous is not None and previous not in active:
        return replace(now, fails=True)
    if previous is not None and mine > load[previous] + 1:
        return move_partition(now, topic, number, previous)
    best = least_loaded(load, subscribers(s.subscribed, topic))
    return move_partition(now, topic, number, best) if mine > load[best] + 1 else now


def previous_owner(s: Group, topic: Topic, number: Number) -> Option[Member]:
    """Who claims a partition of an older generation, the newest of them. Nobody asks whether it still subscribes."""
    old = {m for m in s.claims[topic][number] if s.generation[m] < highest_generation(s)}
    if len(old) == 0:
        return None
    return choose(m for m in Member if m in old and all(s.generation[m] >= s.generation[other] for other in old))


def move_partition(now: Balancing, topic: Topic, number: Number, to: Member) -> Balancing:
    """A partition moves; or, in place of it, another of the topic that has moved the other way."""
    source = now.moved_from[topic][number]
    other_way = source if source is not None else now.owners[topic][number]
    actual = number
    for n in range(max_partitions):
        if now.moved_from[topic][n] == to and now.owners[topic][n] == other_way:
            actual = n
    first = now.moved_from[topic][actual]
    origin = first if first is not None else now.owners[topic][actual]
    return replace(
        now,
        owners=set_owner(now.owners, topic, actual, to),
        moved_from=set_owner(now.moved_from, topic, actual, None if origin == to else origin),
        has_moved=True,
    )
