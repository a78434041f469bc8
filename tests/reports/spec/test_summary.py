"""A model on a page: everything that it has, and of what is long as much as there is room for; what several actions
write alike stands once, and a name that serves nothing is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.invariants.catalogue import CATALOGUE, find
from tidegate.language.binding import load
from tidegate.language.model import Model
from tidegate.reports.spec.summary import LINES, summary_text

from ...conftest import ROOT
from ...support.engines import bind_text

HEAD = '''
"""Numbers that are mixed."""
from __future__ import annotations
from typing import Annotated
from tidegate.language import Range, action, initial, invariant, require, state
Number = Annotated[int, Range(0, 3)]

@state
class Numbers:
    """Two numbers."""
    first: Number  # one | another
    second: Number

@initial
def start() -> Numbers:
    """All are 0."""
    return Numbers(first=0, second=0)

@invariant
def stays_small(s: Numbers) -> bool:
    """A number is at most 3."""
    return s.first <= 3
'''
MIX = '''
@action
def mix_{number}(s: Numbers) -> None:
    """Mixes them in way {number}."""
    unread = s.second
    limit = s.first
    require(s.first != {number} and limit < 3)
    s.first = s.second if s.first > s.second or s.second == {same} and s.first != 2 else s.first
    s.second = 3 if s.second == 2 and s.first != 1 else 2 if s.second == 1 and s.first != 0 else 1
'''


@pytest.fixture(scope="module")
def model() -> Model:
    definition = load(ROOT / "examples" / "lock.py")
    return definition.bind("lock", {}, None, open=tuple(definition.constants))


def test_a_page_has_every_field_action_and_property(model: Model) -> None:
    text = summary_text(model, "lock")
    assert text.startswith("# `lock`\n")
    titles = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert titles[:4] == ["State", "Start", "Actions", "Properties"]
    for named in (*model.fields, *model.actions, *model.properties):
        assert named.name in text


def test_every_guard_stands_whole(model: Model) -> None:
    """The value of a field may be an ellipsis where there is no room; when an action is possible never."""
    assert 'place[client] = "at_the_door"' in summary_text(model, "lock")


def test_a_page_defines_what_actions_call() -> None:
    """What is called stands in the forms of actions, which are in another module than the terms in them."""
    definition, profile = find("catching_up")
    page = summary_text(definition.bind("catching_up", {}, profile), "catching_up")
    assert "* `last_epoch(entries) ≜ max {entry.epoch : entry ∈ entries} or −1`\n" in page


@pytest.mark.parametrize("name", ["kraft", "producer"])
def test_a_large_model_has_room_on_its_page(name: str) -> None:
    assert name in CATALOGUE
    definition, _ = find(name)
    text = summary_text(definition.bind(name, {}, None, open=tuple(definition.constants)), name)
    assert text.count("\n") <= LINES
    assert "…" in text.partition("## Actions")[2], "what has no room is marked"


def page_of(folder: Path, same: tuple[int, ...]) -> str:
    text = HEAD + "".join(MIX.format(number=number, same=value) for number, value in enumerate(same))
    return summary_text(bind_text(folder, text), "numbers")


def test_what_several_actions_write_stands_once_and_is_numbered(tmp_path: Path) -> None:
    page = page_of(tmp_path, (1, 1, 1, 1))
    assert page.count("    * then `①`\n") == 4
    assert page.count("first′ = ") == page.count("second′ = ") == 1
    (line,) = [line for line in page.splitlines() if line.startswith("* ① ")]
    assert line.startswith("* ① `first′ = second if ") and "; second′ = " in line


def test_what_is_written_otherwise_stands_with_its_action(tmp_path: Path) -> None:
    page = page_of(tmp_path, (0, 1, 2, 3))
    assert page.count("first′ = ") == 4
    assert page.count("; ①`") == 4, "the second number is written alike, after the first"


def test_a_name_that_nothing_uses_is_left_out(tmp_path: Path) -> None:
    page = page_of(tmp_path, (1,))
    assert "    * let `limit ≜ first`\n" in page and "unread" not in page
    assert "①" not in page


def test_fields_and_claims_are_rows(tmp_path: Path) -> None:
    page = page_of(tmp_path, (1,))
    assert "| `first` | 0..3 | one \\| another |\n" in page
    assert "| In every reachable state | claim |\n|---|---|\n| `stays_small` | A number is at most 3. |\n" in page
