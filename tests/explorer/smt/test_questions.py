"""What no finite copy and no random walk comes to: models that are wrong only where a bound is large. Nothing but the
question without bounds keeps them from being proved, so that alone is asked here."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.questions import ProofQuestions
from tidegate.language.binding import load
from tidegate.language.proof import Obligation

from ...support.shipped import tier_parameters
from .test_induction import ASKS, BAG, GROW, LARGE, ROW, Wrong, X

SENDS = {"send": LARGE + "limit(len(s.asks) < 1)\ns.asks.add(Ask(number=5, hint=None))"}
TAKES = {"take ask: Annotated[Ask, Member('asks')]": "s.asks.remove(ask)"}
PUSHES = {"push": LARGE + "limit(len(s.row) < 3)\ns.row.append(len(s.row))"}
MAPS = {"m": ("Map[Number, Map[Node, Two]]", "Map({i: Map({n: 0 for n in Node}) for i in range(top + 1)})"), **X}
NUMBERS = {"k": ("Set[Number]", "Set()"), **X}
ADDS = {"put": LARGE + "s.k.add(s.x)"}

WRONG = {
    "an option in a message that is none": Wrong(
        ASKS, {**GROW, **SENDS, "take ask: Annotated[Ask, Member('asks')]": "require(ask.hint is None)\ns.bad = True"}
    ),
    "any of the messages": Wrong(
        ASKS, {**GROW, **SENDS, "step": "require(any(m.number == 5 for m in s.asks))\ns.bad = True"}
    ),
    "none of the messages": Wrong(
        ASKS, {**GROW, **SENDS, **TAKES, "step": LARGE + "require(not any(m.number > 4 for m in s.asks))\ns.bad = True"}
    ),
    "all of the messages": Wrong(ASKS, {**GROW, **SENDS}, "all(m.number < 5 for m in s.asks)"),
    "the largest number in messages": Wrong(
        ASKS, {**GROW, **SENDS, "step": "require(max((m.number for m in s.asks), default=0) == 5)\ns.bad = True"}
    ),
    "a message that is not there to be taken": Wrong(
        ASKS, {**GROW, **SENDS, "step": LARGE + "s.asks.remove(Ask(number=5, hint=None))"}
    ),
    "a copy that is not there to be taken": Wrong(
        BAG,
        {
            **GROW,
            **SENDS,
            "take ask: Annotated[Ask, Member('asks')]": "s.asks.remove(ask)\ns.asks.remove(ask)",
        },
    ),
    "a message with a number beyond the bound": Wrong(
        ASKS, {**GROW, "send": LARGE + "limit(len(s.asks) < 1)\ns.asks.add(Ask(number=s.x + 2, hint=None))"}
    ),
    "a map in a map": Wrong(
        MAPS, {**GROW, "step r: Node": LARGE + "s.m[5][r] = 2"}, "top < 5 or all(s.m[5][n] < 2 for n in Node)"
    ),
    "a map that is copied into a map": Wrong(
        MAPS,
        {**GROW, "set r: Node": LARGE + "s.m[5][r] = 1", "copy": LARGE + "s.m[0] = s.m[5]"},
        "all(s.m[0][n] == 0 for n in Node)",
    ),
    "a map that is made anew": Wrong(
        {"m": ("Map[Number, Two]", "Map({i: 0 for i in range(top + 1)})"), **X},
        {**GROW, "step": LARGE + "s.m = Map({i: 1 if i > 4 else 0 for i in range(top + 1)})"},
        "all(s.m[i] == 0 for i in range(top + 1))",
    ),
    "a set of numbers": Wrong(NUMBERS, {**GROW, **ADDS}, "all(i < 5 for i in s.k)"),
    "a set that is emptied": Wrong(
        NUMBERS, {**GROW, **ADDS, "clear": "require(5 in s.k)\ns.k = Set()\ns.bad = 5 not in s.k"}
    ),
    "a slice of a log": Wrong(ROW, {**GROW, **PUSHES, "step": LARGE + "s.row = s.row[1:]\ns.bad = len(s.row) == 2"}),
    "logs that differ": Wrong(
        {**ROW, "old": ("Annotated[Seq[Number], Capacity(top)]", "Seq()")},
        {**GROW, **PUSHES, "save": LARGE + "s.old = s.row", "step": LARGE + "require(s.row != s.old)\ns.bad = True"},
    ),
    "a helper that calls itself too often": Wrong(X, {**GROW, "step": LARGE + "s.x = below(s.x - 1) % 2"}),
    "a division by a difference of bounds": Wrong(X, {**GROW, "step": "require(10 // (top - 6) > 20)\ns.x = 0"}),
    "an assertion about a bound": Wrong(X, {**GROW, "step": "assert top != 6\ns.x = 0"}),
    "a remainder of a bound": Wrong(X, {**GROW, "step": "require(top % 4 == 2 and top > 2)\ns.bad = True"}),
}


@pytest.mark.parametrize("name", tier_parameters(WRONG, [*WRONG][::2].__contains__))
def test_what_is_wrong_only_at_large_bounds_is_not_answered_with_yes(name: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(WRONG[name].text(), encoding="utf-8")
    definition = load(path)
    model = definition.bind(properties=["never_bad"], constants={"top": 6})
    assert ENGINES["python"](model, Search(), None).outcome in ("safety", "model_error")
    made = Induction(definition, definition.bind(), ProofRequest(workers=1))
    questions = ProofQuestions(made.model, made.symmetric, SolverEffort(work=1.0))
    open_ = [
        obligation for obligation in made.obligations() if not questions.ask_solver(obligation, hard=True).is_proved
    ]
    assert open_ != []


COPIES = '''"""A row, and how much of it is ones."""
from __future__ import annotations
from typing import Annotated
from tidegate.language import *
top = constant(2, minimum=1, maximum=8, says="numbers")
Number = Annotated[int, Range(0, top)]
@state
class S:
    """S."""
    row: Annotated[Seq[Number], Capacity(top)]
    ones: Number
@initial
def start() -> S:
    """I."""
    return S(row=Seq(), ones=0)
@action
def clear(s: S) -> None:
    """C."""
    s.ones = 0
@lemma
def ones_are_in_the_row(s: S) -> bool:
    """L."""
    return all(i < len(s.row) and s.row[i] == 1 for i in range(s.ones))
@invariant
def the_row_is_as_long(s: S) -> bool:
    """P."""
    return all(i < len(s.row) for i in range(s.ones))
'''


def test_a_number_that_is_only_compared_with_a_length_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "row.py"
    path.write_text(COPIES, encoding="utf-8")
    definition = load(path)
    made = Induction(definition, definition.bind(), ProofRequest(workers=1))
    questions = ProofQuestions(made.model, made.symmetric, SolverEffort(work=1.0))
    obligation = Obligation("consequence", "the_row_is_as_long")
    assert questions.ask_solver(obligation, hard=False).is_proved
    assert questions.needed_lemmas(obligation) == {"ones_are_in_the_row"}
