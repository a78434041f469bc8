"""Every proof puts steps of plain Python into its own formulas: one that leaves out a step ends with exit 70.

Also of: `algebra`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
import z3
from tidegate.cli.main import main
from tidegate.explorer.smt import simulation
from tidegate.explorer.smt.algebra import Algebra
from tidegate.explorer.smt.encoding import Encoding
from tidegate.explorer.smt.numbers import Integers
from tidegate.explorer.smt.terms import Bit, Number, constant_number
from tidegate.invariants.catalogue import find
from tidegate.reports.exits import Exit

from .test_induction import ASKS, GROW, SEND, TAKE, Wrong, X

AT_THE_END = Wrong(X, {**GROW, "step": "require(s.x == top)\ns.x = 0"})
MESSAGES = Wrong(ASKS, {**SEND, **TAKE})
HINT = Wrong(ASKS, {"send": "require(s.x == 0)\ns.asks.add(Ask(number=top, hint=top))\ns.x = 1", **TAKE})


def never_the_bound(patch: pytest.MonkeyPatch) -> None:
    """A number is never equal to a constant without a bound."""
    honest = Integers.are_equal

    def same(numbers: Integers, left: Number, right: Number) -> Bit:
        return False if "constant." in f"{right.term}" else honest(numbers, left, right)

    patch.setattr(Integers, "are_equal", same)


def never_gone(patch: pytest.MonkeyPatch) -> None:
    """A message that is taken stays."""
    patch.setattr(Algebra, "remove_record", _the_pool)


def never_there(patch: pytest.MonkeyPatch) -> None:
    """No message is in its set."""
    patch.setattr(Algebra, "has_element", _no)


def short(patch: pytest.MonkeyPatch) -> None:
    """A constant without a bound is 0."""
    patch.setattr(Encoding, "open_constant", _zero)


def leave_types_undefined(patch: pytest.MonkeyPatch) -> None:
    """No number is of a type."""
    patch.setattr(Encoding, "is_in_interval", _no)


def _no(*_: object) -> bool:
    return False


def _zero(*_: object) -> Number:
    return constant_number(0)


def _the_pool(_: Algebra, pool: object, *rest: object) -> object:
    return pool


@pytest.mark.parametrize(
    ("wrong", "hole", "says"),
    [
        (AT_THE_END, never_the_bound, "s.x == top is not so"),
        (AT_THE_END, short, "is not so"),
        (AT_THE_END, leave_types_undefined, "that its values are of their types is not so"),
        (MESSAGES, never_gone, "that asks is"),
        (HINT, never_there, "that ask is in asks is not so"),
    ],
)
def test_a_formula_that_leaves_out_a_step_ends_the_proof(
    wrong: Wrong,
    hole: Callable[[pytest.MonkeyPatch], None],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(wrong.text(), encoding="utf-8")
    hole(monkeypatch)
    assert main(["prove", str(path), "--no-cache", "--workers", "1"]) is Exit.INTERNAL
    said = " ".join(capsys.readouterr().err.split())
    assert "the formulas of the proof leave out what plain Python does: the s" in said
    assert "wrong.py:" in said and says in said


def test_what_takes_more_work_than_is_given_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is on the solver's steps, and not on time: a busy machine finds the same."""
    definition, profile = find("replication:kip320")
    monkeypatch.setattr(simulation, "WORK", 1_000)
    solver = simulation.FormulaCheck(definition.bind("replication:kip320", {}, profile)).solver
    holes = [[z3.Bool(f"{pigeon} in {hole}") for hole in range(8)] for pigeon in range(9)]
    solver.add(*(z3.Or(hole) for hole in holes))
    pairs = itertools.combinations(holes, 2)
    solver.add(*(z3.Not(z3.And(one[hole], other[hole])) for one, other in pairs for hole in range(8)))
    assert solver.check() == z3.unknown
