"""Names, fields, indexes and operators: what each becomes in the typed form."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...support.forms import show
from ...support.frontend import expression

EXPRESSIONS = {
    "s.count": "s.count",
    "s.queue[node][i].number": "s.queue[node][i].number",
    "s.queue[s.owner]": "s.queue[s.owner!]",
    "s.owner is not None and s.owner in s.seen": "(not none(s.owner) and not none(s.owner) and (s.owner! in s.seen))",
    "s.seen - {s.owner}": "(s.seen - Set(s.owner!))",
    "{node} | s.seen": "(Set(node) | s.seen)",
    "s.queue[node][1:]": "s.queue[node][1:]",
    "s.queue[node][:i] + Seq([s.entry])": "(s.queue[node][:i] ++ Seq(s.entry))",
    "i if flag else s.count": "(i if flag else s.count)",
    "s.owner if flag else None": "(s.owner if flag else None)",
    "None if flag else node": "(None if flag else +node)",
    "not flag": "not flag",
    "-i // 2 % 3": "(((0 - i) // 2) % 3)",
    "top": "3",
    "last + 1": "3",
    "mode": "ON",
    "flag and s.lit[m] and i > 0": "(flag and s.lit[m] and (i > 0))",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions(text: str, tmp_path: Path) -> None:
    assert show(expression(tmp_path, text)) == EXPRESSIONS[text]
