"""Kafka's classic group protocol: a coordinator that fails over, members that pause, and offsets in a replicated log.

Members join a group at its *coordinator*, the broker that leads the group's partition of `__consumer_offsets`. When
all members have joined, the coordinator begins a *generation* and answers each of them; one is the group's *leader*:
it computes who consumes which partition, and sends that with its SyncGroup. The coordinator only passes it on: it
appends it to its log, and once that is committed, each member's SyncGroup is answered with that member's partitions.
A member learns of the next rebalance by its heartbeat, and commits how far it has come with the generation that it
holds.

A member that pauses is thrown out by one of three timeouts: of the session, when nothing is heard of it; of the
rebalance, when it does not join; of the poll (KIP-62), when its own heartbeat thread leaves on its behalf. It does
not know, and goes on as a *zombie* until a request of it is refused. When the coordinator fails over, another broker
loads groups and offsets from the log; the old one is a zombie, too, until it resigns: it goes on to answer from
memory, and can append nothing. What keeps all that harmless is a switch each, and each mistake of the history a
profile:

* `fence_commits`: a commit counts only with the id of a member and the group's generation.
* `fence_appends`: a coordinator that leads its partition no longer appends nothing.
* `rejoin_until_synced`: a member whose SyncGroup was cut off joins again; up to 0.10.2 it took itself for a member and
  consumed what it had revoked (KAFKA-5154).
* `forget_when_lost`: a member whose JoinGroup or SyncGroup is answered with its id unknown forgets what it owned
  (KAFKA-12983). One that learns of its loss by a heartbeat, or that its own heartbeat thread has left, always did.
* `trust`: the leader of a cooperative group believes, of each partition, the claim of the newest generation
  (`model/parts/owned_partitions.py`). In `kafka_12984` it believes all claims, and members do not forget in a
  rebalance, as up to 2.8.0. In `kafka_14639` it believes those of the highest generation alone, as from 2.8.1 on: who
  missed a generation still owns what it owned, though nobody else claims it (mended in 3.4.1 and 3.5). Up to 3.3 a
  claim is of the generation of the last assignment, so that a member misses one whose SyncGroup is refused. In 3.4.0 it
  is of the generation that was joined last (`claims_name_what_is_joined`, KAFKA-13715): to miss one takes a fail-over,
  or an answer to a JoinGroup that is late (`kafka_14639_in_3_4`). With the newest claim of each partition, it is the
  older claims that nobody disputes that make the difference: two members that claim one partition in one rebalance are
  not reached within the bounds recorded for `cooperative`, and `sticky_assignors` has them.
* `load_newest`: a coordinator that loads keeps the newest of the group, and of each partition's offset (KAFKA-5600,
  0.11.0.1). In 0.11.0.0 it kept what its first buffer held, of which how far it goes is open: the group with an older
  generation and its members, and older offsets or none.
* `await_load`: a coordinator that fails to load the log answers for no group, until it is elected again or another one
  is, as that of KIP-848 does (CoordinatorRuntime: FAILED). The one of before, in every release, catches what is thrown
  while it loads, or finds no log, and takes the partition for loaded (GroupMetadataManager.loadGroupsAndOffsets): it
  knows no group and no offset, and members begin where `auto.offset.reset` says (`kafka_3_9_load`).
* `keep_loaded`: an offset that a coordinator has loaded expires once its retention has ended, as any other. In 2.1,
  where brokers still wrote records of before (`inter.broker.protocol.version`), it was loaded with an end of retention
  long ago, and expired at once if the group was empty (KAFKA-8069, 2.2.0).
* `expire_only_empty`: no offset of the topic expires once a member has joined. Without it, one may from the first
  JoinGroup to an empty group until its generation begins: until then Kafka had it as one to which nobody subscribes
  (KAFKA-13636).
* `throw_out_unsynced`: since heartbeats are answered in a rebalance, too (KAFKA-10134, 2.6.1), a member that sends them
  and no SyncGroup is not thrown out by the timeout of its session, but by one of its own (KAFKA-12890, 2.8.1, 3.0.0).
* `watch_new_members`: the session of a new member begins when its JoinGroup is answered. Before it, up to 2.4, it began
  with the next request: who was gone by then was not thrown out, and the group waited for its SyncGroup (KAFKA-9752).
* `leave_in_rebalances` lets the heartbeat thread leave while the answer to a SyncGroup arrives. It clears the
  generation, with which the member cannot take the assignment, and up to 2.3 tries to for ever; with
  `rejoin_when_cleared` (KAFKA-8104, 2.4.0) it joins again.
* `process_first`: a member commits an offset once it has processed the record, so that whoever takes over skips none.
* `commit_what_is_owned` is an assumption about the application, and no fence: a coordinator asks for the id of a
  member and the generation, and not for the partitions of whom it is. An application that remembers its position in a
  partition, and commits it while it is a member that has another, takes back what the partition's owner has committed
  (`commits_of_others`). Consumers commit by themselves only what they own.
* `commit_at_once` is no mistake: a member commits each record in the step in which it processes it. An eager member
  that commits later to the same coordinator does the same as one whose commit arrives later. The runs that are lost are
  those in which it processes a record and does not commit it, so that `processed_once` is not asked with it, and those
  in which it processes one before a fail-over and commits it to the coordinator after; where one commit would have said
  two records, there are two. With `unfenced_commits`, `commits_never_go_back` takes three commits, not two.
* `lumped` is no mistake: what can make no difference any more is forgotten, and some steps are one (`lumping.py`), as
  `classic_group_as_lumped` checks. In the largest bounds a third of the states are left.
* `loses_acknowledged` is the log's own switch: an offsets topic with one replica, on a broker whose disk is lost.

The text is in several files: `state.py` says what there is, and what a coordinator finds in the log; `joining.py` how a
generation and its assignment come about, and what requests do that are late; `members.py` what members do and which
timeouts throw them out; `coordinator.py` the log and the fail-over.

The log is the abstract one of `model/parts/replicated_logs.py`; docs/refinement.md says what a cluster must be to
keep its promises. Here a new coordinator finds all that may ever be committed: what it does not find never will be,
since the leader of a partition has every committed record, and no other may append (docs/partition.md). It takes what
it finds for committed. So does the coordinator of before KIP-848, which reads the log to its end and answers from that
(GroupMetadataManager.doLoadGroupsAndOffsets of 3.9.1), though a second fail-over may take such a record back. That is
left out: a member that had its assignment from it would be a generation ahead of the newest coordinator, which
`valid_stable_state` excludes here, until its next heartbeat. KIP-848's waits until what it loaded is committed
(CoordinatorRuntime of 4.0.0).

What is abstracted away. There are no clocks: a timeout may expire while a member pauses, or speaks with another
coordinator. Commits are in flight, each to the coordinator for which its sender took it when it sent it, and arrive
late there, or never; a member sends the next one when the one before is no longer under way, so that they arrive in
order, as on one connection, but for one that is late (`delays`). The answers to joins and syncs are in flight, too. A
JoinGroup or a SyncGroup that waits is a phase of its sender. One that is late is under way by itself (`delays`): its
sender has given it up, sends another, and may have gone on, been thrown out or found another coordinator by the time at
which it arrives. A JoinGroup names no generation, so that a late one counts as long as its sender is a member. A
heartbeat, a leave, and the fetch of offsets are each one step with their answers, and the answer to a request that is
late reaches nobody. A member's id is whether the coordinator counts it as a member. The leader takes any balanced
assignment (`assignors.py` has Kafka's), so that members are alike, and partitions are. One append is under way at once.
Rejoining members that change nothing, static members (KIP-345: `static_members`), the first rebalance's delay, and
regular expressions are left out. All members subscribe to one topic: that offsets of a topic to which no member
subscribes expire, from 2.4 on in a group with members, too, is not in the model.

Sources: GroupCoordinator, GroupMetadata and GroupMetadataManager of Kafka 2.0 to 3.6; AbstractCoordinator and
ConsumerCoordinator of the clients; KIP-62, KIP-429; the issues named above. Properties are in
`invariants/classic_group/properties.py`.
"""

from __future__ import annotations

from ...language import GroupLanes, terminal
from ..parts.owned_partitions import Trust
from . import coordinator, joining, lumping, members, state
from .state import Cluster, Consumer, GroupState, Phase, counts, newest

modules = (state, lumping, joining, members, coordinator)  # in the order of the story

view = GroupLanes(
    lane=Consumer,
    state="phase",
    generation="generation",
    badges={"owns": "owned", "paused": "lane in s.paused", "talks to": "talks_to"},
    board={"coordinator": "newest", "pending": "pending"},
)

profiles = {
    "eager": {},
    "cooperative": {"cooperative": True},
    "kafka_5154": {"rejoin_until_synced": False},
    "kafka_12983": {"cooperative": True, "forget_when_lost": False},
    "kafka_12984": {"cooperative": True, "forget_when_lost": False, "trust": Trust.ALL},
    "kafka_14639": {"cooperative": True, "trust": Trust.HIGHEST_GENERATION, "claims_name_what_is_joined": False},
    "kafka_14639_in_3_4": {"cooperative": True, "trust": Trust.HIGHEST_GENERATION},
    "kafka_5600": {"load_newest": False},
    "kafka_3_9_load": {"await_load": False},
    "kafka_8069": {"keep_loaded": False},
    "kafka_13636": {"expire_only_empty": False},
    "kafka_9752": {"watch_new_members": False},
    "kafka_12890": {"throw_out_unsynced": False},
    "kafka_8104": {"leave_in_rebalances": True, "rejoin_when_cleared": False},
    "kafka_2_4": {"leave_in_rebalances": True},
    "commit_before_process": {"process_first": False},
    "unfenced_commits": {"fence_commits": False},
    "commits_of_others": {"commit_what_is_owned": False},
    "unfenced_appends": {"fence_appends": False},
    "offsets_lost": {"loses_acknowledged": True},
}


@terminal
def everybody_runs(s: Cluster) -> bool:
    """All take themselves for members of a stable group, and so does the coordinator."""
    return newest(s).state == GroupState.STABLE and all(
        s.phase[m] == Phase.RUNNING and counts(newest(s), m, s.generation[m]) for m in Consumer
    )
