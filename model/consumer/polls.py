"""What members do: they begin at an offset, poll, process what they got, and commit."""

from __future__ import annotations

from ...language import Option, Set, action, require
from ..parts.generations import is_current as is_of_generation
from ..parts.replicated_logs import Entry, entries
from .group import stop
from .offsets import (
    accepts,
    changes,
    commit_at,
    commit_positions,
    end,
    epoch_before,
    epoch_of,
    goes_back_to,
    has_committed,
    has_time,
    is_parted,
    offset_is_parted,
    place,
)
from .state import (
    Commits,
    Consuming,
    Delayed,
    Member,
    Offset,
    Partition,
    Phase,
    Reset,
    background_commit,
    commits,
    commits_epochs,
    delays,
    deletions,
    detects_truncation,
    fences_commits,
    grows,
    hands_over,
    has_offsets,
    offset_losses,
    polls_uncommitted,
    pool,
    reset,
    retried_commits,
    returns,
    truncations,
)


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
    require(out_of_range(s, member, partition))
    require(is_in_log(s, partition, since))
    require(reset != Reset.LATEST or since == end(s, partition))
    require(reset != Reset.BY_DURATION or since < end(s, partition))
    require(reset not in (Reset.EARLIEST, Reset.NONE) or since == s.first[partition])
    if reset == Reset.NONE:
        stop(s, member, Phase.STOPPED)
    else:
        s.position[member][partition] = since
        s.position_epoch[member][partition] = None


def out_of_range(s: Consuming, member: Member, partition: Partition) -> bool:
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
