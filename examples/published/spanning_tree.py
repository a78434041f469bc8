"""A tree of shortest ways to a root, found by neighbours that tell each other their distance, after
`SpanningTree/SpanTree.tla`.

1,236 states with five nodes and seven edges.
"""

from typing import Annotated

from tidegate.language import Domain, Map, Range, Set, action, constant, initial, invariant, require, state, terminal

far = constant(6, minimum=5, maximum=8, says="a distance that no node has")


class Node(Domain, size=5, labels=["1", "2", "3", "4", "5"]):
    """A node; the first is the root."""


Distance = Annotated[int, Range(0, far)]

NEIGHBOURS = Map({
    Node(0): Set([Node(1), Node(2)]),
    Node(1): Set([Node(0), Node(2), Node(3)]),
    Node(2): Set([Node(0), Node(1), Node(3), Node(4)]),
    Node(3): Set([Node(1), Node(2), Node(4)]),
    Node(4): Set([Node(2), Node(3)]),
})  # fmt: skip


@state
class Tree:
    """What each node knows."""

    mother: Map[Node, Node]  # itself while there is none
    distance: Map[Node, Distance]  # to the root, or more


@initial
def start() -> Tree:
    """Only the root knows its distance."""
    return Tree(mother=Map({n: n for n in Node}), distance=Map({n: 0 if n == Node(0) else far for n in Node}))


@action
def come_closer(s: Tree, node: Node, mother: Node, distance: Distance) -> None:
    """{node} finds that {mother} is near, and sets its distance to {distance}."""
    require(mother in NEIGHBOURS[node])
    require(s.distance[mother] < distance < s.distance[node])
    s.distance[node] = distance
    s.mother[node] = mother


@terminal
def is_tree(s: Tree) -> bool:
    """The ways are shortest; it ends nowhere else, or there would be a deadlock."""
    return all(
        s.distance[n] == 0 and s.mother[n] == n
        if n == Node(0)
        else s.mother[n] in NEIGHBOURS[n] and s.distance[n] == s.distance[s.mother[n]] + 1
        for n in Node
    )


@invariant
def upwards(s: Tree) -> bool:
    """A mother is closer to the root."""
    return all(s.mother[n] == n or s.distance[s.mother[n]] < s.distance[n] for n in Node)
