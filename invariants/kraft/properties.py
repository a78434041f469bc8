"""What must hold of KRaft, what must never happen in one step, and what must be possible.

The names are those of the Raft paper (Figure 3) and of Jack Vanlightly's specifications of KRaft. A record is
*committed* once it was below the high watermark of a leader: a broker may then have applied it.
"""

from __future__ import annotations

from ...language import Set, invariant, reachable, transition
from ...model.kraft.quorum import *

# --- in every state ---------------------------------------------------------------------------------------------------


@invariant
def type_ok(s: Quorum) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def no_illegal_state(s: Quorum) -> bool:
    """No voter comes to a state that its own code takes for impossible."""
    return all(s.election[voter].role != Role.ILLEGAL for voter in Voter)


@invariant
def valid_roles_and_states(s: Quorum) -> bool:
    """What a voter knows of the leader, of its vote and of votes for it agrees with its role."""
    return all(
        (s.election[voter].role != Role.UNATTACHED or not knows_leader(s, voter))
        and (s.election[voter].role != Role.VOTED or not knows_leader(s, voter))
        and (s.election[voter].role != Role.FOLLOWER or knows_leader(s, voter))
        and (s.election[voter].role != Role.CANDIDATE or s.election[voter].voted_for == voter)
        and (s.election[voter].role != Role.LEADER or s.election[voter].leader == voter)
        and (
            len(s.election[voter].votes) == 0
            or s.election[voter].role == Role.CANDIDATE
            or s.election[voter].role == Role.PROSPECTIVE
        )
        and (
            may_stand(s, voter) or s.election[voter].role == Role.UNATTACHED or s.election[voter].role == Role.FOLLOWER
        )
        for voter in Voter
    )


def may_stand(s: Quorum, voter: Voter) -> bool:
    """Whether a voter may have another role than an observer's. Where voters change an observer may vote, and one that
    was removed may lead until that is committed; it never stands."""
    stands = s.election[voter].role == Role.PROSPECTIVE or s.election[voter].role == Role.CANDIDATE
    return is_counted(s, voter, voter) or (voter_changes > 0 and not stands)


def knows_leader(s: Quorum, voter: Voter) -> bool:
    """Whether the voter knows who leads its epoch."""
    return s.election[voter].leader is not None


@invariant
def election_safety(s: Quorum) -> bool:
    """At most one leader in an epoch."""
    return all(
        one == other
        or s.election[one].role != Role.LEADER
        or s.election[other].role != Role.LEADER
        or s.election[one].epoch != s.election[other].epoch
        for one in Voter
        for other in Voter
    )


@invariant
def never_two_leaders_in_same_epoch(s: Quorum) -> bool:
    """All that know the leader of an epoch know the same one."""
    return all(
        s.election[one].epoch != s.election[other].epoch
        or s.election[one].leader is None
        or s.election[other].leader is None
        or s.election[one].leader == s.election[other].leader
        for one in Voter
        for other in Voter
    )


@invariant
def log_matching(s: Quorum) -> bool:
    """Two logs with a record of the same epoch at the same offset are the same up to there."""
    return all(
        s.log[one][before] == s.log[other][before]
        for one in Voter
        for other in Voter
        for offset in range(min(len(s.log[one]), len(s.log[other])))
        if s.log[one][offset].epoch == s.log[other][offset].epoch
        for before in range(offset + 1)
    )


@invariant
def no_log_divergence(s: Quorum) -> bool:
    """Two logs are the same below both high watermarks."""
    return all(
        s.log[one][offset] == s.log[other][offset]
        for one in Voter
        for other in Voter
        for offset in range(min(s.high_watermark[one], s.high_watermark[other]))
    )


@invariant
def leader_completeness(s: Quorum) -> bool:
    """A leader holds every record that was committed in its epoch or an earlier one."""
    return all(
        len(s.committed) <= len(s.log[leader]) and s.committed == s.log[leader][: len(s.committed)]
        for leader in Voter
        if s.election[leader].role == Role.LEADER and s.election[leader].epoch >= s.committed_in
    )


@invariant
def acked_value_not_lost(s: Quorum) -> bool:
    """Every record that was ever committed is in the log of a voter."""
    return all(
        any(
            any(is_counted(s, at, voter) for at in Voter)
            and has_record(s, voter, offset)
            and offset < len(s.log[voter])
            and s.log[voter][offset] == s.committed[offset]
            for voter in Voter
        )
        for offset in range(len(s.committed))
    )


def has_record(s: Quorum, voter: Voter, offset: int) -> bool:
    """Whether a voter has a record at that offset, on its disk or in its snapshot."""
    return offset < s.snapshot[voter] or s.log_start[voter] <= offset < len(s.log[voter])


@invariant
def state_machine_safety(s: Quorum) -> bool:
    """What a broker has applied, and what a controller has below its high watermark, is what was committed there."""
    return all(
        len(s.applied[broker]) <= len(s.committed) and s.applied[broker] == s.committed[: len(s.applied[broker])]
        for broker in Broker
    ) and all(
        s.high_watermark[voter] <= len(s.committed)
        and s.log[voter][: s.high_watermark[voter]] == s.committed[: s.high_watermark[voter]]
        for voter in Voter
    )


@invariant
def high_watermark_is_monotonic(s: Quorum) -> bool:
    """A leader that knows a high watermark has it past all that was committed in an earlier epoch."""
    return all(
        s.high_watermark[leader] >= len(s.committed)
        for leader in Voter
        if s.election[leader].role == Role.LEADER
        and s.high_watermark[leader] > 0
        and s.election[leader].epoch >= s.committed_in
    )


@invariant
def high_watermark_is_in_own_epoch(s: Quorum) -> bool:
    """A leader that knows a high watermark has it past the start of its own epoch: behind a record of that epoch."""
    return all(
        s.high_watermark[leader] == 0 or s.log[leader][s.high_watermark[leader] - 1].epoch == s.election[leader].epoch
        for leader in Voter
        if s.election[leader].role == Role.LEADER
    )


@invariant
def snapshot_covers_log_start(s: Quorum) -> bool:
    """What a voter has deleted from its log is in its snapshot."""
    return all(s.log_start[voter] <= s.snapshot[voter] for voter in Voter)


@invariant
def replica_can_be_rebuilt(s: Quorum) -> bool:
    """Whatever a follower lacks, its leader has a record or a snapshot for it."""
    return all(
        end >= s.log_start[leader] or s.snapshot[leader] > end
        for leader in Voter
        if s.election[leader].role == Role.LEADER
        for end in range(len(s.log[leader]))
    )


@invariant
def snapshots_hold_what_is_committed(s: Quorum) -> bool:
    """A snapshot holds what was committed, and nothing else."""
    return all(
        s.snapshot[voter] <= len(s.committed) and s.log[voter][: s.snapshot[voter]] == s.committed[: s.snapshot[voter]]
        for voter in Voter
    )


@invariant
def old_leader_resigns(s: Quorum) -> bool:
    """Of two leaders one has not led for longer than leaders wait for a majority to fetch: soon there is only one.

    With more than three voters it may take twice as long: the majority that resets the time need not be there at once.
    """
    return all(
        s.election[old].role != Role.LEADER
        or s.election[new].role != Role.LEADER
        or s.election[old].epoch >= s.election[new].epoch
        or min(s.led_for[old], s.led_for[new]) <= (1 if voters <= 3 else 2)
        for old in Voter
        for new in Voter
    )


# --- in every step ----------------------------------------------------------------------------------------------------


@transition
def high_watermark_never_decreases(before: Quorum, after: Quorum) -> bool:
    """No voter's high watermark goes back, except to 0, which is unknown: as after a restart."""
    return all(
        after.high_watermark[voter] >= before.high_watermark[voter] or after.high_watermark[voter] == 0
        for voter in Voter
    )


@transition
def committed_records_stay(before: Quorum, after: Quorum) -> bool:
    """No record that was committed is replaced by another."""
    return (
        len(after.committed) >= len(before.committed) and after.committed[: len(before.committed)] == before.committed
    )


@transition
def no_truncation_below_high_watermark(before: Quorum, after: Quorum) -> bool:
    """No follower truncates its log below its high watermark."""
    return all(
        len(after.log[voter]) >= before.high_watermark[voter] or not stays_follower(before, after, voter)
        for voter in Voter
    )


def stays_follower(before: Quorum, after: Quorum, voter: Voter) -> bool:
    """Whether it follows the same leader before and after the step, so that it has not lost its disk in it."""
    return before.election[voter].role == Role.FOLLOWER and after.election[voter] == before.election[voter]


@transition
def leader_append_only(before: Quorum, after: Quorum) -> bool:
    """A leader's log only grows while it leads."""
    return all(
        len(after.log[leader]) >= len(before.log[leader])
        and after.log[leader][: len(before.log[leader])] == before.log[leader]
        for leader in Voter
        if before.election[leader].role == Role.LEADER
        and after.election[leader].role == Role.LEADER
        and after.election[leader].epoch == before.election[leader].epoch
    )


@transition
def one_vote_in_an_epoch(before: Quorum, after: Quorum) -> bool:
    """A voter's epoch never goes back, and in an epoch it never votes for a second one."""
    return all(
        has_new_disk(before, after, voter)
        or after.election[voter].epoch > before.election[voter].epoch
        or (
            after.election[voter].epoch == before.election[voter].epoch
            and (
                before.election[voter].voted_for is None
                or after.election[voter].voted_for is None
                or after.election[voter].voted_for == before.election[voter].voted_for
            )
        )
        for voter in Voter
    )


def has_new_disk(before: Quorum, after: Quorum, voter: Voter) -> bool:
    """Whether a replica is another one than before, or no voter any more, since its disk is not the one that it had."""
    return directory_ids and after.disk[voter] > (1 if voter_changes == 0 else before.disk[voter])


@transition
def voter_key_matches(before: Quorum, after: Quorum) -> bool:
    """Only voters with the disk that they are known by give votes."""
    if voter_changes == 0:
        return all(before.disk[voter] == 1 or after.election[voter].voted_for is None for voter in Voter)
    return all(
        after.election[voter].voted_for is None
        or after.election[voter].voted_for == before.election[voter].voted_for
        or any(
            after.election[voter].voted_for == candidate
            and voters_known(before, candidate)[voter] == before.disk[voter]
            for candidate in Voter
        )
        for voter in Voter
    )


@transition
def broker_epoch_increases(before: Quorum, after: Quorum) -> bool:
    """A broker's registration has a greater epoch than the one before it."""
    return all(
        after.broker_epoch[broker] >= before.broker_epoch[broker]
        and (
            before.registering[broker] == 0
            or after.registering[broker] > 0
            or after.broker_epoch[broker] > before.broker_epoch[broker]
        )
        for broker in Broker
    )


@transition
def active_controller_knows_all_before_its_epoch(before: Quorum, after: Quorum) -> bool:
    """A controller that writes metadata has seen the start of its epoch committed, and so all that was before it."""
    return after.written == before.written or all(
        len(after.log[controller]) == len(before.log[controller])
        or before.high_watermark[controller] > epoch_start(before, controller)
        for controller in Voter
    )


@transition
def no_disruption(before: Quorum, after: Quorum) -> bool:
    """While a majority follows the leader of the latest epoch, nobody begins another one."""
    return latest_epoch(after) == latest_epoch(before) or not any(
        has_majority(before, leader) for leader in Voter if before.election[leader].epoch == latest_epoch(before)
    )


@transition
def no_disruption_after_fetch(before: Quorum, after: Quorum) -> bool:
    """While a majority follows the leader of the latest epoch and has fetched from it, nobody begins another one."""
    return (
        not grants_until_fetch
        or latest_epoch(after) == latest_epoch(before)
        or not any(
            is_fetched_from_by_majority(before, leader)
            for leader in Voter
            if before.election[leader].epoch == latest_epoch(before)
        )
    )


def latest_epoch(s: Quorum) -> int:
    """The latest epoch that any voter knows."""
    return max(s.election[voter].epoch for voter in Voter)


def has_majority(s: Quorum, leader: Voter) -> bool:
    """Whether it leads, and a majority, itself included, follows it."""
    return s.election[leader].role == Role.LEADER and is_quorum(
        s, leader, Set({voter for voter in Voter if voter == leader or follows(s, voter, leader)})
    )


def is_fetched_from_by_majority(s: Quorum, leader: Voter) -> bool:
    """Whether it leads, and has answered fetches of a majority, itself included, since they follow it."""
    return s.election[leader].role == Role.LEADER and is_quorum(
        s,
        leader,
        Set(
            {
                voter
                for voter in Voter
                if voter == leader or (follows(s, voter, leader) and s.election[voter].has_fetched)
            }
        ),
    )


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def record_is_committed(s: Quorum) -> bool:
    """An active controller's record is below its high watermark."""
    return any(
        s.election[leader].role == Role.LEADER
        and any(entry.number > 0 for entry in s.log[leader][: s.high_watermark[leader]])
        for leader in Voter
    )


@reachable
def every_role_is_taken(s: Quorum) -> bool:
    """One voter is a candidate, another has voted, and a third leads."""
    return (
        any(s.election[voter].role == Role.CANDIDATE for voter in Voter)
        and any(s.election[voter].role == Role.LEADER for voter in Voter)
        and any(s.election[voter].role == Role.VOTED for voter in Voter)
    )


@reachable
def leader_resigns(s: Quorum) -> bool:
    """A leader has resigned, and another still follows it."""
    return any(s.election[one].role == Role.RESIGNED and follows(s, other, one) for one in Voter for other in Voter)


@reachable
def two_replicas_lead(s: Quorum) -> bool:
    """Two voters believe that they lead, in different epochs, and one of them is active."""
    return any(
        one != other and is_active(s, one) and s.election[other].role == Role.LEADER for one in Voter for other in Voter
    )


@reachable
def logs_part(s: Quorum) -> bool:
    """A follower holds a record that its leader does not hold, and will have to truncate its log."""
    return any(
        follows(s, follower, leader)
        and any(
            offset >= len(s.log[leader]) or s.log[follower][offset] != s.log[leader][offset]
            for offset in range(len(s.log[follower]))
        )
        for follower in Voter
        for leader in Voter
        if s.election[leader].role == Role.LEADER
    )


@reachable
def leader_inherits_uncommitted_records(s: Quorum) -> bool:
    """A leader has taken over metadata of an earlier epoch that it does not know to be committed."""
    return any(
        s.election[leader].role == Role.LEADER
        and any(entry.number > 0 for entry in s.log[leader][s.high_watermark[leader] : epoch_start(s, leader)])
        for leader in Voter
    )


@reachable
def voter_asks_first(s: Quorum) -> bool:
    """With pre-vote, a voter is prospective; without, none ever is."""
    return not pre_vote or any(s.election[voter].role == Role.PROSPECTIVE for voter in Voter)


@reachable
def voter_asks_beside_a_leader(s: Quorum) -> bool:
    """A voter is prospective while a leader has answered fetches of a majority, where that makes a difference."""
    return not grants_until_fetch or any(
        s.election[voter].role == Role.PROSPECTIVE
        and s.election[voter].epoch == s.election[leader].epoch
        and is_fetched_from_by_majority(s, leader)
        for voter in Voter
        for leader in Voter
    )


@reachable
def broker_applies_metadata(s: Quorum) -> bool:
    """A broker has applied an active controller's record, where brokers are looked at."""
    return not brokers_apply or any(record.number > 0 for broker in Broker for record in s.applied[broker])


@reachable
def replica_is_rebuilt_from_snapshot(s: Quorum) -> bool:
    """Two voters have a snapshot and deleted what it holds; where one snapshot may be taken, the other was loaded."""
    return snapshots == 0 or any(
        one != other
        and s.snapshot[one] > 0
        and s.snapshot[other] > 0
        and s.log_start[one] > 0
        and s.log_start[other] > 0
        for one in Voter
        for other in Voter
    )


@reachable
def broker_registers_again(s: Quorum) -> bool:
    """A broker that has an epoch waits for another, where brokers register."""
    return not brokers_register or any(s.registering[broker] > 0 and s.broker_epoch[broker] > 0 for broker in Broker)


@reachable
def leader_is_not_heard(s: Quorum) -> bool:
    """The time for check-quorum is up for a leader, where there is a clock."""
    return check_quorum == CheckQuorum.UNTIMED or any(s.election[voter].silent for voter in Voter)
