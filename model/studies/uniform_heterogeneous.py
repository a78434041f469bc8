"""The coordinator's Uniform assignor (KIP-848), where members have subscribed to different topics.

Each member keeps what it has of the topics to which it has subscribed. Then what nobody has is dealt out, a topic at a
time: that with the most partitions for each subscriber first, of as many that with fewer subscribers, and else by its
id. Each partition goes to the subscriber with the fewest, the first of them in the group's order. At last partitions
move, a topic at a time in the same order, from the subscriber with the most that has one of the topic, its last one,
to the one with the fewest, until these differ by one at most; and that again, until a whole round of topics moves
nothing. Kafka ends after sixteen rounds anyway; where `ends_by_itself` holds of fewer, it does the same with sixteen.

A run is one assignment, as in `uniform_assignor`. A member that has subscribed to nothing stands for one that is not
there, too. Kafka takes this builder only where two subscriptions differ; here it divides equal ones as well. Racks are
left out. Sources: UniformHeterogeneousAssignmentBuilder of Kafka 4.0.0 and 4.1.0, which do the same. Properties are in
`invariants/studies/uniform_heterogeneous.py`.
"""

from __future__ import annotations

from typing import Annotated

from ...language import (
    Map,
    Option,
    Range,
    Set,
    action,
    choose,
    constant,
    initial,
    record,
    replace,
    require,
    state,
    terminal,
)
from ..parts.topology import *

max_owned = constant(4, minimum=0, maximum=18, says="partitions that have a previous owner, at most")
rounds = constant(4, minimum=1, maximum=16, says="MAX_ITERATION_COUNT: rounds of topics that move partitions, at most")

Rank = Annotated[int, Range(0, members - 1)]
End = Annotated[int, Range(0, members)]
Next = Annotated[int, Range(-1, members)]
Level = Annotated[int, Range(-2, topics * max_partitions + 1)]
Order = Map[Rank, Member]
Loads = Map[Member, Load]


@record
class Ranges:
    """MemberAssignmentBalancer: a topic's subscribers by load, a range of the least loaded and one of the most."""

    order: Order  # of the subscribers by load as it was, then by the group's order; what is behind them is no matter
    least_end: End  # the least loaded are those before
    least_level: Level  # how many partitions each of these had before it got one
    least_next: End
    most_start: End
    most_end: End  # the most loaded are those between
    most_level: Level
    most_next: Next


@record
class Turn:
    """Whose turn it is."""

    ranges: Ranges
    member: Option[Member]


@record
class Dealing:
    """An assignment on the way."""

    owners: Owners
    loads: Loads  # how many partitions each member has


@record
class Moving:
    """A topic whose partitions move."""

    owners: Owners
    loads: Loads
    ranges: Ranges
    taken: Set[Number]  # what was taken from its first owner, or was about to be
    moved: bool
    is_over: bool


@state
class Group:
    """What the assignor is given, and what it makes of it."""

    partitions: Counts  # how many each topic has
    subscribed: Subscriptions  # to which topics each member
    previous: Owners  # who had each partition; None: nobody, or who has left
    left: Annotated[int, Range(0, max_owned)]  # how many more may have a previous owner
    is_done: bool  # it has assigned
    cut_short: bool  # the last round moved something
    owners: Owners  # of each partition; None: nobody, or there is no such partition


@initial
def start(partitions: Counts, subscribed: Subscriptions) -> Group:
    """Topics have so many partitions, and members have subscribed so."""
    return Group(
        partitions=partitions,
        subscribed=subscribed,
        previous=nobody(),
        left=max_owned,
        is_done=False,
        cut_short=False,
        owners=nobody(),
    )


@action
def had(s: Group, topic: Topic, number: Number, member: Member) -> None:
    """{member} had partition {number} of {topic}, whatever it subscribes to now."""
    require(not s.is_done and number < s.partitions[topic] and s.left > 0)
    require(
        all(s.previous[t][n] is None for t in Topic for n in range(max_partitions) if is_behind(topic, number, t, n))
    )
    s.previous = set_owner(s.previous, topic, number, member)
    s.left -= 1


def is_behind(topic: Topic, number: Number, other: Topic, its: Number) -> bool:
    """Whether a partition is another one or comes behind it: a previous assignment is made in one order only."""
    return topic < other or (topic == other and number <= its)


@action
def assign(s: Group) -> None:
    """Uniform divides the partitions among the members."""
    require(not s.is_done)
    s.is_done = True
    s.left = 0
    now = filled_up(s, keep_owned(s))
    first = True
    has_ended = False
    last_moved = choose(t for t in Topic)
    for _ in range(rounds):
        for place in range(topics):
            topic = topic_at(s, place)
            if not has_ended and len(subscribers(s.subscribed, topic)) > 1:
                if not first and topic == last_moved:
                    has_ended = True
                else:
                    done = balance_topic(s, now, topic)
                    now = Dealing(owners=done.owners, loads=done.loads)
                    if done.moved or first:
                        last_moved = topic
                    first = False
    s.cut_short = not has_ended and not first
    s.owners = now.owners


@terminal
def is_assigned(s: Group) -> bool:
    """The partitions are assigned."""
    return s.is_done


def is_there(s: Group, topic: Topic, number: Number) -> bool:
    """Whether there is such a partition, and a subscriber of its topic."""
    return is_assignable(s.partitions, s.subscribed, topic, number)


def keep_owned(s: Group) -> Owners:
    """Who had a partition keeps it, if it still subscribes to the topic."""
    return Map({t: Map({n: kept_owner(s, t, n) for n in range(max_partitions)}) for t in Topic})


def kept_owner(s: Group, topic: Topic, number: Number) -> Option[Member]:
    """Of a partition."""
    owner = s.previous[topic][number]
    return owner if owner is not None and topic in s.subscribed[owner] else None


def topic_at(s: Group, place: int) -> Topic:
    """The topic at a place in their order; those without subscribers are the last."""
    return choose(t for t in Topic if sum(1 for other in Topic if comes_before(s, other, t)) == place)


def comes_before(s: Group, a: Topic, b: Topic) -> bool:
    """Whether a topic has more partitions for each subscriber; or as many, and fewer subscribers, or the lesser id."""
    many, others = len(subscribers(s.subscribed, a)), len(subscribers(s.subscribed, b))
    if many == 0 or others == 0:
        return (many > 0 and others == 0) or (many == others and a < b)
    mine, its = s.partitions[a] * others, s.partitions[b] * many
    return mine > its or (mine == its and (many < others or (many == others and a < b)))


# --- the ranges of the least and the most loaded ----------------------------------------------------------------------


def ranges_of(loads: Loads, those: Set[Member]) -> Ranges:
    """A topic's subscribers, before anything of it is dealt out or moves."""
    count = len(those)
    order: Order = Map({rank: member_at(loads, those, rank) for rank in range(members)})
    return Ranges(
        order=order,
        least_end=0,
        least_level=min(loads[m] for m in those) - 1,
        least_next=0,
        most_start=count,
        most_end=count,
        most_level=max(loads[m] for m in those) + 1,
        most_next=count - 1,
    )


def member_at(loads: Loads, those: Set[Member], rank: int) -> Member:
    """The member at a place among some, by load and then in the group's order; anybody behind the last of them."""
    if rank >= len(those):
        return choose(m for m in Member)
    return choose(m for m in Member if m in those and sum(1 for other in those if is_before(loads, other, m)) == rank)


def is_before(loads: Loads, a: Member, b: Member) -> bool:
    """Whether a member has fewer partitions than another, or as many and comes first in the group."""
    return loads[a] < loads[b] or (loads[a] == loads[b] and a < b)


def next_least(ranges: Ranges, loads: Loads, count: int) -> Turn:
    """nextLeastLoadedMember: who gets a partition, of so many subscribers."""
    level = ranges.least_level
    end = ranges.least_end
    turn = ranges.least_next
    if turn >= end:
        level += 1
        turn = 0
        for rank in range(members):
            if rank == end and rank < count and loads[ranges.order[rank]] == level:
                end += 1
    after = replace(ranges, least_level=level, least_end=end, least_next=turn + 1)
    return Turn(ranges=after, member=ranges.order[turn])


def next_most(ranges: Ranges, loads: Loads) -> Turn:
    """nextMostLoadedMember: of whom a partition is to be taken; of nobody when all were tried."""
    level = ranges.most_level
    start = ranges.most_start
    turn = ranges.most_next
    if turn < start:
        level -= 1
        if ranges.most_end <= start and start > 0:
            level = loads[ranges.order[start - 1]]
        for step in range(members):
            rank = members - 1 - step
            if rank == start - 1 and loads[ranges.order[rank]] == level:
                start -= 1
        turn = ranges.most_end - 1
    after = replace(ranges, most_level=level, most_start=start, most_next=max(turn - 1, -1))
    return Turn(ranges=after, member=None if turn < 0 else ranges.order[turn])


def exclude_most_loaded(ranges: Ranges) -> Ranges:
    """excludeMostLoadedMember: whose turn it was changes places with the last of the most loaded, and is left out."""
    at, last = ranges.most_next + 1, ranges.most_end - 1
    order: Order = Map({r: ranges.order[last if r == at else at if r == last else r] for r in range(members)})
    return replace(ranges, order=order, most_end=last)


def is_level(ranges: Ranges) -> bool:
    """isBalanced: whether the most loaded have one more than the least loaded, or fewer."""
    return ranges.most_level - ranges.least_level <= 1


# --- partitions are dealt out, and move -------------------------------------------------------------------------------


def filled_up(s: Group, kept: Owners) -> Dealing:
    """What nobody has goes to the least loaded subscribers, a topic at a time."""
    owners = kept
    loads: Loads = Map({m: share(kept, m) for m in Member})
    for place in range(topics):
        topic = topic_at(s, place)
        those = subscribers(s.subscribed, topic)
        if len(those) > 0:
            ranges = ranges_of(loads, those)
            for number in range(max_partitions):
                if number < s.partitions[topic] and owners[topic][number] is None:
                    turn = next_least(ranges, loads, len(those))
                    ranges = turn.ranges
                    owners = set_owner(owners, topic, number, turn.member)
                    loads = Map({m: loads[m] + 1 if m == turn.member else loads[m] for m in Member})
    return Dealing(owners=owners, loads=loads)


def balance_topic(s: Group, start: Dealing, topic: Topic) -> Moving:
    """balanceTopic: partitions of a topic move from the most loaded of its subscribers to the least loaded."""
    ranges = ranges_of(start.loads, subscribers(s.subscribed, topic))
    is_over = ranges.most_level - ranges.least_level <= 3
    now = Moving(owners=start.owners, loads=start.loads, ranges=ranges, taken=Set(), moved=False, is_over=is_over)
    for _ in range(max_partitions + 1):
        if not now.is_over:
            now = one_moved(s, now, start.owners, topic)
    assert now.is_over
    return now


def one_moved(s: Group, now: Moving, before: Owners, topic: Topic) -> Moving:
    """One partition moves, or it is over."""
    ranges = now.ranges
    source: Option[Member] = None
    has_ended = False
    for _ in range(members + 1):
        if source is None and not has_ended:
            turn = next_most(ranges, now.loads)
            ranges = turn.ranges
            has_ended = turn.member is None
            if not has_ended and not has_one(before, now.taken, topic, turn.member):
                ranges = exclude_most_loaded(ranges)
            else:
                source = turn.member
    assert source is not None or has_ended
    if source is None:
        return replace(now, ranges=ranges, is_over=True)
    number = max(n for n in range(max_partitions) if before[topic][n] == source and n not in now.taken)
    turn = next_least(ranges, now.loads, len(subscribers(s.subscribed, topic)))
    if is_level(turn.ranges):
        return replace(now, is_over=True)
    return Moving(
        owners=set_owner(now.owners, topic, number, turn.member),
        loads=Map({m: load_after(now.loads[m], m, source, turn.member) for m in Member}),
        ranges=turn.ranges,
        taken=now.taken | {number},
        moved=True,
        is_over=False,
    )


def load_after(load: Load, member: Member, source: Option[Member], to: Option[Member]) -> Load:
    """A member's load once a partition has moved."""
    return load + (1 if member == to else 0) - (1 if member == source else 0)


def has_one(before: Owners, taken: Set[Number], topic: Topic, member: Option[Member]) -> bool:
    """Whether a member had a partition of a topic that is not taken from it yet."""
    return any(before[topic][n] == member and n not in taken for n in range(max_partitions))
