"""A write-through cache, after `SpecifyingSystems/CachingMemory/WriteThroughCache.tla` in `MCWriteThroughCache.cfg`.

Each process has a cache of its own; a queue of requests stands between the caches and the memory. 5,196 states with two
processes, one address, two values and room for one request in the queue.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import Capacity, Domain, Map, Seq, action, constant, initial, invariant, record, require, state

room = constant(1, minimum=1, maximum=2, says="requests in the queue")


class Proc(Domain, size=2):
    """A process."""


class Adr(Domain, size=1):
    """An address."""


class Val(Domain, size=2):
    """A value."""


class Control(Enum):
    """What a process is about."""

    READY = "rdy"
    BUSY = "busy"
    WAITING = "waiting"
    DONE = "done"


@record
class Read:
    """A request to read."""

    adr: Adr


@record
class Write:
    """A request to write."""

    adr: Adr
    val: Val


@record
class Got:
    """A value that was read."""

    val: Val


@record
class Nothing:
    """No value."""


Request = Read | Write
Buffer = Read | Write | Got | Nothing


@state
class Memory:
    """The memory, the caches, and what stands between them."""

    interface: tuple[Proc, Buffer]
    memory: Map[Adr, Val]
    control: Map[Proc, Control]
    buffer: Map[Proc, Buffer]
    cache: Map[Proc, Map[Adr, Val | None]]
    queue: Annotated[Seq[tuple[Proc, Request]], Capacity(room)]


@initial
def start(memory: Map[Adr, Val]) -> Memory:
    """Any memory, and caches without a value."""
    return Memory(
        interface=(Proc(0), Nothing()),
        memory=memory,
        control=Map({p: Control.READY for p in Proc}),
        buffer=Map({p: Nothing() for p in Proc}),
        cache=Map({p: Map({a: None for a in Adr}) for p in Proc}),
        queue=Seq(),
    )


@action
def request(s: Memory, p: Proc, asked: Request) -> None:
    """{p} asks: {asked}."""
    require(s.control[p] == Control.READY)
    s.interface = (p, asked)
    s.buffer[p] = asked
    s.control[p] = Control.BUSY


@action
def respond(s: Memory, p: Proc) -> None:
    """{p} is answered."""
    require(s.control[p] == Control.DONE)
    s.interface = (p, s.buffer[p])
    s.control[p] = Control.READY


@action
def read_miss(s: Memory, p: Proc, adr: Adr) -> None:
    """{p} reads {adr}, which its cache does not have: the request is queued."""
    require(s.control[p] == Control.BUSY and s.buffer[p] == Read(adr))
    require(s.cache[p][adr] is None and len(s.queue) < room)
    s.queue.append((p, Read(adr)))
    s.control[p] = Control.WAITING


@action
def read(s: Memory, p: Proc, adr: Adr, val: Val) -> None:
    """{p} reads {val} at {adr} from its cache."""
    require(s.control[p] in (Control.BUSY, Control.WAITING) and s.buffer[p] == Read(adr))
    require(s.cache[p][adr] == val)
    s.buffer[p] = Got(val)
    s.control[p] = Control.DONE


@action
def write(s: Memory, p: Proc, asked: Write) -> None:
    """{p} does {asked} in the caches that have the address, and queues it for the memory."""
    require(s.control[p] == Control.BUSY and s.buffer[p] == asked)
    require(len(s.queue) < room)
    for q in Proc:
        if q == p or s.cache[q][asked.adr] is not None:
            s.cache[q][asked.adr] = asked.val
    s.queue.append((p, asked))
    s.buffer[p] = Nothing()
    s.control[p] = Control.DONE


@action
def memory_writes(s: Memory, p: Proc, asked: Write) -> None:
    """The memory takes {asked} of {p} from the queue."""
    require(len(s.queue) > 0 and s.queue[0] == (p, asked))
    s.memory[asked.adr] = asked.val
    s.queue = s.queue[1:]


@action
def memory_reads(s: Memory, p: Proc, adr: Adr) -> None:
    """The memory answers into the cache of {p}, with what is queued before written already."""
    require(len(s.queue) > 0 and s.queue[0] == (p, Read(adr)))
    s.cache[p][adr] = latest(s, adr)
    s.queue = s.queue[1:]


def latest(s: Memory, adr: Adr) -> Val:
    """The value of an address once all that is queued is written."""
    found = s.memory[adr]
    for _, asked in s.queue:
        if isinstance(asked, Write) and asked.adr == adr:
            found = asked.val
    return found


@action
def evict(s: Memory, p: Proc, adr: Adr) -> None:
    """{p}'s cache forgets a value, unless {p} waits for it."""
    asked = s.buffer[p]
    require(s.control[p] != Control.WAITING or not (isinstance(asked, Read) and asked.adr == adr))
    s.cache[p][adr] = None


@invariant
def coherent(s: Memory) -> bool:
    """Caches that have a value for an address have the same."""
    return all(
        s.cache[p][a] is None or s.cache[q][a] is None or s.cache[p][a] == s.cache[q][a]
        for p in Proc for q in Proc for a in Adr
    )  # fmt: skip
