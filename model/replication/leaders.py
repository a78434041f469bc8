"""The controller elects a leader, which learns of it from a request that arrives late, twice or never."""

from __future__ import annotations

from ...language import action, limit, require
from .ghosts import note_beginning, note_epoch
from .state import LeaderAndIsr, Partition, Replica, max_leader_epoch


@action
def controller_elect_leader(s: Partition, leader: Replica) -> None:
    """The controller elects {leader}, a member of the ISR, for epoch {s.next_leader_epoch}."""
    require(leader in s.quorum.isr)
    require(leader != s.quorum.leader)
    limit(s.next_leader_epoch <= max_leader_epoch)
    decide(s, LeaderAndIsr(leader=leader, leader_epoch=s.next_leader_epoch, isr=s.quorum.isr))


def decide(s: Partition, changed: LeaderAndIsr) -> None:
    """The controller writes to ZooKeeper who leads the next epoch, and sends it to all replicas."""
    s.quorum = changed
    s.requests.add(changed)
    note_epoch(s, changed)
    s.next_leader_epoch += 1


@action
def become_leader(s: Partition, request: LeaderAndIsr) -> None:
    """{request.leader} learns that it leads epoch {request.leader_epoch}."""
    require(request.leader is not None and request.leader_epoch > s.leader_epoch[request.leader])
    leader = request.leader
    assert leader is not None
    s.leader_epoch[leader] = request.leader_epoch
    s.leader[leader] = leader
    s.isr[leader] = request.isr  # its high watermark stays what it was: often behind the old leader's
    note_beginning(s, leader, request.leader_epoch)


def presumes_leadership(s: Partition, replica: Replica) -> bool:
    """Whether the replica believes that it leads. More than one may: an old leader learns late of the new one."""
    return s.leader[replica] == replica


def is_true_leader(s: Partition, replica: Replica) -> bool:
    """Whether the replica leads, and knows so and in which epoch: ZooKeeper accepts its writes only then."""
    return (
        s.quorum.leader == replica
        and presumes_leadership(s, replica)
        and s.leader_epoch[replica] == s.quorum.leader_epoch
    )
