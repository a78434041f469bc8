# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: B007, F821
"""Random walks, in the machine language of `machine`: from an initial state, one step after the other.

A walk lies in the store as a search's states do, the state before each being its parent; so that everything that reads
a path back reads a walk. `w` is the block of words that WALK names. All that is random comes from the seed and the
walk's number: walk 17 is the same whoever takes it.

A step is drawn among the enabled ones by the weights of their actions. A *uniform* walk weighs all alike. In a *swarm*
each walk draws its own weights: it leaves out about a quarter of the actions, prefers others up to eightfold, and
takes faults so often as it drew at its beginning (Groce and others, Swarm Testing, 2012). A *guided* walk makes an
action the less likely the oftener this walk took it, and a state the less likely the oftener this walk saw its like.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).read_text("utf-8")
"""The text of the functions below as it is when they are loaded: what is compiled is what is loaded."""

WALK = (
    "RANDOM",  # the state of the random numbers
    "SEED",  # what they begin from, with the walk's number
    "WALKER",  # the number of the walk under way, or of the next
    "LAST_WALK",  # walks below this are to be taken
    "LENGTH",  # steps of the walk under way
    "DEPTH",  # steps after which a walk ends
    "UNDER_WAY",  # whether a walk is under way
    "STARTS",  # address of the initial states
    "START_COUNT",
    "PLANS",  # how many actions there are
    "WEIGHTS",  # address of each action's weight in this walk
    "ALLOWED",  # address of how often this walk may take each action
    "FAULTS",  # address of one word an action: 0, or of a fault one more than how often it may happen
    "TAKEN",  # address of how often each action was taken by all walks so far
    "MODE",
    "TOTAL",  # steps of all walks so far
    "LEFT",  # steps left before a pause
    "LONGEST",  # steps of the longest walk so far
    "SKETCH",  # address of the sketch that distinct states are estimated from, a register a word
    "MASKS",  # address of one word a word of the state: the bits of the chosen fields
    "LIKES",  # address of the table of what this walk saw; 0: no fields were chosen
)
"""The cells of a walker's block."""

MODES = {"uniform": 0, "swarm": 1, "guided": 2}

REGISTERS = 1 << 12
"""Of the sketch: an error of about 1.6% (HyperLogLog, Flajolet and others, 2007)."""

LIKE_SLOTS = 1 << 12
"""Of the table of what a walk saw. Two that share a slot count as one: a matter of taste, not of truth."""

FULL_WEIGHT = 1 << 16
EVER = 1 << 32


def draw(w):
    """A random word (wyrand)."""
    w[RANDOM] = w[RANDOM] + 0xA0761D6478BD642F
    return mix(w[RANDOM], w[RANDOM] ^ 0xE7037ED1A0B428DB)


def draw_weights(w):
    """Draw what this walk likes."""
    plan = 0
    while plan < w[PLANS]:
        weight = FULL_WEIGHT
        allowed = EVER
        if w[MODE] == SWARM:
            chance = draw(w) >> 61
            weight = 0
            if chance > 1:
                weight = FULL_WEIGHT >> ((chance >> 1) % 4)
            if load64(w[FAULTS], plan) != 0:
                allowed = high(draw(w), load64(w[FAULTS], plan))
        store64(w[WEIGHTS], plan, weight)
        store64(w[ALLOWED], plan, allowed)
        plan += 1


def masked_hash(c, w, at):
    """A hash of the chosen fields of a state, another one in each walk: states alike in them share it, and its upper
    bits are their slot of the table."""
    total = mix(w[WALKER] ^ 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
    for k in range(W):
        total = mix(total ^ (at[k] & load64(w[MASKS], k)), 0xD6E8FEB86659FD93 ^ (k << 17))
    return total


def times_seen(w, key):
    """How often this walk saw the like."""
    entry = load64(w[LIKES], key >> 52)
    if (entry >> 16) == (key & 0xFFFFFFFFFFFF):
        return entry & 0xFFFF
    return 0


def count_masked(w, key):
    """See the like once more."""
    seen = times_seen(w, key)
    if seen < 0xFFFF:
        seen += 1
    store64(w[LIKES], key >> 52, ((key & 0xFFFFFFFFFFFF) << 16) | seen)


def step_weight(c, w, slot):
    """How likely the step in a slot is, beside the others."""
    plan = slot[W + 1] >> 32
    if load64(w[ALLOWED], plan) == 0:
        return 0
    weight = load64(w[WEIGHTS], plan)
    if w[MODE] == GUIDED and w[LIKES] != 0:
        canonical(c, slot)
        weight = (weight << 8) // (1 + times_seen(w, masked_hash(c, w, slot)))
    return weight


def chosen_step(c, w, got):
    """The slot of the step to take. Where no likely step is enabled, all that are enabled are alike."""
    total = 0
    slot = c[BUFFER]
    for j in range(got):
        mine = step_weight(c, w, slot)
        slot[W] = mine
        total += mine
        slot += STRIDE * 8
    if total == 0:
        return c[BUFFER] + high(draw(w), got) * (STRIDE * 8)
    left = high(draw(w), total)
    slot = c[BUFFER]
    while left >= slot[W]:
        left -= slot[W]
        slot += STRIDE * 8
    return slot


def count_step(w, plan):
    """Remember that a step was taken."""
    store64(w[TAKEN], plan, load64(w[TAKEN], plan) + 1)
    left = load64(w[ALLOWED], plan)
    if left > 0 and left < EVER:
        store64(w[ALLOWED], plan, left - 1)
    if w[MODE] == GUIDED:
        weight = load64(w[WEIGHTS], plan)
        if weight > 16:
            store64(w[WEIGHTS], plan, weight - (weight >> 2))


def count_distinct(w, h):
    """Count a state, by its hash, once."""
    h = mix(h, 0x9FB21C651E98DF25)
    register = h >> 52
    rest = (h << 12) | 0x800
    zeros = 1
    while (rest >> 63) == 0:
        rest = rest << 1
        zeros += 1
    if zeros > load64(w[SKETCH], register):
        store64(w[SKETCH], register, zeros)


def check_arrival(c, w, at):
    """A state of the walk: it is counted and checked."""
    count_distinct(w, hash_words(at))
    if w[LIKES] != 0:
        count_masked(w, masked_hash(c, w, at))
    c[ABOUT] = w[LENGTH]
    return check(c, at)


def begin_walk(c, w):
    """The first state of the next walk."""
    w[RANDOM] = mix(w[SEED] ^ 0x9E3779B97F4A7C15, (w[WALKER] + 1) * 0xD6E8FEB86659FD93)
    w[UNDER_WAY] = 1
    w[LENGTH] = 0
    at = w[STARTS] + high(draw(w), w[START_COUNT]) * (W * 8)
    mine = c[STATES]
    for k in range(W):
        mine[k] = at[k]
    draw_weights(w)
    return check_arrival(c, w, mine)


def end_walk(c, w):
    """The walk is over."""
    w[UNDER_WAY] = 0
    w[WALKER] = w[WALKER] + 1
    if w[LENGTH] > w[LONGEST]:
        w[LONGEST] = w[LENGTH]


def end_stuck_walk(c, w, at):
    """Nothing can happen: the bounds stop everything, a run may end here, or it is a deadlock."""
    end_walk(c, w)
    if c[BOUNDED] == 0:
        return stuck(c, at)
    return NOTHING


def take_step(c, w):
    """One step of the walk under way. Returns an event about the state at its end, or about the one it left."""
    length = w[LENGTH]
    at = c[STATES] + length * (W * 8)
    c[BOUNDED] = 0
    c[ABOUT] = length
    crossed = c[CROSSED]
    watched = c[WATCH]
    got = expand(c, at, c[BUFFER], length)
    c[NEXT] = c[NEXT] + 1
    if got == FAILED:
        c[CROSSED] = crossed
        c[WATCH] = watched
        end_walk(c, w)
        return ERROR
    if c[CROSSED] != 0:
        return TRANSITION
    if got == 0:
        return end_stuck_walk(c, w, at)
    slot = chosen_step(c, w, got)
    canonical(c, slot)
    count_step(w, slot[W + 1] >> 32)
    at += W * 8
    for k in range(W):
        at[k] = slot[k]
    w[LENGTH] = length + 1
    w[TOTAL] = w[TOTAL] + 1
    return check_arrival(c, w, at)


def walk(c):
    """Take walks until all are taken, the steps of this call are used up, or something happens; returns the event.
    Call again to go on."""
    w = c[WALK]
    event = NOTHING
    while event == NOTHING:
        if w[UNDER_WAY] == 0:
            if w[WALKER] >= w[LAST_WALK]:
                return LEVEL
            event = begin_walk(c, w)
        else:
            if w[LENGTH] >= w[DEPTH]:
                end_walk(c, w)
            else:
                if w[LEFT] == 0:
                    return PAUSE
                w[LEFT] = w[LEFT] - 1
                event = take_step(c, w)
    return event


TEXTS: tuple[Callable[..., Any], ...] = (
    draw, draw_weights, masked_hash, times_seen, count_masked, step_weight, chosen_step, count_step, count_distinct,
    check_arrival, begin_walk, end_walk, end_stuck_walk, take_step, walk,
)  # fmt: skip
"""Every function above, each after those it calls."""

PUBLIC = ("walk",)
NUMBERS = {
    **{name: index for index, name in enumerate(WALK)},
    **{name.upper(): number for name, number in MODES.items()}, "FULL_WEIGHT": FULL_WEIGHT, "EVER": EVER,
}  # fmt: skip
"""The capital names, beside those of the kernel."""
