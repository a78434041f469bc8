"""Clients: what a producer with a `transactional.id` does, and what it no longer waits for."""

from __future__ import annotations

from typing import Annotated

from ...language import Map, Member, Option, Set, action, limit, require
from .coordinator import (
    finish,
    is_ended,
    is_ending,
    may_add,
    may_bump,
    may_end,
    may_go_on,
    was_bumped,
    write_added,
    write_end,
)
from .lumping import settle
from .partitions import append, is_duplicate, is_in_order, is_verified, next_sequence
from .state import *


@action(kind="client")
def begin(s: Cluster, client: Client) -> None:
    """{client} begins transaction {s.begun + 1}."""
    require(s.phase[client] == Phase.READY)
    limit(s.begun < transactions)
    s.begun += 1
    s.txn[client] = s.begun
    s.phase[client] = Phase.OPEN
    settle(s)


@action(kind="client")
def add_partition(s: Cluster, client: Client, partition: Partition) -> None:
    """{partition} is added to transaction {s.txn[client]} of {client}."""
    require(s.phase[client] == Phase.OPEN and partition not in s.added[client] and may_add(s, s.epoch[client]))
    if s.memory.state == TxnState.ONGOING and partition in s.memory.partitions:
        s.added[client].add(partition)
    else:
        s.phase[client] = Phase.ADDING
        write_added(s, partition, client)
    settle(s)


@action(kind="client")
def produce(s: Cluster, client: Client, partition: Partition) -> None:
    """{client} writes a record of transaction {s.txn[client]} to {partition}, and learns that it is there."""
    epoch = s.epoch[client]
    sequence = next_sequence(s, client, partition)
    require(s.phase[client] == Phase.OPEN and partition in s.added[client] and s.wrote[client][partition] < batches)
    require(is_duplicate(s, partition, epoch, sequence) or is_in_order(s, partition, epoch, sequence))
    require(is_duplicate(s, partition, epoch, sequence) or is_verified(s, partition, epoch))
    if not is_duplicate(s, partition, epoch, sequence):
        append(s, partition, s.txn[client], s.wrote[client][partition], epoch, sequence)
    s.sequence[client][partition] = sequence + 1 if checks_of(s, partition) == Checks.ALL else 0
    s.wrote[client][partition] += 1
    if partition not in s.ahead[client]:
        s.unsure[client].discard(partition)
    s.ahead[client].discard(partition)
    s.counted[s.txn[client]][partition] = s.wrote[client][partition]
    settle(s)


@action(kind="client")
def end(s: Cluster, client: Client, commit: bool) -> None:
    """{client} asks to {'commit' if commit else 'abort'} transaction {s.txn[client]}, and it is decided."""
    require(asks(s, client, commit) and may_end(s, s.epoch[client], commit))
    may_bump(s)
    ask(s, client, commit)
    write_end(s, commit, client)
    settle(s)


@action(kind="client")
def end_is_answered(s: Cluster, client: Client, commit: bool) -> None:
    """{client} asks to {'commit' if commit else 'abort'} transaction {s.txn[client]}, and learns that it is done."""
    require(late_ends > 0 or not in_one_step or (bump_every_time and not fence_takes_two) or not bump_on_timeout)
    require(asks(s, client, commit) and is_ended(s, s.epoch[client], commit))
    ask(s, client, commit)
    finish(s, s.memory.epoch, client)
    settle(s)


def asks(s: Cluster, client: Client, commit: bool) -> bool:
    """Whether a client asks for a commit, when all that it wrote is acknowledged, or for an abort; or asks again."""
    asked = Phase.COMMITTING if commit else Phase.ABORTING
    return s.phase[client] == asked or (s.phase[client] == Phase.OPEN and may_ask(s, client, commit))


def ask(s: Cluster, client: Client, commit: bool) -> None:
    """A client asks for an end."""
    s.phase[client] = Phase.COMMITTING if commit else Phase.ABORTING
    if commit:
        s.fate[s.txn[client]] = Fate.ASKED
        s.counted[s.txn[client]] = Map({p: s.wrote[client][p] + (1 if p in s.unsure[client] else 0) for p in Partition})


def may_ask(s: Cluster, client: Client, commit: bool) -> bool:
    """Whether a client may ask for that end of its transaction."""
    if commit:
        return len(s.unsure[client]) == 0 and any(s.wrote[client][p] > 0 for p in Partition)
    gave_up = len(s.unsure[client]) > 0
    return (len(s.added[client]) > 0 or (bump_every_time and gave_up)) and (
        not gave_up or bump_every_time or after_failure != FailureHandling.STOPS
    )


@action(kind="client")
def end_without_partitions(s: Cluster, client: Client) -> None:
    """{client} aborts transaction {s.txn[client]}, to which it knows no partition to be added: it asks nobody."""
    require(late_adds > 0 and not bump_every_time)
    require(s.phase[client] == Phase.OPEN and len(s.added[client]) == 0)
    require(any(request.kind == Kind.ADD for request in s.late) and len(s.unsure[client]) == 0)
    s.phase[client] = Phase.READY
    s.txn[client] = 0
    settle(s)


@action
def stop(s: Cluster, client: Client) -> None:
    """{client} does not know what became of a write: it can only be closed."""
    require(late_produces > 0 and after_failure == FailureHandling.STOPS and not bump_every_time)
    require(s.phase[client] == Phase.OPEN and len(s.unsure[client]) > 0)
    leave(s, client)
    settle(s)


@action
def is_fenced(s: Cluster, client: Client) -> None:
    """{client}, with epoch {s.epoch[client]}, is refused, and ends: PRODUCER_FENCED or INVALID_TXN_STATE."""
    require(is_free(s) and is_refused(s, client))
    leave(s, client)
    settle(s)


def is_refused(s: Cluster, client: Client) -> bool:
    """Whether what a client asks for next is refused for good: also an end of its transaction, which has ended
    otherwise without it. Kafka says CONCURRENT_TRANSACTIONS while such an end is under way, in version 2 whatever the
    epoch, and refuses when it is done; here a client may learn it before, and ends as one that is closed. That only
    adds runs, each as one of a client that crashes there; no verdict of the commit tier is another one without it."""
    phase = s.phase[client]
    if phase in (Phase.COMMITTING, Phase.ABORTING):
        return refuses_end(s, s.epoch[client], phase == Phase.COMMITTING)
    if phase == Phase.OPEN and s.memory.epoch == s.epoch[client] and is_over(s.memory):
        return any(may_ask(s, client, commit) and refuses_end(s, s.epoch[client], commit) for commit in (False, True))
    if phase == Phase.BUMPING and (was_bumped(s.memory, s.epoch[client]) or may_go_on(s.memory, s.epoch[client])):
        return False
    return phase in (Phase.READY, Phase.OPEN, Phase.BUMPING) and s.memory.epoch != s.epoch[client]


def refuses_end(s: Cluster, epoch: Epoch, commit: bool) -> bool:
    """Whether an EndTxn is refused for good."""
    return not may_end(s, epoch, commit) and not is_ended(s, epoch, commit) and not is_ending(s, epoch, commit)


def leave(s: Cluster, client: Client) -> None:
    """A client does nothing more."""
    s.phase[client] = Phase.ENDED
    s.epoch[client] = 0
    s.txn[client] = 0
    s.added[client] = Set()
    s.wrote[client] = Map({p: 0 for p in Partition})
    s.unsure[client] = Set()
    s.ahead[client] = Set()


# --- requests that are late: their sender has given up waiting for an answer ------------------------------------------


def request_of(
    s: Cluster, client: Client, kind: Kind, partition: Option[Partition], commit: bool = False, ahead: Batch = 0
) -> Request:
    """A request of a client; ahead: how many batches it sends before this one that were not answered yet."""
    return Request(
        kind=kind,
        epoch=s.epoch[client],
        partition=partition,
        txn=s.txn[client] if kind == Kind.PRODUCE else 0,
        batch=s.wrote[client][partition] + ahead if partition is not None and kind == Kind.PRODUCE else 0,
        sequence=s.sequence[client][partition] + ahead if partition is not None and kind == Kind.PRODUCE else 0,
        commit=commit,
        coordinator=0,
    )


@action(kind="fault", budget="late_inits")
def give_up_init(s: Cluster, client: Client) -> None:
    """{client} asks for a producer id, and the request is late."""
    require(late_inits > 0 and (s.phase[client] == Phase.OUT or s.phase[client] == Phase.BUMPING))
    s.late.add(request_of(s, client, Kind.INIT, None))
    settle(s)


@action(kind="fault", budget="late_adds")
def give_up_add(s: Cluster, client: Client, partition: Partition) -> None:
    """{client} adds {partition} to its transaction, and the request is late."""
    require(late_adds > 0 and not bump_every_time and s.phase[client] == Phase.OPEN)
    require(partition not in s.added[client])
    s.late.add(request_of(s, client, Kind.ADD, partition))
    settle(s)


@action(kind="fault", budget="late_produces")
def give_up_produce(s: Cluster, client: Client, partition: Partition) -> None:
    """{client} writes a record of transaction {s.txn[client]} to {partition}, and the request is late."""
    require(late_produces > 0 and s.phase[client] == Phase.OPEN)
    ahead = is_ahead(s, client, partition)
    require((bump_every_time or partition in s.added[client]) and s.wrote[client][partition] + ahead < batches)
    s.unsure[client].add(partition)
    if ahead == 1:
        s.ahead[client].add(partition)
    s.late.add(request_of(s, client, Kind.PRODUCE, partition, ahead=ahead))
    settle(s)


def is_ahead(s: Cluster, client: Client, partition: Partition) -> Batch:
    """1 where a client sends a batch while the one before it is under way; else 0."""
    return 1 if pipelined and partition in s.unsure[client] else 0


@action(kind="fault", budget="late_ends")
def give_up_end(s: Cluster, client: Client, commit: bool) -> None:
    """{client} asks to {'commit' if commit else 'abort'} transaction {s.txn[client]}, and the request is late."""
    require(late_ends > 0 and asks(s, client, commit))
    ask(s, client, commit)
    s.late.add(request_of(s, client, Kind.END, None, commit))
    settle(s)


@action
def late_produce_adds(s: Cluster, request: Annotated[Request, Member("late")]) -> None:
    """A write arrives late at {request.partition}, whose leader adds it to the transaction of epoch {request.epoch}."""
    partition = request.partition
    require(late_produces > 0 and bump_every_time)
    require(request.kind == Kind.PRODUCE and may_add(s, request.epoch))
    if partition is not None:
        require(s.memory.state != TxnState.ONGOING or partition not in s.memory.partitions)
        require(is_in_order(s, partition, request.epoch, request.sequence))
        write_added(s, partition, None)
    settle(s)
