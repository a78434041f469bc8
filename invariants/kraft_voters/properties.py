"""What must hold where voters change: who commits, that somebody may stand, and that the changes are possible."""

from __future__ import annotations

from ...language import Set, invariant, reachable, transition
from ...model.kraft.quorum import *
from ...model.kraft_voters import nobody_may_stand


@invariant
def somebody_may_stand(s: Quorum) -> bool:
    """Somebody leads, or takes itself for a voter: else there is no leader any more, whatever happens.

    A leader removes a voter without a look at how the others are. With disks that are lost it may leave those alone."""
    return voter_changes == 0 or s.voter_sets[0] == Map({voter: 0 for voter in Voter}) or not nobody_may_stand(s)


@transition
def committed_by_majority_of_voters(before: Quorum, after: Quorum) -> bool:
    """What is committed in a step is in the logs of a majority of the voters that a replica with all of it goes by."""
    return len(after.committed) == len(before.committed) or any(
        has_committed(after, leader)
        and is_quorum(
            after,
            leader,
            Set({voter for voter in Voter if has_committed(after, voter) and is_counted(after, leader, voter)}),
        )
        for leader in Voter
    )


@transition
def removed_voters_stay_removed(before: Quorum, after: Quorum) -> bool:
    """Whom an operator removed is a voter again, with that disk, only once an operator has added it."""
    return not auto_join or all(
        set_of(before, leader) == set_of(after, leader)
        or set_of(after, leader) <= before.changed
        or all(
            after.dismissed[voter] == 0
            or voters_known(before, leader)[voter] == after.dismissed[voter]
            or voters_known(after, leader)[voter] != after.dismissed[voter]
            for voter in Voter
        )
        for leader in Voter
    )


def has_committed(s: Quorum, replica: Voter) -> bool:
    """Whether a replica has all in its log that was ever committed."""
    return len(s.committed) <= len(s.log[replica]) and s.committed == s.log[replica][: len(s.committed)]


def knows_change(s: Quorum, replica: Voter) -> bool:
    """Whether the set of voters that a replica goes by is not the first, and it knows that it is committed."""
    return set_of(s, replica) > 0 and not has_uncommitted_voters(s, replica)


def leads_with_change(s: Quorum, leader: Voter) -> bool:
    """Whether a voter leads by a set of voters that is not the first, and that it knows to be committed."""
    return s.election[leader].role == Role.LEADER and knows_change(s, leader)


@reachable
def voter_is_added(s: Quorum) -> bool:
    """It is committed that a replica is a voter that was none at first."""
    return any(
        leads_with_change(s, leader) and is_counted(s, leader, voter) and s.voter_sets[0][voter] == 0
        for leader in Voter
        for voter in Voter
    )


@reachable
def voter_is_removed(s: Quorum) -> bool:
    """A replica that was a voter at first knows that it was removed."""
    return any(
        s.voter_sets[0][voter] > 0 and knows_change(s, voter) and voters_known(s, voter)[voter] == 0 for voter in Voter
    )


@reachable
def leader_removes_itself(s: Quorum) -> bool:
    """A leader that removed itself has committed that, and resigned."""
    return any(
        s.election[leader].role == Role.RESIGNED and knows_change(s, leader) and not is_counted(s, leader, leader)
        for leader in Voter
    )


@reachable
def change_is_taken_back(s: Quorum) -> bool:
    """A set of voters was written that is in no log any more."""
    return any(
        0 < change <= s.changed
        and all(record.number != max_records + change for replica in Voter for record in s.log[replica])
        for change in range(voter_changes + 1)
    )


@reachable
def observer_votes(s: Quorum) -> bool:
    """A replica that takes itself for an observer has voted."""
    return any(s.election[voter].role == Role.VOTED and not is_counted(s, voter, voter) for voter in Voter)


@reachable
def voter_joins_by_itself(s: Quorum) -> bool:
    """With auto_join, it is committed that a replica is a voter which no operator added and which was none at first."""
    return not auto_join or any(
        leads_with_change(s, leader) and is_counted(s, leader, voter) and s.voter_sets[0][voter] != s.disk[voter]
        for leader in Voter
        for voter in Voter
    )


@reachable
def version_is_raised(s: Quorum) -> bool:
    """Where kraft.version is 0 at first, it is committed that it is 1, and a leader knows."""
    return kraft_version == 1 or any(leads_with_change(s, leader) for leader in Voter)


@reachable
def replaced_disk_is_a_voter(s: Quorum) -> bool:
    """Where disks are replaced, it is committed that a replica is a voter with its second disk."""
    return wipes == 0 or any(
        leads_with_change(s, leader) and is_counted(s, leader, voter) and s.disk[voter] > 1
        for leader in Voter
        for voter in Voter
    )
