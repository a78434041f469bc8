"""Properties and lemmas as formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...language import ir
from ...language.immutable import immutable
from .algebra import ExtensionalError, truth_bit
from .clause_execution import ClauseContext, ClauseExecution, NestedClauseExecution
from .clauses import Clause
from .encoding import Encoding
from .errors import endless_value_error
from .loop_definitions import DefiningExecution
from .shapes import Shape
from .states import SymbolicState
from .terms import Bit


@immutable
class PredicateValue:
    """Whether a predicate holds, where `definedness`: where not, evaluating it breaks the model. `assumptions`
    (unbounded only) define what loops without an end gave, and are asserted with it, whether it is a hypothesis or a
    goal."""

    value: Bit
    definedness: Bit
    assumptions: tuple[Clause, ...] = ()


def evaluate_predicate(
    function: ir.Function, encoding: Encoding, *states: SymbolicState, suffix: str = ""
) -> PredicateValue:
    """A property of one state, or of the step between two. NotUnboundedError when it has no meaning in the encoding."""
    execution = DefiningExecution(encoding, _state_names(function, states), f"{suffix}!{function.name}")
    try:
        value, defined = execution.result_of(function, {})
    except ExtensionalError:
        raise endless_value_error(function.where) from None
    return PredicateValue(truth_bit(value), defined, tuple(execution.assumptions))


def clauses_of_predicate(
    function: ir.Function, encoding: Encoding, *states: SymbolicState, suffix: str = "", is_nested: bool = False
) -> list[Clause]:
    """The predicate as clauses, all of which it says, one quantifier each.

    `and`, `or`, `not`, `all(... for ... if ...)`, `any` under a `not`, a choice, helpers and `if`s are taken apart as
    far as it takes to come to quantifiers; a part without any stays whole, loops over identities and enums unrolled.
    `suffix` keeps the variables of two uses apart. NotUnboundedError, with the line, for what is left over: with
    `is_nested`, of a property that is only ever a goal, not for an `all` or `any` within a clause, which then has
    quantifiers in it.
    """
    make = NestedClauseExecution if is_nested else ClauseExecution
    taking = make(encoding, _state_names(function, states), f"{suffix}!{function.name}")
    try:
        taken = list(taking.clauses_of_body(function.body, {}, ClauseContext(), True))
    except ExtensionalError:
        raise endless_value_error(function.where) from None
    return [
        replace(statement, text=f"{function.name}.{number}")
        for number, statement in enumerate(taken, 1)
        if statement.conclusion is not True or statement.definedness is not True
    ]


def _state_names(function: ir.Function, states: tuple[SymbolicState, ...]) -> dict[str, Mapping[str, Shape]]:
    return {name: state.fields for name, state in zip(function.states, states, strict=True)}
