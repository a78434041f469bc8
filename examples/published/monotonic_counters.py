"""Counters that only grow and are merged by gossip, after `FiniteMonotonic/MCCRDT.tla`: with each step or without it,
what is common to all counters is taken from them, so that there are finitely many states.

25,000 states of three nodes within its constraint.
"""

from typing import Annotated

from tidegate.language import Domain, Map, Range, action, bound, constant, initial, invariant, state

most = constant(3, minimum=1, maximum=4, says="what a node counts by itself, at most")


class Node(Domain, size=3, symmetric=True):
    """A node."""


Number = Annotated[int, Range(0, most + 1)]


@state
class Counters:
    """What each node knows of each."""

    counter: Map[Node, Map[Node, Number]]


@initial
def start() -> Counters:
    """Nothing is counted."""
    return Counters(counter=Map({n: Map({o: 0 for o in Node}) for n in Node}))


@bound
def few(s: Counters) -> bool:
    """The constraint of its configuration."""
    return all(s.counter[n][n] <= most for n in Node)


def reduce(s: Counters) -> None:
    """What is common to all counters is taken from them."""
    common = min(s.counter[n][o] for n in Node for o in Node)
    s.counter = Map({n: Map({o: s.counter[n][o] - common for o in Node}) for n in Node})


@action
def increment(s: Counters, n: Node) -> None:
    """{n} counts."""
    s.counter[n][n] += 1


@action
def gossip(s: Counters, n: Node, o: Node) -> None:
    """{o} learns what {n} knows."""
    s.counter[o] = Map({x: max(s.counter[n][x], s.counter[o][x]) for x in Node})


@action
def increment_and_reduce(s: Counters, n: Node) -> None:
    """{n} counts, and what is common is taken away."""
    s.counter[n][n] += 1
    reduce(s)


@action
def gossip_and_reduce(s: Counters, n: Node, o: Node) -> None:
    """{o} learns what {n} knows, and what is common is taken away."""
    s.counter[o] = Map({x: max(s.counter[n][x], s.counter[o][x]) for x in Node})
    reduce(s)


@invariant
def safety(s: Counters) -> bool:
    """Nobody knows more of a node than itself."""
    return all(s.counter[n][n] >= s.counter[o][n] for n in Node for o in Node)
