"""What must happen in a partition once faults have stopped: it gets a leader, its high watermark moves on, and what was
acknowledged can be read again.

Every kind of fault has a budget, so that in each run there is a last one, and fairness makes nothing of faults.
Records have a bound, and a claim that holds is one of the runs in which producers stop in the end: it says so
(`_RECORDS`). What is fair here is what Kafka does again and again: followers fetch, brokers apply what the controller
registers, leaders ask for a larger ISR and the controller answers, it fences who is down, and who is down starts
again.
"""

from __future__ import annotations

from ...language import always_eventually, always_possible, leads_to, limits_of, reachable, weak
from ...model import partition
from ...model.partition import controller
from ...model.partition.broker import *
from ...model.partition.state import Broker, Partition, RecordId, is_reassigned, is_true_leader, max_records, replicas

modules = (*partition.modules, partition)
profiles = partition.profiles
view = partition.view

_RETURNS = (
    weak(controller.restart, controller.restart_unnoticed, each="broker"),
    weak(controller.unfence, each="broker"),
)
_FETCHES = (weak(fetch, truncate, each="follower"), weak(cut_late, each="follower"))
_RECORDS = (limits_of(produce),)
_GOES_ON = (
    weak(learn, each="broker"),
    weak(controller.fence, each="broker"),
    weak(advance_high_watermark, each="leader"),
    weak(propose_expansion, expand_isr, each="follower"),
    weak(controller.change_isr, controller.refuse_isr_change, each="leader"),
)


def has_leader(s: Partition) -> bool:
    """Whether the controller has a leader on record."""
    return s.registered.leader is not None


@leads_to(has_leader, *_RETURNS, *_RECORDS)
def gets_a_leader(s: Partition) -> bool:
    """RL8: a partition without a leader gets one, if every broker that is down starts again."""
    return s.registered.leader is None


@leads_to(has_leader, *_FETCHES, *_GOES_ON)
def gets_a_leader_though_nobody_returns(s: Partition) -> bool:
    """RL8 without what it needs: a partition gets a leader though brokers may stay down."""
    return s.registered.leader is None


@always_possible
def may_have_a_leader(s: Partition) -> bool:
    """RL8 without any fairness: whatever has happened, some way leads to a leader."""
    return has_leader(s)


@always_possible
def may_commit_all(s: Partition) -> bool:
    """RL2 without any fairness: whatever has happened, some way leads to where the leader's whole log is committed."""
    return all_is_committed(s)


@always_eventually(*_FETCHES, *_GOES_ON, *_RETURNS, *_RECORDS)
def high_watermark_moves_on(s: Partition) -> bool:
    """RL2: once producers have stopped, the leader's high watermark is again and again at the end of its log."""
    return all_is_committed(s)


@always_eventually(*_GOES_ON, *_RETURNS)
def high_watermark_moves_on_without_fetches(s: Partition) -> bool:
    """The same without what it needs: a follower in the ISR may stop to fetch."""
    return all_is_committed(s)


def all_is_committed(s: Partition) -> bool:
    """Whether the leader on record knows that it leads, and its high watermark is at the end of its log."""
    return any(is_true_leader(s, leader) and s.high_watermark[leader] == len(s.log[leader]) for leader in Broker)


@always_eventually(*_FETCHES, *_GOES_ON, *_RETURNS, *_RECORDS)
def acknowledged_is_readable_again(s: Partition, id: RecordId) -> bool:
    """Every acknowledged record is again and again below the high watermark of the partition's leader."""
    return id not in s.acknowledged or any(
        is_true_leader(s, leader) and is_readable(s, leader, id) for leader in Broker
    )


# --- one claim for each part of a record's way ------------------------------------------------------------------------


def waits_for_answer(s: Partition, id: RecordId) -> bool:
    """Whether a record that the partition's leader has taken is above its high watermark: the producer waits."""
    return any(
        is_true_leader(s, leader) and s.log[leader][offset].id == id
        for leader in Broker
        for offset in range(s.high_watermark[leader], len(s.log[leader]))
    )


def is_answered(s: Partition, id: RecordId) -> bool:
    """Whether the producer has an answer, or that leader leads no longer: the producer sends the record to another."""
    return not waits_for_answer(s, id)


@leads_to(is_answered, *_FETCHES, *_GOES_ON, *_RETURNS, *_RECORDS)
def writes_are_answered(s: Partition, id: RecordId) -> bool:
    """RL1: a record that a leader has taken is acknowledged or refused, or another leader is elected."""
    return waits_for_answer(s, id)


@leads_to(is_answered, *_FETCHES, *_GOES_ON, *_RECORDS)
def writes_are_answered_though_nobody_returns(s: Partition, id: RecordId) -> bool:
    """RL1 of a cluster in which brokers may stay down: an ISR without them is enough."""
    return waits_for_answer(s, id)


@leads_to(is_answered, *_GOES_ON)
def writes_are_answered_without_fetches(s: Partition, id: RecordId) -> bool:
    """RL1 without what it needs: a follower in the ISR may stop to fetch."""
    return waits_for_answer(s, id)


@always_eventually(*_FETCHES, *_GOES_ON, *_RETURNS, *_RECORDS)
def logs_are_alike_again(s: Partition) -> bool:
    """RL2, RL7: once producers have stopped, every replica again and again has the leader's log."""
    return any(is_true_leader(s, leader) and all(s.log[at] == s.log[leader] for at in Broker) for leader in Broker)


@always_eventually(*_FETCHES, *_GOES_ON)
def logs_are_alike_though_nobody_returns(s: Partition) -> bool:
    """RL2, RL7 without what they need: brokers may stay down."""
    return any(is_true_leader(s, leader) and all(s.log[at] == s.log[leader] for at in Broker) for leader in Broker)


def is_missing(s: Partition, broker: Broker) -> bool:
    """Whether a broker is down or fenced, and is not lost for good."""
    return broker not in s.gone and (broker not in s.up or broker in s.fenced)


def is_back(s: Partition, broker: Broker) -> bool:
    """Whether a broker is up and unfenced."""
    return not is_missing(s, broker)


@leads_to(is_back, *_RETURNS, *_GOES_ON, *_RECORDS)
def brokers_are_unfenced(s: Partition, broker: Broker) -> bool:
    """RL3: a broker that was down or fenced is up and unfenced in the end."""
    return is_missing(s, broker)


@leads_to(is_back, *_GOES_ON)
def brokers_are_unfenced_without_starting(s: Partition, broker: Broker) -> bool:
    """RL3 without what it needs: brokers are not started, and send no heartbeats."""
    return is_missing(s, broker)


def asks_for_isr(s: Partition, leader: Broker) -> bool:
    """Whether a leader waits for the answer to an AlterPartition request."""
    return s.request[leader] is not None


def asks_no_more(s: Partition, leader: Broker) -> bool:
    """Whether it does not."""
    return s.request[leader] is None


@leads_to(asks_no_more, *_GOES_ON, *_RECORDS)
def isr_changes_are_answered(s: Partition, leader: Broker) -> bool:
    """RL4: an AlterPartition request is answered, or overtaken by what the controller registers."""
    return asks_for_isr(s, leader)


@leads_to(asks_no_more, weak(controller.fence, each="broker"))
def isr_changes_are_answered_without_metadata(s: Partition, leader: Broker) -> bool:
    """RL4 without what it needs: the leader learns of nothing that the controller registers."""
    return asks_for_isr(s, leader)


@always_eventually(*_GOES_ON, *_RECORDS)
def metadata_converges(s: Partition) -> bool:
    """RL5: again and again every broker that is up knows what is registered."""
    return all(broker not in s.up or not has_news(s, broker) for broker in Broker)


@always_eventually(*_RETURNS)
def metadata_converges_without_learning(s: Partition) -> bool:
    """RL5 without what it needs: brokers apply nothing of what is registered."""
    return all(broker not in s.up or not has_news(s, broker) for broker in Broker)


@always_eventually(*_FETCHES, *_GOES_ON, *_RECORDS)
def accepts_writes_again(s: Partition) -> bool:
    """RL9: again and again the partition's leader accepts writes, though brokers stay down."""
    return any(is_true_leader(s, leader) and accepts(s, leader) for leader in Broker)


def is_readable(s: Partition, leader: Broker, id: RecordId) -> bool:
    """Whether a broker has a record below its high watermark."""
    return any(s.log[leader][offset].id == id for offset in range(s.high_watermark[leader]))


def is_settled(s: Partition) -> bool:
    """Whether no reassignment is under way."""
    return not is_reassigned(s)


@leads_to(
    is_settled, *_FETCHES, *_GOES_ON, *_RETURNS, weak(controller.complete_reassignment), weak(controller.delete_replica)
)
def reassignments_complete(s: Partition) -> bool:
    """RL6: a reassignment comes to its end, if the brokers that are to have a copy fetch."""
    return is_reassigned(s)


@leads_to(is_settled, *_GOES_ON, *_RETURNS, weak(controller.complete_reassignment), weak(controller.delete_replica))
def reassignments_complete_without_fetches(s: Partition) -> bool:
    """RL6 without what it needs: those that are to have a copy do not fetch."""
    return is_reassigned(s)


# --- what the claims begin with ---------------------------------------------------------------------------------------


@reachable
def nobody_leads_and_somebody_may(s: Partition) -> bool:
    """Nobody leads, and somebody in the ISR is down and may start again."""
    eligible = (s.registered.isr | s.registered.elr) & s.assignment.replicas
    return s.registered.leader is None and any(broker not in s.gone for broker in eligible)


@reachable
def waits_while_isr_is_smaller(s: Partition) -> bool:
    """A producer waits for its answer, while not all replicas are in sync any more."""
    return any(waits_for_answer(s, id) for id in range(max_records)) and len(s.registered.isr) < replicas


@reachable
def logs_differ(s: Partition) -> bool:
    """A broker that is up has a record that the partition's leader does not have."""
    return any(
        is_true_leader(s, leader) and broker in s.up and len(s.log[broker]) > len(s.log[leader])
        for leader in Broker
        for broker in Broker
    )


@reachable
def acknowledged_is_not_readable(s: Partition) -> bool:
    """An acknowledged record is above the high watermark of the partition's leader."""
    return any(
        is_true_leader(s, leader) and id in s.acknowledged and not is_readable(s, leader, id)
        for leader in Broker
        for id in range(max_records)
    )
