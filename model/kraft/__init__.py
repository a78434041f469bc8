"""KRaft: Raft as Kafka pulls it (KIP-595, 2.7), the quorum of controllers that replaced ZooKeeper (KIP-500, KIP-631).

The metadata of a cluster is a log. A few controllers, the *voters*, elect a leader for an *epoch*; the leader appends
and everyone else fetches from it, the other voters, and the brokers as *observers*, which do not vote. There is no
AppendEntries: a fetch carries the offset and the epoch at which the follower's log ends. That acknowledges all
before it, and a leader whose log diverges answers with where to truncate. A record is committed once it is below
the *high watermark*, which a majority of the voters has reached.

Raft's rule, that a leader counts copies only of records of its own epoch, is here one comparison. A new leader first
appends a *LeaderChange* record, and its high watermark moves only *past the start of its epoch*. The first version
compared with `>=` (KAFKA-12619), and that is Figure 8 of the Raft paper.

Each mistake of its history is a switch, and a profile that makes this one mistake:

* `kip595`: KRaft as it should have been from the start. In `kip630` voters take snapshots. In `kip853` (3.9) a voter
  with another disk is another one; `kip996` (4.0) has that too, and a voter asks whether it could win before it
  disturbs anybody: pre-vote. A follower grants one until its leader has answered its first fetch. In `check_quorum`
  (3.7) there is a clock, and a leader that no majority hears resigns.
* `kafka_12619`: that comparison. `kafka_10533`: nothing is flushed before it is acknowledged, so that a power loss
  takes back what was counted. `kafka_10527`: besides, a leader is leader of the same epoch after a restart, and writes
  other records where the lost ones were; a voter that led now starts as *resigned*.
* `kafka_14238`: records are deleted that no snapshot holds. `kafka_15489`: a leader goes on without a majority.
* `kafka_15345`: on an empty log the controller acts as the leader before its epoch's start is committed.
* `kafka_12460`: a follower truncates its log even below its high watermark. Only a voter that lost its disk and is
  still taken for the old one, as in `kip595`, can bring that about.
* `lost_votes`: a voter forgets in a crash whom it voted for. `illegal_state` (3.2): one that resigned hears in an
  answer that it leads, and takes that for impossible.

How fine the steps are is a switch too. As it is, a request and its answer are one step: a lost request is a step that
is not taken, and the answer to a fetch may be lost by itself, since the follower is then counted and does not have the
next record. With `late_answers` that answer is in flight; with `messages=n` every request and every answer is.

What is left out, and why:

* In one step for a request and its answer, nobody learns from a third who leads its own epoch, but for who asks for a
  pre-vote and is granted it: the leader says so.
* There are no clocks, but for check-quorum: a timeout may always expire. A voter that does nothing is one that is down
  or cut off, and `restart` is a crash and the start after it.
* A fetch brings one record, records are numbers, and of a broker there is only what it has applied and its epoch.
* A leader keeps how far each follower has come only where it takes more than one of them: with two or three voters, a
  follower and its leader are a majority, and what it has fetched has moved the high watermark already.
* The voters are the same throughout: KIP-853 is here for its directory ids. Its changes of the set are in
  `model/kraft_voters.py`, which is this text with the steps that make them; `voter_changes` is 0 without these.

The text is in several files. `quorum.py` says what there is, `log_steps.py` what several steps do to a log, and
`protocol.py` what happens, with an exchange in one step: elections, the log, brokers, snapshots and a clock.
`messages.py` is the same message by message, and `faults.py` what goes wrong.

The properties are in `invariants/kraft/properties.py`. The facts are from the KIPs, `QuorumState`, `LeaderState`,
`KafkaMetadataLog` and `KafkaRaftClient` of Kafka, and Jack Vanlightly's specifications (raft-tlaplus and kafka-tlaplus
at github.com/Vanlightly), whose names some properties bear.
"""

from __future__ import annotations

from ...language import LogLanes
from . import faults, log_steps, messages, protocol, quorum
from .quorum import CheckQuorum, HighWatermarkRule, Voter

modules = (quorum, log_steps, protocol, messages, faults)  # in the order of the story

view = LogLanes(
    lane=Voter,
    log="log",
    cell="{entry.epoch}{letter(entry.number - 1) if entry.number else 'L'}",
    cell_epoch="entry.epoch",
    high_watermark="high_watermark",
    role="s.election[lane].role",
    epoch="s.election[lane].epoch",
    badges={"voted for": "s.election[lane].voted_for", "votes": "s.election[lane].votes"},
)

profiles = {
    "kip595": {},
    "kip630": {"snapshots": 1},
    "kip853": {"directory_ids": True},
    "kip996": {"directory_ids": True, "pre_vote": True, "grants_until_fetch": True},
    "check_quorum": {"check_quorum": CheckQuorum.TIMED},
    "kafka_12460": {"guard_truncation": False},
    "kafka_12619": {"high_watermark_rule": HighWatermarkRule.AT_EPOCH_START},
    "kafka_10533": {"flush_log": False},
    "kafka_10527": {"flush_log": False, "resign_on_restart": False},
    "kafka_14238": {"snapshots": 1, "keep_until_snapshot": False},
    "kafka_15345": {"await_epoch_start": False},
    "kafka_15489": {"check_quorum": CheckQuorum.MISSING},
    "lost_votes": {"keep_votes": False},
    "illegal_state": {"resigned_knows_itself": False},
}
