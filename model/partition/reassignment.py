"""The copies move to other brokers: the new ones fetch first, and then the old ones go.

Somebody asks for it (kafka-reassign-partitions.sh), the controller has it on record until it is complete, and a broker
that holds no copy any more deletes what it had. As KRaft does it: adding replicas makes no new leader epoch, removing
some does. What is put together: it completes in a step of its own, not in that in which the last one joins the ISR; no
second one is asked for meanwhile; and none asks for fewer copies than `min.insync.replicas`.
"""

from __future__ import annotations

from ...language import Set, action, limit, replace, require
from .broker import delete_log, forget
from .controller import candidates, elected, is_choice, next_elr, stays, unfenced
from .ghosts import note_lost_records, note_refused
from .state import (
    Assignment,
    Broker,
    Partition,
    await_target,
    controllers_decide,
    effective_min_isr,
    max_leader_epoch,
    nobody_known,
    reassignments,
)


@action(kind="fault", budget="reassignments")
def reassign(s: Partition, target: Set[Broker]) -> None:
    """An operator reassigns the partition from {s.assignment.replicas} to {target}."""
    require(reassignments > 0)
    require(controllers_decide(s))
    require(not is_reassigned(s))
    require(len(target) >= effective_min_isr() and target != s.assignment.replicas)
    held = s.assignment.replicas
    s.assignment = Assignment(replicas=held | target, adding=target - held, removing=held - target)


def is_reassigned(s: Partition) -> bool:
    """Whether a reassignment is under way."""
    return len(s.assignment.adding | s.assignment.removing) > 0


@action
def complete_reassignment(s: Partition, successor: Broker) -> None:
    """The reassignment is complete: {s.assignment.removing} leave, and {successor} leads."""
    require(reassignments > 0)
    require(controllers_decide(s))
    require(may_complete(s))
    isr = s.registered.isr - s.assignment.removing
    target = replace(s.registered, isr=isr, elr=next_elr(s.registered, isr, Set()))
    alive = unfenced(s) - s.assignment.removing
    require(stays(target, alive) or len(candidates(target, alive)) > 0)
    require(is_choice(target, alive, successor, successor))
    changed = elected(s.registered, target, alive, successor)
    if len(s.assignment.removing) > 0:
        changed = replace(changed, leader_epoch=s.registered.leader_epoch + 1)
    limit(changed.leader_epoch <= max_leader_epoch)
    s.left_isr = s.left_isr | (s.registered.isr & s.assignment.removing)
    s.registered = changed
    s.assignment = Assignment(replicas=kept(s), adding=Set(), removing=Set())


def kept(s: Partition) -> Set[Broker]:
    """The brokers that are to hold a copy once the reassignment is complete."""
    return s.assignment.replicas - s.assignment.removing


def may_complete(s: Partition) -> bool:
    """Whether the reassignment may complete: all target replicas are in the ISR. Before 3.8 it was enough that the ISR
    holds the new ones, and at least one target replica."""
    isr = s.registered.isr - s.assignment.removing
    return is_reassigned(s) and (kept(s) <= isr if await_target else len(isr) > 0 and s.assignment.adding <= isr)


@action
def delete_replica(s: Partition, broker: Broker) -> None:
    """{broker} learns that it is no longer a replica, and deletes its {len(s.log[broker])} records."""
    require(reassignments > 0)
    require(broker in s.up and broker not in s.assignment.replicas)
    require(s.view[broker].leader is not None or len(s.log[broker]) > 0)
    note_lost_records(s, broker, 0)
    note_refused(s, broker)
    delete_log(s, broker)
    s.view[broker] = nobody_known(s.view[broker].leader_epoch)
    forget(s, broker)
