"""`tidegate demo`: the loss, and the fix."""

from __future__ import annotations

from ..conftest import Run


def test_the_demonstration_finds_the_loss_and_shows_the_fix(tidegate: Run) -> None:
    done = tidegate("demo")
    assert done.exit == 0
    assert "leader_completeness fails after 11 steps" in done.out
    assert "✓ replication:kip320 holds: exhaustive within bounds" in done.out
