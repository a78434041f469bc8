"""Loops over what has no end that only add to sets: what is in the sets afterwards, and loops that are others."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
import z3
from tidegate.explorer.smt.adding_loops import StepExecution
from tidegate.explorer.smt.encoding import unbounded_encoding
from tidegate.explorer.smt.errors import NotUnboundedError
from tidegate.explorer.smt.sampling import take_sample
from tidegate.explorer.smt.shapes import IntegerMap, Sequence, Shape, UnboundedSet
from tidegate.explorer.smt.simulation import check_steps_by_formulas
from tidegate.explorer.smt.states import fresh_state
from tidegate.explorer.smt.terms import Number, boolean_term, constant_number
from tidegate.explorer.smt.transition import symbolic_instances
from tidegate.explorer.smt.unbounded import unbounded_model
from tidegate.language.binding import load
from tidegate.language.model import Model

from ...support.engines import text_of

CLAIM = "\n\n@invariant\ndef claim(s: World) -> bool:\n    '''A claim.'''\n    return len(s.row) <= top\n"
BEFORE = """
top = constant(3, minimum=1, maximum=5)

Number = Annotated[int, Range(0, top)]
"""
FIELDS = """
row: Annotated[Seq[Number], Capacity(top)]
seen: Set[Number]
small: Set[Number]
at: Map[Number, Set[Number]]
"""
START = "row=Seq()\nseen=Set()\nsmall=Set()\nat=Map({n: Set() for n in range(top + 1)})"
GROW = (
    "@action\ndef grow(s: World, n: Number) -> None:\n    '''One more.'''\n"
    "    limit(len(s.row) < top)\n    s.row.append(n)\n\n\n"
)
STEP = "@action\ndef step(s: World) -> None:\n    '''A step.'''\n    require(len(s.row) > 1)\n"
ADDS = """    for i in range(1, len(s.row)):
        if s.row[i] > 1:
            s.seen.add(s.row[i])
        else:
            s.small.add(s.row[i])
        s.at[i].add(s.row[i])
"""
"""Two sets by a condition, and one by its key."""
OTHERS = [
    "    for i in range(len(s.row)):\n        if i in s.seen:\n            s.seen.add(s.row[i])\n",
    "    for i in range(len(s.row)):\n        s.at[s.row[i]].add(i)\n",
    "    for i in range(len(s.row)):\n        s.seen.remove(s.row[i])\n",
    "    for i in range(len(s.row)):\n        s.seen.add(s.row[i])\n        s.row.append(i)\n",
]
"""It reads what it writes, writes by another key, takes away, and does more than add."""


def bind(folder: Path, loop: str) -> Model:
    """The model with a step that has the loop, its bounds open."""
    path = folder / "adding.py"
    path.write_text(text_of(FIELDS, START, GROW + STEP + loop, before=BEFORE), encoding="utf-8")
    definition = load(path)
    return unbounded_model(definition, definition.bind())


def test_steps_of_plain_python_are_steps_of_the_formulas(tmp_path: Path) -> None:
    path = tmp_path / "adding.py"
    path.write_text(text_of(FIELDS, START, GROW + STEP + ADDS + CLAIM, before=BEFORE), encoding="utf-8")
    model = load(path).bind()
    sample = take_sample(model, model.properties, 1)
    assert {taken.action for taken in sample.steps} == {"grow", "step"}
    check_steps_by_formulas(bind(tmp_path, ADDS), sample.steps)


def test_nothing_is_in_a_set_but_what_was_and_what_is_added(tmp_path: Path) -> None:
    model = bind(tmp_path, ADDS)
    encoding = unbounded_encoding(model)
    state = fresh_state(model, encoding, "0")
    (step,) = symbolic_instances(model, encoding, state, only="step")
    some, place = Number(z3.Int("some"), 0, 9), Number(z3.Int("place"), 0, 9)
    row = cast(Sequence, state.fields["row"])

    def has(shape: Shape, member: Number) -> z3.BoolRef:
        return boolean_term(cast(UnboundedSet, shape).has(member))

    def reads(value: Number) -> z3.BoolRef:
        return boolean_term(encoding.numbers.are_equal(cast(Number, row.element_at(place)), value))

    def less(one: Number, other: Number) -> z3.BoolRef:
        return boolean_term(encoding.numbers.is_less(one, other))

    before, after = state.fields, step.post.fields
    said = [boolean_term(state.valid), *(clause.as_assumption() for clause in step.assumptions)]
    one = constant_number(1)
    inside = [z3.Not(less(place, one)), less(place, row.length), reads(some)]
    big, short = less(one, some), z3.Not(less(one, row.length))

    assert is_refuted(*said, *inside, big, z3.Not(has(after["seen"], some)))
    assert is_refuted(*said, has(before["seen"], some), z3.Not(has(after["seen"], some)))
    assert is_refuted(*said, has(after["seen"], some), z3.Not(has(before["seen"], some)), z3.Not(big))
    assert is_refuted(*said, has(after["seen"], some), z3.Not(has(before["seen"], some)), short)
    assert not is_refuted(*said, has(after["seen"], some), z3.Not(has(before["seen"], some)))
    at = cast(IntegerMap, after["at"]).element_at
    assert is_refuted(*said, *inside, z3.Not(has(at(place), some)))
    was = cast(IntegerMap, before["at"]).element_at
    assert is_refuted(*said, has(at(constant_number(0)), some), z3.Not(has(was(constant_number(0)), some)))


def is_refuted(*said: z3.BoolRef) -> bool:
    """Whether no state is so."""
    solver = z3.Solver()
    solver.set("rlimit", 20_000_000)
    solver.add(*said)
    return solver.check() == z3.unsat


@pytest.mark.parametrize("loop", OTHERS)
def test_another_loop_has_no_meaning_without_bounds(loop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, run_loop = list[bool](), StepExecution.run_adding_loop

    def note_answer(*given: Any) -> bool:
        """Whether it takes the loop for one that only adds."""
        answers.append(run_loop(*given))
        return answers[-1]

    monkeypatch.setattr(StepExecution, "run_adding_loop", note_answer)
    model = bind(tmp_path, loop)
    encoding = unbounded_encoding(model)
    with pytest.raises(NotUnboundedError, match="only adds to sets"):
        symbolic_instances(model, encoding, fresh_state(model, encoding, "0"), only="step")
    assert answers == [False]
