"""What brokers do: they append, refuse, answer, lose connections, and lead in turn."""

from __future__ import annotations

from typing import Annotated

from ...language import Option, Range, Seq, Set, action, limit, replace, require
from ..parts.producer_state import Check
from ..parts.producer_state import check_batch as sequence_after
from ..parts.replicated_logs import *
from .client import begin_anew, fail, first_to, give_up, has_another_id, is_first, is_on_its_way, say, take
from .state import *


def handles(s: Producing, turn: Turn) -> bool:
    """Whether a request is the next that the leader handles: those before it on the connection are written."""
    return (
        turn < len(s.in_flight)
        and all(
            before >= turn or s.in_flight[before].leader != s.leader or is_handled(s, before)
            for before in range(len(s.in_flight))
        )
        and not is_handled(s, turn)
        and s.in_flight[turn].leader == s.leader
    )


def is_handled(s: Producing, turn: Turn) -> bool:
    """Whether the broker of a request has taken it: it appended it, or did so when it led before."""
    return s.in_flight[turn].entry is not None or s.in_flight[turn].refused


def is_of(written: Option[Written], pid: Pid) -> bool:
    """Whether an entry is there, and of this producer id."""
    return written is not None and written.pid == pid


def is_copy(written: Option[Written], batch: Batch) -> bool:
    """Whether an entry has the id, epoch and sequences of a batch."""
    return (
        written is not None
        and written.pid == batch.pid
        and written.epoch == batch.epoch
        and written.sequence == batch.sequence
        and written.last - written.first == batch.last - batch.first
    )


def last_known(s: Producing, batch: Batch) -> int:
    """The last entry of a batch's producer id that its leader knows of; -1: it knows none."""
    return max(
        (
            entry
            for entry in range(entries)
            if window > 0
            and entry >= s.known_from[batch.partition]
            and is_of(s.held[batch.partition][entry], batch.pid)
        ),
        default=-1,
    )


def later(s: Producing, batch: Batch, entry: Entry) -> int:
    """Entries of a batch's producer id after this one."""
    return sum(1 for other in range(entries) if other > entry and is_of(s.held[batch.partition][other], batch.pid))


def copy_of(s: Producing, batch: Batch) -> int:
    """The entry of which a batch is a copy, among the last that its leader remembers; -1: none."""
    return max(
        (
            entry
            for entry in range(entries)
            if entry >= s.known_from[batch.partition]
            and is_copy(s.held[batch.partition][entry], batch)
            and later(s, batch, entry) < window
        ),
        default=-1,
    )


def check_sequence(s: Producing, batch: Batch) -> Check:
    """What the leader makes of a batch's sequence. It takes any of a producer that it does not know."""
    last = last_known(s, batch)
    if batch.pid == 0 or last < 0:
        return Check.OUT_OF_ORDER if begins_late(s, batch) else Check.NEXT
    if copy_of(s, batch) >= 0:
        return Check.COPY
    return check_after(s.held[batch.partition][last], batch)


def begins_late(s: Producing, batch: Batch) -> bool:
    """Whether a batch that is not a producer's first would be the first of a partition that never had any."""
    never_had_any = not has_records and all(s.held[batch.partition][e] is None for e in range(entries))
    return refuses_late_begin and batch.sequence > 0 and never_had_any


def check_after(written: Option[Written], batch: Batch) -> Check:
    """What a batch is after the last one of its producer id."""
    if written is None:
        return Check.NEXT
    expected = written.sequence + written.last - written.first + 1
    return sequence_after(written.epoch, expected, batch.epoch, batch.sequence)


def append(s: Producing, batch: Batch) -> None:
    """The leader appends a batch."""
    partition = batch.partition
    number = len(s.logs[partition].appended)
    s.logs[partition] = append_entry(s.logs[partition], number, acknowledges_uncommitted)
    s.held[partition][number] = Written(
        first=batch.first, last=batch.last, pid=batch.pid, epoch=batch.epoch, sequence=batch.sequence
    )


def has_room(s: Producing, partition: Partition) -> bool:
    """Whether the log takes one more entry within the bounds."""
    return len(s.logs[partition].appended) < entries


@action
def append_batch(s: Producing, turn: Turn) -> None:
    """The leader appends the batch of request {turn}."""
    require(handles(s, turn) and check_sequence(s, s.in_flight[turn].batch) == Check.NEXT)
    batch = s.in_flight[turn].batch
    limit(has_room(s, batch.partition))
    assert may_append(s.logs[batch.partition], len(s.logs[batch.partition].appended), acknowledges_uncommitted)
    commit_up_to(s, batch.partition, written_before(s, turn), Set())
    s.in_flight[turn] = replace(s.in_flight[turn], entry=len(s.logs[batch.partition].appended))
    append(s, batch)


def written_before(s: Producing, turn: Turn) -> int:
    """The last entry whose answer is on its way on the connection of a request; -1: there is none."""
    found = -1
    for before in range(turn):
        entry = s.in_flight[before].entry
        if entry is not None and s.in_flight[before].batch.partition == s.in_flight[turn].batch.partition:
            found = max(found, entry)
    return found


@action
def find_copy(s: Producing, turn: Turn) -> None:
    """The leader has the batch of request {turn} already, and answers when that is committed."""
    require(idempotent and handles(s, turn) and check_sequence(s, s.in_flight[turn].batch) == Check.COPY)
    s.in_flight[turn] = replace(s.in_flight[turn], entry=copy_of(s, s.in_flight[turn].batch))


@action
def refuse_sequence(s: Producing, turn: Turn) -> None:
    """The leader refuses the batch of request {turn}: its sequence is out of order, or its epoch is old.

    Where a batch is given up so, the epoch is bumped, after its last retry, too (handleFailedBatch)."""
    require(idempotent and handles(s, turn) and is_first(s, turn))
    require(check_sequence(s, s.in_flight[turn].batch) in (Check.OUT_OF_ORDER, Check.FENCED))
    request = s.in_flight[turn]
    batch = request.batch
    partition = batch.partition
    limit(s.given < restarts + 3)
    take(s, turn)
    if not request.abandoned:
        if has_retries(s, batch) and waits_for_others(s, batch):
            fail(s, request)
        elif bumps_epoch:
            s.gap.add(partition)
            fail(s, request)
        else:
            give_up(s, batch)
            if not has_another_id(s, partition, batch.pid):
                begin_anew(s, partition)


def has_retries(s: Producing, batch: Batch) -> bool:
    """Whether a refused batch may be sent again. Up to 2.4 the producer id is another once its time is over."""
    return batch.attempts < retries and (bumps_epoch or batch.first >= s.overdue)


def waits_for_others(s: Producing, batch: Batch) -> bool:
    """Whether a batch out of order waits for those before it: it is not the next after all that were acknowledged
    (KAFKA-14359: nothing may come), nor after one that was given up."""
    behind = s.unresolved[batch.partition]
    if behind is None:
        return batch.sequence != s.answered[batch.partition]
    return bumps_epoch and batch.sequence != behind


@action
def refuse_leader(s: Producing, turn: Turn) -> None:
    """Broker {s.in_flight[turn].leader} does not lead: NOT_LEADER_OR_FOLLOWER; the producer asks who does.

    With acks=1 a leader answers as soon as it has appended (`ReplicaManager.delayedProduceRequestRequired`: -1 alone
    waits). Of such a batch this is not that answer, but the end of the connection with a leader that dies before it is
    sent: the client sends the batch again just so, and no budget of `cuts` is used."""
    require(elections > 0)
    require(turn < len(s.in_flight) and is_first(s, turn))
    require(s.in_flight[turn].leader != s.leader or s.in_flight[turn].refused)
    request = s.in_flight[turn]
    take(s, turn)
    s.believed = s.leader
    fail(s, request)


@action
def learn_leader(s: Producing) -> None:
    """The producer's metadata say that broker {s.leader} leads now; what is on its way to the other one stays there."""
    require(elections > 0 and s.believed != s.leader)
    s.believed = s.leader


@action(kind="fault", budget="refusals")
def refuse_for_now(s: Producing, turn: Turn) -> None:
    """The leader refuses request {turn} for now, as with NOT_ENOUGH_REPLICAS."""
    require(refusals > 0)
    require(handles(s, turn) and is_first(s, turn))
    request = s.in_flight[turn]
    take(s, turn)
    fail(s, request)


@action
def answer(s: Producing, turn: Turn) -> None:
    """The leader answers request {turn}: its batch is written."""
    require(turn < len(s.in_flight) and is_first(s, turn))
    entry = s.in_flight[turn].entry
    batch = s.in_flight[turn].batch
    require(entry is not None)
    if entry is not None:
        commit_up_to(s, batch.partition, entry, Set({entry}))
    if not s.in_flight[turn].abandoned:
        say(s, batch, Outcome.ACKNOWLEDGED)
        if batch.pid == s.pid[batch.partition] and batch.epoch == s.epoch[batch.partition]:
            s.answered[batch.partition] = max(
                s.answered[batch.partition], batch.sequence + batch.last - batch.first + 1
            )
    take(s, turn)


def commit_up_to(s: Producing, partition: Partition, entry: int, confirmed: Set[Entry]) -> None:
    """All replicas in sync have what is in the log up to an entry; some writer learns of it."""
    log = s.logs[partition]
    batch: Set[Entry] = Set(
        e for e in range(entries) if e <= entry and s.held[partition][e] is not None and e not in log.committed
    )
    assert may_commit(log, batch, confirmed)
    s.logs[partition] = commit_entries(log, batch, confirmed)


@action(kind="fault", budget="refusals")
def answer_with_error(s: Producing, turn: Turn) -> None:
    """The leader has appended the batch of request {turn}, and answers with an error, as with REQUEST_TIMED_OUT."""
    require(refusals > 0)
    require(turn < len(s.in_flight) and is_first(s, turn) and s.in_flight[turn].entry is not None and not no_answer)
    request = s.in_flight[turn]
    take(s, turn)
    fail(s, request)


@action(kind="fault", budget="cuts")
def lose_connection(s: Producing, leader: Leader, arrives: bool) -> None:
    """The connection to broker {leader} is lost{'; the first request on it may arrive' if arrives else ''}."""
    require(cuts > 0)
    require(first_to(s, leader) < len(s.in_flight) and (s.late is None or not arrives))
    require(not arrives or is_on_its_way(s, leader))
    old = s.in_flight
    if arrives:
        s.late = s.in_flight[first_to(s, leader)]
    s.in_flight = others(old, leader)
    for turn in range(max_in_flight):
        if turn < len(old):
            request = old[turn] if turns_around else old[len(old) - 1 - turn]
            if request.leader == leader:
                fail(s, request)


def others(requests: Requests, leader: Leader) -> Requests:
    """The requests to other brokers."""
    rest: Requests = Seq()
    for request in requests:
        if request.leader != leader:
            rest = rest + Seq([request])
    return rest


@action
def arrive_late(s: Producing) -> None:
    """A request arrives for whose answer nobody waits: it is handled like any other."""
    require(cuts + restarts > 0)
    request = s.late
    require(request is not None)
    if request is not None:
        s.late = None
        if (
            request.leader == s.leader
            and check_sequence(s, request.batch) == Check.NEXT
            and has_room(s, request.batch.partition)
        ):
            append(s, request.batch)


@action(kind="fault", budget="elections")
def fail_over(s: Producing, kept: Annotated[int, Range(0, entries)]) -> None:
    """The other broker becomes the leader; of what is in the log it has entries below {kept}."""
    require(elections > 0)
    require(loses_acknowledged or all(is_safe(s, partition, kept) for partition in range(partitions)))
    require(kept <= max((len(s.logs[partition].appended) for partition in range(partitions)), default=0))
    s.leader = 1 - s.leader
    for partition in range(partitions):
        drop(s, partition, kept)
    for turn in range(max_in_flight):
        if turn < len(s.in_flight):
            request = s.in_flight[turn]
            leads_again = elections > 1  # with one election it never does, and then that it had it makes no difference
            had_it = leads_again and (request.entry is not None or request.refused)
            s.in_flight[turn] = replace(request, entry=None, refused=had_it)


def is_safe(s: Producing, partition: Partition, kept: int) -> bool:
    """Whether everything that is committed or acknowledged stands below `kept`."""
    log = s.logs[partition]
    return all(entry < kept for entry in log.committed) and all(entry < kept for entry in log.acknowledged)


def drop(s: Producing, partition: Partition, kept: int) -> None:
    """A new leader has the entries below `kept` alone, which are committed now."""
    log = s.logs[partition]
    gone: Set[Entry] = Set(entry for entry in log.acknowledged if entry >= kept)
    rest: Set[Entry] = Set(
        e for e in range(entries) if e < kept and s.held[partition][e] is not None and e not in log.committed
    )
    if len(gone) > 0:
        assert may_lose(log, Set(), log.lost | gone, True)
        log = with_losses(log, Set(), log.lost | gone, True)
    s.logs[partition] = commit_entries(log, rest, Set())
    for entry in range(entries):
        if entry >= kept:
            s.held[partition][entry] = None


@action(kind="fault", budget="expirations")
def forget(s: Producing, partition: Partition) -> None:
    """The leader of partition {partition} forgets all producers: producer.id.expiration.ms is over."""
    require(expirations > 0)
    require(idempotent and s.known_from[partition] < len(s.logs[partition].appended))
    s.known_from[partition] = len(s.logs[partition].appended)


@action(kind="fault", budget="deletions")
def delete_records(s: Producing, partition: Partition) -> None:
    """All records of partition {partition} that are committed are deleted, by age or by an operator."""
    require(deletions > 0)
    require(s.begin[partition] < len(s.logs[partition].committed))
    s.begin[partition] = len(s.logs[partition].committed)
    if forgets_with_records:
        s.known_from[partition] = len(s.logs[partition].appended)


@action(kind="fault")
def add_partition(s: Producing) -> None:
    """A partition is added to the topic."""
    require(grows and s.used < partitions)
    s.used += 1
