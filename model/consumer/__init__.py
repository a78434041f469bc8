"""A group of consumers, between poll, processing and commit: what an application gets by its settings.

A member polls, processes what it got, and commits how far the group has come. Whoever has a partition next begins
there. When which offset is committed is the application's choice (`commits`):

* `AUTO`: a poll commits the positions, which is what the polls before it returned (`enable.auto.commit`). In
  `kafka_18641` a thread in the background commits them at any time, while the application still processes: the consumer
  of KIP-848 did so until February 2025, and does yet where its commit before a rebalance fails for now and is sent
  again, with the positions of that moment (`retried_commits`).
* `AFTER`: the application commits its positions when it has processed all it got, with commitSync, before it polls
  again; or now and then, or with commitAsync (`polls_uncommitted`).
* `BEFORE`: it commits them before it processes.
* `EACH`: it commits each record's offset, plus one, after that record.
* `TOGETHER`: a database has the effect and the offset in one transaction, which fails where the offset is another.

An application may hand records over to another thread and poll on (`hands_over`), in which a pool may take them in any
order (`pool`). A rebalance takes partitions away inside a poll; automatic commits are sent before, others where a
listener does so (`commits_on_revoke`). An exception with `finally: close()` leaves the group; close() commits the
positions where commits are automatic. A member whose processing takes longer than `max.poll.interval.ms`, or that
pauses for longer than its session, is thrown out and does not know: it goes on with what it has in hand, and its
commits are refused (`fences_commits`). A commitAsync that failed may be sent again by its callback, after a later one
(`delays`).

A group's offset may expire or be lost (`offset_losses`), records may be deleted below it (`deletions`), the log may be
truncated under a consumer (`truncations`, with `readers_diverge`, the log's own switch). Since KIP-320 (2.1 to 2.3) a
consumer notices that by leader epochs, and goes back to where logs diverge (`detects_truncation`): it asks the leader
where the epoch of its position ends. It does so only where its position has an epoch, which a reset does not give, nor
an offset that was committed alone (`commits_epochs`). And it does not notice where the leader has records of an older
epoch at that place: a leader that was away comes back with them, before it has truncated its log (`returns`). Without
an offset in the log's range, `auto.offset.reset` says where it begins. It is asked of a partition that was added, too
(`grows`).

The records' logs are the abstract ones of `model/parts/replicated_logs.py`. A reader sees what is committed; a log
without transactions is the same with either `isolation.level`. Of the coordinator, the rules are those of
`model/parts/generations.py`: which requests count, and what a generation may give to whom. That Kafka's classic
coordinator keeps them is checked (`classic_group_as_generations`). The members here are eager. Of cooperative ones and
of KIP-848's, that holds which needs no rules: with `any_coordinator`, and without `fences_commits`, partitions are
given and taken at any time, to several at once, and every commit counts. `offsets_outage` asks about offsets.

What is abstracted away. Rebalances are eager (but with `any_coordinator`), and an assignment arrives at all members at
once. There are no clocks. A commit and its answer are one step, which may fail (`commit_losses`). Which partition a
poll returns is open, as with pause() and resume(). Records that were deleted are nobody's to process.

The text is in two files: `state.py` says what there is, `protocol.py` which commits count, what happens to the logs and
to the group, and what its members do.

Sources: ConsumerCoordinator (poll, onJoinPrepare, maybeAutoCommitOffsetsAsync, close), CommitRequestManager and
OffsetFetcher of Kafka's trunk of October 2024, before 4.0; KIP-62, KIP-320, KIP-1106; KAFKA-18641. Properties are in
`invariants/consumer.py`.
"""

from __future__ import annotations

from ...language import GroupLanes, terminal
from . import protocol, state
from .state import Commits, Consuming, Member, Partition, Reset

modules = (state, protocol)  # in the order of the story

profiles = {
    "auto": {},
    "earliest": {"reset": Reset.EARLIEST},
    "after": {"commits": Commits.AFTER},
    "before": {"commits": Commits.BEFORE},
    "each": {"commits": Commits.EACH},
    "together": {"commits": Commits.TOGETHER},
    "now_and_then": {"commits": Commits.AFTER, "polls_uncommitted": True},
    "after_on_revoke": {"commits": Commits.AFTER, "polls_uncommitted": True, "commits_on_revoke": True},
    "auto_handed_over": {"hands_over": True},
    "after_in_pool": {"commits": Commits.EACH, "hands_over": True, "pool": True},
    "closes_after_exception": {"exceptions": 1},
    "after_with_exception": {"commits": Commits.AFTER, "exceptions": 1},
    "kafka_18641": {"background_commit": True},
    "commit_lost": {"commits": Commits.AFTER, "commit_losses": 1},
    "async_sent_again": {"commits": Commits.AFTER, "polls_uncommitted": True, "delays": 1},
    "unfenced": {"commits": Commits.AFTER, "fences_commits": False},
    "auto_anyhow": {"any_coordinator": True, "fences_commits": False},
    "after_anyhow": {"any_coordinator": True, "fences_commits": False, "commits": Commits.AFTER},
    "each_anyhow": {"any_coordinator": True, "fences_commits": False, "commits": Commits.EACH},
    "before_anyhow": {"any_coordinator": True, "fences_commits": False, "commits": Commits.BEFORE},
    "handed_over_anyhow": {"any_coordinator": True, "fences_commits": False, "hands_over": True},
    "kip_848_retry": {"any_coordinator": True, "fences_commits": False, "retried_commits": 1},
    "latest_offset_lost": {"offset_losses": 1},
    "earliest_offset_lost": {"offset_losses": 1, "reset": Reset.EARLIEST},
    "none_offset_lost": {"offset_losses": 1, "reset": Reset.NONE},
    "duration_offset_lost": {"offset_losses": 1, "reset": Reset.BY_DURATION},
    "latest_deleted": {"deletions": 1},
    "earliest_deleted": {"deletions": 1, "reset": Reset.EARLIEST},
    "latest_first_start": {"has_offsets": False},
    "latest_grows": {"grows": True},
    "earliest_grows": {"grows": True, "reset": Reset.EARLIEST},
    "truncated": {"truncations": 1, "readers_diverge": True, "detects_truncation": False},
    "kip_320": {"truncations": 1, "readers_diverge": True},
    "kip_320_cut_twice": {"truncations": 2, "readers_diverge": True},
    "kip_320_comes_back": {"truncations": 1, "returns": 1, "readers_diverge": True},
    "kip_320_offset_alone": {
        "truncations": 1,
        "readers_diverge": True,
        "commits_epochs": False,
        "commits": Commits.AFTER,
    },
    "kip_320_latest": {"truncations": 1, "readers_diverge": True, "has_offsets": False},
    "kip_320_earliest": {"truncations": 1, "readers_diverge": True, "has_offsets": False, "reset": Reset.EARLIEST},
}

view = GroupLanes(
    lane=Member,
    state="phase",
    generation="known",
    badges={"owns": "owned", "position": "position"},
    board={"generation": "generation", "offset": "offset"},
)


@terminal
def all_is_processed(s: Consuming) -> bool:
    """Every record is produced, and nobody has one in hand."""
    return all(len(s.in_hand[member][partition]) == 0 for member in Member for partition in Partition)
