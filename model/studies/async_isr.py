"""KIP-497: the leader asks the controller to change the ISR, and must be right while the answer is under way.

Before, a leader wrote the ISR to ZooKeeper itself and knew at once. Since 2.7 it sends an AlterIsr request, later
called AlterPartition, and goes on while it waits. It may not know which ISR the controller holds: its request may
have been taken, refused, or overtaken by the controller's own change. So it counts for the high watermark every
replica that *may* be in the ISR: the members it knows and those it has asked for, the *maximal ISR*.

It is, state for state, the module AsyncIsr of github.com/hachikuji/kafka-specification, with its unbounded numbers
limited. As there:

* The leader is one fixed replica, never elected away, so that only the ISR is in question; a log is only its end
  offset.
* Versions (the partition epoch of KIP-497) fence: the controller takes a request only if made from its present
  version, and the leader takes an update only if it is newer. Messages, once sent, may arrive at any later time,
  never, or twice.
* The controller takes followers out on its own (their brokers fail), at any time.
"""

from __future__ import annotations

from typing import Annotated

from ...language import *

replicas = constant(2, minimum=1, maximum=5, says="brokers that hold a copy of the partition")
max_offset = constant(2, minimum=1, maximum=16, says="records that producers write in all")
max_version = constant(3, minimum=0, maximum=16, says="changes of the ISR that the controller makes in all")
maximal_isr = constant(
    True, says="KIP-497: replicas that the leader has asked into the ISR hold the high watermark back"
)


class Replica(Domain, size=replicas):
    """A broker that holds a copy of the partition. The first one leads, so they are not all alike."""


LEADER = Replica(0)

Offset = Annotated[int, Range(0, max_offset)]
Version = Annotated[int, Range(0, max_version)]


@record
class AlterIsr:
    """The leader asks the controller for this ISR, in place of the one of this version."""

    isr: Set[Replica]
    version: Version


@record
class IsrUpdate:
    """The controller's message to the leader: this is the ISR, since this version."""

    isr: Set[Replica]
    version: Version


@state
class Partition:
    """One partition, as its leader and the controller see it."""

    controller_isr: Set[Replica]  # the ISR, in the controller's metadata
    controller_version: Version  # how often it changed
    isr: Set[Replica]  # the ISR as the leader last heard
    version: Version  # and its version
    pending_isr: Set[Replica]  # everyone in an ISR that the leader has asked for since
    pending_version: Annotated[int, Range(-1, max_version)]  # the version it asked from; -1: nothing is pending
    end_offset: Map[Replica, Offset]  # the end of each replica's log, as the leader knows from its fetches
    requests: Annotated[Set[AlterIsr], Capacity((max_version + 1) * (replicas - 1))]  # every request ever sent
    updates: Annotated[Set[IsrUpdate], Capacity(max_version)]  # every update ever sent


view = LogLanes(
    lane=Replica,
    log="end_offset",
    cell=" ",
    high_watermark="high_watermark(s) if lane == LEADER else None",
    role="lane == LEADER",
    isr="s.isr if lane == LEADER else None",
    controller_isr="controller_isr",
    badges={"maximal ISR": "s.isr | s.pending_isr if lane == LEADER else None"},
    board={"controller's version": "controller_version", "leader's version": "version"},
)


@initial
def all_in_sync() -> Partition:
    """Empty logs, everyone in the ISR, nothing under way."""
    return Partition(
        controller_isr=Set(Replica),
        controller_version=0,
        isr=Set(Replica),
        version=0,
        pending_isr=Set(),
        pending_version=-1,
        end_offset=Map({replica: 0 for replica in Replica}),
        requests=Set(),
        updates=Set(),
    )


def high_watermark(s: Partition) -> int:
    """What the leader takes to be committed: the least end offset among all that may be in the ISR."""
    counted = s.isr | s.pending_isr if maximal_isr else s.isr
    return min(s.end_offset[replica] for replica in counted)


# --- records ----------------------------------------------------------------------------------------------------------


@action(kind="client")
def write(s: Partition) -> None:
    """The leader appends a producer's record at offset {s.end_offset[LEADER]}."""
    limit(s.end_offset[LEADER] < max_offset)
    s.end_offset[LEADER] += 1


@action
def replicate(s: Partition, follower: Replica) -> None:
    """{follower} fetches the record at offset {s.end_offset[follower]}."""
    require(follower != LEADER)
    require(s.end_offset[follower] < s.end_offset[LEADER])
    s.end_offset[follower] += 1


# --- the leader asks, the controller decides --------------------------------------------------------------------------


def ask(s: Partition, wanted: Set[Replica]) -> None:
    """The leader asks the controller for an ISR, and counts on both until it hears the answer."""
    s.requests.add(AlterIsr(isr=wanted, version=s.version))
    s.pending_isr = s.pending_isr | wanted
    s.pending_version = s.version


def decide(s: Partition, decided: Set[Replica]) -> None:
    """The controller makes an ISR the next version, and sends it to the leader."""
    limit(s.controller_version < max_version)
    s.controller_isr = decided
    s.controller_version += 1
    s.updates.add(IsrUpdate(isr=decided, version=s.controller_version))


@action
def request_shrink(s: Partition, follower: Replica) -> None:
    """The leader asks the controller to take {follower} out of the ISR of version {s.version}."""
    require(follower != LEADER)
    require(follower in s.isr)
    ask(s, s.isr - {follower})


@action
def request_expand(s: Partition, follower: Replica) -> None:
    """The leader asks the controller to take {follower} into the ISR of version {s.version}."""
    require(follower not in s.isr)
    require(s.end_offset[follower] >= high_watermark(s))
    ask(s, s.isr | {follower})


@action
def handle_request(s: Partition, request: Annotated[AlterIsr, Member("requests")]) -> None:
    """The controller makes {request.isr} the ISR, as the leader asked."""
    require(request.version == s.controller_version)
    decide(s, request.isr)


@action
def handle_update(s: Partition, update: Annotated[IsrUpdate, Member("updates")]) -> None:
    """The leader learns that the ISR is {update.isr} since version {update.version}; nothing is pending any more."""
    require(update.version > s.version)
    s.isr = update.isr
    s.version = update.version
    s.pending_isr = Set()
    s.pending_version = -1


# --- faults -----------------------------------------------------------------------------------------------------------


@action(kind="fault")
def controller_shrink_isr(s: Partition, follower: Replica) -> None:
    """{follower} fails: the controller takes it out of the ISR."""
    require(follower != LEADER)
    require(follower in s.controller_isr)
    decide(s, s.controller_isr - {follower})
