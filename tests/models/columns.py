"""Fields of types that are taken apart, or are not."""

from typing import Annotated

from tidegate.language import Capacity, Domain, Map, Option, Range, Seq, Set, action, initial, record, require, state

Small = Annotated[int, Range(-1, 40)]


class Node(Domain, size=2):
    """A node."""


@record
class Ask:
    """A message."""

    who: Node


@record
class Note:
    """Another one."""

    number: Small
    pair: tuple[Small, bool]


@state
class Everything:
    """One field of every kind."""

    pair: tuple[Small, bool]
    messages: Annotated[Set[Ask | Note], Capacity(2)]
    last: Option[Note]
    logs: Map[Node, Annotated[Seq[Note], Capacity(7)]]


@initial
def start() -> Everything:
    """Nothing."""
    return Everything(pair=(-1, False), messages=Set(), last=None, logs=Map({n: Seq() for n in Node}))


@action
def step(s: Everything, node: Node) -> None:
    """A step."""
    number = len(s.logs[node])
    require(number < 3)
    note = Note(number=number, pair=(number - 1, number > 0))
    s.logs[node].append(note)
    s.last = None if number == 2 else note
    s.pair = note.pair
    s.messages = Set({Ask(who=node), note})
