"""A share group on one partition (KIP-932): its members are given records one by one, and say what becomes of each.

Whoever leads the partition has a `SharePartition` in memory: from where on records are open, and of each whether it is
available, acquired by a member, acknowledged or archived, and how often it was delivered. It writes what changes to
the share coordinator, which keeps it in `__share_group_state`, and answers a member once that is written. That a
record is acquired is not written. Who leads next reads what was written, with its leader epoch; from then on the share
coordinator refuses what an older leader writes. A lock that times out makes a record available again, or archives it
after `group.share.delivery.count.limit` deliveries.

The group's coordinator has the share coordinator begin the state of a partition when a member subscribes, with the
start offset -1, and remembers in `__consumer_offsets` that it has. The leader that reads -1 takes what
`share.auto.offset.reset` says, and writes nothing until something changes. So a leader that comes next takes the
*newest* end (`latest`, the default), and what was produced between is skipped. That is from the source of 4.1.1, 4.2.0
and 4.3.0, and was not tried on brokers.

A group is deleted, or its offsets are, when it has no members. The share coordinator then forgets the partition, with
its leader epoch and its state epoch, which is the group's epoch as the state was begun and comes with every write: one
with an older state epoch is refused. The group's epoch goes on where offsets are deleted, and starts anew with a group
of the same name. No broker learns of it: each keeps its share partition until the last connection of a member closes,
and gives from it to whoever asks.

* `kafka_4_2`: 4.1 to 4.3. What the share coordinator does not know it refuses (`refuses_unknown`): where
  `__share_group_state` is lost (`losses`), the group is given nothing, and an operator has to reset its offsets.
* `kafka_4_0`: early access. What it does not know it takes for new: the group starts at its reset policy.
* `earliest`, `earliest_4_0`: the two with `share.auto.offset.reset=earliest`.
* `start_is_written`: a leader writes the start offset that it takes, before it gives records. In no Kafka: the repair.
* `unfenced`: what an older leader writes counts. In no Kafka: it shows what the leader epoch is for.
* `cut_off`: what was written last is lost, though the member had its answer (`cuts`): one replica in sync, or a share
  coordinator that answers early (KAFKA-20634, `coordinator_answers`).
* `offsets_deleted`: 4.1 to 4.3, `earliest`; the offsets are deleted while a member that does not answer is connected.
* `group_deleted`: the same of the group, and one of the same name begins, with the same state epoch.
* `state_epoch_unchecked`: as `offsets_deleted`, without the check of the state epoch. In no Kafka: what it is for.

What is abstracted away. One partition, whose log loses nothing and deletes nothing, and where every record is read
committed. A batch is a record. A request, what is written for it and its answer are one step, so that nothing is
written without an answer. A record that is given back counts as delivered. A member that leaves is one whose locks
time out. How long a lock is held, how many records are in flight, and the dead-letter queue of 4.4 are left out. What
is deleted is deleted in one step, and with a group of the same name only equal state epochs are tried: a greater one of
the deleted group's is accepted just so, and a lesser one is refused.

Sources: SharePartition (maybeInitialize, startOffsetDuringInitialization, acknowledge, rollbackOrProcessStateUpdates,
releaseAcquisitionLockOnTimeout, writeShareGroupState), InFlightState (tryUpdateState), ShareCoordinatorShard
(readStateAndMaybeUpdateLeaderEpoch, maybeGetReadStateError, maybeGetWriteStateError), GroupMetadataManager
(subscribedTopicsChangeMap) of 4.0.1, 4.1.1, 4.2.0 and 4.3.0; of deletion ShareCoordinatorShard (handleShareSnapshot,
maybeGetWriteStateError), GroupMetadataManager (shareGroupHeartbeat, shareGroupBuildPartitionDeleteRequest,
sharePartitionsEligibleForOffsetDeletion), ShareGroup (createGroupTombstoneRecords), SharePartitionManager
(getOrCreateSharePartition, onGroupEmpty) of 4.1.1 and 4.3.1; KIP-932; KAFKA-20742 of partitions that are added.
Properties are in `invariants/share_group.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import *


class Reset(Enum):
    """Where a group begins that has no start offset: `share.auto.offset.reset`."""

    LATEST = "latest"  # at the end of the log
    EARLIEST = "earliest"  # at its beginning


class Phase(Enum):
    """What a record is to a share partition (`RecordState`)."""

    AVAILABLE = "available"  # it may be given to a member
    ACQUIRED = "acquired"  # a member has it
    ACKNOWLEDGED = "acknowledged"  # a member has accepted it
    ARCHIVED = "archived"  # a member has rejected it, or it was delivered too often


class Deletion(Enum):
    """What is deleted of a group that has no members."""

    GROUP = "group"  # its offsets and its epoch: one of the same name starts anew
    OFFSETS = "offsets"  # its offsets: its epoch goes on


members = constant(2, minimum=1, maximum=3, says="members of the share group")
records = constant(2, minimum=1, maximum=3, says="records that are produced in all")
attempts = constant(2, minimum=1, maximum=3, says="group.share.delivery.count.limit")
moves = constant(1, minimum=0, maximum=2, says="times that another broker leads the partition")
expiries = constant(1, minimum=0, maximum=3, says="acquisition locks that time out")
losses = constant(0, minimum=0, maximum=1, says="times that __share_group_state is lost")
cuts = constant(0, minimum=0, maximum=1, says="times that what was written last is lost")
deletions = constant(0, minimum=0, maximum=1, says="times that the group or its offsets are deleted")
deletion = constant(Deletion.GROUP, says="what is deleted: the group, or its offsets")
reset = constant(Reset.LATEST, says="share.auto.offset.reset")
refuses_unknown = constant(
    True, says="since 4.1 the share coordinator refuses a partition whose state it does not know"
)
writes_start = constant(False, says="a leader writes the start offset that it takes from the reset policy")
fences_epochs = constant(True, says="the share coordinator refuses what an older leader writes")
checks_state_epoch = constant(True, says="the share coordinator refuses what is written with an older state epoch")

profiles = {
    "kafka_4_2": {},
    "kafka_4_0": {"refuses_unknown": False},
    "earliest": {"reset": Reset.EARLIEST},
    "earliest_4_0": {"reset": Reset.EARLIEST, "refuses_unknown": False},
    "start_is_written": {"writes_start": True},
    "unfenced": {"writes_start": True, "fences_epochs": False},
    "cut_off": {"writes_start": True, "cuts": 1},
    "offsets_deleted": {"reset": Reset.EARLIEST, "deletions": 1, "deletion": Deletion.OFFSETS},
    "group_deleted": {"reset": Reset.EARLIEST, "deletions": 1},
    "state_epoch_unchecked": {
        "reset": Reset.EARLIEST,
        "deletions": 1,
        "deletion": Deletion.OFFSETS,
        "checks_state_epoch": False,
    },
}


class Broker(Domain, size=2, symmetric=True):
    """A broker with a replica of the partition."""


class Consumer(Domain, size=members, symmetric=True):
    """A member of the share group."""


Index = Annotated[int, Range(0, records - 1)]
Offset = Annotated[int, Range(0, records)]
Epoch = Annotated[int, Range(0, moves)]
Count = Annotated[int, Range(0, attempts)]
Life = Annotated[int, Range(0, deletions + 1)]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    began: Option[Offset]  # where the group began
    confirmed: Set[Index]  # records of which a member was answered that it has accepted them
    given_up: Set[Index]  # records that a member has rejected, or that were delivered as often as they may be
    given_again: Set[Index]  # records that were given to a member after it was answered so
    given_again_by_leader: Set[Index]  # those of them that were given by a broker which may still write
    given_too_often: Set[Index]  # records that were delivered more often than they may be
    deliveries: Map[Index, Count]  # how often each was delivered, up to the limit
    held_in: Map[Broker, Map[Index, Life]]  # in which life of the group a member was given each that it has


@state
class Group(History):
    """The partition, what the share coordinator keeps of it, and what brokers have in memory."""

    end: Offset  # records that were produced
    leader: Broker  # who leads the partition by the newest metadata
    epoch: Epoch  # its leader epoch
    begun: bool  # whether the group's coordinator has had the state begun
    life: Life  # how often it has
    kept: bool  # whether the share coordinator knows the partition
    kept_epoch: Epoch  # the newest leader epoch that has read or written
    kept_start: Option[Offset]  # the start offset; None: -1
    kept_phase: Map[Index, Phase]  # what was written of each record
    kept_count: Map[Index, Count]  # and how often it was delivered by then
    active: Map[Broker, bool]  # whether each has a share partition in memory
    active_epoch: Map[Broker, Epoch]  # the leader epoch of that
    active_life: Map[Broker, Life]  # in which life of the group it was read
    start: Map[Broker, Offset]  # its start offset
    phase: Map[Broker, Map[Index, Phase]]  # what each record is to it
    count: Map[Broker, Map[Index, Count]]  # how often it has delivered each, by what it knows
    holder: Map[Broker, Map[Index, Option[Consumer]]]  # which member has each record


view = GroupLanes(
    lane=Broker,
    state="'serves' if s.active[lane] else 'does not serve'",
    generation="active_epoch",
    badges={"start": "start", "records": "phase"},
    board={"leader": "leader", "end": "end", "kept start": "kept_start", "confirmed": "confirmed"},
)


@initial
def start(leader: Broker) -> Group:
    """{leader} leads an empty partition, and nobody has subscribed."""
    return Group(
        end=0,
        leader=leader,
        epoch=0,
        begun=False,
        life=0,
        kept=False,
        kept_epoch=0,
        kept_start=None,
        kept_phase=Map({index: Phase.AVAILABLE for index in range(records)}),
        kept_count=Map({index: 0 for index in range(records)}),
        active=Map({broker: False for broker in Broker}),
        active_epoch=Map({broker: 0 for broker in Broker}),
        active_life=Map({broker: 0 for broker in Broker}),
        start=Map({broker: 0 for broker in Broker}),
        phase=Map({broker: Map({index: Phase.AVAILABLE for index in range(records)}) for broker in Broker}),
        count=Map({broker: Map({index: 0 for index in range(records)}) for broker in Broker}),
        holder=Map({broker: Map({index: None for index in range(records)}) for broker in Broker}),
    )


# --- the partition, and what is kept of it ----------------------------------------------------------------------------


@action(kind="client")
def produce(s: Group) -> None:
    """Record {s.end} is produced."""
    limit(s.end < records)
    s.end += 1


@action(kind="client")
def subscribe(s: Group) -> None:
    """A member subscribes, and the state of the partition is begun, without a start offset."""
    require(not s.begun)
    s.begun = True
    s.life += 1
    s.kept = True


@action(kind="fault", budget="moves")
def move_leader(s: Group) -> None:
    """The other broker is elected."""
    for broker in Broker:
        if broker != s.leader:
            s.leader = broker
    s.epoch += 1


@action(kind="fault", budget="losses")
def lose_state(s: Group) -> None:
    """What the share coordinator keeps of the group is lost."""
    require(s.kept)
    forget_kept(s)


@action(kind="client", budget="deletions")
def delete(s: Group) -> None:
    """The group, or what is kept of it, is deleted: it has no members."""
    require(s.begun)
    s.begun = False
    forget_kept(s)
    s.began = None
    s.confirmed = Set()
    s.given_up = Set()
    s.given_again = Set()
    s.given_again_by_leader = Set()
    s.given_too_often = Set()
    s.deliveries = Map({index: 0 for index in range(records)})


def forget_kept(s: Group) -> None:
    """The share coordinator does not know the partition any more."""
    s.kept = False
    s.kept_epoch = 0
    s.kept_start = None
    s.kept_phase = Map({index: Phase.AVAILABLE for index in range(records)})
    s.kept_count = Map({index: 0 for index in range(records)})


@action(kind="fault", budget="cuts")
def lose_last_write(s: Group, index: Index) -> None:
    """What was written last is lost: record {index} is as it was before."""
    require(s.kept and is_finished(s.kept_phase[index]))
    s.kept_phase[index] = Phase.AVAILABLE
    s.kept_count[index] = 0
    kept = s.kept_start
    if kept is not None:
        s.kept_start = min(kept, index)


def is_finished(phase: Phase) -> bool:
    """Whether a record is given to nobody any more."""
    return phase == Phase.ACKNOWLEDGED or phase == Phase.ARCHIVED


# --- the leader of the partition --------------------------------------------------------------------------------------


@action
def load(s: Group, broker: Broker) -> None:
    """{broker} leads, and reads what is kept{'' if s.kept_start is not None else ': no start offset'}."""
    require(s.begun and broker == s.leader and not s.active[broker])
    require(s.kept or not refuses_unknown)
    s.kept = True
    s.kept_epoch = s.epoch
    s.active[broker] = True
    s.active_epoch[broker] = s.epoch
    s.active_life[broker] = s.life
    kept = s.kept_start
    first = kept if kept is not None else s.end if reset == Reset.LATEST else 0
    s.start[broker] = first
    if writes_start:
        s.kept_start = first
    if s.began is None:
        s.began = first
    s.phase[broker] = s.kept_phase
    s.count[broker] = s.kept_count
    s.holder[broker] = Map({index: None for index in range(records)})


@action
def resign(s: Group, broker: Broker) -> None:
    """{broker} learns that it does not lead, and forgets its share partition."""
    require(s.active[broker] and s.active_epoch[broker] < s.epoch)
    forget(s, broker)


@action
def disconnect(s: Group, broker: Broker) -> None:
    """No member of the group that was deleted is connected to {broker} any more, and it forgets its share partition."""
    require(s.active[broker] and (not s.begun or s.active_life[broker] < s.life))
    forget(s, broker)


def forget(s: Group, broker: Broker) -> None:
    """A broker has no share partition in memory."""
    s.active[broker] = False
    s.active_epoch[broker] = 0
    s.active_life[broker] = 0
    s.start[broker] = 0
    s.phase[broker] = Map({index: Phase.AVAILABLE for index in range(records)})
    s.count[broker] = Map({index: 0 for index in range(records)})
    s.holder[broker] = Map({index: None for index in range(records)})
    s.held_in[broker] = Map({index: 0 for index in range(records)})


# --- members ----------------------------------------------------------------------------------------------------------


@action
def acquire(s: Group, broker: Broker, member: Consumer, index: Index) -> None:
    """{broker} gives record {index} to {member}."""
    require(s.active[broker] and s.start[broker] <= index and index < s.end)
    require(s.phase[broker][index] == Phase.AVAILABLE)
    s.phase[broker][index] = Phase.ACQUIRED
    s.count[broker][index] = min(s.count[broker][index] + 1, attempts)
    s.holder[broker][index] = member
    s.held_in[broker][index] = s.life
    if index in s.confirmed:
        s.given_again.add(index)
        if not is_fenced(s, broker):
            s.given_again_by_leader.add(index)
    if s.deliveries[index] == attempts:
        s.given_too_often.add(index)
    s.deliveries[index] = min(s.deliveries[index] + 1, attempts)


@action(kind="client")
def accept(s: Group, broker: Broker, index: Index) -> None:
    """{s.holder[broker][index]} accepts {index} at {broker}{', but is refused' if is_refused(s, broker) else ''}."""
    require(s.active[broker] and s.phase[broker][index] == Phase.ACQUIRED)
    if not is_refused(s, broker) and is_of_the_group(s, broker, index):
        s.confirmed.add(index)
    write(s, broker, index, Phase.ACKNOWLEDGED)


@action(kind="client")
def reject(s: Group, broker: Broker, index: Index) -> None:
    """{s.holder[broker][index]} rejects {index} at {broker}{', but is refused' if is_refused(s, broker) else ''}."""
    require(s.active[broker] and s.phase[broker][index] == Phase.ACQUIRED)
    if not is_refused(s, broker) and is_of_the_group(s, broker, index):
        s.given_up.add(index)
    write(s, broker, index, Phase.ARCHIVED)


@action(kind="client")
def release(s: Group, broker: Broker, index: Index) -> None:
    """{s.holder[broker][index]} gives record {index} back to {broker}."""
    require(s.active[broker] and s.phase[broker][index] == Phase.ACQUIRED)
    if not is_refused(s, broker) and is_exhausted(s, broker, index):
        s.given_up.add(index)
    write(s, broker, index, phase_after(s, broker, index))


@action(kind="fault", budget="expiries")
def expire(s: Group, broker: Broker, index: Index) -> None:
    """The lock of {s.holder[broker][index]} on record {index} times out at {broker}."""
    require(s.active[broker] and s.phase[broker][index] == Phase.ACQUIRED)
    if not is_fenced(s, broker) and is_exhausted(s, broker, index):
        s.given_up.add(index)
    if is_refused(s, broker) and not is_fenced(s, broker):
        s.phase[broker][index] = phase_after(s, broker, index)
        s.holder[broker][index] = None
        s.held_in[broker][index] = 0
        s.start[broker] = first_open(s, broker)
    else:
        write(s, broker, index, phase_after(s, broker, index))


def is_of_the_group(s: Group, broker: Broker, index: Index) -> bool:
    """Whether the member that has a record was given it in this life of the group."""
    return s.held_in[broker][index] == s.life


def is_exhausted(s: Group, broker: Broker, index: Index) -> bool:
    """Whether a record was delivered as often as it may be, and in this life of the group."""
    return is_last_delivery(s, broker, index) and s.deliveries[index] == attempts


def is_last_delivery(s: Group, broker: Broker, index: Index) -> bool:
    """Whether a record was delivered as often as it may be, by what that broker knows."""
    return s.count[broker][index] == attempts


def phase_after(s: Group, broker: Broker, index: Index) -> Phase:
    """What a record is that is given back: available, or archived if it was delivered as often as it may be."""
    return Phase.ARCHIVED if is_last_delivery(s, broker, index) else Phase.AVAILABLE


def is_fenced(s: Group, broker: Broker) -> bool:
    """Whether the share coordinator knows of a newer leader than that broker, or of a newer state epoch."""
    return (fences_epochs and s.active_epoch[broker] < s.kept_epoch) or (
        checks_state_epoch and s.kept and state_epoch(s.active_life[broker]) < state_epoch(s.life)
    )


def state_epoch(life: Life) -> Life:
    """The epoch of the group as its state was begun: it starts anew with a group of the same name."""
    return life if deletion == Deletion.OFFSETS else 1


def is_refused(s: Group, broker: Broker) -> bool:
    """Whether it refuses what a broker writes: a newer leader has read, or it does not know the partition."""
    return is_fenced(s, broker) or (refuses_unknown and not s.kept)


def write(s: Group, broker: Broker, index: Index, phase: Phase) -> None:
    """A broker writes what becomes of a record, and moves its start offset over what is finished. One that is fenced
    forgets its share partition; where the state is not known, nothing changes."""
    if is_fenced(s, broker):
        forget(s, broker)
    elif not is_refused(s, broker):
        s.phase[broker][index] = phase
        s.holder[broker][index] = None
        s.held_in[broker][index] = 0
        s.start[broker] = first_open(s, broker)
        s.kept = True
        s.kept_start = s.start[broker]
        s.kept_phase[index] = phase
        s.kept_count[index] = s.count[broker][index]


def first_open(s: Group, broker: Broker) -> Offset:
    """The first record from the start offset on that is not finished."""
    return min(
        (index for index in range(records) if index >= s.start[broker] and not is_finished(s.phase[broker][index])),
        default=records,
    )
