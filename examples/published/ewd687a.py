"""Termination detection in a network of any shape by Dijkstra and Scholten (EWD 687a), after `ewd687a/EWD687a.tla`:
whoever is woken up by a message hangs below its sender until all that it has sent is acknowledged.

18,028 states within the bound in the network of MCEWD687a.tla: a leader, three processes and four edges.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Map,
    Range,
    action,
    bound,
    constant,
    initial,
    invariant,
    reachable,
    require,
    state,
    terminal,
    transition,
)

most = constant(3, minimum=2, maximum=4, says="the bound on what is under way, or not acknowledged, on an edge")


class Process(Enum):
    """A process."""

    LEADER = "leader"
    P1 = "p1"
    P2 = "p2"
    P3 = "p3"


class Edge(Enum):
    """A way for messages, and for acknowledgements back."""

    LEADER_P1 = "leader-p1"
    P1_P2 = "p1-p2"
    P2_P1 = "p2-p1"
    P2_P3 = "p2-p3"


SOURCE = Map({
    Edge.LEADER_P1: Process.LEADER, Edge.P1_P2: Process.P1, Edge.P2_P1: Process.P2, Edge.P2_P3: Process.P2,
})  # fmt: skip
TARGET = Map({Edge.LEADER_P1: Process.P1, Edge.P1_P2: Process.P2, Edge.P2_P1: Process.P1, Edge.P2_P3: Process.P3})

Count = Annotated[int, Range(0, most)]


@state
class Network:
    """The processes, and what is on each edge."""

    active: Map[Process, bool]  # who works
    messages: Map[Edge, Count]  # messages under way
    acknowledgements: Map[Edge, Count]  # acknowledgements under way
    sent: Map[Edge, Count]  # messages that were sent, and are not acknowledged
    received: Map[Edge, Count]  # messages that were received, and are not acknowledged
    up: Map[Process, Edge | None]  # the edge by which each was woken up


@initial
def start() -> Network:
    """The leader works, and nothing was sent."""
    return Network(
        active=Map({p: p == Process.LEADER for p in Process}),
        messages=Map({e: 0 for e in Edge}),
        acknowledgements=Map({e: 0 for e in Edge}),
        sent=Map({e: 0 for e in Edge}),
        received=Map({e: 0 for e in Edge}),
        up=Map({p: None for p in Process}),
    )


@bound
def few_are_under_way(s: Network) -> bool:
    """Little is under way or not acknowledged."""
    return all(
        s.messages[e] < most and s.acknowledgements[e] < most and s.sent[e] < most and s.received[e] < most
        for e in Edge
    )


def is_neutral(s: Network, p: Process) -> bool:
    """Whether a process rests, and owes and awaits no acknowledgement."""
    return not s.active[p] and all(
        (TARGET[e] != p or s.received[e] == 0) and (SOURCE[e] != p or s.sent[e] == 0) for e in Edge
    )


@action
def send_message(s: Network, e: Edge) -> None:
    """A process that works sends a message on {e}."""
    require(s.active[SOURCE[e]])
    s.sent[e] += 1
    s.messages[e] += 1


@action
def receive_acknowledgement(s: Network, e: Edge) -> None:
    """An acknowledgement arrives on {e}."""
    require(s.acknowledgements[e] > 0)
    s.acknowledgements[e] -= 1
    s.sent[e] -= 1


@action
def send_acknowledgement(s: Network, e: Edge) -> None:
    """A message that was received on {e} is acknowledged; the one that woke the process up last of all."""
    p = TARGET[e]
    require(s.received[e] > 0)
    if s.up[p] == e and s.received[e] == 1:
        require(not s.active[p])
        require(all((d == e or TARGET[d] != p or s.received[d] == 0) for d in Edge))
        require(all(SOURCE[d] != p or s.sent[d] == 0 for d in Edge))
    s.received[e] -= 1
    s.acknowledgements[e] += 1
    if is_neutral(s, p):
        s.up[p] = None


@action
def receive_message(s: Network, e: Edge) -> None:
    """A message arrives on {e}, and its receiver works; one that did nothing hangs below the sender."""
    p = TARGET[e]
    require(s.messages[e] > 0)
    if is_neutral(s, p):
        s.up[p] = e
    s.messages[e] -= 1
    s.received[e] += 1
    s.active[p] = True


@action
def rest(s: Network, p: Process) -> None:
    """{p} has done its work."""
    require(s.active[p])
    s.active[p] = False


@invariant
def detection(s: Network) -> bool:
    """When the leader is neutral, all others are."""
    return not is_neutral(s, Process.LEADER) or all(is_neutral(s, p) for p in Process)


@invariant
def counters_are_consistent(s: Network) -> bool:
    """What is not acknowledged is under way, received, or its acknowledgement is under way."""
    return all(s.sent[e] == s.received[e] + s.acknowledgements[e] + s.messages[e] for e in Edge)


@invariant
def tree(s: Network) -> bool:
    """Who hangs below another is not neutral, nor is who it hangs below, and so on up to the leader."""
    return s.up[Process.LEADER] is None and all(hangs_below(s, p, e) for p in Process for e in Edge if s.up[p] == e)


def hangs_below(s: Network, p: Process, e: Edge) -> bool:
    """Whether a process hangs on an edge of its own, in three steps at most below the leader."""
    above = SOURCE[e]
    return TARGET[e] == p and not is_neutral(s, p) and not is_neutral(s, above) and leads_up(s, above)


def leads_up(s: Network, p: Process) -> bool:
    """Whether the way up from a process ends at the leader."""
    first = above(s, p)
    return above(s, above(s, first)) == Process.LEADER


def above(s: Network, p: Process) -> Process:
    """Whom a process hangs below; itself where it does not."""
    e = s.up[p]
    return p if e is None else SOURCE[e]


@transition
def an_edge_upwards_stays(before: Network, after: Network) -> bool:
    """Who hangs below another hangs there until it does not any more."""
    return all(before.up[p] is None or after.up[p] is None or after.up[p] == before.up[p] for p in Process)


@reachable
def is_detected(s: Network) -> bool:
    """The leader has detected the end of a computation that went all the way."""
    return is_neutral(s, Process.LEADER)


@terminal
def everything_is_done(s: Network) -> bool:
    """The leader has detected it, and nobody can be woken up any more."""
    return all(is_neutral(s, p) for p in Process)
