"""A partition with tiered storage (KIP-405): its leader copies segments to remote storage, and brokers delete theirs.

What was copied stands in `__remote_log_metadata`: each segment with the leader epochs that its records have. A record
that is not in the leader's local log any more is looked up there by its epoch, since a segment of another leader may
have another record at that offset. Brokers delete local segments up to where they take records for copied; the leader
deletes remote ones that are too old, that lie before the log's start, or whose epochs are older than the earliest that
it has. A follower that ends before the leader's local log begins takes over the epochs of the remote segment before
that, and goes on from there.

* `kafka_4_3`: 3.8 to 4.3.
* `kafka_3_7`: 3.7.0. A segment that begins before the log's start, as one that overlaps with another does once that is
  deleted, is taken for another leader's, and stays until a newer one is deleted (KAFKA-16511, repaired in 3.7.1 and
  3.8.0: `deletes_overlapping`). Where two are deleted that overlap, the log starts behind the last of them, not behind
  the one that reaches further (KAFKA-16890, repaired in 3.8.0: `start_is_highest`).
* `kafka_3_6`: 3.6, early access. After an unclean election the new leader takes what an epoch has in remote storage for
  its own, also where its log parts from it sooner: it does not copy its records there, and deletes them (KAFKA-15241,
  repaired in 3.7.0: `bounds_copied`).
* `kafka_15168`: before 3.6.0, in no release. A segment does not take the place of one that begins later and that it
  reaches beyond, so that what only the new one has is not found (`replaces_overlapped`).
* `metadata_lost`: 4.3, and `__remote_log_metadata` is lost.
* `unclean`, `unclean_3_6`: 4.3 and 3.6 with unclean.leader.election.enable=true.
* `repaired`: what 4.3 lacks, in no Kafka, with unclean elections.

Four things go wrong in 4.3, all by the source, and not tried on brokers:

* The leader moves between its deletion of the last segment of an epoch and the next fetch of its follower. That one
  does not find where the log starts, since nothing is there, and lists what it has deleted from its disk as copied.
* Up to where records are copied a broker knows as a number that only rises (`updateHighestOffsetInRemoteStorage`).
  Where it truncates its log, after an unclean election, and has other records there, it takes these for copied.
* A broker that truncates its log before its first local segment begins a new one there (`truncateFullyAndStartAt`),
  with that as the log's start, and forgets the epochs before. Elected, cleanly, it starts the log there.
* A leader that was elected uncleanly starts its log where the first segment of its earliest epoch does, though its own
  log parted from that before (`findLogStartOffset`). While its log is shorter than that it copies nothing, and what it
  appends up to there is gone then.

The repairs: a broker looks its local segments up before it deletes them, and moves the log's start where they are too
old (`looks_up`), keeps the start of a log that it truncates (`keeps_start`), and takes no segment for its own that is
not (`finds_own_start`).

What is abstracted away. A record is an offset with the epoch of its leader. Requests, a copy with its two entries in
`__remote_log_metadata`, and a deletion are a step each; all brokers have read that topic to its end, as they wait for
when they begin to lead or follow (KAFKA-15181), and remote storage loses nothing. Who is in sync and elected is decided
at once, and a leader knows at once what its followers have: the partition's model has that. A segment is rolled at any
time. Retention is by age, and a record's age is its offset. DeleteRecords, quotas, indexes, transactions and deleted
topics are left out, as is what a copy leaves behind that ends half-way (KAFKA-17062).

Sources: RemoteLogManager (copyLogSegmentsToRemote, cleanupExpiredRemoteLogSegments, isRemoteSegmentWithinLeaderEpochs,
findHighestRemoteOffset, findLogStartOffset), RemoteLogMetadataCache, RemoteLogLeaderEpochState of 3.6.0, 3.7.0, 3.8.0,
3.9.0 and 4.3.1; TierStateMachine of 3.9.0; UnifiedLog (deletableSegments, truncateTo, maybeIncrementLogStartOffset,
updateHighestOffsetInRemoteStorage) of 4.3.1; KIP-405. Properties are in `invariants/tiered_log.py`.
"""

from __future__ import annotations

from ...language import LogLanes
from . import remote, replicas, segments, state
from .replicas import high as high
from .state import Broker

modules = (state, segments, replicas, remote)  # in the order of the story

profiles = {
    "kafka_4_3": {},
    "kafka_3_7": {"deletes_overlapping": False, "start_is_highest": False},
    "kafka_3_6": {"deletes_overlapping": False, "start_is_highest": False, "bounds_copied": False},
    "kafka_15168": {"replaces_overlapped": False},
    "metadata_lost": {"metadata_losses": 1},
    "unclean": {"unclean": True, "outages": 2},
    "unclean_3_6": {"unclean": True, "outages": 2, "bounds_copied": False},
    "repaired": {
        "unclean": True,
        "outages": 2,
        "looks_up": True,
        "keeps_start": True,
        "finds_own_start": True,
    },
}

view = LogLanes(
    lane=Broker,
    log="log",
    cell="record",
    high_watermark="high(s) if lane == s.leader else None",
    role="lane == s.leader",
    epoch="s.known[lane]",
    isr="s.isr if lane == s.leader else None",
    badges={"local from": "s.local[lane]", "starts at": "s.start[lane]", "takes as copied": "s.copied[lane]"},
    board={"remote": "s.remote", "deleted": "s.deleted", "expired": "s.expired", "cut off": "s.cut"},
)
