"""Raft, the consensus algorithm that pushes: a leader sends its log to the others (Ongaro and Ousterhout, 2014).

Servers elect a leader for a term, the leader appends clients' commands to its log and sends them on, and an entry that
a majority holds is committed: every server applies it to its state machine, in the order of the log. The algorithm is
figure 2 of the paper. What makes it safe is said in two sentences, and each is a switch here:

* A server votes once a term, and only for a candidate whose log is at least as up to date as its own (5.4.1):
  `check_up_to_date`. So whoever is elected holds every committed entry.
* A leader counts copies only of entries of its own term; older ones are committed with them (5.4.2): `commit_rule`.
  Without it an entry that a majority holds may still be overwritten: figure 8. A no-op at the beginning of a term
  (`no_op`) helps progress, and is no substitute.

Others are what implementations forget: a vote that is not on disk when it is given (`persist_vote`, `keep_disk`),
entries that are not there when somebody counts on them (`lossy_restart` with `follower_fsync`, `send_fsync`,
`count_fsync`), the entry before the new one that is not compared (`check_previous`), entries that are cut although they
agree (`keep_matching_entries`). Members come and go one at a time, as in chapter 4 of Ongaro's dissertation;
`commit_before_change` mends a flaw found there in 2015, and `directory_ids` is KIP-853's answer to a server that comes
back under its name with an empty disk. A client that reads hears what is so if the leader makes sure, first, that it
still leads (`read_rule`, chapter 6). `check_quorum` and `pre_vote`, from chapters 6 and 9, keep a server that hears
nobody from deposing a leader that others hear.

With `snapshots` servers discard what they applied, and a leader sends its snapshot to who lacks that (section 7). Three
mistakes are one of what is not committed (`snapshot_committed`), one that discards what follows its last entry
(`keep_after_snapshot`), and an old one that comes late and is installed (`ignore_old_snapshots`).

How fine the steps are is a switch too. With `messages=0`, a request, its handling and that of its reply are one step;
what is lost is a step that does not happen. With `messages=n` each is a message in flight, up to n at once: they arrive
in any order, and any may never arrive; `losses` of them make room for others, `duplicates` arrive once more. What the
coarser steps leave out is checked: `raft_as_exchanges`, in docs/refinement.md.

What is abstracted away:

* There is no clock: an election timer may run out at any time. That a leader was heard in time is one bit a server,
  kept only where `check_quorum` or `pre_vote` looks at it. A round of pre-votes is one step.
* An AppendEntries request carries one entry or none. A leader does not remove itself.
* To learn of a newer term is a step of its own, whatever brings it. A vote denied in the same term is not sent.
* A server applies an entry as soon as it knows that it is committed: `commit_index` says what is applied. The state
  machine is the sequence of commands; what it makes of them is the same everywhere, since it is deterministic.
* A crash and the restart are one step: a server that does nothing for a while is one that is down. With
  `lossy_restart` it finds its log cut anywhere after what is on its disk for certain. An entry gets there when a switch
  demands it, and no step observes that it was earlier: what a crash finds may be more.
* With `cuts` pairs of servers stop to reach each other. With `slow_timers`, which claims of progress need, an election
  timer runs out only where no leader is heard, and when all else that was begun has come to its end: messages are much
  faster than timers, and timers are far apart (5.6). With `fold_terms` terms are counted from the lowest one, so that
  elections may go on for ever within bounds. Terms are compared, and one is added to them; neither depends on where
  they are counted from.
* A client's command is a number of its own, in the order in which leaders take them, and is not sent again.
* What a server knows as a leader or a candidate is forgotten when it is one no more: nobody would read it.
* A client sends one read at a time; one that is not answered is given up for the next. An answer is all that the
  leader has applied.
* A server with another disk is, with `directory_ids`, one of the spares; under its old name it does nothing any more.

The text is in three files: `cluster.py` says what there is, and `protocol.py` what happens: figure 2, an exchange of
messages in one step, clients that read, changes of the membership, the same message by message, and what goes wrong.
`snapshots.py` is section 7.
Properties are in `invariants/raft/properties.py`.
"""

from __future__ import annotations

from ...language import LogLanes
from . import cluster, protocol, snapshots
from .cluster import CommitRule, ReadRule, Server

modules = (cluster, protocol, snapshots)  # in the order of the story

view = LogLanes(
    lane=Server,
    log="log",
    cell="{entry.term}{'M' if len(entry.members) else letter(entry.command)}",
    cell_epoch="entry.term",
    high_watermark="commit_index",
    role="role",
    epoch="current_term",
    badges={"voted for": "voted_for"},
    words={"offset": "index", "high watermark": "commit index", "HW": "commit", "epoch": "term", "end": "last"},
    first=1,
)

profiles = {
    "raft": {},
    "paper": {"messages": 2},
    "count_replicas": {"commit_rule": CommitRule.COUNT_REPLICAS},
    "count_replicas_no_op": {"commit_rule": CommitRule.COUNT_REPLICAS, "no_op": True},
    "raft_no_op": {"no_op": True},
    "no_up_to_date_check": {"check_up_to_date": False},
    "forgotten_votes": {"persist_vote": False},
    "lossy_restart": {"lossy_restart": True},
    "no_follower_fsync": {"lossy_restart": True, "follower_fsync": False},
    "no_send_fsync": {"lossy_restart": True, "send_fsync": False},
    "no_count_fsync": {"lossy_restart": True, "count_fsync": False},
    "no_leader_fsync": {"lossy_restart": True, "send_fsync": False, "count_fsync": False},
    "no_fsync": {"lossy_restart": True, "follower_fsync": False, "send_fsync": False, "count_fsync": False},
    "empty_disk": {"keep_disk": False},
    "no_previous_check": {"check_previous": False},
    "always_truncate": {"keep_matching_entries": False},
    "check_quorum": {"check_quorum": True},
    "pre_vote": {"check_quorum": True, "pre_vote": True},
    "timely": {"slow_timers": True, "fold_terms": True},
    "timely_check_quorum": {"slow_timers": True, "fold_terms": True, "check_quorum": True},
    "timely_pre_vote": {"slow_timers": True, "fold_terms": True, "check_quorum": True, "pre_vote": True},
    "membership": {"membership_changes": 2, "no_op": True},
    "membership_2014": {"membership_changes": 2, "commit_before_change": False},
    "same_name": {"membership_changes": 2, "no_op": True, "wipes": 1},
    "directory_ids": {"membership_changes": 2, "no_op": True, "wipes": 1, "directory_ids": True},
    "own_word": {"reads": 1, "read_rule": ReadRule.OWN_WORD},
    "confirmed": {"reads": 1, "read_rule": ReadRule.CONFIRMED},
    "read_index": {"reads": 1, "no_op": True},
    "snapshots": {"snapshots": 1},
    "snapshots_by_message": {"snapshots": 2, "messages": 2},
    "snapshot_of_log": {"snapshots": 1, "snapshot_committed": False},
    "snapshot_discards_log": {"snapshots": 1, "messages": 2, "keep_after_snapshot": False},
    "old_snapshot": {"snapshots": 2, "messages": 2, "ignore_old_snapshots": False},
}
