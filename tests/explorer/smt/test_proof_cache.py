"""What is kept of a proof is under a name that changes with everything that an obligation rests on: also with tables,
parts of the model in other files, and abstract models."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.proof_cache import ProofCache
from tidegate.language.binding import load
from tidegate.language.proof import Obligation

from ...support.shipped import tier_parameters

HEAD = '''"""{}"""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Domain, Map, Range, Seq, Set, action, constant, initial, lemma, limit, record, refines, require, state
)

Small = Annotated[int, Range(0, 6)]
'''

PART = '''
MORE = Map({0: 1, 1: 2})


def grown(x: int) -> int:
    """A larger number."""
    return x + MORE[0]
'''

LOW = '''

@state
class Low:
    """One number."""

    x: Small


@initial
def start() -> Low:
    """Nothing yet."""
    return Low(x=0)


@action
def up(s: Low) -> None:
    """More."""
    require(s.x < 6)
    s.x += 1
'''

MODEL = '''
import low
from part import grown

top = constant(3, minimum=1, maximum=5, says="an end")
fixed = constant(2, minimum=1, maximum=5, says="a value")


class Seat(Domain, size=3, ordered=True):
    """A seat."""


class Mode(Enum):
    """A mode."""

    A = 1
    B = 2


@record
class Cell:
    """Its fields are named as parts of the typed form are that mean nothing."""

    line: Small
    text: bool
    where: Mode


CELL = Cell(line=1, text=True, where=Mode.A)
CELLS = Seq([Cell(line=1, text=True, where=Mode.A), Cell(line=2, text=True, where=Mode.A)])
WEIGHT = Map({Mode.A: 1, Mode.B: 0})
SEATS = Set([Seat(0)])
NESTED = Map({Mode.A: Map({0: 1, 1: 1}), Mode.B: Map({0: 1, 1: 3})})


@state
class World:
    """What is."""

    x: Annotated[int, Range(0, top)]
    y: Small
    seat: Seat
    mode: Mode


@initial
def start() -> World:
    """Nothing yet."""
    return World(x=0, y=0, seat=Seat(0), mode=Mode.A)


@action
def with_records(s: World) -> None:
    """Reads records."""
    require(s.y < 5 and CELL.text and CELL.where == Mode.A)
    limit(s.x < top)
    s.y += 1 if s.y != CELL.line else CELLS[1].line


@action
def with_tables(s: World) -> None:
    """Reads tables."""
    require(s.y < 5)
    s.y += WEIGHT[s.mode] + (0 if s.seat in SEATS else NESTED[s.mode][0])


@action
def with_parts(s: World) -> None:
    """Calls what is in another file, and reads a constant."""
    require(s.y < 5)
    s.y = max(grown(s.y), fixed)


@lemma
def at_least_nothing(s: World) -> bool:
    """Always so."""
    return s.x >= 0


@refines(low)
def as_low(s: World) -> low.Low:
    """The smaller number."""
    return low.Low(x=s.y)
'''

EVERY = frozenset({"", "with_records", "with_tables", "with_parts"})

EDITS = {
    "a field of a record named line": ("model", "CELL = Cell(line=1", "CELL = Cell(line=2", {"with_records"}),
    "a field of a record named text": (
        "model",
        "1, text=True, where=Mode.A)\nC",
        "1, text=False, where=Mode.A)\nC",
        {"with_records"},
    ),
    "a field of a record named where": ("model", "Mode.A)\nCELLS", "Mode.B)\nCELLS", {"with_records"}),
    "a record in a sequence": ("model", "Cell(line=2", "Cell(line=3", {"with_records"}),
    "a table": ("model", "Mode.B: 0", "Mode.B: 1", {"with_tables"}),
    "a table in a table": ("model", "Mode.B: Map({0: 1", "Mode.B: Map({0: 2", {"with_tables"}),
    "a set of members": ("model", "Set([Seat(0)])", "Set([Seat(1)])", {"with_tables"}),
    "a table in another file": ("part", "{0: 1", "{0: 2", {"with_parts"}),
    "a helper in another file": ("part", "MORE[0]", "MORE[1]", {"with_parts"}),
    "a constant's value": ("model", "fixed = constant(2", "fixed = constant(1", {"with_parts"}),
    "a step of the abstract model": ("low", "s.x += 1", "s.x += 2", EVERY),
    "a guard of the abstract model": ("low", "require(s.x < 6)", "require(s.x < 5)", EVERY),
    "a start of the abstract model": ("low", "Low(x=0)", "Low(x=1)", EVERY),
    "a type of the abstract model": ("low", "    x: Small", "    x: Annotated[int, Range(0, 7)]", EVERY),
    "a minimum": ("model", "top = constant(3, minimum=1", "top = constant(3, minimum=2", EVERY),
    "a size": ("model", "size=3", "size=4", EVERY),
    "an order of members": ("model", "    A = 1\n    B = 2", "    B = 2\n    A = 1", EVERY),
}
"""For each: the file, a text in it, another text for it, and the actions of which something is proved anew; "" is what
is about no action."""

TEXTS = {
    "part": HEAD.format("A part.") + PART,
    "low": HEAD.format("What is refined.") + LOW,
    "model": HEAD.format("A model.") + MODEL,
}


_numbers = itertools.count()


def names(folder: Path, texts: Mapping[str, str]) -> Mapping[Obligation, str]:
    """The names under which the proofs of an edition are kept. Its files have names that no other edition has, since
    what was imported once is not read again."""
    edition = f"_edition{next(_numbers)}"
    for name, text in texts.items():
        text = text.replace("import low", f"import low{edition} as low").replace("from part", f"from part{edition}")
        (folder / f"{name}{edition}.py").write_text(text, encoding="utf-8")
    definition = load(folder / f"model{edition}.py")
    made = Induction(definition, definition.bind("model"), ProofRequest())
    cache = ProofCache(folder, made.model, made.symmetric)
    return {obligation: cache.name_of(obligation) for obligation in made.obligations()}


@pytest.mark.parametrize("what", tier_parameters(EDITS, [*EDITS][::2].__contains__))
def test_after_an_edit_what_rests_on_it_is_proved_anew(what: str, tmp_path: Path) -> None:
    file, old, new, touched = EDITS[what]
    assert TEXTS[file].count(old) == 1
    kept, now = names(tmp_path, TEXTS), names(tmp_path, {**TEXTS, file: TEXTS[file].replace(old, new)})
    assert set(now) == set(kept)
    assert {obligation.action for obligation in now if now[obligation] != kept[obligation]} == set(touched)
