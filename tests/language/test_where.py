"""Where something stands in an author's text."""

from __future__ import annotations

from pathlib import Path

from tidegate.language import ir
from tidegate.language.where import Where

from ..support.traces import bind_model


def test_a_place_is_where_the_author_wrote() -> None:
    model = bind_model("examples/lock.py:careful")
    guard = model.action("leave").form.body[0]
    assert isinstance(guard, ir.Require)
    line = Path(guard.where.file).read_text(encoding="utf-8").splitlines()[guard.where.line - 1]
    assert line[guard.where.column : guard.where.end_column] == guard.text


def test_a_place_in_a_helper_is_outermost_at_the_call_in_the_functions_own_text() -> None:
    own = Where("model.py", 3, 4, 3, 9)
    inner = Where("parts.py", 7, 0, 7, 5, Where("helpers.py", 5, 0, 5, 2, own))
    assert own.outermost() is own and inner.outermost() is own
