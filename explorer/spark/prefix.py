"""The beginning of a search, in this process: Spark takes over when there is enough to share.

Until then the native engine explores, with its exact store; then its states are dealt to the shards that own them and
written as level files, as if the shards had found them.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...language.model import Model
from ..native.frontier import Frontier, reserve_frontier
from ..native.kernel import CONTEXT
from ..native.kernels import Kernel
from ..native.memory import Region
from ..native.search import Driver
from ..search import Report, Search
from .interrupts import Interruption
from .job import Job
from .levels import Facts, LevelWriter, StateLocation
from .rundir import CompletedLevel, Manifest
from .step import Machine

MEMORY_PART = 4
"""A search that has used one part in so many of its memory is handed over, however few states wait."""


class Prefix:
    """The native engine's part of a search."""

    def __init__(self, model: Model, search: Search, kernel: Kernel, hand_over: int, report: Report | None) -> None:
        self.frontier = reserve_frontier(kernel.program, kernel.code, search.memory_bytes)
        self.driver = Driver(model, replace(search, workers=1), kernel, self.frontier, report)
        self._hand_over, self._limit = hand_over, self.frontier.limit

    def search_levels(self, interruption: Interruption) -> bool:
        """Search; True when there is more to do than this process should do alone. Between two levels it is looked at
        whether it was interrupted."""
        self.driver.run(lambda: self._has_enough(interruption))
        return not self.driver.findings.is_done

    def _has_enough(self, interruption: Interruption) -> bool:
        if interruption.is_set():
            self.driver.findings.note_stop(interruption.says)
            return True
        frontier = self.frontier
        waiting = frontier["COUNT"] - frontier["NEXT"]
        return waiting >= self._hand_over or frontier.bytes_used() > self._limit // MEMORY_PART

    def close(self) -> None:
        """Give all memory back."""
        self.frontier.close()

    def write_levels(self, job: Job, manifest: Manifest) -> None:
        """Write the levels' files, and all that was found into the manifest."""
        found = self.driver.findings
        dealer = _Dealer(job, self.frontier)
        for level in found.levels:
            assert level.states is not None, "a search that stores states counts those of each level"
            states = dealer.write_shares(level.depth, level.states)
            manifest.levels.append(CompletedLevel(states, level.seconds))
        first = len(CONTEXT) + len(self.frontier.program.opens)
        manifest.counters = [self.frontier.counter(cell) for cell in range(first, len(self.frontier.context))]
        manifest.expanded_states = self.frontier["NEXT"]
        manifest.handed_over = len(manifest.levels)
        manifest.finds = self._finds_of(dealer)
        dealer.close()

    def _finds_of(self, dealer: _Dealer) -> list[Facts]:
        found, finds = self.driver.findings, list[Facts]()

        def report(kind: str, bit: int, index: int, **more: Any) -> None:
            place = dealer.place_of(index)
            finds.append(
                {"kind": kind, "bit": bit, "level": place.level, "shard": place.shard, "index": place.index, **more}
            )

        for kind, indexes in (("invariants", found.invariants), ("witnesses", found.witnesses)):
            for bit, index in indexes.items():
                report(kind, bit, index)
        for bit in range(found.crossed_bounds.bit_length()):
            if found.crossed_bounds >> bit & 1:
                source, words = self.frontier.first_broken_edge(bit)
                report("transitions", bit, source, words=list(words))
        if found.deadlock is not None:
            report("deadlock", 0, found.deadlock)
        return finds


class _Dealer:
    """Deals the store's levels to shards, and remembers where each state went."""

    def __init__(self, job: Job, frontier: Frontier) -> None:
        self.job, self.frontier, self.machine = job, frontier, Machine(job)
        self._firsts, self._places = list[int](), list[Region]()
        self._next = 0

    def write_shares(self, level: int, count: int) -> list[int]:
        """Write the files of the store's next `count` states; how many each shard has."""
        job, machine, words = self.job, self.machine, self.job.words
        states = self.frontier.states.address + 8 * words * self._next
        places, dealt = Region(8 * count), (ctypes.c_uint64 * job.shards)()
        machine.write_cell("DEALT", ctypes.addressof(dealt))
        machine.call_kernel("own", machine.shard_at, states, count, places.address)
        counts = list(dealt)
        blocks = [Region(8 * words * states_dealt) for states_dealt in counts]
        parents = [Region(8 * states_dealt) for states_dealt in counts]
        tables = [(ctypes.c_uint64 * job.shards)(*(region.address for region in kind)) for kind in (blocks, parents)]
        machine.write_cell("BLOCKS", ctypes.addressof(tables[0]))
        machine.write_cell("ORIGINS", ctypes.addressof(tables[1]))
        before = self._places[-1].address if self._places else 0
        first = self._firsts[-1] if self._firsts else 0
        origins = self.frontier.parents.address + 4 * self._next
        machine.call_kernel("hand_out", machine.shard_at, states, origins, count, places.address, before, first)
        for shard, size in enumerate(counts):
            _write_level_file(job, level, shard, blocks[shard], parents[shard], size)
        for region in (*blocks, *parents):
            region.close()
        self._firsts.append(self._next)
        self._places.append(places)
        self._next += count
        return counts

    def place_of(self, index: int) -> StateLocation:
        """Where a state of the store went."""
        at = max(number for number, first in enumerate(self._firsts) if first <= index)
        packed = self._places[at].words(8 * (index - self._firsts[at]), 1)[0]
        return StateLocation(at + 1, packed >> 32, packed & (1 << 32) - 1)

    def close(self) -> None:
        """Give the memory back."""
        for place in self._places:
            place.close()


def _write_level_file(job: Job, level: int, shard: int, states: Region, parents: Region, count: int) -> None:
    writer = LevelWriter(job, level, shard)
    writer.append_states(
        (ctypes.c_char * (8 * job.words * count)).from_address(states.address).raw,
        (ctypes.c_char * (8 * count)).from_address(parents.address).raw,
    )
    writer.commit({"finds": [], "caught_up": 0})


def first_finds(finds: Sequence[Facts]) -> list[Facts]:
    """Of each property's finds the first: that of the least level, then shard, then index."""
    order = sorted(finds, key=lambda find: (find["level"], find["shard"], find["index"]))
    by_kind = itertools.groupby(
        sorted(order, key=lambda find: (find["kind"], find["bit"])), key=lambda find: (find["kind"], find["bit"])
    )
    return [next(group) for _, group in by_kind]
