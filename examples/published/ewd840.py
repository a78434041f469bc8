"""Termination detection on a ring, by Dijkstra, Feijen and van Gasteren (EWD 840), after `ewd840/EWD840.tla`.

A token goes round from node to node and asks who is idle. It may only say that all are when nobody has been woken up
behind its back. 302 states with three nodes.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import Map, Range, action, constant, initial, invariant, reachable, require, state, terminal

nodes = constant(3, minimum=2, maximum=6, says="nodes on the ring")


class Color(Enum):
    """White: nothing was seen. Black: the round is inconclusive."""

    WHITE = "white"
    BLACK = "black"


Node = Annotated[int, Range(0, nodes - 1)]


@state
class Ring:
    """The nodes and the token."""

    active: Map[Node, bool]  # whether each node works
    color: Map[Node, Color]  # what each node has done since the token was there
    position: Node  # who has the token
    token: Color  # what the token has seen


@initial
def start(active: Map[Node, bool], color: Map[Node, Color], position: Node) -> Ring:
    """Anything, with a black token."""
    return Ring(active=active, color=color, position=position, token=Color.BLACK)


@action
def initiate_probe(s: Ring) -> None:
    """Node 0 begins another round."""
    require(s.position == 0 and (s.token == Color.BLACK or s.color[0] == Color.BLACK))
    s.position = nodes - 1
    s.token = Color.WHITE
    s.color[0] = Color.WHITE


@action
def pass_token(s: Ring, node: Node) -> None:
    """Node {node} passes the token on."""
    require(node > 0 and s.position == node)
    require(not s.active[node] or s.color[node] == Color.BLACK or s.token == Color.BLACK)
    if s.color[node] == Color.BLACK:
        s.token = Color.BLACK
    s.position = node - 1
    s.color[node] = Color.WHITE


@action
def send(s: Ring, source: Node, to: Node) -> None:
    """Node {source} wakes node {to} up."""
    require(s.active[source] and to != source)
    s.active[to] = True
    if to > source:
        s.color[source] = Color.BLACK


@action
def deactivate(s: Ring, node: Node) -> None:
    """Node {node} becomes idle."""
    require(s.active[node])
    s.active[node] = False


def may_announce(s: Ring) -> bool:
    """Node 0 may announce termination."""
    return s.position == 0 and s.token == Color.WHITE and s.color[0] == Color.WHITE and not s.active[0]


@invariant
def termination_detection(s: Ring) -> bool:
    """When termination is detected, everyone is idle."""
    return not may_announce(s) or all(not s.active[node] for node in range(nodes))


@reachable
def is_detected(s: Ring) -> bool:
    """Termination is detected."""
    return may_announce(s)


@terminal
def all_idle(s: Ring) -> bool:
    """Where everyone is idle and the token is home, nothing happens any more."""
    return may_announce(s)
