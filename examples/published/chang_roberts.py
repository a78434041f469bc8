"""Leader election on a ring by Chang and Roberts, after `chang_roberts/ChangRoberts.tla`: the smallest number of those
who take part wins.

137 states with three nodes, numbered along the ring.
"""

from enum import Enum

from tidegate.language import (
    Domain,
    Map,
    Set,
    action,
    constant,
    initial,
    invariant,
    reachable,
    require,
    state,
    terminal,
)

nodes = constant(3, minimum=1, maximum=6, says="nodes on the ring")


class Node(Domain, size=nodes, ordered=True):
    """A node on the ring; who comes first in it has the smallest number."""


class Role(Enum):
    """What a node believes of itself."""

    CANDIDATE = "candidate"
    LOST = "lost"
    WON = "won"


@state
class Ring:
    """The nodes, and the numbers on their way."""

    takes_part: Map[Node, bool]  # who stands for election
    started: Map[Node, bool]  # who has begun
    role: Map[Node, Role]  # what each node believes
    inbox: Map[Node, Set[Node]]  # numbers that were sent to each node


@initial
def start(takes_part: Map[Node, bool]) -> Ring:
    """Any of the nodes take part."""
    return Ring(
        takes_part=takes_part,
        started=Map({node: False for node in Node}),
        role=Map({node: Role.CANDIDATE if takes_part[node] else Role.LOST for node in Node}),
        inbox=Map({node: Set() for node in Node}),
    )


@action
def begin(s: Ring, node: Node) -> None:
    """{node} begins."""
    require(not s.started[node])
    s.started[node] = True
    if s.takes_part[node]:
        s.inbox[next(node)].add(node)


@action
def receive(s: Ring, node: Node, number: Node) -> None:
    """{node} receives {number}."""
    require(s.started[node] and number in s.inbox[node])
    s.inbox[node].remove(number)
    if s.role[node] == Role.LOST or number < node:
        s.role[node] = Role.LOST
        s.inbox[next(node)].add(number)
    elif number == node:
        s.role[node] = Role.WON


@invariant
def correctness(s: Ring) -> bool:
    """Who has won took part and has the smallest number; all others have lost."""
    return all(
        s.role[node] != Role.WON
        or (
            s.takes_part[node]
            and all(
                other == node or (s.role[other] == Role.LOST and (not s.takes_part[other] or other > node))
                for other in Node
            )
        )
        for node in Node
    )


@reachable
def somebody_wins(s: Ring) -> bool:
    """There is a winner."""
    return any(s.role[node] == Role.WON for node in Node)


@terminal
def nothing_under_way(s: Ring) -> bool:
    """Everyone has begun, and no number is under way."""
    return all(s.started[node] and len(s.inbox[node]) == 0 for node in Node)
