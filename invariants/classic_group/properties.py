"""What must hold of the classic group protocol. G1 to G14 are the numbers of a catalogue of Kafka's properties.

What is not asked: that one consumer at a time consumes a partition. A member that was thrown out does not know, and
goes on: `one_owner_at_a_time` is false in every Kafka, and `processed_once` with it. What holds is said of members.
"""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.classic_group.lumping import may_count
from ...model.classic_group.state import *
from ...model.parts.replicated_logs import Entry, entries


def is_current(s: Cluster, member: Consumer) -> bool:
    """Whether a consumer takes itself for a member, and the coordinator does, too."""
    return s.generation[member] > 0 and member in newest(s).members


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def no_double_client_assignment(s: Cluster) -> bool:
    """G1: no two current members consume a partition."""
    return all(
        a == b or not is_current(s, a) or not is_current(s, b) or len(consumes(s, a) & consumes(s, b)) == 0
        for a in Consumer
        for b in Consumer
    )


@invariant
def legal_assignment(s: Cluster) -> bool:
    """G2: in a stable group each partition is assigned to one member, or, cooperative, to one at most."""
    return all(s.groups[c].state != GroupState.STABLE or is_legal(s.groups[c]) for c in range(failovers + 1))


def is_legal(group: Group) -> bool:
    """Whether each partition is assigned to one member; cooperative, to one at most."""
    return all(len(group.assignment[m]) == 0 or m in group.members for m in Consumer) and all(
        sum(1 for m in Consumer if p in group.assignment[m]) == 1
        or (cooperative and all(p not in group.assignment[m] for m in Consumer))
        for p in Partition
    )


@invariant
def valid_member_epoch(s: Cluster) -> bool:
    """G3: who consumes in the group's generation owns nothing that is assigned to another member."""
    group = newest(s)
    return all(
        s.phase[m] != Phase.RUNNING
        or not is_here(group)
        or not counts(group, m, s.generation[m])
        or all(other == m or len(s.owned[m] & group.assignment[other]) == 0 for other in Consumer)
        for m in Consumer
    )


@invariant
def rebalance_has_a_leader(s: Cluster) -> bool:
    """G6: a coordinator that waits for an assignment waits for a leader that is a member."""
    return all(s.groups[c].state != GroupState.COMPLETING_REBALANCE or leads(s.groups[c]) for c in range(failovers + 1))


def leads(group: Group) -> bool:
    """Whether the group has a leader, and it is a member."""
    leader = group.leader
    return leader is not None and leader in group.members


@invariant
def valid_stable_state(s: Cluster) -> bool:
    """G4: who consumes in the group's generation has exactly what was assigned, and nobody is ahead of it.

    The coordinator's group is stable before its members have their answers, and some may pause: that all of them are
    at its generation is asked of those who consume.
    """
    return all(
        s.phase[m] != Phase.RUNNING
        or not is_current(s, m)
        or s.generation[m] < newest(s).generation
        or (s.generation[m] == newest(s).generation and s.owned[m] == newest(s).assignment[m])
        for m in Consumer
    )


@transition
def generations_never_go_back(before: Cluster, after: Cluster) -> bool:
    """G5: a coordinator's generation only rises, until it forgets the group."""
    return all(
        after.groups[c].generation >= before.groups[c].generation or not is_here(after.groups[c])
        for c in range(failovers + 1)
    )


@transition
def client_generation_is_monotone(before: Cluster, after: Cluster) -> bool:
    """G5: the generation with which a member consumes only rises, until it is a member no more."""
    return all(
        before.phase[m] != Phase.RUNNING or after.generation[m] >= before.generation[m] or after.generation[m] == 0
        for m in Consumer
    )


@transition
def generation_fencing(before: Cluster, after: Cluster) -> bool:
    """G7: an offset is appended only for a member of the group, in its generation."""
    late = before.late_commit
    return not appends_an_offset(before, after) or (
        all(request in after.commits or is_fenced_in(before, request) for request in before.commits)
        and (late is None or after.late_commit is not None or is_fenced_in(before, late))
    )


def appends_an_offset(before: Cluster, after: Cluster) -> bool:
    """Whether a record is appended that holds an offset."""
    return any(
        entry not in before.log.appended and entry in after.log.appended and after.offset_lines[entry] is not None
        for entry in range(entries)
    )


def is_fenced_in(s: Cluster, request: Commit) -> bool:
    """Whether a commit is of a member of the group, in its generation."""
    return counts(s.groups[request.to], request.source, request.generation)


@transition
def revoke_before_assign(before: Cluster, after: Cluster) -> bool:
    """G8: who begins to consume a partition does so when no other current member consumes it."""
    return all(
        p in consumes(before, m)
        or not is_current(after, m)
        or all(other == m or not is_current(before, other) or p not in consumes(before, other) for other in Consumer)
        for m in Consumer
        for p in consumes(after, m)
    )


@invariant
def claims_do_not_meet(s: Cluster) -> bool:
    """Of the members whose claims an assignment may yet come of, one at most claims a partition: none has to be chosen.

    That is asked of the coordinator that leads the offsets' partition: another one appends no assignment.
    """
    group = newest(s)
    return all(
        a == b or not may_count(group, a) or not may_count(group, b) or len(group.claims[a] & group.claims[b]) == 0
        for a in Consumer
        for b in Consumer
    )


@transition
def commits_never_go_back(before: Cluster, after: Cluster) -> bool:
    """G9: a coordinator has no smaller offset than what was confirmed last, unless a committed tombstone removed it.

    Kafka keeps that of members that commit what they own, and whose commits arrive in the order in which they were
    sent. It asks for neither.
    """
    group = newest(after)
    return not is_here(group) or all(
        group.offsets[p] >= before.confirmed[p] or (group.offsets[p] == 0 and is_removed(after, p)) for p in Partition
    )


def is_removed(s: Cluster, p: Partition) -> bool:
    """Whether the log has a committed tombstone of a partition's offset."""
    return any(is_tombstone_of(s, entry, p) for entry in s.log.committed)


def is_tombstone_of(s: Cluster, entry: Entry, p: Partition) -> bool:
    """Whether that record removes the partition's offset."""
    line = s.offset_lines[entry]
    return line is not None and line.partition == p and line.offset == 0


@invariant
def offset_durable(s: Cluster) -> bool:
    """G13: the coordinator knows every offset that was confirmed to a member, and that did not expire."""
    return not is_here(newest(s)) or all(newest(s).offsets[p] >= s.confirmed[p] for p in Partition)


@transition
def members_are_not_refused(before: Cluster, after: Cluster) -> bool:
    """Who learns that it is not a member any longer is none, or is of another generation than the group."""
    return all(
        before.generation[m] == 0
        or after.generation[m] > 0
        or not counts(answers_to(after, m), m, before.generation[m])
        for m in Consumer
    )


@transition
def coordinator_unique(before: Cluster, after: Cluster) -> bool:
    """G14: only the leader of the offsets' partition appends to it.

    There is one coordinator for each of the partition's leader epochs, since the model numbers them so. One that is it
    no longer may still answer from memory: that it does not is not asked, and Kafka does not keep it.
    """
    return all(
        entry in before.log.appended or entry not in after.log.appended or is_written_by(after, entry, before.newest)
        for entry in range(entries)
    )


def is_written_by(s: Cluster, entry: Entry, coordinator: Coordinator) -> bool:
    """Whether a coordinator has appended that record."""
    group = s.group_lines[entry]
    offset = s.offset_lines[entry]
    return (group is None or group.by == coordinator) and (offset is None or offset.by == coordinator)


@transition
def offsets_kept_while_in_use(before: Cluster, after: Cluster) -> bool:
    """KAFKA-13636: no offset of a topic to which members subscribe expires."""
    return len(newest(before).members) == 0 or all(
        entry in before.log.appended or entry not in after.log.appended or not is_tombstone(after, entry)
        for entry in range(entries)
    )


@transition
def offsets_kept_for_their_retention(before: Cluster, after: Cluster) -> bool:
    """KAFKA-8069: no offset expires before its retention has ended."""
    return all(
        entry in before.log.appended
        or entry not in after.log.appended
        or all(p in before.old or not is_tombstone_of(after, entry, p) for p in Partition)
        for entry in range(entries)
    )


def is_tombstone(s: Cluster, entry: Entry) -> bool:
    """Whether that record removes an offset."""
    line = s.offset_lines[entry]
    return line is not None and line.offset == 0


@invariant
def nothing_skipped(s: Cluster) -> bool:
    """G10: no member begins after a record that nobody has processed."""
    return all(s.position[m][p] <= s.done[p] for m in Consumer for p in Partition)


@invariant
def one_owner_at_a_time(s: Cluster) -> bool:
    """At no time do two consumers consume a partition. Kafka does not keep that."""
    return all(a == b or len(consumes(s, a) & consumes(s, b)) == 0 for a in Consumer for b in Consumer)


@invariant
def processed_once(s: Cluster) -> bool:
    """G11: no record is processed twice. Kafka does not keep that."""
    return not s.twice


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def everybody_has_something(s: Cluster) -> bool:
    """A rebalance ends, and every member consumes something."""
    return all(is_current(s, m) and s.phase[m] == Phase.RUNNING and len(s.owned[m]) > 0 for m in Consumer)


@reachable
def fails_over_in_a_rebalance(s: Cluster) -> bool:
    """Another coordinator has loaded the group, while the one before waits for an assignment."""
    return s.newest > 0 and any(
        s.groups[c].state == GroupState.COMPLETING_REBALANCE for c in range(failovers + 1) if c < s.newest
    )


@reachable
def zombie_commits(s: Cluster) -> bool:
    """A commit is under way of one who is not a member any longer, and does not know."""
    return any(
        is_here(s.groups[request.to]) and request.source not in s.groups[request.to].members for request in s.commits
    )


@reachable
def joins_while_another_is_thrown_out(s: Cluster) -> bool:
    """A consumer joins while another, which consumes, is not a member any longer."""
    return any(
        s.phase[a] == Phase.JOINING
        and s.phase[b] == Phase.RUNNING
        and b not in newest(s).members
        and is_here(newest(s))
        for a in Consumer
        for b in Consumer
    )


@reachable
def joins_while_another_leaves(s: Cluster) -> bool:
    """A consumer joins as a new member, and another has left, which had a partition in the generation before."""
    group = newest(s)
    return group.state == GroupState.PREPARING_REBALANCE and any(
        s.phase[a] == Phase.JOINING
        and s.generation[a] == 0
        and s.phase[b] == Phase.OUT
        and b not in s.paused
        and b not in group.members
        and len(group.assignment[b]) > 0
        for a in Consumer
        for b in Consumer
    )


@reachable
def rejoins_without_knowing(s: Cluster) -> bool:
    """A member that consumes counts as one that has joined a rebalance: its JoinGroup was late."""
    return any(s.phase[m] == Phase.RUNNING and m in newest(s).given_up for m in Consumer)


@reachable
def offset_expires_in_time(s: Cluster) -> bool:
    """A coordinator that took over has removed an offset whose retention has ended."""
    return s.newest > 0 and any(
        newest(s).offsets[p] == 0 and is_removed(s, p) and newest(s).state == GroupState.EMPTY for p in Partition
    )


@reachable
def offset_is_loaded(s: Cluster) -> bool:
    """A coordinator that took over knows an offset that its predecessor confirmed."""
    return s.newest > 0 and any(newest(s).offsets[p] > 0 for p in Partition)
