"""Snapshots of the metadata log (KIP-630): a voter may delete what its snapshot holds, and the rest must do without.

A snapshot holds what all records before its end come to. A follower, or a broker, that asks for a record which its
leader has deleted is sent the snapshot instead (FetchSnapshot), and goes on from the snapshot's end.

In the model a snapshot *is* those records, since the metadata that they come to is the same everywhere: `log` keeps
them, `snapshot` says up to where there is a snapshot, and `log_start` which of them are no records on the disk any
more. Between them must be no gap. The retention of ordinary logs, which looks at size and age only, made one
(KAFKA-14238, mended in 3.3): `keep_until_snapshot`.

That a snapshot is fetched is one step, even where messages are in flight. Only the latest snapshot is kept.
"""

from __future__ import annotations

from ...language import action, require
from .quorum import (
    Broker,
    Offset,
    Quorum,
    Role,
    Voter,
    brokers_apply,
    fetched_from,
    follows,
    keep_until_snapshot,
    last_epoch,
    needs_snapshot,
    note_answered,
    snapshots,
)


@action(kind="client", budget="snapshots")
def take_snapshot(s: Quorum, voter: Voter, end: Offset) -> None:
    """{voter} takes a snapshot of the metadata before offset {end}, all of which it knows to be committed."""
    require(snapshots > 0)
    require(s.snapshot[voter] < end <= s.high_watermark[voter])
    require(end >= s.log_start[voter])
    s.snapshot[voter] = end


@action
def delete_records(s: Quorum, voter: Voter, start: Offset) -> None:
    """{voter} deletes the records before offset {start} from its disk."""
    require(snapshots > 0)
    require(s.log_start[voter] < start)
    require(start == s.snapshot[voter] or (not keep_until_snapshot and start <= s.high_watermark[voter]))
    s.log_start[voter] = start


@action
def load_snapshot(s: Quorum, follower: Voter, leader: Voter) -> None:
    """{follower} fetches from {leader} what is deleted, and is sent the snapshot that ends at {s.snapshot[leader]}."""
    require(snapshots > 0)
    require(s.election[leader].role == Role.LEADER)
    require(follows(s, follower, leader) and needs_snapshot(s, leader, len(s.log[follower]), last_epoch(s, follower)))
    require(s.snapshot[leader] > s.snapshot[follower])  # else it has it, or there is none: it gets no further
    end = s.snapshot[leader]
    s.election[leader] = fetched_from(s, leader, follower, s.election[leader].fetched_to[follower])
    s.log[follower] = s.log[leader][:end]
    s.log_start[follower] = end
    s.snapshot[follower] = end
    s.high_watermark[follower] = end
    note_answered(s, follower)


@action
def load_snapshot_of(s: Quorum, broker: Broker, leader: Voter) -> None:
    """{broker} fetches from {leader} what is deleted, and is sent the snapshot that ends at {s.snapshot[leader]}."""
    require(snapshots > 0 and brokers_apply)
    require(s.election[leader].role == Role.LEADER)
    require(len(s.applied[broker]) < s.log_start[leader])
    require(len(s.applied[broker]) < s.snapshot[leader])
    s.applied[broker] = s.log[leader][: s.snapshot[leader]]
