"""What the leader does where all members have subscribed to the same topics: quotas, and turns for what is left."""

from __future__ import annotations

from typing import Annotated

from ....language import Capacity, Map, Range, Seq, Set, choose, position, record, replace
from ...parts.topology import Cells, Flags, Load, Member, Number, Topic, max_partitions, members
from .state import Group, believed_claims, disputed_claims, empty, is_there, load, total


@record
class Filling:
    """An assignment on the way."""

    assigned: Cells
    over: Annotated[int, Range(0, members)]  # members that keep one more than the lower quota
    at_quota: Annotated[Seq[Member], Capacity(members)]  # who may get one more, in that order
    turn: Annotated[int, Range(0, members)]  # whose it is to be filled up
    withheld: Flags  # what somebody else has yet to give up
    fails: bool  # Kafka ends with an exception: a partition is left, and nobody to give it to


def fill_by_quota(s: Group) -> Filling:
    """All partitions: what is owned as far as quotas go, then the rest in turn."""
    owned = owned_for_sure(s)
    doubled = disputed_claims(s)
    filling = keep_owned(s, owned)
    for topic in Topic:
        for number in range(max_partitions):
            if is_there(s, topic, number) and len(filling.assigned[topic][number]) == 0 and is_stuck(s, filling):
                filling = replace(filling, fails=True)
            elif is_there(s, topic, number) and len(filling.assigned[topic][number]) == 0:
                member = next_to_fill(s, filling)
                filling = give_one_more(s, filling, member, topic, number)
                if doubled[topic][number] or (len(owned[topic][number]) > 0 and member not in owned[topic][number]):
                    filling = replace(filling, withheld=set_flag(filling.withheld, topic, number))
    return filling


def lower_quota(s: Group) -> Load:
    """How many partitions each member has at least."""
    return total(s) // members


def one_more(s: Group) -> int:
    """How many members have one more than that."""
    return total(s) % members


def owned_for_sure(s: Group) -> Cells:
    """Believed claims that no two members of one generation made."""
    owned = believed_claims(s)
    doubled = disputed_claims(s)
    return Map(
        {
            t: Map(
                {n: owned[t][n] if is_there(s, t, n) and not doubled[t][n] else Set() for n in range(max_partitions)}
            )
            for t in Topic
        }
    )


def keep_owned(s: Group, owned: Cells) -> Filling:
    """Each member keeps what it owns, up to its quota: the first have the higher one, as long as there is one."""
    filling = Filling(assigned=empty(), over=0, at_quota=Seq(), turn=0, withheld=no_flags(), fails=False)
    for member in Member:
        filling = keep_owned_of(s, filling, owned, member)
    return filling


def keep_owned_of(s: Group, filling: Filling, owned: Cells, member: Member) -> Filling:
    """One member keeps what it owns, up to its quota."""
    mine = load(owned, member)
    low = lower_quota(s)
    quota = low + 1 if mine > low and filling.over < one_more(s) else low
    over = filling.over + 1 if quota > low else filling.over
    queue = filling.at_quota + Seq([member]) if mine >= low and quota == low else filling.at_quota
    return replace(
        filling,
        assigned=keep_first_partitions(filling.assigned, owned, member, quota),
        over=over,
        at_quota=queue if over < one_more(s) else Seq(),
    )


def keep_first_partitions(assigned: Cells, owned: Cells, member: Member, quota: int) -> Cells:
    """A member keeps the first of its partitions, by number and then by topic."""
    return Map(
        {
            t: Map(
                {
                    n: assigned[t][n] | {member}
                    if member in owned[t][n] and rank(owned, member, t, n) < quota
                    else assigned[t][n]
                    for n in range(max_partitions)
                }
            )
            for t in Topic
        }
    )


def rank(owned: Cells, member: Member, topic: Topic, number: Number) -> int:
    """How many of a member's partitions come before one."""
    return sum(
        1
        for t in Topic
        for n in range(max_partitions)
        if member in owned[t][n] and (n < number or (n == number and t < topic))
    )


def is_stuck(s: Group, filling: Filling) -> bool:
    """Whether nobody may get one more. That takes a partition that two members have kept."""
    return len(filling.at_quota) == 0 and all(load(filling.assigned, m) >= lower_quota(s) for m in Member)


def next_to_fill(s: Group, filling: Filling) -> Member:
    """Who gets the next partition: in turn who is below the lower quota, then who was first at it."""
    below = {m for m in Member if load(filling.assigned, m) < lower_quota(s)}
    if len(below) == 0:
        return filling.at_quota[0]
    wraps = all(position(m) < filling.turn for m in below)
    return choose(m for m in Member if m in below and (wraps or position(m) >= filling.turn))


def give_one_more(s: Group, filling: Filling, member: Member, topic: Topic, number: Number) -> Filling:
    """A member gets a partition."""
    before = load(filling.assigned, member)
    is_below = before < lower_quota(s)
    queue = filling.at_quota if is_below else filling.at_quota[1:]
    return replace(
        filling,
        assigned=set_owner(filling.assigned, topic, number, member),
        at_quota=queue + Seq([member]) if before + 1 == lower_quota(s) else queue,
        turn=position(member) + 1 if is_below else filling.turn,
    )


def set_owner(cells: Cells, topic: Topic, number: Number, member: Member) -> Cells:
    """One partition is a member's."""
    return Map(
        {
            t: Map({n: Set([member]) if t == topic and n == number else cells[t][n] for n in range(max_partitions)})
            for t in Topic
        }
    )


def no_flags() -> Flags:
    """None of them."""
    return Map({t: Map({n: False for n in range(max_partitions)}) for t in Topic})


def set_flag(flags: Flags, topic: Topic, number: Number) -> Flags:
    """One more."""
    return Map({t: Map({n: flags[t][n] or (t == topic and n == number) for n in range(max_partitions)}) for t in Topic})
