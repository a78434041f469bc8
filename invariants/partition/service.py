"""Whether a partition serves: what is always possible again by itself, without a repair by hand.

A state is *settled* where nothing is left that happens by itself. From every state a settled one can be reached, since
no step here undoes another for ever (`tests/model/partition/test_service.py` looks at every state of small ones). So
"once settled, writes are taken" says just that writes are always possible again, and it is a property of single
states, which every engine checks. What is broken stays broken meanwhile: a host that is lost, a controller that is
down.
"""

from __future__ import annotations

from ...language import invariant, reachable
from ...model.partition.broker import *
from ...model.partition.controller import waits_for_election
from ...model.partition.state import *


def is_settled(s: Partition) -> bool:
    """Whether nothing is left that happens by itself: what is missing now stays missing until somebody repairs it."""
    return (
        all(not is_busy(s, broker) for broker in s.up)
        and all(not (may_fetch_more(s, leader, broker)) for leader in s.up for broker in s.up)
        and (not controllers_decide(s) or nothing_to_register(s))
    )


def is_busy(s: Partition, broker: Broker) -> bool:
    """Whether a running broker has something to learn, to truncate or to commit."""
    leader = s.view[broker].leader
    return (
        (broker in s.assignment.replicas and has_news(s, broker))
        or s.answer[broker] is not None
        or (broker in s.truncating and leader is not None and leads(s, leader))
        or (
            leads(s, broker)
            and (not strict_high_watermark or len(s.view[broker].isr) >= effective_min_isr())
            and end_in_sync(s, broker) > s.high_watermark[broker]
        )
    )


def may_fetch_more(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether a fetch would bring anything."""
    return leads(s, leader) and may_fetch(s, leader, follower) and fetch_changes_something(s, leader, follower)


def nothing_to_register(s: Partition) -> bool:
    """Whether the controller has nobody to fence or to let back, and no leader asks for another ISR, or could."""
    return (
        all((broker in s.up) == (broker not in s.fenced) for broker in Broker)
        and all(broker in s.up or broker in s.gone for broker in Broker)
        and all(s.request[broker] is None for broker in s.up)
        and len(s.relocated & s.up) == 0
        and not (assign_directories and disk_losses + directory_losses > 0 and waits_for_election(s))
        and all(not (may_propose(s, leader) and may_join(s, leader, broker)) for leader in s.up for broker in Broker)
    )


@invariant
def writes_resume(s: Partition) -> bool:
    """Without a repair by hand a leader takes records again, and answers as its producers wait for it (`acks`)."""
    return not is_settled(s) or (takes_with_all(s) if acks == Acks.ALL else takes_with_less(s))


def takes_with_less(s: Partition) -> bool:
    """Whether some broker knows that it leads, and the ISR as it is registered: it takes records with acks=1 or 0."""
    return any(is_current(s, leader) for leader in s.up)


def takes_with_all(s: Partition) -> bool:
    """Whether such a broker answers acks=all: its ISR is large enough, and all of it runs."""
    return any(
        is_current(s, leader) and len(s.view[leader].isr) >= effective_min_isr() and s.view[leader].isr <= s.up
        for leader in s.up
    )


@invariant
def reads_resume(s: Partition) -> bool:
    """Without a repair by hand what is acknowledged can be read again.

    That needs a leader; and with acks other than all, that its high watermark moves, since records are acknowledged
    above it: all of the ISR must run, and be as many as min.insync.replicas asks for (KAFKA-15583).
    """
    return not is_settled(s) or (serves_all(s) if acks == Acks.ALL else serves_less(s))


def serves_all(s: Partition) -> bool:
    """Whether some broker leads in the newest epoch: what was acknowledged with acks=all can be read."""
    return any(is_true_leader(s, leader) for leader in s.up)


def serves_less(s: Partition) -> bool:
    """Whether such a broker's high watermark moves, too."""
    return any(
        is_true_leader(s, leader)
        and s.view[leader].isr <= s.up
        and (not strict_high_watermark or len(s.view[leader].isr) >= effective_min_isr())
        for leader in s.up
    )


@reachable
def settles(s: Partition) -> bool:
    """Nothing is left that happens by itself. Without such a state the two above would say nothing."""
    return is_settled(s)
