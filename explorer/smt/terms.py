"""Truth values and numbers as terms that fold what is known: Python's own `bool` and `int` wherever a value is a
constant, Z3's terms elsewhere.

A number carries the interval it lies in. That decides the width of its bit-vector, and answers comparisons between
disjoint intervals without a solver. Numbers are mathematical integers: no operation here wraps around.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Literal, Protocol, TypeAlias

import z3

Bit: TypeAlias = bool | z3.BoolRef
"""A truth value: known, or a term."""

Bound: TypeAlias = int | float
"""An end of an interval: an integer or an infinity."""


# --- truth values -----------------------------------------------------------------------------------------------------


def both(*bits: Bit) -> Bit:
    """The conjunction; True of none."""
    return conjunction(bits)


def conjunction(bits: Iterable[Bit]) -> Bit:
    """All of them."""
    kept: list[z3.BoolRef] = []
    for each in bits:
        if each is False:
            return False
        if each is not True:
            kept.append(each)
    if not kept:
        return True
    return kept[0] if len(kept) == 1 else z3.And(kept)


def either(*bits: Bit) -> Bit:
    """The disjunction; False of none."""
    return disjunction(bits)


def disjunction(bits: Iterable[Bit]) -> Bit:
    """Any of them."""
    kept: list[z3.BoolRef] = []
    for each in bits:
        if each is True:
            return True
        if each is not False:
            kept.append(each)
    if not kept:
        return False
    return kept[0] if len(kept) == 1 else z3.Or(kept)


def negation(bit: Bit) -> Bit:
    """Its opposite."""
    if isinstance(bit, bool):
        return not bit
    return bit.arg(0) if z3.is_not(bit) else z3.Not(bit)


def implies(premise: Bit, conclusion: Bit) -> Bit:
    """Not the first, or the second."""
    return either(negation(premise), conclusion)


def same_bit(left: Bit, right: Bit) -> Bit:
    """Both or neither."""
    if isinstance(left, bool):
        return right if left else negation(right)
    if isinstance(right, bool):
        return left if right else negation(left)
    return True if left.eq(right) else left == right


def choose_bit(condition: Bit, yes: Bit, no: Bit) -> Bit:
    """The one or the other."""
    if isinstance(condition, bool):
        return yes if condition else no
    if isinstance(yes, bool):
        return either(condition, no) if yes else both(negation(condition), no)
    if isinstance(no, bool):
        return either(negation(condition), yes) if no else both(condition, yes)
    return yes if yes.eq(no) else z3.If(condition, yes, no)


def formula(bit: Bit) -> z3.BoolRef:
    """The truth value as a term of Z3."""
    return z3.BoolVal(bit) if isinstance(bit, bool) else bit


# --- numbers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """An integer from `lo` to `hi`: an `int` when it is known, else a term. `INFINITE` stands for a bound that is not
    there: it is above every other number."""

    term: int | z3.BitVecRef | z3.ArithRef | None
    lo: Bound
    hi: Bound

    @property
    def known(self) -> bool:
        """Whether it is a constant."""
        return isinstance(self.term, int)


INFINITE = Number(None, inf, inf)


class Boundless(Exception):
    """Arithmetic on a bound that is not there, with no meaning: `2 * max_term`, `max_term == log_size`."""


def known(value: int) -> Number:
    """A constant."""
    return Number(int(value), int(value), int(value))


class Numbers(Protocol):
    """How numbers become terms of Z3: bit-vectors as wide as their interval, or integers."""

    def term(self, number: Number) -> z3.BitVecRef | z3.ArithRef:
        """The number as a term of Z3."""
        ...

    def fresh(self, name: str, lo: Bound, hi: Bound) -> Number:
        """A variable that is meant to be in the interval (see `within`)."""
        ...

    def within(self, number: Number, lo: Bound, hi: Bound) -> Bit:
        """Whether the number lies in the interval."""
        ...

    def narrowed(self, number: Number, lo: Bound, hi: Bound) -> Number:
        """The number, known by other means to lie in the interval."""
        ...

    def choose(self, condition: Bit, yes: Number, no: Number) -> Number:
        """The one or the other."""
        ...

    def counted(self, bit: Bit) -> Number:
        """1 or 0."""
        ...

    def arithmetic(self, op: Operation, left: Number, right: Number) -> Number:
        """`left op right`, as Python means it; of `//` and `%` by 0 anything."""
        ...

    def less(self, left: Number, right: Number) -> Bit:
        """Whether `left < right`."""
        ...

    def same(self, left: Number, right: Number) -> Bit:
        """Whether they are equal."""
        ...


Operation: TypeAlias = Literal["+", "-", "*", "//", "%", "min", "max"]
Term: TypeAlias = z3.BitVecRef | z3.ArithRef
Compared: TypeAlias = Callable[[Term, Term], z3.BoolRef]
