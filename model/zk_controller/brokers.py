"""What brokers do with requests, and how a partition's leader changes the ISR."""

from __future__ import annotations

from typing import Annotated

from ...language import Member, Set, action, limit, replace, require
from ..parts.zookeeper import is_alive
from .lumping import refuses, settle
from .state import (
    Broker,
    Cluster,
    LeaderAndIsr,
    Partition,
    StopReplica,
    alter_partition,
    broker_fence,
    can_write,
    compares_versions,
    controller_cas,
    kept_versions,
    leader_cas,
    leader_epoch_check,
    looks_registered,
    max_version,
    not_controller,
    stop_epoch,
    stops,
    write_fence,
)

# --- what brokers do --------------------------------------------------------------------------------------------------


def arrives(s: Cluster, request: LeaderAndIsr, to: Broker) -> None:
    """A request has reached one of those that it is sent to."""
    s.requests.remove(request)
    if len(request.to) > 1:
        s.requests.add(replace(request, to=request.to - {to}))


@action
def obey(s: Cluster, request: Annotated[LeaderAndIsr, Member("requests")], to: Broker) -> None:
    """{to} obeys: {request.partition.leader} leads, says the controller of epoch {request.controller_epoch}.

    Who knows that leader epoch, or a newer one, remembers the controller's epoch and leaves the partition as it is.
    """
    require(to in request.to and not refuses(s, request, to))
    arrives(s, request, to)
    s.seen[to] = request.controller_epoch
    if not leader_epoch_check or request.partition.leader_epoch > s.known[to].leader_epoch:
        s.known[to] = request.partition
        s.running[to] = True
        s.refused.discard(to)
    settle(s)


@action
def refuse(s: Cluster, request: Annotated[LeaderAndIsr, Member("requests")], to: Broker) -> None:
    """{to} refuses a request of controller epoch {request.controller_epoch}, or it never reaches it."""
    require(to in request.to and (refuses(s, request, to) or not is_alive(s.session[to])))
    arrives(s, request, to)


@action
def stop(s: Cluster, request: Annotated[StopReplica, Member("stopping")], to: Broker) -> None:
    """{to} stops its replica, as asked in leader epoch {request.leader_epoch}."""
    require(stops > 0 and to in request.to)
    require(not broker_fence or request.controller_epoch >= s.seen[to])
    require(not stop_epoch or request.leader_epoch >= s.known[to].leader_epoch)
    s.stopping.remove(request)
    if len(request.to) > 1:
        s.stopping.add(replace(request, to=request.to - {to}))
    s.seen[to] = request.controller_epoch
    s.running[to] = False
    settle(s)


def write_isr(s: Cluster, leader: Broker, isr: Set[Broker]) -> None:
    """A leader writes the ISR itself."""
    require(not alter_partition and can_write(s, leader) and s.known[leader].leader == leader and s.running[leader])
    require(not leader_cas or s.known[leader].version == s.partition.version)
    limit(s.partition.version + kept_versions < max_version)
    s.known[leader] = replace(s.known[leader], isr=isr, version=s.partition.version + 1)
    s.partition = s.known[leader]


@action
def shrink_isr(s: Cluster, leader: Broker, follower: Broker) -> None:
    """{leader}, which believes to lead, takes {follower} out of the ISR."""
    require(follower in s.known[leader].isr and follower != leader)
    write_isr(s, leader, s.known[leader].isr - {follower})


@action
def expand_isr(s: Cluster, leader: Broker, follower: Broker) -> None:
    """{leader}, which believes to lead, takes {follower} into the ISR."""
    require(follower not in s.known[leader].isr and s.running[follower])
    write_isr(s, leader, s.known[leader].isr | {follower})


def alter(s: Cluster, controller: Broker, leader: Broker, isr: Set[Broker]) -> None:
    """A leader asks a controller to write the ISR. An answer that makes it ask again, or leaves it waiting for a
    LeaderAndIsr that is on its way, changes nothing and is no step."""
    require(alter_partition and s.known[leader].leader == leader and s.running[leader] and leader not in s.refused)
    require(s.held[controller] > 0 and leader in s.live[controller] and leader not in s.back[controller])
    require(not looks_registered or isr <= s.live[controller])
    known = s.known[leader]
    read = s.read[controller]
    require(read is not None)
    if read is not None:
        if known.leader_epoch > read.leader_epoch or known.version > read.version:
            require(answers_for_good(known, read, isr))
            s.refused.add(leader)
        else:
            require(known.leader_epoch == read.leader_epoch and known.version == read.version)
            require(can_write(s, controller) and (not write_fence or s.held[controller] == s.controller_epoch))
            require(not controller_cas or read.version == s.partition.version)
            limit(s.partition.version + kept_versions < max_version)
            s.partition = replace(known, isr=isr, version=s.partition.version + 1)
            s.read[controller] = s.partition
            s.known[leader] = s.partition


def answers_for_good(known: Partition, read: Partition, isr: Set[Broker]) -> bool:
    """Whether a controller that a leader is ahead of answers so that the leader waits for a LeaderAndIsr.

    It refuses (KAFKA-14154). Up to 3.2 it says that the change is done, if it has read that ISR: the leader does not
    take the old version that comes with the answer, and asks no more.
    """
    if compares_versions:
        return not not_controller
    return read.leader == known.leader and read.leader_epoch == known.leader_epoch and read.isr == isr


@action
def ask_to_shrink(s: Cluster, leader: Broker, follower: Broker, controller: Broker) -> None:
    """{leader}, which believes to lead, asks controller {controller} to take {follower} out of the ISR."""
    require(follower in s.known[leader].isr and follower != leader)
    alter(s, controller, leader, s.known[leader].isr - {follower})


@action
def ask_to_expand(s: Cluster, leader: Broker, follower: Broker, controller: Broker) -> None:
    """{leader}, which believes to lead, asks controller {controller} to take {follower} into the ISR."""
    require(follower not in s.known[leader].isr and s.running[follower])
    alter(s, controller, leader, s.known[leader].isr | {follower})
