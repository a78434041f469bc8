"""Mistakes planted in the models of groups, one at a time: each turns the property red that is about it, within bounds
in which the model's own text keeps it. Fences that are switches have profiles, and are recorded in spec/; here is the
rest, and the fence of commits in its halves.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.search import Search

from ..support.mutants import TURNS_RED, Case, Mutant
from ..support.shipped import tier_parameters


def classic(says: str, file: str, text: str, by: str, profile: str, bounds: str, fails: str) -> Case:
    """A mistake in the classic protocol."""
    return Case(says, Mutant("classic_group", f"classic_group/{file}.py", text, by), profile, bounds, fails)


def outage(says: str, text: str, by: str, profile: str, bounds: str, fails: str) -> Case:
    """A mistake in the outage of the offsets' topic."""
    return Case(says, Mutant("offsets_outage", "offsets_outage.py", text, by), profile, bounds, fails)


def recreation_case(says: str, text: str, by: str, profile: str, fails: str, bounds: str = "once") -> Case:
    """A mistake in what is said of a topic that is made again."""
    return Case(says, Mutant("recreated_topic", "recreated_topic.py", text, by), profile, bounds, fails)


COUNTS = "counts(group, commit.source, commit.generation)"
CASES = (
    classic(
        "a commit of any generation counts",
        "members",
        COUNTS,
        "commit.source in group.members",
        "eager",
        "one_partition",
        "generation_fencing",
    ),
    classic(
        "a commit of anybody counts, in the generation",
        "members",
        COUNTS,
        "group.generation == commit.generation",
        "eager",
        "one_partition",
        "generation_fencing",
    ),
    classic(
        "a commit of any generation takes an offset back",
        "members",
        COUNTS,
        "commit.source in group.members",
        "eager",
        "one_partition",
        "commits_never_go_back",
    ),
    classic(
        "an offset is committed before its record is processed",
        "members",
        "return s.position[member][partition] if process_first else s.position[member][partition] + 1",
        "return min(s.position[member][partition] + 1, records)",
        "eager",
        "one_partition",
        "nothing_skipped",
    ),
    classic(
        "the leader gives away what another owns",
        "joining",
        "(target[p] == member and all(not owns(group, m, p) for m in group.members - {member}))",
        "target[p] == member",
        "cooperative",
        "lost_claims",
        "no_double_client_assignment",
    ),
    classic(
        "an offset is confirmed before it is committed",
        "members",
        "    append_offset(s, commit)\n",
        "    append_offset(s, commit)\n    s.confirmed[commit.partition] = commit.offset\n",
        "eager",
        "old_offset",
        "offset_durable",
    ),
    classic(
        "a new coordinator loads no offsets",
        "state",
        "return replace(group, offsets=offsets)",
        "return group",
        "eager",
        "old_offset",
        "offset_durable",
    ),
    classic(
        "a record of one partition's offset removes another's",
        "coordinator",
        " and old is not None and old.partition == offset.partition:",
        " and old is not None:",
        "eager",
        "two_offsets",
        "offset_durable",
    ),
    Case(
        "a commit of one partition forgets the offset of another",
        Mutant(
            "modern_group",
            "modern_group/clients.py",
            "request.offset if p == request.partition else group.offsets[p] for p",
            "request.offset if p == request.partition else 0 for p",
        ),
        "target_reported",
        "two_offsets",
        "commits_never_go_back",
    ),
    Case(
        "a commit of one partition is one of the other, too",
        Mutant(
            "modern_group",
            "modern_group/clients.py",
            "request.offset if p == request.partition else group.offsets[p] for p",
            "request.offset for p",
        ),
        "target_reported",
        "two_offsets",
        "commits_move_their_own_partition",
    ),
    classic(
        "a group that fails over begins anew",
        "state",
        "        generation=line.generation,\n",
        "        generation=1,\n",
        "eager",
        "missed_generation",
        "valid_stable_state",
    ),
    classic(
        "a member that counts is told that it does not",
        "members",
        "is_here(group) and not counts(group, member, s.generation[member])",
        "is_here(group)",
        "eager",
        "leaving",
        "members_are_not_refused",
    ),
    Case(
        "a commit that is late counts with the epoch that its sender has now",
        Mutant(
            "modern_group",
            "modern_group/clients.py",
            "    append_offset(s, sent)\n",
            "    append_offset(s, replace(sent, epoch=s.epoch[sent.source]))\n",
        ),
        "target_reported",
        "late_commit_of_two",
        "generation_fencing",
    ),
    Case(
        "the client that has its instance's place is fenced",
        Mutant(
            "static_members",
            "static_members.py",
            "fence_instances and not is_current(s, client)",
            "fence_instances",
        ),
        None,
        "restarts",
        "members_are_not_fenced",
    ),
    outage(
        "old replicas are removed before the new ones have copied",
        " and stay <= s.in_sync[home]",
        "",
        "shipped",
        "moved",
        "offset_durable",
    ),
    outage(
        "a replica is in sync before it has copied",
        "    s.copies[home][broker] = leaders_entries(s, home)\n",
        "",
        "shipped",
        "moved",
        "offset_durable",
    ),
    outage(
        "an offset is confirmed before each replica in sync has it",
        "s.in_sync[home] & s.alive:\n        s.copies",
        "s.in_sync[home] & s.alive - s.adding[home]:\n        s.copies",
        "shipped",
        "moved",
        "in_sync_has_all",
    ),
    outage(
        "a broker that is killed stays in sync",
        "s.in_sync[home] = s.in_sync[home] & s.alive\n",
        "s.in_sync[home] = s.in_sync[home]\n",
        "three_replicas",
        "killed_again",
        "offset_durable",
    ),
    outage(
        "of two that were killed at once, one is in sync while the other leads again",
        "    s.killed.discard(broker)\n    leave_isr(s)\n",
        "    s.killed.discard(broker)\n",
        "shipped",
        "moved_at_once",
        "in_sync_has_all",
    ),
    outage(
        "a replica copies while nobody leads",
        "    require(leads(s, home))\n    s.copies",
        "    s.copies",
        "shipped",
        "moved",
        "isr_grows_from_a_leader",
    ),
    outage(
        "consumers up to 2.4 read on",
        "(reads_without_coordinator and group not in s.unsure)",
        "group not in s.unsure",
        "consumers_2_4",
        "all_up",
        "nothing_read_again",
    ),
    outage(
        "a consumer of KIP-848 needs a coordinator to validate its position",
        " and not validates_without_coordinator",
        "",
        "consumers_kip_848",
        "all_up",
        "consumers_read_on",
    ),
    outage(
        "a consumer commits that was started again and has not joined",
        "        and group not in s.waiting\n        and (any",
        "        and (any",
        "shipped",
        "all_up",
        "who_waits_does_nothing",
    ),
    outage(
        "a consumer that was started again joins without a coordinator",
        "    require(goes_on(s, group) and group not in s.stopped and s.position[group] > 0)\n    require(group in",
        "    require(group not in s.stopped and s.position[group] > 0)\n    require(group in",
        "shipped",
        "all_up",
        "who_joins_has_a_coordinator",
    ),
    outage(
        "a commit goes to another partition than the group's",
        "        and is_home(s, group, home)\n        and group not in s.stopped",
        "        and group not in s.stopped",
        "shipped",
        "all_up",
        "commits_go_to_the_coordinator",
    ),
    outage(
        "the last replica leaves the ISR",
        "        if leads(s, home):\n            s.in_sync[home] = s.in_sync[home] & s.alive",
        "        s.in_sync[home] = s.in_sync[home] & s.alive",
        "shipped",
        "all_up",
        "somebody_is_in_sync",
    ),
    outage(
        "a position is not validated once there is a coordinator again",
        "    s.unsure = Set(group for group in s.unsure if not has_coordinator(s, group))\n",
        "    s.unsure = s.unsure\n",
        "shipped",
        "all_up",
        "who_has_a_coordinator_is_sure",
    ),
    Case(
        "a group is not where the hash of its id says",
        Mutant(
            "offsets_outage",
            "offsets_outage.py",
            "position(group) % partition_count(s)",
            "(position(group) + 1) % partition_count(s)",
        ),
        "three_replicas",
        "killed_again",
        "coordinator_mapping",
    ),
    Case(
        "the topic is made with as many replicas as brokers run, since 0.11, too",
        Mutant("offsets_outage", "offsets_outage.py", " if shrinks_to_alive else wanted", ""),
        "three_replicas",
        "one_up",
        "group_available",
    ),
    recreation_case(
        "a position is kept though its topic is gone",
        "        s.seen_leader = None\n        begin_anew(s)",
        "        s.seen_leader = None\n        s.validated = True",
        "kafka_3_1",
        "deletion_is_a_new_begin",
    ),
    recreation_case(
        "a position is read from before it is validated",
        "is_answered(s) and s.validated and s.position < s.end",
        "is_answered(s) and s.position < s.end",
        "kafka_3_1",
        "reads_what_is_validated",
    ),
    recreation_case(
        "a fetch in an older epoch is answered",
        "s.seen_leader == s.leaders[s.epoch] and s.seen_epoch == s.epoch",
        "s.seen_leader == s.leaders[s.epoch]",
        "kafka_3_1",
        "reads_what_is_validated",
        "twice",
    ),
    recreation_case(
        "a fetch with another topic's id is answered",
        "not heed_topic_id or s.seen_topic is None or s.seen_topic == s.topic",
        "True",
        "kafka_3_1",
        "reads_by_the_topics_id",
    ),
    recreation_case(
        "a record counts as one of the leader's epoch",
        "    s.read_epoch = epoch_of(s, s.position)\n",
        "    s.read_epoch = s.epoch\n",
        "kafka_3_1",
        "remembers_the_records_epoch",
    ),
    recreation_case(
        "a validation cuts nothing",
        "s.position = min(s.position, s.end if epoch == s.epoch else s.starts[epoch + 1])",
        "s.position = s.position",
        "kafka_3_1",
        "validation_ends_in_the_epoch",
    ),
    recreation_case(
        "an epoch that the leader does not know is no reason to begin anew",
        "        if epoch > s.epoch:\n            begin_anew(s)\n        else:\n            s.position = min(",
        "        if epoch <= s.epoch:\n            s.position = min(",
        "kafka_3_1",
        "validation_ends_in_the_epoch",
    ),
    recreation_case(
        "a coordinator gives the new topic's partition to who has the old one's",
        "s.exists and s.assigned is None and s.seen_topic == s.topic)\n    s.assigned = s.topic\n"
        "    s.position = s.committed\n",
        "s.exists and s.assigned != s.topic and s.seen_topic == s.topic)\n    s.assigned = s.topic\n"
        "    s.position = max(s.position, s.committed)\n",
        "kip_848",
        "assignment_begins_at_the_start",
    ),
    Case(
        "the last members have one more of a range",
        Mutant(
            "assignors",
            "studies/assignors.py",
            "min(place, count % consumers)",
            "max(0, place - consumers + count % consumers)",
        ),
        None,
        "articles",
        "range_definition",
    ),
    Case(
        "each topic's turn begins with the first member",
        Mutant(
            "assignors",
            "studies/assignors.py",
            "    for topic in Topic:\n        for number in",
            "    for topic in Topic:\n        turn = 0\n        for number in",
        ),
        None,
        "articles",
        "round_robin_is_balanced",
    ),
)


def is_quick(case: Case) -> bool:
    """The quickest one."""
    return case.fails == "range_definition"


@pytest.mark.parametrize("case", tier_parameters(CASES, is_quick, lambda case: f"{case.says} {case.fails}"))
def test_a_mistake_turns_its_property_red(case: Case, tmp_path: Path, cache: Path) -> None:
    assert case.verdicts(tmp_path, Search(symmetry=True, deadlocks=False, cache=cache)) == TURNS_RED
