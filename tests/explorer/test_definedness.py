"""Where the order of a loop's rounds decides whether an expression is defined."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.definedness import undefined_in_some_order
from tidegate.language import ir

from ..support.engines import bind_text, text_of


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("any(n == m or 6 // s.n[m] > 2 for m in Node)", 1),
        ("any(n == m or s.n[m] > 2 for m in Node)", 0),
        ("any(s.n[m] != 0 and 6 // s.n[m] > 2 for m in Node)", 0),
        ("any(n == m or 6 // (s.n[m] + 1) > 2 for m in Node)", 0),
        ("all(n == m or 6 // s.n[m] > 2 for m in Node)", 1),
        ("sum(s.n[m] for m in Node) > 1", 0),
        ("6 // s.n[n] > 2", 0),
    ],
)
def test_a_round_that_another_may_hide(condition: str, found: int, tmp_path: Path) -> None:
    body = f"@action\ndef step(s: World, n: Node) -> None:\n    '''A step.'''\n    require({condition})\n    s.n[n] = 1"
    model = bind_text(tmp_path, text_of("n: Map[Node, Small]", "n=Map({n: 0 for n in Node})", body))
    places = list(undefined_in_some_order(model.actions[0].form, lambda source: isinstance(source, ir.Members)))
    assert len(places) == found
