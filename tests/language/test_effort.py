"""Effort: a bound on the steps of Python, counted and not timed."""

from __future__ import annotations

import sys

import pytest
from tidegate.language.effort import Effort, EffortExceededError, counted_range


def count_up(to: int) -> int:
    total = 0
    for number in range(to):
        total += number
    return total


def test_lines_are_counted_and_the_same_work_costs_the_same() -> None:
    left: list[int] = []
    for to in (10, 10, 20):
        with Effort(1000) as effort:
            count_up(to)
        left.append(effort.left)
    assert left[0] == left[1] > left[2]
    assert left[0] - left[2] == 20, "two lines for each of the ten rounds more"


def test_what_takes_more_is_stopped_and_nothing_is_traced_afterwards() -> None:
    before = sys.gettrace()
    with pytest.raises(EffortExceededError), Effort(50):
        count_up(1000)
    assert sys.gettrace() is before


def test_the_length_of_a_range_counts_where_an_effort_is_on() -> None:
    assert list(counted_range(2, 5)) == [2, 3, 4]
    with Effort(100) as effort:
        counted_range(40)
    assert effort.left <= 60
    with pytest.raises(EffortExceededError), Effort(100):
        counted_range(101)


def test_an_effort_inside_another_ends_with_it() -> None:
    with Effort(100) as outer:
        with Effort(10**6):
            counted_range(10**5)
        counted_range(60)
    assert 0 <= outer.left <= 40
