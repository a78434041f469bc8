"""Which commits count, what happens to the logs and to the group, and what its members do."""

from __future__ import annotations

from ...language import Map, Option, Set, action, limit, require
from ..parts.generations import is_current as is_of_generation
from ..parts.generations import max_generation, may_be_shared
from ..parts.replicated_logs import Entry, append_entry, entries, may_append, may_rewrite, rewrite_log
from .state import *

# === What several of the others ask: where a log ends, whether a commit counts, and what it sets ======================


def end(s: Consuming, partition: Partition) -> int:
    """The offset after the last record."""
    return len(s.logs[partition].committed)


def is_beyond(offset: Option[Offset], place: int) -> bool:
    """Whether an offset is known, and greater."""
    return offset is not None and offset > place


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


def forget(s: Consuming, member: Member) -> None:
    """A member has no partition any more; what another thread has in hand stays there."""
    s.owned[member] = Set()
    s.owing.discard(member)
    s.retrying.discard(member)
    for partition in Partition:
        lose_position(s, member, partition)


def lose_position(s: Consuming, member: Member, partition: Partition) -> None:
    """A member has no position in a partition any more."""
    s.position[member][partition] = None
    s.position_epoch[member][partition] = None


def place(s: Consuming, partition: Partition, entry: Entry) -> int:
    """The offset of a record, also of one that was polled and that the log does not have any more."""
    return s.written_at[partition][entry]


def changes(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member's position is another than what the group has committed."""
    return s.position[member][partition] is not None and s.position[member][partition] != s.offset[partition]


def commit_positions(s: Consuming, member: Member) -> None:
    """A member commits its positions, if its commits count."""
    for partition in Partition:
        position = s.position[member][partition]
        if accepts(s, member) and partition in s.owned[member] and position is not None:
            commit_at(s, partition, position, s.position_epoch[member][partition])


def commit_at(s: Consuming, partition: Partition, offset: Offset, epoch: Option[LeaderEpoch]) -> None:
    """The group's offset is set, with its leader epoch if commits have one."""
    s.offset[partition] = offset
    s.offset_epoch[partition] = epoch if commits_epochs else None


# --- leader epochs ----------------------------------------------------------------------------------------------------


def epoch_before(s: Consuming, partition: Partition, offset: Offset) -> Option[LeaderEpoch]:
    """The leader epoch of the record before an offset. It is left out where nobody asks for it, and where it makes no
    difference: a log is not truncated below its first record."""
    if truncations + returns == 0 or not detects_truncation or offset <= s.first[partition]:
        return None
    return epoch_of(s, partition, s.logs[partition].committed[offset - 1])


def epoch_of(s: Consuming, partition: Partition, entry: Entry) -> Option[LeaderEpoch]:
    """The leader epoch of a record, where somebody asks for it."""
    return s.written_in[partition][entry] if truncations + returns > 0 and detects_truncation else None


def epoch_end(s: Consuming, partition: Partition, epoch: LeaderEpoch) -> int:
    """What the leader answers when it is asked where an epoch ends in its log: where the first record of a later one
    is, or else the log's end (LeaderEpochFileCache.endOffsetFor)."""
    older = sum(1 for entry in s.logs[partition].committed if s.written_in[partition][entry] <= epoch)
    return max(s.first[partition], older)


def goes_back_to(s: Consuming, partition: Partition, offset: Offset, epoch: Option[LeaderEpoch]) -> int:
    """Where a position goes that is compared with the leader's log: it stays, unless its epoch ends before it."""
    return offset if epoch is None else min(offset, epoch_end(s, partition, epoch))


def is_parted(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member's position is beyond where its leader epoch ends in the log."""
    position = s.position[member][partition]
    return position is not None and goes_back_to(s, partition, position, s.position_epoch[member][partition]) < position


def offset_is_parted(s: Consuming, partition: Partition) -> bool:
    """Whether the group's offset is."""
    offset = s.offset[partition]
    return offset is not None and goes_back_to(s, partition, offset, s.offset_epoch[partition]) < offset


# === What happens to the logs: records are produced and deleted, a log is truncated, a partition is added =============


@action(kind="client")
def produce(s: Consuming, partition: Partition) -> None:
    """A record is produced to {partition}, at offset {len(s.logs[partition].committed)}."""
    require(partition in s.present)
    limit(sum(len(s.logs[p].appended) for p in Partition) < records)
    number = len(s.logs[partition].appended)
    assert may_append(s.logs[partition], number)
    s.written_at[partition][number] = end(s, partition)
    s.logs[partition] = append_entry(s.logs[partition], number, False, True)
    s.written_in[partition][number] = s.leader_epoch[partition]


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
    lead_anew(s, partition, found)


@action(kind="fault", budget="returns")
def come_back(s: Consuming, partition: Partition) -> None:
    """The log of {partition} is that of its first leader again, which has not truncated its own, and is elected."""
    require(readers_diverge and returns > 0)
    log = s.logs[partition]
    found: Set[Entry] = Set(entry for entry in log.appended if s.written_in[partition][entry] == 0)
    require(s.first[partition] <= len(found) and any(entry not in log.committed for entry in found))
    lead_anew(s, partition, found)


def lead_anew(s: Consuming, partition: Partition, found: Set[Entry]) -> None:
    """A leader is elected whose log is another, in an epoch that begins at its end."""
    log = s.logs[partition]
    assert may_rewrite(log, found, Set(), Set(), Set(), True)
    s.logs[partition] = rewrite_log(log, found, Set(), Set(), Set(), True)
    s.leader_epoch[partition] += 1


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


# === What happens to the group: members join, leave, pause and die, and partitions are shared out =====================


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


@action(kind="fault", budget="retried_commits")
def fail_commit(s: Consuming, member: Member) -> None:
    """{member}'s automatic commit before a rebalance fails for now: its background thread will send it again."""
    require(retried_commits > 0 and any_coordinator and commits == Commits.AUTO)
    require(s.phase[member] == Phase.RUNNING and has_time(s, member) and len(s.owned[member]) > 0)
    s.retrying.add(member)


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
    lose_position(s, member, partition)


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


# === What members do: they begin at an offset, poll, process what they got, and commit ================================


def is_in_log(s: Consuming, partition: Partition, offset: Option[Offset]) -> bool:
    """Whether an offset is one from which the log can be read."""
    return offset is not None and s.first[partition] <= offset and offset <= end(s, partition)


@action
def begin_at_offset(s: Consuming, member: Member, partition: Partition) -> None:
    """{member} begins in {partition} at the group's offset {s.offset[partition]}."""
    require(s.phase[member] == Phase.RUNNING and partition in s.owned[member])
    require(
        s.position[member][partition] is None
        and (is_in_log(s, partition, s.offset[partition]) or offset_is_parted(s, partition))
    )
    s.position[member][partition] = s.offset[partition]
    s.position_epoch[member][partition] = s.offset_epoch[partition]


@action
def reset_position(s: Consuming, member: Member, partition: Partition, since: Offset) -> None:
    """{member} has no offset in {partition} that the log has: auto.offset.reset says {since}.

    With `by_duration` that is the first record which is young enough, whichever it is. Where there is none, the broker
    answers without an offset, and the member has no position and asks again after `request.timeout.ms`
    (`OffsetFetcherUtils.handleListOffsetResponse`, 4.1.0).
    """
    require(
        grows
        or not has_offsets
        or offset_losses + deletions > 0
        or (truncations + returns > 0 and not (detects_truncation and commits_epochs))
    )
    require(s.phase[member] == Phase.RUNNING and partition in s.owned[member] and has_time(s, member))
    require(is_out_of_range(s, member, partition))
    require(is_in_log(s, partition, since))
    require(reset != Reset.LATEST or since == end(s, partition))
    require(reset != Reset.BY_DURATION or since < end(s, partition))
    require(reset not in (Reset.EARLIEST, Reset.NONE) or since == s.first[partition])
    if reset == Reset.NONE:
        stop(s, member, Phase.STOPPED)
    else:
        s.position[member][partition] = since
        s.position_epoch[member][partition] = None


def is_out_of_range(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member cannot read on: its position, or the group's offset where it has none, is not in the log."""
    position = s.position[member][partition]
    offset = position if position is not None else s.offset[partition]
    noticed = is_parted(s, member, partition) or (position is None and offset_is_parted(s, partition))
    return not is_in_log(s, partition, offset) and not noticed


@action
def detect_truncation(s: Consuming, member: Member, partition: Partition) -> None:
    """{member} learns that {partition} was truncated below its position, and goes back to where its epoch ends there.

    With `auto.offset.reset=none` it stops, with an error.
    """
    require(detects_truncation and truncations + returns > 0)
    position = s.position[member][partition]
    require(s.phase[member] == Phase.RUNNING and has_time(s, member))
    require(position is not None and is_parted(s, member, partition))
    if reset == Reset.NONE:
        stop(s, member, Phase.STOPPED)
    elif position is not None:
        since = goes_back_to(s, partition, position, s.position_epoch[member][partition])
        s.position[member][partition] = since
        s.position_epoch[member][partition] = epoch_before(s, partition, since)


@action(kind="client")
def poll(s: Consuming, member: Member, partition: Partition, upto: Offset) -> None:
    """{member} polls, and gets the records of {partition} below offset {upto}."""
    position = s.position[member][partition]
    require(s.phase[member] == Phase.RUNNING and has_time(s, member) and has_committed(s, member))
    require(position is not None and s.first[partition] <= position and position < upto and upto <= end(s, partition))
    require(not is_parted(s, member, partition))
    require(commits != Commits.BEFORE or accepts(s, member))
    if position is not None:
        s.in_hand[member][partition] = s.in_hand[member][partition] | Set(
            s.logs[partition].committed[offset] for offset in range(entries) if position <= offset and offset < upto
        )
        s.position[member][partition] = upto
        s.position_epoch[member][partition] = epoch_before(s, partition, upto)
    if commits == Commits.BEFORE:
        commit_at(s, partition, upto, epoch_before(s, partition, upto))


@action
def process(s: Consuming, member: Member, partition: Partition, entry: Entry, commits_it: bool) -> None:
    """{member} processes record {entry} of {partition}{', and commits it' if commits_it else ''}."""
    require(entry in s.in_hand[member][partition])
    require(pool or all(entry <= other for other in s.in_hand[member][partition]))
    require(not commits_it or (commits == Commits.EACH and accepts(s, member) and partition in s.owned[member]))
    counts = commits != Commits.TOGETHER or s.offset[partition] == place(s, partition, entry)
    s.in_hand[member][partition].remove(entry)
    if counts:
        s.effects[partition][entry] = min(2, s.effects[partition][entry] + 1)
    if commits in (Commits.AFTER, Commits.EACH) and not hands_over and not polls_uncommitted:
        s.owing = s.owing - {member} if commits_it else s.owing | {member}
    if commits_it or (counts and commits == Commits.TOGETHER):
        commit_at(s, partition, place(s, partition, entry) + 1, epoch_of(s, partition, entry))


@action
def commit(s: Consuming, member: Member) -> None:
    """{member} commits its positions."""
    require(commits in (Commits.AUTO, Commits.AFTER) or (commits == Commits.EACH and not hands_over))
    require(s.phase[member] == Phase.RUNNING and accepts(s, member))
    require(has_time(s, member) or (background_commit and commits == Commits.AUTO))
    require(member in s.owing or any(changes(s, member, partition) for partition in s.owned[member]))
    commit_positions(s, member)
    s.owing.discard(member)


@action
def retry_commit(s: Consuming, member: Member) -> None:
    """{member}'s background thread sends its commit again, with the positions of this moment."""
    require(retried_commits > 0)
    require(s.phase[member] == Phase.RUNNING and member in s.retrying)
    s.retrying.remove(member)
    commit_positions(s, member)


@action(kind="fault", budget="delays")
def delay_commit(s: Consuming, member: Member, partition: Partition) -> None:
    """{member}'s commit of {partition} fails; its callback will send it again."""
    require(delays > 0)
    position = s.position[member][partition]
    require(commits == Commits.AFTER and s.phase[member] == Phase.RUNNING and has_time(s, member))
    require(partition in s.owned[member] and position is not None and changes(s, member, partition))
    if position is not None:
        epoch = s.position_epoch[member][partition]
        known = s.known[member]
        s.delayed.add(Delayed(member=member, generation=known, partition=partition, offset=position, epoch=epoch))


@action
def commit_again(s: Consuming, delayed: Delayed) -> None:
    """{delayed.member} commits offset {delayed.offset} of {delayed.partition} again, if it counts."""
    require(delays > 0)
    s.delayed.remove(delayed)
    if not fences_commits or is_of_generation(s.group, s.generation, delayed.member, delayed.generation):
        commit_at(s, delayed.partition, delayed.offset, delayed.epoch)


@action(kind="fault", budget="offset_losses")
def lose_offset(s: Consuming, partition: Partition) -> None:
    """The group's offset of {partition} expires, or is lost."""
    require(offset_losses > 0)
    require(s.offset[partition] is not None)
    s.offset[partition] = None
    s.offset_epoch[partition] = None
