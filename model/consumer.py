"""A group of consumers, between poll, processing and commit: what an application gets by its settings.

A member polls, processes what it got, and commits how far the group has come. Whoever has a partition next begins
there. When which offset is committed is the application's choice (`commits`):

* `AUTO`: a poll commits the positions, which is what the polls before it returned (`enable.auto.commit`). In
  `kafka_18641` a thread in the background commits them at any time, while the application still processes: the consumer
  of KIP-848 did so until February 2025.
* `AFTER`: the application commits its positions when it has processed all it got, with commitSync, before it polls
  again; or now and then, or with commitAsync (`polls_uncommitted`).
* `BEFORE`: it commits them before it processes.
* `EACH`: it commits each record's offset, plus one, after that record.
* `TOGETHER`: a database has the effect and the offset in one transaction, which fails where the offset is another.

An application may hand records over to another thread and poll on (`hands_over`), in which a pool may take them in any
order (`pool`). A rebalance takes partitions away inside a poll; automatic commits are sent before, others where a
listener does so (`commits_on_revoke`). An exception with `finally: close()` leaves the group; close() commits the
positions where commits are automatic. A member whose processing takes longer than `max.poll.interval.ms`, or that
pauses for longer than its session, is thrown out and does not know: it goes on with what it has in hand, and its
commits are refused (`fences_commits`). A commitAsync that failed may be sent again by its callback, after a later one
(`delays`).

A group's offset may expire or be lost (`offset_losses`), records may be deleted below it (`deletions`), the log may be
truncated under a consumer (`truncations`, with `readers_diverge`, the log's own switch). Since KIP-320 (2.1 to 2.3) a
consumer notices that by leader epochs, and goes back to where logs diverge (`detects_truncation`). Without an offset
in the log's range, `auto.offset.reset` says where it begins. It is asked of a partition that was added, too (`grows`).

The records' logs are the abstract ones of `parts/replicated_logs.py`. A reader sees what is committed; a log without
transactions is the same with either `isolation.level`. Of the coordinator, the rules are those of
`parts/generations.py`: which requests count, and what a generation may give to whom. That Kafka's classic coordinator
keeps them is checked (`classic_group_as_generations`). The members here are eager. Of cooperative ones and of
KIP-848's, that holds which needs no rules: with `any_coordinator`, and without `fences_commits`, partitions are given
and taken at any time, to several at once, and every commit counts. `offsets_outage` asks about offsets.

What is abstracted away. Rebalances are eager (but with `any_coordinator`), and an assignment arrives at all members at
once. There are no clocks. A commit and its answer are one step, which may fail (`commit_losses`). Which partition a
poll returns is open, as with pause() and resume(). Records that were deleted are nobody's to process.

Sources: ConsumerCoordinator (poll, onJoinPrepare, maybeAutoCommitOffsetsAsync, close), CommitRequestManager and
OffsetFetcher of Kafka's trunk of October 2024, before 4.0; KIP-62, KIP-320, KIP-1106; KAFKA-18641. Properties are in
`invariants/consumer.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import Capacity, GroupLanes, Map, Option, Range, Set

# isort: split
from ..language import action, constant, initial, limit, record, require, state, terminal
from .parts.consuming import Commits as Commits
from .parts.consuming import Reset as Reset
from .parts.generations import Consumer as Member
from .parts.generations import Generation, Partition, max_generation, may_be_shared
from .parts.generations import consumers as consumers
from .parts.generations import is_current as is_of_generation
from .parts.generations import partitions as partitions
from .parts.replicated_logs import Entry, Log, appended, empty, entries, may_append, may_rewrite, rewritten
from .parts.replicated_logs import readers_diverge as readers_diverge

records = constant(2, minimum=1, maximum=4, says="records that are produced")
commits = constant(Commits.AUTO, says="when the application commits")
reset = constant(Reset.LATEST, says="auto.offset.reset")
hands_over = constant(False, says="another thread processes while the application polls on")
pool = constant(False, says="records that were handed over are processed in any order")
polls_uncommitted = constant(False, says="the application commits now and then: it may poll before it has committed")
commits_on_revoke = constant(False, says="a rebalance listener commits what was processed")
background_commit = constant(False, says="KAFKA-18641: positions are committed while their records are processed")
any_coordinator = constant(False, says="partitions are given and taken at any time: no coordinator's rules are kept")
fences_commits = constant(True, says="a commit counts only with the id of a member and the group's generation")
detects_truncation = constant(True, says="KIP-320: a consumer notices that the log was truncated below its position")
has_offsets = constant(True, says="the group has committed the beginning of each partition before")
grows = constant(False, says="the topic begins with one partition, and the others are added")
crashes = constant(1, minimum=0, maximum=2, says="members whose process dies")
pauses = constant(1, minimum=0, maximum=2, says="members that are thrown out and go on")
exceptions = constant(0, minimum=0, maximum=1, says="exceptions in processing, after which the consumer is closed")
delays = constant(0, minimum=0, maximum=1, says="commits that are sent again after later ones")
commit_losses = constant(0, minimum=0, maximum=1, says="commits that fail, after which the member goes on")
offset_losses = constant(0, minimum=0, maximum=1, says="offsets of the group that expire or are lost")
deletions = constant(0, minimum=0, maximum=1, says="times that the first records of a partition are deleted")
truncations = constant(0, minimum=0, maximum=1, says="times that a log loses its last record")

profiles = {
    "auto": {},
    "earliest": {"reset": Reset.EARLIEST},
    "after": {"commits": Commits.AFTER},
    "before": {"commits": Commits.BEFORE},
    "each": {"commits": Commits.EACH},
    "together": {"commits": Commits.TOGETHER},
    "now_and_then": {"commits": Commits.AFTER, "polls_uncommitted": True},
    "after_on_revoke": {"commits": Commits.AFTER, "polls_uncommitted": True, "commits_on_revoke": True},
    "auto_handed_over": {"hands_over": True},
    "after_in_pool": {"commits": Commits.EACH, "hands_over": True, "pool": True},
    "closes_after_exception": {"exceptions": 1},
    "after_with_exception": {"commits": Commits.AFTER, "exceptions": 1},
    "kafka_18641": {"background_commit": True},
    "commit_lost": {"commits": Commits.AFTER, "commit_losses": 1},
    "async_sent_again": {"commits": Commits.AFTER, "polls_uncommitted": True, "delays": 1},
    "unfenced": {"commits": Commits.AFTER, "fences_commits": False},
    "auto_anyhow": {"any_coordinator": True, "fences_commits": False},
    "after_anyhow": {"any_coordinator": True, "fences_commits": False, "commits": Commits.AFTER},
    "each_anyhow": {"any_coordinator": True, "fences_commits": False, "commits": Commits.EACH},
    "before_anyhow": {"any_coordinator": True, "fences_commits": False, "commits": Commits.BEFORE},
    "handed_over_anyhow": {"any_coordinator": True, "fences_commits": False, "hands_over": True},
    "latest_offset_lost": {"offset_losses": 1},
    "earliest_offset_lost": {"offset_losses": 1, "reset": Reset.EARLIEST},
    "none_offset_lost": {"offset_losses": 1, "reset": Reset.NONE},
    "duration_offset_lost": {"offset_losses": 1, "reset": Reset.BY_DURATION},
    "latest_deleted": {"deletions": 1},
    "earliest_deleted": {"deletions": 1, "reset": Reset.EARLIEST},
    "latest_first_start": {"has_offsets": False},
    "latest_grows": {"grows": True},
    "earliest_grows": {"grows": True, "reset": Reset.EARLIEST},
    "truncated": {"truncations": 1, "readers_diverge": True, "detects_truncation": False},
    "kip_320": {"truncations": 1, "readers_diverge": True},
}


class Phase(Enum):
    """What a member is doing."""

    OUT = "out"  # it does not run
    JOINING = "joining"  # its JoinGroup waits
    RUNNING = "running"  # it consumes
    STOPPED = "stopped"  # auto.offset.reset=none: it has no offset, and an error


Offset = Annotated[int, Range(0, entries)]


@record
class Delayed:
    """A commit that will be sent again."""

    member: Member
    generation: Generation
    partition: Partition
    offset: Offset


@state
class Consuming:
    """The members of a group, the group, and the partitions that it consumes."""

    phase: Map[Member, Phase]  # what each member is doing
    known: Map[Member, Generation]  # the generation that each takes for the group's
    owned: Map[Member, Set[Partition]]  # the partitions that each takes for its own
    position: Map[Member, Map[Partition, Option[Offset]]]  # the offset that each polls next
    in_hand: Map[Member, Map[Partition, Set[Entry]]]  # records that a poll has returned, and that are not processed
    owing: Set[Member]  # who has processed what it has to commit before it polls again
    group: Set[Member]  # whom the coordinator takes for members
    joined: Set[Member]  # who has joined the rebalance
    rebalancing: bool  # whether there is one
    generation: Generation  # the group's generation
    offset: Map[Partition, Option[Offset]]  # what the group has committed
    delayed: Annotated[Set[Delayed], Capacity(1)]  # commits that will be sent again
    present: Set[Partition]  # the partitions that there are
    logs: Map[Partition, Log]  # their logs
    first: Map[Partition, Offset]  # the first offset that was not deleted
    cut: Map[Partition, Offset]  # the end of the log when it was truncated
    parted: Map[Partition, Set[Member]]  # whose position was beyond that
    parted_offset: Set[Partition]  # where the group's offset was
    effects: Map[Partition, Map[Entry, Annotated[int, Range(0, 2)]]]  # how often each record was processed; 2: or more


view = GroupLanes(
    lane=Member,
    state="phase",
    generation="known",
    badges={"owns": "owned", "position": "position"},
    board={"generation": "generation", "offset": "offset"},
)


@initial
def start(oldest: Partition) -> Consuming:
    """Nobody runs, and the logs are empty."""
    return Consuming(
        phase=Map({member: Phase.OUT for member in Member}),
        known=Map({member: 0 for member in Member}),
        owned=Map({member: Set() for member in Member}),
        position=Map({member: Map({partition: None for partition in Partition}) for member in Member}),
        in_hand=Map({member: Map({partition: Set() for partition in Partition}) for member in Member}),
        owing=Set(),
        group=Set(),
        joined=Set(),
        rebalancing=False,
        generation=0,
        offset=Map({p: 0 if has_offsets and (p == oldest or not grows) else None for p in Partition}),
        delayed=Set(),
        present=Set({oldest}) if grows else Set(Partition),
        logs=Map({partition: empty() for partition in Partition}),
        first=Map({partition: 0 for partition in Partition}),
        cut=Map({partition: 0 for partition in Partition}),
        parted=Map({partition: Set() for partition in Partition}),
        parted_offset=Set(),
        effects=Map({partition: Map({entry: 0 for entry in range(entries)}) for partition in Partition}),
    )


# --- the log ----------------------------------------------------------------------------------------------------------


def end(s: Consuming, partition: Partition) -> int:
    """The offset after the last record."""
    return len(s.logs[partition].committed)


@action(kind="client")
def produce(s: Consuming, partition: Partition) -> None:
    """A record is produced to {partition}, at offset {len(s.logs[partition].committed)}."""
    require(partition in s.present)
    limit(sum(len(s.logs[p].appended) for p in Partition) < records)
    number = len(s.logs[partition].appended)
    assert may_append(s.logs[partition], number)
    s.logs[partition] = appended(s.logs[partition], number, False, True)


@action(kind="fault", budget="deletions")
def delete_records(s: Consuming, partition: Partition) -> None:
    """The first record of {partition} is deleted, by its age or the log's size."""
    require(deletions > 0)
    require(s.first[partition] < end(s, partition))
    s.first[partition] += 1


@action(kind="fault", budget="truncations")
def truncate(s: Consuming, partition: Partition) -> None:
    """The log of {partition} loses its last record: a leader is elected that does not have it."""
    require(readers_diverge and truncations > 0 and s.first[partition] < end(s, partition))
    log = s.logs[partition]
    last = len(log.committed) - 1
    found: Set[Entry] = Set(entry for entry in log.committed if entry != log.committed[last])
    assert may_rewrite(log, found, Set(), Set(), Set(), True)
    s.logs[partition] = rewritten(log, found, Set(), Set(), Set(), True)
    s.cut[partition] = last
    s.parted[partition] = Set(member for member in Member if beyond(s.position[member][partition], last))
    if beyond(s.offset[partition], last):
        s.parted_offset.add(partition)


def beyond(offset: Option[Offset], place: int) -> bool:
    """Whether an offset is known, and greater."""
    return offset is not None and offset > place


@action(kind="fault")
def add_partition(s: Consuming, partition: Partition) -> None:
    """{partition} is added to the topic; members will learn of it."""
    require(grows and partition not in s.present)
    s.present.add(partition)


@action
def discover_partition(s: Consuming) -> None:
    """A member's metadata have a partition that nobody has: the group rebalances."""
    require(grows and not s.rebalancing and len(s.group) > 0)
    require(any(all(partition not in s.owned[member] for member in s.group) for partition in s.present))
    limit(s.generation < max_generation)
    s.rebalancing = True


# --- the group --------------------------------------------------------------------------------------------------------


def is_current(s: Consuming, member: Member) -> bool:
    """Whether a request of a member counts: it is one, of the group's generation."""
    return is_of_generation(s.group, s.generation, member, s.known[member])


def accepts(s: Consuming, member: Member) -> bool:
    """Whether the coordinator accepts a commit."""
    return is_current(s, member) or not fences_commits


def has_time(s: Consuming, member: Member) -> bool:
    """Whether the application may call poll: it has processed what it got, or another thread does."""
    return hands_over or all(len(s.in_hand[member][partition]) == 0 for partition in Partition)


def has_committed(s: Consuming, member: Member) -> bool:
    """Whether it has committed what it processed, as far as it does so before it polls; who is thrown out cannot."""
    return member not in s.owing or not accepts(s, member)


@action(kind="client")
def start_member(s: Consuming, member: Member) -> None:
    """{member} starts, and joins the group."""
    require(s.phase[member] == Phase.OUT and member not in s.group)
    limit(s.generation < max_generation)
    join(s, member)


def join(s: Consuming, member: Member) -> None:
    """A member joins a rebalance, in which it has no partition."""
    s.phase[member] = Phase.JOINING
    s.group.add(member)
    s.joined.add(member)
    s.rebalancing = True
    forget(s, member)


def forget(s: Consuming, member: Member) -> None:
    """A member has no partition any more; what another thread has in hand stays there."""
    s.owned[member] = Set()
    s.owing.discard(member)
    for partition in Partition:
        s.position[member][partition] = None
        s.parted[partition].discard(member)


@action
def rejoin(s: Consuming, member: Member) -> None:
    """{member} learns of the rebalance in a poll, commits by its settings, and joins."""
    require(s.phase[member] == Phase.RUNNING and is_current(s, member) and s.rebalancing and has_time(s, member))
    require(has_committed(s, member))
    if commits == Commits.AUTO or (commits_on_revoke and not hands_over):
        commit_positions(s, member)
    join(s, member)


@action(kind="fault", budget="commit_losses")
def lose_commit(s: Consuming, member: Member) -> None:
    """A commit of {member} fails, after processing or before a rebalance, and the member goes on."""
    require(commit_losses > 0)
    require(s.phase[member] == Phase.RUNNING and is_current(s, member) and has_time(s, member))
    require(member in s.owing or (commits == Commits.AUTO and s.rebalancing))
    s.owing.discard(member)
    if commits == Commits.AUTO:
        join(s, member)


@action
def notice(s: Consuming, member: Member) -> None:
    """{member} learns that it is not a member any more, and joins anew."""
    require(pauses > 0)
    require(s.phase[member] == Phase.RUNNING and not is_current(s, member) and has_time(s, member))
    limit(s.generation < max_generation)
    join(s, member)


@action
def begin_generation(s: Consuming, owner: Map[Partition, Member]) -> None:
    """All members have joined: a generation begins, in which partitions are shared out evenly."""
    require(s.rebalancing and s.joined == s.group and len(s.group) > 0)
    require(all(owner[partition] in s.group for partition in Partition))
    require(all(share(owner, a) <= share(owner, b) + 1 for a in s.group for b in s.group))
    shares = Map({m: Set(p for p in Partition if owner[p] == m and p in s.present) for m in Member})
    require(may_be_shared(s.group, s.owned, shares))
    limit(s.generation < max_generation)
    s.generation += 1
    s.rebalancing = False
    s.joined = Set()
    for member in Member:
        if member in s.group:
            s.phase[member] = Phase.RUNNING
            s.known[member] = s.generation
            s.owned[member] = shares[member]


@action
def be_given(s: Consuming, member: Member, partition: Partition) -> None:
    """{member} is given {partition}, whoever else has it."""
    require(any_coordinator and s.phase[member] == Phase.RUNNING and partition in s.present - s.owned[member])
    s.owned[member].add(partition)


@action
def be_taken(s: Consuming, member: Member, partition: Partition) -> None:
    """{partition} is taken from {member}, which goes on with what it has in hand of it."""
    require(any_coordinator and s.phase[member] == Phase.RUNNING and partition in s.owned[member])
    s.owned[member].remove(partition)
    s.position[member][partition] = None
    s.parted[partition].discard(member)


def share(owner: Map[Partition, Member], member: Member) -> int:
    """How many partitions a member gets."""
    return sum(1 for partition in Partition if owner[partition] == member)


def remove(s: Consuming, member: Member) -> None:
    """The coordinator takes a member for gone."""
    s.group.remove(member)
    s.joined.discard(member)
    s.rebalancing = len(s.group) > 0


@action(kind="fault", budget="crashes")
def crash(s: Consuming, member: Member) -> None:
    """{member}'s process dies, with what it had in hand."""
    require(crashes > 0)
    require(s.phase[member] in (Phase.JOINING, Phase.RUNNING))
    stop(s, member, Phase.OUT)


def stop(s: Consuming, member: Member, phase: Phase) -> None:
    """A member runs no more."""
    s.phase[member] = phase
    forget(s, member)
    for partition in Partition:
        s.in_hand[member][partition] = Set()


@action
def session_times_out(s: Consuming, member: Member) -> None:
    """{member} is gone, and the coordinator throws it out."""
    require(crashes > 0 or reset == Reset.NONE)
    require(member in s.group and s.phase[member] in (Phase.OUT, Phase.STOPPED))
    remove(s, member)


@action(kind="fault", budget="pauses")
def pause(s: Consuming, member: Member) -> None:
    """{member} pauses, or processes for longer than max.poll.interval.ms: it is thrown out, and does not know."""
    require(pauses > 0)
    require(member in s.group and s.phase[member] == Phase.RUNNING)
    remove(s, member)


@action(kind="fault", budget="exceptions")
def fail(s: Consuming, member: Member) -> None:
    """Processing fails in {member}, which closes its consumer: it commits by its settings, and leaves."""
    require(exceptions > 0)
    require(s.phase[member] == Phase.RUNNING and any(len(s.in_hand[member][p]) > 0 for p in Partition))
    if commits == Commits.AUTO:
        commit_positions(s, member)
    if is_current(s, member):
        remove(s, member)
    stop(s, member, Phase.OUT)


# --- polls, and what comes of them ------------------------------------------------------------------------------------


def is_in_log(s: Consuming, partition: Partition, offset: Option[Offset]) -> bool:
    """Whether an offset is one from which the log can be read."""
    return offset is not None and s.first[partition] <= offset and offset <= end(s, partition)


@action
def begin_at_offset(s: Consuming, member: Member, partition: Partition) -> None:
    """{member} begins in {partition} at the group's offset {s.offset[partition]}."""
    require(s.phase[member] == Phase.RUNNING and partition in s.owned[member])
    require(
        s.position[member][partition] is None
        and (is_in_log(s, partition, s.offset[partition]) or is_parted(s, partition))
    )
    s.position[member][partition] = s.offset[partition]
    if is_parted(s, partition):
        s.parted[partition].add(member)


def is_parted(s: Consuming, partition: Partition) -> bool:
    """Whether the group's offset says, by its leader epoch, that the log was truncated below it."""
    return detects_truncation and partition in s.parted_offset


@action
def reset_position(s: Consuming, member: Member, partition: Partition, since: Offset) -> None:
    """{member} has no offset in {partition} that the log has: auto.offset.reset says {since}."""
    require(grows or not has_offsets or offset_losses + deletions > 0 or (truncations > 0 and not detects_truncation))
    require(s.phase[member] == Phase.RUNNING and partition in s.owned[member] and has_time(s, member))
    require(out_of_range(s, member, partition))
    require(is_in_log(s, partition, since))
    require(reset != Reset.LATEST or since == end(s, partition))
    require(reset not in (Reset.EARLIEST, Reset.NONE) or since == s.first[partition])
    if reset == Reset.NONE:
        stop(s, member, Phase.STOPPED)
    else:
        s.position[member][partition] = since
        s.parted[partition].discard(member)


def out_of_range(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member cannot read on: its position, or the group's offset where it has none, is not in the log."""
    position = s.position[member][partition]
    offset = position if position is not None else s.offset[partition]
    noticed = member in s.parted[partition] or (position is None and partition in s.parted_offset)
    return not is_in_log(s, partition, offset) and not (detects_truncation and noticed)


@action
def detect_truncation(s: Consuming, member: Member, partition: Partition) -> None:
    """{member} learns that {partition} was truncated below its position, and goes back to where the logs diverge."""
    require(detects_truncation and truncations > 0)
    require(s.phase[member] == Phase.RUNNING and has_time(s, member))
    require(member in s.parted[partition] and beyond(s.position[member][partition], s.cut[partition]))
    s.position[member][partition] = s.cut[partition]
    s.parted[partition].remove(member)


@action(kind="client")
def poll(s: Consuming, member: Member, partition: Partition, upto: Offset) -> None:
    """{member} polls, and gets the records of {partition} below offset {upto}."""
    position = s.position[member][partition]
    require(s.phase[member] == Phase.RUNNING and has_time(s, member) and has_committed(s, member))
    require(position is not None and s.first[partition] <= position and position < upto and upto <= end(s, partition))
    require(not (detects_truncation and member in s.parted[partition]))
    require(commits != Commits.BEFORE or accepts(s, member))
    if position is not None:
        s.in_hand[member][partition] = s.in_hand[member][partition] | Set(
            s.logs[partition].committed[offset] for offset in range(entries) if position <= offset and offset < upto
        )
        s.position[member][partition] = upto
    if commits == Commits.BEFORE:
        commit_at(s, partition, upto)


@action
def process(s: Consuming, member: Member, partition: Partition, entry: Entry, commits_it: bool) -> None:
    """{member} processes record {entry} of {partition}{', and commits it' if commits_it else ''}."""
    require(entry in s.in_hand[member][partition])
    require(pool or all(entry <= other for other in s.in_hand[member][partition]))
    require(not commits_it or (commits == Commits.EACH and accepts(s, member) and partition in s.owned[member]))
    require(not commits_it or entry in s.logs[partition].committed)
    counts = commits != Commits.TOGETHER or s.offset[partition] == place(s, partition, entry)
    s.in_hand[member][partition].remove(entry)
    if counts:
        s.effects[partition][entry] = min(2, s.effects[partition][entry] + 1)
    if commits in (Commits.AFTER, Commits.EACH) and not hands_over and not polls_uncommitted:
        s.owing = s.owing - {member} if commits_it else s.owing | {member}
    if commits_it or (counts and commits == Commits.TOGETHER):
        commit_at(s, partition, place(s, partition, entry) + 1)


def place(s: Consuming, partition: Partition, entry: Entry) -> int:
    """The offset of a record; behind all where the log does not have it."""
    return min(
        (o for o in range(end(s, partition)) if s.logs[partition].committed[o] == entry), default=end(s, partition)
    )


@action
def commit(s: Consuming, member: Member) -> None:
    """{member} commits its positions."""
    require(commits in (Commits.AUTO, Commits.AFTER) or (commits == Commits.EACH and not hands_over))
    require(s.phase[member] == Phase.RUNNING and accepts(s, member))
    require(has_time(s, member) or (background_commit and commits == Commits.AUTO))
    require(member in s.owing or any(changes(s, member, partition) for partition in s.owned[member]))
    commit_positions(s, member)
    s.owing.discard(member)


def changes(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member's position is another than what the group has committed."""
    return s.position[member][partition] is not None and s.position[member][partition] != s.offset[partition]


def commit_positions(s: Consuming, member: Member) -> None:
    """A member commits its positions, if its commits count."""
    for partition in Partition:
        position = s.position[member][partition]
        if accepts(s, member) and partition in s.owned[member] and position is not None:
            commit_at(s, partition, position)
            if member in s.parted[partition]:
                s.parted_offset.add(partition)


def commit_at(s: Consuming, partition: Partition, offset: Offset) -> None:
    """The group's offset is set."""
    s.offset[partition] = offset
    s.parted_offset.discard(partition)


@action(kind="fault", budget="delays")
def delay_commit(s: Consuming, member: Member, partition: Partition) -> None:
    """{member}'s commit of {partition} fails; its callback will send it again."""
    require(delays > 0)
    position = s.position[member][partition]
    require(commits == Commits.AFTER and s.phase[member] == Phase.RUNNING and has_time(s, member))
    require(partition in s.owned[member] and position is not None and changes(s, member, partition))
    if position is not None:
        s.delayed.add(Delayed(member=member, generation=s.known[member], partition=partition, offset=position))


@action
def commit_again(s: Consuming, delayed: Delayed) -> None:
    """{delayed.member} commits offset {delayed.offset} of {delayed.partition} again, if it counts."""
    require(delays > 0)
    s.delayed.remove(delayed)
    if not fences_commits or is_of_generation(s.group, s.generation, delayed.member, delayed.generation):
        commit_at(s, delayed.partition, delayed.offset)


@action(kind="fault", budget="offset_losses")
def lose_offset(s: Consuming, partition: Partition) -> None:
    """The group's offset of {partition} expires, or is lost."""
    require(offset_losses > 0)
    require(s.offset[partition] is not None)
    s.offset[partition] = None
    s.parted_offset.discard(partition)


@terminal
def all_is_processed(s: Consuming) -> bool:
    """Every record is produced, and nobody has one in hand."""
    return all(len(s.in_hand[member][partition]) == 0 for member in Member for partition in Partition)
