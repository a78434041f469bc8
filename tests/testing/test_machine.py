"""The Hypothesis bridge: a model drives an implementation, and what it finds is shrunk to a few steps."""

from __future__ import annotations

import importlib
import re
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test  # pyright: ignore[reportUnknownVariableType]
from tidegate.language.binding import load
from tidegate.language.values import State
from tidegate.testing import state_machine

from ..conftest import ROOT
from ..support.engines import bind_text, text_of

EXAMPLE = ROOT / "examples" / "segmented_log"
QUICK = settings(
    max_examples=60,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example's test module, as pytest would import it there."""
    monkeypatch.setattr(sys, "path", [str(EXAMPLE), *sys.path])
    yield importlib.import_module("test_segmented_log")
    for name in ("test_segmented_log", "segmented_log"):
        sys.modules.pop(name, None)


def test_an_implementation_that_is_right_passes(example: Any) -> None:
    run_state_machine_as_test(state_machine(example.model, example.correct, example.agree), settings=QUICK)


def test_a_planted_bug_is_found_and_shrunk_to_its_four_steps(example: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def forgetful(_: State) -> Any:
        return example.SegmentedLog(forgetful=True)

    machine = state_machine(example.model, forgetful, example.agree)
    with pytest.raises(AssertionError, match="where epoch 0 ends") as caught:
        run_state_machine_as_test(machine, settings=QUICK)
    reported = "\n".join(getattr(caught.value, "__notes__", [])) + capsys.readouterr().out
    assert re.findall(r"^  ([A-Z].*)$", reported, re.MULTILINE) == [
        "A record is appended at offset 0, in epoch 0.",
        "Epoch 1 begins.",
        "A record is appended at offset 1, in epoch 1.",
        "The log is cut at offset 0.",
    ]
    assert "end=0" in reported


FORKS = '''
"""Forks that are taken."""
from tidegate.language import *
class Guest(Domain, size=2):
    """A guest."""
@state
class Table:
    """A fork on each side."""
    left: Option[Guest]
    right: Option[Guest]
@initial
def start() -> Table:
    return Table(left=None, right=None)
@action
def take_left(s: Table, guest: Guest) -> None:
    """{guest} takes the left fork."""
    require(s.left is None)
    s.left = guest
@action
def take_right(s: Table, guest: Guest) -> None:
    """{guest} takes the right fork."""
    require(s.right is None)
    s.right = guest
'''


class _Forks:
    def take_left(self, guest: object) -> None: ...
    def take_right(self, guest: object) -> None: ...


def test_a_failure_is_reported_where_steps_have_members_of_domains(tmp_path: Path) -> None:
    (tmp_path / "forks.py").write_text(FORKS)

    def agree(state: Any, _: Any) -> None:
        assert state.left is None or state.right is None, "two forks are taken"

    machine = state_machine(load(tmp_path / "forks.py").bind(), lambda _: _Forks(), agree)
    with pytest.raises(AssertionError, match="two forks are taken") as caught:
        run_state_machine_as_test(machine, settings=QUICK)
    assert "guest=A" in "\n".join(getattr(caught.value, "__notes__", []))


def test_the_class_is_a_test_case_for_pytest_and_unittest(example: Any) -> None:
    assert issubclass(example.TestSegmentedLog, unittest.TestCase)


# --- small machines ---------------------------------------------------------------------------------------------------

TWO = """
@action
def up(s: World) -> None:
    '''Goes up.'''
    limit(s.count < 3)
    s.count += 1

@action
def hidden(s: World) -> None:
    '''Nobody sees it.'''
    require(not s.flag)
    s.flag = True
"""


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def up(self) -> None:
        """One more."""
        self.count += 1


def same(state: Any, counter: Counter) -> None:
    """The counts are equal."""
    assert state.count == counter.count


def two(folder: Path) -> Any:
    """A model with two actions, whose runs end."""
    return bind_text(folder, text_of("count: Annotated[int, Range(0, 3)]\nflag: bool", "count=0\nflag=False", TWO))


def test_inner_steps_are_the_model_s_alone_and_a_run_may_end(tmp_path: Path) -> None:
    machine = state_machine(two(tmp_path), lambda _: Counter(), same, inner=["hidden"])
    run_state_machine_as_test(machine, settings=QUICK)


def test_a_system_without_a_method_is_reported(tmp_path: Path) -> None:
    machine = state_machine(two(tmp_path), lambda _: Counter(), same)
    with pytest.raises(TypeError, match=r"Counter has no method hidden, which .* has as an action; write one, or name"):
        run_state_machine_as_test(machine, settings=QUICK)


def test_an_unknown_inner_action_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no action hiden"):
        state_machine(two(tmp_path), lambda _: Counter(), same, inner=["hiden"])


def test_a_system_that_begins_wrong_is_reported(tmp_path: Path) -> None:
    def late(_: State) -> Counter:
        counter = Counter()
        counter.up()
        return counter

    with pytest.raises(AssertionError):
        run_state_machine_as_test(state_machine(two(tmp_path), late, same, inner=["hidden"]), settings=QUICK)
