"""KRaft whose voters change (KIP-853, Kafka 3.9): `kraft`, and the steps that make another set of voters.

The set of voters is in the log: a *VotersRecord* holds a whole one, each voter with its number and directory id. A
replica goes by the last in its log, committed or not, so that a truncation may take one back: by it a candidate counts
its votes, and a leader its high watermark. `AddVoter` and `RemoveVoter` change it by one voter; `UpdateVoter` writes it
again, with other addresses. Who is in no set is an *observer*: it fetches, and may vote for one whose set it is in.

Any two majorities of a set and of the next have a voter in common. That is Raft's change of one member at a time
(chapter 4 of Ongaro's dissertation), and it holds only of sets that follow each other. Hence two conditions of a leader
that changes the set (`AddVoterHandler`, `RemoveVoterHandler`, `UpdateVoterHandler`, 3.9 to 4.3):

* It has a high watermark, which it has once a record of its own epoch is committed: `awaits_high_watermark`. Then no
  leader of an earlier epoch can commit another set any more. Raft's first text lacked that, and was wrong (2015).
* The last set in its log is committed: `awaits_last_change`.

A leader may remove itself. It leads on without a vote, and resigns once that is committed. Its own copy does not count
then; until KAFKA-16530 (3.8) the code took every leader for a voter. A leader answers fetches of replicas that it does
not count: they are observers, or do not know yet that they are removed. One that refused the latter (`refuses_removed`)
would keep them from learning it.

Where the first set comes from (`first_voters_from`, `kraft_version`): a snapshot 0-0 that `kafka-storage.sh format`
writes on the disks of these voters alone. It is not replicated, so that the first leader appends it in one batch with
LeaderChange. Or, with `kraft.version` 0, the configuration of all, which has no directory ids: followers send theirs to
each new leader, which keeps them in memory, and once it has all of them an operator may raise the version. That appends
the voters with these ids, and from there on a replica goes by them (KAFKA-16538, 4.1).

A controller with `controller.quorum.auto.join.enable` (4.2) that takes itself for no voter asks the leader to be one.
If the set of its own log has its number with another directory id, it asks to remove that one first.

* `kafka_3_9`: as it is. `kafka_4_0`: with pre-votes. `checkpoint`: that, and the first set is in a snapshot 0-0.
* `kafka_4_1`: 4.0, from `kraft.version` 0. `kafka_4_2`: 4.0, with auto-join: who is removed and goes on running is
  added again (KAFKA-19850), so that Kafka's pages ask to shut it down first.
* `raft_2015`: the first condition is missing; `several_at_once`: the second.
* `kafka_16530`: a leader counts itself though it is removed. `refuses_removed`: above.
* `kafka_17608` (before 3.9.0): a controller keeps no snapshot in memory of where a control record was committed. One
  that removed itself has to go back to that, and ends. It would end so whenever it stops leading after a VotersRecord;
  here that is a step where its own removal is committed.
* `same_directory`: an empty disk is formatted with the directory id that the lost one had.
* `each_alone`: every first voter is formatted with `--standalone`, for one cluster id.
* `keeps_own_vote`: 4.0 to 4.4, where a follower that stood in its epoch keeps its vote for itself. If it is removed,
  and starts again, it stands in that epoch again; `CandidateState` takes that for impossible: the process ends.
* `misses_voters`: 3.9.1 to 4.4.0, where a replica reads each offset once, and so not what it appends in the place of
  truncated records: voters that are there it does not go by. Started again it reads its whole log, or its snapshot, to
  which it wrote the voters that it went by, and what comes after (`KRaftControlRecordStateMachine`).

What is left out, besides what `kraft` leaves out:

* A leader adds only who has caught up within the last hour (`LeaderState.isReplicaCaughtUp`). Here it may add anyone:
  more may happen, and no record is lost by that. What it is for is that the high watermark goes on.
* A request to change the voters, the leader's question for the new one's versions (ApiVersions) and the record are one
  step, and nobody waits for an answer. So there is no request that ends by its timeout while its record is on the way
  to the log, so that two changes of the same set are written (KAFKA-20740: docs/kafka-findings.md shows it on Kafka's
  code). Where the second one is of the set that the first one made, it is `several_at_once`.
* With `misses_voters`, no replica loads a snapshot that ends at or before what it has read: Kafka's does not read that
  one either, and would go by voters of records that it no longer has.
* Voters have no addresses: none that nobody reaches (KAFKA-20661), and none that is not the added one's (KAFKA-20228).
* Whoever resigned and is no voter takes the next epoch for begun, without a leader (`pollResigned`); here it waits.
* In flight a fetch has no directory id: with `messages` no disk is replaced.

With `voter_changes=0` this is `kraft`: the text is the same one. `model/kraft/quorum.py` has the set that a replica
goes by (`set_of`), and whom it counts (`is_counted`, `is_quorum`). The facts are from KIP-853 and Kafka's code; the
published specification is Jack Vanlightly's (kafka-tlaplus, kraft/kip_853).
"""

from __future__ import annotations

from ..language import Map, Set, action, constant, limit, replace, require, terminal
from . import kraft
from .kraft.log_steps import *
from .kraft.quorum import *

modules = kraft.modules
view = kraft.view

first_voters = constant(3, minimum=1, maximum=5, says="controllers that are voters from the beginning")
updates = constant(False, says="voters send new addresses: UpdateVoter")
awaits_high_watermark = constant(True, says="a leader changes the voters once a record of its epoch is committed")
awaits_last_change = constant(True, says="a leader changes the voters once the last change is committed")

_KAFKA_4 = {"directory_ids": True, "voter_changes": 2, "pre_vote": True, "grants_until_fetch": True}

profiles = {
    "kafka_3_9": {"directory_ids": True, "voter_changes": 2},
    "kafka_4_0": _KAFKA_4,
    "raft_2015": {"directory_ids": True, "voter_changes": 2, "awaits_high_watermark": False},
    "several_at_once": {"directory_ids": True, "voter_changes": 2, "awaits_last_change": False},
    "kafka_16530": {"directory_ids": True, "voter_changes": 2, "counts_removed_leader": True},
    "refuses_removed": {"directory_ids": True, "voter_changes": 2, "refuses_removed": True},
    "kafka_17608": {"directory_ids": True, "voter_changes": 2, "keeps_control_records": False},
    "same_directory": {"voter_changes": 2},
    "checkpoint": {**_KAFKA_4, "first_voters_from": FirstVoters.CHECKPOINT},
    "each_alone": {**_KAFKA_4, "first_voters_from": FirstVoters.EACH_ALONE},
    "kafka_4_1": {**_KAFKA_4, "kraft_version": 0},
    "kafka_4_2": {**_KAFKA_4, "auto_join": True},
    "keeps_own_vote": {**_KAFKA_4, "keeps_own_vote": True},
    "misses_voters": {"directory_ids": True, "voter_changes": 2, "misses_replaced": 1},
}


@action
def format_first_voters(s: Quorum, first: Set[Voter]) -> None:
    """The disks of {first} are formatted with these as the first voters, and those of all others without any."""
    require(voter_changes > 0 and s.voter_sets[0] == Map({voter: 0 for voter in Voter}))
    require(len(first) == min(first_voters, voters))
    s.voter_sets[0] = Map({voter: 1 if voter in first else 0 for voter in Voter})


@action
def elect_itself(s: Quorum, voter: Voter) -> None:
    """{voter} is the only voter, and its own vote is a majority."""
    require(voter_changes > 0 and s.election[voter].role in {Role.PROSPECTIVE, Role.CANDIDATE})
    require(is_quorum(s, voter, Set({voter})))
    epoch = s.election[voter].epoch + (1 if s.election[voter].role == Role.PROSPECTIVE else 0)
    limit(epoch <= max_epoch and may_win(s, voter))
    note_vote(s, voter, voter, LogEnd(end=len(s.log[voter]), epoch=last_epoch(s, voter)), epoch)
    win(s, voter, epoch)


@action(kind="client")
def add_voter(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader} adds {voter} to the voters, and appends the new set at offset {len(s.log[leader])}: AddVoter."""
    require(may_change_voters(s, leader))
    require(voters_known(s, leader)[voter] == 0)
    append_voters(s, leader, voter, s.disk[voter])
    if auto_join:
        s.dismissed[voter] = 0


@action(kind="client")
def remove_voter(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{leader} removes {voter} from the voters, and appends the new set at offset {len(s.log[leader])}: RemoveVoter."""
    require(may_change_voters(s, leader))
    known = voters_known(s, leader)
    require(known[voter] > 0 and sum(1 for other in Voter if known[other] > 0) > 1)
    append_voters(s, leader, voter, 0)
    if auto_join:
        s.dismissed[voter] = known[voter]


@action
def ask_to_join(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{voter} takes itself for no voter, and asks {leader} to add it, or to remove the disk that it had before.

    `KafkaRaftClient.pollFollowerAsObserver`, 4.2 and 4.3: by the voters of its own log, again in each update period.
    """
    require(auto_join and may_change_voters(s, leader))
    require(follows(s, voter, leader) and not is_counted(s, voter, voter) and not is_static(s, voter))
    before, known = voters_known(s, voter)[voter], voters_known(s, leader)
    require(known[voter] == before)  # else VOTER_NOT_FOUND or DUPLICATE_VOTER
    require(before == 0 or sum(1 for other in Voter if known[other] > 0) > 1)
    append_voters(s, leader, voter, s.disk[voter] if before == 0 else 0)


@action
def tell_disk(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{voter} sends {leader} its directory id, which that one keeps in memory: UpdateVoter with kraft.version 0."""
    require(is_static(s, leader) and s.election[leader].role == Role.LEADER and s.high_watermark[leader] > 0)
    require(follows(s, voter, leader) and is_counted(s, leader, voter))
    known = s.election[leader]
    reported = Map({other: s.disk[other] if other == voter else known.reported[other] for other in Voter})
    s.election[leader] = replace(known, reported=reported)


@action(kind="client")
def raise_kraft_version(s: Quorum, leader: Voter) -> None:
    """{leader} raises kraft.version to 1, at offset {len(s.log[leader])}, with the directory ids reported to it.

    `LeaderState.maybeAppendUpgradedKRaftVersion` (KAFKA-16538, 4.1): both records are one batch.
    """
    require(is_static(s, leader) and s.election[leader].role == Role.LEADER and s.high_watermark[leader] > 0)
    known = s.election[leader].reported
    require(all(s.voter_sets[0][voter] == 0 or voter == leader or known[voter] > 0 for voter in Voter))
    append_set(s, leader, Map({voter: s.disk[voter] if voter == leader else known[voter] for voter in Voter}))


@action
def update_voter(s: Quorum, leader: Voter, voter: Voter) -> None:
    """{voter} has new addresses; {leader} appends the voters with these at offset {len(s.log[leader])}: UpdateVoter."""
    require(updates and may_change_voters(s, leader))
    require(is_counted(s, leader, voter) and follows(s, voter, leader))
    append_voters(s, leader, voter, voters_known(s, leader)[voter])


@terminal
def nobody_may_stand(s: Quorum) -> bool:
    """Nobody leads, and no replica is a voter of the set that it goes by: what is left needs an operator."""
    return all(s.election[voter].role != Role.LEADER and not is_counted(s, voter, voter) for voter in Voter)


def may_change_voters(s: Quorum, leader: Voter) -> bool:
    """Whether a voter leads, and takes a change of the voters now."""
    return (
        s.election[leader].role == Role.LEADER
        and not is_static(s, leader)
        and (not awaits_high_watermark or s.high_watermark[leader] > 0)
        and (not awaits_last_change or not awaits_change(s, leader))
    )


def awaits_change(s: Quorum, leader: Voter) -> bool:
    """Whether a leader has a set of voters in its log that it does not know to be committed. One that does not wait for
    its high watermark knows that only of those that it has written itself, in its epoch."""
    if awaits_high_watermark:
        return has_uncommitted_voters(s, leader)
    return any(
        record.number > max_records and record.epoch == s.election[leader].epoch
        for record in s.log[leader][s.high_watermark[leader] :]
    )


def append_voters(s: Quorum, leader: Voter, voter: Voter, disk: Disk) -> None:
    """A leader appends the set of voters in which one has that disk, or is not."""
    known = voters_known(s, leader)
    append_set(s, leader, Map({other: disk if other == voter else known[other] for other in Voter}))


def append_set(s: Quorum, leader: Voter, known: Map[Voter, Disk]) -> None:
    """A leader appends a set of voters. It counts by it from now on."""
    limit(s.changed < voter_changes)
    written = Record(epoch=s.election[leader].epoch, number=max_records + s.changed + 1)
    s.changed += 1
    s.voter_sets[s.changed] = known
    s.log[leader].append(written)
    note_written(s, leader, written)
    count_again(s, leader)
