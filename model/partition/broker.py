"""What brokers do: the leader appends and commits, the others fetch, and the leader asks for changes of the ISR."""

from __future__ import annotations

from ...language import Set, action, limit, replace, require, terminal
from ..parts.logs import common_end, end_of_last_epoch
from .state import *

# === What the properties remember of a partition: bookkeeping that no broker does =====================================


def note_lost_records(s: Partition, broker: Broker, kept: int) -> None:
    """A broker keeps only so many of its records."""
    if len(s.log[broker]) > kept:
        s.lossy.add(broker)
        s.damaged.add(broker)


def note_read(s: Partition, broker: Broker, end: int) -> None:
    """Consumers may read a broker's records up to an offset."""
    for offset in range(end):
        s.read[offset].add(s.log[broker][offset].id)


def note_refused(s: Partition, broker: Broker) -> None:
    """A leader that no longer leads answers its producer that the records it has not committed have failed."""
    if leads(s, broker):
        for offset in range(s.high_watermark[broker], len(s.log[broker])):
            if acks == Acks.ALL and s.log[broker][offset].epoch == s.view[broker].leader_epoch:
                s.refused.add(s.log[broker][offset].id)


def note_committed(s: Partition, leader: Broker, old: int, new: int) -> None:
    """Records are below a leader's high watermark, which was the old offset, and consumers may read them."""
    s.leader_committed[s.view[leader].leader_epoch] = new
    s.committed_by[leader] = s.view[leader].leader_epoch
    if new > len(s.committed):
        s.committed_in = s.view[leader].leader_epoch
    if old <= len(s.committed):
        for offset in range(len(s.committed), new):
            s.committed.append(s.log[leader][offset].id)
    for offset in range(old, new):
        s.read[offset].add(s.log[leader][offset].id)


def note_written(s: Partition, leader: Broker) -> None:
    """A leader has appended a record to its log."""
    end = len(s.log[leader]) - 1
    s.written_at[s.log[leader][end].id] = end
    s.written_in[s.log[leader][end].id] = s.log[leader][end].epoch
    s.leader_log[s.view[leader].leader_epoch] = s.log[leader]


def note_begun(s: Partition, broker: Broker) -> None:
    """A broker has learned of a new epoch, which begins if it leads it."""
    if s.view[broker].leader == broker:
        if broker in s.damaged:
            s.damaged_led = True
        s.began[s.view[broker].leader_epoch] = True
        s.leader_log[s.view[broker].leader_epoch] = s.log[broker]
        s.copied[broker] = s.view[broker].leader_epoch


# --- a record is written ----------------------------------------------------------------------------------------------


@action(kind="client")
def produce(s: Partition, leader: Broker) -> None:
    """{leader} appends record {s.sent} at offset {len(s.log[leader])}, in epoch {s.view[leader].leader_epoch}."""
    require(accepts(s, leader))
    require(is_in_sequence(s, leader, s.sent))
    require(s.sent - len(s.acknowledged) < max_in_flight)
    limit(s.sent < max_records)
    limit(len(s.log[leader]) < log_size)
    if not bound_reads and s.high_watermark[leader] == len(s.log[leader]):
        s.read[len(s.log[leader])].add(s.sent)
    s.log[leader].append(Record(id=s.sent, epoch=s.view[leader].leader_epoch))
    note_written(s, leader)
    if acks != Acks.ALL:
        s.acknowledged.add(s.sent)
    s.sent += 1


@action(kind="fault", budget="retries")
def fail_to_produce(s: Partition) -> None:
    """Record {s.sent} is sent, and reaches no leader."""
    require(retries > 0)
    require(s.sent - len(s.acknowledged) < max_in_flight)
    limit(s.sent < max_records)
    if acks == Acks.NONE:
        s.acknowledged.add(s.sent)
    s.sent += 1


@action(kind="client", budget="retries")
def produce_again(s: Partition, leader: Broker, id: RecordId) -> None:
    """The producer sends record {id} again, having no answer; {leader} appends it at offset {len(s.log[leader])}."""
    require(retries > 0)
    require(acks != Acks.NONE)
    require(id < s.sent and s.sent - id <= max_in_flight)
    require(accepts(s, leader))
    if is_copy(s, leader, id):
        require(id not in s.acknowledged)
        s.acknowledged.add(id)
    else:
        require(is_in_sequence(s, leader, id) or begins_anew(s, leader, id))
        limit(len(s.log[leader]) < log_size)
        s.log[leader].append(Record(id=id, epoch=s.view[leader].leader_epoch))
        note_written(s, leader)
        if acks != Acks.ALL:
            s.acknowledged.add(id)
        check_high_watermark(s, leader)


def accepts(s: Partition, leader: Broker) -> bool:
    """Whether the broker believes that it leads, and knows of an ISR that is large enough for the producer's acks."""
    return leads(s, leader) and (acks != Acks.ALL or len(s.view[leader].isr) >= effective_min_isr())


def is_copy(s: Partition, leader: Broker, id: int) -> bool:
    """Whether an idempotent producer's record is committed at the leader, which answers without appending it again."""
    return idempotent and acks == Acks.ALL and any(s.log[leader][at].id == id for at in range(s.high_watermark[leader]))


def is_in_sequence(s: Partition, leader: Broker, id: int) -> bool:
    """Whether an idempotent producer's record comes next. One that the leader has is not appended again. Of a producer
    that it does not know it takes any (`ProducerAppendInfo.checkSequence`)."""
    last = len(s.log[leader]) - 1
    return not (idempotent and acks == Acks.ALL) or last < 0 or id == s.log[leader][last].id + 1


def begins_anew(s: Partition, leader: Broker, id: int) -> bool:
    """Whether an idempotent producer sends a record with a new epoch, which the leader takes behind all that it has:
    it was out of sequence, though the next after all that were acknowledged (KAFKA-14359, KAFKA-15591, KIP-360).

    A later one was the first that the leader had of the producer, and has no answer; it will be sent again, too
    (`TransactionManager.canRetry`, bumpIdempotentProducerEpoch).
    """
    last = len(s.log[leader]) - 1
    return (
        last >= 0
        and s.log[leader][last].id > id
        and all(record.id != id and (record.id < id or record.id not in s.acknowledged) for record in s.log[leader])
        and all((other in s.acknowledged) == (other < id) or other > id for other in range(max_records))
    )


@terminal
def a_record_is_missing(s: Partition) -> bool:
    """A record that was sent is not in the leader's log, and is not sent again: the producer waits for its answer, or
    what it sends next is out of sequence.

    Kafka's producer retries until delivery.timeout.ms; here `retries` bounds that, and is 0 where it is not a question.
    """
    return retries == 0 and any(
        id < s.sent
        and all(leader != s.registered.leader or all(record.id != id for record in s.log[leader]) for leader in Broker)
        for id in range(max_records)
    )


@terminal
def a_record_is_to_be_sent_anew(s: Partition) -> bool:
    """The leader's last record is not the last one that was sent: an idempotent producer, in a new epoch, is to send
    what comes after it anew, and is bounded in how often it does."""
    return (
        idempotent
        and acks == Acks.ALL
        and retries > 0
        and any(
            leader == s.registered.leader
            and len(s.log[leader]) > 0
            and s.log[leader][len(s.log[leader]) - 1].id + 1 < s.sent
            for leader in Broker
        )
    )


@terminal
def writes_have_stopped(s: Partition) -> bool:
    """The ISR is smaller than min.insync.replicas: the leader refuses writes, and nobody who is gone comes back."""
    return acks == Acks.ALL and len(s.registered.isr) < effective_min_isr()


# --- it is fetched ----------------------------------------------------------------------------------------------------


@action
def fetch(s: Partition, leader: Broker, follower: Broker) -> None:
    """{follower} fetches from {leader} at offset {len(s.log[follower])}."""
    require(leads(s, leader))
    require(may_fetch(s, leader, follower))
    require(fetch_changes_something(s, leader, follower))
    end = len(s.log[follower])
    common = diverges_at(s, leader, follower)
    if common < end:
        if follower_reads and not truncate_first:
            note_read(s, follower, min(s.high_watermark[leader], end))
        cut(s, follower, common)
        if not skip_diverging:
            s.fetch_offset[leader][follower] = min(end, len(s.log[leader]))
    else:
        reached = min(end + 1, len(s.log[leader]))
        known = min(s.high_watermark[leader], reached)
        if end < reached:
            s.log[follower].append(s.log[leader][end])
        s.fetch_offset[leader][follower] = reached
        s.high_watermark[follower] = known
        s.committed_by[follower] = s.committed_by[leader]
        if follower_reads:
            note_read(s, follower, known)
    s.copied[follower] = s.view[follower].leader_epoch


def cut(s: Partition, broker: Broker, end: int) -> None:
    """A broker truncates its log: its flushed offset and its high watermark are at most the new end."""
    s.log[broker].truncate(end)
    s.flushed[broker] = min(s.flushed[broker], end)
    s.high_watermark[broker] = min(s.high_watermark[broker], end)


def delete_log(s: Partition, broker: Broker) -> None:
    """A broker has no records any more."""
    s.log[broker].truncate(0)
    s.flushed[broker] = 0
    s.high_watermark[broker] = 0


def forget(s: Partition, broker: Broker) -> None:
    """A broker has nothing under way any more, neither as a leader nor as a follower."""
    s.truncating.discard(broker)
    s.answer[broker] = None
    s.request[broker] = None
    s.fetch_offset[broker] = nothing_fetched()


def may_fetch(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether the follower regards that broker as its leader, and the leader serves the fetch."""
    return (
        follower != leader
        and follower in s.up
        and s.view[follower].leader == leader
        and follower not in s.truncating
        and (fence_truncation or not waits(s, follower))
        and (not fence_fetch or are_in_one_epoch(s, leader, follower))
    )


def waits(s: Partition, follower: Broker) -> bool:
    """Whether the follower fetches nothing until it has truncated its log as a leader answered. A follower of a new
    leader starts a new fetcher, which does not wait."""
    answer = s.answer[follower]
    return answer is not None and not answer.late


def are_in_one_epoch(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether the newest leader epoch that both have learned of is the same."""
    return s.view[follower].leader_epoch == s.view[leader].leader_epoch


def diverges_at(s: Partition, leader: Broker, follower: Broker) -> int:
    """The offset where the follower's log diverges from the leader's, or its end. Before KIP-320 a leader
    compares the lengths alone."""
    return common_end(s.log[leader], s.log[follower]) if fence_fetch else min(len(s.log[follower]), len(s.log[leader]))


def fetch_changes_something(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether a fetch changes the state: it brings a record, shows that the logs diverge, or updates what the leader
    knows of the follower, or the follower's high watermark."""
    end = len(s.log[follower])
    return (
        end < len(s.log[leader])
        or diverges_at(s, leader, follower) < end
        or s.fetch_offset[leader][follower] != end
        or s.high_watermark[follower] != s.high_watermark[leader]
    )


@action
def answer_late(s: Partition, leader: Broker, follower: Broker) -> None:
    """{leader} answers {follower} that their logs diverge at {diverges_at(s, leader, follower)}: not acted on yet."""
    require(not fence_truncation and fence_fetch)
    require(leads(s, leader))
    require(may_fetch(s, leader, follower))
    require(s.answer[follower] is None and diverges_at(s, leader, follower) < len(s.log[follower]))
    s.answer[follower] = DivergingEpoch(end=diverges_at(s, leader, follower), late=False)


@action
def cut_late(s: Partition, follower: Broker) -> None:
    """{follower} truncates its log as an earlier leader answered, whichever leader it follows by now.

    KAFKA-13207: the answer to a fetch in an earlier epoch was still acted upon.
    """
    require(not fence_truncation and fence_fetch)
    answer = s.answer[follower]
    require(answer is not None)
    assert answer is not None
    s.log[follower].truncate(min(answer.end, len(s.log[follower])))
    s.flushed[follower] = min(s.flushed[follower], answer.end)
    s.high_watermark[follower] = min(s.high_watermark[follower], answer.end)
    s.answer[follower] = None


@action
def truncate(s: Partition, leader: Broker, follower: Broker) -> None:
    """{follower} asks {leader} where their logs diverge, and truncates its own: OffsetsForLeaderEpoch."""
    require(not fence_fetch and truncation != Truncation.HIGH_WATERMARK)
    require(follower in s.truncating)
    require(leads(s, leader) and s.view[follower].leader == leader)
    cut(s, follower, truncation_offset(s, leader, follower))
    s.truncating.remove(follower)


def truncation_offset(s: Partition, leader: Broker, follower: Broker) -> int:
    """The offset at which a follower that has asked its leader truncates its log."""
    if truncation == Truncation.COMMON_PREFIX:
        lost = not record_epoch and not knows_epoch(s, leader, follower)
        return (
            min(s.high_watermark[follower], len(s.log[follower]))
            if lost
            else common_end(s.log[leader], s.log[follower])
        )
    return min(len(s.log[follower]), end_of_last_epoch(s.log[leader], s.log[follower], s.high_watermark[follower]))


def knows_epoch(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether a leader that knows only its records' epochs knows where the epoch of the follower's last one ends."""
    end = len(s.log[leader])
    return end > 0 and (
        len(s.log[follower]) == 0
        or s.log[leader][0].epoch <= s.log[follower][len(s.log[follower]) - 1].epoch <= s.log[leader][end - 1].epoch
    )


# --- it is committed --------------------------------------------------------------------------------------------------


@action
def advance_high_watermark(s: Partition, leader: Broker) -> None:
    """{leader} moves its high watermark from {s.high_watermark[leader]} to {end_in_sync(s, leader)}."""
    require(leads(s, leader))
    require(not strict_high_watermark or len(s.view[leader].isr) >= effective_min_isr())
    require(end_in_sync(s, leader) > s.high_watermark[leader])
    require(recheck_high_watermark or is_fetched_from(s, leader))
    raise_high_watermark(s, leader)


def is_fetched_from(s: Partition, leader: Broker) -> bool:
    """Whether some follower fetches from a leader, which looks at its high watermark then."""
    return any(may_fetch(s, leader, follower) for follower in Broker)


def check_high_watermark(s: Partition, leader: Broker) -> None:
    """KAFKA-13091: a leader looks at its high watermark when it appends, and when it begins to lead."""
    if not recheck_high_watermark and leads(s, leader) and end_in_sync(s, leader) > s.high_watermark[leader]:
        raise_high_watermark(s, leader)


def raise_high_watermark(s: Partition, leader: Broker) -> None:
    """A leader moves its high watermark to where all that count are."""
    old = s.high_watermark[leader]
    new = end_in_sync(s, leader)
    s.high_watermark[leader] = new
    enough = len(maximal(s, leader)) >= effective_min_isr()
    for offset in range(old, new):
        if acks == Acks.ALL and s.log[leader][offset].epoch == s.view[leader].leader_epoch:
            if enough:
                s.acknowledged.add(s.log[leader][offset].id)
            else:
                s.refused.add(s.log[leader][offset].id)
    note_committed(s, leader, old, new)


def end_in_sync(s: Partition, leader: Broker) -> int:
    """The offset up to which every broker that counts is known to have the leader's log."""
    return min(
        s.fetch_offset[leader][broker] if broker != leader else len(s.log[leader])
        for broker in counted_brokers(s, leader)
    )


def counted_brokers(s: Partition, leader: Broker) -> Set[Broker]:
    """The brokers that count for the high watermark: the leader, and those that are in the ISR or may be by now
    (maximalIsr in Kafka)."""
    return (maximal(s, leader) if maximal_isr else s.view[leader].isr) | {leader}


# --- the ISR changes --------------------------------------------------------------------------------------------------


@action(kind="fault", budget="isr_shrinks")
def propose_shrink(s: Partition, leader: Broker, follower: Broker) -> None:
    """{leader} finds that {follower} lags, and asks the controller to take it out of the ISR."""
    require(alter_partition and isr_shrinks > 0)
    require(may_propose(s, leader))
    require(follower != leader and follower in s.view[leader].isr)
    s.request[leader] = AlterPartition(broker=follower, change=IsrChange.SHRINK, answered=False, restarted=False)


@action
def propose_expansion(s: Partition, leader: Broker, follower: Broker) -> None:
    """{leader} finds that {follower} has caught up, and asks the controller to take it into the ISR."""
    require(alter_partition)
    require(may_propose(s, leader))
    require(may_join(s, leader, follower))
    s.request[leader] = AlterPartition(broker=follower, change=IsrChange.EXPAND, answered=False, restarted=False)
    s.damaged.discard(follower)


@action(kind="fault", budget="isr_shrinks")
def shrink_isr(s: Partition, leader: Broker, follower: Broker) -> None:
    """{leader} finds that {follower} lags, and takes it out of the ISR in ZooKeeper."""
    require(not alter_partition and isr_shrinks > 0)
    require(controllers_decide(s))
    require(may_propose(s, leader))
    require(follower != leader and follower in s.view[leader].isr)
    isr = s.view[leader].isr - {follower}
    s.registered = replace(s.registered, isr=isr)
    s.view[leader] = replace(s.view[leader], isr=isr)
    s.left_isr.add(follower)


@action
def expand_isr(s: Partition, leader: Broker, follower: Broker) -> None:
    """{leader} finds that {follower} has caught up, and takes it into the ISR in ZooKeeper."""
    require(not alter_partition)
    require(controllers_decide(s))
    require(may_propose(s, leader))
    require(may_join(s, leader, follower))
    isr = s.view[leader].isr | {follower}
    s.registered = replace(s.registered, isr=isr)
    s.view[leader] = replace(s.view[leader], isr=isr)
    s.damaged.discard(follower)


def may_propose(s: Partition, leader: Broker) -> bool:
    """Whether it waits for no other change, and knows all that is registered: otherwise it would be refused."""
    return leads(s, leader) and s.request[leader] is None and is_current(s, leader)


def is_current(s: Partition, leader: Broker) -> bool:
    """Whether a leader knows the partition as it is registered."""
    return is_true_leader(s, leader) and s.view[leader].isr == s.registered.isr


def may_join(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether a fetch shows that a follower outside the ISR has what its members have."""
    return (
        follower not in s.view[leader].isr
        and may_fetch(s, leader, follower)
        and follower in s.assignment.replicas
        and (s.fetch_offset[leader][follower] == len(s.log[follower]) or not one_snapshot or not fetch_in_epoch)
        and s.fetch_offset[leader][follower] >= s.high_watermark[leader]
        and (not await_epoch_start or s.fetch_offset[leader][follower] >= epoch_start(s, leader))
    )


def epoch_start(s: Partition, leader: Broker) -> int:
    """The offset at which a leader's epoch began: that of its first record in it, or of the next one."""
    return min(
        (o for o in range(len(s.log[leader])) if s.log[leader][o].epoch == s.view[leader].leader_epoch),
        default=len(s.log[leader]),
    )


# --- brokers hear of it -----------------------------------------------------------------------------------------------


@action
def learn(s: Partition, broker: Broker) -> None:
    """{broker} learns that {s.registered.leader} leads epoch {s.registered.leader_epoch}; ISR = {s.registered.isr}."""
    require(broker in s.up and broker in s.assignment.replicas)
    require(has_news(s, broker) and not passes(s))
    if s.registered.leader != broker:
        note_refused(s, broker)
    led = leads(s, broker)
    asks = truncate_each_epoch or s.view[broker].leader != s.registered.leader
    anew = s.view[broker].leader_epoch != s.registered.leader_epoch or s.view[broker].leader != s.registered.leader
    follows = s.registered.leader is not None and s.registered.leader != broker
    end = s.high_watermark[broker]
    s.view[broker] = View(
        leader=s.registered.leader,
        leader_epoch=s.registered.leader_epoch,
        isr=s.registered.isr if s.registered.leader == broker else Set(),
    )
    s.request[broker] = None
    answer = s.answer[broker]
    if anew:
        if answer is not None:
            s.answer[broker] = replace(answer, late=True)
        if fetch_in_epoch or follows or not led:
            s.fetch_offset[broker] = nothing_fetched()
        if not follows:
            s.truncating.discard(broker)
        elif asks and truncation == Truncation.HIGH_WATERMARK:
            s.log[broker].truncate(end)
            s.flushed[broker] = min(s.flushed[broker], end)
        elif asks and not fence_fetch:
            s.truncating.add(broker)
        note_begun(s, broker)
        check_high_watermark(s, broker)


def has_news(s: Partition, broker: Broker) -> bool:
    """Whether the registered state is newer than what a broker knows."""
    request = s.request[broker]
    return (
        s.view[broker].leader_epoch != s.registered.leader_epoch
        or s.view[broker].leader != s.registered.leader
        or (s.registered.leader == broker and s.view[broker].isr != s.registered.isr)
        or (request is not None and request.answered)
    )
