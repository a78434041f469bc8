"""Folding: with the constants' values in place, what can be known now is, and what can never run is dropped.

Only expressions that cannot fail are dropped without being evaluated: folding never hides an error of the model.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from .. import ir
from ..constants import Value
from ..switches import is_constant
from ..types import Bool, Identity, Int, Seq, Type, scalar_size
from ..where import Where
from .membership import unchecked_elements
from .traversal import direct_parts, rebuild_form

_ORDER: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda a, b: a // b,
    "%": operator.mod,
    "**": int.__pow__,
    "min": min,
    "max": max,
}


class Folder:
    """Folds the functions of one bound model; a helper is folded once."""

    def __init__(self) -> None:
        self._functions: dict[int, tuple[ir.Function, ir.Function]] = {}

    # --- statements --------------------------------------------------------------------------------------------------

    def fold_body(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        """The statements folded, those after a certain return dropped."""
        made: list[ir.Statement] = []
        for statement in statements:
            made.extend(self._fold_statement(statement))
            if made and isinstance(made[-1], ir.Return):
                break
        return tuple(made)

    def _fold_statement(self, statement: ir.Statement) -> tuple[ir.Statement, ...]:
        folded: Any = rebuild_form(statement, self.fold_part)
        match folded:
            case ir.If(condition=ir.Const(number=number), yes=yes, no=no):
                return self.fold_body(yes if number else no)
            case ir.If(condition=condition, yes=yes, no=no):
                taken, other = self.fold_body(yes), self.fold_body(no)
                if not taken and not other and is_never_error(condition):
                    return ()
                return (ir.If(condition, taken, other, folded.where),)
            case ir.For(body=body):
                return (replace(folded, body=self.fold_body(body)),)
            case (
                ir.Require(condition=ir.Const(number=1))
                | ir.Limit(condition=ir.Const(number=1))
                | ir.Assert(condition=ir.Const(number=1))
            ):
                return ()
            case _:
                return (folded,)

    def fold_function(self, function: ir.Function) -> ir.Function:
        """A helper or property folded."""
        known = self._functions.get(id(function))
        if known is None:
            body = self.fold_body(function.body)
            known = self._functions[id(function)] = (function, replace(function, body=body))
        return known[1]

    # --- expressions -------------------------------------------------------------------------------------------------

    def fold_part(self, form: Any) -> Any:
        """An expression (or a source, a place, a generator) folded, inside first."""
        folded = rebuild_form(form, self.fold_part)
        handler = _HANDLERS.get(folded.__class__)
        if handler is not None:
            return handler(folded)
        return self._fold_call(folded) if isinstance(folded, ir.Call) else folded

    def _fold_call(self, call: ir.Call) -> ir.Expr:
        function = self.fold_function(call.function)
        match function.body:
            case (ir.Return(value=ir.Const() as value),) if all(
                is_never_error(argument) for argument in call.arguments
            ):
                return replace(value, where=call.where)
            case _:
                return ir.Call(function, call.arguments, call.type, call.where)


_PARTIAL = (ir.Unwrap, ir.Slice, ir.Call)


def is_never_error(form: Any) -> bool:
    """Whether evaluating it can never be an error of the model."""
    match form:
        case ir.Index(container=container):
            if isinstance(container.type, Seq) or isinstance(form.index.type, Int):
                return False
        case ir.Arithmetic(op="//" | "%"):
            return False
        case ir.Quantified(kind="min" | "max", default=None):
            return False
        case ir.MakePool() | ir.Quantified(kind="set") if any(unchecked_elements(form)):
            return False
        case ir.MemberAt(number=number, type=type_):
            if not _is_always_member(number, type_):
                return False
        case _ if isinstance(form, _PARTIAL):
            return False
        case _:
            pass
    return all(is_never_error(part) for part in direct_parts(form))


def _is_always_member(number: ir.Expr, type_: Type) -> bool:
    """Whether a scalar type has a value at whatever position the number is."""
    if not isinstance(number.type, Int) or isinstance(type_, Int):
        return False
    is_open = isinstance(type_, Identity) and type_.size_open is not None
    return not is_open and number.type.lo >= 0 and number.type.hi < scalar_size(type_)


def _truth_constant(value: bool, where: Where) -> ir.Const:
    return ir.Const(int(value), Bool(), where)


def _fold_and(form: ir.And) -> ir.Expr:
    return _fold_connective(form, 0)


def _fold_or(form: ir.Or) -> ir.Expr:
    return _fold_connective(form, 1)


def _fold_connective(form: ir.And | ir.Or, deciding: int) -> ir.Expr:
    """Operands up to the first that decides; those before it must stay when they can fail."""
    kept: list[ir.Expr] = []
    for operand in form.operands:
        if not isinstance(operand, ir.Const):
            kept.append(operand)
        elif operand.number == deciding:
            if all(is_never_error(earlier) for earlier in kept):
                return operand
            kept.append(operand)
            break
    if not kept:
        return _truth_constant(not deciding, form.where)
    return kept[0] if len(kept) == 1 else type(form)(tuple(kept), form.type, form.where)


def _fold_not(form: ir.Not) -> ir.Expr:
    match form.operand:
        case ir.Const(number=number):
            return _truth_constant(not number, form.where)
        case ir.Not(operand=inner):
            return inner
        case _:
            return form


def _fold_choice(form: ir.Choice) -> ir.Expr:
    if isinstance(form.condition, ir.Const):
        return form.yes if form.condition.number else form.no
    return form


def _fold_compare(form: ir.Compare) -> ir.Expr:
    match form.left, form.right:
        case ir.Const(number=a), ir.Const(number=b):
            return _truth_constant(_ORDER[form.op](a, b), form.where)
        case (ir.Some() as some, ir.Const(number=0)) | (ir.Const(number=0), ir.Some() as some) if is_never_error(some):
            return _truth_constant(form.op == "!=", form.where)
        case ir.Some(value=a), ir.Some(value=b):
            return _fold_compare(replace(form, left=a, right=b))
        case _:
            return form


def _fold_arithmetic(form: ir.Arithmetic) -> ir.Expr:
    match form.left, form.right:
        case ir.Const(number=a), ir.Const(number=b) if b or form.op not in ("//", "%"):
            value = _ARITHMETIC[form.op](a, b)
            return ir.Const(value, Int(value, value), form.where)
        case _:
            return form


def _is_none(form: ir.IsNone) -> ir.Expr:
    match form.option:
        case ir.Const():
            return _truth_constant(True, form.where)
        case ir.Some(value=value) if is_never_error(value):
            return _truth_constant(False, form.where)
        case _:
            return form


def _fold_unwrap(form: ir.Unwrap) -> ir.Expr:
    return form.option.value if isinstance(form.option, ir.Some) else form


def _fold_position(form: ir.Position) -> ir.Expr:
    match form.of:
        case ir.Const(number=number):
            return ir.Const(number, Int(number, number), form.where)
        case _:
            return form


def _fold_member_at(form: ir.MemberAt) -> ir.Expr:
    match form.number:
        case ir.Const(number=number) if _is_always_member(form.number, form.type):
            return ir.Const(number, form.type, form.where)
        case ir.Position(of=of) if of.type == form.type:
            return of
        case _:
            return form


_HANDLERS: dict[type[Any], Callable[[Any], ir.Expr]] = {
    ir.And: _fold_and,
    ir.Or: _fold_or,
    ir.Not: _fold_not,
    ir.Choice: _fold_choice,
    ir.Compare: _fold_compare,
    ir.Arithmetic: _fold_arithmetic,
    ir.IsNone: _is_none,
    ir.Unwrap: _fold_unwrap,
    ir.Position: _fold_position,
    ir.MemberAt: _fold_member_at,
}


# --- constant conditions with open constants -------------------------------------------------------------------------


def constant_value(form: ir.Expr, values: Mapping[str, Value]) -> int | None:
    """The number of an expression over constants, open ones at their present values; None when the state decides, or
    when it has none (it divides by zero: an error of the step that evaluates it)."""
    if not is_constant(form):
        return None
    found = _with_present_values(form, values)
    return found.number if isinstance(found, ir.Const) else None


def _with_present_values(form: Any, values: Mapping[str, Value]) -> Any:
    if isinstance(form, ir.OpenConst):
        return ir.Const(_number_of_value(values[form.name]), form.type, form.where)
    folded = rebuild_form(form, lambda part: _with_present_values(part, values))
    handler = _HANDLERS.get(folded.__class__)
    return folded if handler is None else handler(folded)


def _number_of_value(value: Value) -> int:
    return list(type(value)).index(value) if isinstance(value, Enum) else int(value)


def has_false_guard(body: Iterable[ir.Statement], values: Mapping[str, Value]) -> bool:
    """Whether a guard of an action is false whatever the state, constants having these values."""
    return any(_is_false_guard(statement, values) for statement in body)


def _is_false_guard(statement: ir.Statement, values: Mapping[str, Value]) -> bool:
    match statement:
        case ir.Require(condition=condition):
            return constant_value(condition, values) == 0
        case ir.If(condition=condition, yes=yes, no=no):
            chosen = constant_value(condition, values)
            return chosen is not None and has_false_guard(yes if chosen else no, values)
        case _:
            return False
