"""Exits: of several the worst one is the command's."""

from __future__ import annotations

from tidegate.reports.exits import Exit, worst_exit


def test_the_worst_exit_wins() -> None:
    assert worst_exit([Exit.HOLDS, Exit.VACUOUS, Exit.INCONCLUSIVE]) is Exit.INCONCLUSIVE
    assert worst_exit([Exit.SAFETY, Exit.MODEL_BROKE, Exit.DEADLOCK]) is Exit.MODEL_BROKE
    assert worst_exit([Exit.INTERNAL, Exit.MODEL_TEXT]) is Exit.INTERNAL
    assert worst_exit([]) is Exit.HOLDS
