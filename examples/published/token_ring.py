"""Dijkstra's self-stabilizing ring (EWD 426), after `ewd426/TokenRing.tla`: from any values of the counters, the ring
comes to have exactly one token.

46,656 states with six nodes and six values, each of them initial.
"""

from typing import Annotated

from tidegate.language import Map, Range, action, constant, initial, invariant, reachable, require, state, transition

nodes = constant(6, minimum=2, maximum=7, says="nodes on the ring")
values = constant(6, minimum=2, maximum=7, says="values of a counter")

Node = Annotated[int, Range(0, nodes - 1)]
Value = Annotated[int, Range(0, values - 1)]


@state
class Ring:
    """A counter at each node."""

    counter: Map[Node, Value]  # node 0 has the token where its counter is the last one's, others where theirs differ


@initial
def start(counter: Map[Node, Value]) -> Ring:
    """Anything."""
    return Ring(counter=counter)


@action
def create_token(s: Ring) -> None:
    """Node 0 counts on."""
    require(s.counter[0] == s.counter[nodes - 1])
    s.counter[0] = (s.counter[nodes - 1] + 1) % values


@action
def pass_token(s: Ring, node: Node) -> None:
    """Node {node} takes over what its predecessor has."""
    require(node > 0 and s.counter[node] != s.counter[node - 1])
    s.counter[node] = s.counter[node - 1]


def has_token(s: Ring, node: int) -> bool:
    """Whether a node may take a step."""
    return s.counter[0] == s.counter[nodes - 1] if node == 0 else s.counter[node] != s.counter[node - 1]


def tokens(s: Ring) -> int:
    """How many nodes have a token."""
    return sum(1 for node in range(nodes) if has_token(s, node))


@invariant
def some_token(s: Ring) -> bool:
    """There is a token somewhere."""
    return tokens(s) > 0


@transition
def no_new_tokens(before: Ring, after: Ring) -> bool:
    """No step adds a token."""
    return tokens(after) <= tokens(before)


@reachable
def unique_token(s: Ring) -> bool:
    """There is one token."""
    return tokens(s) == 1
