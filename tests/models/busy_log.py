"""A replicated log that never comes to rest, for traces as long as one likes: brokers crash, restart and start over."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    LogLanes,
    Map,
    Range,
    Seq,
    Set,
    action,
    constant,
    initial,
    invariant,
    limit,
    record,
    require,
    state,
)

replicas = constant(5, minimum=2, maximum=6, says="brokers")
log_size = constant(12, minimum=1, maximum=16, says="records that a log has room for")
max_epoch = constant(14, minimum=1, maximum=14, says="leader epochs, which begin again after this one")


class Replica(Domain, size=replicas):
    """A broker."""


Epoch = Annotated[int, Range(0, max_epoch)]
Offset = Annotated[int, Range(0, log_size)]


@record
class Record:
    """A record: the epoch of the leader that wrote it."""

    epoch: Epoch


@state
class Cluster:
    """One partition."""

    log: Map[Replica, Annotated[Seq[Record], Capacity(log_size)]]  # each replica's log
    high_watermark: Map[Replica, Offset]  # what each knows to be committed
    up: Map[Replica, bool]  # who is alive
    isr: Set[Replica]  # who is in sync
    leader: Replica  # who leads
    epoch: Epoch  # the leader's epoch


view = LogLanes(
    lane=Replica,
    log="log",
    cell="{entry.epoch}",
    cell_epoch="entry.epoch",
    high_watermark="high_watermark",
    role="lane == s.leader",
    epoch="s.epoch",
    up="up",
    controller_isr="s.isr",
    controller_leader="s.leader",
    controller_epoch="s.epoch",
    board={"leader": "s.leader", "epoch": "s.epoch"},
)


@initial
def empty(leader: Replica) -> Cluster:
    """Empty logs."""
    return Cluster(
        log=Map({replica: Seq() for replica in Replica}),
        high_watermark=Map({replica: 0 for replica in Replica}),
        up=Map({replica: True for replica in Replica}),
        isr=Set(Replica),
        leader=leader,
        epoch=0,
    )


@action(kind="client")
def write(s: Cluster) -> None:
    """{s.leader} appends a record in epoch {s.epoch}."""
    require(s.up[s.leader])
    limit(len(s.log[s.leader]) < log_size)
    s.log[s.leader].append(Record(epoch=s.epoch))


@action
def fetch(s: Cluster, follower: Replica) -> None:
    """{follower} fetches from {s.leader} at offset {len(s.log[follower])}."""
    require(follower != s.leader and s.up[follower] and s.up[s.leader])
    offset = len(s.log[follower])
    require(offset < len(s.log[s.leader]))
    s.log[follower].append(s.log[s.leader][offset])
    s.high_watermark[follower] = min(s.high_watermark[s.leader], offset + 1)


@action
def commit(s: Cluster) -> None:
    """{s.leader} moves its high watermark past offset {s.high_watermark[s.leader]}."""
    offset = s.high_watermark[s.leader]
    require(s.up[s.leader] and all(offset < len(s.log[replica]) for replica in Replica if replica in s.isr))
    require(offset < len(s.log[s.leader]))
    s.high_watermark[s.leader] = offset + 1


@action(kind="fault")
def crash(s: Cluster, replica: Replica) -> None:
    """{replica} crashes and leaves the ISR."""
    require(s.up[replica] and len(s.isr) > 1 and replica in s.isr)
    s.up[replica] = False
    s.isr.remove(replica)


@action
def restart(s: Cluster, replica: Replica) -> None:
    """{replica} restarts with an empty disk, and joins the ISR."""
    require(not s.up[replica])
    s.up[replica] = True
    s.log[replica] = Seq()
    s.high_watermark[replica] = 0
    s.isr.add(replica)


@action
def elect(s: Cluster, replica: Replica) -> None:
    """{replica} is elected, because {s.leader} is down."""
    require(not s.up[s.leader] and s.up[replica] and replica in s.isr)
    s.leader = replica
    s.epoch = 0 if s.epoch == max_epoch else s.epoch + 1


@invariant
def leader_is_in_sync(s: Cluster) -> bool:
    """A leader that is up is in the ISR."""
    return not s.up[s.leader] or s.leader in s.isr


@invariant
def nobody_has_twelve_records(s: Cluster) -> bool:
    """No log is full: false sooner or later, so that there is something to look at."""
    return all(len(s.log[replica]) < log_size for replica in Replica)
