"""The linearizable memory of Specifying Systems, chapter 5, after `CachingMemory/MCInternalMemory.tla`: processors send
requests over an interface, and the memory does each at once, between the request and its reply.

4,408 states of two processors, three addresses and two values.
"""

from enum import Enum

from tidegate.language import Domain, Map, action, initial, invariant, record, require, state


class Processor(Domain, size=2):
    """A processor."""


class Address(Domain, size=3):
    """An address of the memory."""


class Value(Domain, size=2):
    """What an address holds."""


class Phase(Enum):
    """How far a processor's request is."""

    READY = "ready"
    BUSY = "busy"
    DONE = "done"


@record
class Read:
    """A request for a value."""

    address: Address


@record
class Write:
    """A request to hold another value."""

    address: Address
    value: Value


@record
class Found:
    """The answer to a read; a write has none."""

    value: Value


@state
class Memory:
    """The memory, and what is between it and the processors."""

    held: Map[Address, Value]
    phase: Map[Processor, Phase]
    buffer: Map[Processor, Read | Write | Found | None]
    wire: tuple[Processor, Read | Write | Found | None]


@initial
def start(held: Map[Address, Value]) -> Memory:
    """Any values, and no request."""
    return Memory(
        held=held,
        phase=Map({p: Phase.READY for p in Processor}),
        buffer=Map({p: None for p in Processor}),
        wire=(Processor(0), None),
    )


@action
def ask(s: Memory, p: Processor, request: Read | Write) -> None:
    """{p} sends {request} over the wire."""
    require(s.phase[p] == Phase.READY)
    s.wire = p, request
    s.buffer[p] = request
    s.phase[p] = Phase.BUSY


@action
def do(s: Memory, p: Processor) -> None:
    """The request of {p} is done."""
    require(s.phase[p] == Phase.BUSY)
    match s.buffer[p]:
        case Write(address=at, value=value):
            s.held[at] = value
            s.buffer[p] = None
        case Read(address=at):
            s.buffer[p] = Found(s.held[at])
        case _:
            assert s.phase[p] != Phase.BUSY, "a request is in the buffer of a busy processor"
    s.phase[p] = Phase.DONE


@action
def reply(s: Memory, p: Processor) -> None:
    """{p} has its answer."""
    require(s.phase[p] == Phase.DONE)
    s.wire = p, s.buffer[p]
    s.phase[p] = Phase.READY


@invariant
def requests(s: Memory) -> bool:
    """A request waits in the buffer while its processor is busy, and at no other time."""
    return all(isinstance(s.buffer[p], Read | Write) == (s.phase[p] == Phase.BUSY) for p in Processor)
