"""A constant's value: from text, or as it is, and the exact words where it cannot be one."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from tidegate.language.constant_values import checked_value
from tidegate.language.constants import Constant, Value
from tidegate.language.errors import UsageError


class Mode(Enum):
    OFF = "off"
    ON = "on"


def constant(default: Value, **bounds: Any) -> Constant:
    return Constant(default, bounds.get("minimum"), bounds.get("maximum"), "", "x")


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [(True, "FALSE", False), (2, "3", 3), (Mode.OFF, "on", Mode.ON), (Mode.OFF, "ON", Mode.ON), (2, 1, 1)],
)
def test_a_value_is_read(default: Value, text: Value | str, value: Value) -> None:
    bounds = {"minimum": 1, "maximum": 4} if type(default) is int else {}
    assert checked_value(constant(default, **bounds), text) == value


@pytest.mark.parametrize(
    ("default", "text", "words"),
    [
        (True, "yes", "x=yes: it must be true or false"),
        (2, "5", "x=5: it must be an integer from 1 to 4"),
        (2, "two", "x=two: it must be an integer from 1 to 4"),
        (2, True, "x=true: it must be an integer from 1 to 4"),
        (Mode.OFF, "maybe", "x=maybe: it must be one of off, on"),
    ],
)
def test_what_is_no_value_is_refused(default: Value, text: Value | str, words: str) -> None:
    bounds = {"minimum": 1, "maximum": 4} if type(default) is int else {}
    with pytest.raises(UsageError) as refused:
        checked_value(constant(default, **bounds), text)
    assert str(refused.value) == words
