"""Lamport's distributed mutual exclusion by logical clocks (1978), after `lamport_mutex/LamportMutex.tla`.

724,274 states within the bound with three processes and clocks up to 6; fewer with `clocks=3`.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Map,
    Range,
    Seq,
    Set,
    action,
    bound,
    constant,
    initial,
    invariant,
    reachable,
    record,
    require,
    state,
)

processes = constant(3, minimum=2, maximum=4, says="processes")
clocks = constant(6, minimum=2, maximum=7, says="the highest clock from which anything happens")


class Process(Domain, size=processes, ordered=True):
    """A process that competes for a critical section."""


class Kind(Enum):
    """What a message says."""

    REQUEST = "request"
    ACKNOWLEDGE = "acknowledge"
    RELEASE = "release"


Clock = Annotated[int, Range(0, clocks + 1)]


@record
class Message:
    """A message, with the clock of a request."""

    kind: Kind
    clock: Clock


Channel = Annotated[Seq[Message], Capacity(3)]


@state
class System:
    """The processes, and the messages between them."""

    clock: Map[Process, Clock]  # each one's clock
    requests: Map[Process, Map[Process, Clock]]  # whose requests each knows of; 0 for none
    acknowledged: Map[Process, Set[Process]]  # who has acknowledged its request
    network: Map[Process, Map[Process, Channel]]  # messages under way, by sender and receiver
    critical: Set[Process]  # who is in the critical section


@initial
def start() -> System:
    """No process has made a request."""
    return System(
        clock=Map({p: 1 for p in Process}),
        requests=Map({p: Map({q: 0 for q in Process}) for p in Process}),
        acknowledged=Map({p: Set() for p in Process}),
        network=Map({p: Map({q: Seq() for q in Process}) for p in Process}),
        critical=Set(),
    )


@bound
def low_clocks(s: System) -> bool:
    """No clock is higher than `clocks`."""
    return all(s.clock[p] <= clocks for p in Process)


def beats(s: System, process: Process, other: Process) -> bool:
    """As far as a process knows, its own request comes before the other's."""
    mine = s.requests[process][process]
    theirs = s.requests[process][other]
    return theirs == 0 or mine < theirs or (mine == theirs and process < other)


@action
def request(s: System, process: Process) -> None:
    """{process} asks all others."""
    require(s.requests[process][process] == 0)
    now = s.clock[process]
    s.requests[process][process] = now
    for other in Process:
        if other != process:
            s.network[process][other].append(Message(kind=Kind.REQUEST, clock=now))
    s.acknowledged[process] = Set([process])


@action
def receive_request(s: System, process: Process, source: Process) -> None:
    """{process} receives a request of {source}, and acknowledges it."""
    require(source != process and len(s.network[source][process]) > 0)
    message = s.network[source][process][0]
    require(message.kind == Kind.REQUEST)
    s.requests[process][source] = message.clock
    s.clock[process] = max(message.clock, s.clock[process]) + 1
    s.network[source][process] = s.network[source][process][1:]
    s.network[process][source].append(Message(kind=Kind.ACKNOWLEDGE, clock=0))


@action
def receive_acknowledgement(s: System, process: Process, source: Process) -> None:
    """{process} hears from {source} that its request is known."""
    require(source != process and len(s.network[source][process]) > 0)
    require(s.network[source][process][0].kind == Kind.ACKNOWLEDGE)
    s.acknowledged[process].add(source)
    s.network[source][process] = s.network[source][process][1:]


@action
def enter(s: System, process: Process) -> None:
    """{process} enters the critical section."""
    require(s.acknowledged[process] == Set(Process))
    require(all(other == process or beats(s, process, other) for other in Process))
    s.critical.add(process)


@action
def leave(s: System, process: Process) -> None:
    """{process} leaves, and notifies all others."""
    require(process in s.critical)
    s.critical.remove(process)
    for other in Process:
        if other != process:
            s.network[process][other].append(Message(kind=Kind.RELEASE, clock=0))
    s.requests[process][process] = 0
    s.acknowledged[process] = Set()


@action
def receive_release(s: System, process: Process, source: Process) -> None:
    """{process} hears that {source} has left."""
    require(source != process and len(s.network[source][process]) > 0)
    require(s.network[source][process][0].kind == Kind.RELEASE)
    s.requests[process][source] = 0
    s.network[source][process] = s.network[source][process][1:]


@invariant
def mutual_exclusion(s: System) -> bool:
    """At most one process is in the critical section."""
    return len(s.critical) <= 1


@reachable
def somebody_is_in(s: System) -> bool:
    """A process is in the critical section."""
    return len(s.critical) > 0
