"""Arguments of a wrong type or out of range: each is named with what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tidegate.api.arguments import (
    check_names,
    check_path,
    check_probability,
    check_seconds,
    check_text,
    check_truth,
    check_whole_number,
)  # fmt: skip
from tidegate.language.errors import UsageError


def test_one_text_stands_for_itself() -> None:
    assert check_names("properties", "safe") == ("safe",)
    assert check_names("properties", iter(["a", "b"])) == ("a", "b")
    assert check_text("engine", None) is None and check_text("engine", "native", ["native"]) == "native"
    assert check_path("out", "here") == "here"


def known_text(name: str, given: object) -> str | None:
    return check_text(name, given, ["native"])


def positive(name: str, given: object) -> None:
    check_whole_number(name, given, 1)


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (check_names, 3),
        (check_names, [1]),
        (check_text, 3),
        (known_text, "nativ"),
        (check_path, 3),
        (positive, 0),
        (positive, True),
        (positive, 1.5),
        (check_truth, 1),
        (check_seconds, 0),
        (check_seconds, "5"),
        (check_probability, 1.5),
    ],
)
def test_what_is_wrong_is_named(check: Callable[[str, Any], Any], given: Any) -> None:
    with pytest.raises(UsageError, match="wanted"):
        check("wanted", given)


def test_what_fits_passes() -> None:
    for checked in (
        check_truth("a", True), check_seconds("a", None), check_seconds("a", 0.5), check_probability("a", 0),
        check_whole_number("a", 1, 1), check_whole_number("a", None, 1),
    ):  # fmt: skip
        assert checked is None
