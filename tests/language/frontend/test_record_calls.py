"""Records that a text makes: what each becomes in the typed form."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors

from ...support.forms import show
from ...support.frontend import action_body, expression

EXPRESSIONS = {
    "Entry(node, number=i)": "Entry(node, i)",
    "Note(to=s.owner, answer=i)": "Note(s.owner!, +i)",
    "replace(s.entry, number=1)": "s.entry{number=1}",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_records(text: str, tmp_path: Path) -> None:
    assert show(expression(tmp_path, text)) == EXPRESSIONS[text]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Entry(node)", "TG211"),
        ("Entry(node, i, i)", "TG211"),
        ("Entry(node, size=i)", "TG202"),
        ("replace(s.entry, size=1)", "TG202"),
        ("replace(i, number=1)", "TG203"),
    ],
)
def test_fields_that_do_not_fit(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, f"s.entry = {text}")
    assert code in [error.code for error in caught.value.errors]
