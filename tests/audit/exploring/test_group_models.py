"""What becomes of groups where the log of offsets stops, or loses entries."""

from __future__ import annotations

from tidegate.audit.exploring.group_models import group_failures


def test_nothing_fails_where_the_log_neither_stops_nor_loses() -> None:
    assert group_failures(False, False) == frozenset()


def test_more_faults_make_nothing_better() -> None:
    for reset in ("latest", "earliest"):
        both = group_failures(True, True, reset)
        assert group_failures(True, False, reset) <= both and group_failures(False, True, reset) <= both and both
