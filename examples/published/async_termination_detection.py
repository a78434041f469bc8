"""What a detector of termination may do, after `ewd998/AsyncTerminationDetection.tla`: nodes send each other messages
without end, so that the search needs a bound.

4,097 states within the bound with four nodes; TLC does not count those beyond.
"""

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
    require,
    state,
    transition,
)

nodes = constant(4, minimum=1, maximum=5, says="nodes")
messages = constant(3, minimum=1, maximum=5, says="messages under way to a node, at most")


class Node(Domain, size=nodes, symmetric=True):
    """A node that works, is idle, and is woken up by messages."""


@state
class System:
    """The nodes, the messages under way, and the detector."""

    active: Map[Node, bool]  # whether each node works
    pending: Map[Node, Annotated[int, Range(0, messages + 1)]]  # messages under way to each node
    detected: bool  # whether termination was detected


@initial
def start(active: Map[Node, bool], detected: bool) -> System:
    """Any of the nodes work."""
    require(not detected or not any(active[node] for node in Node))
    return System(active=active, pending=Map({node: 0 for node in Node}), detected=detected)


@bound
def few_messages(s: System) -> bool:
    """Few messages are under way to a node."""
    return all(s.pending[node] <= messages for node in Node)


def is_terminated(s: System) -> bool:
    """Nobody works, and nothing is under way."""
    return all(not s.active[node] and s.pending[node] == 0 for node in Node)


@action
def terminate(s: System, node: Node, notice: bool) -> None:
    """{node} becomes idle."""
    require(s.active[node])
    last = s.pending[node] == 0 and all(
        other == node or (not s.active[other] and s.pending[other] == 0) for other in Node
    )
    require(not notice or last)
    s.active[node] = False
    s.detected = s.detected or notice


@action
def send(s: System, source: Node, to: Node) -> None:
    """{source} sends {to} a message."""
    require(s.active[source])
    s.pending[to] += 1


@action
def receive(s: System, node: Node) -> None:
    """{node} receives a message, and works."""
    require(s.pending[node] > 0)
    s.active[node] = True
    s.pending[node] -= 1


@action
def detect(s: System) -> None:
    """Termination is detected."""
    require(is_terminated(s))
    s.detected = True


@invariant
def safe(s: System) -> bool:
    """Termination is not detected before it is there."""
    return not s.detected or is_terminated(s)


@transition
def quiescence(before: System, after: System) -> bool:
    """Once everything has come to rest it stays at rest."""
    return not is_terminated(before) or is_terminated(after)
