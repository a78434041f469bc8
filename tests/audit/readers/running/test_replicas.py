"""Who follows the leader of a quorum."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.cluster import Quorum
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.readers.running.replicas import QuorumReplica, with_followers

NOW = 10_000_000


@pytest.mark.parametrize(
    ("lag", "fetched", "caught_up", "follows"),
    [
        (0, NOW, NOW, True),
        (20, NOW, NOW - 500, True),
        (0, NOW, NOW - 3_600_000, True),
        (400, NOW, NOW - 3_600_000, False),
        (0, NOW, -1, False),
        (0, NOW - 9_000, NOW - 9_000, False),
        (9_000, NOW, NOW, False),
    ],
)
def test_who_follows_fetches_and_has_caught_up(lag: int, fetched: int, caught_up: int, follows: bool) -> None:
    assert QuorumReplica(3, "d", True, lag, fetched, caught_up).is_following(NOW) is follows


def test_another_directory_of_a_voter_is_another_replica() -> None:
    """The stale disk that a voter had makes it not late, and a new one is an observer that may be added."""
    fresh, stale = (0, NOW, NOW), (0, NOW - 90_000, NOW - 90_000)
    quorum = Quorum((3,), Origin("q.txt"), 1)
    after = [QuorumReplica(3, "new", True, *fresh), QuorumReplica(3, "old", False, *stale)]
    found = with_followers(quorum, after, NOW)
    assert (found.late, found.caught_up, found.directories) == ((), (), ((3, "new"),))
    before = [QuorumReplica(3, "old", True, *stale), QuorumReplica(3, "new", False, *fresh)]
    found = with_followers(quorum, before, NOW)
    assert (found.late, found.caught_up) == ((3,), (3,))
