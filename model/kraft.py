"""KRaft: Raft as Kafka pulls it (KIP-595, 2.7), the quorum of controllers that replaced ZooKeeper (KIP-500, KIP-631).

The metadata of a cluster is a log. A few controllers, the *voters*, elect a leader for an *epoch*; the leader appends
and everyone else fetches from it, the other voters, and the brokers as *observers*, which do not vote. There is no
AppendEntries: a fetch carries the offset and the epoch at which the follower's log ends. That acknowledges all
before it, and a leader whose log went another way answers with where to cut. A record is committed once it is below
the *high watermark*, which a majority of the voters has reached.

Raft's rule, that a leader counts copies only of records of its own epoch, is here one comparison. A new leader first
appends a *LeaderChange* record, and its high watermark moves only *past the start of its epoch*. The first version
compared with `>=` (KAFKA-12619), and that is Figure 8 of the Raft paper.

Each mistake of its history is a switch, and a profile that makes this one mistake:

* `kip595`: KRaft as it should have been from the start. In `kip853` (3.9) a voter with another disk is another one;
  `kip996` (4.0) has that too, and a voter asks whether it could win before it disturbs anybody: pre-vote.
* `kafka_12619`: that comparison. `kafka_10533`: nothing is flushed before it is acknowledged, so that a power loss
  takes back what was counted. `kafka_10527`: besides, a leader is leader of the same epoch after a restart, and writes
  other records where the lost ones were; a voter that led now starts as *resigned*.
* `kafka_15345`: on an empty log the controller is told that it leads before its epoch's start is committed.
* `kafka_12460`: a follower cuts its log even below its high watermark. Only a voter that lost its disk and is still
  taken for the old one, as in `kip595`, can bring that about.
* `lost_votes`: a voter forgets in a crash whom it voted for. `illegal_state` (3.2): one that resigned hears in an
  answer that it leads, and takes that for impossible.

What is left out, and why:

* A request and its answer are one step. A lost request is a step that is not taken; the answer to a fetch may be lost
  by itself, since the follower is then counted and has not got the next record. With `late_answers` that answer is a
  message in flight, and is ignored if the follower has sent another fetch, restarted, or moved on. Votes and requests
  are never late: who waits for one changes nothing meanwhile. What old messages tell of epochs, `hear_from` tells.
* A leader does not keep each follower's offset. With three voters that is exact: a follower and its leader are a
  majority, so what the third fetched has moved the high watermark already. With five, the other followers count as
  having acknowledged what they hold.
* There are no clocks: a timeout may always expire. A voter that does nothing is one that is down or cut off, and
  `restart` is a crash and the start after it. Check-quorum (KAFKA-15489, 3.7) is `resign`; that a leader without a
  majority *must* resign is liveness.
* A fetch brings one record, records are numbers, and of a broker there is only what it has applied. Snapshots and
  changes of the set of voters (KIP-630, KIP-853) are left out.

The properties are in `invariants/kraft.py`. The facts are from the KIPs, `QuorumState`, `LeaderState` and
`KafkaRaftClient` of Kafka, and Jack Vanlightly's specifications (github.com/Vanlightly/raft-tlaplus, kafka-tlaplus),
whose names some properties bear.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import (
    Capacity,
    Domain,
    Ghost,
    LogLanes,
    Map,
    Option,
    Range,
    Seq,
    Set,
    action,
    constant,
    initial,
    is_majority,
    limit,
    record,
    replace,
    require,
    state,
)

# --- bounds and switches ----------------------------------------------------------------------------------------------

voters = constant(3, minimum=2, maximum=5, says="controllers that vote")
brokers = constant(1, minimum=1, maximum=3, says="brokers that follow the log, where they are looked at")
max_epoch = constant(3, minimum=1, maximum=8, says="elections are for epochs 1 to this")
max_records = constant(1, minimum=0, maximum=6, says="metadata records that active controllers write in all")
crashes = constant(1, minimum=0, maximum=4, says="restarts of a voter")
wipes = constant(0, minimum=0, maximum=2, says="disks of voters that are replaced by empty ones")


class HighWatermarkRule(Enum):
    """How far the followers must have come before a leader's high watermark moves."""

    PAST_EPOCH_START = "past_epoch_start"  # a majority has the LeaderChange record
    AT_EPOCH_START = "at_epoch_start"  # KAFKA-12619: a majority has all before it


high_watermark_rule = constant(HighWatermarkRule.PAST_EPOCH_START, says="when the high watermark of a leader moves")
resign_on_restart = constant(True, says="KAFKA-10527: a leader is not the leader of its epoch after a restart")
flush_log = constant(True, says="KAFKA-10533: what is fetched or acknowledged is on disk before")
keep_votes = constant(True, says="the file quorum-state, with epoch and vote, survives a restart")
directory_ids = constant(False, says="KIP-853: a voter with another disk is another one, and no voter")
guard_truncation = constant(True, says="KAFKA-12460: a log is never cut below the high watermark")
await_epoch_start = constant(True, says="KAFKA-15345: a leader is active once its epoch's start is committed")
resigned_knows_itself = constant(True, says="a voter that resigned may hear that it leads its epoch")
pre_vote = constant(False, says="KIP-996: a voter asks whether it could win before it begins an epoch")
late_answers = constant(False, says="the answer to a fetch is in flight; if not, it arrives at once or never")
brokers_apply = constant(False, says="brokers fetch and apply what is committed")

profiles = {
    "kip595": {},
    "kip853": {"directory_ids": True},
    "kip996": {"directory_ids": True, "pre_vote": True},
    "kafka_12460": {"guard_truncation": False},
    "kafka_12619": {"high_watermark_rule": HighWatermarkRule.AT_EPOCH_START},
    "kafka_10533": {"flush_log": False},
    "kafka_10527": {"flush_log": False, "resign_on_restart": False},
    "kafka_15345": {"await_epoch_start": False},
    "lost_votes": {"keep_votes": False},
    "illegal_state": {"resigned_knows_itself": False},
}


# --- what there is ----------------------------------------------------------------------------------------------------


class Voter(Domain, size=voters, symmetric=True):
    """A controller, known to all voters as one of them."""


class Broker(Domain, size=brokers, symmetric=True, labels=("X", "Y", "Z")):
    """A broker: an observer of the metadata log."""


class Role(Enum):
    """What a voter is in its epoch."""

    UNATTACHED = "unattached"  # it knows the epoch, and nobody who leads or deserves its vote
    VOTED = "voted"  # it has voted for another
    FOLLOWER = "follower"  # it fetches from the leader
    PROSPECTIVE = "prospective"  # KIP-996: it asks whether it could win
    CANDIDATE = "candidate"  # it asks for votes
    LEADER = "leader"
    RESIGNED = "resigned"  # it led, and waits for another to be elected
    ILLEGAL = "illegal"  # its process has thrown an IllegalStateException


Epoch = Annotated[int, Range(0, max_epoch)]  # 0: before the first election
Offset = Annotated[int, Range(0, max_epoch + max_records)]


@record
class Record:
    """A record of the log: number 0 is LeaderChange, any other is metadata."""

    epoch: Epoch
    number: Annotated[int, Range(0, max_records)]


@record
class Election:
    """Where a voter stands. Epoch, leader and vote are kept in the file quorum-state; the votes received are not."""

    role: Role
    epoch: Epoch
    leader: Option[Voter]
    voted_for: Option[Voter]
    votes: Set[Voter]


@record
class Fetched:
    """An answer in flight to a fetch at an offset: where the logs part, the next record, the high watermark."""

    leader: Voter
    epoch: Epoch
    offset: Offset
    common: Offset
    next: Option[Record]
    high_watermark: Offset


@state
class Quorum:
    """The controllers, and what the brokers have of them."""

    election: Map[Voter, Election]  # QuorumState: what each voter is, in which epoch
    log: Map[Voter, Annotated[Seq[Record], Capacity(max_epoch + max_records)]]  # __cluster_metadata, on its disk
    high_watermark: Map[Voter, Offset]  # how far each voter knows its log to be committed; 0 until it knows
    applied: Map[Broker, Annotated[Seq[Record], Capacity(max_epoch + max_records)]]  # what each broker has applied
    written: Annotated[int, Range(0, max_records)]  # metadata records written so far
    replaced: Set[Voter]  # voters with another disk: their directory id is not the one that voters are known by
    awaited: Map[Voter, Option[Fetched]]  # the answer in flight to each voter's last fetch, where it may be late
    committed: Ghost[Annotated[Seq[Record], Capacity(max_epoch + max_records)]]  # all that was ever committed
    committed_in: Ghost[Epoch]  # the epoch of the leader that committed the last of it


view = LogLanes(
    lane=Voter,
    log="log",
    cell="{entry.epoch}{letter(entry.number - 1) if entry.number else 'L'}",
    cell_epoch="entry.epoch",
    high_watermark="high_watermark",
    role="s.election[lane].role",
    epoch="s.election[lane].epoch",
    badges={"voted for": "s.election[lane].voted_for", "votes": "s.election[lane].votes"},
)


@initial
def empty() -> Quorum:
    """Empty logs, and no election yet."""
    return Quorum(
        election=Map({voter: unattached(0) for voter in Voter}),
        log=Map({voter: Seq() for voter in Voter}),
        high_watermark=Map({voter: 0 for voter in Voter}),
        applied=Map({broker: Seq() for broker in Broker}),
        written=0,
        replaced=Set(),
        awaited=Map({voter: None for voter in Voter}),
        committed=Seq(),
        committed_in=0,
    )


def unattached(epoch: Epoch) -> Election:
    """It has heard of the epoch, and of no leader."""
    return Election(role=Role.UNATTACHED, epoch=epoch, leader=None, voted_for=None, votes=Set())


def voted(epoch: Epoch, candidate: Voter) -> Election:
    """It has given its vote to another."""
    return Election(role=Role.VOTED, epoch=epoch, leader=None, voted_for=candidate, votes=Set())


def following(epoch: Epoch, leader: Voter) -> Election:
    """It has found the leader; whom it voted for does not matter any more."""
    return Election(role=Role.FOLLOWER, epoch=epoch, leader=leader, voted_for=None, votes=Set())


def standing(epoch: Epoch, voter: Voter) -> Election:
    """It votes for itself, and asks the others."""
    return Election(role=Role.CANDIDATE, epoch=epoch, leader=None, voted_for=voter, votes=Set({voter}))


def leading(role: Role, epoch: Epoch, voter: Voter) -> Election:
    """It leads, or did until it resigned."""
    return Election(role=role, epoch=epoch, leader=voter, voted_for=None, votes=Set())


# --- an election is called: three triggers ----------------------------------------------------------------------------


@action
def fetch_timeout(s: Quorum, voter: Voter) -> None:
    """{voter} gets no answer to its fetches in epoch {s.election[voter].epoch}, and wants an election."""
    require(is_voter(s, voter))
    require(s.election[voter].role == Role.FOLLOWER)
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def end_quorum_epoch(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader}, which resigned, asks {voter} for an election: EndQuorumEpoch."""
    require(is_voter(s, voter))
    require(s.election[leader].role == Role.RESIGNED)
    require(follows(s, voter, leader))
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


@action
def election_timeout(s: Quorum, voter: Voter) -> None:
    """{voter} finds no leader in epoch {s.election[voter].epoch}, and wants an election."""
    require(is_voter(s, voter))
    require(s.election[voter].role in {Role.UNATTACHED, Role.VOTED, Role.CANDIDATE, Role.RESIGNED})
    limit(s.election[voter].epoch < max_epoch)
    s.election[voter] = next_election(s, voter)


def next_election(s: Quorum, voter: Voter) -> Election:
    """What a voter does that wants an election: it stands in the next epoch, or first asks whether it should."""
    if pre_vote:
        return replace(s.election[voter], role=Role.PROSPECTIVE, votes=Set({voter}))
    return standing(s.election[voter].epoch + 1, voter)


def is_voter(s: Quorum, voter: Voter) -> bool:
    """Whether the others take it for one of the voters."""
    return not directory_ids or voter not in s.replaced


def follows(s: Quorum, follower: Voter, leader: Voter) -> bool:
    """Whether it fetches from that leader, in the leader's epoch."""
    return (
        s.election[follower].role == Role.FOLLOWER
        and s.election[follower].leader == leader
        and s.election[follower].epoch == s.election[leader].epoch
    )


@action
def ask_for_pre_vote(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} asks {peer} whether it would get its vote, and it would."""
    require(pre_vote)
    require(s.election[voter].role == Role.PROSPECTIVE)
    require(is_voter(s, peer) and peer not in s.election[voter].votes)
    require(s.election[peer].epoch <= s.election[voter].epoch)
    require(
        s.election[peer].epoch < s.election[voter].epoch or s.election[peer].role not in {Role.FOLLOWER, Role.LEADER}
    )
    require(is_up_to_date(s, voter, peer))
    votes = s.election[voter].votes | {peer}
    wins = is_majority(votes)
    epoch = s.election[voter].epoch
    limit(not wins or epoch < max_epoch)
    s.election[voter] = standing(epoch + 1, voter) if wins else replace(s.election[voter], votes=votes)
    if s.election[peer].epoch < epoch:
        s.election[peer] = unattached(epoch)


@action
def give_up(s: Quorum, voter: Voter) -> None:
    """{voter} would not win, and goes back to what it was in epoch {s.election[voter].epoch}."""
    require(pre_vote)
    require(s.election[voter].role == Role.PROSPECTIVE)
    s.election[voter] = what_quorum_state_says(s.election[voter], voter)


def what_quorum_state_says(election: Election, voter: Voter) -> Election:
    """What the file quorum-state makes of a voter: it keeps the epoch, the leader and the vote."""
    if election.leader is not None:
        if election.leader != voter:
            return following(election.epoch, election.leader)
        return leading(Role.RESIGNED, election.epoch, voter)
    if election.voted_for is not None:
        if election.voted_for != voter:
            return voted(election.epoch, election.voted_for)
        return standing(election.epoch, voter)
    return unattached(election.epoch)


# --- a leader is elected ----------------------------------------------------------------------------------------------


@action
def vote(s: Quorum, candidate: Voter, voter: Voter) -> None:
    """{candidate} asks {voter} for its vote in epoch {s.election[candidate].epoch}, and gets it."""
    require(s.election[candidate].role == Role.CANDIDATE)
    require(is_voter(s, voter))
    require(may_vote(s, candidate, voter))
    require(is_up_to_date(s, candidate, voter))
    epoch = s.election[candidate].epoch
    votes = s.election[candidate].votes | {voter}
    s.election[voter] = voted(epoch, candidate)
    if is_majority(votes):
        s.election[candidate] = leading(Role.LEADER, epoch, candidate)
        s.log[candidate].append(Record(epoch=epoch, number=0))  # LeaderChange
        s.high_watermark[candidate] = 0  # it may be ahead of what this leader can prove
    else:
        s.election[candidate] = replace(s.election[candidate], votes=votes)


@action
def refuse_vote(s: Quorum, candidate: Voter, voter: Voter) -> None:
    """{candidate}, whose log is behind, asks {voter} for its vote in epoch {s.election[candidate].epoch} in vain."""
    require(s.election[candidate].role == Role.CANDIDATE)
    require(s.election[voter].epoch < s.election[candidate].epoch)
    require(not is_up_to_date(s, candidate, voter))
    s.election[voter] = unattached(s.election[candidate].epoch)


def may_vote(s: Quorum, candidate: Voter, voter: Voter) -> bool:
    """Whether the voter has not voted in the candidate's epoch yet, nor found its leader."""
    return s.election[voter].epoch < s.election[candidate].epoch or (
        s.election[voter].epoch == s.election[candidate].epoch
        and s.election[voter].leader is None
        and s.election[voter].voted_for is None
    )


def is_up_to_date(s: Quorum, candidate: Voter, voter: Voter) -> bool:
    """Whether the candidate's log ends in a later epoch than the voter's, or in the same and not before it."""
    return last_epoch(s, candidate) > last_epoch(s, voter) or (
        last_epoch(s, candidate) == last_epoch(s, voter) and len(s.log[candidate]) >= len(s.log[voter])
    )


def last_epoch(s: Quorum, voter: Voter) -> int:
    """The epoch of the last record of a log; 0 for an empty one."""
    return 0 if len(s.log[voter]) == 0 else s.log[voter][len(s.log[voter]) - 1].epoch


# --- the others learn of it -------------------------------------------------------------------------------------------


@action
def begin_quorum_epoch(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader} tells {voter} that it leads epoch {s.election[leader].epoch}: BeginQuorumEpoch."""
    require(s.election[leader].role == Role.LEADER)
    require(voter != leader)
    require(
        s.election[voter].epoch < s.election[leader].epoch
        or (s.election[voter].epoch == s.election[leader].epoch and s.election[voter].leader is None)
    )
    s.election[voter] = following(s.election[leader].epoch, leader)


@action
def hear_from(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} sees in an answer of {peer} that epoch {s.election[peer].epoch} has begun."""
    require(s.election[voter].epoch < s.election[peer].epoch)
    leader = s.election[peer].leader
    if leader is None or leader == voter:
        s.election[voter] = unattached(s.election[peer].epoch)
    else:
        s.election[voter] = following(s.election[peer].epoch, leader)


@action
def hear_that_it_leads(s: Quorum, voter: Voter, peer: Voter) -> None:
    """{voter} resigned; {peer} answers that {voter} leads epoch {s.election[voter].epoch}."""
    require(not resigned_knows_itself)
    require(s.election[voter].role == Role.RESIGNED)
    require(follows(s, peer, voter))
    s.election[voter] = replace(s.election[voter], role=Role.ILLEGAL)


# --- a record's life --------------------------------------------------------------------------------------------------


@action(kind="client")
def write(s: Quorum, controller: Voter) -> None:
    """{controller} is the active controller, and appends metadata at offset {len(s.log[controller])}."""
    require(is_active(s, controller))
    limit(s.written < max_records)
    s.log[controller].append(Record(epoch=s.election[controller].epoch, number=s.written + 1))
    s.written += 1


def is_active(s: Quorum, controller: Voter) -> bool:
    """Whether it acts as the controller: it leads, and has been told so. The others stand by."""
    return s.election[controller].role == Role.LEADER and (
        s.high_watermark[controller] > epoch_start(s, controller)
        or (not await_epoch_start and epoch_start(s, controller) == 0)
    )


def epoch_start(s: Quorum, leader: Voter) -> int:
    """The offset of the first record of the leader's own epoch in its log."""
    return sum(1 for each in s.log[leader] if each.epoch < s.election[leader].epoch)


@action
def fetch(s: Quorum, follower: Voter, leader: Voter, answered: bool) -> None:
    """{follower} fetches from {leader} at offset {len(s.log[follower])} (its answer arrives: {answered})."""
    require(s.election[leader].role == Role.LEADER)
    require(follows(s, follower, leader))
    end = len(s.log[follower])
    require(common_end(s, follower, leader) == end)
    require(answered or commits(s, follower, leader, end))
    high_watermark = s.high_watermark[leader]
    if commits(s, follower, leader, end):
        high_watermark = end
        s.high_watermark[leader] = end
        if end > len(s.committed):
            s.committed = s.log[leader][:end]
            s.committed_in = s.election[leader].epoch
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end) if answered else None
    elif answered:
        if end < len(s.log[leader]):
            s.log[follower].append(s.log[leader][end])
        if high_watermark > 0:  # else the follower keeps what it knows
            s.high_watermark[follower] = min(high_watermark, len(s.log[follower]))


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
            s.log[follower].truncate(answer.common)
            s.high_watermark[follower] = min(answer.common, s.high_watermark[follower])
    elif awaited:
        if answer.next is not None:
            s.log[follower].append(answer.next)
        if answer.high_watermark > 0:
            s.high_watermark[follower] = min(answer.high_watermark, len(s.log[follower]))


def commits(s: Quorum, follower: Voter, leader: Voter, end: int) -> bool:
    """Whether a majority has come to that end, with this fetch, and it is past the start of the leader's epoch."""
    reached = Set(
        {
            voter
            for voter in Voter
            if is_voter(s, voter)
            and (voter in {leader, follower} or (follows(s, voter, leader) and len(s.log[voter]) >= end))
        }
    )
    start = epoch_start(s, leader)
    return (
        is_voter(s, follower)
        and is_majority(reached)
        and end > s.high_watermark[leader]
        and (end > start if high_watermark_rule == HighWatermarkRule.PAST_EPOCH_START else end >= start)
    )


@action
def truncate(s: Quorum, follower: Voter, leader: Voter) -> None:
    """{follower} fetches at offset {len(s.log[follower])}; {leader} answers where their logs part; it cuts there."""
    require(s.election[leader].role == Role.LEADER)
    require(follows(s, follower, leader))
    end = common_end(s, follower, leader)
    require(end < len(s.log[follower]))
    require(not guard_truncation or end >= s.high_watermark[follower])  # else it fails, and stays as it is
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end)
    else:
        s.log[follower].truncate(end)
        s.high_watermark[follower] = min(end, s.high_watermark[follower])


def common_end(s: Quorum, follower: Voter, leader: Voter) -> int:
    """Where the follower's log leaves the leader's, as both find out by their records' epochs.

    The leader answers a fetch with the end of the latest epoch it has that is not after the follower's last; the
    follower cuts there, or where its own epoch not after that one ends, and asks again. This is the outcome.
    """
    return max(
        (
            offset + 1
            for offset in range(min(len(s.log[follower]), len(s.log[leader])))
            if s.log[follower][offset].epoch == s.log[leader][offset].epoch
        ),
        default=0,
    )


@action
def apply(s: Quorum, broker: Broker, leader: Voter) -> None:
    """{broker} fetches from {leader} and applies the record at offset {len(s.applied[broker])}, which is committed."""
    require(brokers_apply)
    require(s.election[leader].role == Role.LEADER)
    end = len(s.applied[broker])
    require(end < s.high_watermark[leader])
    require(end == 0 or s.applied[broker][end - 1].epoch == s.log[leader][end - 1].epoch)  # else it fails, for good
    s.applied[broker].append(s.log[leader][end])


# --- a leader gives up, fails, or loses its disk ----------------------------------------------------------------------


@action
def resign(s: Quorum, leader: Voter) -> None:
    """{leader} shuts down, or hears from no majority, and resigns from epoch {s.election[leader].epoch}."""
    require(s.election[leader].role == Role.LEADER)
    s.election[leader] = leading(Role.RESIGNED, s.election[leader].epoch, leader)


@action(kind="fault", budget="crashes")
def restart(s: Quorum, voter: Voter, kept: Offset) -> None:
    """{voter} crashes, and starts again with {kept} of its {len(s.log[voter])} records."""
    require(kept == len(s.log[voter]) or (not flush_log and kept < len(s.log[voter])))
    s.log[voter].truncate(kept)
    s.high_watermark[voter] = 0
    s.awaited[voter] = None
    if not keep_votes:
        s.election[voter] = unattached(0 if kept == 0 else s.log[voter][kept - 1].epoch)
    elif resign_on_restart or s.election[voter].role != Role.LEADER:
        s.election[voter] = what_quorum_state_says(s.election[voter], voter)


@action(kind="fault", budget="wipes")
def replace_disk(s: Quorum, voter: Voter) -> None:
    """{voter} loses its disk, and starts again with an empty one."""
    require(wipes > 0)
    s.election[voter] = unattached(0)
    s.log[voter].truncate(0)
    s.high_watermark[voter] = 0
    s.awaited[voter] = None
    s.replaced.add(voter)
