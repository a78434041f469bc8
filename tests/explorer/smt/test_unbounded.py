"""The unbounded encoding: what loses its bound, what becomes of loops without an end, and what has no meaning.

Also of: `clause_execution`, `loop_definitions`, `predicate`, `shapes`, `states`, `transition`.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
import z3
from tidegate.explorer.smt.clause_execution import ClauseContext, ClauseExecution
from tidegate.explorer.smt.encoding import Encoding, unbounded_encoding
from tidegate.explorer.smt.errors import NotUnboundedError
from tidegate.explorer.smt.loop_definitions import DefiningExecution
from tidegate.explorer.smt.predicate import clauses_of_predicate, evaluate_predicate
from tidegate.explorer.smt.shapes import Fields, Records
from tidegate.explorer.smt.states import SymbolicState, constant_state, fresh_state
from tidegate.explorer.smt.terms import boolean_term
from tidegate.explorer.smt.transition import symbolic_instances
from tidegate.explorer.smt.unbounded import boundless_constants, unbounded_model
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.ir import Function
from tidegate.language.judge import holds
from tidegate.language.model import Model
from tidegate.language.types import Pool

from ...support.engines import reachable_states, text_of

WORK = 50_000_000
"""Steps of the solver, which are the same on a busy machine."""

BEFORE = """
top = constant(3, minimum=0, maximum=5)
none_at_all = constant(0, minimum=0, maximum=5)

Number = Annotated[int, Range(0, top)]


class Node(Domain, size=2, symmetric=True):
    '''A node.'''


@record
class Note:
    '''A message.'''

    by: Node
    number: Number
    hint: Option[Number]
"""
FIELDS = """
row: Annotated[Seq[Number], Capacity(top)]
other: Annotated[Seq[Number], Capacity(top)]
best: Number
notes: Annotated[Set[Note], Capacity(top)]
empty: Annotated[Set[Note], Capacity(none_at_all)]
"""
START = "row=Seq()\nother=Seq()\nbest=0\nnotes=Set()\nempty=Set()"

IDLE = "@action\ndef step(s: World) -> None:\n    '''A step.'''\n    require(s.best > 0)\n    s.best = 0\n\n\n"


def model_of(folder: Path, body: str) -> tuple[Model, Encoding, SymbolicState]:
    """A model, its unbounded encoding, and a state."""
    path = folder / "endless.py"
    body = body if "@action" in body else IDLE + body
    path.write_text(text_of(FIELDS, START, body, before=BEFORE), encoding="utf-8")
    definition = load(path)
    model = unbounded_model(definition, definition.bind())
    encoding = unbounded_encoding(model)
    return model, encoding, fresh_state(model, encoding, "0")


def invariant(says: str) -> str:
    return f"@invariant\ndef claim(s: World) -> bool:\n    '''A claim.'''\n    return {says}\n"


def is_proved(*assumed: z3.BoolRef, goal: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.set("rlimit", WORK)
    solver.add(*assumed, z3.Not(goal))
    return solver.check() == z3.unsat


def test_what_is_taken_away_from_a_bound_keeps_its_value(tmp_path: Path) -> None:
    """The larger `taken` is, the less `Number` allows: with neither known, nothing says that it has a value at all."""
    path = tmp_path / "taken.py"
    fields = "best: Annotated[int, Range(0, top * (2 - taken))]"
    path.write_text(text_of(fields, "best=0", IDLE + invariant("True"), before=TAKEN), encoding="utf-8")
    definition = load(path)
    assert boundless_constants(definition, definition.bind()) == {"top"}


TAKEN = """
top = constant(3, minimum=0, maximum=5)
taken = constant(1, minimum=0, maximum=1)
"""


def test_which_constants_lose_their_bound() -> None:
    definition, profile = find("raft")
    model = definition.bind("raft", profile=profile)
    assert boundless_constants(definition, model) == {"client_values", "crashes", "log_size", "max_term"}
    switched = definition.bind("raft", profile=profile, constants={"messages": 1, "crashes": 0})
    assert boundless_constants(definition, switched) == {"client_values", "log_size", "max_term", "messages"}


def test_a_predicate_is_what_its_clauses_say(tmp_path: Path) -> None:
    says = "all(n < 4 for n in s.row) and (len(s.other) == 0 or not any(m.number > s.best for m in s.notes))"
    model, encoding, state = model_of(tmp_path, invariant(says))
    form = model.properties[0].form
    assert form is not None
    found = clauses_of_predicate(form, encoding, state)
    assert [len(clause.variables) for clause in found] == [1, 4]
    assert all(z3.is_quantifier(clause.as_assumption()) for clause in found)
    whole = evaluate_predicate(form, encoding, state)
    given = [assumption.as_assumption() for assumption in whole.assumptions]
    for clause in found:
        assert is_proved(boolean_term(state.valid), *given, boolean_term(whole.value), goal=clause.goal())
    together = [clause.as_assumption() for clause in found]
    assert is_proved(boolean_term(state.valid), *given, *together, goal=boolean_term(whole.value))


def test_the_rounds_of_a_loop_without_an_end_become_clauses_and_an_all_one_new_truth(tmp_path: Path) -> None:
    model, encoding, state = model_of(tmp_path, invariant("all(n < 4 for n in s.row)"))
    form = model.properties[0].form
    assert form is not None
    states = {form.states[0]: state.fields}
    (clause,) = ClauseExecution(encoding, states, "!a").clauses_of_body(form.body, {}, ClauseContext(), True)
    assert len(clause.variables) == 1 and clause.hypothesis is not True
    execution = DefiningExecution(encoding, states, "!b")
    truth, is_defined = execution.result_of(form, {})
    assert isinstance(truth, z3.BoolRef) and z3.is_const(truth) and is_defined is True
    assert [len(assumption.variables) for assumption in execution.assumptions] == [1, 0]


@pytest.mark.parametrize(
    "says",
    [
        "s.best == max((n for n in s.row), default=0)",
        "all(n <= 2 for n in s.row) or any(n > 2 for n in s.row)",
        "s.row == s.other",
        "all(s.row[i] == s.other[i] for i in range(min(len(s.row), len(s.other))))",
        "min((i for i in range(top + 1) if i > s.best), default=0) > 0",
        "max((i for i in range(top + 1) if i != s.best), default=0) == 3",
        "2 * top > s.best + len(s.row)",
        "s.best == top or len(s.row) == top",
    ],
)
def test_loops_without_an_end_mean_what_python_means(tmp_path: Path, says: str) -> None:
    step = (
        "@action\ndef step(s: World, n: Number) -> None:\n    '''A step.'''\n    limit(len(s.row) < top)\n"
        "    s.row.append(n)\n    if n > 1:\n        s.best = n\n"
        "    elif len(s.other) < top:\n        s.other.append(n)\n\n\n"
    )
    model, encoding, _ = model_of(tmp_path, step + invariant(says))
    form = model.properties[0].form
    assert form is not None
    for state in reachable_states(model, 12, seed=3):
        truth = evaluate_predicate(form, encoding, constant_state(model, encoding, state))
        given = [assumption.as_assumption() for assumption in truth.assumptions]
        wanted = boolean_term(truth.value)
        given.append(z3.Int("constant.top") == 3)
        assert is_proved(*given, goal=wanted if holds(model, model.properties[0], state) else z3.Not(wanted))


NESTED = [
    "any(n > 1 for n in s.row)",
    "all(any(n == m for n in s.row) for m in s.other)",
    "any(all(n >= m for m in s.row) for n in s.row)",
    "all(any(n == m for n in s.other) for m in s.row if any(o > m for o in s.row))",
    "(s.best > 2) == any(n > 1 for n in s.row)",
    "not all(any(n == m for n in s.other) for m in s.row)",
    "any(n > 1 for n in s.row) if s.best == 0 else all(n < 3 for n in s.other) and any(n == 3 for n in s.row)",
    "all(any(all(n + m != k for k in s.other) for n in s.row) for m in s.row)",
]
"""Quantifiers within others, one in another's place."""


@pytest.mark.parametrize("says", NESTED)
def test_a_goal_with_quantifiers_in_it_means_what_python_means(tmp_path: Path, says: str) -> None:
    step = (
        "@action\ndef step(s: World, n: Number, m: Number) -> None:\n    '''A step.'''\n    limit(len(s.row) < top)\n"
        "    s.row.append(n)\n    if n > 1:\n        s.best = n\n"
        "    if m != s.best and len(s.other) < top:\n        s.other.append(m)\n\n\n"
    )
    model, encoding, _ = model_of(tmp_path, step + invariant(says))
    claim = model.properties[0]
    form = cast(Function, claim.form)
    seen = set[bool]()
    for state in reachable_states(model, 30, seed=4):
        here = clauses_of_predicate(form, encoding, constant_state(model, encoding, state), is_nested=True)
        solver = z3.Solver()
        solver.add(z3.Int("constant.top") == 3)
        solver.add(z3.Not(z3.And([z3.BoolVal(True), *(clause.goal() for clause in here)])))
        seen.add(holds(model, claim, state))
        assert solver.check() == (z3.unsat if holds(model, claim, state) else z3.sat), state
    assert seen == {True, False}


def test_an_any_without_an_end_is_for_properties(tmp_path: Path) -> None:
    """Of a lemma, which is a hypothesis as well, it is an error with its line."""
    model, encoding, state = model_of(tmp_path, invariant(NESTED[1]))
    form = cast(Function, model.properties[0].form)
    assert clauses_of_predicate(form, encoding, state, is_nested=True)
    with pytest.raises(NotUnboundedError, match=r"endless\.py:\d+: `any` goes over something that has no end here"):
        clauses_of_predicate(form, encoding, state)


def test_a_loop_that_appends(tmp_path: Path) -> None:
    body = (
        "@action\ndef step(s: World) -> None:\n    '''A step.'''\n"
        "    for i in range(len(s.other), len(s.row)):\n        s.other.append(s.row[i])\n\n\n"
    ) + invariant("all(s.row[i] == s.other[i] for i in range(len(s.other)))")
    model, encoding, state = model_of(tmp_path, body)
    form = model.properties[0].form
    assert form is not None
    (step,) = symbolic_instances(model, encoding, state)
    before = [clause.as_assumption() for clause in clauses_of_predicate(form, encoding, state, suffix="before")]
    row, other = (encoding.algebra.element_count(state.fields[name]) for name in ("row", "other"))
    longer = boolean_term(encoding.numbers.is_less(other, row))
    for clause in clauses_of_predicate(form, encoding, step.post, suffix="after"):
        assert is_proved(boolean_term(state.valid), longer, *before, goal=clause.goal())
        assert not is_proved(boolean_term(state.valid), longer, goal=clause.goal())


def test_a_message_that_is_taken_is_gone(tmp_path: Path) -> None:
    body = (
        "@action\ndef take(s: World, note: Annotated[Note, Member('notes')]) -> None:\n    '''A step.'''\n"
        "    s.notes.remove(note)\n    s.best = note.number\n\n\n"
    ) + invariant("all(n.number <= s.best for n in s.notes)")
    model, encoding, state = model_of(tmp_path, body)
    (taken,) = symbolic_instances(model, encoding, state)
    assert taken.definedness is not True  # it has to be there
    before, after = (cast(Records, side.fields["notes"]) for side in (state, taken.post))
    other, _ = encoding.fresh_message(cast(Pool, model.field("notes").type).of, "other")
    there = [boolean_term(taken.valid), boolean_term(before.has(other))]
    assert is_proved(*there, goal=z3.Not(boolean_term(after.has(cast(Fields, taken.arguments["note"])))))
    assert is_proved(z3.Not(boolean_term(before.has(other))), goal=z3.Not(boolean_term(after.has(other))))
    assert not is_proved(*there, goal=z3.Not(boolean_term(after.has(other))))


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("len(s.notes) == 0", "values without an end are compared, searched or counted as a whole"),
        ("s.notes == Set()", "values without an end are compared, searched or counted as a whole"),
        ("sum(1 for n in s.row if n > 1) < 2", "`sum` goes over something that has no end here"),
    ],
)
def test_what_has_no_meaning_is_an_error_with_its_line(tmp_path: Path, says: str, message: str) -> None:
    model, encoding, state = model_of(tmp_path, invariant(says))
    form = model.properties[0].form
    assert form is not None
    with pytest.raises(NotUnboundedError, match=r"endless\.py:\d+: ") as raised:
        evaluate_predicate(form, encoding, state)
    assert message in raised.value.message
    with pytest.raises(NotUnboundedError):
        clauses_of_predicate(form, encoding, state)
