"""Intervals of integers: as narrow as those of the operands allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.frontend.intervals import result_interval
from tidegate.language.types import Int

from ...support.frontend import expression

INTERVALS = {
    "i": (0, 3),
    "i + s.count": (0, 6),
    "i - s.count": (-3, 3),
    "i * -2": (-6, 0),
    "(i - 2) // 2": (-1, 0),
    "i // (i - 1)": (-3, 3),
    "i % 2": (0, 1),
    "i % (i + 5)": (0, 3),
    "i % -2": (-1, 0),
    "i ** 3": (0, 27),
    "2 ** i": (1, 8),
    "(i - 2) ** 2": (0, 4),
    "(i - 3) ** i": (-27, 9),
    "min(i, 2)": (0, 2),
    "max(i, 2)": (2, 3),
    "i if flag else 7": (0, 7),
    "len(s.queue[node])": (0, 2),
    "len(some)": (0, 2),
    "sum(e.number for e in s.queue[node])": (0, 6),
    "sum(1 for a in Node for b in Node)": (0, 4),
    "sum(-1 for a in Node)": (-2, 0),
    "max((o + 1 for o in range(1, len(s.queue[node]))), default=0)": (0, 2),
    "doubled(i)": (0, 6),
    "doubled(i + 4)": (8, 14),
}


DOUBLED = """
def doubled(n: int) -> int:
    return n + n
"""


@pytest.mark.parametrize("text", INTERVALS)
def test_every_integer_knows_its_interval(text: str, tmp_path: Path) -> None:
    type_ = expression(tmp_path, text, DOUBLED).type
    assert isinstance(type_, Int)
    assert (type_.lo, type_.hi) == INTERVALS[text]


def test_the_interval_of_a_power_holds_every_value() -> None:
    ends = range(-3, 4)
    for low, high in ((a, b) for a in ends for b in ends if a <= b):
        for least, most in ((a, b) for a in range(5) for b in range(5) if a <= b):
            found = result_interval("**", Int(low, high), Int(least, most))
            powers = [base**exponent for base in range(low, high + 1) for exponent in range(least, most + 1)]
            assert found == Int(min(powers), max(powers))
