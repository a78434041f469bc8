"""What controllers do: they create `/controller`, read who is registered, elect, and send what they wrote."""

from __future__ import annotations

from ...language import Option, Set, action, choose, limit, replace, require
from ..parts.zookeeper import Session
from .lumping import reads_at_once, settle
from .state import (
    Broker,
    Cluster,
    LeaderAndIsr,
    Metadata,
    Partition,
    StopReplica,
    UpdateMetadata,
    can_write,
    controller_cas,
    deletions,
    epoch_cas,
    lumped,
    max_epoch,
    max_version,
    one_multi,
    resigns_first,
    room,
    stops,
    updates,
    write_fence,
)

# --- who is the controller --------------------------------------------------------------------------------------------


def is_idle(s: Cluster, broker: Broker) -> bool:
    """Whether a broker neither believes to be the controller nor is about to."""
    return s.held[broker] == 0 and broker not in s.creating


def next_epoch(s: Cluster, broker: Broker) -> int:
    """The epoch that a broker takes: one more than it has read, which is the newest if it compares when it writes."""
    return (s.controller_epoch if epoch_cas else s.counted[broker]) + 1


def write_epoch(s: Cluster, broker: Broker) -> None:
    """A broker writes the epoch, and believes to be the controller of it."""
    s.controller_epoch = next_epoch(s, broker)
    s.held[broker] = s.controller_epoch


@action
def read_epoch(s: Cluster, broker: Broker) -> None:
    """{broker} reads that the epoch is {s.controller_epoch}, and will take the next one whatever is there by then."""
    require(not epoch_cas and can_write(s, broker) and s.held[broker] == 0)
    require(s.counted[broker] != s.controller_epoch)
    s.counted[broker] = s.controller_epoch


@action
def become_controller(s: Cluster, broker: Broker) -> None:
    """{broker} creates /controller and raises the epoch to {next_epoch(s, broker)}, in one transaction."""
    require(one_multi and can_write(s, broker) and s.controller is None and is_idle(s, broker))
    limit(next_epoch(s, broker) <= max_epoch)
    s.controller = broker
    write_epoch(s, broker)
    if lumped and reads_at_once():
        s.read[broker] = s.partition
    settle(s)


@action
def create_controller(s: Cluster, broker: Broker) -> None:
    """{broker} creates /controller, and has yet to raise the epoch."""
    require(not one_multi and can_write(s, broker) and s.controller is None and is_idle(s, broker))
    s.controller = broker
    s.creating.add(broker)


@action
def raise_epoch(s: Cluster, broker: Broker) -> None:
    """{broker} raises the epoch to {next_epoch(s, broker)}, and believes to be the controller."""
    require(not one_multi and can_write(s, broker) and broker in s.creating)
    limit(next_epoch(s, broker) <= max_epoch)
    write_epoch(s, broker)
    s.creating.remove(broker)


@action
def resign(s: Cluster, broker: Broker) -> None:
    """{broker} notices that it is no longer the controller, or that its session is over."""
    require(not is_idle(s, broker))
    require((can_write(s, broker) and s.controller != broker) or (resigns_first and is_over(s, broker)))
    s.held[broker] = 0
    s.creating.discard(broker)
    s.read[broker] = None
    s.live[broker] = Set()
    s.back[broker] = Set()
    s.owed[broker] = Set()


def is_over(s: Cluster, broker: Broker) -> bool:
    """Whether a broker knows that its session has ended; where states are lumped it learns so in the step after."""
    return s.session[broker] == (Session.EXPIRED if lumped else Session.OVER)


@action(kind="fault")
def delete_controller(s: Cluster) -> None:
    """Somebody deletes /controller, while the session of {s.controller} goes on."""
    require(deletions > 0 and s.deleted < deletions and s.majority and s.controller is not None)
    s.controller = None
    s.deleted += 1


# --- what a controller does -------------------------------------------------------------------------------------------


def can_read(s: Cluster, broker: Broker) -> bool:
    """Whether a controller reads from ZooKeeper: with a session it does until it resigns, also if it was replaced."""
    return can_write(s, broker) and s.held[broker] > 0


@action
def read_partition(s: Cluster, broker: Broker) -> None:
    """Controller {broker} reads the partition's znode."""
    require(not (lumped and reads_at_once()))
    require(can_read(s, broker) and s.read[broker] != s.partition)
    s.read[broker] = s.partition


@action
def read_brokers(s: Cluster, broker: Broker) -> None:
    """Controller {broker} reads that {s.registered} are registered: it deals with who is gone before who is new."""
    require(can_read(s, broker) and (s.live[broker] != s.registered or len(s.back[broker]) > 0))
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        if not s.live[broker] <= s.registered or len(s.back[broker]) > 0:
            s.live[broker] = (s.live[broker] & s.registered) - s.back[broker]
            s.owed[broker] = s.owed[broker] & s.live[broker]
            s.back[broker] = Set()
        else:
            require(len(s.live[broker]) == 0 or not is_wrong(old, s.live[broker]))
            s.owed[broker] = s.owed[broker] | (s.registered - s.live[broker])
            s.live[broker] = s.registered


def without_the_dead(old: Partition, live: Set[Broker]) -> Partition:
    """What a controller makes of the partition: the dead leave the ISR, and the first one of the ISR in the order of
    the assignment leads, if the leader is dead."""
    return Partition(
        leader=old.leader if old.leader is not None and old.leader in live else first_of(old.isr & live),
        leader_epoch=old.leader_epoch + 1,
        isr=old.isr & live,
        version=old.version + 1,
    )


def first_of(some: Set[Broker]) -> Option[Broker]:
    """The first of them in the order of the assignment; None where there is none."""
    return choose(node for node in Broker if node in some) if len(some) > 0 else None


def is_wrong(old: Partition, live: Set[Broker]) -> bool:
    """Whether a controller has something to do: there is no leader and could be one, or there are dead in the ISR."""
    return (old.leader is None and len(old.isr & live) > 0) or (
        old.leader is not None and (old.leader not in live or not old.isr <= live)
    )


def send(s: Cluster, broker: Broker, to: Set[Broker], informed: Set[Broker], partition: Partition) -> None:
    """A controller sends LeaderAndIsr and UpdateMetadata, to those who still have the registration that it has read;
    others refuse them."""
    held = s.held[broker]
    if len(to - s.back[broker]) > 0:
        s.requests.add(LeaderAndIsr(to=to - s.back[broker], controller_epoch=held, partition=partition))
    if updates > 0 and len(informed - s.back[broker]) > 0:
        metadata = Metadata(leader=partition.leader, leader_epoch=partition.leader_epoch)
        s.updating.add(UpdateMetadata(to=informed - s.back[broker], controller_epoch=held, metadata=metadata))


@action
def elect(s: Cluster, broker: Broker) -> None:
    """Controller {broker}, with epoch {s.held[broker]}, takes who is gone out of the ISR, and sees to the leader."""
    require(can_write(s, broker) and s.held[broker] > 0)
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        require(is_wrong(old, s.live[broker]) and len(old.isr & s.live[broker]) > 0)
        write_and_send(s, broker, old, without_the_dead(old, s.live[broker]))


@action
def elect_nobody(s: Cluster, broker: Broker, last: Broker) -> None:
    """Controller {broker}, with epoch {s.held[broker]}, finds all of the ISR gone: {last} stays, and nobody leads.

    It takes them out one after the other, in no order that is laid down, and never the last one.
    """
    require(can_write(s, broker) and s.held[broker] > 0 and len(s.live[broker]) > 0)
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        require(is_wrong(old, s.live[broker]) and len(old.isr & s.live[broker]) == 0 and last in old.isr)
        alone = Partition(leader=None, leader_epoch=old.leader_epoch + 1, isr=Set([last]), version=old.version + 1)
        write_and_send(s, broker, old, alone)


def write_and_send(s: Cluster, broker: Broker, old: Partition, new: Partition) -> None:
    """A controller that has read `old` writes `new`, and sends it to all that it knows."""
    write_election(s, broker, old, new)
    s.owed[broker] = Set()
    send(s, broker, s.live[broker], s.live[broker], s.partition)
    settle(s)


def write_election(s: Cluster, broker: Broker, old: Partition, new: Partition) -> None:
    """A controller that has read `old` writes `new`."""
    require(not write_fence or s.held[broker] == s.controller_epoch)
    require(not controller_cas or old.version == s.partition.version)
    limit(old.version < max_version and s.partition.version < max_version)
    limit(len(s.requests) < room and (updates == 0 or len(s.updating) < updates))
    s.partition = replace(new, version=s.partition.version + 1)
    s.read[broker] = s.partition


@action(kind="client", budget="stops")
def move_away_and_back(s: Cluster, broker: Broker, replica: Broker) -> None:
    """Controller {broker} moves the replica off {replica}, which is to stop, and is to give it back to {replica}."""
    require(stops > 0 and can_read(s, broker) and replica in s.live[broker] - s.back[broker])
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        require(old.leader is not None and old.leader != replica and replica in old.isr)
        require(not is_wrong(old, s.live[broker]))
        isr = old.isr - {replica}
        write_election(s, broker, old, replace(old, leader_epoch=old.leader_epoch + 1, isr=isr))
        held = s.held[broker]
        s.stopping.add(StopReplica(to=Set([replica]), controller_epoch=held, leader_epoch=old.leader_epoch))
        send(s, broker, s.live[broker] - {replica}, s.live[broker], s.partition)
        s.owed[broker] = Set([replica])
        settle(s)


@action
def announce(s: Cluster, broker: Broker) -> None:
    """Controller {broker} sends what it has read of the partition to {s.owed[broker]}, which are new to it."""
    require(s.held[broker] > 0 and len(s.owed[broker]) > 0)
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        limit(len(s.requests) < room and (updates == 0 or len(s.updating) < updates))
        send(s, broker, s.owed[broker], s.owed[broker], old)
        s.owed[broker] = Set()
        settle(s)
