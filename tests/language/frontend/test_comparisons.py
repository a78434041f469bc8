"""Comparisons: what each becomes in the typed form."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...support.forms import show
from ...support.frontend import expression

EXPRESSIONS = {
    "s.owner == node": "(s.owner == +node)",
    "node != s.owner": "(+node != s.owner)",
    "s.owner is None": "none(s.owner)",
    "node in s.seen": "(node in s.seen)",
    "node not in {node}": "not (node in Set(node))",
    "m in (Mode.ON, Mode.OFF)": "((m == ON) or (m == OFF))",
    "m is Mode.ON": "(m == ON)",
    "m is not Mode.ON": "(m != ON)",
    "0 <= s.count < i": "((0 <= s.count) and (s.count < i))",
    "s.seen <= some": "(s.seen <= some)",
    "s.seen >= some": "(some <= s.seen)",
    "s.seen < some": "((s.seen <= some) and (s.seen != some))",
    "s.seen == Set()": "(s.seen == Set())",
    "Set() == s.seen": "(Set() == s.seen)",
    "s.seen == Set(Node)": "(s.seen == All(Node))",
    "s.queue[node] == Seq()": "(s.queue[node] == Seq())",
    "Note(to=node, answer=None) in s.notes": "(Note(node, None) in s.notes)",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_comparisons(text: str, tmp_path: Path) -> None:
    assert show(expression(tmp_path, text)) == EXPRESSIONS[text]
