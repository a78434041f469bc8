"""Interval arithmetic: which integers an expression may be. Sound, and as narrow as the operands' intervals allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..constants import EXPONENT_MAX
from ..types import Int

LIMIT = 2**62
"""No intermediate value may leave -LIMIT..LIMIT, so that engines can compute in 64 bits."""
WIDEST = 2**40
"""How far a local name that a loop changes may go."""
UNBOUNDED_INT = Int(-LIMIT, LIMIT)
"""A plain `int` annotation: the interval is taken from the value."""
EXPONENTS = Int(0, EXPONENT_MAX)
"""What the exponent of `**` may be: a negative one gives no integer, a higher power of 2 leaves the integers."""


def hull_of(*intervals: Int) -> Int:
    """The smallest interval that holds all of them."""
    return Int(min(interval.lo for interval in intervals), max(interval.hi for interval in intervals))


def widened_interval() -> Int:
    """The interval of a local name that a loop changes."""
    return Int(-WIDEST, WIDEST)


def is_inside(inner: Int, outer: Int) -> bool:
    """Whether every integer of `inner` is in `outer`."""
    return outer.lo <= inner.lo and inner.hi <= outer.hi


def fits_64_bits(interval: Int) -> bool:
    """Whether engines can compute it in 64 bits."""
    return is_inside(interval, UNBOUNDED_INT)


def _interval_of_corners(operation: Callable[[int, int], int], left: Int, right: Int) -> Int:
    values = [operation(a, b) for a in (left.lo, left.hi) for b in (right.lo, right.hi)]
    return Int(min(values), max(values))


def _nonzero_parts(interval: Int) -> Iterable[Int]:
    if interval.hi > 0:
        yield Int(max(1, interval.lo), interval.hi)
    if interval.lo < 0:
        yield Int(interval.lo, min(-1, interval.hi))


def _quotient_interval(left: Int, right: Int) -> Int:
    parts = [_interval_of_corners(lambda a, b: a // b, left, part) for part in _nonzero_parts(right)]
    return hull_of(*parts) if parts else Int(0, 0)


def _remainder_interval(left: Int, right: Int) -> Int:
    parts: list[Int] = []
    for part in _nonzero_parts(right):
        if part.lo > 0:
            parts.append(left if left.lo >= 0 and left.hi < part.lo else Int(0, part.hi - 1))
        else:
            parts.append(Int(part.lo + 1, 0))
    return hull_of(*parts) if parts else Int(0, 0)


def _power_interval(base: Int, exponent: Int) -> Int:
    """The interval of a power; of an exponent outside `EXPONENTS` every integer."""
    if not is_inside(exponent, EXPONENTS) or not fits_64_bits(base):
        return UNBOUNDED_INT
    corners = _interval_of_corners(int.__pow__, base, exponent)
    nearest = _interval_of_corners(int.__pow__, base, Int(exponent.lo, max(exponent.lo, exponent.hi - 1)))
    return hull_of(corners, nearest, *([Int(0, 0)] if base.lo <= 0 <= base.hi and exponent.hi else []))


_OPERATIONS: dict[str, Callable[[Int, Int], Int]] = {
    "+": lambda a, b: Int(a.lo + b.lo, a.hi + b.hi),
    "-": lambda a, b: Int(a.lo - b.hi, a.hi - b.lo),
    "*": lambda a, b: _interval_of_corners(lambda x, y: x * y, a, b),
    "//": _quotient_interval,
    "%": _remainder_interval,
    "**": _power_interval,
    "min": lambda a, b: Int(min(a.lo, b.lo), min(a.hi, b.hi)),
    "max": lambda a, b: Int(max(a.lo, b.lo), max(a.hi, b.hi)),
}


def result_interval(op: str, left: Int, right: Int) -> Int:
    """The interval of `left op right`. Division leaves out the divisor 0, which is an error of its own."""
    return _OPERATIONS[op](left, right)


def sum_interval(count: int, element: Int) -> Int:
    """The interval of a sum of at most `count` values of `element`."""
    return Int(min(0, count * element.lo), max(0, count * element.hi))


def range_interval(start: Int, stop: Int) -> Int:
    """The interval of the variable of `range(start, stop)`."""
    return Int(start.lo, max(start.lo, stop.hi - 1))
