"""Calls of built-in functions, and of domains: what each becomes in the typed form."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors

from ...support.forms import show
from ...support.frontend import action_body, expression

EXPRESSIONS = {
    "is_majority(s.seen)": "majority(s.seen)",
    "len(s.seen) + len(Node) + len(Mode)": "((len(s.seen) + 2) + 2)",
    "min(s.count, i, 2)": "((s.count min i) min 2)",
    "Node(1)": "B",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_calls(text: str, tmp_path: Path) -> None:
    assert show(expression(tmp_path, text)) == EXPRESSIONS[text]


def test_a_constants_size_bounds_a_domain(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, "s.owner = Node(2)")
    assert [error.code for error in caught.value.errors] == ["TG202"]
