"""A goal is split into cases that say the same as it does, and in which there is nothing left to choose.

Also of: `clauses`.
"""

from __future__ import annotations

from typing import cast

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.explorer.smt.clauses import subterms
from tidegate.explorer.smt.splitting import DEPTH, split_goal

NUMBERS = [z3.Int(name) for name in "abcd"]
LOG = z3.Function("log", z3.IntSort(), z3.IntSort())


def reading(of: z3.ArithRef) -> z3.ArithRef:
    return cast(z3.ArithRef, LOG(of))


def choice(x: z3.ArithRef, y: z3.ArithRef, yes: z3.ArithRef, no: z3.ArithRef) -> z3.ArithRef:
    return cast(z3.ArithRef, z3.If(x == y, yes, no))


def claim(x: z3.ArithRef, y: z3.ArithRef, z: z3.ArithRef, either: bool) -> z3.BoolRef:
    return z3.Or(x <= y, z3.Not(y <= z)) if either else z3.And(x <= y, y <= z)


def numbers() -> st.SearchStrategy[z3.ArithRef]:
    """Terms as steps leave them: readings, and choices between them that hang on other readings."""
    plain = st.sampled_from(NUMBERS)
    return st.recursive(
        plain, lambda inner: st.builds(choice, inner, inner, inner, inner) | st.builds(reading, inner), max_leaves=6
    )


def is_valid(said: z3.BoolRef) -> bool:
    solver = z3.SimpleSolver()
    solver.add(z3.Not(said))
    return solver.check() == z3.unsat


@settings(max_examples=60, deadline=None)
@given(st.builds(claim, numbers(), numbers(), numbers(), st.booleans()))
def test_the_cases_say_what_the_goal_says(goal: z3.BoolRef) -> None:
    assert is_valid(goal == z3.And([z3.BoolVal(True), *split_goal(goal)]))


def test_nothing_is_chosen_in_a_case() -> None:
    a, b, c, d = NUMBERS
    appended = choice(a, b, c, choice(a, d, reading(b), reading(a)))
    made = split_goal(appended <= reading(appended))
    assert len(made) == 3
    assert not any(subterm.decl().kind() == z3.Z3_OP_ITE for subterm in subterms(made))


def test_more_conditions_than_are_decided_stay_in_the_cases() -> None:
    total = NUMBERS[2]
    for at in range(DEPTH + 1):
        total = total + choice(reading(z3.IntVal(at)), z3.IntVal(at), NUMBERS[0], NUMBERS[1])
    goal = total <= NUMBERS[3]
    made = split_goal(goal)
    assert len(made) == 2**DEPTH
    assert is_valid(goal == z3.And(made))


@pytest.mark.parametrize(("goal", "cases"), [(z3.BoolVal(True), 0), (z3.BoolVal(False), 1), (NUMBERS[0] <= 0, 1)])
def test_what_has_nothing_to_decide(goal: z3.BoolRef, cases: int) -> None:
    assert len(split_goal(goal)) == cases
