"""A goal, condition by condition: what a step wrote is read behind an `if`, and the solver does better without any.

`s.log[r].append(x)` makes of every reading of a log a choice: is it this log, is it this offset? In a goal the choices
are few, but they stand in all its parts, in quorums above all, and what was true before the step no longer looks the
same after it. So the goal is proved once where the condition holds and once where it does not. In most cases what is
left is a statement about the state before, word for word as a lemma has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import cast

import z3

from .clauses import subterms

DEPTH = 5
"""The most conditions that are decided one after the other."""


def split_goal(goal: z3.BoolRef) -> list[z3.BoolRef]:
    """Goals that together say the same; those left out that are plainly true. One, if there is nothing to decide."""
    return [z3.Implies(z3.And(given), rest) if given else rest for given, rest in _split_goal(goal, (), DEPTH)]


def _split_goal(
    goal: z3.BoolRef, assumptions: tuple[z3.BoolRef, ...], depth: int
) -> Iterator[tuple[list[z3.BoolRef], z3.BoolRef]]:
    goal = cast(z3.BoolRef, z3.simplify(goal))
    if z3.is_true(goal):
        return
    condition = _main_condition(goal) if depth else None
    if condition is None:
        yield list(assumptions), goal
        return
    for holds in (True, False):
        known = condition if holds else z3.Not(condition)
        rest = cast(z3.BoolRef, z3.substitute(goal, (condition, z3.BoolVal(holds))))
        yield from _split_goal(rest, (*assumptions, known), depth - 1)


def _main_condition(goal: z3.BoolRef) -> z3.BoolRef | None:
    """The condition on which most choices in a goal depend, of those in which there is no choice."""
    asked, conditions = Counter[int](), dict[int, z3.BoolRef]()
    for subterm in subterms([goal]):
        if _is_choice(subterm):
            condition = cast(z3.BoolRef, subterm.children()[0])
            conditions[condition.get_id()] = condition
            asked[condition.get_id()] += 1
    ready = (conditions[at] for at, _ in asked.most_common() if not any(map(_is_choice, subterms([conditions[at]]))))
    return next(ready, None)


def _is_choice(term: z3.ExprRef) -> bool:
    return term.decl().kind() == z3.Z3_OP_ITE
