"""Every type of the language as a field, a part of a message, an option, in a union: `prove` states it, or says at
which line it does not; it never ends in a defect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ...conftest import RunHere

TYPES = {
    "number": ("Number", "s.n"),
    "truth": ("bool", "s.n == 0"),
    "enumeration": ("Color", "Color.RED"),
    "name": ("Node", "Node(0)"),
    "endless_set": ("Set[Number]", "Set([s.n])"),
    "set_of_names": ("Set[Node]", "Set([Node(0)])"),
    "endless_map": ("Map[Number, bool]", "Map({k: True for k in Number})"),
    "map": ("Map[Node, Number]", "Map({k: s.n for k in Node})"),
    "sequence": ("Annotated[Seq[Number], Capacity(2)]", "Seq([s.n])"),
    "endless_sequence": ("Annotated[Seq[Number], Capacity(top)]", "Seq([s.n])"),
    "record": ("Flat", "Flat(n=s.n, by=Node(0))"),
    "endless_record": ("Deep", "Deep(seen=Set([s.n]), by=Node(0))"),
    "tuple": ("tuple[Number, Node]", "(s.n, Node(0))"),
    "endless_tuple": ("tuple[Number, Set[Number]]", "(s.n, Set([s.n]))"),
}
"""Each with a value of it."""

MODEL = '''"""Messages."""
from __future__ import annotations
from enum import Enum
from typing import Annotated
from tidegate.language import *
top = constant(2, minimum=1, maximum=12, says="top")
Number = Annotated[int, Range(0, top)]
class Color(Enum):
    """A color."""
    RED = 1
    BLUE = 2
class Node(Domain, size=2):
    """A node."""
@record
class Flat:
    """A record."""
    n: Number
    by: Node
@record
class Deep:
    """A record without an end."""
    seen: Set[Number]
    by: Node
@record
class Ask:
    """A message."""
    part: TYPE
    n: Number
@record
class Answer:
    """Another."""
    part: OTHER
    n: Number
Message = Ask | Answer
ODD = Set([1, 2])
@state
class World:
    """Messages on their way."""
    net: Annotated[POOL[Message], Capacity(3)]
    n: Number
    last: Option[Message]
    own: TYPE
    row: Annotated[Seq[Message], Capacity(2)]
@initial
def start() -> World:
    """Nothing yet."""
    return World(net=POOL(), n=0, last=None, own=START, row=Seq())
@action
def up(s: World) -> None:
    """Up."""
    limit(s.n < top)
    s.n += 1
@action
def ask(s: World) -> None:
    """Ask."""
    s.net.add(Ask(part=VALUE, n=s.n))
@action
def answer(s: World) -> None:
    """Answer."""
    limit(len(s.row) < 2)
    s.row.append(Answer(part=ANOTHER, n=s.n))
@action
def choose_own(s: World) -> None:
    """Choose."""
    s.own = VALUE if s.n > 0 else s.own
TAKES
@lemma
def counts(s: World) -> bool:
    """Counts."""
    return s.n >= 0 and (s.last is None or s.last.n >= 0)
@invariant
def odd(s: World) -> bool:
    """A set at the top of the file beside one without an end."""
    return 1 in (ODD if s.n == 0 else Set([s.n]))
@invariant
def asked(s: World) -> bool:
    """Messages as wholes."""
    return s.last != Ask(part=START, n=0) and (s.last is None or s.last in s.row)
'''
TAKES = '''@action
def take(s: World, m: Message) -> None:
    """Take."""
    s.net.remove(m)
    s.last = m
'''


@pytest.mark.parametrize("name", TYPES)
def test_a_model_with_such_messages_is_stated_or_refused_at_a_line(
    name: str, tmp_path: Path, run_here: RunHere
) -> None:
    names = list(TYPES)
    place = names.index(name)
    type_, value = TYPES[name]
    other, another = TYPES[names[place - 3]]
    optional = place % 2 == 0
    file = tmp_path / "messages.py"
    parts = {
        "START": value.replace("s.n", "0"), "TYPE": f"Option[{type_}]" if optional else type_, "OTHER": other,
        "ANOTHER": another, "VALUE": value, "POOL": "Bag" if place % 3 == 0 else "Set",
        "TAKES": TAKES if place % 4 < 2 else "",
    }  # fmt: skip
    text = MODEL
    for word, part in parts.items():
        text = re.sub(rf"\b{word}\b", lambda _, part=part: part, text)
    file.write_text(text)
    exit_, out = run_here("prove", str(file))
    assert exit_ in (0, 1, 5, 65), out
    if exit_ == 65:
        assert re.search(rf"{re.escape(str(file))}:\d+: .*(no end here|without an end)", out), out
