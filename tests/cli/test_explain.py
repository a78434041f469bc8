"""`tidegate explain`: an action in notation."""

from __future__ import annotations

from ..conftest import Run
from ..support.lock_commands import LOCK


def test_explain_shows_one_action_in_notation(tidegate: Run) -> None:
    done = tidegate("explain", f"{LOCK}:careful", "take")
    assert done.exit == 0
    assert 'place[client] = "outside"' in done.out
    assert "held′ = true" in done.out
