"""The transaction coordinator: what it writes to its log, its markers, a timeout, and a fail-over."""

from __future__ import annotations

from typing import Annotated

from ...language import Map, Member, Option, Set, action, limit, replace, require
from ..parts.replicated_logs import append_entry, commit_entries, compact_log, loses_acknowledged
from .lumping import settle
from .partitions import mark, takes_marker
from .state import *

# --- its log ----------------------------------------------------------------------------------------------------------


def write(s: Cluster, line: Line, asker: Option[Client]) -> None:
    """The coordinator appends a record; who has asked is answered when it is committed."""
    if in_one_step:
        s.lines[0] = line
        take(s, line, asker)
    else:
        s.log = append_entry(s.log, 1)
        s.lines[1] = line
        s.asker = asker
        if not commit_before_answer:
            take(s, line, asker)


@action
def log_commits(s: Cluster) -> None:
    """The record that says {s.lines[1].state} is committed, and the coordinator goes on."""
    require(not in_one_step and 1 in s.log.appended)
    line = s.lines[1]
    asker = s.asker
    s.log = compact_log(commit_entries(s.log, Set({1}), Set({1})), 1)
    s.lines[0] = line
    s.lines[1] = NOTHING
    s.asker = None
    if commit_before_answer:
        take(s, line, asker)
    settle(s)


def take(s: Cluster, line: Line, asker: Option[Client]) -> None:
    """What the log says is so: the coordinator goes by it, and answers."""
    added = line.partitions - open_partitions(s.memory)
    s.memory = line
    s.fence_failed = False
    if is_prepared(line):
        s.unmarked = line.partitions
    if asker is not None:
        answer(s, line, added, asker)


def open_partitions(line: Line) -> Set[Partition]:
    """The partitions of the transaction that is open; none where none is."""
    none: Set[Partition] = Set()
    return line.partitions if line.state == TxnState.ONGOING else none


def answer(s: Cluster, line: Line, added: Set[Partition], client: Client) -> None:
    """A client learns that what it has asked for is done; added: which partitions that has added."""
    if s.phase[client] == Phase.INITIALIZING:
        s.phase[client] = Phase.READY
        s.epoch[client] = line.epoch
        s.sequence[client] = Map({p: 0 for p in Partition})
    elif s.phase[client] == Phase.ADDING:
        s.phase[client] = Phase.OPEN
        s.added[client] = s.added[client] | added
    else:
        finish(s, first_of_next(line.epoch) if line.rotates else line.epoch, client)


def finish(s: Cluster, epoch: Epoch, client: Client) -> None:
    """A client learns that its transaction is over."""
    if s.phase[client] == Phase.COMMITTING:
        s.fate[s.txn[client]] = Fate.CONFIRMED
    gave_up = len(s.unsure[client]) > 0 and not bump_every_time
    s.phase[client] = Phase.BUMPING if gave_up and after_failure == FailureHandling.BUMPS else Phase.READY
    if bump_every_time:
        s.epoch[client] = epoch
        s.sequence[client] = Map({p: 0 for p in Partition})
    s.txn[client] = 0
    s.added[client] = Set()
    s.wrote[client] = Map({p: 0 for p in Partition})
    s.unsure[client] = Set()
    s.ahead[client] = Set()


@action(kind="fault")
def fail_over(s: Cluster, survives: bool) -> None:
    """Another broker is the coordinator{'; it has the record that was not committed' if survives else ''}."""
    require(failovers > 0 and (1 in s.log.appended or not survives))
    limit(s.coordinator < failovers)
    line = s.lines[1] if survives else s.lines[0]
    asker = s.asker
    s.coordinator += 1
    s.former = s.memory if former_verifies else ABSENT
    s.memory = ABSENT
    s.unmarked = Set()
    s.fence_failed = False
    s.asker = None
    s.lines[0] = line
    s.lines[1] = NOTHING
    if 1 in s.log.appended:
        s.log = compact_log(commit_entries(s.log, Set({1}), Set({1})), 1) if survives else compact_log(s.log, 0)
    if asker is not None:
        ask_again(s, asker)
    if in_one_step:
        load_line(s)
    settle(s)


def ask_again(s: Cluster, client: Client) -> None:
    """A client learns that its request was not answered."""
    if s.phase[client] == Phase.INITIALIZING:
        s.phase[client] = Phase.OUT if s.epoch[client] == 0 else Phase.BUMPING
    elif s.phase[client] == Phase.ADDING:
        s.phase[client] = Phase.OPEN


@action
def load(s: Cluster) -> None:
    """Coordinator {s.coordinator} loads what the log says: {durable(s).state}."""
    require(not in_one_step and s.memory.state == TxnState.NOT_HERE)
    load_line(s)
    settle(s)


def load_line(s: Cluster) -> None:
    """The coordinator has in memory what its log says; what is decided is done."""
    line = durable(s)
    s.memory = line
    if is_prepared(line):
        s.unmarked = line.partitions


@action
def former_learns(s: Cluster) -> None:
    """The coordinator before learns that it is one no longer."""
    require(former_verifies and s.former.state != TxnState.NOT_HERE)
    s.former = ABSENT
    settle(s)


@action(kind="fault", budget="losses")
def lose_log(s: Cluster) -> None:
    """The transaction log loses what it had acknowledged, and the coordinator starts anew."""
    require(losses > 0 and loses_acknowledged and len(s.log.lost) == 0 and len(s.log.appended) == 1)
    s.log = lose_all(s.log)
    s.memory = NOTHING
    s.unmarked = Set()
    settle(s)


# --- InitProducerId ---------------------------------------------------------------------------------------------------


@action(kind="client")
def init_producer(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id: it gets epoch {next_epoch(s.memory.epoch)}."""
    require(s.phase[client] == Phase.OUT)
    may_raise(s)
    s.phase[client] = Phase.INITIALIZING
    write_raised(s, client, False)
    settle(s)


@action
def bump_epoch(s: Cluster, client: Client) -> None:
    """{client} asks for the epoch after {s.epoch[client]}, since it does not know what became of a write."""
    require(late_produces > 0 and after_failure == FailureHandling.BUMPS and not bump_every_time)
    require(s.phase[client] == Phase.BUMPING and may_go_on(s.memory, s.epoch[client]))
    may_raise(s)
    s.phase[client] = Phase.INITIALIZING
    write_raised(s, client, True)
    settle(s)


def may_go_on(line: Line, epoch: Epoch) -> bool:
    """Whether who has an epoch, and asks for the next one, gets one: it has the newest, or the id is not known."""
    return line.epoch == epoch or line.state == TxnState.DEAD


@action(budget="expirations")
def expire(s: Cluster) -> None:
    """Nobody has used the id for long: the coordinator writes that it is not known any more."""
    require(expirations > 0 and is_free(s) and is_over(s.memory))
    limit(has_next(s.memory.epoch))
    epoch = last_of(s.memory.epoch)  # whoever asks gets the next producer id, as where epochs have run out
    write(s, Line(state=TxnState.DEAD, epoch=epoch, partitions=Set(), rotates=False, answers_again=False), None)
    settle(s)


@action
def bump_is_answered_again(s: Cluster, client: Client) -> None:
    """{client} asks again for the epoch after {s.epoch[client]}, and gets the one that was written (KIP-360)."""
    require(remembers_bumps() and s.phase[client] == Phase.BUMPING)
    require(is_free(s) and was_bumped(s.memory, s.epoch[client]))
    s.phase[client] = Phase.INITIALIZING
    write_empty(s, s.memory.epoch, client, True)
    settle(s)


def remembers_bumps() -> bool:
    """Whether an InitProducerId of a client that has an epoch may be answered, and its client not learn of it."""
    return (
        late_produces > 0
        and after_failure == FailureHandling.BUMPS
        and not bump_every_time
        and (late_inits > 0 or not in_one_step)
    )


def was_bumped(line: Line, epoch: Epoch) -> bool:
    """Whether who asks for the epoch after this one is answered with the one that there is."""
    return is_over(line) and line.answers_again and line.epoch == next_epoch(epoch)


def next_epoch(epoch: Epoch) -> int:
    """The epoch after one, as InitProducerId gives it: of the next producer id where there is none."""
    return first_of_next(epoch) if is_exhausted(epoch) else epoch + 1


def may_raise(s: Cluster) -> None:
    """The epoch may be raised: no transaction is under way."""
    require(is_free(s) and (is_over(s.memory) or s.memory.state == TxnState.DEAD))
    require(len(s.log.lost) == 0)
    limit(not is_exhausted(s.memory.epoch) or has_next(s.memory.epoch))


def write_raised(s: Cluster, asker: Option[Client], bumped: bool) -> None:
    """The coordinator writes that the producer has the next epoch; bumped: its producer had the one before."""
    write_empty(s, next_epoch(s.memory.epoch), asker, bumped)


def write_empty(s: Cluster, epoch: Epoch, asker: Option[Client], bumped: bool) -> None:
    """The coordinator writes that the producer has that epoch, and no transaction."""
    again = bumped and remembers_bumps()
    line = Line(state=TxnState.EMPTY, epoch=epoch, partitions=Set(), rotates=False, answers_again=again)
    write(s, line, asker)


@action
def fence(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id while a transaction is under way: that is aborted with the next epoch."""
    require(s.phase[client] == Phase.OUT)
    may_fence(s)
    begin_fence(s)
    settle(s)


def may_fence(s: Cluster) -> None:
    """Somebody may be fenced: a transaction is under way."""
    require(is_free(s) and s.memory.state == TxnState.ONGOING)
    limit(not rotates_with(s) or has_next(s.memory.epoch))


def is_of_pid(s: Cluster, epoch: int) -> bool:
    """Whether there is such an epoch of the producer id."""
    return epoch < first_of_next(s.memory.epoch)


def rotates_with(s: Cluster) -> bool:
    """Whether who is fenced now gets the next producer id when the abort is done."""
    return bump_every_time and rotates_when_fenced and is_exhausted(s.memory.epoch)


def fenced_epoch(s: Cluster) -> int:
    """The epoch with which a transaction is aborted whose producer is fenced; a try that failed has raised it."""
    unraised = not s.fence_failed or not keep_failed_fence
    return s.memory.epoch + (1 if unraised else 0) + (1 if fence_takes_two else 0)


def begin_fence(s: Cluster) -> None:
    """The coordinator is to abort with the next epoch: at once, or in two steps, between which it refuses all else."""
    if not is_of_pid(s, fenced_epoch(s)):
        s.stuck = True
    elif in_one_step:
        abort(s, fenced_epoch(s))
    else:
        s.memory = replace(s.memory, state=TxnState.PREPARE_EPOCH_FENCE)


@action
def write_fence(s: Cluster) -> None:
    """The coordinator writes that the transaction of who is fenced is to be aborted."""
    require(not in_one_step and s.memory.state == TxnState.PREPARE_EPOCH_FENCE and 1 not in s.log.appended)
    abort(s, fenced_epoch(s))
    settle(s)


def abort(s: Cluster, epoch: Epoch) -> None:
    """The coordinator writes that the transaction is to be aborted, with that epoch."""
    line = replace(s.memory, state=TxnState.PREPARE_ABORT, epoch=epoch, rotates=rotates_with(s), answers_again=False)
    write(s, line, None)


@action(kind="fault", budget="failed_fences")
def fence_fails(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id while a transaction is under way, and the log cannot be written to."""
    require(failed_fences > 0 and s.phase[client] == Phase.OUT and s.memory.state == TxnState.ONGOING and is_free(s))
    require(not s.stuck and (fence_takes_two or not bump_every_time))
    kept = s.fence_failed and keep_failed_fence
    if not kept and is_last(s.memory.epoch):
        s.stuck = True
    else:
        s.memory = replace(s.memory, epoch=s.memory.epoch if kept else s.memory.epoch + 1)
        s.fence_failed = True
    settle(s)


@action
def late_init_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """An InitProducerId arrives late, and nobody waits for the answer."""
    require(late_inits > 0 and request.kind == Kind.INIT)
    require(request.epoch == 0 or may_go_on(s.memory, request.epoch))
    may_raise(s)
    s.late.remove(request)
    write_raised(s, None, request.epoch > 0)
    settle(s)


@action
def late_bump_is_answered_again(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """An InitProducerId of epoch {request.epoch} arrives late, and once more: the epoch stays as it is (KIP-360)."""
    require(late_inits > 0 and remembers_bumps() and request.kind == Kind.INIT and request.epoch > 0)
    require(is_free(s) and was_bumped(s.memory, request.epoch))
    s.late.remove(request)
    write_empty(s, s.memory.epoch, None, True)
    settle(s)


@action
def late_init_fences(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """An InitProducerId arrives late, and fences whose transaction is under way."""
    require(late_inits > 0 and request.kind == Kind.INIT)
    require(request.epoch == 0 or pid_of(request.epoch) == pid_of(s.memory.epoch))
    may_fence(s)
    s.late.remove(request)
    begin_fence(s)
    settle(s)


@action(budget="timeouts")
def time_out(s: Cluster) -> None:
    """The transaction has taken too long: the coordinator aborts it."""
    require(timeouts > 0)
    if bump_on_timeout:
        may_fence(s)
        begin_fence(s)
    else:
        require(s.memory.state == TxnState.ONGOING and is_free(s))
        abort(s, s.memory.epoch)
    settle(s)


# --- AddPartitionsToTxn and EndTxn ------------------------------------------------------------------------------------


def may_add(s: Cluster, epoch: Epoch) -> bool:
    """Whether a partition may be added: by the producer with the newest epoch, while no end is decided."""
    return is_free(s) and s.memory.epoch == epoch and (is_over(s.memory) or s.memory.state == TxnState.ONGOING)


def write_added(s: Cluster, partition: Partition, asker: Option[Client]) -> None:
    """The coordinator writes that a partition is of the transaction; the first one begins it."""
    partitions = open_partitions(s.memory) | {partition}
    write(s, replace(s.memory, state=TxnState.ONGOING, partitions=partitions), asker)


def may_end(s: Cluster, epoch: Epoch, commit: bool) -> bool:
    """Whether an EndTxn decides something; in version 2 an abort does also where there is no transaction."""
    return is_free(s) and s.memory.epoch == epoch and ends_something(s.memory, commit)


def ends_something(line: Line, commit: bool) -> bool:
    """Whether there is something to end."""
    return line.state == TxnState.ONGOING or (bump_every_time and not commit and is_over(line))


def is_ended(s: Cluster, epoch: Epoch, commit: bool) -> bool:
    """Whether what an EndTxn asks for is done: it is answered so. In version 2 that is said with the next epoch, or
    the first one of the next producer id."""
    done = TxnState.COMPLETE_COMMIT if commit else TxnState.COMPLETE_ABORT
    return is_free(s) and s.memory.state == done and (says_next(s.memory, epoch) or has_rotated(s.memory, epoch))


def says_next(line: Line, epoch: Epoch) -> bool:
    """Whether the coordinator has the epoch that an EndTxn makes of this one."""
    return line.epoch == (epoch + 1 if bump_every_time else epoch) and pid_of(line.epoch) == pid_of(epoch)


def has_rotated(line: Line, epoch: Epoch) -> bool:
    """Whether the producer with this epoch, its last, has got the next producer id with the end of its transaction."""
    return bump_every_time and is_exhausted(epoch) and not is_last(epoch) and line.epoch == first_of_next(epoch)


def is_ending(s: Cluster, epoch: Epoch, commit: bool) -> bool:
    """Whether what an EndTxn asks for is decided, and not done: its sender is to wait."""
    decided = TxnState.PREPARE_COMMIT if commit else TxnState.PREPARE_ABORT
    return s.memory.state == decided and says_next(s.memory, epoch)


def write_end(s: Cluster, commit: bool, asker: Option[Client]) -> None:
    """The coordinator writes how the transaction is to end; in version 2 with the next epoch, and the next producer id
    to come where that is the last one."""
    state = TxnState.PREPARE_COMMIT if commit else TxnState.PREPARE_ABORT
    epoch = s.memory.epoch + 1 if bump_every_time else s.memory.epoch
    rotates = bump_every_time and is_exhausted(s.memory.epoch)
    if bump_every_time and is_last(s.memory.epoch):
        s.stuck = True
    else:
        write(s, replace(s.memory, state=state, epoch=epoch, rotates=rotates), asker)


def may_bump(s: Cluster) -> None:
    """An end may take an epoch within the bounds: there is another producer id where it is the last one."""
    limit(
        not bump_every_time or not is_exhausted(s.memory.epoch) or is_last(s.memory.epoch) or has_next(s.memory.epoch)
    )


@action
def late_add_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """An AddPartitionsToTxn arrives late, and {request.partition} is added for epoch {request.epoch}."""
    partition = request.partition
    require(late_adds > 0 and not bump_every_time)
    require(request.kind == Kind.ADD and may_add(s, request.epoch) and partition is not None)
    if partition is not None:
        require(s.memory.state != TxnState.ONGOING or partition not in s.memory.partitions)
        s.late.remove(request)
        write_added(s, partition, None)
    settle(s)


@action
def late_end_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """A late EndTxn of epoch {request.epoch} arrives: {'commit' if request.commit else 'abort'}."""
    require(late_ends > 0 and request.kind == Kind.END and may_end(s, request.epoch, request.commit))
    may_bump(s)
    s.late.remove(request)
    write_end(s, request.commit, None)
    settle(s)


# --- markers ----------------------------------------------------------------------------------------------------------


def marker(s: Cluster, partition: Partition) -> Request:
    """The marker that the coordinator sends to a partition."""
    return Request(
        kind=Kind.MARKER,
        epoch=s.memory.epoch,
        partition=partition,
        txn=0,
        batch=0,
        sequence=0,
        commit=s.memory.state == TxnState.PREPARE_COMMIT,
        coordinator=s.coordinator,
    )


@action
def write_marker(s: Cluster, partition: Partition) -> None:
    """{partition} gets the marker of {s.memory.state}, epoch {s.memory.epoch}."""
    sent = marker(s, partition)
    require(is_prepared(s.memory) and partition in s.unmarked and takes_marker(s, partition, sent))
    s.unmarked.remove(partition)
    mark(s, partition, sent)
    settle(s)


@action(kind="fault", budget="late_markers")
def repeat_marker(s: Cluster, partition: Partition) -> None:
    """The marker of {s.memory.state} for {partition} is sent twice: once it will arrive late."""
    require(late_markers > 0 and is_prepared(s.memory) and partition in s.unmarked)
    s.late.add(marker(s, partition))
    settle(s)


@action
def late_marker_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """A late {'commit' if request.commit else 'abort'} marker, epoch {request.epoch}, reaches {request.partition}."""
    partition = request.partition
    require(late_markers > 0 and request.kind == Kind.MARKER and partition is not None)
    if partition is not None:
        require(takes_marker(s, partition, request))
        s.late.remove(request)
        mark(s, partition, request)
    settle(s)


@action
def complete(s: Cluster) -> None:
    """All markers are written: the coordinator writes that the transaction is over."""
    require(is_prepared(s.memory) and len(s.unmarked) == 0 and is_free(s))
    commit = s.memory.state == TxnState.PREPARE_COMMIT
    state = TxnState.COMPLETE_COMMIT if commit else TxnState.COMPLETE_ABORT
    epoch = first_of_next(s.memory.epoch) if s.memory.rotates else s.memory.epoch
    write(s, replace(s.memory, state=state, epoch=epoch, partitions=Set(), rotates=False), None)
    settle(s)
