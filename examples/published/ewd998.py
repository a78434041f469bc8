"""Termination detection on a ring with messages under way, by Dijkstra and Safra (EWD 998), after `ewd998/EWD998.tla`.

1,520,618 states within the bound with three nodes and `messages=3`, as TLC counts; 19,474 with the bounds set here.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Range,
    action,
    bound,
    constant,
    initial,
    invariant,
    previous,
    reachable,
    require,
    state,
    terminal,
)

nodes = constant(3, minimum=2, maximum=4, says="nodes on the ring")
messages = constant(1, minimum=1, maximum=3, says="messages sent by or under way to a node, at most")


class Node(Domain, size=nodes, ordered=True):
    """A node; the first one asks."""


class Color(Enum):
    """White: nothing was received. Black: the round is inconclusive."""

    WHITE = "white"
    BLACK = "black"


Count = Annotated[int, Range(-3 * messages - 1, messages + 1)]
Sum = Annotated[int, Range(-9 * messages - 9, 3 * messages + 3)]


@state
class Ring:
    """The nodes, the messages and the token."""

    active: Map[Node, bool]  # who works
    color: Map[Node, Color]  # who has received something since the token was there
    counter: Map[Node, Count]  # sent less received
    pending: Map[Node, Annotated[int, Range(0, messages + 1)]]  # messages under way to each
    position: Node  # who has the token
    total: Sum  # what the token has added up
    token: Color  # what the token has seen


@initial
def start(active: Map[Node, bool], color: Map[Node, Color], position: Node) -> Ring:
    """Anything, with a black token and nothing under way."""
    return Ring(
        active=active,
        color=color,
        counter=Map({n: 0 for n in Node}),
        pending=Map({n: 0 for n in Node}),
        position=position,
        total=0,
        token=Color.BLACK,
    )


@bound
def few_messages(s: Ring) -> bool:
    """Few messages were sent or are under way."""
    return all(s.counter[n] <= messages and s.pending[n] <= messages for n in Node) and s.total <= 3 * messages


@action
def initiate_probe(s: Ring) -> None:
    """The first node begins another round."""
    require(s.position == Node(0))
    require(s.token == Color.BLACK or s.color[Node(0)] == Color.BLACK or s.counter[Node(0)] + s.total > 0)
    s.position = previous(Node(0))
    s.total = 0
    s.token = Color.WHITE
    s.color[Node(0)] = Color.WHITE


@action
def pass_token(s: Ring, node: Node) -> None:
    """{node} passes the token on."""
    require(node != Node(0) and s.position == node and not s.active[node])
    s.total += s.counter[node]
    if s.color[node] == Color.BLACK:
        s.token = Color.BLACK
    s.position = previous(node)
    s.color[node] = Color.WHITE


@action
def send(s: Ring, source: Node, to: Node) -> None:
    """{source} sends {to} a message."""
    require(s.active[source] and to != source)
    s.counter[source] += 1
    s.pending[to] += 1


@action
def receive(s: Ring, node: Node) -> None:
    """{node} receives a message."""
    require(s.pending[node] > 0)
    s.pending[node] -= 1
    s.counter[node] -= 1
    s.color[node] = Color.BLACK
    s.active[node] = True


@action
def deactivate(s: Ring, node: Node) -> None:
    """{node} becomes idle."""
    require(s.active[node])
    s.active[node] = False


def may_announce(s: Ring) -> bool:
    """The first node may announce termination."""
    return (
        s.position == Node(0)
        and s.token == Color.WHITE
        and s.total + s.counter[Node(0)] == 0
        and s.color[Node(0)] == Color.WHITE
        and not s.active[Node(0)]
    )


@invariant
def termination_detection(s: Ring) -> bool:
    """When termination is detected, nobody works and nothing is under way."""
    return not may_announce(s) or all(not s.active[n] and s.pending[n] == 0 for n in Node)


@invariant
def counted(s: Ring) -> bool:
    """Every message under way is counted."""
    return sum(s.pending[n] for n in Node) == sum(s.counter[n] for n in Node)


@reachable
def is_detected(s: Ring) -> bool:
    """Termination is detected."""
    return may_announce(s)


@terminal
def at_rest(s: Ring) -> bool:
    """Once termination is detected nothing happens any more."""
    return may_announce(s)
