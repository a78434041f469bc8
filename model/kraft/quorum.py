"""What there is in KRaft: bounds and switches, the voters and their brokers, and where each of them stands.

`model/kraft/__init__.py` is where to begin. Here are the nouns of the story, and the questions that several of its
chapters ask.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *

# --- bounds and switches ----------------------------------------------------------------------------------------------

voters = constant(3, minimum=2, maximum=5, says="controllers that vote, or with voter_changes may come to")
brokers = constant(1, minimum=1, maximum=3, says="brokers that fetch the log, if brokers_apply or brokers_register")
max_epoch = constant(3, minimum=1, maximum=8, says="elections are for epochs 1 to this")
max_records = constant(1, minimum=0, maximum=6, says="metadata records that active controllers write in all")
crashes = constant(1, minimum=0, maximum=4, says="restarts of a voter")
wipes = constant(0, minimum=0, maximum=2, says="disks of voters that are replaced by empty ones")
snapshots = constant(0, minimum=0, maximum=3, says="snapshots of the metadata that voters take in all")
voter_changes = constant(0, minimum=0, maximum=4, says="changes of the voters, in all: kraft_voters makes them")
misses_replaced = constant(0, minimum=0, maximum=1, says="1: VotersRecords are not read in the place of others")
messages = constant(0, minimum=0, maximum=16, says="messages in flight at once; 0: an exchange is one step")
losses = constant(0, minimum=0, maximum=8, says="messages lost, in all (one that never arrives needs none)")
duplicates = constant(0, minimum=0, maximum=8, says="messages duplicated, in all")


class HighWatermarkRule(Enum):
    """How far the followers must have come before a leader's high watermark moves."""

    PAST_EPOCH_START = "past_epoch_start"  # a majority has the LeaderChange record
    AT_EPOCH_START = "at_epoch_start"  # KAFKA-12619: a majority has all before it


class FirstVoters(Enum):
    """Where the first set of voters is known from, with voter_changes."""

    KNOWN_TO_ALL = "known_to_all"  # it is as in the log of everybody, at its beginning
    CHECKPOINT = "checkpoint"  # in the snapshot 0-0 of these voters alone; the first leader appends it
    EACH_ALONE = "each_alone"  # in a snapshot 0-0 of its own, each of them alone: all were formatted --standalone


class CheckQuorum(Enum):
    """Whether a leader resigns when no majority has fetched from it for a while."""

    UNTIMED = "untimed"  # it may: there is no clock
    MISSING = "missing"  # KAFKA-15489: it does not, however long it waits
    TIMED = "timed"  # it does when the time is up


high_watermark_rule = constant(HighWatermarkRule.PAST_EPOCH_START, says="when the high watermark of a leader moves")
resign_on_restart = constant(True, says="KAFKA-10527: a leader is not the leader of its epoch after a restart")
flush_log = constant(True, says="KAFKA-10533: what is fetched or acknowledged is on disk before")
keep_votes = constant(True, says="the file quorum-state, with epoch and vote, survives a restart")
directory_ids = constant(False, says="KIP-853: a voter with a replaced disk has a new directory id: no voter")
first_voters_from = constant(FirstVoters.KNOWN_TO_ALL, says="where the first set of voters is known from")
kraft_version = constant(1, minimum=0, maximum=1, says="at first; 0: voters are configured, by their numbers alone")
auto_join = constant(False, says="4.2 on: a controller that is not a voter asks to be one (auto.join.enable)")
keeps_control_records = constant(True, says="KAFKA-17608: who removed itself can take back what is not committed")
refuses_removed = constant(False, says="with voter_changes: a leader refuses fetches of whom it takes for removed")
counts_removed_leader = constant(False, says="KAFKA-16530: a leader counts itself though it was removed")
guard_truncation = constant(True, says="KAFKA-12460: a log is never truncated below the high watermark")
await_epoch_start = constant(True, says="KAFKA-15345: a leader is active once its epoch's start is committed")
resigned_knows_itself = constant(True, says="an answer may name a resigned leader as its epoch's leader")
peers_name_leader = constant(False, says="with messages=0: anybody may name to a voter the leader of its own epoch")
pre_vote = constant(False, says="KIP-996: a voter asks whether it could win before it begins an epoch")
grants_until_fetch = constant(False, says="with pre_vote: a follower grants one until it has fetched from its leader")
keeps_own_vote = constant(False, says="4.0 on: a follower that stood in its epoch stands in it again after a restart")
check_quorum = constant(CheckQuorum.UNTIMED, says="whether a leader resigns that no majority fetches from")
keep_until_snapshot = constant(True, says="KAFKA-14238: no record is deleted that is in no snapshot")
late_answers = constant(False, says="the answer to a fetch is in flight; if not, it arrives at once or never")
brokers_apply = constant(False, says="brokers fetch and apply what is committed")
brokers_register = constant(False, says="brokers register, and get an epoch for it")


# --- what there is ----------------------------------------------------------------------------------------------------


class Voter(Domain, size=voters, symmetric=True):
    """A controller in the set of voters, which is the same for all of them throughout; with `voter_changes` one that
    may be in a set, known by its number and by its disk."""


class Broker(Domain, size=brokers, symmetric=True, labels=("X", "Y", "Z")):
    """A broker: an observer of the metadata log."""


class Role(Enum):
    """What a voter is in its epoch."""

    UNATTACHED = "unattached"  # it knows the epoch, but no leader, and has not voted
    VOTED = "voted"  # it has voted for another
    FOLLOWER = "follower"  # it fetches from the leader
    PROSPECTIVE = "prospective"  # KIP-996: it asks whether it could win
    CANDIDATE = "candidate"  # it asks for votes
    LEADER = "leader"
    RESIGNED = "resigned"  # it led, and waits for another to be elected
    ILLEGAL = "illegal"  # its process has thrown an IllegalStateException


Epoch = Annotated[int, Range(0, max_epoch)]  # 0: before the first election
Offset = Annotated[int, Range(0, max_epoch + max_records + voter_changes)]
KEPT = (voters // 4 + voter_changes + 4) // 5  # 0 where a follower and its leader are a majority, else 1
FetchedTo = Annotated[int, Range(0, (max_epoch + max_records + voter_changes) * KEPT)]
Number = Annotated[int, Range(0, max_records + voter_changes)]  # a record's; 0 where there is none
Written = Annotated[int, Range(0, max_records)]
Change = Annotated[int, Range(0, voter_changes)]  # a set of voters: the first, or that of the VotersRecord so numbered
Disk = Annotated[int, Range(0, 1 + wipes)]  # a directory id: 1 is a voter's first; 0 in a set that it is not in
ReportedDisk = Annotated[int, Range(0, (1 + wipes) * (1 - kraft_version))]
Unread = Annotated[int, Range(0, (max_epoch + max_records + voter_changes) * misses_replaced)]
Messages = Annotated[int, Range(0, messages)]


@record
class Record:
    """A record of the log: number 0 is LeaderChange, others up to `max_records` are metadata, and those after them are
    VotersRecords, each with the set of voters that `voter_sets` has for it."""

    epoch: Epoch
    number: Number


Log = Annotated[Seq[Record], Capacity(max_epoch + max_records + voter_changes)]


@record
class Election:
    """What a voter knows of elections. Epoch, leader and vote are in the file quorum-state; the
    other fields are in memory alone."""

    role: Role
    epoch: Epoch
    leader: Option[Voter]
    voted_for: Option[Voter]
    votes: Set[Voter]  # a candidate: who votes for it; a prospective one: who would
    fetched_to: Map[Voter, FetchedTo]  # a leader: how far each other has come (if two may be no majority)
    fetched: Set[Voter]  # a leader: who has fetched since a majority last had
    silent: bool  # a leader: the time for check-quorum has passed since then
    reported: Map[Voter, ReportedDisk]  # a leader, with kraft.version 0: the directory id that each voter has sent it
    has_fetched: bool  # a follower, with grants_until_fetch: its leader has answered a fetch since it follows it


@record
class Fetched:
    """An answer in flight to a fetch at an offset: where the logs diverge, the next record, the high watermark."""

    leader: Voter
    epoch: Epoch
    offset: Offset
    common: Offset
    next: Option[Record]
    high_watermark: Offset


@record
class LogEnd:
    """Where a log ends, and the epoch of its last record."""

    end: Offset
    epoch: Epoch


class Kind(Enum):
    """What a message is. That a snapshot is fetched, and a pre-vote, are one step even where messages are in flight."""

    VOTE_REQUEST = "vote_request"
    VOTE_RESPONSE = "vote_response"
    BEGIN_REQUEST = "begin_request"  # BeginQuorumEpoch
    END_REQUEST = "end_request"  # EndQuorumEpoch
    RESPONSE = "response"  # to either of them
    FETCH_REQUEST = "fetch_request"
    FETCH_RESPONSE = "fetch_response"
    DIVERGING_RESPONSE = "diverging_response"  # to a fetch, where the logs diverge


@record
class Message:
    """A message from one voter to another."""

    kind: Kind
    source: Voter
    to: Voter
    epoch: Epoch  # the sender's
    leader: Option[Voter] = None  # who leads it, if the sender knows
    offset: Offset = 0  # where the log of a candidate or a follower ends; where the leader's diverging epoch does
    last_epoch: Epoch = 0  # the epoch of the record before that offset
    granted: bool = False  # of an answer: the vote is given, it was the leader who was asked
    next: Option[Record] = None  # the record that was fetched
    high_watermark: Offset = 0
    number: Messages = 0  # of a fetch and its answer


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    committed: Log  # all that was ever committed
    committed_in: Epoch  # the epoch of the leader that committed the last of it
    led_for: Map[Voter, Annotated[int, Range(0, 3)]]  # how often the time for check-quorum passed as it led
    dismissed: Map[Voter, Disk]  # the disk with which an operator removed each last, and has not added it since; or 0


@ghosts
class ProofHistory:
    """What only the proof remembers, of every epoch: see `invariants/kraft/proof.py`."""

    ballots: Map[Epoch, Map[Voter, Option[Voter]]]  # whom each voter gave its vote
    asked: Map[Epoch, Map[Voter, Option[LogEnd]]]  # where the log ended of each that was given one
    elected: Map[Epoch, Option[Voter]]  # who led it
    leader_log: Map[Epoch, Log]  # that leader's log, while it led
    acknowledged: Map[Epoch, Map[Voter, Offset]]  # up to where each voter acknowledged that log
    counted: Map[Epoch, Offset]  # that leader's high watermark
    counted_in: Map[Voter, Epoch]  # whose leader each voter has its high watermark from


@state
class Quorum(History, ProofHistory):
    """The controllers, and what the brokers have of them."""

    election: Map[Voter, Election]  # QuorumState: what each voter is, in which epoch
    log: Map[Voter, Log]  # __cluster_metadata, on its disk; of what is deleted, what it would say
    high_watermark: Map[Voter, Offset]  # how far each voter knows its log to be committed; 0 until it knows
    log_start: Map[Voter, Offset]  # the first offset that is not deleted from its disk
    snapshot: Map[Voter, Offset]  # where its latest snapshot ends, which holds all before; 0 without one
    applied: Map[Broker, Log]  # what each broker has applied
    registering: Map[Broker, Number]  # the record of a registration that a broker waits for; 0 for none
    broker_epoch: Map[Broker, Offset]  # the offset of its last registration, which is its epoch; 0 for none
    written: Written  # metadata records written so far
    disk: Map[Voter, Disk]  # the disk that each voter has now
    changed: Change  # VotersRecords written so far
    voter_sets: Map[Change, Map[Voter, Disk]]  # who is a voter, and with which disk: at first, and by each of these
    unread: Map[Voter, Set[Unread]]  # offsets at which a replica has missed a VotersRecord, or would
    awaited: Map[Voter, Option[Fetched]]  # the answer in flight to each voter's last fetch, where it may be late
    network: Annotated[Bag[Message], Capacity(messages)]  # the messages in flight
    expected: Map[Voter, Messages]  # the number of the fetch whose answer each voter waits for; 0 for none


@initial
def empty() -> Quorum:
    """Empty logs, and no election yet."""
    return Quorum(
        election=Map({voter: unattached_voter(0) for voter in Voter}),
        log=Map({voter: Seq() for voter in Voter}),
        high_watermark=Map({voter: 0 for voter in Voter}),
        log_start=Map({voter: 0 for voter in Voter}),
        snapshot=Map({voter: 0 for voter in Voter}),
        applied=Map({broker: Seq() for broker in Broker}),
        registering=Map({broker: 0 for broker in Broker}),
        broker_epoch=Map({broker: 0 for broker in Broker}),
        written=0,
        disk=Map({voter: 1 for voter in Voter}),
        changed=0,
        voter_sets=Map(
            {
                change: Map({voter: 1 if voter_changes == 0 else 0 for voter in Voter})
                for change in range(voter_changes + 1)
            }
        ),
        unread=Map({voter: Set() for voter in Voter}),
        awaited=Map({voter: None for voter in Voter}),
        network=Bag(),
        expected=Map({voter: 0 for voter in Voter}),
    )


# --- where a voter stands ---------------------------------------------------------------------------------------------


def standing_as(role: Role, epoch: Epoch, leader: Option[Voter], voted_for: Option[Voter]) -> Election:
    """A role in an epoch, with nothing known yet that only that role knows."""
    return Election(
        role=role,
        epoch=epoch,
        leader=leader,
        voted_for=voted_for,
        votes=Set(),
        fetched_to=Map({voter: 0 for voter in Voter}),
        fetched=Set(),
        silent=False,
        reported=Map({voter: 0 for voter in Voter}),
        has_fetched=False,
    )


def unattached_voter(epoch: Epoch) -> Election:
    """A voter that has learned of the epoch, and of no leader."""
    return standing_as(Role.UNATTACHED, epoch, None, None)


def voter_that_voted(epoch: Epoch, candidate: Voter) -> Election:
    """A voter that has given its vote to another."""
    return standing_as(Role.VOTED, epoch, None, candidate)


def giving_vote(s: Quorum, voter: Voter, epoch: Epoch, candidate: Voter) -> Election:
    """A voter that gives its vote. One that asks for pre-votes in the same epoch goes on asking: those that it had are
    forgotten (`QuorumState.prospectiveAddVotedState`, 4.0 to 4.4)."""
    if s.election[voter].role == Role.PROSPECTIVE and s.election[voter].epoch == epoch:
        return replace(standing_as(Role.PROSPECTIVE, epoch, None, candidate), votes=Set({voter}))
    return voter_that_voted(epoch, candidate)


def following(epoch: Epoch, leader: Voter) -> Election:
    """A voter that has found the leader; its own vote no longer matters."""
    return standing_as(Role.FOLLOWER, epoch, leader, None)


def following_after(s: Quorum, voter: Voter, epoch: Epoch, leader: Voter) -> Election:
    """A voter that finds the leader. With `keeps_own_vote` one that stood in that epoch keeps its vote for itself."""
    known = s.election[voter]
    stood = keeps_own_vote and known.epoch == epoch and known.voted_for == voter
    return replace(following(epoch, leader), voted_for=known.voted_for if stood else None)


def standing(epoch: Epoch, voter: Voter) -> Election:
    """A candidate: a voter that votes for itself, and asks the others."""
    return replace(standing_as(Role.CANDIDATE, epoch, None, voter), votes=Set({voter}))


def leading(role: Role, epoch: Epoch, voter: Voter) -> Election:
    """A voter that leads, or did until it resigned."""
    return standing_as(role, epoch, voter, None)


def what_quorum_state_says(election: Election, voter: Voter) -> Election:
    """What the file quorum-state makes of a voter: it keeps the epoch, the leader and the vote."""
    if election.leader is not None:
        if election.leader != voter:
            return following(election.epoch, election.leader)
        return leading(Role.RESIGNED, election.epoch, voter)
    if election.voted_for is not None:
        if election.voted_for != voter:
            return voter_that_voted(election.epoch, election.voted_for)
        return standing(election.epoch, voter)
    return unattached_voter(election.epoch)


def stands_as_follower(s: Quorum, candidate: Voter) -> bool:
    """Whether a candidate has records of the epoch that it stands in, whose leader it followed before it was started
    again. Kafka's voters take its request for invalid, and the answer ends its process (4.0 to 4.4)."""
    known = s.election[candidate]
    return keeps_own_vote and known.role == Role.CANDIDATE and last_epoch(s, candidate) == known.epoch


def next_election(s: Quorum, voter: Voter) -> Election:
    """A voter that starts an election: it becomes a candidate of the next epoch, or asks for pre-votes first."""
    if not pre_vote:
        return standing(s.election[voter].epoch + 1, voter)
    known = unattached_voter(asks_in(s, voter)) if s.election[voter].role == Role.RESIGNED else s.election[voter]
    return replace(known, role=Role.PROSPECTIVE, votes=Set({voter}), has_fetched=False)


def asks_in(s: Quorum, voter: Voter) -> int:
    """The epoch in which a voter asks for pre-votes: its own, and of one that resigned the next.

    It does not ask in the epoch that it led (`pollResigned` of KafkaRaftClient, 4.0 to 4.4). It is unattached in the
    next for no time, since its timeout is over.
    """
    return s.election[voter].epoch + (1 if pre_vote and s.election[voter].role == Role.RESIGNED else 0)


def is_voter(s: Quorum, voter: Voter) -> bool:
    """Whether the other voters count it as one of them."""
    return not directory_ids or s.disk[voter] == 1


def set_of(s: Quorum, replica: Voter) -> int:
    """The set of voters that a replica goes by: that of the last VotersRecord in its log, committed or not; with
    `misses_replaced` of the last that it has read."""
    if misses_replaced == 1:
        log = s.log[replica]
        return max((log[at].number - max_records for at in range(len(log)) if reads_voters(s, replica, at)), default=0)
    return max((record.number - max_records for record in s.log[replica] if record.number > max_records), default=0)


def has_uncommitted_voters(s: Quorum, replica: Voter) -> bool:
    """Whether a replica has a VotersRecord in its log that it does not know to be committed, and goes by it."""
    if misses_replaced == 1:
        return any(reads_voters(s, replica, at) for at in range(s.high_watermark[replica], len(s.log[replica])))
    return any(record.number > max_records for record in s.log[replica][s.high_watermark[replica] :])


def reads_voters(s: Quorum, replica: Voter, offset: int) -> bool:
    """Whether a replica has a VotersRecord at an offset of its log, and has read it."""
    return s.log[replica][offset].number > max_records and offset not in s.unread[replica]


def read_up_to(s: Quorum, replica: Voter) -> int:
    """Up to which offset a replica has read VotersRecords, with `misses_replaced`: further than its log may go now."""
    return max((at + 1 for at in s.unread[replica] if at >= len(s.log[replica])), default=len(s.log[replica]))


def voters_known(s: Quorum, replica: Voter) -> Map[Voter, Disk]:
    """The voters that a replica goes by, each with its disk: those of its log, else those that it begins with."""
    if set_of(s, replica) == 0:
        if first_voters_from == FirstVoters.EACH_ALONE:
            return Map({voter: s.voter_sets[0][voter] if voter == replica else 0 for voter in Voter})
        if first_voters_from == FirstVoters.CHECKPOINT and s.voter_sets[0][replica] != s.disk[replica]:
            return Map({voter: 0 for voter in Voter})  # formatted with --no-initial-controllers
    return s.voter_sets[set_of(s, replica)]


def writes_first_voters(s: Quorum, leader: Voter) -> bool:
    """Whether a new leader appends the voters with LeaderChange: no log has those of a snapshot 0-0 yet."""
    return set_of(s, leader) == 0 and first_voters_from != FirstVoters.KNOWN_TO_ALL


def may_win(s: Quorum, candidate: Voter) -> bool:
    """Whether there is room for what a new leader appends."""
    return s.changed < voter_changes or not writes_first_voters(s, candidate)


def is_static(s: Quorum, replica: Voter) -> bool:
    """Whether a replica has kraft.version 0, where a voter is known by its number alone."""
    return kraft_version == 0 and set_of(s, replica) == 0


def is_counted(s: Quorum, at: Voter, voter: Voter) -> bool:
    """Whether a replica counts another, or itself, as a voter: with that number, and the disk that it has."""
    if voter_changes == 0:
        return is_voter(s, voter)
    known = voters_known(s, at)[voter]
    return known > 0 and (known == s.disk[voter] or not directory_ids or is_static(s, at))


def is_quorum(s: Quorum, at: Voter, some: Set[Voter]) -> bool:
    """Whether more than half of the voters that a replica goes by are among some."""
    if voter_changes == 0:
        return is_majority(some)
    known = voters_known(s, at)
    return 2 * sum(1 for voter in some if adds_to_majority(s, at, voter)) > sum(
        1 for voter in Voter if known[voter] > 0
    )


def adds_to_majority(s: Quorum, at: Voter, voter: Voter) -> bool:
    """Whether what a voter has, or says, is counted where a replica asks for a majority."""
    return is_counted(s, at, voter) or (counts_removed_leader and voter == at)


def grants_pre_vote(s: Quorum, voter: Voter) -> bool:
    """Whether a voter answers a pre-vote for a log that is up to date with yes (`canGrantVote` of Kafka's states)."""
    return s.election[voter].role not in {Role.FOLLOWER, Role.LEADER} or (
        grants_until_fetch and s.election[voter].role == Role.FOLLOWER and not s.election[voter].has_fetched
    )


def follows(s: Quorum, follower: Voter, leader: Voter) -> bool:
    """Whether the follower fetches from that leader, in the leader's epoch."""
    return (
        s.election[follower].role == Role.FOLLOWER
        and s.election[follower].leader == leader
        and s.election[follower].epoch == s.election[leader].epoch
    )


def is_active(s: Quorum, controller: Voter) -> bool:
    """Whether the voter is the active controller: it leads, and its epoch's start is committed. The others stand by."""
    return s.election[controller].role == Role.LEADER and (
        s.high_watermark[controller] > epoch_start(s, controller)
        or (not await_epoch_start and epoch_start(s, controller) == 0)
    )


# --- logs -------------------------------------------------------------------------------------------------------------


def last_epoch(s: Quorum, voter: Voter) -> int:
    """The epoch of the last record of a log; 0 for an empty one."""
    return 0 if len(s.log[voter]) == 0 else s.log[voter][len(s.log[voter]) - 1].epoch


def end_of_epoch(s: Quorum, voter: Voter, epoch: Epoch) -> int:
    """Where, in a log, the records of that epoch and of those before it end."""
    log = s.log[voter]
    return min((offset for offset in range(len(log)) if log[offset].epoch > epoch), default=len(log))


def epoch_start(s: Quorum, leader: Voter) -> int:
    """The offset of the first record of the leader's own epoch in its log."""
    return end_of_epoch(s, leader, s.election[leader].epoch - 1)


def is_up_to_date(s: Quorum, voter: Voter, end: Offset, epoch: Epoch) -> bool:
    """Whether a log that ends so ends in a later epoch than the voter's, or in the same and not before it."""
    return epoch > last_epoch(s, voter) or (epoch == last_epoch(s, voter) and end >= len(s.log[voter]))


def needs_snapshot(s: Quorum, leader: Voter, end: Offset, epoch: Epoch) -> bool:
    """Whether a leader answers a log that ends so with its snapshot: what comes next is deleted, or might be."""
    return snapshots > 0 and (
        end < s.log_start[leader] or (s.snapshot[leader] > 0 and epoch < s.log[leader][s.snapshot[leader] - 1].epoch)
    )
