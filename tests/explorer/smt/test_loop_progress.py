"""What a loop has come to: what is evaluated in a round has to be defined where Python comes to that round."""

from __future__ import annotations

import pytest
import z3
from tidegate.explorer.smt.loop_progress import LoopProgress
from tidegate.explorer.smt.terms import and_bits, boolean_term

THERE, STOPS, DEFINED = z3.Bool("there"), z3.Bool("stops"), z3.Bool("defined")


def is_valid(claim: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.add(z3.Not(claim))
    return solver.check() == z3.unsat


@pytest.mark.parametrize("in_order", [True, False])
def test_after_a_round_that_ends_the_loop_only_members_in_no_order_must_be_defined(in_order: bool) -> None:
    progress = LoopProgress(is_ordered=in_order)
    progress.need_defined(True, True)
    assert progress.definedness == []
    progress.stop_loop(STOPS)
    progress.need_defined(THERE, DEFINED)
    needed = boolean_term(and_bits(*progress.definedness))
    assert is_valid(z3.Implies(z3.And(z3.Not(STOPS), THERE), needed == DEFINED))
    assert is_valid(z3.Implies(z3.And(STOPS, THERE), needed)) is in_order
    assert is_valid(z3.Implies(z3.Not(THERE), needed))
