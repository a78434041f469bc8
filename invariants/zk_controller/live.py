"""What must happen with the controller on ZooKeeper: there is one, and a partition's leader knows what is registered.

Cuts of connections have a budget, and so have controller epochs and versions of the partition's znode. Where one of
those would be exceeded a claim decides nothing.
"""

from __future__ import annotations

from ...language import leads_to, limits_of, reachable, weak
from ...model import zk_controller
from ...model.parts.zookeeper import is_alive
from ...model.zk_controller import protocol
from ...model.zk_controller.state import Broker, Cluster

modules = zk_controller.modules
profiles = zk_controller.profiles
view = zk_controller.view

_SESSIONS = (
    weak(protocol.connect_again, protocol.end_session, each="broker"),
    weak(protocol.learn, each="broker"),
    weak(protocol.register, each="broker"),
)
_ISR_CHANGES = (limits_of(protocol.ask_to_expand, protocol.ask_to_shrink),)
_MAJORITY = (weak(protocol.regain_majority),)
_CONTROLLER = (
    weak(protocol.become_controller, protocol.create_controller),
    weak(protocol.raise_epoch, each="broker"),
    weak(protocol.resign, each="broker"),
)
_WORK = (
    weak(protocol.read_partition, each="broker"),
    weak(protocol.read_brokers, each="broker"),
    weak(protocol.elect, protocol.elect_nobody, each="broker"),
    weak(protocol.announce, each="broker"),
    weak(protocol.obey, protocol.refuse, each="to"),
)


def there_is_none(s: Cluster) -> bool:
    """Whether there is no /controller, or it is of a broker that has no session or does not act as the controller."""
    return not there_is_one(s)


def there_is_one(s: Cluster) -> bool:
    """Whether a broker that has a session owns /controller, and believes to be the controller or is about to."""
    return any(
        s.controller == broker and is_alive(s.session[broker]) and (s.held[broker] > 0 or broker in s.creating)
        for broker in Broker
    )


@leads_to(there_is_one, *_CONTROLLER, *_SESSIONS, *_MAJORITY, *_ISR_CHANGES)
def a_controller_follows(s: Cluster) -> bool:
    """ZL1: where no live broker is the controller one is in the end, once ZooKeeper has its majority."""
    return there_is_none(s)


@leads_to(there_is_one, *_CONTROLLER, *_SESSIONS)
def a_controller_follows_without_a_majority(s: Cluster) -> bool:
    """ZL2: without its majority ZooKeeper lets nobody be the controller."""
    return there_is_none(s)


@leads_to(there_is_one, *_SESSIONS, *_MAJORITY)
def a_controller_follows_though_none_stands(s: Cluster) -> bool:
    """ZL1 without what it needs: nobody creates /controller."""
    return there_is_none(s)


def has_old_znode(s: Cluster, leader: Broker) -> bool:
    """Whether the leader on record does not know the partition's znode: it can never write the ISR."""
    return s.partition.leader == leader and s.known[leader].version != s.partition.version


def has_no_old_znode(s: Cluster, leader: Broker) -> bool:
    """Whether it does, or another one leads."""
    return not has_old_znode(s, leader)


@leads_to(has_no_old_znode, *_CONTROLLER, *_SESSIONS, *_MAJORITY, *_WORK, *_ISR_CHANGES)
def leader_knows_in_the_end(s: Cluster, leader: Broker) -> bool:
    """RL5: the leader on record learns what is registered, else it can never write the ISR again (KAFKA-2729)."""
    return has_old_znode(s, leader)


@leads_to(has_no_old_znode, *_CONTROLLER, *_SESSIONS, *_MAJORITY)
def leader_knows_in_the_end_without_requests(s: Cluster, leader: Broker) -> bool:
    """RL5 without what it needs: the controller sends nothing."""
    return has_old_znode(s, leader)


def cannot_write(s: Cluster, leader: Broker) -> bool:
    """Whether the leader on record cannot write the ISR: it knows an old version, or was refused for good."""
    return has_old_znode(s, leader) or (s.partition.leader == leader and leader in s.refused)


def can_write_or_leads_no_more(s: Cluster, leader: Broker) -> bool:
    """Whether it can, or another one leads."""
    return not cannot_write(s, leader)


@leads_to(can_write_or_leads_no_more, *_CONTROLLER, *_SESSIONS, *_MAJORITY, *_WORK, *_ISR_CHANGES)
def leader_may_write_in_the_end(s: Cluster, leader: Broker) -> bool:
    """RL4: the leader on record can write the ISR in the end, and is not refused for good (KAFKA-14154)."""
    return cannot_write(s, leader)


@leads_to(can_write_or_leads_no_more, *_CONTROLLER, *_SESSIONS, *_MAJORITY)
def leader_may_write_in_the_end_without_requests(s: Cluster, leader: Broker) -> bool:
    """RL4 without what it needs: the controller sends nothing."""
    return cannot_write(s, leader)


@reachable
def controller_is_gone(s: Cluster) -> bool:
    """There is no controller any more, and somebody believes to be it."""
    return s.controller is None and any(s.held[broker] > 0 for broker in Broker)


@reachable
def leader_is_behind(s: Cluster) -> bool:
    """The leader on record knows an older version than is registered."""
    return any(has_old_znode(s, broker) for broker in Broker)
