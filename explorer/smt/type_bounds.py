"""What bounds the values of a type: numbers, or variables where a constant that bounds it has no value.

A constant without a bound is a variable, the same in all states. Of it only its declared minimum is known, and that it
is not 0 where that is the minimum. A type that it bounds has that variable for an end: so a proof is one for every
value of the constant, and a comparison with it means what it means in the model. Which constants these are is said by
`boundless.boundless_constants`: those that occur in a `Range`, in a `Capacity`, or as a budget, in no size of a
`Domain`, and whose value is not 0. A bound of 0 says that there is no such thing (`messages=0`: an exchange is one
step; `crashes=0`: nobody crashes), and goes on saying so.
"""

from __future__ import annotations

from math import inf
from typing import cast

import z3

from ...language.constants import Constant, ConstantExpression, OpenExpression, Operation
from ...language.model import Model
from ...language.types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type
from .numbers import BitVectors, Integers, is_at_least
from .terms import Bit, Bound, Number, and_bits, conjunction, constant_number
from .terms import Operation as Arithmetic


class TypeBounds:
    """The bounds of the types of one bound model. `boundless` names the constants that have no value here: each is a
    variable, and `constants` says of them what is known."""

    def __init__(self, model: Model, numbers: Integers, boundless: frozenset[str]) -> None:
        self.model = model
        self.values = model.values
        self.boundless = boundless
        self.numbers = numbers
        self._variables = {name: self._variable_of(name) for name in sorted(boundless)}
        self.constants = conjunction(
            is_at_least(numbers, Number(variable.term, -inf, inf), constant_number(int(variable.lo)))
            for variable in self._variables.values()
        )

    @property
    def is_finite(self) -> bool:
        """Whether every type keeps its bounds."""
        return isinstance(self.numbers, BitVectors)

    def _variable_of(self, name: str) -> Number:
        """The variable that a constant without a bound is; it is at least its minimum, and not 0 (see
        `boundless_constants`)."""
        least = cast(int, self.model.constants[name].minimum)
        return Number(z3.Int(f"constant.{name}"), 1 if least == 0 else least, inf)

    def constant_value(self, expression: ConstantExpression) -> Number:
        """The value of an expression over constants."""
        match expression:
            case Operation(op=op, left=left, right=right):
                return self.numbers.arithmetic(
                    cast(Arithmetic, op), self.constant_value(left), self.constant_value(right)
                )
            case Constant(name=name) if name in self._variables:
                return self._variables[name]
            case OpenExpression(expression=opened):
                return self.constant_value(opened)
            case _:
                return constant_number(expression.value(self.values))

    def is_zero(self, constant: str) -> bool:
        """Whether a constant is 0: of what it counts there is none."""
        return constant not in self.boundless and self.values[constant] == 0

    def _is_open(self, expression: ConstantExpression | None) -> bool:
        return expression is not None and bool(expression.names() & self.boundless)

    def bound_value(self, open_: ConstantExpression | None, static_bound: int) -> Bound:
        """A bound: the static one, the value of an open one, or infinite where it is a variable (see `end_terms`)."""
        if open_ is None:
            return static_bound
        return inf if self._is_open(open_) else open_.value(self.values)

    def interval_of(self, type_: Type) -> tuple[Bound, Bound]:
        """The first and the last number of a scalar type, infinite where no number is known to be it."""
        match type_:
            case Int(lo=lo, hi=hi, lo_open=lo_open, hi_open=hi_open):
                return -self.bound_value(None if lo_open is None else -lo_open, -lo), self.bound_value(hi_open, hi)
            case Bool():
                return 0, 1
            case Enumeration(members=members):
                return 0, len(members) - 1
            case Identity(size=size, size_open=size_open):
                return 0, self.bound_value(size_open, size) - 1
            case _:
                raise TypeError(f"{type_} is not a scalar type")

    def end_terms(self, type_: Type) -> tuple[Number, Number]:
        """The first and the last number of a scalar type, as terms where they depend on constants without bounds."""
        lo, hi = self.interval_of(type_)
        lo_open, hi_open = (type_.lo_open, type_.hi_open) if isinstance(type_, Int) else (None, None)
        first = self.constant_value(lo_open) if lo_open is not None and lo == -inf else constant_number(int(lo))
        return first, self.constant_value(hi_open) if hi_open is not None and hi == inf else constant_number(int(hi))

    def is_in_interval(self, type_: Type, number: Number) -> Bit:
        """Whether a number is one of a scalar type's values."""
        first, last = self.end_terms(type_)
        lo, hi = self.interval_of(type_)
        least = is_at_least(self.numbers, number, first) if lo == -inf else True
        most = is_at_least(self.numbers, last, number) if hi == inf else True
        return and_bits(self.numbers.is_in_interval(number, lo, hi), least, most)

    def numbers_of(self, type_: Type) -> range | None:
        """The numbers of a scalar type's values; None when it is not known how many there are."""
        lo, hi = self.interval_of(type_)
        return None if inf in (-lo, hi) else range(int(lo), int(hi) + 1)

    def capacity(self, type_: Seq | Pool) -> Bound:
        """How many elements it may have, infinite where no number is known to be that, and of a pool of records with
        something in them that has no end: these have no order here in which a few of them could stand."""
        if isinstance(type_, Pool) and self._has_no_end(type_.of):
            return inf
        return self.bound_value(type_.capacity_open, type_.capacity)

    def _has_no_end(self, type_: Type) -> bool:
        """Whether values of a type have something in them of which it is not known how much there is."""
        match type_:
            case Option(of=of):
                return self._has_no_end(of)
            case Record(fields=fields):
                return any(self._has_no_end(of) for _, of in fields)
            case Map(key=key, value=of):
                return self.numbers_of(key) is None or self._has_no_end(of)
            case Subset(of=of):
                return self.numbers_of(of) is None
            case Seq(of=of) | Pool(of=of):
                return self.capacity(type_) == inf or self._has_no_end(of)
            case _:
                return False

    def has_room(self, type_: Seq, length: Number) -> Bit:
        """Whether a sequence may be so long."""
        below = self.numbers.is_in_interval(length, 0, self.capacity(type_))
        if type_.capacity_open is None or not self._is_open(type_.capacity_open):
            return below
        return and_bits(below, is_at_least(self.numbers, self.constant_value(type_.capacity_open), length))
