"""Four ways to compute the transitive closure of a relation, after `TransitiveClosure/TransitiveClosure.tla`: by paths,
by composing it again and again, by squaring it, and by Warshall's algorithm.

The original has no behaviour: TLC evaluates its assumption that they agree for every relation on up to three elements.
Here the 512 relations are initial states, and one step closes each.
"""

from __future__ import annotations

from tidegate.language import (
    Domain,
    Set,
    action,
    constant,
    initial,
    invariant,
    record,
    recursive,
    require,
    state,
    terminal,
)

elements = constant(3, minimum=1, maximum=3, says="elements")


class Element(Domain, size=elements, ordered=True):
    """What is related."""


@record
class Pair:
    """One element is related to another."""

    first: Element
    second: Element


@state
class Relation:
    """A relation."""

    pairs: Set[Pair]  # who is related to whom


@initial
def start(pairs: Set[Pair]) -> Relation:
    """Any relation."""
    return Relation(pairs=pairs)


@action
def close(s: Relation) -> None:
    """The relation becomes its closure."""
    require(not is_transitive(s.pairs))
    s.pairs = closure_by_composing(s.pairs)


def compose(one: Set[Pair], other: Set[Pair]) -> Set[Pair]:
    """Who is related to whom by one relation and then another."""
    return Set(
        Pair(first=a, second=b)
        for a in Element
        for b in Element
        if any(Pair(first=a, second=way) in one and Pair(first=way, second=b) in other for way in Element)
    )


def is_transitive(pairs: Set[Pair]) -> bool:
    """Whether two steps of a relation are one."""
    return compose(pairs, pairs) <= pairs


@recursive(depth=3)
def powers(pairs: Set[Pair], steps: int) -> Set[Pair]:
    """Who is related to whom by at most so many steps."""
    if steps == 1:
        return pairs
    fewer = powers(pairs, steps - 1)
    return fewer | compose(fewer, pairs)


def closure_by_composing(pairs: Set[Pair]) -> Set[Pair]:
    """The closure: as many steps as there are elements (TC2)."""
    return powers(pairs, elements)


@recursive(depth=3)
def closure_by_squaring(pairs: Set[Pair]) -> Set[Pair]:
    """The closure: steps of steps, until there is nothing new (TC3)."""
    return pairs if is_transitive(pairs) else closure_by_squaring(pairs | compose(pairs, pairs))


def closure_by_warshall(pairs: Set[Pair]) -> Set[Pair]:
    """The closure: by way of one element after the other (TC4)."""
    found = pairs
    for way in Element:
        into = Set(p for p in found if p.second == way)
        out = Set(p for p in found if p.first == way)
        found = found | compose(into, out)
    return found


def is_path(pairs: Set[Pair], first: Element, second: Element) -> bool:
    """Whether a path of at most three steps leads from an element to another (TC1)."""
    return Pair(first=first, second=second) in pairs or any(
        Pair(first=first, second=a) in pairs
        and Pair(first=b, second=second) in pairs
        and (a == b or Pair(first=a, second=b) in pairs)
        for a in Element
        for b in Element
    )


@invariant
def they_agree(s: Relation) -> bool:
    """All four have the same closure."""
    closed = closure_by_composing(s.pairs)
    return (
        closed == closure_by_squaring(s.pairs)
        and closed == closure_by_warshall(s.pairs)
        and all(
            (Pair(first=first, second=second) in closed) == is_path(s.pairs, first, second)
            for first in Element
            for second in Element
        )
    )


@invariant
def it_is_the_least(s: Relation) -> bool:
    """It is transitive, and holds the relation."""
    closed = closure_by_composing(s.pairs)
    return s.pairs <= closed and is_transitive(closed)


@terminal
def is_closed(s: Relation) -> bool:
    """Nothing is left to do with a transitive relation."""
    return is_transitive(s.pairs)
