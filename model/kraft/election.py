"""Elections in KRaft: what triggers one, who is elected, how the others learn of it, and how a leader resigns."""

from __future__ import annotations

from ...language import action, is_majority, limit, replace, require
from .quorum import (
    LogEnd,
    Quorum,
    Role,
    Voter,
    following,
    follows,
    grants_pre_vote,
    is_up_to_date,
    is_voter,
    last_epoch,
    leading,
    max_epoch,
    messages,
    next_election,
    note_vote,
    peers_name_leader,
    pre_vote,
    resigned_knows_itself,
    standing,
    unattached,
    voted,
    what_quorum_state_says,
    win,
)

# --- an election starts: three triggers -------------------------------------------------------------------------------


@action
def fetch_timeout(s: Quorum, voter: Voter) -> None:
    """{voter} gets no answer to its fetches in epoch {s.election[voter].epoch}, and starts an election."""
    require(is_voter(s, voter))
    require(s.election[voter].role == Role.FOLLOWER)
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def end_quorum_epoch(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader}, which resigned, asks {voter} to start an election: EndQuorumEpoch."""
    require(messages == 0 and s.election[leader].role == Role.RESIGNED)
    require(is_voter(s, voter))
    require(follows(s, voter, leader))
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def election_timeout(s: Quorum, voter: Voter) -> None:
    """{voter} finds no leader in epoch {s.election[voter].epoch}, and starts an election."""
    require(is_voter(s, voter))
    require(s.election[voter].role in {Role.UNATTACHED, Role.VOTED, Role.CANDIDATE, Role.RESIGNED})
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def ask_for_pre_vote(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} asks {peer} whether it would get its vote, and it would."""
    require(pre_vote)
    require(s.election[voter].role == Role.PROSPECTIVE)
    require(is_voter(s, peer) and peer not in s.election[voter].votes)
    require(s.election[peer].epoch <= s.election[voter].epoch)
    require(s.election[peer].epoch < s.election[voter].epoch or grants_pre_vote(s, peer))
    require(is_up_to_date(s, peer, len(s.log[voter]), last_epoch(s, voter)))
    votes = s.election[voter].votes | {peer}
    wins = is_majority(votes)
    epoch = s.election[voter].epoch
    limit(not wins or epoch < max_epoch)
    s.election[voter] = standing(epoch + 1, voter) if wins else replace(s.election[voter], votes=votes)
    if s.election[peer].epoch < epoch:
        s.election[peer] = unattached(epoch)


@action
def give_up(s: Quorum, voter: Voter) -> None:
    """{voter} does not win the pre-vote, and returns to its former role in epoch {s.election[voter].epoch}."""
    require(pre_vote)
    require(s.election[voter].role == Role.PROSPECTIVE)
    s.election[voter] = what_quorum_state_says(s.election[voter], voter)


# --- a leader is elected ----------------------------------------------------------------------------------------------


@action
def vote(s: Quorum, candidate: Voter, voter: Voter) -> None:
    """{candidate} asks {voter} for its vote in epoch {s.election[candidate].epoch}, and gets it."""
    require(messages == 0 and s.election[candidate].role == Role.CANDIDATE)
    require(is_voter(s, voter))
    require(may_vote(s, candidate, voter))
    require(is_up_to_date(s, voter, len(s.log[candidate]), last_epoch(s, candidate)))
    epoch = s.election[candidate].epoch
    votes = s.election[candidate].votes | {voter}
    s.election[voter] = voted(epoch, candidate)
    note_vote(s, voter, candidate, LogEnd(end=len(s.log[candidate]), epoch=last_epoch(s, candidate)), epoch)
    if is_majority(votes):
        win(s, candidate, epoch)
    else:
        s.election[candidate] = replace(s.election[candidate], votes=votes)


@action
def refuse_vote(s: Quorum, candidate: Voter, voter: Voter) -> None:
    """{voter} rejects the vote request of {candidate}, whose log is behind, in epoch {s.election[candidate].epoch}."""
    require(messages == 0 and s.election[candidate].role == Role.CANDIDATE)
    require(s.election[voter].epoch < s.election[candidate].epoch)
    require(not is_up_to_date(s, voter, len(s.log[candidate]), last_epoch(s, candidate)))
    s.election[voter] = unattached(s.election[candidate].epoch)


def may_vote(s: Quorum, candidate: Voter, voter: Voter) -> bool:
    """Whether the voter has not voted in the candidate's epoch yet, nor found its leader."""
    return s.election[voter].epoch < s.election[candidate].epoch or (
        s.election[voter].epoch == s.election[candidate].epoch
        and s.election[voter].leader is None
        and s.election[voter].voted_for is None
    )


# --- the others learn of it -------------------------------------------------------------------------------------------


@action
def begin_quorum_epoch(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader} announces to {voter} that it leads epoch {s.election[leader].epoch}: BeginQuorumEpoch."""
    require(messages == 0 and s.election[leader].role == Role.LEADER)
    require(voter != leader)
    require(
        s.election[voter].epoch < s.election[leader].epoch
        or (s.election[voter].epoch == s.election[leader].epoch and s.election[voter].leader is None)
    )
    s.election[voter] = following(s.election[leader].epoch, leader)


@action
def hear_from(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} learns from an answer of {peer} that epoch {s.election[peer].epoch} has begun."""
    require(messages == 0 and s.election[voter].epoch < s.election[peer].epoch)
    leader = s.election[peer].leader
    if leader is None or leader == voter:
        s.election[voter] = unattached(s.election[peer].epoch)
    else:
        s.election[voter] = following(s.election[peer].epoch, leader)


@action
def hear_who_leads(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} sees in a message of {peer} that {s.election[peer].leader} leads epoch {s.election[voter].epoch}.

    Kafka goes by every request and answer (KafkaRaftClient.maybeTransition, 4.1.0). It matters where the leader has
    resigned meanwhile, and does not announce itself any more.
    """
    require(messages == 0 and peers_name_leader)
    require(s.election[voter].epoch == s.election[peer].epoch and s.election[voter].leader is None)
    leader = s.election[peer].leader
    require(leader is not None and leader != voter)
    assert leader is not None
    s.election[voter] = following(s.election[peer].epoch, leader)


@action
def hear_that_it_leads(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} resigned; {peer} answers that {voter} leads epoch {s.election[voter].epoch}."""
    require(messages == 0 and not resigned_knows_itself)
    require(s.election[voter].role == Role.RESIGNED)
    require(follows(s, peer, voter))
    s.election[voter] = replace(s.election[voter], role=Role.ILLEGAL)


# --- a leader resigns -------------------------------------------------------------------------------------------------


@action
def resign(s: Quorum, leader: Voter) -> None:
    """{leader} shuts down, or receives fetches from no majority, and resigns from epoch {s.election[leader].epoch}."""
    require(s.election[leader].role == Role.LEADER)
    s.election[leader] = leading(Role.RESIGNED, s.election[leader].epoch, leader)
