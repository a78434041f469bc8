"""What goes wrong: processes, power, disks, hosts and controllers. Each has a budget of its own."""

from __future__ import annotations

from ...language import Set, action, limit, require
from .controller import elected, is_choice, unfenced, without
from .state import (
    Broker,
    Offset,
    Partition,
    View,
    co_located,
    controller_losses,
    controllers_decide,
    crashes,
    disk_losses,
    fresh_checkpoint,
    fsync,
    host_losses,
    max_leader_epoch,
    nothing_fetched,
    power_losses,
    shutdowns,
    voters,
)


def stopped() -> View:
    """What a process that does not run knows."""
    return View(leader=None, leader_epoch=0, isr=Set())


@action(kind="fault", budget="shutdowns")
def shut_down(s: Partition, broker: Broker, successor: Broker) -> None:
    """{broker} is shut down: it leaves the ISR, hands over the lead, flushes its log, and stops."""
    require(shutdowns > 0)
    require(broker in s.up and broker not in s.fenced)
    require(controllers_decide(s))
    target = without(s.registered, broker)
    alive = unfenced(s) - {broker}
    require(is_choice(target, alive, broker, successor))
    changed = elected(s.registered, target, alive, successor)
    limit(changed.leader_epoch <= max_leader_epoch)
    s.registered = changed
    s.fenced.add(broker)
    s.left_isr.add(broker)
    s.flushed[broker] = len(s.log[broker])
    s.up.remove(broker)
    s.view[broker] = stopped()
    s.truncating.discard(broker)
    s.answer[broker] = None
    s.pending[broker] = None
    s.fetched[broker] = nothing_fetched()
    if co_located:
        s.voters_down.add(broker)


@action(kind="fault", budget="crashes")
def crash(s: Partition, broker: Broker) -> None:
    """{broker}'s process dies; what it has written stays with the machine."""
    require(crashes > 0)
    require(broker in s.up)
    if not fresh_checkpoint:
        s.high_watermark[broker] = 0
    s.unclean.add(broker)
    s.up.remove(broker)
    s.view[broker] = stopped()
    s.truncating.discard(broker)
    s.answer[broker] = None
    s.pending[broker] = None
    s.fetched[broker] = nothing_fetched()
    if co_located:
        s.voters_down.add(broker)


@action(kind="fault", budget="power_losses")
def lose_power(s: Partition, broker: Broker, kept: Offset) -> None:
    """{broker}'s host loses power: {kept} of {len(s.log[broker])} records were on the disk."""
    require(power_losses > 0)
    require(broker in s.up)
    require(s.flushed[broker] <= kept <= len(s.log[broker]))
    require(not fsync or kept == len(s.log[broker]))
    if kept < len(s.log[broker]):
        s.lossy.add(broker)
    s.log[broker].truncate(kept)
    s.flushed[broker] = kept
    s.high_watermark[broker] = min(s.high_watermark[broker], kept) if fresh_checkpoint else 0
    s.unclean.add(broker)
    s.up.remove(broker)
    s.view[broker] = stopped()
    s.truncating.discard(broker)
    s.answer[broker] = None
    s.pending[broker] = None
    s.fetched[broker] = nothing_fetched()
    if co_located:
        s.voters_down.add(broker)


@action(kind="fault", budget="disk_losses")
def lose_disk(s: Partition, broker: Broker) -> None:
    """{broker} stops, and will start again with an empty disk."""
    require(disk_losses > 0)
    require(broker not in s.gone)
    if len(s.log[broker]) > 0:
        s.lossy.add(broker)
    s.log[broker].truncate(0)
    s.flushed[broker] = 0
    s.high_watermark[broker] = 0
    s.unclean.add(broker)
    s.up.discard(broker)
    s.view[broker] = stopped()
    s.truncating.discard(broker)
    s.answer[broker] = None
    s.pending[broker] = None
    s.fetched[broker] = nothing_fetched()
    if co_located:
        s.voters_down.add(broker)


@action(kind="fault", budget="host_losses")
def lose_host(s: Partition, broker: Broker) -> None:
    """{broker}'s host is lost for good, with its disk."""
    require(host_losses > 0)
    require(broker not in s.gone)
    if len(s.log[broker]) > 0:
        s.lossy.add(broker)
    s.gone.add(broker)
    s.log[broker].truncate(0)
    s.flushed[broker] = 0
    s.high_watermark[broker] = 0
    s.unclean.discard(broker)
    s.up.discard(broker)
    s.view[broker] = stopped()
    s.truncating.discard(broker)
    s.answer[broker] = None
    s.pending[broker] = None
    s.fetched[broker] = nothing_fetched()
    if co_located:
        s.voters_down.add(broker)


@action(kind="fault", budget="controller_losses")
def lose_controller(s: Partition) -> None:
    """A controller goes down."""
    require(controller_losses > 0)
    require(not co_located and s.controllers_down < voters)
    s.controllers_down += 1


@action
def restore_controller(s: Partition) -> None:
    """A controller is back."""
    require(controller_losses > 0)
    require(s.controllers_down > 0)
    s.controllers_down -= 1


@action
def start_controller(s: Partition, broker: Broker) -> None:
    """The controller on {broker}'s host is back; the broker has yet to register."""
    require(co_located)
    require(broker in s.voters_down and broker not in s.gone)
    s.voters_down.remove(broker)
