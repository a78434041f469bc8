"""Kafka's replication, and what a partition does besides, a switch each."""

from __future__ import annotations

from tidegate.language import Map, Seq, Set, action, constant, initial, limit, require
from tidegate.model import replication
from tidegate.model.replication.isr import write_isr
from tidegate.model.replication.leaders import is_true_leader, presumes_leadership
from tidegate.model.replication.records import are_in_one_epoch, follows, has_reached
from tidegate.model.replication.state import (
    LeaderAndIsr,
    Partition,
    Replica,
    max_leader_epoch,
)
from tidegate.model.replication.state import Record as Record

modules = replication.modules
view = replication.view

begins_led = constant(True, says="it begins with a leader that everybody knows")
fetches_high_watermark = constant(True, says="a fetch that brings no record brings a high watermark")
moves_past_several = constant(True, says="a high watermark moves past several records at once")
drops_who_has_all = constant(True, says="a leader drops a follower that has all of its log")

elects_at_once = constant(False, says="the controller removes a leader and elects another in one step and one epoch")
sends_newest = constant(False, says="brokers hear of the newest registration only")
hears_first = constant(False, says="a follower may hear of a leader before that one does, and cuts nothing then")


@initial
def led(leader: Replica) -> Partition:
    """{leader} leads epoch 0, and everybody knows."""
    require(begins_led)
    first = LeaderAndIsr(leader=leader, leader_epoch=0, isr=Set(Replica))
    return Partition(
        log=Map({replica: Seq() for replica in Replica}),
        high_watermark=Map({replica: 0 for replica in Replica}),
        leader_epoch=Map({replica: 0 for replica in Replica}),
        leader=Map({replica: leader for replica in Replica}),
        isr=Map({replica: Set(Replica) for replica in Replica}),
        next_record_id=0,
        next_leader_epoch=1,
        quorum=first,
        requests=Set({first}),
        committed=Set(),
        left_isr=Set(),
        elected=Map({epoch: leader if epoch == 0 else None for epoch in range(max_leader_epoch + 1)}),
        first_isr=Map({epoch: Set(Replica) if epoch == 0 else Set() for epoch in range(max_leader_epoch + 1)}),
        last_isr=Map({epoch: Set(Replica) if epoch == 0 else Set() for epoch in range(max_leader_epoch + 1)}),
        began=Map({epoch: epoch == 0 for epoch in range(max_leader_epoch + 1)}),
        leader_log=Map({epoch: Seq() for epoch in range(max_leader_epoch + 1)}),
        leader_committed=Map({epoch: 0 for epoch in range(max_leader_epoch + 1)}),
        committed_by=Map({replica: -1 for replica in Replica}),
    )


@action
def fetch_high_watermark(s: Partition, leader: Replica, follower: Replica) -> None:
    """{follower} has all records of {leader}, and learns its high watermark."""
    require(fetches_high_watermark)
    require(presumes_leadership(s, leader) and follower != leader)
    require(follows(s, follower, leader) and are_in_one_epoch(s, follower, leader))
    require(len(s.log[follower]) == len(s.log[leader]))
    s.high_watermark[follower] = s.high_watermark[leader]


@action
def move_past_several(s: Partition, leader: Replica) -> None:
    """{leader} moves its high watermark past all that its ISR {s.isr[leader]} has."""
    require(moves_past_several)
    require(presumes_leadership(s, leader))
    require(
        all(
            follows(s, follower, leader)
            and are_in_one_epoch(s, follower, leader)
            and has_reached(s, follower, leader, s.high_watermark[leader])
            for follower in s.isr[leader]
        )
    )
    s.high_watermark[leader] = min(len(s.log[follower]) for follower in s.isr[leader])


@action
def drop(s: Partition, leader: Replica, follower: Replica) -> None:
    """{leader} takes {follower}, which has all, out of the ISR."""
    require(drops_who_has_all)
    require(is_true_leader(s, leader))
    require(follower != leader and follower in s.isr[leader])
    write_isr(s, leader, s.isr[leader] - {follower})


@action
def fence(s: Partition, replica: Replica, successor: Replica) -> None:
    """{replica} fails; {successor}, of the ISR, leads."""
    require(elects_at_once and replica in s.quorum.isr)
    isr = s.quorum.isr - {replica}
    require(successor in isr and (s.quorum.leader == replica or s.quorum.leader == successor))
    limit(s.next_leader_epoch <= max_leader_epoch)
    changed = LeaderAndIsr(leader=successor, leader_epoch=s.next_leader_epoch, isr=isr)
    s.quorum = changed
    if sends_newest:
        s.requests = Set({changed})
    else:
        s.requests.add(changed)
    s.next_leader_epoch += 1


@action
def hear(s: Partition, request: LeaderAndIsr, replica: Replica) -> None:
    """{replica} hears that {request.leader} leads epoch {request.leader_epoch}, and keeps its log."""
    require(hears_first and request.leader is not None and replica != request.leader)
    require(request.leader_epoch > s.leader_epoch[replica])
    s.leader_epoch[replica] = request.leader_epoch
    s.leader[replica] = request.leader
    s.isr[replica] = request.isr
