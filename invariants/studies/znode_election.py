"""What must hold of an election by sequential ephemeral znodes, and what must be possible.

Z1 to Z10 are the numbers of the properties in docs/zookeeper.md.
"""

from __future__ import annotations

from ...language import Set, invariant, leads_to, limits_of, reachable, transition, weak
from ...model.parts.zookeeper import Session, is_alive
from ...model.studies import znode_election
from ...model.studies.znode_election import Candidate, Election, Role, is_own


@invariant
def type_ok(s: Election) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def unique_ephemeral(s: Election) -> bool:
    """Z1: no two znodes have the same number, and each has an owner whose session the ensemble keeps."""
    return all(
        (s.number[one] is None and s.orphan[one] is None)
        or (
            is_alive(s.session[one])
            and all(one == other or not is_own(s, other, s.number[one]) for other in Candidate)
            and s.number[one] != s.orphan[one]
        )
        for one in Candidate
    )


@invariant
def leader_epoch_unique(s: Election) -> bool:
    """Z2: no two that believe to lead have the same epoch."""
    return all(
        one == other or s.role[one] != Role.LEADING or s.epoch_of[one] != s.epoch_of[other]
        for one in Candidate
        for other in Candidate
    )


@transition
def leader_epoch_monotone(before: Election, after: Election) -> bool:
    """Z3: the epoch grows by one with whoever begins to lead, and not otherwise."""
    begins = any(
        before.role[candidate] != Role.LEADING and after.role[candidate] == Role.LEADING for candidate in Candidate
    )
    return after.epoch == (before.epoch + 1 if begins else before.epoch)


@transition
def no_zombie_effect(before: Election, after: Election) -> bool:
    """Z4: once a leader was obeyed, nobody of a lower epoch is."""
    return after.obeyed >= before.obeyed


@invariant
def at_most_one_believes_to_lead(s: Election) -> bool:
    """Z5: no two believe at once that they lead. No recipe keeps this: sessions expire before their clients know."""
    return len(Set(candidate for candidate in Candidate if s.role[candidate] == Role.LEADING)) <= 1


@transition
def ephemeral_semantics(before: Election, after: Election) -> bool:
    """Z6: a znode goes only where its owner's session ends; one that is only cut off keeps it."""
    return all(
        not is_alive(after.session[candidate])
        or (
            (before.number[candidate] is None or is_own(after, candidate, before.number[candidate]))
            and (before.orphan[candidate] is None or is_own(after, candidate, before.orphan[candidate]))
        )
        for candidate in Candidate
    )


@transition
def watch_one_shot(before: Election, after: Election) -> bool:
    """Z7: who gets news of a znode had a watch on it, and has it no longer."""
    return all(
        after.news[candidate] <= before.news[candidate] | before.watches[candidate]
        and len(after.news[candidate] & after.watches[candidate]) == 0
        for candidate in Candidate
    )


@invariant
def min_seq_leader(s: Election) -> bool:
    """Z8: who leads and has a session owns the znode with the lowest number."""
    return all(
        s.role[candidate] != Role.LEADING or not is_alive(s.session[candidate]) or has_lowest_number(s, candidate)
        for candidate in Candidate
    )


def has_lowest_number(s: Election, candidate: Candidate) -> bool:
    """Whether no znode has a lower number than the candidate's."""
    own = s.number[candidate]
    return own is not None and all(is_at_least(s, other, own) for other in Candidate)


def is_at_least(s: Election, candidate: Candidate, least: int) -> bool:
    """Whether the candidate has no znode with a number below this."""
    number = s.number[candidate]
    orphan = s.orphan[candidate]
    return (number is None or number >= least) and (orphan is None or orphan >= least)


@transition
def leader_stability(before: Election, after: Election) -> bool:
    """Z9: nobody begins to lead while a leader's session goes on."""
    return all(
        before.role[one] == Role.LEADING
        or after.role[one] != Role.LEADING
        or not any(before.role[other] == Role.LEADING and is_alive(before.session[other]) for other in Candidate)
        for one in Candidate
    )


@transition
def no_herd(before: Election, after: Election) -> bool:
    """Z10: a znode that goes wakes at most one candidate."""
    return len(Set(candidate for candidate in Candidate if not after.news[candidate] <= before.news[candidate])) <= 1


@invariant
def nobody_waits_in_vain(s: Election) -> bool:
    """ZL1, as far as a state shows it: who waits watches a znode that exists, or will learn that it is gone."""
    return all(
        s.role[candidate] != Role.WAITING
        or not is_alive(s.session[candidate])
        or len(s.news[candidate]) > 0
        or any(exists(s, other, s.watches[candidate]) for other in Candidate)
        for candidate in Candidate
    )


def exists(s: Election, owner: Candidate, watched: Set[int]) -> bool:
    """Whether the owner's znode is one of those that are watched."""
    number = s.number[owner]
    orphan = s.orphan[owner]
    return (number is not None and number in watched) or (orphan is not None and orphan in watched)


@invariant
def one_znode_each(s: Election) -> bool:
    """No candidate has two znodes, of which it knows one: the other lives as long as its session, and leads nobody."""
    return all(s.orphan[candidate] is None for candidate in Candidate)


@invariant
def nobody_waits_for_itself(s: Election) -> bool:
    """No candidate watches a znode of its own: it goes when the candidate's session ends, and not before."""
    return not any(exists(s, candidate, s.watches[candidate]) for candidate in Candidate)


@invariant
def no_leader_without_session(s: Election) -> bool:
    """Who knows that its session has expired does not lead (ZOOKEEPER-1209)."""
    return all(s.role[candidate] != Role.LEADING or s.session[candidate] != Session.OVER for candidate in Candidate)


@transition
def nothing_written_without_majority(before: Election, after: Election) -> bool:
    """ZL2: without a majority of the ensemble no znode comes or goes, and nobody begins to lead."""
    return before.majority or (
        after.number == before.number and after.created == before.created and after.epoch == before.epoch
    )


@reachable
def leader_changes(s: Election) -> bool:
    """A second leader is obeyed after the first one's session has expired."""
    return s.obeyed == 2


@reachable
def leader_acts_without_majority(s: Election) -> bool:
    """Whoever leads goes on while the ensemble has no majority."""
    return not s.majority and any(
        s.role[candidate] == Role.LEADING and s.epoch_of[candidate] == s.obeyed for candidate in Candidate
    )


@reachable
def zombie_is_refused(s: Election) -> bool:
    """A leader whose session has expired is behind what was obeyed: whatever it does now is of a lower epoch."""
    return any(
        s.role[candidate] == Role.LEADING
        and s.session[candidate] == Session.EXPIRED
        and s.epoch_of[candidate] < s.obeyed
        for candidate in Candidate
    )


@reachable
def own_znode_is_not_shown(s: Election) -> bool:
    """A candidate has a znode, does not know so, and its server does not show it: who looks there finds none."""
    return any(s.number[candidate] is not None for candidate in s.behind)


@reachable
def znode_goes_before_it_is_watched(s: Election) -> bool:
    """What a candidate has read is gone before it could set its watch."""
    return any(
        s.found[candidate] is not None
        and is_alive(s.session[candidate])
        and not any(is_own(s, other, s.found[candidate]) for other in Candidate)
        for candidate in Candidate
    )


def is_settled(s: Election) -> bool:
    """Whether somebody with a session leads, or nobody stands for election any more."""
    return any(s.role[node] == Role.LEADING and is_alive(s.session[node]) for node in Candidate) or not stands(s)


def stands(s: Election) -> bool:
    """Whether somebody with a session stands for election, and does not lead yet."""
    return any(
        s.role[node] in {Role.UNSURE, Role.READING, Role.FOUND, Role.WAITING} and is_alive(s.session[node])
        for node in Candidate
    )


@leads_to(
    is_settled,
    weak(znode_election.lead),
    weak(znode_election.find_own, each="candidate"),
    weak(znode_election.join_again, each="candidate"),
    weak(znode_election.catch_up, each="candidate"),
    weak(znode_election.read, each="candidate"),
    weak(znode_election.read_again, each="candidate"),
    weak(znode_election.wait, each="candidate"),
    weak(znode_election.hear, each="candidate"),
    weak(znode_election.connect_again, each="candidate"),
    weak(znode_election.learn, each="candidate"),
    weak(znode_election.regain_majority),
    limits_of(znode_election.join),
)
def eventually_a_leader(s: Election) -> bool:
    """ZL1: where somebody stands for election, somebody leads in the end, or nobody stands for it any longer.

    The ensemble has its majority again, and who is cut off reaches it again, in time or too late.
    """
    return stands(s)
