"""What controllers and brokers do, what a client sees of it, and how sessions end and begin."""

from __future__ import annotations

from typing import Annotated

from ...language import Member, Option, Set, action, choose, limit, replace, require
from ..parts.zookeeper import Session, cut_off, expire, is_alive, learn_of_expiry, reconnect
from .lumping import reads_at_once, refuses, settle
from .state import *

# === What controllers do: they create `/controller`, read who is registered, elect, and send what they wrote ==========


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


def remove_dead(old: Partition, live: Set[Broker]) -> Partition:
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
        write_and_send(s, broker, old, remove_dead(old, s.live[broker]))


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


# === What brokers do with requests, and how a partition's leader changes the ISR ======================================


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


# === What brokers answer clients, and a client that writes to whom its metadata names =================================
#
# A client asks any broker for metadata. What that one says is what the last UpdateMetadata that it obeyed has said, so
# it may be behind. A write to a broker that does not lead is answered with NOT_LEADER, and the client asks again. A
# write with `acks_all` is acknowledged when all of the ISR that the leader knows follow it in its leader epoch, since a
# leader of another epoch is fetched from no more (KIP-320); what that does to logs is not said here. Sources:
# ReplicaManager (maybeUpdateMetadataCache), MetadataCache, and the clients' Metadata of Kafka 2.6.


# --- metadata ---------------------------------------------------------------------------------------------------------


def leaves(s: Cluster, request: UpdateMetadata, to: Broker) -> None:
    """A request is no longer under way to one of those that it is sent to."""
    s.updating.remove(request)
    if len(request.to) > 1:
        s.updating.add(replace(request, to=request.to - {to}))


@action
def update_metadata(s: Cluster, request: Annotated[UpdateMetadata, Member("updating")], to: Broker) -> None:
    """{to} answers clients now that {request.metadata.leader} leads in leader epoch {request.metadata.leader_epoch}."""
    require(updates > 0 and to in request.to)
    require(not broker_fence or request.controller_epoch >= s.seen[to])
    leaves(s, request, to)
    s.seen[to] = request.controller_epoch
    s.cached[to] = request.metadata
    settle(s)


@action
def refuse_metadata(s: Cluster, request: Annotated[UpdateMetadata, Member("updating")], to: Broker) -> None:
    """{to} refuses metadata of controller epoch {request.controller_epoch}, or they never reach it."""
    require(updates > 0 and to in request.to)
    require((broker_fence and request.controller_epoch < s.seen[to]) or not is_alive(s.session[to]))
    leaves(s, request, to)


# --- the client -------------------------------------------------------------------------------------------------------


@action(kind="client")
def ask_for_metadata(s: Cluster, broker: Broker) -> None:
    """The client asks {broker} who leads: {s.cached[broker].leader} in leader epoch {s.cached[broker].leader_epoch}."""
    require(writes > 0 and s.answer != Answer.ACKNOWLEDGED)
    require(not client_epochs or s.cached[broker].leader_epoch >= s.client.leader_epoch)
    s.client = s.cached[broker]
    s.answer = Answer.NONE


@action(kind="client")
def write(s: Cluster, broker: Broker) -> None:
    """The client writes to {broker}, the leader of epoch {s.known[broker].leader_epoch}, and is acknowledged."""
    require(writes > 0 and s.answer == Answer.NONE and s.client.leader == broker and leads(s, broker))
    require(not acks_all or all(follows(s, node, broker) for node in s.known[broker].isr))
    s.answer = Answer.ACKNOWLEDGED


def follows(s: Cluster, broker: Broker, leader: Broker) -> bool:
    """Whether a broker, or the leader itself, has what is written to that leader in its leader epoch."""
    return s.running[broker] and s.known[broker].leader_epoch == s.known[leader].leader_epoch


@action(kind="client")
def turn_away(s: Cluster, broker: Broker) -> None:
    """The client writes to {broker}, which does not lead: NOT_LEADER."""
    require(writes > 0 and s.answer == Answer.NONE and s.client.leader == broker and not leads(s, broker))
    s.answer = Answer.NOT_LEADER


# === How sessions end and begin, and how the ensemble loses its majority ==============================================


# --- sessions ---------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="cuts")
def lose_connection(s: Cluster, broker: Broker) -> None:
    """{broker} no longer reaches ZooKeeper; its session goes on."""
    require(not lumped)
    cut_off(s.session, broker)
    if not by_session:
        remove_ephemeral_znodes(s, broker)


@action
def connect_again(s: Cluster, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again in time."""
    require(s.majority and not lumped)
    reconnect(s.session, broker)


@action
def end_session(s: Cluster, broker: Broker) -> None:
    """The session of {broker} expires: its ephemeral znodes are removed."""
    require(s.majority and not lumped and ends_with_session)
    expire(s.session, broker)
    remove_ephemeral_znodes(s, broker)


@action
def leave_znodes(s: Cluster, broker: Broker) -> None:
    """The session of {broker} expires, and its ephemeral znodes stay."""
    require(s.majority and not lumped and not ends_with_session)
    expire(s.session, broker)


@action(kind="fault", budget="cuts")
def lose_session(s: Cluster, broker: Broker) -> None:
    """{broker} no longer reaches ZooKeeper, and its session expires."""
    require(lumped and s.majority and s.session[broker] == Session.CONNECTED)
    s.session[broker] = Session.EXPIRED
    if ends_with_session:
        remove_ephemeral_znodes(s, broker)


def remove_ephemeral_znodes(s: Cluster, broker: Broker) -> None:
    """A session has ended: the znodes that it owns are removed."""
    s.registered.discard(broker)
    if s.controller == broker:
        s.controller = None


@action
def learn(s: Cluster, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again and learns that its session has expired."""
    require(s.majority and not lumped)
    learn_of_expiry(s.session, broker)


@action
def register(s: Cluster, broker: Broker) -> None:
    """{broker} registers under a new session."""
    require(s.majority and is_over(s, broker) and (not resigns_first or is_idle(s, broker)))
    s.session[broker] = Session.CONNECTED
    s.registered.add(broker)
    if broker_epochs:
        for node in Broker:
            if broker in s.live[node]:
                s.back[node].add(broker)
            elif lumped:
                s.owed[node].discard(broker)
        s.requests = Set(replace(it, to=it.to - {broker}) for it in s.requests if it.to != {broker})
        s.updating = Set(replace(it, to=it.to - {broker}) for it in s.updating if it.to != {broker})
        s.stopping = Set(replace(it, to=it.to - {broker}) for it in s.stopping if it.to != {broker})
    settle(s)


@action(kind="fault", budget="majority_losses")
def lose_majority(s: Cluster) -> None:
    """The ensemble loses its majority: nothing is written, and no session expires."""
    require(majority_losses > 0 and s.majority)
    s.majority = False


@action
def regain_majority(s: Cluster) -> None:
    """The ensemble has a majority again."""
    require(majority_losses > 0 and not s.majority)
    s.majority = True
