"""Kafka's group protocol of KIP-848 as released, 4.0 and 4.1: its records in a log, fail-over, epochs and their fences.

`../studies/consumer_group_published/` is the published module of the same KIP. Here is what Kafka does: the states
STABLE, UNREVOKED_PARTITIONS and UNRELEASED_PARTITIONS of CurrentAssignmentBuilder; a member's previous epoch, which
counts where an answer was lost; static members, which leave with epoch -2 and are replaced; commits that are fenced by
member epoch; and a coordinator that leads one partition of the offsets' topic, fails over, and loads the group.

Consumers send heartbeats to the coordinator. What a heartbeat changes is appended as one batch; once it is committed,
the heartbeat is answered. A member epoch counts how far a member has come, and the group's epoch rises when a member
comes or goes, or when the topic's metadata change; then the coordinator computes a target for that epoch. A heartbeat
may say what the consumer owns: that is how the coordinator learns that a partition is revoked. A partition that is
assigned to a member, or that it has yet to revoke, is given to nobody else.

Whoever is silent too long is thrown out: after the session's timeout, after the rebalance's if it has yet to revoke, or
by its own background thread after the poll's. It does not know, and goes on. A fenced one joins again with the same
member id and epoch 0; 4.1 refuses that, too, until the session has ended, for 0 is not its previous epoch.

`kafka_4_1` is as released, for 4.0 and 4.1 do the same here. Two members may own one partition: a heartbeat that says
what its sender owns does not say what it is about to take on by an older answer, and the coordinator takes what is not
said for revoked. A lost answer or a fail-over is the short way there; a reconciliation that ends while a heartbeat is
under way is one where nothing is lost (`shrinking`, `pausing`). Who takes on a partition consumes it once it has
learned the committed offset, which needs the member's epoch (`fetch_offsets`): whoever has revoked a partition in the
eyes of the coordinator has an older one until its next answer. Then its epoch is the member's again, so that it learns
the offset, and its commits are accepted, until it revokes; an offset may go back. That two own a partition, and that
one is given no record meanwhile, was seen with brokers and the consumer of 4.1.0
(`tests/integration/test_groups_on_brokers.py`);
what comes after the answer is from the source (ConsumerHeartbeatRequestManager sends `currentAssignment`;
AbstractMembershipManager goes on to reconcile, at its next poll where commits are automatic; CommitRequestManager asks
again with the new epoch). `target_reported` is a consumer that says both: a repair of ours, in no Kafka, for a
reconciliation that is one step. One that lasts while a newer answer replaces the target would have to be said as well.
Neither withstands a heartbeat that is late: one from before says that its sender owns less than it does by now.

Each of the other profiles has that repair, and leaves out one fence:

* `answers_uncommitted`: a heartbeat is answered before its records are committed.
* `unawaited_revocation`, `unawaited_release`: the coordinator does not wait until a member has said that it has revoked
  a partition; or gives a partition away that is still another's.
* `unfenced_epochs`: a heartbeat counts with any epoch. `any_previous`: one with the previous epoch counts whatever the
  member owns.
* `unfenced_commits`, `unfenced_appends`: a commit counts with any epoch; a stale coordinator appends.
* `commits_of_others`: an application commits its remembered position of a partition that it does not own. That it does
  not is an assumption, and no fence: a coordinator asks for the member and its epoch, and not for its partitions
  (`commit_what_is_owned`). Consumers commit by themselves only what they own, but for `retries`: what `commitSync`
  sends again after a failure has the epoch of then, and the partition may be another's by then.
* `unwritten_assignments`, `unwritten_targets`: CurrentMemberAssignment, or TargetAssignmentMember, is not written.
* `shared_instance`: a static member may join while another with its group.instance.id is in the group.
* `offsets_lost`: the log loses what it acknowledged, the switch of the abstract log. One replica on a disk that is
  lost, or logs that somebody deletes, are that.

The text is in several files: `state.py` says what there is, `coordinator.py` what a heartbeat makes of the
group's records and what coordinators do, `clients.py` what consumers do.

What is abstracted. The log is the abstract one of `model/parts/replicated_logs.py`, compacted after each commit: what
is committed, of each key the newest record, is its entry 0, and one batch that is not committed its entry 1. A
fail-over keeps that batch or cuts it off. Batches that follow one that is lost are lost with it, unanswered, so that
one at a time is enough. There are no clocks: a timeout may expire while a consumer pauses, is out, is refused, or
speaks with another coordinator. A member sends a commit when the one before is no longer under way, so that they arrive
in order, as on one connection, but for one whose connection is lost (`late_commits`): it arrives later, if at all, with
the epoch that it was sent with. One that fails may be sent again, with the epoch of then (`retries`). A heartbeat and
its receipt are one step, but for those that are late; an answer is under way, and may be lost with its connection
before or after its records are committed. An OffsetFetch is one step; it and heartbeats go over one connection, which a
broker serves in order. Without records in the bounds it is left out. A refusal is one step. A reconciliation is one
step, at any time before the next answer or after it. All subscribe to one topic; the target is any balanced assignment.
A consumer's member id is its own for good, as the consumers of 4.0 have it. KAFKA-16147 is a profile of
`consumer_group_published`: with the states of 3.8 and later, which this model has, a partition never returns to a
member before it is given up. Regular expressions, racks, assignors of one's own, and members of the classic protocol in
the same group are left out.

Sources: KIP-848; GroupMetadataManager, ConsumerGroup (validateOffsetFetch), ConsumerGroupMember,
CurrentAssignmentBuilder and TargetAssignmentBuilder of Kafka 4.0.0 and 4.1.0; the consumer's membership and heartbeat
managers of 4.1.0; KAFKA-16249 and KAFKA-16147. Properties are in `invariants/modern_group.py`.
"""

from __future__ import annotations

from ...language import GroupLanes
from . import clients, coordinator, state
from .state import Consumer

modules = (state, coordinator, clients)  # in the order of the story

view = GroupLanes(
    lane=Consumer,
    state="phase",
    generation="epoch",
    badges={"owns": "owned", "paused": "lane in s.paused", "talks to": "talks_to"},
    board={"coordinator": "newest", "pending": "pending"},
)

profiles = {
    "kafka_4_1": {},
    "target_reported": {"report_target": True},
    "answers_uncommitted": {"report_target": True, "wait_for_commit": False},
    "unawaited_revocation": {"report_target": True, "wait_for_revocation": False},
    "unawaited_release": {"report_target": True, "wait_for_release": False},
    "unfenced_epochs": {"report_target": True, "fence_epochs": False},
    "any_previous": {"report_target": True, "subset_of_assigned": False},
    "unfenced_commits": {"report_target": True, "fence_commits": False},
    "commits_of_others": {"report_target": True, "commit_what_is_owned": False},
    "unfenced_appends": {"report_target": True, "fence_appends": False},
    "unwritten_assignments": {"report_target": True, "persist_assignments": False},
    "unwritten_targets": {"report_target": True, "persist_targets": False},
    "shared_instance": {"report_target": True, "release_instances": False},
    "offsets_lost": {"report_target": True, "loses_acknowledged": True},
}
