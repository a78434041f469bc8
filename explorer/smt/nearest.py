"""Counterexamples to induction that are as near to an initial state as can be: fewest records, fewest differences.

What the solver finds first has values everywhere, most of which do not matter. So it is asked for one more wish after
the other: that a field is as at first, else that each of its cells is, else that a log is shorter. A wish that is
granted is kept; what the last answer grants already is not asked. The order is fixed, and so is what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TypeAlias

import z3

from ...language.model import Model
from ...language.values import State
from .encoding import Encoding
from .shapes import Fields, Heap, Shape, Slots, Table
from .states import SymbolicState, constant_state
from .terms import Bit, constant_number

WORK = 2_000_000
"""The solver's steps for one wish. One that takes more is not granted."""

Wish: TypeAlias = "tuple[Bit, list[Wish]]"
"""What is wished for, and what instead if it cannot be."""


def nearest_model(
    model: Model,
    encoding: Encoding,
    pre: SymbolicState,
    conditions: Sequence[z3.BoolRef],
    first: State,
    z3_model: z3.ModelRef,
) -> z3.ModelRef:
    """A model of what is said where the state `pre` is as near to an initial state, `first`, as wishes go. `z3_model`
    is one that may be further away."""
    solver = z3.SolverFor("QF_FD")
    solver.add(*conditions)
    if solver.check() != z3.sat:
        return z3_model
    z3_model = solver.model()
    wanted = constant_state(model, encoding, first)
    waiting = [_wish_for_value(encoding, shape, wanted.fields[name]) for name, shape in pre.fields.items()]
    solver.set("rlimit", WORK)
    while waiting:
        wish, instead = waiting.pop(0)
        if isinstance(wish, bool):
            waiting = waiting if wish else [*instead, *waiting]
        elif z3.is_true(z3_model.eval(wish, model_completion=True)):
            solver.add(wish)
        elif solver.check(wish) == z3.sat:
            z3_model = solver.model()
            solver.add(wish)
        else:
            waiting = [*instead, *waiting]
    return z3_model


def _wish_for_value(encoding: Encoding, shape: Shape, wanted_shape: Shape) -> Wish:
    """That a value is as at first; else, that parts of it are."""
    return encoding.algebra.are_same(shape, wanted_shape), list(_wishes_for_parts(encoding, shape, wanted_shape))


def _wishes_for_parts(encoding: Encoding, shape: Shape, wanted_shape: Shape) -> Iterator[Wish]:
    match shape, wanted_shape:
        case (Table(parts=parts), Table(parts=others)):
            for part, other in zip(parts, others, strict=True):
                yield _wish_for_value(encoding, part, other)
        case (Fields(parts=fields), Fields(parts=others)):
            for name, part in fields.items():
                yield _wish_for_value(encoding, part, others[name])
        case ((Slots(length=length) | Heap(count=length)), _):
            last = 0 if length.hi == inf else int(length.hi)
            wishes: list[Wish] = []
            for at in reversed(range(last)):
                wishes = [(encoding.numbers.are_equal(length, constant_number(at)), wishes)]
            yield from wishes
        case _:
            return
