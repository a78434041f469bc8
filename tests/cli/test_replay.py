"""The line that is printed to replay a run answers with what it was printed for: that property, that example of what is
possible, or that deadlock, in the words in which it was printed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ..conftest import Run

COUNTER = '''
from typing import Annotated
from tidegate.language import Range, action, initial, invariant, reachable, require, state


@state
class Counter:
    value: Annotated[int, Range(0, 3)]


@initial
def start() -> Counter:
    return Counter(value=0)


@action
def count(s: Counter) -> None:
    """It counts."""
    require(s.value < 3)
    s.value += 1


@invariant
def is_small(s: Counter) -> bool:
    return s.value < 2


@invariant
def is_not_two(s: Counter) -> bool:
    return s.value != 2


@invariant
def is_not_three(s: Counter) -> bool:
    return s.value != 3


@reachable
def is_three(s: Counter) -> bool:
    return s.value == 3


@reachable
def is_one(s: Counter) -> bool:
    return s.value == 1
'''
RULE = "─" * 10
PRINTS = "  tidegate replay "


def pages(said: str) -> list[str]:
    """The traces that a command printed, each from its heading on to the line that replays it."""
    parts = [part.strip(RULE[0]).strip() for part in said.split(f"\n{RULE}")]
    return [f"{head}\n{rest}".strip() for head, rest in zip(parts[1::2], parts[2::2], strict=True)]


def replay_arguments(page: str) -> list[str]:
    """The arguments of the line that replays a trace."""
    return shlex.split(page.rpartition(PRINTS)[2])


@pytest.mark.parametrize(
    ("command", "exit"),
    [
        ("examples/lock.py:careless", 1),
        ("zk_controller:kafka_2729 --symmetry", 1),
        ("transactions:kafka_3_6 --set late_ends=1 --symmetry --keep-going --no-deadlock", 1),
        ("examples/minute_clock.py --set impatient=true", 1),
        ("examples/liveness/counter.py --keep-going", 3),
    ],
)
def test_the_line_of_each_trace_prints_the_same_trace(command: str, exit: int, tidegate: Run) -> None:
    found = pages(tidegate("check", *command.split()).out)
    assert found
    for page in found:
        again = tidegate("replay", *replay_arguments(page))
        assert (again.exit, pages("\n" + again.out)) == (exit, [page])


@pytest.fixture
def counter(tmp_path: Path) -> str:
    """A model of which several properties fail along the one run that there is, which ends in a deadlock."""
    path = tmp_path / "counter.py"
    path.write_text(COUNTER, encoding="utf-8")
    return str(path)


def test_a_later_property_is_not_hidden_by_one_that_fails_before_it(counter: str, tidegate: Run) -> None:
    (page,) = pages(tidegate("check", counter, "--property", "is_not_three", "--no-deadlock").out)
    again = tidegate("replay", *replay_arguments(page))
    assert again.exit == 1
    assert "is_not_three fails after 3 steps" in again.out
    assert pages("\n" + again.out) == [page]


def test_properties_that_one_run_violates_are_all_asked_for(counter: str, tidegate: Run) -> None:
    first, *_ = pages(tidegate("check", counter, "--keep-going").out)
    assert "is_small and is_not_two fail after 2 steps, in the same run" in " ".join(first.split())
    assert "--property is_small --property is_not_two --steps" in first
    assert pages("\n" + tidegate("replay", *replay_arguments(first)).out) == [first]


def test_a_deadlock_is_not_hidden_by_a_property_that_nobody_asked_for(counter: str, tidegate: Run) -> None:
    (page,) = pages(tidegate("check", counter, "--property", "is_three").out)
    again = tidegate("replay", *replay_arguments(page))
    assert again.exit == 2
    assert "deadlock" in again.out


def test_a_deadlock_is_not_hidden_by_what_its_run_violates(counter: str, tidegate: Run) -> None:
    *_, page = pages(tidegate("check", counter, "--keep-going").out)
    assert "--property is_three --property is_one --steps" in page
    assert pages("\n" + tidegate("replay", *replay_arguments(page)).out) == [page]


def test_an_example_is_replayed_as_one(counter: str, tidegate: Run) -> None:
    shown = pages(tidegate("check", counter, "--property", "is_one", "--no-deadlock", "--witness", "is_one").out)
    again = tidegate("replay", *replay_arguments(shown[-1]))
    assert again.exit == 0
    assert pages("\n" + again.out) == [shown[-1]]
    short = tidegate("replay", counter, "--property", "is_one", "--steps", "")
    assert (short.exit, "is_one" in short.out.partition("replay it")[0]) == (0, False)
