"""What there is: consumers, the group's records in the log, what coordinators have in memory, and what is under way."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Capacity, Domain, Map, Option, Range, Set, constant, ghosts, initial, record, require, state
from ..parts.replicated_logs import Log, append_entry, commit_entries, compact_log, empty
from ..parts.replicated_logs import loses_acknowledged as loses_acknowledged

consumers = constant(2, minimum=1, maximum=4, says="consumers with one group id")
partitions = constant(2, minimum=1, maximum=4, says="partitions of the topic to which they subscribe")
static_members = constant(0, minimum=0, maximum=3, says="how many of them have one and the same group.instance.id")
max_epoch = constant(3, minimum=1, maximum=7, says="the last epoch of the group")
records = constant(0, minimum=0, maximum=3, says="records of each partition")
commits = constant(0, minimum=0, maximum=4, says="offsets that consumers commit in all")
failovers = constant(0, minimum=0, maximum=2, says="times that another broker becomes the coordinator")
pauses = constant(0, minimum=0, maximum=3, says="times that a consumer pauses")
leaves = constant(0, minimum=0, maximum=3, says="times that a consumer leaves, or is closed and its leave is lost")
changes = constant(0, minimum=0, maximum=3, says="times that the topic's metadata change")
losses = constant(0, minimum=0, maximum=3, says="answers to heartbeats that are lost")
delays = constant(0, minimum=0, maximum=2, says="heartbeats that arrive late, if at all")
late_commits = constant(0, minimum=0, maximum=2, says="OffsetCommits that arrive late, if at all")
retries = constant(0, minimum=0, maximum=2, says="OffsetCommits that fail, and are sent again with the epoch of then")
stale_answers = constant(True, says="a broker that leads no longer does not know, and answers from memory")

wait_for_commit = constant(True, says="a heartbeat is answered once its records are committed")
wait_for_revocation = constant(True, says="a partition is a member's until the member says that it has revoked it")
wait_for_release = constant(True, says="a member is given no partition that is still another's")
fence_epochs = constant(True, says="FENCED_MEMBER_EPOCH: a heartbeat counts only with the member's epoch")
accept_previous = constant(True, says="a heartbeat with the member's previous epoch counts: the answer was lost")
subset_of_assigned = constant(True, says="but only if the member owns nothing that is not assigned to it")
fence_commits = constant(True, says="STALE_MEMBER_EPOCH: a commit counts only with the member's epoch")
commit_what_is_owned = constant(True, says="a member commits offsets only of what it consumes (no fence of Kafka)")
fence_appends = constant(True, says="only the leader of the offsets' partition appends to it")
persist_assignments = constant(True, says="the record CurrentMemberAssignment is written")
persist_targets = constant(True, says="the records TargetAssignmentMember are written")
release_instances = constant(True, says="UNRELEASED_INSTANCE_ID: a static member is replaced once it has left")
report_target = constant(False, says="a heartbeat that says what a consumer owns says what it is about to take on, too")


class Consumer(Domain, size=consumers, symmetric=True):
    """A client with the group's id; its member id is its own for good."""


class Partition(Domain, size=partitions, symmetric=True):
    """A partition of the topic that the group consumes."""


Epoch = Annotated[int, Range(0, max_epoch)]
MemberEpoch = Annotated[int, Range(-2, max_epoch)]  # -2: a static member that has left for a while
Offset = Annotated[int, Range(0, records)]
Coordinator = Annotated[int, Range(0, failovers)]
Offsets = Map[Partition, Offset]


class Phase(Enum):
    """What a consumer takes itself for."""

    OUT = "out"  # in no group
    JOINING = "joining"  # its heartbeats have epoch 0
    MEMBER = "member"


class Says(Enum):
    """What the next heartbeat of a consumer says beside its epoch."""

    NOTHING = "nothing"
    OWNED = "owned"  # a reconciliation is over: what it owns
    ALL = "all"  # it joins, or an answer is missing: the answer then has the assignment


class MemberState(Enum):
    """How far the coordinator has brought a member to its target; the names are Kafka's."""

    STABLE = "stable"
    UNREVOKED_PARTITIONS = "unrevoked"  # it has yet to revoke some
    UNRELEASED_PARTITIONS = "unreleased"  # it waits for what others have yet to revoke


class Error(Enum):
    """What is wrong with a heartbeat; the names are Kafka's."""

    NONE = "none"
    UNKNOWN_MEMBER_ID = "unknown member id"
    FENCED_MEMBER_EPOCH = "fenced member epoch"
    FENCED_INSTANCE_ID = "fenced instance id"
    UNRELEASED_INSTANCE_ID = "unreleased instance id"


@record
class Member:
    """A member: that it is one is the record MemberMetadata, the rest is CurrentMemberAssignment."""

    epoch: MemberEpoch
    previous: Epoch  # the epoch that it had before
    state: MemberState
    assigned: Set[Partition]
    revoking: Set[Partition]  # partitionsPendingRevocation


@record
class Records:
    """What the records of the group come to, of each key the newest."""

    epoch: Epoch  # the group's: GroupMetadata
    target_epoch: Epoch  # TargetAssignmentMetadata
    target: Map[Consumer, Set[Partition]]  # TargetAssignmentMember
    members: Map[Consumer, Option[Member]]
    offsets: Offsets  # the committed ones; 0: none


@record
class Answer:
    """An answer to a heartbeat, under way."""

    epoch: Epoch
    assignment: Option[Set[Partition]]  # where nothing has changed: none


@record
class Heartbeat:
    """A heartbeat that is late: its sender waits for no answer any more."""

    source: Consumer
    to: Coordinator
    epoch: Epoch
    owned: Option[Set[Partition]]
    full: bool  # it says all


@record
class Commit:
    """An OffsetCommit under way."""

    source: Consumer
    to: Coordinator
    epoch: Epoch
    partition: Partition
    offset: Offset


@record
class Pending:
    """A batch of records that is appended, and not committed yet."""

    by: Coordinator
    before: Records  # what is committed: entry 0 of the log
    to: Option[Consumer]  # whose heartbeat is answered once it is committed
    answer: Option[Answer]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    confirmed: Offsets  # what was confirmed to consumers


@state
class Cluster(History):
    """Consumers, coordinators, what is under way between them, and the log."""

    phase: Map[Consumer, Phase]  # what each consumer takes itself for
    epoch: Map[Consumer, Epoch]  # the member epoch that each has
    owned: Map[Consumer, Set[Partition]]  # what each takes for its own
    target: Map[Consumer, Set[Partition]]  # what each is to consume, by the last answer
    says: Map[Consumer, Says]  # what the next heartbeat of each says
    placed: Map[Consumer, Set[Partition]]  # of which of them each has learned the committed offset, and consumes it
    position: Map[Consumer, Offsets]  # up to where each has processed what it consumes
    static: Set[Consumer]  # who has the group.instance.id
    paused: Set[Consumer]  # who does nothing for now
    talks_to: Map[Consumer, Coordinator]  # whom each takes for its coordinator
    answers: Map[Consumer, Option[Answer]]  # under way to each
    late: Option[Heartbeat]  # under way, and nobody waits for its answer
    commits: Annotated[Set[Commit], Capacity(2)]  # under way to coordinators
    late_commit: Option[Commit]  # under way by a connection that was lost, and nobody waits for its answer
    newest: Coordinator  # which of the brokers that became the coordinator leads the partition of the offsets' topic
    loaded: bool  # it has loaded the group
    offsets_topic: Log  # that partition: entry 0 is what is committed, compacted by key; entry 1 the batch that is not
    log: Records  # what its newest entry comes to
    pending: Option[Pending]  # the batch that is not committed yet
    stale: Map[Coordinator, Option[Records]]  # what each of the others still has in memory


def no_partitions() -> Map[Consumer, Set[Partition]]:
    """No partition is anybody's."""
    return Map({member: Set() for member in Consumer})


def no_records() -> Records:
    """There is no group."""
    return Records(
        epoch=0,
        target_epoch=0,
        target=no_partitions(),
        members=Map({member: None for member in Consumer}),
        offsets=Map({partition: 0 for partition in Partition}),
    )


def compact_to_newest(log: Log) -> Log:
    """The log once its newest entry is committed, and compacted: of each key the newest record is there, as entry 0."""
    newest = max(log.appended)
    return compact_log(commit_entries(log, Set({newest}), Set({newest})), newest)


@initial
def start(static: Set[Consumer]) -> Cluster:
    """There is no group, and every consumer is about to join."""
    require(len(static) == static_members)
    return Cluster(
        phase=Map({member: Phase.JOINING for member in Consumer}),
        epoch=Map({member: 0 for member in Consumer}),
        owned=no_partitions(),
        target=no_partitions(),
        says=Map({member: Says.ALL for member in Consumer}),
        placed=no_partitions(),
        position=Map({member: Map({partition: 0 for partition in Partition}) for member in Consumer}),
        static=static,
        paused=Set(),
        talks_to=Map({member: 0 for member in Consumer}),
        answers=Map({member: None for member in Consumer}),
        late=None,
        commits=Set(),
        late_commit=None,
        newest=0,
        loaded=True,
        offsets_topic=compact_to_newest(append_entry(empty(), 0)),
        log=no_records(),
        pending=None,
        stale=Map({coordinator: None for coordinator in range(failovers + 1)}),
    )


def memory(s: Cluster, coordinator: Coordinator) -> Option[Records]:
    """The group as a coordinator has it; None where it answers for none."""
    if coordinator != s.newest:
        return s.stale[coordinator]
    return s.log if s.loaded else None


def answers_to(s: Cluster, member: Consumer) -> Option[Records]:
    """The group as the coordinator has it with which a consumer speaks."""
    return memory(s, s.talks_to[member])


def waits(s: Cluster, member: Consumer) -> bool:
    """Whether a consumer waits for the answer to a heartbeat."""
    pending = s.pending
    return s.answers[member] is not None or (pending is not None and pending.to == member)


def give_up(s: Cluster, member: Consumer, phase: Phase) -> None:
    """A consumer consumes nothing more, and takes itself for a member no longer."""
    s.phase[member] = phase
    s.epoch[member] = 0
    s.owned[member] = Set()
    s.target[member] = Set()
    s.says[member] = Says.ALL
    s.answers[member] = None
    s.placed[member] = Set()
    forget_positions(s, member)


def forget_positions(s: Cluster, member: Consumer) -> None:
    """A consumer has no position in what it does not consume; an application may remember one."""
    if commit_what_is_owned:
        s.position[member] = Map({p: s.position[member][p] if p in s.placed[member] else 0 for p in Partition})


def consumes(s: Cluster, member: Consumer) -> Set[Partition]:
    """What a consumer consumes: what it owns and knows the committed offset of. Without records in the bounds nobody
    asks for offsets, and owning is all that there is."""
    return s.placed[member] if records > 0 else s.owned[member]
