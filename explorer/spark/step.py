"""One shard's share of a level: all that a task does, and nothing of Spark in it.

`spread` expands the shard's level file and gives rows for the shards that own the successors; `receive` takes such
rows, keeps what is new in the shard's next level file, and says what it found. A row is (shard, kind, bytes). Every
source ends what it sends to a shard with a trailer that says how much it was, so that a row that got lost is an error.
Both may be run again at any time, on any machine, and give the same states.
"""

from __future__ import annotations

import ctypes
import gc
import json
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from ..native.compiler import Code
from ..native.frontier import CELLS
from ..native.kernel import ERROR_BIT, EVENTS
from ..native.memory import Region
from ..native.sharding import PRINTS_ROOM, SHARD
from .job import Damaged, Job
from .levels import Facts, LevelFile, LevelWriter, level_path
from .seen import TORN, Seen
from .shipping import loaded

Row = tuple[int, int, bytes]
BLOCK, TRAILER, FACTS = 0, 1, 2
"""Kinds of rows: states; the end of what one source sends; what a task has to tell, passed on to the driver."""

_BLOCK = struct.Struct("<III4x")
"""Source, level, states. Then the states' words, then their parents' indexes, 4 bytes each."""
_TRAILER = struct.Struct("<IIQ")
"""Source, level, states sent in all."""

LATELY_MAX = 1 << 20
LATELY_MIN = 1 << 10
"""Slots of the table of what was dealt lately."""

_CELLS = {name: index for index, name in enumerate(SHARD)}


@cache
def _code(folder: str, kernel: str) -> Code:
    """The compiled code, once a process. What loading it left in memory is set aside, so that the collection that
    Spark asks for after each task does not go through it."""
    code = loaded(folder, kernel)
    gc.collect()
    gc.freeze()
    return code


class Machine:
    """The kernel with a context and a shard's block of its own."""

    def __init__(self, job: Job) -> None:
        self.job, self.code = job, _code(str(job.folder), job.kernel)
        self._functions: dict[str, Callable[..., int]] = {}
        self.context = (ctypes.c_uint64 * job.cells)()
        self.block = (ctypes.c_uint64 * len(SHARD))()
        self.at, self.shard_at = ctypes.addressof(self.context), ctypes.addressof(self.block)
        self.prints = (ctypes.c_uint64 * (PRINTS_ROOM * job.finger))()
        self.edges = (ctypes.c_uint64 * ((job.words + 1) * max(1, job.transitions)))()
        for cell, value in job.opens:
            self.context[cell] = value & (1 << 64) - 1
        for name, value in (
            ("CHECK", job.check), ("SEEK", job.seek), ("WATCH", job.watch), ("DEADLOCKS", int(job.deadlocks)),
            ("EDGES", ctypes.addressof(self.edges)),
        ):  # fmt: skip
            self[name] = value
        self.put("OWNERS", job.shards)
        self.put("PRINTS", ctypes.addressof(self.prints))

    def __getitem__(self, cell: str) -> int:
        return self.context[CELLS[cell]]

    def __setitem__(self, cell: str, value: int) -> None:
        self.context[CELLS[cell]] = value

    def get(self, cell: str) -> int:
        """A cell of the shard's block."""
        return self.block[_CELLS[cell]]

    def put(self, cell: str, value: int) -> None:
        """Write a cell of the shard's block."""
        self.block[_CELLS[cell]] = value

    def table(self, address: int, slots: int, held: int) -> None:
        """Where the shard's table of fingerprints is."""
        self.put("SEEN", address)
        self.put("SLOTS", slots)
        self.put("HELD", held)

    def call(self, name: str, *arguments: int) -> int:
        """Call one of the kernel's functions."""
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self.code.function(name, len(arguments))
        return function(*arguments)


# --- what is sent -----------------------------------------------------------------------------------------------------


class Outbox:
    """One block for each shard, which the kernel fills."""

    def __init__(self, machine: Machine, shard: int, level: int) -> None:
        self.machine, self.shard, self.level, job = machine, shard, level, machine.job
        self.words, self.half, owners = job.words, job.block_states, job.shards
        room = self.half + job.slots
        self._states, self._origins = Region(8 * self.words * room * owners), Region(4 * room * owners)
        self.dealt = (ctypes.c_uint64 * owners)()
        self.sent = [0] * owners
        self._tables = [(ctypes.c_uint64 * owners)() for _ in range(2)]
        for owner in range(owners):
            self._tables[0][owner] = self._states.address + 8 * self.words * room * owner
            self._tables[1][owner] = self._origins.address + 4 * room * owner
        for name, table in (("BLOCKS", self._tables[0]), ("ORIGINS", self._tables[1]), ("DEALT", self.dealt)):
            machine.put(name, ctypes.addressof(table))
        machine.put("HALF", self.half)

    def ready(self, least: int) -> Iterator[Row]:
        """The blocks of at least so many states, emptied."""
        for owner, count in enumerate(self.dealt):
            if count >= least:
                self.dealt[owner] = 0
                self.sent[owner] += count
                states = ctypes.string_at(self._tables[0][owner], 8 * self.words * count)
                origins = ctypes.string_at(self._tables[1][owner], 4 * count)
                yield owner, BLOCK, _BLOCK.pack(self.shard, self.level, count) + states + origins
        self.machine.put("READY", 0)

    def trailers(self) -> Iterator[Row]:
        """What ends the sending."""
        for owner, count in enumerate(self.sent):
            yield owner, TRAILER, _TRAILER.pack(self.shard, self.level, count)

    def close(self) -> None:
        """Give the memory back."""
        self._states.close()
        self._origins.close()


def spread(job: Job, shard: int, level: int) -> Iterator[Row]:
    """Expand a shard's states of a level: rows for the shards that own the successors, then what was found."""
    machine, file = Machine(job), LevelFile(job, level, shard)
    outbox = Outbox(machine, shard, level)
    slots = LATELY_MIN
    while slots < min(LATELY_MAX, 8 * file.count):
        slots *= 2
    lately = [Region(8 * slots) for _ in range(job.finger)]
    buffer = Region(8 * (job.words + 2) * job.slots)
    machine["STATES"], machine["NEXT"], machine["END"] = file.address, 0, file.count
    machine["TABLE"], machine["SIZE"], machine["BUFFER"] = lately[0].address, slots, buffer.address
    machine.put("SECOND", lately[-1].address)
    finds: list[Facts] = []
    try:
        event = ""
        while event != "LEVEL":
            event = EVENTS[machine.call("spread", machine.at, machine.shard_at)]
            if event == "FULL":
                yield from outbox.ready(outbox.half)
            elif event != "LEVEL":
                finds += _met(machine, event)
        yield from outbox.ready(1)
        yield from outbox.trailers()
    finally:
        for each in (file, outbox, buffer, *lately):
            each.close()
    counters = list(machine.context[job.counters :])
    yield _told(shard, "spread", level, expanded=file.count, counters=counters, sent=outbox.sent, finds=finds)


def _told(shard: int, phase: str, level: int, **facts: Any) -> Row:
    return shard, FACTS, json.dumps({"phase": phase, "level": level, "shard": shard, **facts}).encode()


def _met(machine: Machine, event: str) -> Iterator[Facts]:
    """What stopped an expansion. Only the first of each kind is told; the driver takes the first of all shards."""
    match event:
        case "TRANSITION":
            crossed, machine["CROSSED"] = machine["CROSSED"], 0
            for bit in _bits(crossed):
                source, *words = machine.edges[(machine.job.words + 1) * bit : (machine.job.words + 1) * (bit + 1)]
                yield {"kind": "transitions", "bit": bit, "index": source, "words": words}
        case "DEADLOCK":
            machine["DEADLOCKS"] = 0
            yield {"kind": "deadlock", "bit": 0, "index": machine["ABOUT"]}
        case "ERROR":
            yield {"kind": "error", "bit": 0, "index": machine["ABOUT"]}
            machine["NEXT"] = machine["END"]  # the search ends here
        case "PROPERTY_ERROR":
            yield {"kind": "property_error", "bit": 0, "index": machine["ABOUT"]}
            machine["NEXT"] = machine["END"]
        case _:
            raise AssertionError(f"the kernel answered {event}")


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


# --- what is received -------------------------------------------------------------------------------------------------


def receive(job: Job, shard: int, level: int, rows: Iterable[tuple[int, bytes]]) -> Iterator[Row]:
    """Take the rows (kind, bytes) that every shard sent to this one from the level before, and keep what is new as
    the shard's share of `level`. Gives what was found, and the facts among the rows. All rows are taken, always."""
    counts = _Counts(job, shard, level)
    if level_path(job.folder, level, shard).exists():  # an attempt before this one came so far
        for kind, data in rows:
            if kind == FACTS:
                yield shard, FACTS, data
            else:
                counts.add(kind, data)
    else:
        inbox = Inbox(job, shard, level)
        try:
            for kind, data in rows:
                if kind == FACTS:
                    yield shard, FACTS, data
                elif counts.add(kind, data):
                    inbox.take(data)
            counts.check()
            inbox.commit()
        finally:
            inbox.close()
    counts.check()
    file = LevelFile(job, level, shard)
    facts = file.facts()
    file.close()
    yield _told(shard, "receive", level, new=file.count, received=counts.received, **facts)


class _Counts:
    """How many states came from each source, beside what its trailer says."""

    def __init__(self, job: Job, shard: int, level: int) -> None:
        self.shard, self.level = shard, level
        self.received = [0] * job.shards
        self._said: dict[int, int] = {}

    def add(self, kind: int, data: bytes) -> bool:
        """Count a row; whether it is a block."""
        if kind == TRAILER:
            source, level, count = _TRAILER.unpack(data)
            self._said[source] = count
        else:
            source, level, count = _BLOCK.unpack_from(data)
            self.received[source] += count
        if level != self.level - 1:
            raise Damaged(f"level {self.level} of shard {self.shard} was sent states of level {level}")
        return kind == BLOCK

    def check(self) -> None:
        """Everything that was sent has come."""
        said = [self._said.get(source) for source in range(len(self.received))]
        if said != self.received:
            raise Damaged(
                f"level {self.level} of shard {self.shard}: sent {said}, received {self.received}, from each shard"
            )


class Inbox:
    """Keeps what is new of a level, under the lock of the shard's table."""

    def __init__(self, job: Job, shard: int, level: int) -> None:
        self.job, self.level, self.machine = job, level, Machine(job)
        self._seen = Seen(job, shard, self.machine.table)
        self._writer = LevelWriter(job, level, shard)
        self._finds: list[Facts] = []
        self._seen.__enter__()
        try:
            self._seen.catch_up(level - 1, self._hold)
            self._seen.mark(TORN, 0)
        except BaseException:
            self.close()  # whoever tries again needs the table's lock
            raise

    def _make_room(self, more: int) -> None:
        machine = self.machine
        self._seen.room(
            machine.get("HELD"), more, lambda old, slots: machine.call("move_held", machine.shard_at, old, slots)
        )

    def _hold(self, file: LevelFile) -> int:
        self._make_room(file.count)
        new = self.machine.call("hold_all", self.machine.shard_at, file.address, file.count)
        if new != file.count:
            raise Damaged(f"{file.path}: {file.count - new} of its states are in the files of levels before it")
        return self.machine.get("HELD")

    def take(self, data: bytes) -> None:
        """A block: what is new is judged and written."""
        source, _, count = _BLOCK.unpack_from(data)
        if not count:
            return
        self._make_room(count)
        machine, words = self.machine, self.job.words
        block = ctypes.create_string_buffer(data, len(data))
        states = ctypes.addressof(block) + _BLOCK.size
        parents = (ctypes.c_uint64 * count)()
        machine.put("TAKEN_IN", 0)
        machine.put("KEPT", 0)
        while True:
            event = EVENTS[
                machine.call(
                    "absorb", machine.at, machine.shard_at, states, states + 8 * words * count, count, source,
                    ctypes.addressof(parents),
                )
            ]  # fmt: skip
            if event == "LEVEL":
                break
            self._judged(event, states + 8 * words * machine["ABOUT"])
        kept = machine.get("KEPT")
        with memoryview(block) as view, memoryview(parents) as places:
            self._writer.append(
                view.cast("B")[_BLOCK.size : _BLOCK.size + 8 * words * kept], places.cast("B")[: 8 * kept]
            )

    def _judged(self, event: str, at: int) -> None:
        """A property failed or a witness was met at the state in memory at `at`, the last that was kept."""
        machine, index = self.machine, self._writer.count + self.machine["ABOUT"]
        detail = machine["DETAIL"]
        if event == "INVARIANT":
            machine["CHECK"] &= ~detail
            self._found("invariants", detail, index)
            detail = machine.call("witnesses", machine.at, at, machine["SEEK"])
        if detail & ERROR_BIT:
            self._finds.append({"kind": "property_error", "bit": 0, "index": index})
            machine["CHECK"] = machine["SEEK"] = 0  # the search ends here
        else:
            machine["SEEK"] &= ~detail
            self._found("witnesses", detail, index)

    def _found(self, kind: str, bits: int, index: int) -> None:
        self._finds += [{"kind": kind, "bit": bit, "index": index} for bit in _bits(bits)]

    def commit(self) -> None:
        """The level file is whole, and the table with it."""
        self._writer.commit({"finds": self._finds, "caught_up": self._seen.rebuilt})
        self._seen.mark(self.level, self.machine.get("HELD"))

    def close(self) -> None:
        """Let others have the table."""
        self._writer.abandon()
        self._seen.__exit__()
