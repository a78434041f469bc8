"""Who follows the leader of a KRaft quorum, by what the leader says of those that fetch from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....language.immutable import immutable
from ...cluster.cluster import Quorum

LATE_MS = 5_000
"""Milliseconds for which a voter may not have fetched: a leader waits for 2 s (controller.quorum.fetch.timeout.ms)."""

MOST_LAG = 1000
"""Records that a voter may lack without a word. While it follows it lacks those of one fetch, some hundred in the
largest clusters: it asks every half a second at least (MaxWaitMs of KafkaRaftClient), and a leader alone writes one
then (NoOpRecord, KIP-835)."""

NO_DIRECTORY = "A" * 22
"""The directory's id of who has none (`Uuid.ZERO_UUID`)."""


@immutable
class QuorumReplica:
    """A voter, or an observer, as the leader describes it: the records that it lacks, and when, in milliseconds of the
    leader's clock, it fetched last and had everything last; 0 or less is never (KIP-836)."""

    id: int
    directory: str
    is_voter: bool
    lag: int
    fetch_time: int
    caught_up: int

    def is_following(self, now: int) -> bool:
        """Whether it fetches and has caught up: it lacks nothing, or had everything when it fetched, or nearly then."""
        has_all = self.caught_up > 0 and (self.lag <= 0 or self.fetch_time - self.caught_up <= LATE_MS)
        return self.fetch_time >= now - LATE_MS and self.lag <= MOST_LAG and has_all


def with_followers(quorum: Quorum, replicas: Sequence[QuorumReplica], now: int) -> Quorum:
    """A quorum with who follows its leader, whose clock says `now`. An observer with a voter's id is another one where
    its directory is, such as the disk that a voter had before."""
    voting = {(one.id, one.directory) for one in replicas if one.is_voter}
    late = tuple(one.id for one in replicas if one.is_voter and not one.is_following(now))
    others = (one for one in replicas if not one.is_voter and (one.id, one.directory) not in voting)
    caught_up = tuple(dict.fromkeys(one.id for one in others if one.is_following(now)))
    known = ((one.id, one.directory) for one in replicas if one.is_voter)
    directories = tuple((id_, directory) for id_, directory in known if directory not in ("", NO_DIRECTORY))
    return replace(quorum, late=late, caught_up=caught_up, directories=directories)
