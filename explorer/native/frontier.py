"""A running search: its memory, its context, and calls into the compiled kernel."""

from __future__ import annotations

import ctypes
from typing import Any

from ...language.drafts import Shape
from ...language.judge import state_shape
from ...language.model import Model
from ...language.values import State
from ..memory_limits import LEAST, memory_for_search
from .compiler import Code
from .kernel import CONTEXT, EVENTS, NO_PARENT, REHASH_BATCH
from .layout import MAX_KEPT_VALUES
from .memory import NoMemoryError, PageToucher, Region
from .program import KernelInterface

CELLS = {name: index for index, name in enumerate(CONTEXT)}
LOAD = 0.8
"""The table grows when this much of it is used."""
FIRST_SLOTS = 1 << 16
BIG_SLOTS = 1 << 24
"""Smaller tables grow fourfold, to be filled again rarely; larger ones twofold, to waste little."""

WORKERS_MAX = 256
AHEAD_FROM, AHEAD_STATES, AHEAD_TABLE = 200_000, 2_000_000, 0.85
"""Memory is taken ahead from so many states on, for so many more, and for the next table when so much of the room is
used."""


def reserve_frontier(program: KernelInterface, code: Code, asked_bytes: int | None) -> Frontier:
    """A frontier of at most `asked_bytes` bytes. Where none are asked for, of what a search may take, or of as much of
    it as the system lets a process reserve: some count what is reserved as if it were used. NoMemoryError without
    any."""
    limit = asked_bytes or memory_for_search()
    while True:
        try:
            return Frontier(program, code, limit)
        except NoMemoryError:
            if asked_bytes or limit <= LEAST:
                raise
            limit //= 2


class Frontier:
    """States, parents, table and buffer, and the context that the kernel works on.

    `limit` bounds the bytes of all of it; when they are used up `grow` says so by returning False.
    """

    def __init__(self, program: KernelInterface, code: Code, limit: int) -> None:
        self.program, self.words = program, program.layout.words
        self.limit = limit
        per_state = 8 * self.words + 4
        self.capacity = min(NO_PARENT - 1, max(1024, int(limit / (per_state + 8 / LOAD))))
        held = self.capacity + WORKERS_MAX  # each worker may add one state more before it notices that there is no room
        self.states, self.parents = Region(8 * self.words * held), Region(4 * held)
        self.table = Region(8 * (int(self.capacity / LOAD) + FIRST_SLOTS))
        self.buffer = Region(8 * (self.words + 2) * program.buffer_slots)
        self.edges = Region(8 * (self.words + 1) * max(1, len(program.transitions)))
        self.scratch, self.hashes = Region(8 * self.words), Region(8 * REHASH_BATCH)
        self.context = (ctypes.c_uint64 * program.context_cells)()
        self.address = ctypes.addressof(self.context)
        self._ahead = PageToucher()
        self.use_code(code)
        for name, region in (
            ("STATES", self.states), ("PARENTS", self.parents), ("TABLE", self.table), ("BUFFER", self.buffer),
            ("EDGES", self.edges)
        ):  # fmt: skip
            self[name] = region.address
        self["SIZE"] = FIRST_SLOTS
        self._make_room()

    def use_code(self, code: Code) -> None:
        """Goes on with other code of the same model: what it works on stays as it is."""
        self._explore, self._warm, self._rehash = (
            code.function(*entry) for entry in (("explore", 1), ("warm", 1), ("rehash", 2))
        )
        self._expand, self._canonical = code.function("expand", 4), code.function("canonical", 2)
        self._terminal = code.function("terminal", 2)
        self._masked = {name: code.function(name, 3) for name in ("invariants", "witnesses")}
        self.share, self._weigh_all = code.function("share", 1), code.function("weigh_all", 3)
        self.code = code  # its functions live as long as it does

    def __getitem__(self, cell: str) -> int:
        return self.context[CELLS[cell]]

    def __setitem__(self, cell: str, value: int) -> None:
        self.context[CELLS[cell]] = value

    def check_initial_states(self) -> str:
        """Make the initial states from COMBINATION on, keeping none: why the kernel stopped, ERROR if one breaks."""
        return EVENTS[self.code.function("check_initials", 1)(self.address)]

    def insert_initial_states(self) -> str:
        """As `explore`, for the initial states from COMBINATION on, where they are made natively."""
        return EVENTS[self.code.function("start_all", 1)(self.address)]

    def initial_words(self, number: int) -> tuple[int, ...] | None:
        """The words of the initial state of a combination; None where a guard is false or it breaks. Overwrites the
        buffer."""
        made = self.code.function("start", 3)(self.address, number, self.buffer.address)
        return self.buffer.words(0, self.words) if made == 1 else None

    def first_combination(self, words: tuple[int, ...]) -> int:
        """The first combination that gives the initial state that words stand for; one past all where none does.
        Overwrites the buffer."""
        self.scratch.write(0, words)
        return self.code.function("first_combination", 2)(self.address, self.scratch.address)

    def counter(self, cell: int) -> int:
        """A coverage counter."""
        return self.context[cell]

    def explore(self) -> str:
        """Run the kernel until something happens; the event's name."""
        return EVENTS[self._explore(self.address)]

    def _make_room(self) -> None:
        self["ROOM"] = min(self.capacity, int(LOAD * self["SIZE"]))

    def grow(self) -> bool:
        """Make room for more states; False when the limit forbids it."""
        if self["COUNT"] >= self.capacity:
            return False
        slots = self._next_slots()
        self.table.clear(8 * self["SIZE"])
        self["SIZE"] = slots
        self._rehash(self.address, self.hashes.address)
        self._make_room()
        return True

    def touch_memory_ahead(self) -> None:
        """Have the memory taken that the next half second or so will touch."""
        count, next_slots = self["COUNT"], self._next_slots()
        if count < AHEAD_FROM:
            return
        soon = min(self.capacity, count + AHEAD_STATES)
        self._ahead.touch_soon(self.states, 8 * self.words * soon)
        self._ahead.touch_soon(self.parents, 4 * soon)
        if count > AHEAD_TABLE * self["ROOM"] and count < self.capacity:
            self._ahead.touch_soon(self.table, 8 * next_slots)

    def _next_slots(self) -> int:
        """The table's size once it has grown."""
        return min(self["SIZE"] * (2 if self["SIZE"] >= BIG_SLOTS else 4), int(self.capacity / LOAD) + 16)

    def close(self) -> None:
        """Give all memory back."""
        self._ahead.close()
        for region in (self.states, self.parents, self.table, self.buffer, self.edges, self.scratch, self.hashes):
            region.close()

    def offer_states(self, states: list[tuple[int, ...]]) -> None:
        """Put states into the buffer, to be inserted as initial states; at most as many as it has slots."""
        stride = 8 * (self.words + 2)
        for index, words in enumerate(states):
            self.buffer.write(index * stride, (*words, 0, NO_PARENT))
        self["PENDING"] = len(states)
        self._warm(self.address)

    @property
    def most_states_offered(self) -> int:
        """How many states `offer_states` takes at once."""
        return self.program.buffer_slots

    def state_words(self, index: int) -> tuple[int, ...]:
        """The words of state `index`."""
        return self.states.words(8 * self.words * index, self.words)

    def parent_of(self, index: int) -> int | None:
        """The state that state `index` was first reached from; None for an initial state."""
        found = self.parents.half_word(index)
        return None if found == NO_PARENT else found

    def first_broken_edge(self, index: int) -> tuple[int, tuple[int, ...]]:
        """The step that first broke transition property `index`: the source's index and the words it led to."""
        source, *words = self.edges.words(8 * (self.words + 1) * index, self.words + 1)
        return source, tuple(words)

    def path_to(self, index: int) -> list[int]:
        """The indexes from an initial state to state `index`."""
        found = [index]
        while (parent := self.parent_of(found[-1])) is not None:
            found.append(parent)
        return found[::-1]

    def canonical_words(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """The words that stand for a state's orbit."""
        self.scratch.write(0, words)
        self._canonical(self.address, self.scratch.address)
        return self.scratch.words(0, self.words)

    def successors(self, words: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]] | None:
        """The action and the canonical words of every successor of a state, one per enabled instance; None when a step
        breaks the model's types.

        Overwrites the buffer: for use after a search, whose counters stay as they are. CROSSED gets the watched
        transition properties that some step breaks.
        """
        self.scratch.write(0, words)
        counted = self.context[len(CELLS) :]
        made = self._expand(self.address, self.scratch.address, self.buffer.address, 0)
        self.context[len(CELLS) :] = counted
        if made == (1 << 64) - 1:
            return None
        slots = [self.buffer.words(index * 8 * (self.words + 2), self.words + 2) for index in range(made)]
        plans = self.program.plans
        return [(plans[slot[-1] >> 32].form.name, self.canonical_words(slot[: self.words])) for slot in slots]

    def orbit_state_count(self, begin: int, end: int) -> int:
        """How many states those from `begin` to `end` of the store stand for: themselves, unless the code weighs
        them."""
        return self._weigh_all(self.address, begin, end)

    def terminal_value(self, words: tuple[int, ...]) -> int:
        """1 when the model says that a run may end in a state, 0 when not, 2 when it cannot be evaluated."""
        self.scratch.write(0, words)
        return self._terminal(self.address, self.scratch.address)

    def property_bits(self, name: str, words: tuple[int, ...], mask: int) -> int:
        """The bits that `invariants` or `witnesses` gives for a state."""
        self.scratch.write(0, words)
        return self._masked[name](self.address, self.scratch.address, mask)

    def bytes_used(self) -> int:
        """Bytes of states, parents and table that are in use."""
        return self["COUNT"] * (8 * self.words + 4) + 8 * self["SIZE"]

    def encode(self, state: State) -> tuple[int, ...]:
        """The words of a plain-Python state."""
        return self.program.layout.encode(tuple(state))


def decode_words(model: Model, program: KernelInterface, words: tuple[int, ...]) -> State:
    """The plain-Python state that words stand for."""
    shape = state_shape(model)
    values = zip((field.name for field in program.layout.fields), program.layout.decode(words), strict=True)
    return shape.state(_stored_value(shape, name, value) for name, value in values)


def _stored_value(shape: Shape, name: str, value: Any) -> Any:
    """A field's value as its state stores it: for the very object that was seen before, the one from then. States that
    share bits share values, which are checked and encoded once."""
    kept: dict[tuple[str, int], tuple[Any, Any]] = shape.memo.setdefault("accepted", {})
    known = kept.get((name, id(value)))
    if known is None:
        if len(kept) >= MAX_KEPT_VALUES:
            kept.clear()
        known = kept[name, id(value)] = (value, shape.checked_value(name, value))
    return known[1]
