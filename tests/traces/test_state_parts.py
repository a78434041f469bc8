"""A part of a state: what people call it, what it is in, and what it holds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from tidegate.language.values import State
from tidegate.traces.state_parts import ABSENT, CellPart, StatePart

WORLD = cast(State, SimpleNamespace(log={0: ["a", "b"]}, isr={0: {0}}))


@pytest.mark.parametrize(
    ("field", "parts", "text", "main", "value"),
    [
        ("log", (), "log", "log", {0: ["a", "b"]}),
        ("log", (("key", 0), ("at", 1)), "log[0][1]", "log[0]", "b"),
        ("log", (("key", 0), ("at", 2)), "log[0][2]", "log[0]", ABSENT),
        ("log", (("key", 0), ("length", None)), "len(log[0])", "log[0]", 2),
        ("isr", (("key", 0), ("member", 0)), "0 in isr[0]", "isr[0]", True),
    ],
)
def test_a_part_is_called_and_looked_at(
    field: str, parts: tuple[CellPart, ...], text: str, main: str, value: Any
) -> None:
    part = StatePart("s", field, parts)
    assert (part.to_text(), part.main_cell_text(), part.value_in(WORLD)) == (text, main, value)


def test_what_is_not_there_says_so() -> None:
    assert repr(ABSENT) == "nothing"
