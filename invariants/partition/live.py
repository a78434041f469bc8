"""What must happen in a partition once faults have stopped: it gets a leader, its high watermark moves on, and what was
acknowledged can be read again.

Every kind of fault has a budget, so that in each run there is a last one, and fairness makes nothing of faults. What is
fair here is what Kafka does again and again: followers fetch, brokers apply what the controller registers, leaders ask
for a larger ISR and the controller answers, it fences who is down, and who is down starts again.
"""

from __future__ import annotations

from ...language import always_eventually, leads_to, weak
from ...model import partition
from ...model.partition import nobody_leads as nobody_leads
from ...model.partition.broker import a_record_is_missing as a_record_is_missing
from ...model.partition.broker import (
    advance_high_watermark,
    cut_late,
    expand_isr,
    fetch,
    learn,
    propose_expansion,
    truncate,
)
from ...model.partition.broker import writes_have_stopped as writes_have_stopped
from ...model.partition.controller import change_isr, fence, refuse_isr_change, restart, restart_unnoticed, unfence
from ...model.partition.state import Broker, Partition, RecordId, is_true_leader

modules = partition.modules
profiles = partition.profiles
view = partition.view

_RETURNS = (weak(restart, restart_unnoticed, each="broker"), weak(unfence, each="broker"))
_FETCHES = (weak(fetch, truncate, each="follower"), weak(cut_late, each="follower"))
_GOES_ON = (
    weak(learn, each="broker"),
    weak(fence, each="broker"),
    weak(advance_high_watermark, each="leader"),
    weak(propose_expansion, expand_isr, each="follower"),
    weak(change_isr, refuse_isr_change, each="leader"),
)


def has_leader(s: Partition) -> bool:
    """Whether the controller has a leader on record."""
    return s.registered.leader is not None


@leads_to(has_leader, *_RETURNS)
def gets_a_leader(s: Partition) -> bool:
    """RL8: a partition without a leader gets one, if every broker that is down starts again."""
    return s.registered.leader is None


@leads_to(has_leader, *_FETCHES, *_GOES_ON)
def gets_a_leader_though_nobody_returns(s: Partition) -> bool:
    """RL8 without what it needs: a partition gets a leader though brokers may stay down."""
    return s.registered.leader is None


@always_eventually(*_FETCHES, *_GOES_ON, *_RETURNS)
def high_watermark_moves_on(s: Partition) -> bool:
    """Again and again the partition's leader has its high watermark at the end of its log."""
    return all_is_committed(s)


@always_eventually(*_GOES_ON, *_RETURNS)
def high_watermark_moves_on_without_fetches(s: Partition) -> bool:
    """The same without what it needs: a follower in the ISR may stop to fetch."""
    return all_is_committed(s)


def all_is_committed(s: Partition) -> bool:
    """Whether the leader on record knows that it leads, and its high watermark is at the end of its log."""
    return any(is_true_leader(s, leader) and s.high_watermark[leader] == len(s.log[leader]) for leader in Broker)


@always_eventually(*_FETCHES, *_GOES_ON, *_RETURNS)
def acknowledged_is_readable_again(s: Partition, id: RecordId) -> bool:
    """Every acknowledged record is again and again below the high watermark of the partition's leader."""
    return id not in s.acknowledged or any(
        is_true_leader(s, leader) and is_readable(s, leader, id) for leader in Broker
    )


def is_readable(s: Partition, leader: Broker, id: RecordId) -> bool:
    """Whether a broker has a record below its high watermark."""
    return any(s.log[leader][offset].id == id for offset in range(s.high_watermark[leader]))
