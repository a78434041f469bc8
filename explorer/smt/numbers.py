"""Numbers in the two encodings: bit-vectors as wide as their interval, and integers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import inf
from typing import Any, cast

import z3

from ...language.constants import EXPONENT_MAX
from ...language.frontend.intervals import result_interval as bounded_interval
from ...language.types import Int
from .terms import (
    Bit,
    Bound,
    Number,
    Operation,
    Term,
    and_bits,
    bit_count,
    chosen_term,
    constant_number,
    constant_vector,
    negation,
)


class Integers:
    """Numbers as mathematical integers, with or without ends."""

    def term_of(self, number: Number) -> Term:
        """The number as a term of Z3."""
        return z3.IntVal(number.term) if isinstance(number.term, int) else number.term

    def fresh_number(self, name: str, lo: Bound, hi: Bound) -> tuple[Number, Bit]:
        """A variable, and the constraint that it is from `lo` to `hi`."""
        free = z3.Int(name)
        return Number(free, lo, hi), self.is_in_interval(Number(free, -inf, inf), lo, hi)

    def is_in_interval(self, number: Number, lo: Bound, hi: Bound) -> Bit:
        """Whether the number lies in the interval."""
        above = True if number.lo >= lo else is_at_least(self, number, constant_number(int(lo)))
        below = True if number.hi <= hi else is_at_least(self, constant_number(int(hi)), number)
        return and_bits(above, below)

    def narrow_to(self, number: Number, lo: Bound, hi: Bound) -> Number:
        """The number, known by other means to lie in the interval; outside of it anything."""
        low, high = max(lo, number.lo), min(hi, number.hi)
        if low > high or (number.is_constant and not lo <= cast(int, number.term) <= hi):
            return constant_number(int(lo))
        return self._cut_to(number, low, high)

    def _cut_to(self, number: Number, lo: Bound, hi: Bound) -> Number:
        return Number(number.term, lo, hi)

    def choose(self, condition: Bit, yes: Number, no: Number) -> Number:
        """The one or the other."""
        if isinstance(condition, bool):
            return yes if condition else no
        if yes is no or (yes.is_constant and yes.term == no.term):
            return yes
        lo, hi = min(yes.lo, no.lo), max(yes.hi, no.hi)
        left, right = self._of_one_sort(lo, hi, yes, no)
        if left.eq(right):
            return Number(left, lo, hi)
        return Number(chosen_term(condition, left, right), lo, hi)

    def _of_one_sort(self, lo: Bound, hi: Bound, *numbers: Number) -> list[Term]:
        """The numbers as terms of one sort that has room for lo..hi."""
        return [self.term_of(number) for number in numbers]

    def as_number(self, bit: Bit) -> Number:
        """1 or 0."""
        return self.choose(bit, constant_number(1), constant_number(0))

    def arithmetic(self, op: Operation, left: Number, right: Number) -> Number:
        """`left op right`, as Python means it; of `//` and `%` by 0 anything, and of `**` outside `EXPONENTS`."""
        if op == "**":
            return self._power(left, right)
        if op in ("min", "max"):
            return self._extreme(op, left, right)
        if op in ("//", "%") and right.term == 0:
            return constant_number(0)
        if isinstance(left.term, int) and isinstance(right.term, int):
            return constant_number(_EXACTLY[op](left.term, right.term))
        lo, hi = _result_interval(op, left, right)
        if op in ("+", "-") and right.term == 0:
            return left
        if op == "+" and left.term == 0:
            return right
        return self._compute(op, left, right, lo, hi)

    def _power(self, base: Number, exponent: Number) -> Number:
        power = constant_number(1)
        for _ in range(max(int(exponent.lo), 0)):
            power = self.arithmetic("*", power, base)
        found = power
        for least in range(max(int(exponent.lo), 0) + 1, int(min(exponent.hi, EXPONENT_MAX)) + 1):
            power = self.arithmetic("*", power, base)
            found = self.choose(self.is_less(exponent, constant_number(least)), found, power)
        return found

    def _extreme(self, op: Operation, left: Number, right: Number) -> Number:
        smaller = self.is_less(left, right)
        least, most = self.choose(smaller, left, right), self.choose(smaller, right, left)
        lo, hi = _result_interval(op, left, right)
        chosen = least if op == "min" else most
        return chosen if chosen.is_constant else self._cut_to(chosen, lo, hi)

    def _compute(self, op: Operation, left: Number, right: Number, lo: Bound, hi: Bound) -> Number:
        one, other = cast("list[Any]", self._of_one_sort(lo, hi, left, right))
        match op:
            case "+":
                return Number(one + other, lo, hi)
            case "-":
                return Number(one - other, lo, hi)
            case "*":
                return Number(one * other, lo, hi)
            case _:
                quotient = z3.If(other > 0, one / other, -one / -other)
                return Number(quotient if op == "//" else one - quotient * other, lo, hi)

    def is_less(self, left: Number, right: Number) -> Bit:
        """Whether `left < right`."""
        if left.hi < right.lo:
            return True
        if left.lo >= right.hi:
            return False
        lo, hi = min(left.lo, right.lo), max(left.hi, right.hi)
        one, other = cast("list[Any]", self._of_one_sort(lo, hi, left, right))
        return False if one.eq(other) else one < other

    def are_equal(self, left: Number, right: Number) -> Bit:
        """Whether they are equal."""
        if left.hi < right.lo or right.hi < left.lo:
            return False
        if left.is_constant and right.is_constant:
            return left.term == right.term
        lo, hi = min(left.lo, right.lo), max(left.hi, right.hi)
        one, other = self._of_one_sort(lo, hi, left, right)
        return True if one.eq(other) else one == other


class BitVectors(Integers):
    """Numbers as signed bit-vectors, just wide enough for their interval.

    A variable is made of truth values of its own, `name:0` and so on from the lowest bit, so that they can be found
    again in a formula of truth values alone.
    """

    def term_of(self, number: Number) -> Term:
        """The number as a term of Z3, as wide as its interval."""
        return self._widened_term(number, bit_width(number.lo, number.hi))

    def fresh_number(self, name: str, lo: Bound, hi: Bound) -> tuple[Number, Bit]:
        """A variable, and the constraint that it is from `lo` to `hi`."""
        size = bit_width(lo, hi)
        bits = [z3.If(z3.Bool(f"{name}:{at}"), _ONE, _ZERO) for at in range(size - (lo >= 0))]
        if lo >= 0:
            bits.append(_ZERO)
        term = cast(z3.BitVecRef, z3.Concat(*reversed(bits)) if size > 1 else bits[0])
        free = Number(term, 0 if lo >= 0 else -(2 ** (size - 1)), 2 ** (size - 1) - 1)
        return Number(term, lo, hi), self.is_in_interval(free, lo, hi)

    def _cut_to(self, number: Number, lo: Bound, hi: Bound) -> Number:
        if number.is_constant:
            return number
        term = cast(z3.BitVecRef, number.term)
        size = bit_width(lo, hi)
        return Number(z3.Extract(size - 1, 0, term) if size < bit_count(term) else term, lo, hi)

    def _widened_term(self, number: Number, size: int) -> z3.BitVecRef:
        if isinstance(number.term, int):
            return constant_vector(number.term, size)
        term = cast(z3.BitVecRef, number.term)
        missing = size - bit_count(term)
        if missing > 0:
            return z3.SignExt(missing, term)
        return z3.Extract(size - 1, 0, term) if missing < 0 else term

    def _of_one_sort(self, lo: Bound, hi: Bound, *numbers: Number) -> list[Term]:
        size = max(bit_width(lo, hi), *(bit_width(number.lo, number.hi) for number in numbers))
        return [self._widened_term(number, size) for number in numbers]

    def as_number(self, bit: Bit) -> Number:
        """1 or 0."""
        if isinstance(bit, bool):
            return constant_number(int(bit))
        return Number(z3.Concat(_ZERO, z3.If(bit, _ONE, _ZERO)), 0, 1)

    def _compute(self, op: Operation, left: Number, right: Number, lo: Bound, hi: Bound) -> Number:
        if op in ("//", "%"):
            reach = max(abs(left.lo), abs(left.hi)) + max(abs(right.lo), abs(right.hi))
            one, other = cast("list[Any]", self._of_one_sort(-reach - 1, reach, left, right))
            remainder = one % other  # takes the sign of the divisor, as Python's does
            whole = remainder if op == "%" else (one - remainder) / other
            return self._cut_to(Number(whole, -reach - 1, reach), lo, hi)
        return super()._compute(op, left, right, lo, hi)


_ONE, _ZERO = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)


def bit_width(lo: Bound, hi: Bound) -> int:
    """How many bits a signed bit-vector needs for lo..hi."""
    return max(int(hi).bit_length(), (-int(lo) - 1).bit_length() if lo < 0 else 0) + 1


def is_at_least(numbers: Integers, left: Number, right: Number) -> Bit:
    """Whether `left >= right`."""
    return negation(numbers.is_less(left, right))


_EXACTLY: dict[Operation, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": int.__floordiv__,
    "%": int.__mod__,
    "**": int.__pow__,
}


# --- intervals --------------------------------------------------------------------------------------------------------


def _result_interval(op: Operation, left: Number, right: Number) -> tuple[Bound, Bound]:
    """Which integers `left op right` may be."""
    ends = (left.lo, left.hi, right.lo, right.hi)
    if all(abs(end) < inf for end in ends):
        found = bounded_interval(op, Int(int(left.lo), int(left.hi)), Int(int(right.lo), int(right.hi)))
        return found.lo, found.hi
    match op:
        case "+":
            return left.lo + right.lo, left.hi + right.hi
        case "-":
            return left.lo - right.hi, left.hi - right.lo
        case "min":
            return min(left.lo, right.lo), min(left.hi, right.hi)
        case "max":
            return max(left.lo, right.lo), max(left.hi, right.hi)
        case "*":
            corners = [0 if 0 in (a, b) else a * b for a in ends[:2] for b in ends[2:]]
            return min(corners), max(corners)
        case "//":
            return (0, left.hi) if left.lo >= 0 and right.lo >= 0 else (-inf, inf)
        case "%":
            return (0, right.hi - 1) if right.lo > 0 else (-inf, inf)
        case "**":
            return -inf, inf
