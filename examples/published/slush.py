"""The Slush protocol of the Avalanche family, after `SlushProtocol/Slush.tla`: nodes that ask a few others again and
again come to have one color, most probably.

274,678 states with three nodes that ask both others once. Each label of the PlusCal program is an action, as there; a
node, its process that asks and its process that answers have one name.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Range,
    Set,
    action,
    constant,
    initial,
    invariant,
    reachable,
    record,
    require,
    state,
    terminal,
)

nodes = constant(3, minimum=2, maximum=4, says="nodes")
iterations = constant(1, minimum=1, maximum=3, says="how often each node asks")
sample_size = constant(2, minimum=1, maximum=3, says="how many others it asks")
threshold = constant(2, minimum=1, maximum=3, says="answers of one color with which it takes that")


class Node(Domain, size=nodes, symmetric=True):
    """A node, which asks and answers."""


class Color(Enum):
    """What is agreed on."""

    RED = "red"
    BLUE = "blue"


class Answering(Enum):
    """What the process that answers does next."""

    LOOP = "query reply loop"
    WAIT = "wait for query message or termination"
    RESPOND = "respond to query message"
    DONE = "done"


class Asking(Enum):
    """What the process that asks does next."""

    REQUIRE_COLOR = "require color assignment"
    LOOP = "execute slush loop"
    QUERY = "query sample set"
    TALLY = "tally query replies"
    TERMINATE = "slush loop termination"
    DONE = "done"


class Client(Enum):
    """What the client does next."""

    LOOP = "client request loop"
    ASSIGN = "assign color to node"
    DONE = "done"


@record
class Query:
    """A question."""

    source: Node
    to: Node
    color: Color


@record
class Reply:
    """An answer."""

    source: Node
    to: Node
    color: Color


@record
class Termination:
    """A node asks no more."""

    source: Node


Message = Query | Reply | Termination


@state
class Slush:
    """The nodes, the client and the messages."""

    pick: Map[Node, Color | None]  # each node's color
    net: Set[Message]  # messages under way, and who asks no more
    answering: Map[Node, Answering]  # what each process that answers does next
    asking: Map[Node, Asking]  # what each process that asks does next
    client: Client  # what the client does next
    sample: Map[Node, Set[Node]]  # whom each node has asked
    rounds: Map[Node, Annotated[int, Range(0, iterations)]]  # how often each node has asked


@initial
def start() -> Slush:
    """No node has a color."""
    return Slush(
        pick=Map({n: None for n in Node}),
        net=Set(),
        answering=Map({n: Answering.LOOP for n in Node}),
        asking=Map({n: Asking.REQUIRE_COLOR for n in Node}),
        client=Client.LOOP,
        sample=Map({n: Set() for n in Node}),
        rounds=Map({n: 0 for n in Node}),
    )


def is_over(s: Slush) -> bool:
    """Whether nobody asks any more, and nothing else is under way."""
    return s.net == {Termination(source=n) for n in Node}


@action
def look_for_end(s: Slush, n: Node) -> None:
    """{n} looks whether all is over."""
    require(s.answering[n] == Answering.LOOP)
    s.answering[n] = Answering.DONE if is_over(s) else Answering.WAIT


@action
def wake_up(s: Slush, n: Node) -> None:
    """{n} is asked, or all is over."""
    require(s.answering[n] == Answering.WAIT)
    require(is_over(s) or any(isinstance(m, Query) and m.to == n for m in s.net))
    s.answering[n] = Answering.LOOP if is_over(s) else Answering.RESPOND


@action
def respond(s: Slush, message: Message) -> None:
    """A question is answered, by {message.to}; one without a color takes that of the question."""
    require(isinstance(message, Query))
    assert isinstance(message, Query)
    require(s.answering[message.to] == Answering.RESPOND)
    own = s.pick[message.to]
    color = message.color if own is None else own
    s.pick[message.to] = color
    s.net.remove(message)
    s.net.add(Reply(source=message.to, to=message.source, color=color))
    s.answering[message.to] = Answering.LOOP


@action
def see_color(s: Slush, n: Node) -> None:
    """{n} has a color, and begins to ask."""
    require(s.asking[n] == Asking.REQUIRE_COLOR and s.pick[n] is not None)
    s.asking[n] = Asking.LOOP


@action
def begin_round(s: Slush, n: Node) -> None:
    """{n} asks once more, or has asked often enough."""
    require(s.asking[n] == Asking.LOOP)
    s.asking[n] = Asking.QUERY if s.rounds[n] < iterations else Asking.TERMINATE


@action
def query(s: Slush, n: Node, some: Set[Node]) -> None:
    """{n} asks {some}."""
    require(s.asking[n] == Asking.QUERY and len(some) == sample_size and n not in some)
    color = s.pick[n]
    require(color is not None)
    assert color is not None
    s.sample[n] = some
    s.net |= {Query(source=n, to=other, color=color) for other in some}
    s.asking[n] = Asking.TALLY


@action
def tally(s: Slush, n: Node) -> None:
    """{n} has all answers, and takes the color that enough of them have."""
    require(s.asking[n] == Asking.TALLY)
    require(all(any(isinstance(m, Reply) and m.to == n and m.source == other for m in s.net) for other in s.sample[n]))
    if replies(s, n, Color.RED) >= threshold:
        s.pick[n] = Color.RED
    elif replies(s, n, Color.BLUE) >= threshold:
        s.pick[n] = Color.BLUE
    s.net = Set(m for m in s.net if not (isinstance(m, Reply) and m.to == n and m.source in s.sample[n]))
    s.sample[n] = Set()
    s.rounds[n] += 1
    s.asking[n] = Asking.LOOP


def replies(s: Slush, n: Node, color: Color) -> int:
    """How many of those that a node has asked answered with a color."""
    return sum(1 for m in s.net if isinstance(m, Reply) and m.to == n and m.source in s.sample[n] and m.color == color)


@action
def stop_asking(s: Slush, n: Node) -> None:
    """{n} asks no more."""
    require(s.asking[n] == Asking.TERMINATE)
    s.net.add(Termination(source=n))
    s.asking[n] = Asking.DONE


@action
def look_for_nodes(s: Slush) -> None:
    """The client looks whether a node has no color."""
    require(s.client == Client.LOOP)
    s.client = Client.ASSIGN if any(s.pick[n] is None for n in Node) else Client.DONE


@action
def assign(s: Slush, n: Node, color: Color) -> None:
    """The client gives {n} the color {color}, if it has none."""
    require(s.client == Client.ASSIGN)
    if s.pick[n] is None:
        s.pick[n] = color
    s.client = Client.LOOP


@terminal
def all_is_done(s: Slush) -> bool:
    """Everyone has ended."""
    return s.client == Client.DONE and all(
        s.asking[n] == Asking.DONE and s.answering[n] == Answering.DONE for n in Node
    )


@invariant
def who_asks_has_a_color(s: Slush) -> bool:
    """A node that has begun to ask has a color."""
    return all(s.asking[n] == Asking.REQUIRE_COLOR or s.pick[n] is not None for n in Node)


@reachable
def all_agree(s: Slush) -> bool:
    """All have ended with one color."""
    return all_is_done(s) and all(s.pick[n] == s.pick[m] for n in Node for m in Node)
