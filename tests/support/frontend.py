"""What the tests of the front end share: a model with a field of each kind, and the typed form of a text in it."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, cast

from tidegate.language import ir
from tidegate.language.binding import Definition, load
from tidegate.language.model import Model

WORLD = '''
from __future__ import annotations

from enum import Enum
from typing import Annotated

from tidegate.language import *

top = constant(3, minimum=1, maximum=5)
room = constant(2, minimum=1, maximum=4)
brave = constant(True)
crashes = constant(1, minimum=0, maximum=4)
last = top - 1


class Mode(Enum):
    OFF = "off"
    ON = "on"


mode = constant(Mode.ON)


class Node(Domain, size=2):
    """A node."""


Number = Annotated[int, Range(0, top)]


@record
class Entry:
    by: Node
    number: Number


@record
class Note:
    to: Node
    answer: Option[Number]


@state
class World:
    count: Number
    owner: Option[Node]
    queue: Map[Node, Annotated[Seq[Entry], Capacity(room)]]
    seen: Set[Node]
    lit: Map[Mode, bool]
    entry: Entry
    notes: Annotated[Set[Note], Capacity(room)]
    high: Ghost[Number]
    past: Ghost[Annotated[Seq[Number], Capacity(2)]]


@initial
def start() -> World:
    return World(
        count=0, owner=None, queue=Map({n: Seq() for n in Node}), seen=Set(), lit=Map({m: False for m in Mode}),
        entry=Entry(Node(0), 0), notes=Set(), high=0, past=Seq(),
    )
'''


SIGNATURE = "s: World, node: Node, m: Mode, i: Number, flag: bool, some: Set[Node]"


def definition(path: Path, text: str) -> Definition:
    """A definition from text after the world that all tests share."""
    file = path / "world.py"
    file.write_text(WORLD + "\n\n" + textwrap.dedent(text), encoding="utf-8")
    return load(file)


def bind_functions(path: Path, text: str, **how: Any) -> Model:
    """The model of the shared world with these functions in it."""
    return definition(path, text).bind(**how)


def action_body(path: Path, body: str, before: str = "", **how: Any) -> tuple[ir.Statement, ...]:
    """The body of an action with one parameter of each kind."""
    inside = textwrap.indent(textwrap.dedent(body), "    ")
    text = f"{textwrap.dedent(before)}\n\n@action\ndef step({SIGNATURE}) -> None:\n{inside}\n"
    return bind_functions(path, text, **how).actions[0].form.body


def expression(path: Path, text: str, before: str = "") -> ir.Expr:
    """The form of an expression, as what a local name is bound to."""
    let, _ = action_body(path, f"x = {text}\ns.count = s.count", before)
    return cast(ir.Let, let).value
