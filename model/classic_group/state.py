"""What there is: members, coordinators, what is under way between them, and the log."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *
from ..parts.generations import Assignment, Consumer, Generation, Partition
from ..parts.generations import consumers as consumers
from ..parts.generations import max_generation as max_generation
from ..parts.generations import partitions as partitions
from ..parts.owned_partitions import Trust
from ..parts.replicated_logs import Entry, Log, append_entry, empty, entries, may_append
from ..parts.replicated_logs import loses_acknowledged as loses_acknowledged

records = constant(1, minimum=0, maximum=3, says="records of each partition")
commits = constant(1, minimum=0, maximum=4, says="offsets that members commit in all")
commit_at_once = constant(False, says="members commit each record in the step in which they process it")
failovers = constant(1, minimum=0, maximum=2, says="times that another broker becomes the coordinator")
pauses = constant(1, minimum=0, maximum=3, says="times that a member pauses")
leaves = constant(0, minimum=0, maximum=2, says="times that a member leaves by itself")
expiries = constant(0, minimum=0, maximum=2, says="offsets whose retention ends")
lumped = constant(False, says="what can make no difference any more is forgotten, as classic_group_as_lumped checks")
delays = constant(0, minimum=0, maximum=2, says="JoinGroups, SyncGroups and OffsetCommits that arrive late, if at all")
failed_loads = constant(0, minimum=0, maximum=2, says="times that a coordinator fails to load the log")
cooperative = constant(False, says="KIP-429: members keep what they own while they join; else they revoke it first")
fence_commits = constant(True, says="a commit counts only of a member, and in the group's generation")
commit_what_is_owned = constant(True, says="a member commits offsets only of what it consumes (no fence of Kafka)")
fence_appends = constant(True, says="only the leader of the offsets' partition appends to it")
process_first = constant(True, says="a member processes a record before it commits its offset")
rejoin_until_synced = constant(True, says="KAFKA-5154: a member whose SyncGroup is cut off joins again")
forget_when_lost = constant(True, says="KAFKA-12983: a member that loses its id in a rebalance forgets what it owned")
trust = constant(Trust.NEWEST, says="which claims to own a partition the leader believes (KAFKA-12984, KAFKA-14639)")
claims_name_what_is_joined = constant(
    True, says="KAFKA-13715, 3.4: a claim is of the generation joined last; before, of the one assigned in last"
)
throw_out_unsynced = constant(
    True, says="KAFKA-12890: who sends no SyncGroup in time is thrown out, though its heartbeats arrive"
)
watch_new_members = constant(
    True, says="KAFKA-9752: a new member whose rebalance is over is thrown out when its session ends"
)
leave_in_rebalances = constant(
    False, says="KIP-62: the heartbeat thread of a member that does not poll leaves while an answer is under way, too"
)
rejoin_when_cleared = constant(
    True, says="KAFKA-8104: a member whose heartbeat thread has left, joins again when it polls"
)
load_newest = constant(True, says="KAFKA-5600: a coordinator that loads keeps the newest group and offsets")
await_load = constant(True, says="a coordinator that fails to load the log answers for no group in it")
appends_in_turn = constant(
    False, says="a coordinator waits with an append until the one before is committed (no rule of Kafka)"
)
keep_loaded = constant(True, says="KAFKA-8069: an offset that was loaded expires no sooner than any other")
expire_only_empty = constant(
    True, says="KAFKA-13636: offsets are kept as soon as the first member joins an empty group"
)


Offset = Annotated[int, Range(0, records)]
Coordinator = Annotated[int, Range(0, failovers)]
Offsets = Map[Partition, Offset]


class Phase(Enum):
    """What a client is doing."""

    OUT = "out"  # it is in no group
    JOINING = "joining"  # it has sent a JoinGroup
    SYNCING = "syncing"  # it has sent a SyncGroup
    RUNNING = "running"  # it consumes what was assigned to it


class GroupState(Enum):
    """How a coordinator has the group; with the names that Kafka gives."""

    NOT_HERE = "not here"  # this broker is not the group's coordinator, or has yet to load it
    DEAD = "dead"  # there is no such group
    EMPTY = "empty"  # it has no members, and offsets perhaps
    PREPARING_REBALANCE = "preparing"
    COMPLETING_REBALANCE = "completing"
    STABLE = "stable"


@record
class Group:
    """What a coordinator has of the group in memory."""

    state: GroupState
    generation: Generation
    members: Set[Consumer]
    joined: Set[Consumer]  # whose JoinGroup waits for its answer
    given_up: Set[Consumer]  # those of them that do not: it was late, and its answer reaches nobody
    claims: Assignment  # what those who joined said that they own (cooperative)
    claimed_in: Map[Consumer, Generation]  # and of which generation, as they have it
    leader: Option[Consumer]
    assignment: Assignment
    offsets: Offsets  # the committed ones; 0: none


@record
class GroupLine:
    """A record of the log: the group and its assignment."""

    by: Coordinator
    generation: Generation
    members: Set[Consumer]
    assignment: Assignment


@record
class OffsetLine:
    """A record of the log: an offset, or a tombstone, which has 0."""

    by: Coordinator
    partition: Partition
    offset: Offset


@record
class Answer:
    """An answer under way to a member, to the request for which it waits."""

    generation: Generation
    partitions: Set[Partition]  # in an answer to a SyncGroup


@record
class Late:
    """A JoinGroup or SyncGroup under way that its sender has given up: it has sent another, and awaits no answer."""

    source: Consumer
    to: Coordinator
    is_join: bool
    generation: Generation  # of which its sender took itself for a member
    owned: Set[Partition]  # what a JoinGroup says that its sender owns (cooperative)
    claimed_in: Generation  # and of which generation, as it has it


@record
class Commit:
    """An OffsetCommit under way."""

    source: Consumer
    to: Coordinator
    generation: Generation
    partition: Partition
    offset: Offset


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    confirmed: Offsets  # what the coordinator confirmed to members
    done: Offsets  # up to where anybody has processed
    twice: bool  # a record was processed twice


@state
class Cluster(History):
    """Members, coordinators, what is under way between them, and the log."""

    phase: Map[Consumer, Phase]  # what each client is doing
    generation: Map[Consumer, Generation]  # with which each takes itself for a member; 0: it does not
    owned: Assignment  # what was assigned to each
    assigned_in: Map[Consumer, Generation]  # and in which generation, where claims name that
    position: Map[Consumer, Offsets]  # up to where each has processed what it owns
    paused: Set[Consumer]  # who does nothing for now
    talks_to: Map[Consumer, Coordinator]  # whom each takes for its coordinator
    answers: Map[Consumer, Option[Answer]]  # to JoinGroup and SyncGroup, under way to each
    late: Option[Late]  # under way, and nobody waits for its answer
    commits: Annotated[Set[Commit], Capacity(2)]  # under way to coordinators
    late_commit: Option[Commit]  # under way, and its sender goes on without an answer
    groups: Map[Coordinator, Group]  # of the broker that became the coordinator at each fail-over
    newest: Coordinator  # which of them leads the partition of the offsets' topic
    log: Log  # the partition of the offsets' topic that holds the group
    pending: Option[Entry]  # appended, and not committed yet
    group_lines: Map[Entry, Option[GroupLine]]  # the records of the log that describe the group
    offset_lines: Map[Entry, Option[OffsetLine]]  # those that hold an offset
    old: Set[Partition]  # whose offset has been kept for its retention


def nobody() -> Assignment:
    """No partition is anybody's."""
    return Map({member: Set() for member in Consumer})


def nothing(state: GroupState) -> Group:
    """No group in a coordinator's memory."""
    return Group(
        state=state,
        generation=0,
        members=Set(),
        joined=Set(),
        given_up=Set(),
        claims=nobody(),
        claimed_in=Map({member: 0 for member in Consumer}),
        leader=None,
        assignment=nobody(),
        offsets=Map({partition: 0 for partition in Partition}),
    )


@initial
def start() -> Cluster:
    """There is no group, and nobody has joined."""
    return Cluster(
        phase=Map({member: Phase.JOINING if lumped else Phase.OUT for member in Consumer}),
        generation=Map({member: 0 for member in Consumer}),
        owned=nobody(),
        assigned_in=Map({member: 0 for member in Consumer}),
        position=Map({member: Map({partition: 0 for partition in Partition}) for member in Consumer}),
        paused=Set(),
        talks_to=Map({member: 0 for member in Consumer}),
        answers=Map({member: None for member in Consumer}),
        late=None,
        commits=Set(),
        late_commit=None,
        groups=Map(
            {c: nothing(GroupState.DEAD) if c == 0 else nothing(GroupState.NOT_HERE) for c in range(failovers + 1)}
        ),
        newest=0,
        log=empty(),
        pending=None,
        group_lines=Map({entry: None for entry in range(entries)}),
        offset_lines=Map({entry: None for entry in range(entries)}),
        old=Set(),
    )


def answers_to(s: Cluster, member: Consumer) -> Group:
    """The group as the coordinator has it with which a member speaks."""
    return s.groups[s.talks_to[member]]


def newest(s: Cluster) -> Group:
    """The group as the coordinator has it that leads the partition of the offsets' topic."""
    return s.groups[s.newest]


def is_here(group: Group) -> bool:
    """Whether a broker answers for the group."""
    return group.state != GroupState.NOT_HERE


def counts(group: Group, member: Consumer, generation: Generation) -> bool:
    """Whether a coordinator takes a request for one of a member, in the group's generation."""
    return member in group.members and group.generation == generation


def lose(s: Cluster, member: Consumer) -> None:
    """A member learns that it is not one any longer: onPartitionsLost. Up to 2.8.0 nobody asks for that who is in a
    rebalance already."""
    if forget_when_lost or s.phase[member] == Phase.RUNNING:
        give_up(s, member)
    s.phase[member] = Phase.OUT
    s.generation[member] = 0
    s.answers[member] = None


def give_up(s: Cluster, member: Consumer) -> None:
    """A member consumes nothing more."""
    s.owned[member] = Set()
    if commit_what_is_owned:
        s.position[member] = Map({partition: 0 for partition in Partition})


def claims_of(s: Cluster, member: Consumer) -> Generation:
    """The generation that a member names with what it owns. What its assignor has seen last, it remembers when it has
    lost everything, too."""
    if not cooperative:
        return 0
    return s.generation[member] if claims_name_what_is_joined else s.assigned_in[member]


def last(log: Log) -> Entry:
    """The number of the record that was appended last."""
    return len(log.appended) - 1


def append(s: Cluster, coordinator: Coordinator, within: bool = True) -> None:
    """A coordinator appends a record to its log, which nobody else may."""
    require(coordinator == s.newest or not fence_appends)
    require(may_append(s.log, len(s.log.appended)) and (s.pending is None or not appends_in_turn))
    limit(len(s.log.appended) < entries and s.pending is None and within)
    s.pending = len(s.log.appended)
    s.log = append_entry(s.log, len(s.log.appended))


def consumes(s: Cluster, member: Consumer) -> Set[Partition]:
    """What a member consumes now."""
    if s.phase[member] == Phase.RUNNING or cooperative:
        return s.owned[member]
    return Set()


def group_without(group: Group, gone: Set[Consumer]) -> Group:
    """The group without some members: the others join again."""
    return replace(
        group,
        state=GroupState.PREPARING_REBALANCE,
        members=group.members - gone,
        joined=group.joined - gone,
        given_up=group.given_up - gone,
        claims=Map({m: Set() if m in gone else group.claims[m] for m in Consumer}),
        claimed_in=Map({m: 0 if m in gone else group.claimed_in[m] for m in Consumer}),
        leader=None if group.leader is not None and group.leader in gone else group.leader,
    )


# === What a coordinator finds in the log: the group and its offsets, as the newest records have them ==================


def read(s: Cluster, end: int) -> Group:
    """The group and its offsets, as the newest records of the log have them, up to that one."""
    group = nothing(GroupState.DEAD)
    offsets: Offsets = Map({p: 0 for p in Partition})
    for entry in s.log.committed:
        group_line = s.group_lines[entry]
        offset_line = s.offset_lines[entry]
        if entry <= end and entry not in s.log.lost and group_line is not None:
            group = group_of_record(group_line)
        if entry <= end and entry not in s.log.lost and offset_line is not None:
            offsets = with_offset(offsets, offset_line)
    return replace(group, offsets=offsets)


def group_of_record(line: GroupLine) -> Group:
    """The group that a record of the log describes."""
    return replace(
        nothing(GroupState.STABLE if len(line.members) > 0 else GroupState.EMPTY),
        generation=line.generation,
        members=line.members,
        assignment=line.assignment,
    )


def with_offset(offsets: Offsets, line: OffsetLine) -> Offsets:
    """Offsets, with what a record of the log says."""
    return Map({p: line.offset if p == line.partition else offsets[p] for p in Partition})
