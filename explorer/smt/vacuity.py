"""Vacuity: a property that is proved although its antecedent is never true.

`all(s.epoch[r] > 0 for r in Replica if s.leads[r])` says nothing where nobody ever leads. To find that out the property
is made stronger: `denied_antecedents` puts `False` in place of every consequent, so that what is left says that no
antecedent is true. Where a reachable state makes that false, the property says something there. Where it follows from
the lemmas, as the property itself does, the property is vacuous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import z3

from ...language import ir
from ...language.model import Model, Property
from ...language.types import Bool
from ...language.values import State
from .encoding import finite_encoding
from .predicate import evaluate_predicate
from .states import SymbolicState, constant_state
from .terms import boolean_term

_T = TypeVar("_T")

MAX_FORMULA_SIZE = 400
"""In so many of the states (or steps) that were met an antecedent is looked for, before the solver is asked."""


def denied_antecedents(function: ir.Function) -> ir.Function | None:
    """The predicate that every antecedent in a property is false; None where the property has no antecedent, so that it
    says something in every state."""
    body = _deny_in_body(function.body)
    if body is None or all(isinstance(expression, ir.Const) for expression in _returned_expressions(body)):
        return None
    return replace(function, body=body)


def _deny_in_body(statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...] | None:
    """What a function says that denies the antecedents in what it returned; None for a body with a loop."""
    made: list[ir.Statement] = []
    for statement in statements:
        match statement:
            case ir.Return(value=value):
                made.append(replace(statement, value=_deny_in_expression(value)))
            case ir.If(yes=yes, no=no):
                inner, other = _deny_in_body(yes), _deny_in_body(no)
                if inner is None or other is None:
                    return None
                made.append(replace(statement, yes=inner, no=other))
            case ir.Let() | ir.Assert():
                made.append(statement)
            case _:
                return None
    return tuple(made)


def _returned_expressions(statements: tuple[ir.Statement, ...]) -> list[ir.Expr]:
    """What a body may return."""
    found: list[ir.Expr] = []
    for statement in statements:
        match statement:
            case ir.Return(value=value):
                found.append(value)
            case ir.If(yes=yes, no=no):
                found += [*_returned_expressions(yes), *_returned_expressions(no)]
            case _:
                pass
    return found


def _deny_in_expression(e: ir.Expr) -> ir.Expr:
    """An expression with False in place of its consequents; False itself where it has no antecedent."""
    no = ir.Const(0, Bool(), e.where)
    match e:
        case ir.Const():
            return e
        case ir.And(operands=operands):
            inner = tuple(map(_deny_in_expression, operands))
            return no if any(map(_is_false, inner)) else replace(e, operands=inner)
        case ir.Or(operands=(*conditions, consequent)) if all(map(_is_condition, conditions)):
            return replace(e, operands=(*conditions, _deny_in_expression(consequent)))
        case ir.Choice(yes=yes, no=otherwise):
            one, other = _deny_in_expression(yes), _deny_in_expression(otherwise)
            return no if _is_false(one) and _is_false(other) else replace(e, yes=one, no=other)
        case ir.Quantified(kind="all", body=body, generators=generators) if not _is_false(body):
            inner = _deny_in_expression(body)
            may_be_empty = any(
                generator.conditions or not isinstance(generator.source, ir.Members) for generator in generators
            )
            return no if _is_false(inner) and not may_be_empty else replace(e, body=inner)
        case ir.Call(function=function):
            said = denied_antecedents(function)
            return no if said is None else replace(e, function=said)
        case _:
            return no


def _is_false(e: ir.Expr) -> bool:
    return isinstance(e, ir.Const) and e.number == 0


def _is_condition(e: ir.Expr) -> bool:
    """Whether the operand of an `or` reads as the opposite of an antecedent: `not a or b`, `a is None or b`,
    `a != x or b`, `a == 0 or b`."""
    match e:
        case ir.Not() | ir.IsNone() | ir.Const() | ir.Compare(op="!="):
            return True
        case ir.Compare(op="==", left=left, right=right):
            return isinstance(left, ir.Const) or isinstance(right, ir.Const)
        case _:
            return False


# --- in states that can be reached ------------------------------------------------------------------------------------


class ReachedStates:
    """The states that were met in some runs of a bounded model, and the steps between them."""

    def __init__(self, model: Model, states: Sequence[State], steps: Sequence[tuple[State, State]]) -> None:
        self.model, self.encoding = model, finite_encoding(model)
        self._forms = {prop.name: prop.form for prop in (*model.lemmas, *model.properties)}
        self._states, self._steps = pick_evenly(states), pick_evenly(steps)
        self._known = dict[State, SymbolicState]()

    def is_true_of_something(self, prop: Property) -> bool:
        """Whether an antecedent of the property is true in one of the states, or the property has none."""
        form = self._forms.get(prop.name)
        said = None if form is None else denied_antecedents(form)
        if said is None:
            return True
        some = self._steps if prop.kind == "transition" else [(state,) for state in self._states]
        return any(not self._is_true_of(said, *map(self._symbolic_state, states)) for states in some)

    def _symbolic_state(self, state: State) -> SymbolicState:
        if state not in self._known:
            self._known[state] = constant_state(self.model, self.encoding, state)
        return self._known[state]

    def _is_true_of(self, form: ir.Function, *states: SymbolicState) -> bool:
        truth = evaluate_predicate(form, self.encoding, *states)
        return not z3.is_false(z3.simplify(boolean_term(truth.value)))


def pick_evenly(some: Sequence[_T]) -> list[_T]:
    """At most `MAX_FORMULA_SIZE` of some things, evenly from all over, the last of them first."""
    step = max(1, -(-len(some) // MAX_FORMULA_SIZE))
    return list(some[::-step])
