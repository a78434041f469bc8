"""Tuples as they are written, and what `isinstance` may be asked of."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors
from tidegate.language.records import is_tuple

from ...support.frontend import action_body, expression


def test_a_tuple_is_a_record_of_its_parts(tmp_path: Path) -> None:
    made = expression(tmp_path, "(i, flag, node)")
    assert is_tuple(made.type)
    assert [type(part).__name__ for part in made.fields] == ["Name", "Name", "Name"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(i,)", "TG111"),
        ("isinstance(s.entry, Entry)", "TG203"),
        ("isinstance(s.entry)", "TG211"),
    ],
)
def test_what_is_none_is_refused(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, f"x = {text}\ns.count = 0")
    assert code in [error.code for error in caught.value.errors]
