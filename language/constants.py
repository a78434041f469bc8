"""Constants and feature switches: the numbers and choices that make one model out of a family.

In a model's text a constant looks like the value it stands for: `replicas = constant(3, minimum=1, maximum=6)` is an
`int` to a type checker. When the module is read it is a `Constant`; when the model is bound (see `binding`) every use
becomes the value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias, TypeVar, cast

from .immutable import immutable

Value: TypeAlias = bool | int | Enum
PlainValue: TypeAlias = bool | int | str
"""A constant's value as text and JSON have it: an enum by its value."""
T = TypeVar("T", bound=Value)

_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": int.__floordiv__,
    "%": operator.mod,
    "**": int.__pow__,
    "min": min,
    "max": max,
}

EXPONENT_MAX = 62
"""The highest exponent of `**`; a higher power of 2 leaves the integers."""

_NO_VALUE_TEXT = "a constant has a value only when the model is bound; use it in a function of the model"
_USE_IN_FUNCTION = "the condition in a function, where it is used: there the constant has its value"


class NoValueYetError(TypeError):
    """What is known once a model is bound is asked for while its file is imported. `instead` says where to ask."""

    def __init__(self, message: str, instead: str) -> None:
        super().__init__(message)
        self.instead = instead


class UndefinedValueError(ArithmeticError):
    """Arithmetic over constants has no value with those that they have: it divides by 0, or takes a power that is no
    integer."""


def no_value_error(what: str) -> NoValueYetError:
    """Why something that depends on constants' values is not answered while a file is imported."""
    return NoValueYetError(f"{_NO_VALUE_TEXT}: {what}", _USE_IN_FUNCTION)


class ConstantExpression:
    """Integer arithmetic over constants, as bounds and capacities are written: `max_leader_epoch + 1`."""

    def value(self, values: Mapping[str, Value]) -> int:
        """What the expression is when the constants have `values`."""
        raise NotImplementedError

    def names(self) -> frozenset[str]:
        """The constants it depends on."""
        raise NotImplementedError

    def __add__(self, other: Any) -> ConstantExpression:
        return Operation("+", self, lift(other))

    def __radd__(self, other: Any) -> ConstantExpression:
        return Operation("+", lift(other), self)

    def __sub__(self, other: Any) -> ConstantExpression:
        return Operation("-", self, lift(other))

    def __rsub__(self, other: Any) -> ConstantExpression:
        return Operation("-", lift(other), self)

    def __mul__(self, other: Any) -> ConstantExpression:
        return Operation("*", self, lift(other))

    def __rmul__(self, other: Any) -> ConstantExpression:
        return Operation("*", lift(other), self)

    def __floordiv__(self, other: Any) -> ConstantExpression:
        return Operation("//", self, lift(other))

    def __rfloordiv__(self, other: Any) -> ConstantExpression:
        return Operation("//", lift(other), self)

    def __mod__(self, other: Any) -> ConstantExpression:
        return Operation("%", self, lift(other))

    def __rmod__(self, other: Any) -> ConstantExpression:
        return Operation("%", lift(other), self)

    def __pow__(self, other: Any) -> ConstantExpression:
        return Operation("**", self, lift(other))

    def __rpow__(self, other: Any) -> ConstantExpression:
        return Operation("**", lift(other), self)

    def __pos__(self) -> ConstantExpression:
        return Operation("+", Literal(0), self)

    def __neg__(self) -> ConstantExpression:
        return Operation("-", Literal(0), self)

    def __bool__(self) -> bool:
        """Refused: when a module is read, no constant has a value yet, and one answer would be kept for all of them."""
        raise NoValueYetError(f"{_NO_VALUE_TEXT}: it is neither true nor false here", _USE_IN_FUNCTION)

    def __lt__(self, other: object) -> bool:
        """Refused, as `__bool__` is; so are the other comparisons."""
        raise NoValueYetError(
            f"{_NO_VALUE_TEXT}: it cannot be compared with {_operand_text(other)} here", _USE_IN_FUNCTION
        )

    __le__ = __gt__ = __ge__ = __lt__

    def __eq__(self, other: object) -> bool:
        """Refused, as `__bool__` is, with a value and with another constant: whether they are equal is known once the
        model is bound. It is equal to itself, and to nothing that is not a value of a constant."""
        if self is other or not isinstance(other, bool | int | Enum | ConstantExpression):
            return self is other
        raise NoValueYetError(
            f"{_NO_VALUE_TEXT}: it cannot be compared with {_operand_text(other)} here", _USE_IN_FUNCTION
        )

    __hash__ = object.__hash__


def _operand_text(other: object) -> str:
    return "another constant" if isinstance(other, ConstantExpression) else repr(other)


@dataclass(frozen=True, eq=False, slots=True)
class Literal(ConstantExpression):
    """A plain number inside a constant expression."""

    number: int

    def value(self, values: Mapping[str, Value]) -> int:
        return self.number

    def names(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True, eq=False, slots=True)
class Operation(ConstantExpression):
    """`left op right`, with op one of `+ - * // % ** min max`."""

    op: str
    left: ConstantExpression
    right: ConstantExpression

    def value(self, values: Mapping[str, Value]) -> int:
        left, right = self.left.value(values), self.right.value(values)
        if self.op in ("//", "%") and right == 0:
            raise self._undefined_error(values, "it divides by 0")
        if self.op == "**" and not 0 <= right <= EXPONENT_MAX:
            raise self._undefined_error(values, f"the exponent is {right}, and has to be from 0 to {EXPONENT_MAX}")
        return _OPERATIONS[self.op](left, right)

    def names(self) -> frozenset[str]:
        return self.left.names() | self.right.names()

    def _undefined_error(self, values: Mapping[str, Value], why: str) -> UndefinedValueError:
        given = ", ".join(f"{name}={values[name]}" for name in sorted(self.names()))
        return UndefinedValueError(f"{expression_text(self)} has no value with {given}: {why}")


@dataclass(eq=False, slots=True)
class Constant(ConstantExpression):
    """A declared constant. `name` is the module variable that holds it, filled in when the module is collected.

    `minimum` and `maximum` bound an integer (both included); None for bools and enums.
    """

    default: Value
    minimum: int | None
    maximum: int | None
    says: str
    name: str = ""

    def value(self, values: Mapping[str, Value]) -> int:
        return cast(int, values[self.name])

    def names(self) -> frozenset[str]:
        return frozenset({self.name})

    def choices(self) -> tuple[Value, ...]:
        """Every value the constant may take, in order."""
        if isinstance(self.default, bool):
            return (False, True)
        if isinstance(self.default, Enum):
            return tuple(type(self.default))
        assert self.minimum is not None and self.maximum is not None
        return tuple(range(self.minimum, self.maximum + 1))


@immutable
class OpenExpression(ConstantExpression):
    """An expression over constants in a type of a bound model: two are equal when their texts are."""

    text: str
    expression: ConstantExpression = field(compare=False, repr=False)

    def value(self, values: Mapping[str, Value]) -> int:
        return self.expression.value(values)

    def names(self) -> frozenset[str]:
        return self.expression.names()


def expression_text(expression: ConstantExpression) -> str:
    """An expression with its constants by their names: `(replicas + 1)`."""
    match expression:
        case Constant(name=name):
            return name
        case Literal(number=number):
            return str(number)
        case Operation(op=op, left=left, right=right):
            return f"({expression_text(left)} {op} {expression_text(right)})"
        case OpenExpression(text=text):
            return text
        case _:
            raise TypeError(f"{expression!r} is not a constant expression")


def constant(default: T, *, minimum: int | None = None, maximum: int | None = None, says: str = "") -> T:
    """Declare a constant of a model: a bool, an enum member, or an integer from `minimum` to `maximum`.

    `says` is one line for people. Assign it to a module variable; that name is the constant's name. Raises ValueError
    when an integer lacks its bounds or its default lies outside them.
    """
    if isinstance(default, int) and not isinstance(default, bool):
        if minimum is None or maximum is None:
            raise ValueError("an integer constant needs minimum= and maximum=")
        if not minimum <= default <= maximum:
            raise ValueError(f"default {default} is outside {minimum}..{maximum}")
    return cast(T, Constant(default, minimum, maximum, says))


def lift(value: Any) -> ConstantExpression:
    """A constant expression from a number or a constant expression; TypeError for anything else."""
    if isinstance(value, ConstantExpression):
        return value
    if isinstance(value, int):
        return Literal(value)
    raise TypeError(f"{value!r} is not a number or a constant")
