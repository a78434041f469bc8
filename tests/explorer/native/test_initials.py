"""Initial states that the kernel makes: the same as plain Python's, one by one, and no others made by plain Python.

Also of: `initials_check`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidegate.api.models import load
from tidegate.explorer.native import initials, search
from tidegate.explorer.native import initials_check as starts
from tidegate.explorer.native.effort import FULL_EFFORT, QUICK_EFFORT, CompileEffort
from tidegate.explorer.native.frontier import Frontier
from tidegate.explorer.native.initials_check import InitialStatesCheck
from tidegate.explorer.native.kernels import kernel_of
from tidegate.explorer.native.search import check
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search
from tidegate.language.checks import members_of, nth_member
from tidegate.language.judge import initial_arguments
from tidegate.language.judge import initial_choices as judged
from tidegate.language.model import Model
from tidegate.language.types import Int, Map, Option, Subset
from tidegate.language.values import ModelError
from tidegate.language.verdict import DisagreementError

from ...conftest import ROOT
from ...support.engines import agree, bind_text

HEAD = '''"""A model with initial states of many kinds."""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Capacity, Domain, Map, Range, Seq, Set, action, initial, invariant, record, require, state,
)

Small = Annotated[int, Range(0, 2)]
Signed = Annotated[int, Range(-1, 1)]


class Node(Domain, size=2):
    """A node."""


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


@record
class Note:
    """A record."""

    by: Signed
    to: Node | None


@state
class World:
    """What there is."""

    level: Small
    held: Map[Node, Note]
    up: Set[Node]
    colour: Colour | None
    queue: Annotated[Seq[Small], Capacity(3)]
    notes: Annotated[Set[Note], Capacity(2)]


@action
def rise(s: World) -> None:
    """Rises."""
    require(s.level < 2)
    s.level = s.level + 1


@invariant
def not_all(s: World) -> bool:
    """Never everything."""
    return not (len(s.queue) == 3 and s.level == 2 and s.colour == Colour.BLUE)
'''

KINDS = '''

@initial
def start(by: Map[Node, Small], to: Map[Node, Node | None], up: Set[Node], colour: Colour | None) -> World:
    """Anything of most kinds."""
    require(len(up) > 0 or colour is None)
    held = Map({node: Note(by=by[node] - 1, to=to[node]) for node in Node})
    return World(level=len(up), held=held, up=up, colour=colour, queue=Seq([]), notes=Set([Note(by=1, to=None)]))
'''
TWO = '''

@initial
def start(a: Small, b: Small, colour: Colour) -> World:
    """A sequence, a loop and a branch."""
    require(a != 1)
    total = 0
    for node in Node:
        total = total + 1
    if b == 2:
        total = 0
    note = Note(by=b - 1, to=None)
    return World(
        level=total, held=Map({node: note for node in Node}), up=Set(), colour=colour, queue=Seq([a, b, total]),
        notes=Set([note, Note(by=0, to=None)]),
    )


@initial
def other(b: bool) -> World:
    """Two more."""
    return World(
        level=1 if b else 0, held=Map({node: Note(by=0, to=node) for node in Node}), up=Set(), colour=None,
        queue=Seq([]), notes=Set(),
    )
'''
BREAKS = '''

@initial
def start(a: Small, b: Small) -> World:
    """Too much where both are 2, 1 and 2, or 2 and 1."""
    note = Note(by=0, to=None)
    return World(
        level=a + b, held=Map({node: note for node in Node}), up=Set(), colour=None, queue=Seq([]), notes=Set(),
    )
'''


@pytest.fixture(autouse=True)
def _natively(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are enough."""
    monkeypatch.setattr(initials, "MANY_STATES", 1)


def of_text(folder: Path, text: str) -> Model:
    """The model of a text."""
    return bind_text(folder, HEAD + text)


@pytest.mark.parametrize(
    "type_",
    [
        Int(-1, 2),
        Option(Int(0, 2)),
        Subset(Int(0, 2)),
        Map(Int(0, 1), Option(Int(0, 2))),
    ],
)
def test_a_value_by_its_place_is_the_one_in_the_list(type_: Any) -> None:
    listed = members_of(type_, {})
    assert [nth_member(type_, at) for at in range(len(listed))] == list(listed)
    for beyond in (-1, len(listed)):
        with pytest.raises(IndexError):
            nth_member(type_, beyond)


@pytest.fixture(params=[QUICK_EFFORT, FULL_EFFORT], ids=lambda kind: kind.name)
def effort(request: pytest.FixtureRequest) -> CompileEffort:
    """Both kernels."""
    return request.param


def open_frontiers(model: Model, effort: CompileEffort) -> Iterator[Frontier]:
    """A frontier of a kernel."""
    kernel = kernel_of(model, (), None, effort=effort)
    frontier = Frontier(kernel.program, kernel.code, 1 << 28)
    frontier["COMBINATIONS"] = sum(kernel.program.starts)
    try:
        yield frontier
    finally:
        frontier.close()


@pytest.mark.parametrize("text", [KINDS, TWO])
def test_every_combination_gives_what_plain_python_gives(text: str, effort: CompileEffort, tmp_path: Path) -> None:
    model = of_text(tmp_path, text)
    for frontier in open_frontiers(model, effort):
        made = InitialStatesCheck(model, frontier)
        total = sum(made.counts)
        mine = [words for number in range(total) if (words := frontier.initial_words(number)) is not None]
        assert 0 < len(mine) < total, "some guard is false and some true"
        assert mine == [frontier.encode(state) for _, _, state in judged(model)]
        for number in range(total):
            made.recheck_combination(number)
        for words in set(mine):
            found = made.state_of(words)
            assert found is not None and frontier.encode(found) == words


@pytest.mark.parametrize("text", [KINDS, TWO])
def test_a_search_from_them_is_that_of_plain_python(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = of_text(tmp_path, text)
    monkeypatch.setattr(search, "initial_states", None)
    assert agree(model) is not None


def test_few_initial_states_are_made_by_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(initials, "MANY_STATES", 1000)
    assert initials.combination_counts(of_text(tmp_path, TWO)) == ()
    assert initials.combination_counts(load(str(ROOT / "examples/published/token_ring.py"))) == (46_656,)


def test_a_state_that_breaks_its_types_is_reported_as_in_plain_python(tmp_path: Path) -> None:
    model = of_text(tmp_path, BREAKS)
    shown = list[tuple[str, str, int, Any, Any]]()
    for engine in (plain, check):
        with pytest.raises(ModelError) as caught:
            engine(model, Search(cache=None))
        error = caught.value
        shown.append((str(error), error.file, error.line, error.action, error.arguments))
    assert shown[0] == shown[1] and shown[0][-1] == {"a": 1, "b": 2}


def test_a_combination_that_plain_python_sees_differently_is_a_disagreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = of_text(tmp_path, TWO)
    real = starts.start_of
    last = initial_arguments(model.initials[0], 17)

    def other(model: Model, initial: Any, arguments: Any) -> Any:
        return real(model, initial, last)

    monkeypatch.setattr(starts, "start_of", other)
    with pytest.raises(
        DisagreementError, match=r"start\(.*\) \(.*model_\d+\.py:\d+\) gives another one natively; in plain"
    ):
        check(model, Search(cache=None, keep_going=True))
    for frontier in open_frontiers(model, QUICK_EFFORT):
        shown = str(InitialStatesCheck(model, frontier).raise_or_return_error(0))
        assert (
            "start(a=0, b=0, colour=RED)" in shown and "breaks the model's types natively; in plain Python it" in shown
        )


@pytest.mark.parametrize("variant", [{"walks": True}, {"fingerprint": 64}, {"fingerprint": 128}])
def test_kernels_for_walks_and_shards_are_made_of_such_models_too(variant: dict[str, Any], tmp_path: Path) -> None:
    kernel = kernel_of(of_text(tmp_path, TWO), (), None, effort=QUICK_EFFORT, **variant)
    assert kernel.program.starts == (18, 2) and kernel.code.function("start_all", 1)
