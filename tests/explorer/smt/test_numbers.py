"""Numbers as bit-vectors as wide as their interval: no operation wraps around, all mean what Python means.

Also of: `terms`.
"""

from __future__ import annotations

import operator
from typing import Any

import z3
from hypothesis import given
from hypothesis import strategies as st
from tidegate.explorer.smt.numbers import BitVectors, Integers, bit_width
from tidegate.explorer.smt.terms import (
    Bit,
    Number,
    bit_count,
    choose_bit,
    chosen_term,
    conjunction,
    constant_number,
    constant_vector,
    disjunction,
)

from ...support.smt import truth

EXACTLY: dict[Any, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": int.__floordiv__,
    "%": operator.mod,
    "**": int.__pow__,
    "min": min,
    "max": max,
}
SMALL = st.integers(-9, 9)


@st.composite
def operands(draw: st.DrawFn) -> tuple[int, int, int]:
    """A value, and an interval around it."""
    value = draw(SMALL)
    return value, min(value, draw(SMALL)), max(value, draw(SMALL))


def bits(operand: tuple[int, int, int]) -> Number:
    """As a bit-vector of its interval's width, which folds no constant."""
    value, lo, hi = operand
    return Number(z3.BitVecVal(value, bit_width(lo, hi)), lo, hi)


def value_of(number: Number) -> int:
    """What a number without variables is."""
    return number.term if isinstance(number.term, int) else z3.simplify(number.term).as_signed_long()  # type: ignore


@given(left=operands(), right=operands(), op=st.sampled_from(sorted(EXACTLY)), folded=st.booleans())
def test_arithmetic_is_pythons(left: Any, right: Any, op: Any, folded: bool) -> None:
    if op in ("//", "%") and right[0] == 0:
        return
    if op == "**":
        right = (abs(right[0]), 0, 9)
    one, other = (constant_number(left[0]), constant_number(right[0])) if folded else (bits(left), bits(right))
    result = BitVectors().arithmetic(op, one, other)
    exact = EXACTLY[op](left[0], right[0])
    assert value_of(result) == exact
    assert result.lo <= exact <= result.hi


@given(left=operands(), right=operands())
def test_order_is_pythons(left: Any, right: Any) -> None:
    numbers = BitVectors()
    assert truth(numbers.is_less(bits(left), bits(right))) == (left[0] < right[0])
    assert truth(numbers.are_equal(bits(left), bits(right))) == (left[0] == right[0])
    assert truth(numbers.is_in_interval(bits(left), -3, 4)) == (-3 <= left[0] <= 4)


@given(left=SMALL, right=SMALL.filter(bool), op=st.sampled_from(["//", "%"]))
def test_integers_divide_as_python_does(left: int, right: int, op: Any) -> None:
    one, other = (Number(z3.IntVal(number), -9, 9) for number in (left, right))
    result: Any = Integers().arithmetic(op, one, other).term
    assert z3.simplify(result).as_long() == EXACTLY[op](left, right)


def test_disjoint_intervals_need_no_solver() -> None:
    numbers = BitVectors()
    small, large = numbers.fresh_number("a", 0, 3)[0], numbers.fresh_number("b", 4, 9)[0]
    answers: list[Bit] = [numbers.is_less(small, large), numbers.is_less(large, small), numbers.are_equal(small, large)]
    assert answers == [True, False, False]


def test_terms_are_those_that_the_solvers_own_classes_make() -> None:
    """Of the same text, sort and class: they are made below these classes, which saves time and must change nothing."""
    own: Any = z3
    p, q, r = own.Bool("p"), own.Bool("q"), own.Bool("r")
    x, y, three = own.BitVec("x", 5), own.BitVec("y", 5), own.BitVecVal(3, 5)
    n, m = own.Int("n"), own.Int("m")
    made: list[tuple[Any, Any]] = [
        (conjunction([p, q, r]), own.And(p, q, r)),
        (disjunction([p, q]), own.Or(p, q)),
        (choose_bit(p, q, r), own.If(p, q, r)),
        (chosen_term(p, x, y), own.If(p, x, y)),
        (chosen_term(p, three, y), own.If(p, three, y)),
        (chosen_term(p, n, m), own.If(p, n, m)),
        (constant_vector(-3, 5), own.BitVecVal(-3, 5)),
    ]
    for ours, theirs in made:
        assert ours.eq(theirs) and type(ours) is type(theirs)
    assert (bit_count(x), bit_count(constant_vector(1, 3))) == (5, 3)
