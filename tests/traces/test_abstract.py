"""What is said of the abstract action that comes nearest to a step which is none: values are compared leaf by leaf."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.model import Model
from tidegate.traces.document import trace_document

from ..conftest import Run

BOX = '''"""A box: a light, a number and marks, all in one record."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Option, Range, Set, action, initial, record, replace, require, state

Number = Annotated[int, Range(0, 3)]


@record
class Inside:
    """What is in it."""

    lit: bool
    number: Number
    marks: Set[Number]
    kept: Option[Number]


@state
class Box:
    """One box."""

    inside: Inside  # all of it


@initial
def new() -> Box:
    """Dark and empty."""
    return Box(inside=Inside(lit=False, number=0, marks=Set(), kept=None))


@action
def light(s: Box) -> None:
    """The light goes on."""
    s.inside = replace(s.inside, lit=True)


@action
def count(s: Box) -> None:
    """The number grows."""
    require(s.inside.number < 2)
    s.inside = replace(s.inside, number=s.inside.number + 1)


@action
def mark(s: Box, number: Number) -> None:
    """A number is marked, once the light is on."""
    require(s.inside.lit and number > 0)
    s.inside = replace(s.inside, marks=s.inside.marks | {number})


@action
def recall(s: Box) -> None:
    """What was kept is the number again."""
    require(s.inside.kept is not None)
    kept = s.inside.kept
    assert kept is not None
    s.inside = replace(s.inside, number=kept)
'''
USER = '''"""One step of something that claims to be a box."""

from __future__ import annotations

import box
from box import Inside
from tidegate.language import Set, action, initial, refines, require, state


@state
class Thing:
    """Whether the step was taken."""

    done: bool


@initial
def new() -> Thing:
    """It was not."""
    return Thing(done=False)


@action
def step(s: Thing) -> None:
    """It is."""
    require(not s.done)
    s.done = True


@refines(box)
def as_box(s: Thing) -> box.Box:
    """It is a box."""
    if s.done:
        return box.Box(inside=Inside(END))
    return box.Box(inside=Inside(lit=False, number=0, marks=Set(), kept=None))
'''


def nearest(model: Model) -> str:
    """What the argument says of the nearest abstract action."""
    (broken,) = ENGINES["native"](model, Search(), None).properties
    said: str = trace_document(model, broken, engine="native")["argument"][-1]["text"]
    return "The nearest is " + said.partition("The nearest is ")[2]


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (
            "lit=False, number=3, marks=Set(), kept=None",
            "The nearest is count: for it inside.number would have to be 1 and is 3.",
        ),
        (
            "lit=True, number=0, marks=Set({2}), kept=None",
            "The nearest is light: for it inside.marks would have to be without 2.",
        ),
        (
            "lit=False, number=0, marks=Set({2}), kept=None",
            "The nearest is mark(2), of which the guard `s.inside.lit` is false.",
        ),
        (
            "lit=False, number=0, marks=Set({0}), kept=None",
            "The nearest is mark(0), of which the guard `s.inside.lit` is false.",
        ),
        (
            "lit=False, number=0, marks=Set(), kept=1",
            "The nearest is recall, of which the guard `s.inside.kept is not None` is false.",
        ),
    ],
)
def test_actions_that_write_one_record_are_told_apart_by_what_they_change(end: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(BOX, encoding="utf-8")
    (tmp_path / "thing.py").write_text(USER.replace("END", end), encoding="utf-8")
    assert nearest(load(tmp_path / "thing.py").bind()) == said


def test_a_loss_is_nearest_to_losing() -> None:
    """All actions of the log write its one record; the published loss of KIP-101 is what `lose` would be."""
    definition, profile = find("replication_as_log:kip101")
    model = definition.bind(profile=profile, constants={"replicas": 2, "max_leader_epoch": 2})
    (broken,) = ENGINES["native"](model, Search(symmetry=True), None).properties
    assert trace_document(model, broken, engine="native")["argument"][-1]["text"].endswith(
        "The nearest is lose(confirmed={}, gone={0}, available=true), of which the guard "
        "`may_lose(s.log, confirmed, gone, available)` is false."
    )


SWITCH = '''"""A switch."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import {names}Range, action, initial, require, state


@state
class {name}:
    """A number."""

    n: Annotated[int, Range(0, 1)]


@initial
def start() -> {name}:
    """Zero."""
    return {name}(n=0)
'''
UP = """

@action
def up(s: Switch) -> None:
    '''One.'''
    require(s.n == 0)
    s.n = 1
"""
DOWN = """

@action
def down(s: Switch) -> None:
    '''Breaks its type at zero.'''
    s.n -= 1
"""
CLAIMED = """

@action
def tick(s: Mine) -> None:
    '''One.'''
    require(s.n == 0)
    s.n = 1


@refines(switch, {tick: STUTTERS})
def as_switch(s: Mine) -> switch.Switch:
    '''It is claimed not to move.'''
    return switch.Switch(n=s.n)
"""


@pytest.mark.parametrize("actions", [UP + DOWN, DOWN + UP], ids=["up first", "down first"])
def test_an_abstract_action_that_breaks_and_may_not_be_it_is_no_matter(
    actions: str, tmp_path: Path, tidegate: Run
) -> None:
    """Whether the argument looks at it before or after the one that does the step."""
    (tmp_path / "switch.py").write_text(SWITCH.format(names="", name="Switch") + actions)
    head = SWITCH.format(names="STUTTERS, refines, ", name="Mine")
    mine = tmp_path / "mine.py"
    mine.write_text(head.replace("from tidegate", "import switch\nfrom tidegate", 1) + CLAIMED)
    shown = tidegate("check", str(mine), "--no-deadlock", "--width", "120")
    assert shown.exit == 1
    assert "However, tick is up of switch: n: 0 -> 1. @refines says that tick stutters." in shown.out
