"""What voters and brokers do, with an exchange in one step."""

from __future__ import annotations

from ...language import Option, Set, action, limit, replace, require
from ..parts.logs import common_end
from .log_steps import *
from .messages import answer_of, is_refused
from .quorum import *

# === Elections in KRaft: what triggers one, who is elected, how the others learn of it, and how a leader resigns ======


# --- an election starts: three triggers -------------------------------------------------------------------------------


@action
def fetch_timeout(s: Quorum, voter: Voter) -> None:
    """{voter} gets no answer to its fetches in epoch {s.election[voter].epoch}, and starts an election."""
    require(is_counted(s, voter, voter))
    require(s.election[voter].role == Role.FOLLOWER)
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def end_quorum_epoch(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader}, which resigned, asks {voter} to start an election: EndQuorumEpoch."""
    require(messages == 0 and s.election[leader].role == Role.RESIGNED)
    require(is_counted(s, leader, voter) and is_counted(s, voter, voter))
    require(follows(s, voter, leader))
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def election_timeout(s: Quorum, voter: Voter) -> None:
    """{voter} finds no leader in epoch {s.election[voter].epoch}, and starts an election."""
    require(is_counted(s, voter, voter))
    require(s.election[voter].role in {Role.UNATTACHED, Role.VOTED, Role.CANDIDATE, Role.RESIGNED})
    limit(asks_in(s, voter) < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def ask_for_pre_vote(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} asks {peer} whether it would get its vote, and it would.

    The answer names the leader of the peer's epoch, if it knows one. A voter that knows none follows that one, and the
    pre-vote does not count (`maybeHandleCommonResponse` of KafkaRaftClient, 4.0 to 4.4).
    """
    require(pre_vote)
    require(s.election[voter].role == Role.PROSPECTIVE)
    require(is_counted(s, voter, peer) and peer not in s.election[voter].votes)
    require(s.election[peer].epoch <= s.election[voter].epoch)
    require(s.election[peer].epoch < s.election[voter].epoch or grants_pre_vote(s, peer))
    require(is_up_to_date(s, peer, len(s.log[voter]), last_epoch(s, voter)))
    votes = s.election[voter].votes | {peer}
    epoch = s.election[voter].epoch
    leader = leader_named_to(s, voter, peer)
    wins = leader is None and is_quorum(s, voter, votes)
    limit(not wins or epoch < max_epoch)
    if leader is not None:
        s.election[voter] = following_after(s, voter, epoch, leader)
    elif wins:
        s.election[voter] = standing(epoch + 1, voter)
    else:
        s.election[voter] = replace(s.election[voter], votes=votes)
    if s.election[peer].epoch < epoch:
        s.election[peer] = unattached_voter(epoch)


def leader_named_to(s: Quorum, voter: Voter, peer: Voter) -> Option[Voter]:
    """The leader of a voter's epoch that a peer knows and the voter, which is another one, does not."""
    learns = s.election[peer].epoch == s.election[voter].epoch and s.election[voter].leader is None
    return s.election[peer].leader if learns and s.election[peer].leader != voter else None


@action
def give_up(s: Quorum, voter: Voter) -> None:
    """{voter} does not win the pre-vote, and returns to its former role in epoch {s.election[voter].epoch}."""
    require(pre_vote)
    require(s.election[voter].role == Role.PROSPECTIVE)
    leader = s.election[voter].leader
    if leader is not None and leader != voter:
        s.election[voter] = following_after(s, voter, s.election[voter].epoch, leader)
    else:
        s.election[voter] = what_quorum_state_says(s.election[voter], voter)


# --- a leader is elected ----------------------------------------------------------------------------------------------


@action
def vote(s: Quorum, candidate: Voter, voter: Voter) -> None:
    """{candidate} asks {voter} for its vote in epoch {s.election[candidate].epoch}, and gets it."""
    require(messages == 0 and s.election[candidate].role == Role.CANDIDATE)
    require(is_counted(s, candidate, voter))
    require(may_vote(s, candidate, voter))
    require(not stands_as_follower(s, candidate))  # or it ends: the request is invalid
    require(is_up_to_date(s, voter, len(s.log[candidate]), last_epoch(s, candidate)))
    epoch = s.election[candidate].epoch
    votes = s.election[candidate].votes | {voter}
    wins = is_quorum(s, candidate, votes)
    limit(not wins or may_win(s, candidate))
    s.election[voter] = giving_vote(s, voter, epoch, candidate)
    note_vote(s, voter, candidate, LogEnd(end=len(s.log[candidate]), epoch=last_epoch(s, candidate)), epoch)
    if wins:
        win(s, candidate, epoch)
    else:
        s.election[candidate] = replace(s.election[candidate], votes=votes)


@action
def refuse_vote(s: Quorum, candidate: Voter, voter: Voter) -> None:
    """{voter} rejects the vote request of {candidate}, whose log is behind, in epoch {s.election[candidate].epoch}.

    So it does a request for a pre-vote: from either it learns of the epoch, and of no leader.
    """
    require(messages == 0 and s.election[candidate].role in {Role.CANDIDATE, Role.PROSPECTIVE})
    require(s.election[voter].epoch < s.election[candidate].epoch)
    require(not stands_as_follower(s, candidate))
    require(not is_up_to_date(s, voter, len(s.log[candidate]), last_epoch(s, candidate)))
    s.election[voter] = unattached_voter(s.election[candidate].epoch)


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
    s.election[voter] = following_after(s, voter, s.election[leader].epoch, leader)


@action
def hear_from(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} learns from an answer of {peer} that epoch {s.election[peer].epoch} has begun."""
    require(messages == 0 and s.election[voter].epoch < s.election[peer].epoch)
    leader = s.election[peer].leader
    if leader is None or leader == voter:
        s.election[voter] = unattached_voter(s.election[peer].epoch)
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
    s.election[voter] = following_after(s, voter, s.election[peer].epoch, leader)


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


# === A metadata record's life in KRaft: it is written, fetched, committed, or truncated ===============================


@action(kind="client")
def write(s: Quorum, controller: Voter) -> None:
    """{controller} is the active controller, and appends metadata at offset {len(s.log[controller])}."""
    require(max_records > 0 and is_active(s, controller))
    append(s, controller)


@action
def fetch(s: Quorum, follower: Voter, leader: Voter, answered: bool) -> None:
    """{follower} fetches from {leader} at offset {len(s.log[follower])}{'' if answered else '; the answer is lost'}."""
    require(messages == 0 and s.election[leader].role == Role.LEADER)
    require(is_answered(s, follower, leader))
    end = len(s.log[follower])
    require(common_end(s.log[follower], s.log[leader]) == end)
    high_watermark = high_watermark_after(s, leader, follower, end)
    known = fetched_from(s, leader, follower, end)
    require(answered or high_watermark > s.high_watermark[leader] or known.fetched_to != s.election[leader].fetched_to)
    s.election[leader] = known
    note_acknowledged(s, follower, known.epoch, end)
    if high_watermark > s.high_watermark[leader]:
        commit(s, leader, high_watermark)
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end) if answered else None
    elif answered:
        fetched = s.log[leader][end] if end < len(s.log[leader]) else None
        take(s, follower, fetched, high_watermark, known.epoch)


def is_answered(s: Quorum, follower: Voter, leader: Voter) -> bool:
    """Whether a leader answers the fetch of a follower from its log."""
    return (
        follows(s, follower, leader)
        and not needs_snapshot(s, leader, len(s.log[follower]), last_epoch(s, follower))
        and not is_refused(s, follower, leader)
    )


@action
def truncate(s: Quorum, follower: Voter, leader: Voter) -> None:
    """{follower} fetches at offset {len(s.log[follower])}; {leader} answers where the logs diverge; it truncates."""
    require(messages == 0 and s.election[leader].role == Role.LEADER)
    require(is_answered(s, follower, leader))
    end = common_end(s.log[follower], s.log[leader])
    require(s.snapshot[follower] <= end < len(s.log[follower]))
    require(not guard_truncation or end >= s.high_watermark[follower])  # otherwise the step fails, and nothing changes
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end)
    else:
        cut(s, follower, end)


# === What brokers have of the controllers: they apply the metadata that is committed, and register (KIP-631) ==========
#
# A broker is an observer: it fetches like a voter, and is not counted. What it fetches it applies once it is committed.
# When it starts it registers with the active controller, which writes a record of it. Once that is committed the broker
# gets the record's offset, and this is its *broker epoch*: a later registration has a greater one, so that controllers
# distinguish a broker from what it was before it started again. A registration that is not answered is sent again.


@action
def apply(s: Quorum, broker: Broker, leader: Voter) -> None:
    """{broker} fetches from {leader} and applies the record at offset {len(s.applied[broker])}, which is committed."""
    require(brokers_apply)
    require(s.election[leader].role == Role.LEADER)
    end = len(s.applied[broker])
    require(s.log_start[leader] <= end < s.high_watermark[leader])
    require(end == 0 or s.applied[broker][end - 1].epoch == s.log[leader][end - 1].epoch)  # else it fails, for good
    s.applied[broker].append(s.log[leader][end])


@action(kind="client")
def register(s: Quorum, broker: Broker, controller: Voter) -> None:
    """{broker} registers with {controller}, which writes a record of it at offset {len(s.log[controller])}."""
    require(brokers_register)
    require(is_active(s, controller))
    append(s, controller)
    s.registering[broker] = s.written


@action
def hear_broker_epoch(s: Quorum, broker: Broker, controller: Voter) -> None:
    """{broker} learns from {controller} that its registration is committed, and at which offset."""
    require(brokers_register and s.registering[broker] > 0)
    require(s.election[controller].role == Role.LEADER)
    committed = s.log[controller][: s.high_watermark[controller]]
    require(any(record.number == s.registering[broker] for record in committed))
    s.broker_epoch[broker] = max(
        offset for offset in range(len(committed)) if committed[offset].number == s.registering[broker]
    )
    s.registering[broker] = 0


# === Snapshots of the metadata log (KIP-630): a voter may delete what its snapshot holds, and the rest must do without
#
# A snapshot holds what all records before its end come to. A follower, or a broker, that asks for a record which its
# leader has deleted is sent the snapshot instead (FetchSnapshot), and goes on from the snapshot's end.
#
# In the model a snapshot *is* those records, since the metadata that they come to is the same everywhere: `log` keeps
# them, `snapshot` says up to where there is a snapshot, and `log_start` which of them are no records on the disk any
# more. Between them must be no gap. The retention of ordinary logs, which looks at size and age only, made one
# (KAFKA-14238, mended in 3.3): `keep_until_snapshot`.
#
# That a snapshot is fetched is one step, even where messages are in flight. Only the latest snapshot is kept.


@action(kind="client", budget="snapshots")
def take_snapshot(s: Quorum, voter: Voter, end: Offset) -> None:
    """{voter} takes a snapshot of the metadata before offset {end}, all of which it knows to be committed."""
    require(snapshots > 0)
    require(s.snapshot[voter] < end <= s.high_watermark[voter])
    require(end >= s.log_start[voter])
    s.snapshot[voter] = end


@action
def delete_records(s: Quorum, voter: Voter, start: Offset) -> None:
    """{voter} deletes the records before offset {start} from its disk."""
    require(snapshots > 0)
    require(s.log_start[voter] < start)
    require(start == s.snapshot[voter] or (not keep_until_snapshot and start <= s.high_watermark[voter]))
    s.log_start[voter] = start


@action
def load_snapshot(s: Quorum, follower: Voter, leader: Voter) -> None:
    """{follower} fetches from {leader} what is deleted, and is sent the snapshot that ends at {s.snapshot[leader]}."""
    require(snapshots > 0)
    require(s.election[leader].role == Role.LEADER)
    require(follows(s, follower, leader) and needs_snapshot(s, leader, len(s.log[follower]), last_epoch(s, follower)))
    require(s.snapshot[leader] > s.snapshot[follower])  # else it has it, or there is none: it gets no further
    end = s.snapshot[leader]
    if misses_replaced == 1:
        limit(read_up_to(s, follower) < end)  # else it does not read the snapshot either, and goes by what it had
        s.unread[follower] = Set({at for at in s.unread[leader] if at < end})
    s.election[leader] = fetched_from(s, leader, follower, s.election[leader].fetched_to[follower])
    s.log[follower] = s.log[leader][:end]
    s.log_start[follower] = end
    s.snapshot[follower] = end
    s.high_watermark[follower] = end
    note_answered(s, follower)


@action
def load_snapshot_of(s: Quorum, broker: Broker, leader: Voter) -> None:
    """{broker} fetches from {leader} what is deleted, and is sent the snapshot that ends at {s.snapshot[leader]}."""
    require(snapshots > 0 and brokers_apply)
    require(s.election[leader].role == Role.LEADER)
    require(len(s.applied[broker]) < s.log_start[leader])
    require(len(s.applied[broker]) < s.snapshot[leader])
    s.applied[broker] = s.log[leader][: s.snapshot[leader]]


# === Check-quorum: a leader from which no majority has fetched for a while resigns (KIP-595, and only since 3.7) ======
#
# Elsewhere KRaft has no clock here: a timeout may always expire. But that an isolated leader goes on leading, and does
# not answer (KAFKA-15489), is a question of how long. So here time passes, in the one unit that matters: that of
# check-quorum, one and a half times `controller.quorum.fetch.timeout.ms`. Whoever has to act when the time is up does
# so before more of it passes.


@action
def let_time_pass(s: Quorum) -> None:
    """As much time passes as a leader waits for a majority to fetch."""
    require(check_quorum != CheckQuorum.UNTIMED)
    require(any(s.election[voter].role == Role.LEADER for voter in Voter))
    require(check_quorum == CheckQuorum.MISSING or not any(s.election[voter].silent for voter in Voter))
    for voter in Voter:
        if s.election[voter].role == Role.LEADER:
            s.election[voter] = replace(s.election[voter], silent=True)
            s.led_for[voter] = min(3, s.led_for[voter] + 1)


@action
def resign_unheard(s: Quorum, leader: Voter) -> None:
    """{leader} has waited too long for a majority to fetch, and resigns from epoch {s.election[leader].epoch}."""
    require(check_quorum == CheckQuorum.TIMED)
    require(s.election[leader].role == Role.LEADER and s.election[leader].silent)
    s.election[leader] = leading(Role.RESIGNED, s.election[leader].epoch, leader)
