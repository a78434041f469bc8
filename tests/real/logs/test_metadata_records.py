"""Records of a metadata log as they are printed and as a segment has them."""

from __future__ import annotations

from ...support.histories import HISTORIES, STANDING, cluster


def test_a_printed_log_says_what_its_segment_says() -> None:
    assert cluster(HISTORIES / "last_replica_standing.txt") == cluster(STANDING)
