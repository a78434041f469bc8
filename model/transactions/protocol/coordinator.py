"""The transaction coordinator: what it writes to its log, its markers, a timeout, and a fail-over."""

from __future__ import annotations

from typing import Annotated

from ....language import Map, Member, Option, Set, action, limit, replace, require
from ...parts.replicated_logs import appended, committed, compacted, loses_acknowledged
from .partitions import mark, takes_marker
from .state import (
    ABSENT,
    NOTHING,
    AfterFailure,
    Client,
    Cluster,
    Epoch,
    Fate,
    Kind,
    Line,
    Partition,
    Phase,
    Request,
    TxnState,
    after_failure,
    bump_every_time,
    bump_on_timeout,
    commit_before_answer,
    durable,
    failed_fences,
    failovers,
    fence_takes_two,
    former_verifies,
    in_one_step,
    is_free,
    is_over,
    is_prepared,
    keep_failed_fence,
    late_adds,
    late_ends,
    late_inits,
    late_markers,
    late_produces,
    lose_all,
    losses,
    max_epoch,
    timeouts,
)

# --- its log ----------------------------------------------------------------------------------------------------------


def write(s: Cluster, line: Line, asker: Option[Client]) -> None:
    """The coordinator appends a record; who has asked is answered when it is committed."""
    if in_one_step:
        s.lines[0] = line
        take(s, line, asker)
    else:
        s.log = appended(s.log, 1)
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
    s.log = compacted(committed(s.log, Set({1}), Set({1})), 1)
    s.lines[0] = line
    s.lines[1] = NOTHING
    s.asker = None
    if commit_before_answer:
        take(s, line, asker)


def take(s: Cluster, line: Line, asker: Option[Client]) -> None:
    """What the log says is so: the coordinator goes by it, and answers."""
    s.memory = line
    s.fence_failed = False
    if is_prepared(line):
        s.unmarked = line.partitions
    if asker is not None:
        answer(s, line, asker)


def answer(s: Cluster, line: Line, client: Client) -> None:
    """A client learns that what it has asked for is done."""
    if s.phase[client] == Phase.INITIALIZING:
        s.phase[client] = Phase.READY
        s.epoch[client] = line.epoch
        s.sequence[client] = Map({p: 0 for p in Partition})
    elif s.phase[client] == Phase.ADDING:
        s.phase[client] = Phase.OPEN
        s.added[client] = line.partitions
    else:
        finish(s, line.epoch, client)


def finish(s: Cluster, epoch: Epoch, client: Client) -> None:
    """A client learns that its transaction is over."""
    if s.phase[client] == Phase.COMMITTING:
        s.fate[s.txn[client]] = Fate.CONFIRMED
    gave_up = len(s.unsure[client]) > 0 and not bump_every_time
    s.phase[client] = Phase.BUMPING if gave_up and after_failure == AfterFailure.BUMPS else Phase.READY
    if bump_every_time:
        s.epoch[client] = epoch
        s.sequence[client] = Map({p: 0 for p in Partition})
    s.txn[client] = 0
    s.added[client] = Set()
    s.wrote[client] = Set()
    s.unsure[client] = Set()


@action(kind="fault")
def fail_over(s: Cluster, survives: bool) -> None:
    """Another broker is the coordinator; a record that was not committed is there: {survives}."""
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
        s.log = compacted(committed(s.log, Set({1}), Set()), 1) if survives else compacted(s.log, 0)
    if asker is not None:
        ask_again(s, asker)
    if in_one_step:
        load_line(s)


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


@action(kind="fault", budget="losses")
def lose_log(s: Cluster) -> None:
    """The transaction log loses what it had acknowledged, and the coordinator starts anew."""
    require(losses > 0 and loses_acknowledged and len(s.log.lost) == 0 and len(s.log.appended) == 1)
    s.log = lose_all(s.log)
    s.memory = NOTHING
    s.unmarked = Set()


# --- InitProducerId ---------------------------------------------------------------------------------------------------


@action(kind="client")
def init_producer(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id: it gets epoch {s.memory.epoch + 1}."""
    require(s.phase[client] == Phase.OUT)
    may_raise(s)
    s.phase[client] = Phase.INITIALIZING
    write_raised(s, client)


@action
def bump_epoch(s: Cluster, client: Client) -> None:
    """{client} asks for the epoch after {s.epoch[client]}, since it does not know what became of a write."""
    require(late_produces > 0 and after_failure == AfterFailure.BUMPS and not bump_every_time)
    require(s.phase[client] == Phase.BUMPING and s.memory.epoch == s.epoch[client])
    may_raise(s)
    s.phase[client] = Phase.INITIALIZING
    write_raised(s, client)


def may_raise(s: Cluster) -> None:
    """The epoch may be raised: no transaction is under way."""
    require(is_free(s) and (is_over(s.memory) or s.memory.state == TxnState.DEAD))
    require(len(s.log.lost) == 0)
    limit(s.memory.epoch < max_epoch - 1)


def write_raised(s: Cluster, asker: Option[Client]) -> None:
    """The coordinator writes that the producer has the next epoch."""
    write(s, Line(state=TxnState.EMPTY, epoch=s.memory.epoch + 1, partitions=Set()), asker)


@action
def fence(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id while a transaction is under way: that is aborted with the next epoch."""
    require(s.phase[client] == Phase.OUT)
    may_fence(s)
    abort(s, fenced_epoch(s, not s.fence_failed or not keep_failed_fence))


def may_fence(s: Cluster) -> None:
    """Somebody may be fenced: a transaction is under way, and the epoch can be raised."""
    require(is_free(s) and s.memory.state == TxnState.ONGOING)
    limit(fenced_epoch(s, not s.fence_failed or not keep_failed_fence) <= max_epoch)


def fenced_epoch(s: Cluster, raised: bool) -> int:
    """The epoch with which a transaction is aborted whose producer is fenced; raised: not by a try that failed."""
    return s.memory.epoch + (1 if raised else 0) + (1 if fence_takes_two else 0)


def abort(s: Cluster, epoch: Epoch) -> None:
    """The coordinator writes that the transaction is to be aborted, with that epoch."""
    write(s, Line(state=TxnState.PREPARE_ABORT, epoch=epoch, partitions=s.memory.partitions), None)


@action(kind="fault", budget="failed_fences")
def fence_fails(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id while a transaction is under way, and the log cannot be written to."""
    require(failed_fences > 0 and s.phase[client] == Phase.OUT and s.memory.state == TxnState.ONGOING and is_free(s))
    require(not s.stuck and (fence_takes_two or not bump_every_time))
    kept = s.fence_failed and keep_failed_fence
    if not kept and s.memory.epoch == max_epoch:
        s.stuck = True
    else:
        s.memory = replace(s.memory, epoch=s.memory.epoch if kept else s.memory.epoch + 1)
        s.fence_failed = True


@action
def epoch_overflows(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id, and to fence epoch {s.memory.epoch} there would have to be two more epochs."""
    require(fence_takes_two and s.phase[client] == Phase.OUT and s.memory.state == TxnState.ONGOING and is_free(s))
    require(not s.stuck and fenced_epoch(s, not s.fence_failed or not keep_failed_fence) > max_epoch)
    s.stuck = True


@action
def late_init_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """An InitProducerId arrives late, and nobody waits for the answer."""
    require(late_inits > 0 and request.kind == Kind.INIT)
    may_raise(s)
    s.late.remove(request)
    write_raised(s, None)


@action
def late_init_fences(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """An InitProducerId arrives late, and fences whose transaction is under way."""
    require(late_inits > 0 and request.kind == Kind.INIT)
    may_fence(s)
    s.late.remove(request)
    abort(s, fenced_epoch(s, not s.fence_failed or not keep_failed_fence))


@action(budget="timeouts")
def time_out(s: Cluster) -> None:
    """The transaction has taken too long: the coordinator aborts it."""
    require(timeouts > 0 and s.memory.state == TxnState.ONGOING and is_free(s))
    raised = bump_on_timeout and not s.fence_failed
    limit(fenced_epoch(s, raised) <= max_epoch)
    abort(s, fenced_epoch(s, raised))


# --- AddPartitionsToTxn and EndTxn ------------------------------------------------------------------------------------


def may_add(s: Cluster, epoch: Epoch) -> bool:
    """Whether a partition may be added: by the producer with the newest epoch, while no end is decided."""
    return is_free(s) and s.memory.epoch == epoch and (is_over(s.memory) or s.memory.state == TxnState.ONGOING)


def write_added(s: Cluster, partition: Partition, asker: Option[Client]) -> None:
    """The coordinator writes that a partition is of the transaction; the first one begins it."""
    others: Set[Partition] = s.memory.partitions if s.memory.state == TxnState.ONGOING else Set()
    write(s, Line(state=TxnState.ONGOING, epoch=s.memory.epoch, partitions=others | {partition}), asker)


def may_end(s: Cluster, epoch: Epoch, commit: bool) -> bool:
    """Whether an EndTxn decides something; in version 2 an abort does also where there is no transaction."""
    return is_free(s) and s.memory.epoch == epoch and ends_something(s.memory, commit)


def ends_something(line: Line, commit: bool) -> bool:
    """Whether there is something to end."""
    return line.state == TxnState.ONGOING or (bump_every_time and not commit and is_over(line))


def is_ended(s: Cluster, epoch: Epoch, commit: bool) -> bool:
    """Whether what an EndTxn asks for is done: it is answered so. In version 2 that is said with the next epoch."""
    done = TxnState.COMPLETE_COMMIT if commit else TxnState.COMPLETE_ABORT
    said = epoch + 1 if bump_every_time else epoch
    return is_free(s) and s.memory.state == done and s.memory.epoch == said


def is_ending(s: Cluster, epoch: Epoch, commit: bool) -> bool:
    """Whether what an EndTxn asks for is decided, and not done: its sender is to wait."""
    decided = TxnState.PREPARE_COMMIT if commit else TxnState.PREPARE_ABORT
    said = epoch + 1 if bump_every_time else epoch
    return s.memory.state == decided and s.memory.epoch == said


def write_end(s: Cluster, commit: bool, asker: Option[Client]) -> None:
    """The coordinator writes how the transaction is to end; in version 2 with the next epoch."""
    state = TxnState.PREPARE_COMMIT if commit else TxnState.PREPARE_ABORT
    epoch = s.memory.epoch + 1 if bump_every_time else s.memory.epoch
    write(s, Line(state=state, epoch=epoch, partitions=s.memory.partitions), asker)


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


@action
def late_end_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """An EndTxn of epoch {request.epoch} arrives late, commit: {request.commit}."""
    require(late_ends > 0 and request.kind == Kind.END and may_end(s, request.epoch, request.commit))
    limit(not bump_every_time or s.memory.epoch < max_epoch)
    s.late.remove(request)
    write_end(s, request.commit, None)


# --- markers ----------------------------------------------------------------------------------------------------------


def marker(s: Cluster, partition: Partition) -> Request:
    """The marker that the coordinator sends to a partition."""
    return Request(
        kind=Kind.MARKER,
        epoch=s.memory.epoch,
        partition=partition,
        txn=0,
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


@action(kind="fault", budget="late_markers")
def repeat_marker(s: Cluster, partition: Partition) -> None:
    """The marker of {s.memory.state} for {partition} is sent twice: once it will arrive late."""
    require(late_markers > 0 and is_prepared(s.memory) and partition in s.unmarked)
    s.late.add(marker(s, partition))


@action
def late_marker_arrives(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """A marker arrives late at {request.partition}, epoch {request.epoch}, commit: {request.commit}."""
    partition = request.partition
    require(late_markers > 0 and request.kind == Kind.MARKER and partition is not None)
    if partition is not None:
        require(takes_marker(s, partition, request))
        s.late.remove(request)
        mark(s, partition, request)


@action
def complete(s: Cluster) -> None:
    """All markers are written: the coordinator writes that the transaction is over."""
    require(is_prepared(s.memory) and len(s.unmarked) == 0 and is_free(s))
    commit = s.memory.state == TxnState.PREPARE_COMMIT
    state = TxnState.COMPLETE_COMMIT if commit else TxnState.COMPLETE_ABORT
    write(s, Line(state=state, epoch=s.memory.epoch, partitions=Set()), None)
