"""Directories that do not last."""

from __future__ import annotations

from tidegate.audit.cluster.directories import TEMPORARY, is_in_memory, is_temporary


def test_what_is_emptied_and_what_is_in_memory() -> None:
    for directory in TEMPORARY:
        assert is_temporary(f"{directory}/kafka-logs") and is_temporary(directory)
        assert not is_temporary(f"{directory}orary")
    assert is_in_memory("/dev/shm/kafka") and is_in_memory("/run/kafka")
    assert not is_temporary("/var/lib/kafka") and not is_in_memory("/running")
