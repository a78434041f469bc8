"""A graph of states and steps in native memory, and the search in it by compiled code; see `graph_kernel`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from llvmlite import ir as llvm

from ...language.errors import UsageError
from ..liveness.graph import Component, FairnessEdge, FairRunQuestion, Heed, PossibilityWord, heed_nothing
from .actions import STOPPED_MAX
from .compiler import Code, compile_text, content_key, load_binary, read_object, write_object
from .effort import FULL_EFFORT
from .graph_kernel import GRAPH, NOWHERE, NUMBERS, PUBLIC, SOURCE, TEXTS
from .machine import compile_function
from .memory import Region

CELLS = {name: number for number, name in enumerate(GRAPH)}
PER_STATE = {
    "OFFSETS": 8, "TRUTHS": 8, "ENABLED": 8, "HARDENED": 8, "STOPPED": 8, "ENTRIES": 8, "MARKS": 4, "QUEUE": 4,
    "BEFORE": 4, "INDEXES": 4, "LOWS": 4, "COMPONENTS": 4, "STACK": 4, "CALLS": 4, "CURSORS": 8, "ABSENT": 8,
    "PRESENT": 8, "WITHIN": 8, "MET": 8,
}  # fmt: skip
"""Bytes of each array that has an element for each state."""
PER_EDGE = {"TARGETS": 4, "LABELS": 4, "SOURCES": 4}
"""Bytes of each array that has an element for each step."""
_OUT, _IN, _REST, _FAIR = 0, 1, 2, 3
"""Marks: states that play no part; those that are looked at; those reached; those of a fair component."""


@lru_cache(maxsize=4)
def _compiled_search(folder: Path | None) -> Code:
    """The compiled search, from the cache where it is there. It is the same for all graphs."""
    path = None if folder is None else folder / f"{content_key(FULL_EFFORT, SOURCE, 'graph')}.o"
    binary = read_object(path)
    if binary is None:
        module, made = llvm.Module("graph"), dict[str, llvm.Function]()
        for text in TEXTS:
            internal = text.__name__ not in PUBLIC
            made[text.__name__] = compile_function(module, text, NUMBERS, made, internal=internal)
        binary = compile_text(str(module), effort=FULL_EFFORT)
        write_object(path, binary)
    return load_binary(binary)


def bytes_needed(states: int, edges: int) -> int:
    """How much memory a graph takes at most."""
    return (states + 2) * sum(PER_STATE.values()) + edges * sum(PER_EDGE.values())


class Network:
    """A graph with room for so many states and steps, of which so many as `initials` come first that are initial.
    `groups` are those of each action, by its number, and `names` the names of these. `heed` is called before each pass
    of compiled code over the graph."""

    def __init__(
        self,
        states: int,
        edges: int,
        groups: tuple[int, ...],
        names: tuple[str, ...],
        initials: int,
        cache: Path | None,
        heed: Heed = heed_nothing,
    ) -> None:
        if states >= NOWHERE - 1:
            raise UsageError(f"a graph of {states:,} states is larger than native code takes")
        sizes = {name: size * (states + 2) for name, size in PER_STATE.items()}
        sizes |= {name: size * edges for name, size in PER_EDGE.items()}
        sizes["GROUPS"] = 8 * (len(groups) + 1)
        self._begins = dict(
            zip(sizes, accumulate((-(-size // 64) * 64 for size in sizes.values()), initial=0), strict=False)
        )
        self._region = Region(sum(sizes.values()) + 64 * len(sizes))
        self.groups, self.names, self.initials, self.heed = groups, names, initials, heed
        self._labelled = (*groups, 0)
        self._region.write(self._begins["GROUPS"], self._labelled)
        self.block = (ctypes.c_uint64 * len(GRAPH))()
        self.address = ctypes.addressof(self.block)
        for name, begin in self._begins.items():
            self[name] = self._region.address + begin
        self["SIZE_OF"], self["ROOM_FOR"], self["IDLE"] = states, edges, len(groups)
        self._code = _compiled_search(cache)
        self._functions: dict[str, Callable[..., int]] = {}
        self._enabled = "ENABLED"

    def __getitem__(self, cell: str) -> int:
        return self.block[CELLS[cell]]

    def __setitem__(self, cell: str, value: int) -> None:
        self.block[CELLS[cell]] = value

    def call_kernel(self, name: str, *arguments: int) -> int:
        """A function of `graph_kernel`, on this graph."""
        self.heed()
        known = self._functions.get(name)
        if known is None:
            known = self._functions[name] = self._code.function(name, PUBLIC[name])
        return known(self.address, *arguments)

    def close(self) -> None:
        """Give all memory back."""
        self._region.close()

    def word(self, array: str, index: int) -> int:
        """An element of an array of words."""
        return self._region.words(self._begins[array] + 8 * index, 1)[0]

    def set_word(self, array: str, index: int, value: int) -> None:
        """Write an element of an array of words."""
        self._region.write(self._begins[array] + 8 * index, (value,))

    def half_word(self, array: str, index: int) -> int:
        """An element of an array of 32-bit numbers."""
        return self._region.half_word(self._begins[array] // 4 + index)

    def set_half(self, array: str, index: int, value: int) -> None:
        """Write an element of an array of 32-bit numbers."""
        self._region.set_half(self._begins[array] // 4 + index, value)

    # --- a graph, see `liveness.graph` --------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """How many states there are."""
        return self["SIZE_OF"]

    @property
    def is_exact(self) -> bool:
        """Whether it is known of each action in which states a limit stops it."""
        return len(self.groups) <= STOPPED_MAX

    def edges(self, state: int) -> Iterator[FairnessEdge]:
        """The steps from a state that change it."""
        for k in range(self.word("OFFSETS", state), self.word("OFFSETS", state + 1)):
            yield FairnessEdge(self.half_word("TARGETS", k), self._labelled[self.half_word("LABELS", k)])

    def enabled_groups(self, state: int) -> int:
        """The groups that can happen in a state."""
        return self.word(self._enabled, state)

    def is_false(self, state: int, predicate: int) -> bool:
        """Whether a predicate is false in a state."""
        return not self.word("TRUTHS", state) >> predicate & 1

    def count_stopped_as_possible(self) -> None:
        """From now on a step that a limit stops counts as one that can happen. Of actions beyond the last bit it is
        known only that one of them was stopped: then all groups count."""
        if not self["HARDENED_DONE"]:
            self.call_kernel("harden", len(self.groups))
            self["HARDENED_DONE"] = 1
        self._use_enabled_array("HARDENED")

    def count_stopped_as_impossible(self) -> None:
        """From now on a step that a limit stops counts as one that cannot happen, as at first."""
        self._use_enabled_array("ENABLED")

    def _use_enabled_array(self, array: str) -> None:
        self._enabled = array
        self["ENABLED"] = self._region.address + self._begins[array]

    def possibility_of(self, predicate: int) -> tuple[PossibilityWord, int]:
        """Whether a predicate can always become true."""
        self.call_kernel("mark_all", _OUT)
        self._transpose()
        for words, new in (("TRUTHS", _IN), ("STOPPED", _REST)):
            bits = 1 << predicate if words == "TRUTHS" else (1 << 64) - 1
            tail = self.call_kernel("seed_any", self[words], bits, _OUT, new, self.size)
            self.call_kernel("backward", 0, tail, _OUT, new)
        stuck = self.call_kernel("first_marked", _OUT, 0)
        if stuck < self.size:
            return "stuck", stuck
        cut = self.call_kernel("first_marked", _REST, 0)
        return ("cut", cut) if cut < self.size else ("always", 0)

    def _transpose(self) -> None:
        """Writes down where the steps to each state come from, once."""
        if not self["SOURCES_DONE"]:
            self.call_kernel("transpose")
            self["SOURCES_DONE"] = 1

    def is_ever(self, predicate: int, initials_only: bool = False) -> bool:
        """Whether a predicate is true in some state, or with `initials_only` in some initial one."""
        found = self._first_state_with("TRUTHS", 1 << predicate)
        return found is not None and (not initials_only or found < self.initials)

    def first_stopped_state(self, actions: Collection[str]) -> int | None:
        """The first state in which a limit stops a step of some of these actions. Of those beyond the last bit it is
        known only that one of them was stopped: then it may be one of these."""
        bits = {1 << min(at, STOPPED_MAX) for at, name in enumerate(self.names) if name in actions}
        return self._first_state_with("STOPPED", sum(bits)) if bits else None

    def _first_state_with(self, words: str, bits: int) -> int | None:
        """The first state that has some of these bits in its word."""
        self.call_kernel("mark_all", _OUT)
        self.call_kernel("seed_any", self[words], bits, _OUT, _IN, self.size)
        found = self.call_kernel("first_marked", _IN, 0)
        return found if found < self.size else None

    def fair_component(self, fairness: FairRunQuestion) -> Component | None:
        """States among which a run goes on for ever as it is looked for."""
        return self._first_fair_component() if self._mark_fair(fairness) else None

    def _mark_fair(self, fairness: FairRunQuestion) -> bool:
        """Marks states among which a run goes on for ever as it is looked for; whether there are some."""
        self.call_kernel("mark_all", _OUT)
        avoid = 0 if fairness.avoid is None else 1 << fairness.avoid
        if fairness.reached_from is None:
            self.call_kernel("seed", self["TRUTHS"], avoid, 0, _OUT, _IN, self.size)
        else:
            self.call_kernel("seed", self["TRUTHS"], avoid, 0, _OUT, _REST, self.size)
            after, end = 1 << fairness.reached_from, self.initials if fairness.initial_only else self.size
            tail = self.call_kernel("seed", self["TRUTHS"], after, after, _REST, _IN, end)
            self.call_kernel("forward", 0, tail, _REST, _IN)
            self.call_kernel("remark", _REST, _OUT)
        again = 0 if fairness.again is None else 1 << fairness.again
        while True:
            found = self.call_kernel("components", _IN)
            self.call_kernel("gather", _IN, found)
            sifted = self.call_kernel("sift", _IN, _FAIR, fairness.weak, fairness.strong, again)
            if sifted & 0xFFFFFFFF or not sifted >> 32:
                return sifted & 0xFFFFFFFF != 0

    def _first_fair_component(self) -> Component:
        """The fair component that was met first, and the way to it from where it was entered."""
        inside = self.call_kernel("first_marked", _FAIR, 0)
        number = self.half_word("COMPONENTS", inside)
        members = list[int]()
        at = inside
        while at < self.size:
            if self.half_word("COMPONENTS", at) == number:
                members.append(at)
            at = self.call_kernel("first_marked", _FAIR, at + 1)
        path = [inside]
        while (source := self.half_word("BEFORE", path[0])) != NOWHERE:
            path.insert(0, source)
        within = frozenset(members)
        return Component(tuple(path[: next(at for at, state in enumerate(path, 1) if state in within)]), within)
