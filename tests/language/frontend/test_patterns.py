"""`match`: it becomes `if`, `elif`, `else`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...support.forms import show_body
from ...support.frontend import action_body

BODIES = {
    "match becomes if": (
        """
        match m:
            case Mode.OFF:
                s.count = 0
            case Mode.ON:
                s.count = 1
        match i:
            case 0 | 1 if flag:
                s.count = 2
            case _:
                s.count = 3
        """,
        [
            "if (m == OFF):",
            "  count = 0",
            "else:",
            "  count = 1",
            "if (((i == 0) or (i == 1)) and flag):",
            "  count = 2",
            "else:",
            "  count = 3",
        ],
    ),
}


@pytest.mark.parametrize("claim", BODIES)
def test_patterns(claim: str, tmp_path: Path) -> None:
    body, expected = BODIES[claim]
    assert show_body(action_body(tmp_path, body)) == expected
