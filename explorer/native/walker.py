"""What takes random walks: memory for one walk, the block of words that the compiled walks work on, what they counted.

Nothing of a model is in it but numbers, so that a `WalkInputs` can be sent to another machine and walked on there.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence

from ...language.immutable import immutable
from ...language.model import Model
from ..search import Search, Walks
from .compiler import Code
from .frontier import CELLS
from .kernel import CONTEXT, EVENTS
from .kernels import Kernel
from .memory import Region
from .search import CHOICES_TRIED, kernel_number
from .walk_kernel import LIKE_SLOTS, MODES, REGISTERS, WALK

_CELLS = {name: index for index, name in enumerate(WALK)}
PAUSE_STEPS = 100_000
"""Steps after which a walker looks up: some hundredths of a second; fewer where each has many choices."""
FAULTS_DRAWN = 3
"""The most that a swarm's walk draws for a fault without a budget."""
_WORD = (1 << 64) - 1

Words = tuple[int, ...]


@immutable
class WalkInputs:
    """All that walks depend on, as numbers: the seed, the depth, and what the kernel must know of the model.

    `words` are those of a state, `cells` the size of the kernel's context, `counters` where its coverage counters
    begin, `slots` its buffer's size, `plans` how many actions there are; `opens` gives the cells of open constants
    their values. `starts` are the initial states, `faults` one word an action, see `walk_kernel`, `masks` the bits of
    the chosen fields. `check`, `seek` and `watch` are the properties, a bit each; `deadlocks` says whether deadlocks
    are looked for.
    """

    seed: int
    depth: int
    mode: int
    words: int
    cells: int
    counters: int
    slots: int
    plans: int
    transitions: int
    opens: tuple[tuple[int, int], ...]
    starts: tuple[Words, ...]
    faults: Words
    masks: Words
    check: int
    seek: int
    deadlocks: bool = True


def walk_inputs_of(model: Model, search: Search, walks: Walks, kernel: Kernel, starts: Sequence[Words]) -> WalkInputs:
    """The ground of a bound model; `starts` are its initial states in the kernel's words."""
    program = kernel.program
    return WalkInputs(
        seed=search.seed, depth=walks.depth, mode=MODES[walks.strategy], words=program.layout.words,
        cells=program.context_cells, counters=len(CONTEXT) + len(program.opens), slots=program.buffer_slots,
        plans=len(program.plans), transitions=len(program.transitions),
        opens=tuple((cell, kernel_number(model.values[name]) & _WORD) for name, cell in program.opens.items()),
        starts=tuple(starts), faults=tuple(_most_times_in_walk(model, plan.form.name) for plan in program.plans),
        masks=_masks_of_fields(kernel, walks.fields), check=(1 << len(program.invariants)) - 1,
        seek=(1 << len(program.witnesses)) - 1, deadlocks=search.deadlocks,
    )  # fmt: skip


def _most_times_in_walk(model: Model, name: str) -> int:
    action = model.action(name)
    if action.kind != "fault":
        return 0
    value = model.values[action.budget] if action.budget is not None else FAULTS_DRAWN
    return 1 + (value if isinstance(value, int) else FAULTS_DRAWN)


def _masks_of_fields(kernel: Kernel, names: Sequence[str]) -> Words:
    """The bits of some fields of the state; nothing when there are none."""
    layout, bits = kernel.program.layout, 0
    for name in names:
        _, shape, word, shift = layout.field(name)
        bits |= ((1 << shape.bits) - 1) << (64 * word + shift)
    return tuple(bits >> (64 * word) & _WORD for word in range(layout.words)) if names else ()


@immutable
class WalkTally:
    """What walks counted. `steps` were taken, `longest` by one walk; `expanded_states` states were looked at; `sketch`
    are the registers that distinct states are estimated from, `action_counts` how often each action was taken,
    `counters` the kernel's coverage counters."""

    steps: int
    longest: int
    expanded_states: int
    sketch: Words
    action_counts: Words
    counters: Words

    @property
    def distinct_estimate(self) -> int:
        """About how many distinct states were seen."""
        return estimate_distinct(self.sketch)


def merge_tallies(tallies: Sequence[WalkTally]) -> WalkTally:
    """What several walkers counted, as if one had."""
    return WalkTally(
        steps=sum(tally.steps for tally in tallies), longest=max(tally.longest for tally in tallies),
        expanded_states=sum(tally.expanded_states for tally in tallies),
        sketch=tuple(map(max, zip(*(tally.sketch for tally in tallies), strict=True))),
        action_counts=tuple(map(sum, zip(*(tally.action_counts for tally in tallies), strict=True))),
        counters=tuple(map(sum, zip(*(tally.counters for tally in tallies), strict=True))),
    )  # fmt: skip


def estimate_distinct(registers: Sequence[int]) -> int:
    """How many different hashes filled the registers of a sketch, with a standard error of 1.04 / sqrt(registers)
    (HyperLogLog, Flajolet and others, 2007; by linear counting while many registers are empty)."""
    size = len(registers)
    empty = sum(1 for register in registers if not register)
    raw = 0.7213 / (1 + 1.079 / size) * size * size / sum(2.0**-register for register in registers)
    return round(size * math.log(size / empty) if empty and raw <= 2.5 * size else raw)


class Walker:
    """Takes walks in a context whose store, buffer and edges are there."""

    def __init__(self, ground: WalkInputs, code: Code, context: ctypes.Array[ctypes.c_uint64]) -> None:
        self.ground, self.context = ground, context
        self.use_code(code)
        self._block = Region(8 * len(WALK))
        words, plans = ground.words, ground.plans
        self._arrays = {
            "STARTS": Region(8 * words * max(1, len(ground.starts))), "WEIGHTS": Region(8 * plans),
            "ALLOWED": Region(8 * plans), "FAULTS": Region(8 * plans), "TAKEN": Region(8 * plans),
            "SKETCH": Region(8 * REGISTERS), "MASKS": Region(8 * words), "LIKES": Region(8 * LIKE_SLOTS),
        }  # fmt: skip
        self._fill_block()

    def _fill_block(self) -> None:
        ground = self.ground
        for cell, value in ground.opens:
            self.context[cell] = value
        for name, value in (
            ("CHECK", ground.check), ("SEEK", ground.seek), ("WATCH", (1 << ground.transitions) - 1),
            ("DEADLOCKS", int(ground.deadlocks)),
            ("WALK", self._block.address),
        ):  # fmt: skip
            self.context[CELLS[name]] = value
        for name, region in self._arrays.items():
            self[name] = region.address
        for index, words in enumerate(ground.starts):
            self._arrays["STARTS"].write(8 * len(words) * index, words)
        self._arrays["FAULTS"].write(0, ground.faults)
        if ground.masks:
            self._arrays["MASKS"].write(0, ground.masks)
        else:
            self["LIKES"] = 0
        self["SEED"], self["DEPTH"], self["MODE"] = ground.seed, ground.depth, ground.mode
        self["START_COUNT"], self["PLANS"] = len(ground.starts), ground.plans

    def __getitem__(self, cell: str) -> int:
        return self._block.words(8 * _CELLS[cell], 1)[0]

    def __setitem__(self, cell: str, value: int) -> None:
        self._block.write(8 * _CELLS[cell], (value & _WORD,))

    def use_code(self, code: Code) -> None:
        """Goes on with other code of the same model: what it works on stays as it is."""
        self._walk = code.function("walk", 1)
        self.code = code  # its functions live as long as it does

    def begin_at(self, first: int) -> None:
        """Walks are to be taken from this number on."""
        self["WALKER"], self["UNDER_WAY"] = first, 0

    def take_walks_below(self, last: int) -> str:
        """Take walks until those below `last` are taken (LEVEL), some hundredths of a second are over (PAUSE), or
        something happens; the event's name."""
        self["LAST_WALK"] = last
        if self["WALKER"] >= last:
            return "LEVEL"
        self["LEFT"] = max(1, min(PAUSE_STEPS, CHOICES_TRIED // self.ground.slots))
        return EVENTS[self._walk(ctypes.addressof(self.context))]

    @property
    def walk_number(self) -> int:
        """The walk that the last event is about."""
        return self["WALKER"] - (not self["UNDER_WAY"])

    @property
    def steps_taken(self) -> int:
        """The steps that were taken so far."""
        return self["TOTAL"]

    def tally_so_far(self) -> WalkTally:
        """What was counted so far."""
        return WalkTally(
            steps=self["TOTAL"], longest=max(self["LONGEST"], self["LENGTH"]),
            expanded_states=self.context[CELLS["NEXT"]],
            sketch=self._arrays["SKETCH"].words(0, REGISTERS),
            action_counts=self._arrays["TAKEN"].words(0, self.ground.plans),
            counters=tuple(self.context[self.ground.counters :]),
        )  # fmt: skip

    def close(self) -> None:
        """Give the memory back."""
        for region in (self._block, *self._arrays.values()):
            region.close()
