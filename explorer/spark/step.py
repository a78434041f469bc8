"""One shard's share of a level: all that a task does, and nothing of Spark in it.

`expand_shard` expands the shard's level file and gives rows for the shards that own the successors; `receive_level`
takes such rows, keeps what is new in the shard's next level file, and says what it found. A row is (shard, kind,
bytes). Every source ends what it sends to a shard with a trailer that says how much it was, so that a row that got
lost is an error. Both may be run again at any time, on any machine, and give the same states."""

from __future__ import annotations

import ctypes
import json
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from ...language.immutable import immutable
from ..native.compiler import Code
from ..native.frontier import CELLS
from ..native.kernel import ERROR_BIT, EVENTS
from ..native.memory import Region
from ..native.shard_kernel import PRINTS_ROOM, SHARD
from .fingerprints import TORN_LEVEL, FingerprintTable
from .job import DamagedRunError, Job
from .levels import Facts, LevelFile, LevelWriter, level_path
from .shipping import load_code

Data: TypeAlias = "bytes | ctypes.Array[ctypes.c_char]"
StateRow = tuple[int, int, bytes]
ShardTask = Callable[[Job, int], Facts]
"""What is done once for each shard, and what it reports; a value that can be pickled."""
BLOCK, TRAILER, FACTS = 0, 1, 2
"""Kinds of rows: states; the end of what one source sends; what a task reports, passed on to the driver."""

_BLOCK = struct.Struct("<III4x")
"""Source, level, states. Then their parents' indexes, 4 bytes each, the first one last, made up to 8; then the states'
words. So a block that grows at both ends lies in one piece, and is copied once."""
_TRAILER = struct.Struct("<IIQ")
"""Source, level, states sent in all."""

FRESH = 1 << 16
"""New states that are written to the level file together."""

LATELY_MAX = 1 << 20
LATELY_MIN = 1 << 10
"""Slots of the table of what was dealt lately."""

_CELLS = {name: index for index, name in enumerate(SHARD)}


@cache
def _code_of_kernel(folder: str, kernel: str) -> Code:
    """The compiled code, once a process."""
    return load_code(folder, kernel)


class Machine:
    """The kernel with a context and a shard's block of its own."""

    def __init__(self, job: Job) -> None:
        self.job, self.code = job, _code_of_kernel(str(job.folder), job.kernel)
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
        self.write_cell("OWNERS", job.shards)
        self.write_cell("PRINTS", ctypes.addressof(self.prints))

    def __getitem__(self, cell: str) -> int:
        return self.context[CELLS[cell]]

    def __setitem__(self, cell: str, value: int) -> None:
        self.context[CELLS[cell]] = value

    def read_cell(self, cell: str) -> int:
        """A cell of the shard's block."""
        return self.block[_CELLS[cell]]

    def write_cell(self, cell: str, value: int) -> None:
        """Write a cell of the shard's block."""
        self.block[_CELLS[cell]] = value

    def use_table(self, address: int, slots: int, held_count: int) -> None:
        """Where the shard's table of fingerprints is."""
        self.write_cell("SEEN", address)
        self.write_cell("SLOTS", slots)
        self.write_cell("HELD", held_count)

    def call_kernel(self, name: str, *arguments: int) -> int:
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
        before, behind = _BLOCK.size + 4 * (room + room % 2), 8 * self.words * room
        self._region = Region((before + behind) * owners)
        self.dealt = (ctypes.c_uint64 * owners)()
        self.sent = [0] * owners
        self._middles = (ctypes.c_uint64 * owners)()
        for owner in range(owners):
            self._middles[owner] = self._region.address + (before + behind) * owner + before
        for name, table in (("BLOCKS", self._middles), ("ORIGINS", self._middles), ("DEALT", self.dealt)):
            machine.write_cell(name, ctypes.addressof(table))
        machine.write_cell("HALF", self.half)

    def full_blocks(self, least: int) -> Iterator[StateRow]:
        """The blocks of at least so many states, emptied."""
        for owner, count in enumerate(self.dealt):
            if count >= least:
                self.dealt[owner] = 0
                self.sent[owner] += count
                before, behind = _header_bytes(count), 8 * self.words * count
                begin = self._middles[owner] - before
                head = (ctypes.c_char * _BLOCK.size).from_address(begin)
                _BLOCK.pack_into(head, 0, self.shard, self.level, count)
                yield owner, BLOCK, ctypes.string_at(begin, before + behind)
        self.machine.write_cell("READY", 0)

    def closing_rows(self) -> Iterator[StateRow]:
        """What ends the sending."""
        for owner, count in enumerate(self.sent):
            yield owner, TRAILER, _TRAILER.pack(self.shard, self.level, count)

    def close(self) -> None:
        """Give the memory back."""
        self._region.close()


def _header_bytes(count: int) -> int:
    """The bytes of a block before its states."""
    return _BLOCK.size + 4 * (count + count % 2)


def _address_of(data: Data) -> int:
    """Where data lies in memory."""
    if isinstance(data, bytes):
        return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
    return ctypes.addressof(data)


def expand_shard(job: Job, shard: int, level: int) -> Iterator[StateRow]:
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
    machine.write_cell("SECOND", lately[-1].address)
    finds: list[Facts] = []
    try:
        event = ""
        while event != "LEVEL":
            event = EVENTS[machine.call_kernel("spread", machine.at, machine.shard_at)]
            if event == "FULL":
                yield from outbox.full_blocks(outbox.half)
            elif event != "LEVEL":
                finds += _stop_facts(machine, event)
        yield from outbox.full_blocks(1)
        yield from outbox.closing_rows()
    finally:
        for resource in (file, outbox, buffer, *lately):
            resource.close()
    counters = list(machine.context[job.counters :])
    yield _facts_row(shard, "spread", level, expanded=file.count, counters=counters, sent=sum(outbox.sent), finds=finds)


def _facts_row(shard: int, phase: str, level: int, **facts: Any) -> StateRow:
    return shard, FACTS, json.dumps({"phase": phase, "level": level, "shard": shard, **facts}).encode()


def _stop_facts(machine: Machine, event: str) -> Iterator[Facts]:
    """What stopped an expansion. Only the first of each kind is reported; the driver takes the first of all shards."""
    match event:
        case "TRANSITION":
            crossed, machine["CROSSED"] = machine["CROSSED"], 0
            for bit in _bit_numbers(crossed):
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


def _bit_numbers(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


# --- what is received -------------------------------------------------------------------------------------------------


def receive_level(job: Job, shard: int, level: int, rows: Iterable[tuple[int, Data]]) -> Iterator[StateRow]:
    """Take the rows (kind, bytes) that every shard sent to this one from the level before, and keep what is new as
    the shard's share of `level`. Gives what was found, and the facts among the rows. All rows are taken, always."""
    counts = _Counts(job, shard, level)
    there = level_path(job.folder, level, shard).exists()  # an attempt before this one came so far
    if there:
        for kind, data in rows:
            if kind == FACTS:
                yield shard, FACTS, bytes(data)
            else:
                counts.count_row(kind, data)
    else:
        inbox = Inbox(job, shard, level)
        try:
            for kind, data in rows:
                if kind == FACTS:
                    yield shard, FACTS, bytes(data)
                elif counts.count_row(kind, data):
                    inbox.take_block(data)
            counts.check_complete()
            inbox.commit_level()
        finally:
            inbox.close()
    counts.check_complete()
    file = LevelFile(job, level, shard, sum=there)  # what was written a moment ago is summed when it is expanded
    facts = file.facts()
    file.close()
    yield _facts_row(shard, "receive", level, new=file.count, received=sum(counts.received), **facts)


class _Counts:
    """How many states came from each source, beside what its trailer says."""

    def __init__(self, job: Job, shard: int, level: int) -> None:
        self.shard, self.level, self.words = shard, level, job.words
        self.received = [0] * job.shards
        self._said: dict[int, int] = {}

    def count_row(self, kind: int, data: Data) -> bool:
        """Count a row; whether it is a block."""
        if kind == TRAILER:
            source, level, count = _TRAILER.unpack(data)
            self._said[source] = count
        else:
            source, level, count = _BLOCK.unpack_from(data)
            if len(data) != _header_bytes(count) + 8 * self.words * count:
                raise DamagedRunError(
                    f"level {self.level} of shard {self.shard}: {len(data)} bytes came for {count} states"
                )
            self.received[source] += count
        if level != self.level - 1:
            raise DamagedRunError(f"level {self.level} of shard {self.shard} was sent states of level {level}")
        return kind == BLOCK

    def check_complete(self) -> None:
        """Everything that was sent has come."""
        said = [self._said.get(source) for source in range(len(self.received))]
        if said != self.received:
            raise DamagedRunError(
                f"level {self.level} of shard {self.shard}: sent {said}, received {self.received}, from each shard"
            )


class Inbox:
    """Keeps what is new of a level, under the lock of the shard's table."""

    def __init__(self, job: Job, shard: int, level: int) -> None:
        self.job, self.level, self.machine = job, level, Machine(job)
        self._seen = FingerprintTable(job, shard, self.machine.use_table)
        self._writer = LevelWriter(job, level, shard)
        self._room = max(FRESH, job.block_states + job.slots)
        self._fresh, self._parents = Region(8 * job.words * self._room), Region(8 * self._room)
        self._finds: list[Facts] = []
        self._seen.__enter__()
        try:
            self._seen.catch_up(level - 1, self._hold_fingerprints)
            self._seen.mark_level(TORN_LEVEL, 0)
        except BaseException:
            self.close()  # whoever tries again needs the table's lock
            raise

    def _make_room(self, more: int) -> None:
        machine = self.machine
        self._seen.make_room(
            machine.read_cell("HELD"),
            more,
            lambda old, slots: machine.call_kernel("move_held", machine.shard_at, old, slots),
        )

    def _hold_fingerprints(self, file: LevelFile) -> int:
        self._make_room(file.count)
        new = self.machine.call_kernel("hold_all", self.machine.shard_at, file.address, file.count)
        if new != file.count:
            raise DamagedRunError(f"{file.path}: {file.count - new} of its states are in the files of levels before it")
        return self.machine.read_cell("HELD")

    def take_block(self, data: Data) -> None:
        """A block: what is new is checked, and kept to be written."""
        source, _, count = _BLOCK.unpack_from(data)
        if not count:
            return
        begin = _address_of(data)
        if begin % 8:  # it lies among others in a piece of memory that is not ours
            data = ctypes.create_string_buffer(bytes(data), len(data))
            begin = ctypes.addressof(data)
        self._make_room(count)
        machine = self.machine
        if machine.read_cell("KEPT") + count > self._room:
            self._write_new_states()
        machine.write_cell("TAKEN_IN", 0)
        while True:
            event = EVENTS[
                machine.call_kernel(
                    "absorb", machine.at, machine.shard_at, begin + _header_bytes(count), count, source,
                    self._fresh.address, self._parents.address,
                )
            ]  # fmt: skip
            if event == "LEVEL":
                return
            self._checked_block(event, self._fresh.address + 8 * self.job.words * machine["ABOUT"])

    def _write_new_states(self) -> None:
        """Write away what was kept."""
        kept = self.machine.read_cell("KEPT")
        self._writer.append_states(self._fresh.view(8 * self.job.words * kept), self._parents.view(8 * kept))
        self.machine.write_cell("KEPT", 0)

    def _checked_block(self, event: str, address: int) -> None:
        """A property failed or a witness was met at the state in memory at `address`, the last that was kept."""
        machine, index = self.machine, self._writer.count + self.machine["ABOUT"]
        detail = machine["DETAIL"]
        if event == "INVARIANT":
            machine["CHECK"] &= ~detail
            self._note_findings("invariants", detail, index)
            detail = machine.call_kernel("witnesses", machine.at, address, machine["SEEK"])
        if detail & ERROR_BIT:
            self._finds.append({"kind": "property_error", "bit": 0, "index": index})
            machine["CHECK"] = machine["SEEK"] = 0  # the search ends here
        else:
            machine["SEEK"] &= ~detail
            self._note_findings("witnesses", detail, index)

    def _note_findings(self, kind: str, bits: int, index: int) -> None:
        self._finds += [{"kind": kind, "bit": bit, "index": index} for bit in _bit_numbers(bits)]

    def commit_level(self) -> None:
        """The level file is whole, and the table with it."""
        self._write_new_states()
        self._writer.commit({"finds": self._finds, "caught_up": self._seen.rebuilt})
        self._seen.mark_level(self.level, self.machine.read_cell("HELD"))

    def close(self) -> None:
        """Let others have the table."""
        for region in (self._fresh, self._parents):
            region.close()
        self._writer.abandon()
        self._seen.__exit__()


@immutable
class RecountTask:
    """A task that finds a shard's level files whole, of as many states as `levels` has by level and shard, and puts
    every state of them into a new table. Raises `DamagedRunError` where one is there twice: a table that was changed
    behind the search's back takes a state that it has for a new one."""

    levels: tuple[tuple[int, ...], ...]

    def __call__(self, job: Job, shard: int) -> Facts:
        for level, states in enumerate(self.levels, 1):
            LevelFile(job, level, shard, expected_states=states[shard], sum=False).close()  # it is summed below
        with tempfile.TemporaryDirectory(dir=job.scratch) as folder:
            Inbox(replace(job, scratch=Path(folder)), shard, len(self.levels) + 1).close()
        return {"shard": shard}
