"""What goes wrong: processes, power, disks, hosts and controllers. Each has a budget of its own."""

from __future__ import annotations

from ...language import action, is_majority, require, terminal
from .broker import delete_log, forget, note_lost_records
from .controller import register_assignment, take_out
from .state import *


def note_unclean_stop(s: Partition, broker: Broker) -> None:
    """A broker has left no mark of a clean shutdown."""
    s.unclean.add(broker)
    s.ever_unclean.add(broker)


def power_down(s: Partition, broker: Broker) -> None:
    """The broker's process ends: what was in memory is gone, and where the host has a controller, that is down too."""
    s.up.discard(broker)
    s.view[broker] = nobody_known(0)
    forget(s, broker)
    if co_located:
        s.voters_down.add(broker)


@action(kind="fault", budget="shutdowns")
def shut_down(s: Partition, broker: Broker, successor: Broker) -> None:
    """{broker} is shut down: it leaves the ISR, hands over leadership, flushes its log, and stops."""
    require(shutdowns > 0)
    require(broker in s.up and broker not in s.fenced)
    require(controllers_decide(s))
    take_out(s, broker, successor)
    s.flushed[broker] = len(s.log[broker])
    power_down(s, broker)


@action(kind="fault", budget="shutdowns")
def shut_down_fenced(s: Partition, broker: Broker) -> None:
    """{broker}, which the controller takes for down, is shut down: it flushes its log, and stops.

    The controller lets a fenced broker go at once (BrokerHeartbeatManager.calculateNextBrokerState, SHUTDOWN_NOW). It
    stays an eligible leader replica, since its stop is no unclean one.
    """
    require(stop_fenced and shutdowns > 0)
    require(broker in s.up and broker in s.fenced)
    s.flushed[broker] = len(s.log[broker])
    power_down(s, broker)


def lose_copy(s: Partition, broker: Broker) -> None:
    """The broker's copy is lost. It will make it anew, in a directory that the controller does not know of: an empty
    one has an id of its own, also at the same path."""
    note_lost_records(s, broker, 0)
    delete_log(s, broker)
    if assign_directories and broker in s.assignment.replicas:
        s.relocated.add(broker)


@action(kind="fault", budget="crashes")
def end_uncleanly(s: Partition, broker: Broker) -> None:
    """{broker}, which is down, leaves no mark of a clean shutdown: it dies while it is shut down, or while it starts.

    The mark is written last and taken away first (LogManager.shutdown, CleanShutdownFileHandler).
    """
    require(stop_fenced and elr and crashes > 0)
    require(broker not in s.up and broker not in s.gone and broker not in s.unclean)
    note_unclean_stop(s, broker)


@action(kind="fault", budget="crashes")
def crash(s: Partition, broker: Broker) -> None:
    """{broker}'s process dies; what it has written stays with the machine."""
    require(crashes > 0)
    require(broker in s.up)
    if not fresh_checkpoint:
        s.high_watermark[broker] = 0
    note_unclean_stop(s, broker)
    power_down(s, broker)


@action(kind="fault", budget="power_losses")
def lose_power(s: Partition, broker: Broker, kept: Offset) -> None:
    """{broker}'s host loses power; its log had been flushed up to offset {kept}."""
    require(power_losses > 0)
    require(broker in s.up)
    require(s.flushed[broker] <= kept <= len(s.log[broker]))
    require(not fsync or kept == len(s.log[broker]))
    note_lost_records(s, broker, kept)
    s.log[broker].truncate(kept)
    s.flushed[broker] = kept
    s.high_watermark[broker] = min(s.high_watermark[broker], kept) if fresh_checkpoint else 0
    note_unclean_stop(s, broker)
    power_down(s, broker)


@action(kind="fault", budget="disk_losses")
def lose_disk(s: Partition, broker: Broker) -> None:
    """{broker} stops, and will start again with an empty disk."""
    require(disk_losses > 0)
    require(broker not in s.gone)
    lose_copy(s, broker)
    note_unclean_stop(s, broker)
    power_down(s, broker)


@action(kind="fault", budget="directory_losses")
def lose_directory(s: Partition, broker: Broker) -> None:
    """{broker} loses the directory with its copy, and has others; it will start again without that directory.

    While it runs, it reports that to the controller, which takes it out of the ISR as if it were fenced
    (handleDirectoriesOffline; on ZooKeeper /log_dir_event_notification); the copy is there again after a restart. That
    start is one after a clean stop if the last stop was one: only directories that log.dirs still names are looked at
    for the mark of it (LogManager.readBrokerEpochFromCleanShutdownFiles). One that is named and cannot be read, or is
    empty, makes the stop an unclean one: that is lose_disk.
    """
    require(directory_losses > 0)
    require(broker not in s.gone)
    lose_copy(s, broker)
    s.up.discard(broker)
    s.view[broker] = nobody_known(0)
    forget(s, broker)


@action(kind="fault", budget="directory_moves")
def move_directory(s: Partition, broker: Broker) -> None:
    """{broker} moves its copy to another of its directories (KIP-113), and of the new copy nothing is flushed yet.

    The broker has the controller put the new directory on record, and takes the new copy once that is done
    (ReplicaAlterLogDirsThread.maybePromoteFutureReplica, KIP-858).
    """
    require(directory_moves > 0)
    require(broker in s.up and broker in s.assignment.replicas and broker not in s.relocated)
    require(controllers_decide(s) or not assign_directories)
    if not fsync:
        s.flushed[broker] = 0
    if assign_directories:
        s.registered = register_assignment(s.registered)


@action(kind="fault", budget="host_losses")
def lose_host(s: Partition, broker: Broker) -> None:
    """{broker}'s host is lost for good, with its disk."""
    require(host_losses > 0)
    require(broker not in s.gone)
    note_lost_records(s, broker, 0)
    delete_log(s, broker)
    s.gone.add(broker)
    s.unclean.discard(broker)
    s.relocated.discard(broker)
    power_down(s, broker)


@terminal
def nobody_decides_any_more(s: Partition) -> bool:
    """Most hosts with a controller are lost for good: nobody is fenced or elected, and no ISR changes."""
    return co_located and not is_majority(Set(Broker) - s.gone)


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
