"""KRaft with its messages in flight, where a request and its answer are steps of their own.

With `messages=n` every request and every answer is a message, up to n of them at once. They arrive in any order, and
any may never arrive; `losses` of them make room for others, `duplicates` arrive once more. With `late_answers` only the
answer to a fetch is in flight, and a follower has only the last of its fetches answered: four epochs fit.

* A voter that learns of a later epoch records that in a step of its own (`hear_of_epoch`), and then answers.
* An answer that would change nothing is not sent: a vote that is denied in the candidate's own epoch, and who leads
  when the leader asks (but for `illegal_state`, where it matters).
* An answer to a fetch is taken only if it belongs to the last one sent, by its number (Kafka's correlation id).
* A pre-vote and a snapshot are still fetched in one step: nobody promises anything by them.
"""

from __future__ import annotations

from ...language import action, limit, replace, require
from ..parts import networks
from ..parts.networks import deliver, send
from .log_steps import *
from .quorum import *

# --- the answer to the last fetch -------------------------------------------------------------------------------------


def answer_of(s: Quorum, follower: Voter, leader: Voter, common: Offset) -> Fetched:
    """The leader's answer to a fetch."""
    end = len(s.log[follower])
    return Fetched(
        leader=leader,
        epoch=s.election[leader].epoch,
        offset=end,
        common=common,
        next=s.log[leader][end] if common == end and end < len(s.log[leader]) else None,
        high_watermark=s.high_watermark[leader],
    )


def is_refused(s: Quorum, follower: Voter, leader: Voter) -> bool:
    """Whether a leader takes a follower for removed that takes itself for a voter, and refuses its fetches. Kafka's
    leaders do not: they answer whoever fetches."""
    return refuses_removed and is_counted(s, follower, follower) and not is_counted(s, leader, follower)


@action
def receive_fetched(s: Quorum, follower: Voter) -> None:
    """{follower} receives the answer to its last fetch."""
    require(late_answers)
    answer = s.awaited[follower]
    require(answer is not None)
    assert answer is not None
    awaited = (
        s.election[follower].role == Role.FOLLOWER
        and s.election[follower].epoch == answer.epoch
        and s.election[follower].leader == answer.leader
    )
    s.awaited[follower] = None
    if awaited and answer.common < answer.offset:
        if not guard_truncation or answer.common >= s.high_watermark[follower]:
            cut(s, follower, answer.common)
    elif awaited:
        take(s, follower, answer.next, answer.high_watermark, answer.epoch)


# --- every message: an election ---------------------------------------------------------------------------------------


@action
def hear_of_epoch(s: Quorum, message: Message) -> None:
    """{message.to} learns from {message.source} that epoch {message.epoch} has begun."""
    require(messages > 0 and message.epoch > s.election[message.to].epoch)
    require(message.kind != Kind.FETCH_REQUEST)  # to which a leader answers that it knows no such epoch
    leader = message.leader
    if leader is None or leader == message.to:
        s.election[message.to] = unattached_voter(message.epoch)
    else:
        s.election[message.to] = following(message.epoch, leader)
    if message.kind not in {Kind.VOTE_REQUEST, Kind.BEGIN_REQUEST, Kind.END_REQUEST}:  # else it is to be answered yet
        deliver(s.network, message)


def follower_of(s: Quorum, message: Message) -> Election:
    """A voter after a message of its own epoch that names the leader."""
    known = s.election[message.to]
    if message.epoch != known.epoch or message.leader is None:
        return known
    if message.leader == message.to:
        is_wrong = known.role == Role.RESIGNED and not resigned_knows_itself
        return replace(known, role=Role.ILLEGAL) if is_wrong else known
    return following_after(s, message.to, message.epoch, message.leader) if known.leader is None else known


def answer(s: Quorum, kind: Kind, request: Message, granted: bool) -> Message:
    """An answer that carries only the epoch of the voter and the leader that it knows."""
    election = s.election[request.to]
    return Message(
        kind=kind,
        source=request.to,
        to=request.source,
        epoch=election.epoch,
        leader=election.leader,
        granted=granted,
        number=request.number,
    )


@action
def send_vote_request(s: Quorum, candidate: Voter, voter: Voter) -> None:
    """{candidate} asks {voter} for its vote in epoch {s.election[candidate].epoch}."""
    require(messages > 0 and s.election[candidate].role == Role.CANDIDATE)
    require(voter not in s.election[candidate].votes)
    request = Message(
        kind=Kind.VOTE_REQUEST,
        source=candidate,
        to=voter,
        epoch=s.election[candidate].epoch,
        offset=len(s.log[candidate]),
        last_epoch=last_epoch(s, candidate),
    )
    require(request not in s.network)
    send(s.network, request, messages)


@action
def receive_vote_request(s: Quorum, request: Message) -> None:
    """{request.to} answers {request.source}, which asks for its vote in epoch {request.epoch}."""
    require(messages > 0 and request.kind == Kind.VOTE_REQUEST)
    voter = request.to
    election = s.election[voter]
    require(request.epoch <= election.epoch)
    granted = (
        request.epoch == election.epoch
        and is_counted(s, request.source, voter)
        and election.leader is None
        and (election.voted_for is None or election.voted_for == request.source)
        and is_up_to_date(s, voter, request.offset, request.last_epoch)
    )
    deliver(s.network, request)
    if granted:
        s.election[voter] = giving_vote(s, voter, request.epoch, request.source)
        note_vote(s, voter, request.source, LogEnd(end=request.offset, epoch=request.last_epoch), request.epoch)
    if granted or request.epoch < election.epoch or election.leader is not None:
        s.network.add(answer(s, Kind.VOTE_RESPONSE, request, granted))


@action
def receive_vote_response(s: Quorum, response: Message) -> None:
    """{response.to} receives the answer of {response.source} to its request for a vote."""
    require(messages > 0 and response.kind == Kind.VOTE_RESPONSE)
    candidate = response.to
    election = s.election[candidate]
    require(response.epoch <= election.epoch)
    votes = election.votes | {response.source}
    counts = response.granted and response.epoch == election.epoch and election.role == Role.CANDIDATE
    wins = counts and is_quorum(s, candidate, votes)
    limit(not wins or may_win(s, candidate))
    deliver(s.network, response)
    if not counts:
        s.election[candidate] = follower_of(s, response)
    elif wins:
        win(s, candidate, election.epoch)
    else:
        s.election[candidate] = replace(election, votes=votes)


@action
def send_begin_quorum_epoch(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader} announces to {voter} that it leads epoch {s.election[leader].epoch}: BeginQuorumEpoch."""
    require(messages > 0 and s.election[leader].role == Role.LEADER and voter != leader)
    epoch = s.election[leader].epoch
    request = Message(kind=Kind.BEGIN_REQUEST, source=leader, to=voter, epoch=epoch, leader=leader)
    require(request not in s.network)
    send(s.network, request, messages)


@action
def receive_begin_quorum_epoch(s: Quorum, request: Message) -> None:
    """{request.to} learns that {request.source} leads epoch {request.epoch}, and answers."""
    require(messages > 0 and request.kind == Kind.BEGIN_REQUEST)
    require(request.epoch <= s.election[request.to].epoch)
    deliver(s.network, request)
    s.election[request.to] = follower_of(s, request)
    if request.epoch < s.election[request.to].epoch or not resigned_knows_itself:
        s.network.add(answer(s, Kind.RESPONSE, request, False))


@action
def send_end_quorum_epoch(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader}, which resigned, asks {voter} to start an election: EndQuorumEpoch."""
    require(messages > 0 and s.election[leader].role == Role.RESIGNED and voter != leader)
    epoch = s.election[leader].epoch
    request = Message(kind=Kind.END_REQUEST, source=leader, to=voter, epoch=epoch, leader=leader)
    require(request not in s.network)
    send(s.network, request, messages)


@action
def receive_end_quorum_epoch(s: Quorum, request: Message) -> None:
    """{request.to} answers {request.source}, which no longer leads, and starts an election if it followed."""
    require(messages > 0 and request.kind == Kind.END_REQUEST)
    voter = request.to
    require(request.epoch <= s.election[voter].epoch)
    follows_it = s.election[voter].role == Role.FOLLOWER and s.election[voter].epoch == request.epoch
    limit(not follows_it or s.election[voter].epoch < max_epoch)
    deliver(s.network, request)
    if request.epoch < s.election[voter].epoch or not resigned_knows_itself:
        s.network.add(answer(s, Kind.RESPONSE, request, False))
    s.election[voter] = (
        next_election(s, voter) if follows_it and is_counted(s, voter, voter) else follower_of(s, request)
    )


@action
def receive_response(s: Quorum, response: Message) -> None:
    """{response.to} receives an answer of {response.source}, which is in epoch {response.epoch}."""
    require(messages > 0 and response.kind == Kind.RESPONSE)
    require(response.epoch <= s.election[response.to].epoch)
    deliver(s.network, response)
    s.election[response.to] = follower_of(s, response)


# --- every message: a record's path -----------------------------------------------------------------------------------


@action
def send_fetch(s: Quorum, follower: Voter, leader: Voter) -> None:
    """{follower} fetches from {leader} at offset {len(s.log[follower])}."""
    require(messages > 0 and s.election[follower].role == Role.FOLLOWER)
    require(s.election[follower].leader == leader)
    limit(len(s.network) < messages)
    number = unused_number(s, follower)
    s.expected[follower] = number
    s.network.add(
        Message(
            kind=Kind.FETCH_REQUEST,
            source=follower,
            to=leader,
            epoch=s.election[follower].epoch,
            offset=len(s.log[follower]),
            last_epoch=last_epoch(s, follower),
            number=number,
        )
    )


def unused_number(s: Quorum, follower: Voter) -> int:
    """The least number that no fetch of this follower in flight has, and no answer to one in flight."""
    return min(
        number
        for number in range(1, messages + 1)
        if all(
            message.number != number or (message.source != follower and message.to != follower) for message in s.network
        )
    )


@action
def receive_fetch(s: Quorum, request: Message) -> None:
    """{request.to} answers {request.source}, which fetches at offset {request.offset}."""
    require(messages > 0 and request.kind == Kind.FETCH_REQUEST)
    leader = request.to
    election = s.election[leader]
    leads = election.role == Role.LEADER and election.epoch == request.epoch
    leads = leads and not is_refused(s, request.source, leader)
    require(not leads or not needs_snapshot(s, leader, request.offset, request.last_epoch))
    end = end_of_epoch(s, leader, request.last_epoch)
    epoch = 0 if end == 0 else s.log[leader][end - 1].epoch
    agrees = leads and (request.offset == 0 or (request.offset <= end and request.last_epoch == epoch))
    known = s.high_watermark[leader]
    high_watermark = high_watermark_after(s, leader, request.source, request.offset) if agrees else known
    deliver(s.network, request)
    if agrees:
        s.election[leader] = fetched_from(s, leader, request.source, request.offset)
        note_acknowledged(s, request.source, election.epoch, request.offset)
    if high_watermark > known:
        commit(s, leader, high_watermark)
    if request.epoch < election.epoch:
        s.network.add(answer(s, Kind.FETCH_RESPONSE, request, False))
    elif agrees:
        fetched = s.log[leader][request.offset] if request.offset < len(s.log[leader]) else None
        response = answer(s, Kind.FETCH_RESPONSE, request, True)
        s.network.add(replace(response, next=fetched, high_watermark=high_watermark))
    elif leads:
        response = answer(s, Kind.DIVERGING_RESPONSE, request, True)
        s.network.add(replace(response, offset=end, last_epoch=epoch))


@action
def receive_fetch_response(s: Quorum, response: Message) -> None:
    """{response.to} receives the answer of {response.source} to its fetch."""
    require(messages > 0 and response.kind in {Kind.FETCH_RESPONSE, Kind.DIVERGING_RESPONSE})
    follower = response.to
    election = s.election[follower]
    require(response.epoch <= election.epoch)
    is_expected = response.number == s.expected[follower]
    is_from_leader = response.granted and election.role == Role.FOLLOWER and response.epoch == election.epoch
    end = cut_at(s, response)
    deliver(s.network, response)
    if is_expected:
        s.expected[follower] = 0
        s.election[follower] = follower_of(s, response)
    if is_expected and is_from_leader and response.kind == Kind.FETCH_RESPONSE:
        take(s, follower, response.next, response.high_watermark, response.epoch)
    elif is_expected and is_from_leader and (not guard_truncation or end >= s.high_watermark[follower]):
        cut(s, follower, end)


def cut_at(s: Quorum, response: Message) -> int:
    """Where a follower truncates its log when the leader's diverging epoch ends at the response's offset: not after it,
    and not after its own records of that epoch and those before it."""
    own = end_of_epoch(s, response.to, response.last_epoch)
    shared = own > 0 and s.log[response.to][own - 1].epoch == response.last_epoch
    return min(own, response.offset) if shared else own


# --- the network ------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="losses")
def lose(s: Quorum, message: Message) -> None:
    """A message from {message.source} to {message.to} is lost."""
    require(messages > 0 and losses > 0)
    networks.lose(s.network, message)


@action(kind="fault", budget="duplicates")
def duplicate(s: Quorum, message: Message) -> None:
    """A message from {message.source} to {message.to} will arrive twice."""
    require(messages > 0 and duplicates > 0)
    networks.duplicate(s.network, message, messages)
