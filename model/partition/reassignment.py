"""The copies move to other brokers: the new ones fetch first, and then the old ones go.

Somebody asks for it (kafka-reassign-partitions.sh), the controller has it on record until it is complete, and a broker
that holds no copy any more deletes what it had. As KRaft does it: adding replicas makes no new leader epoch, removing
some does. What is put together: it completes in a step of its own, not in that in which the last one joins the ISR; no
second one is asked for meanwhile, though one may be cancelled; and none asks for fewer copies than
`min.insync.replicas`.
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
    Registration,
    await_target,
    cancellations,
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
    alive, target = unfenced(s) - s.assignment.removing, left_by(s.registered, s.assignment.removing)
    require(stays(target, alive) or len(candidates(target, alive)) > 0)
    leave(s, s.assignment.removing, successor)


@action(kind="fault", budget="cancellations")
def cancel_reassignment(s: Partition, successor: Broker) -> None:
    """An operator cancels the reassignment: {s.assignment.adding} leave again.

    The controller refuses that where it leaves nobody in sync (PartitionReassignmentRevert, KIP-455).
    """
    require(reassignments > 0 and cancellations > 0)
    require(controllers_decide(s))
    require(is_reassigned(s))
    require(len(s.registered.isr - s.assignment.adding) > 0)
    leave(s, s.assignment.adding, successor)


def leave(s: Partition, leaving: Set[Broker], successor: Broker) -> None:
    """The reassignment is over, and some brokers are replicas no longer, which makes a new leader epoch. A leader that
    is among them has a successor."""
    alive, target = unfenced(s) - leaving, left_by(s.registered, leaving)
    require(is_choice(target, alive, successor, successor))
    changed = elected(s.registered, target, alive, successor)
    if len(leaving) > 0:
        changed = replace(changed, leader_epoch=s.registered.leader_epoch + 1)
    limit(changed.leader_epoch <= max_leader_epoch)
    s.left_isr = s.left_isr | (s.registered.isr & leaving)
    s.registered = changed
    s.assignment = Assignment(replicas=s.assignment.replicas - leaving, adding=Set(), removing=Set())


def left_by(registered: Registration, leaving: Set[Broker]) -> Registration:
    """The partition with brokers out of the ISR and the ELR that are to hold no copy."""
    isr = registered.isr - leaving
    return replace(registered, isr=isr, elr=next_elr(registered, isr, leaving))


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
