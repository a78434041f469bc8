"""Comprehensions: what each becomes in the typed form."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...support.forms import show
from ...support.frontend import expression

EXPRESSIONS = {
    "max((e.number for e in s.queue[node] if e.by == node), default=0)": (
        "max(e.number for e in s.queue[node] if (e.by == node), 0)"
    ),
    "sum(1 for n in Node if n in s.seen)": "sum(1 for n in Node if (n in s.seen))",
    "sum(e.number for e in s.queue[node])": "sum(e.number for e in s.queue[node])",
    "any(s.lit[x] for x in Mode)": "any(s.lit[x] for x in Mode)",
    "all(a == b for a in Node for b in some)": "all((a == b) for a in Node for b in some)",
    "all(o < len(s.queue[node]) for o in range(1, i))": "all((o < len(s.queue[node])) for o in 1..i)",
    "{n for n in Node if n != node}": "set(n for n in Node if (n != node))",
    "Set(e.by for e in s.queue[node])": "set(e.by for e in s.queue[node])",
    "Map({n: 0 for n in Node})": "{n: 0}",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_comprehensions(text: str, tmp_path: Path) -> None:
    assert show(expression(tmp_path, text)) == EXPRESSIONS[text]
