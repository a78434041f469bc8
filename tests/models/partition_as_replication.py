"""A partition as it runs today, claimed to be Kafka's replication of KIP-320 while no leader is elected.

Which of the differences between the two there are is a switch of `led_replication.py` each; those that are off concern
elections, with which it is no refinement even where all are on. Brokers and replicas are
two domains, so that the first broker is the first replica, and there are three of each.
"""

from __future__ import annotations

from typing import Annotated

import led_replication
from led_replication import begins_led as begins_led
from led_replication import drops_who_has_all as drops_who_has_all
from led_replication import elects_at_once as elects_at_once
from led_replication import fetches_high_watermark as fetches_high_watermark
from led_replication import hears_first as hears_first
from led_replication import moves_past_several as moves_past_several
from led_replication import sends_newest as sends_newest
from tidegate.language import Capacity, Map, Option, Seq, Set, constant, refines
from tidegate.model import partition
from tidegate.model.partition import nobody_leads as nobody_leads
from tidegate.model.partition.state import Broker, Partition, is_true_leader, log_size, max_leader_epoch, max_records

modules = partition.modules
profiles = partition.profiles
view = partition.view

Copy = Annotated[Seq[led_replication.Record], Capacity(log_size)]


cuts_on_fetch = constant(False, says="a follower cuts its log when a fetch shows a difference")


@refines(
    led_replication,
    truncate_on_fetch=cuts_on_fetch,
    replicas=3,
    log_size=log_size,
    max_records=max_records,
    max_leader_epoch=max_leader_epoch,
)
def as_replication(s: Partition) -> led_replication.Partition:
    """Its logs, its high watermarks and what is registered; a request of the controller is the registration that
    everybody knows from the beginning."""
    return led_replication.Partition(  # pyright: ignore[reportCallIssue]  # an image has no ghosts
        log=Map({at: copy(s, broker(at)) for at in led_replication.Replica}),
        high_watermark=Map({at: s.high_watermark[broker(at)] for at in led_replication.Replica}),
        leader_epoch=Map({at: s.view[broker(at)].leader_epoch for at in led_replication.Replica}),
        leader=Map({at: replica_of(s.view[broker(at)].leader) for at in led_replication.Replica}),
        isr=Map({at: known_isr(s, broker(at)) for at in led_replication.Replica}),
        next_record_id=s.sent,
        next_leader_epoch=s.registered.leader_epoch + 1,
        quorum=leader_and_isr(s, registered_isr(s)),
        requests=Set({leader_and_isr(s, sent_isr(s))}),
    )


def copy(s: Partition, at: Broker) -> Copy:
    """A broker's log, in the records of the other model."""
    made: Copy = Seq()
    for entry in s.log[at]:
        made = made + Seq([led_replication.Record(id=entry.id, epoch=entry.epoch)])
    return made


def leader_and_isr(s: Partition, isr: Set[led_replication.Replica]) -> led_replication.LeaderAndIsr:
    """What is registered, with an ISR."""
    leader = replica_of(s.registered.leader)
    return led_replication.LeaderAndIsr(leader=leader, leader_epoch=s.registered.leader_epoch, isr=isr)


def sent_isr(s: Partition) -> Set[led_replication.Replica]:
    """The ISR of the newest request: of the first one all brokers, of a later one what is registered, since where a
    leader is elected nobody leaves the ISR by itself."""
    return Set(led_replication.Replica) if s.registered.leader_epoch == 0 else registered_isr(s)


def known_isr(s: Partition, at: Broker) -> Set[led_replication.Replica]:
    """The ISR that a broker knows: a leader the registered one, a follower what the first request said."""
    if is_true_leader(s, at) or s.view[at].leader_epoch > 0:
        return registered_isr(s)
    return Set(led_replication.Replica)


def broker(replica: led_replication.Replica) -> Broker:
    """The broker that is a replica."""
    if replica == led_replication.Replica(0):
        return Broker(0)
    return Broker(1) if replica == led_replication.Replica(1) else Broker(2)


def replica_of(leader: Option[Broker]) -> Option[led_replication.Replica]:
    """The replica that a broker is; None for none."""
    found: Option[led_replication.Replica] = None
    for replica in led_replication.Replica:
        if broker(replica) == leader:
            found = replica
    return found


def registered_isr(s: Partition) -> Set[led_replication.Replica]:
    """The ISR as it is registered."""
    return Set(at for at in led_replication.Replica if broker(at) in s.registered.isr)
