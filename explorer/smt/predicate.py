"""Properties and lemmas as formulas."""

from __future__ import annotations

from dataclasses import dataclass

import z3

from ..language import ir
from ..language.ir import Where
from .encoding import Encoding
from .states import SymbolicState
from .terms import Bit


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether a predicate holds, where `defined`: where not, evaluating it breaks the model. `assumptions` (unbounded
    only) define what loops without an end gave, and are asserted with it, whether it is a hypothesis or a goal."""

    value: Bit
    defined: Bit
    assumptions: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """`for all variables: hypothesis implies conclusion`: one conjunct of a lemma, with one quantifier or none.

    `variables` are constants that occur in both; `where` is the conjunct's place and `text` names it (the lemma's name
    and a number). Definedness is part of `conclusion`.
    """

    text: str
    variables: tuple[z3.ExprRef, ...]
    hypothesis: Bit
    conclusion: Bit
    where: Where

    def assumed(self) -> z3.BoolRef:
        """The clause as a hypothesis: quantified, with triggers of ours."""
        raise NotImplementedError

    def goal(self) -> z3.BoolRef:
        """The clause as a goal: its variables are fresh constants. Prove it by refuting its negation."""
        raise NotImplementedError


def predicate(function: ir.Function, encoding: Encoding, *states: SymbolicState, suffix: str = "") -> Truth:
    """A property of one state, or of the step between two. NotUnbounded when it has no meaning in the encoding."""
    raise NotImplementedError


def clauses(function: ir.Function, encoding: Encoding, *states: SymbolicState, suffix: str = "") -> list[Clause]:
    """The predicate as clauses: top-level `and`, `all(... for ... if ...)`, implications written `not a or b`, helper
    calls and `if`s that only lead to these are taken apart; loops over identities and enums unrolled. What remains is
    free of quantifiers. `suffix` keeps the variables of two uses apart.

    NotUnbounded, with the line, for what is left over."""
    raise NotImplementedError
