"""KRaft message by message (`messages=n`), or with the answer to a fetch in flight (`late_answers`), claimed to be
KRaft with an exchange in one step: one model, and other values of two constants.

A vote counts once the candidate hears of it, since a candidate with a majority leads at once; until then its voter has
not voted in the image. A leader knows at once what a fetch says, and a follower has what it fetched once it hears the
answer: in one step that is a fetch without its answer, and one with it.

What an exchange in one step leaves out are messages that are late: whoever sent one would no longer send it, or whoever
hears it no longer waits for it. With `timely` there is none. That anybody may name to a voter the leader of the epoch
that it is in is a switch of the model, `peers_name_leader`; where the abstract model is without it (`named_by_peers`),
this is not a refinement.
"""

from __future__ import annotations

from ...language import Bag, Map, bound, constant, refines, replace
from ...model import kraft
from ...model.kraft.messages import answer_of
from ...model.kraft.quorum import *
from ...model.parts.logs import common_end

modules = kraft.modules
profiles = kraft.profiles
view = kraft.view

timely = constant(False, says="no message is late: its sender would send it still, and its receiver waits for it")

named_by_peers = constant(True, says="in one step, too, anybody may name to a voter the leader of its own epoch")


@refines(kraft, messages=0, late_answers=False, peers_name_leader=named_by_peers)
def as_exchanges(s: Quorum) -> Quorum:
    """With nothing in flight, each exchange is one step."""
    return replace(
        s,
        network=Bag(),
        awaited=Map({voter: None for voter in Voter}),
        expected=Map({voter: 0 for voter in Voter}),
        election=Map({voter: election_as_heard(s, voter) for voter in Voter}),
    )


def election_as_heard(s: Quorum, voter: Voter) -> Election:
    """Where a voter stands as far as others have heard: while its vote is on the way, it has not voted."""
    return unattached_voter(s.election[voter].epoch) if has_vote_on_its_way(s, voter) else s.election[voter]


def has_vote_on_its_way(s: Quorum, voter: Voter) -> bool:
    """Whether the vote that a voter has given in its epoch is in flight."""
    return s.election[voter].role == Role.VOTED and any(
        message.kind == Kind.VOTE_RESPONSE
        and message.granted
        and message.source == voter
        and message.to == s.election[voter].voted_for
        and message.epoch == s.election[voter].epoch
        for message in s.network
    )


@bound
def nothing_is_late(s: Quorum) -> bool:
    """With `timely`, the search ends where something is in flight that its sender would no longer send."""
    return not timely or (
        all(is_timely(s, message) for message in s.network) and all(awaits_what_is_so(s, voter) for voter in Voter)
    )


def awaits_what_is_so(s: Quorum, follower: Voter) -> bool:
    """Whether the leader would give a follower the answer again that is on its way to it."""
    if not late_answers:
        return True
    answer = s.awaited[follower]
    return answer is None or (
        s.election[answer.leader].role == Role.LEADER
        and follows(s, follower, answer.leader)
        and answer == answer_of(s, follower, answer.leader, common_end(s.log[follower], s.log[answer.leader]))
    )


def is_timely(s: Quorum, message: Message) -> bool:
    """Whether a message's sender stands where it stood, would say the same again, and the receiver waits for it."""
    sender = s.election[message.source]
    if message.epoch != sender.epoch or (message.leader is not None and message.leader != sender.leader):
        return False
    match message.kind:
        case Kind.VOTE_REQUEST:
            return sender.role == Role.CANDIDATE
        case Kind.VOTE_RESPONSE:
            return not message.granted or (
                sender.role == Role.VOTED
                and s.election[message.to].role == Role.CANDIDATE
                and s.election[message.to].epoch == message.epoch
            )
        case Kind.BEGIN_REQUEST:
            return sender.role == Role.LEADER
        case Kind.END_REQUEST:
            return sender.role == Role.RESIGNED
        case Kind.RESPONSE:
            return True
        case Kind.FETCH_REQUEST:
            return sender.role == Role.FOLLOWER and message.offset == len(s.log[message.source])
        case Kind.FETCH_RESPONSE | Kind.DIVERGING_RESPONSE:
            return not message.granted or is_current_answer(s, message)


def is_current_answer(s: Quorum, message: Message) -> bool:
    """Whether a leader would answer a follower's fetch so again."""
    leader, follower = message.source, message.to
    end = len(s.log[follower])
    if s.election[leader].role != Role.LEADER or not follows(s, follower, leader):
        return False
    if message.kind == Kind.DIVERGING_RESPONSE:
        return message.offset == end_of_epoch(s, leader, last_epoch(s, follower))
    return message.high_watermark == s.high_watermark[leader] and message.next == (
        s.log[leader][end] if end < len(s.log[leader]) else None
    )
