"""What must hold of transactions. T1 to T14 are the numbers of a catalogue of Kafka's properties; T15 is
about several batches."""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.transactions.state import *


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def no_bad_state(s: Cluster) -> bool:
    """T1: the coordinator never finds that an epoch cannot be raised."""
    return not s.stuck


def is_active(s: Cluster, client: Client) -> bool:
    """Whether a client has an epoch, and goes on with it."""
    return s.epoch[client] > 0 and s.phase[client] not in (Phase.INITIALIZING, Phase.ENDED)


@invariant
def clients_have_different_epochs(s: Cluster) -> bool:
    """T2: no two clients have one epoch."""
    return all(
        a == b or not is_active(s, a) or not is_active(s, b) or s.epoch[a] != s.epoch[b] for a in Client for b in Client
    )


@transition
def older_coordinators_have_no_effect(before: Cluster, after: Cluster) -> bool:
    """T3: no marker of a coordinator ends anything once a partition has taken one of a newer coordinator."""
    return all(
        not was_ended(before, after, p, pid) or after.producers[p][pid].coordinator >= before.obeyed[p]
        for p in Partition
        for pid in range(producer_ids)
    )


def was_ended(before: Cluster, after: Cluster, partition: Partition, pid: Pid) -> bool:
    """Whether a marker ended what was open of a producer id in a partition."""
    return is_open_of(before, partition, pid) and not is_open_of(after, partition, pid)


def was_appended(before: Cluster, after: Cluster, partition: Partition) -> bool:
    """Whether a record was appended to a partition."""
    return len(after.logs[partition]) > len(before.logs[partition])


@invariant
def appended_once(s: Cluster) -> bool:
    """T4: no record is in a partition twice."""
    return all(occurrences(s, p, t, b) <= 1 for p in Partition for t in range(transactions + 1) for b in range(batches))


def occurrences(s: Cluster, partition: Partition, txn: Txn, batch: Batch) -> Offset:
    """How often a partition has a batch of a transaction."""
    return sum(1 for cell in s.logs[partition] if cell.txn == txn and cell.batch == batch)


@transition
def sequences_have_no_gap(before: Cluster, after: Cluster) -> bool:
    """T5: what is appended has the next sequence number, or the first one of a new epoch."""
    return all(
        not was_appended(before, after, p)
        or writer_of_newest(after, p).records == expected_records(before, p, writer_of_newest(after, p).epoch)
        for p in Partition
    )


def expected_records(before: Cluster, partition: Partition, epoch: Epoch) -> int:
    """How many records of an epoch a partition has once the next one is there."""
    known = before.producers[partition][pid_of(epoch)]
    return known.records + 1 if known.epoch == epoch else 1


@transition
def fenced_producers_have_no_effect(before: Cluster, after: Cluster) -> bool:
    """T6: once a client has an epoch, who has an older one appends, adds and decides nothing, and gets no other.

    An id that is not known fences nobody; and a late InitProducerId aborts what is under way, whatever its epoch."""
    return (
        all(
            not was_appended(before, after, p) or is_newest(before, writer_of_newest(after, p).epoch) for p in Partition
        )
        and all(not has_added(before, after, c) or is_newest(before, before.epoch[c]) for c in Client)
        and all(not was_late_addition(before, after, r) or is_newest(before, r.epoch) for r in before.late)
        and all(not has_next_epoch(before, after, c) or is_newest(before, before.epoch[c]) for c in Client)
        and all(not was_late_bump(before, after, r) or is_newest(before, r.epoch) for r in before.late)
        and all(not has_decided(before, after, c) or is_newest(before, before.epoch[c]) for c in Client)
        and all(not was_late_end(before, after, r) or is_newest(before, r.epoch) for r in before.late)
    )


def is_newest(s: Cluster, epoch: Epoch) -> bool:
    """Whether no client has a newer epoch."""
    return all(not is_active(s, client) or s.epoch[client] <= epoch for client in Client)


def has_added(before: Cluster, after: Cluster, client: Client) -> bool:
    """Whether a client learns that a partition is of its transaction."""
    return len(after.added[client]) > len(before.added[client])


def was_late_addition(before: Cluster, after: Cluster, request: Request) -> bool:
    """Whether a late AddPartitionsToTxn has arrived, and made a difference."""
    return request.kind == Kind.ADD and request not in after.late and after.lines != before.lines


def has_next_epoch(before: Cluster, after: Cluster, client: Client) -> bool:
    """Whether a client that has an epoch gets another one, from a coordinator that knows the id."""
    return before.memory.state != TxnState.DEAD and 0 < before.epoch[client] < after.epoch[client]


def is_decided(before: Cluster, after: Cluster) -> bool:
    """Whether the log says now how a transaction is to end, or the coordinator has appended that."""
    return (durable(before).state == TxnState.ONGOING and is_prepared(durable(after))) or (
        newest_line(before).state == TxnState.ONGOING and is_prepared(newest_line(after))
    )


def newest_line(s: Cluster) -> Line:
    """What the newest record of the log says, be it committed or not."""
    return s.lines[1] if 1 in s.log.appended else durable(s)


def has_decided(before: Cluster, after: Cluster, client: Client) -> bool:
    """Whether a client's EndTxn decides, and it learns of that."""
    asks = before.phase[client] in (Phase.OPEN, Phase.COMMITTING, Phase.ABORTING)
    return asks and after.phase[client] != before.phase[client] and is_decided(before, after)


def was_late_end(before: Cluster, after: Cluster, request: Request) -> bool:
    """Whether a late EndTxn decides."""
    return request.kind == Kind.END and request not in after.late and is_decided(before, after)


def was_late_bump(before: Cluster, after: Cluster, request: Request) -> bool:
    """Whether a late InitProducerId of a client with an epoch has raised the id's, and no transaction is under way."""
    return (
        request.kind == Kind.INIT
        and request.epoch > 0
        and request not in after.late
        and is_over(before.memory)
        and (after.memory.epoch > before.memory.epoch or after.lines[1].epoch > before.memory.epoch)
    )


def has(s: Cluster, partition: Partition, txn: Txn, status: Status) -> bool:
    """Whether a partition has a record of that transaction with that status."""
    return any(cell.txn == txn and cell.status == status for cell in s.logs[partition])


@invariant
def atomic_visibility(s: Cluster) -> bool:
    """T7: no transaction is committed in one partition and aborted in another, or not there at all."""
    return all(
        not has(s, p, t, Status.COMMITTED) or (not has(s, q, t, Status.ABORTED) and not is_missing(s, q, t))
        for t in range(transactions + 1)
        for p in Partition
        for q in Partition
    )


def is_missing(s: Cluster, partition: Partition, txn: Txn) -> bool:
    """Whether a partition lacks a batch of a transaction that the application has asked to be committed with it."""
    return s.fate[txn] != Fate.NONE and any(
        b < s.counted[txn][partition] and occurrences(s, partition, txn, b) == 0 for b in range(batches)
    )


@invariant
def newest_batch_counts(s: Cluster) -> bool:
    """T15: the last record of a committed transaction in a partition is of the last batch that its client counts on.

    Of offsets, which replace each other, the last one is the one that counts."""
    return all(
        s.fate[t] != Fate.CONFIRMED or not has(s, p, t, Status.COMMITTED) or newest(s, p, t) + 1 >= s.counted[t][p]
        for t in range(transactions + 1)
        for p in Partition
    )


def is_committed(cell: Cell, txn: Txn) -> bool:
    """Whether a record is of a transaction, and committed."""
    return cell.txn == txn and cell.status == Status.COMMITTED


def newest(s: Cluster, partition: Partition, txn: Txn) -> Batch:
    """Of which batch the last committed record of a transaction is, in a partition that has one."""
    log = s.logs[partition]
    return max(
        (
            log[at].batch
            for at in range(len(log))
            if is_committed(log[at], txn) and all(not is_committed(log[i], txn) or i <= at for i in range(len(log)))
        ),
        default=0,
    )


@invariant
def aborted_is_never_delivered(s: Cluster) -> bool:
    """T8: readers of committed records get nothing of a transaction for whose commit nobody asked."""
    return all(
        cell.status != Status.COMMITTED or s.fate[cell.txn] != Fate.NONE for p in Partition for cell in s.logs[p]
    )


@invariant
def committed_is_not_lost(s: Cluster) -> bool:
    """T9: what a confirmed transaction wrote is delivered, or will be as soon as its marker is there."""
    return all(
        s.fate[t] != Fate.CONFIRMED or b >= s.counted[t][p] or is_kept(s, p, t, b)
        for t in range(transactions + 1)
        for p in Partition
        for b in range(batches)
    )


def is_kept(s: Cluster, partition: Partition, txn: Txn, batch: Batch) -> bool:
    """Whether a batch is committed, or is about to be."""
    line = durable(s)
    return has_batch(s, partition, txn, batch, Status.COMMITTED) or (
        has_batch(s, partition, txn, batch, Status.OPEN)
        and line.state == TxnState.PREPARE_COMMIT
        and partition in line.partitions
    )


def has_batch(s: Cluster, partition: Partition, txn: Txn, batch: Batch, status: Status) -> bool:
    """Whether a partition has a batch of a transaction with that status."""
    return any(cell.txn == txn and cell.batch == batch and cell.status == status for cell in s.logs[partition])


@invariant
def readers_stop_at_what_is_open(s: Cluster) -> bool:
    """T10: nothing is delivered from the first open record on, nor above the high watermark."""
    return all(s.delivered[p] <= last_stable_offset(s, p) for p in Partition)


@transition
def last_stable_offset_only_rises(before: Cluster, after: Cluster) -> bool:
    """T11: the last stable offset of a partition never goes back."""
    return all(last_stable_offset(after, p) >= last_stable_offset(before, p) for p in Partition)


@invariant
def nothing_hangs(s: Cluster) -> bool:
    """T12: where a partition has open records, the coordinator's log knows that they are to be ended."""
    return all(first_open(s, p) == len(s.logs[p]) or is_known(durable(s), p) for p in Partition)


def is_known(line: Line, partition: Partition) -> bool:
    """Whether a record of the log says that a partition is of the transaction."""
    return (
        line.state in (TxnState.ONGOING, TxnState.PREPARE_COMMIT, TxnState.PREPARE_ABORT)
        and partition in line.partitions
    )


@transition
def each_end_has_its_epoch(before: Cluster, after: Cluster) -> bool:
    """T13: the end of a transaction is decided with a larger epoch than it was written with."""
    return durable(before).state != TxnState.ONGOING or (
        durable(after).state == TxnState.ONGOING or durable(after).epoch > durable(before).epoch
    )


@transition
def decisions_are_final(before: Cluster, after: Cluster) -> bool:
    """T14: what is decided becomes so, and nothing else, with the same epoch or the first of the next producer id."""
    old = durable(before)
    new = durable(after)
    return (
        old.state not in (TxnState.PREPARE_COMMIT, TxnState.PREPARE_ABORT)
        or new == old
        or (
            new.epoch == (first_of_next(old.epoch) if old.rotates else old.epoch)
            and new.state
            == (TxnState.COMPLETE_COMMIT if old.state == TxnState.PREPARE_COMMIT else TxnState.COMPLETE_ABORT)
        )
    )


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def commits_everywhere(s: Cluster) -> bool:
    """A transaction is committed in every partition, and its producer knows."""
    return any(
        s.fate[t] == Fate.CONFIRMED and all(has(s, p, t, Status.COMMITTED) for p in Partition)
        for t in range(transactions + 1)
    )


@reachable
def commits_across_a_fail_over(s: Cluster) -> bool:
    """A transaction is committed in every partition, by two coordinators."""
    return (
        s.coordinator > 0
        and any(all(has(s, p, t, Status.COMMITTED) for p in Partition) for t in range(transactions + 1))
        and any(newest_coordinator(s, p) != newest_coordinator(s, q) for p in Partition for q in Partition)
    )


def newest_coordinator(s: Cluster, partition: Partition) -> Coordinator:
    """The newest coordinator whose marker a partition has taken."""
    return max((s.producers[partition][pid].coordinator for pid in range(producer_ids)), default=0)


@reachable
def zombie_is_fenced(s: Cluster) -> bool:
    """One client has ended, and another has a transaction under way."""
    return any(s.phase[c] == Phase.ENDED for c in Client) and any(s.phase[c] == Phase.OPEN for c in Client)


@reachable
def aborted_while_it_writes(s: Cluster) -> bool:
    """A client takes its transaction for open of which a record is aborted."""
    return any(s.phase[c] == Phase.OPEN and any(has(s, p, s.txn[c], Status.ABORTED) for p in Partition) for c in Client)


@reachable
def something_is_late(s: Cluster) -> bool:
    """A write is late, whose epoch is not the newest."""
    return any(request.kind == Kind.PRODUCE and request.epoch < s.memory.epoch for request in s.late)
