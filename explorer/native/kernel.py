# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: B007, F821
"""The explorer's inner loops, in the machine language of `machine`: breadth first over an exact visited set.

The store holds every distinct state, in the order found: it is the queue, and with a parent per state the trace. The
table holds one word per state, (tag, index + 1), found by linear probing. Memory latency is what costs, so successors
go through three passes over a small buffer: hash and ask for the table's line; find a candidate and ask for its
words; decide.

The context `c` is an array of words; see CONTEXT for its cells. A slot of the buffer is the state's words, its hash,
and where it comes from: the parent's index, and above 32 bits the action's number.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).read_text("utf-8")
"""The text of the functions below as it is when they are loaded: what is compiled is what is loaded."""

CONTEXT = (
    "STATES",  # address of the store
    "PARENTS",  # address of the parents, 32 bits each
    "TABLE",  # address of the table
    "SIZE",  # slots of the table
    "ROOM",  # states that fit: the store's capacity, or what the table takes before it must grow
    "COUNT",  # distinct states so far
    "NEXT",  # the next state to expand
    "END",  # states below this belong to the level being expanded
    "STOP",  # pause once the states below this are expanded, to report
    "BUFFER",  # address of the successor buffer
    "PENDING",  # slots of the buffer that wait to be inserted
    "DONE",  # slots already inserted, when a call returned in the middle
    "CHECK",  # bit i set: invariant i is still to be checked
    "SEEK",  # bit i set: witness i is still to be found
    "WATCH",  # bit i set: transition property i is still to be checked
    "CROSSED",  # bit i set: a step broke transition property i, and Python does not know yet
    "ABOUT",  # index of the state an event is about
    "DETAIL",  # properties an event is about, one bit each
    "BROKE",  # number of the action that a step broke in, or NO_ACTION: it was a @bound
    "BEYOND",  # whether the state being expanded lies beyond a `@bound`, where each step is tried and none is taken
    "BOUNDED",  # bit i set: a limit alone stopped an instance of action i, no fault, of the state being expanded
    "DEADLOCKS",  # whether deadlocks are looked for
    "COMMON",  # address of three words that workers share: distinct states, next state to hand out, whether to stop
    "LEVEL_END",  # with several workers: the states below this belong to the level
    "WALK",  # address of a walker's own words, see `walk_kernel`
    "EDGES",  # address of the steps that broke a transition property: for each, the source's index, the words reached
    "COMBINATION",  # the next combination of an initial function's arguments, where initial states are made natively
    "COMBINATIONS",  # how many combinations there are
    "FIXED",  # how many renamings leave the state as it is that `canonical` made last, where states are weighed
    "WEIGHT",  # how many states the one being expanded stands for, where states are weighed
)
"""The cells of the context. After them come the values of open constants, then the counters: BOUNDED_STATES, of
states in which nothing happens and a limit stops something, WEIGHED, of states that were expanded, then those of
coverage. `weigh(c, at)` is 1, or where states are weighed, how many the one at `at` stands for: all of these are
counted."""

EVENTS = (
    "LEVEL",
    "PAUSE",
    "FULL",
    "INVARIANT",
    "WITNESS",
    "TRANSITION",
    "DEADLOCK",
    "ERROR",
    "PROPERTY_ERROR",
    "NOTHING",
)
"""Why `explore` returned: the level is done, it is time to report, no room, a property failed, a witness was met, a
deadlock, a step broke the model's types, a property could not be evaluated. `NOTHING` stays inside."""

REHASH_BATCH = 64
"""States that the table takes together when it grows."""

NO_PARENT = (1 << 32) - 1
"""The parent of an initial state; also one more than the most states a run can hold."""

CLAIMED = (1 << 32) - 1
"""In a table's entry: a worker is writing the state."""
NO_ROOM = (1 << 64) - 1
HANDOUT = 64
"""States that a worker takes at once."""

NO_ACTION = (1 << 64) - 1
"""In BROKE: not an action."""

ERROR_BIT = 1 << 63
"""Returned by a property function that could not be evaluated."""


def hash_words(at):
    total = 0x9E3779B97F4A7C15
    for k in range(W):
        total = mix(total ^ at[k], 0xD6E8FEB86659FD93 ^ (k << 17))
    return mix(total, 0xA0761D6478BD642F)


def find(c, at, h):
    """The index of the state at `at`; or, when it is new, a number with the top bit set, whose rest is the free slot
    it goes to."""
    table = c[TABLE]
    size = c[SIZE]
    tag = h & 0xFFFFFFFF
    slot = high(h, size)
    while True:
        entry = table[slot]
        if entry == 0:
            return slot | ERROR_BIT
        if (entry >> 32) == tag:
            index = (entry & 0xFFFFFFFF) - 1
            mine = c[STATES] + index * (W * 8)
            differ = 0
            for k in range(W):
                differ |= mine[k] ^ at[k]
            if differ == 0:
                return index
        slot += 1
        if slot == size:
            slot = 0


def place(c, h, index):
    """Put (tag, index + 1) into the first free slot; the state is known to be new."""
    table = c[TABLE]
    size = c[SIZE]
    slot = high(h, size)
    while table[slot] != 0:
        slot += 1
        if slot == size:
            slot = 0
    table[slot] = ((h & 0xFFFFFFFF) << 32) | (index + 1)


def rehash(c, hashes):
    """Fill an empty table from the store, a few states at a time so that their lines arrive together."""
    count = c[COUNT]
    states = c[STATES]
    at = 0
    while at < count:
        batch = count - at
        if batch > REHASH_BATCH:
            batch = REHASH_BATCH
        for j in range(batch):
            h = hash_words(states + (at + j) * (W * 8))
            hashes[j] = h
            prefetch(c[TABLE] + high(h, c[SIZE]) * 8)
        for j in range(batch):
            place(c, hashes[j], at + j)
        at += batch


def warm(c):
    """First two passes: canonical form and hash, table lines asked for; then candidates' words asked for."""
    slot = c[BUFFER]
    pending = c[PENDING]
    table = c[TABLE]
    size = c[SIZE]
    for j in range(pending):
        canonical(c, slot)
        h = hash_words(slot)
        slot[W] = h
        prefetch(table + high(h, size) * 8)
        slot += STRIDE * 8
    slot = c[BUFFER]
    for j in range(pending):
        entry = table[high(slot[W], size)]
        if (entry >> 32) == (slot[W] & 0xFFFFFFFF):
            prefetch(c[STATES] + ((entry & 0xFFFFFFFF) - 1) * (W * 8))
        slot += STRIDE * 8


def insert(c):
    """Last pass: decide, append what is new, check it. Returns an event, or NOTHING when the buffer is done."""
    done = c[DONE]
    pending = c[PENDING]
    slot = c[BUFFER] + done * (STRIDE * 8)
    while done < pending:
        h = slot[W]
        free = find(c, slot, h)
        if free >> 63:
            count = c[COUNT]
            if count == c[ROOM]:
                c[DONE] = done
                return FULL
            mine = c[STATES] + count * (W * 8)
            for k in range(W):
                mine[k] = slot[k]
            store32(c[PARENTS], count, slot[W + 1])
            store64(c[TABLE], free & (ERROR_BIT - 1), ((h & 0xFFFFFFFF) << 32) | (count + 1))
            c[COUNT] = count + 1
            c[ABOUT] = count
            event = check(c, mine)
            if event != NOTHING:
                c[DONE] = done + 1
                return event
        done += 1
        slot += STRIDE * 8
    c[DONE] = 0
    c[PENDING] = 0
    return NOTHING


def check(c, at):
    """Evaluate the invariants and the witnesses still open on a new state."""
    if c[CHECK] != 0:
        c[DETAIL] = invariants(c, at, c[CHECK])
        if c[DETAIL] != 0:
            if c[DETAIL] >> 63:
                return PROPERTY_ERROR
            return INVARIANT
    if c[SEEK] != 0:
        c[DETAIL] = witnesses(c, at, c[SEEK])
        if c[DETAIL] != 0:
            if c[DETAIL] >> 63:
                return PROPERTY_ERROR
            return WITNESS
    return NOTHING


def stuck(c, at):
    """Nothing can happen in a state, and no limit is why: it is a deadlock unless a run may end there."""
    if c[DEADLOCKS] == 0:
        return NOTHING
    ends = terminal(c, at)
    if ends == 0:
        return DEADLOCK
    if ends > 1:
        return PROPERTY_ERROR
    return NOTHING


def fill(c):
    """Expand states into the buffer until it is full or the level done. Returns an event about the last state
    expanded."""
    next = c[NEXT]
    end = c[END]
    pending = 0
    event = NOTHING
    while next < end and pending < BATCH and event == NOTHING:
        at = c[STATES] + next * (W * 8)
        c[BOUNDED] = 0
        crossed = c[CROSSED]
        watched = c[WATCH]
        weight = weigh(c, at)
        c[WEIGHED] = c[WEIGHED] + weight
        got = expand(c, at, c[BUFFER] + pending * (STRIDE * 8), next)
        c[ABOUT] = next
        next += 1
        if got == FAILED:
            event = ERROR
            got = 0
            c[CROSSED] = crossed
            c[WATCH] = watched
        if got == 0 and event == NOTHING:
            if c[BOUNDED] != 0:
                c[BOUNDED_STATES] = c[BOUNDED_STATES] + weight
            else:
                event = stuck(c, at)
        pending += got
    c[NEXT] = next
    c[PENDING] = pending
    warm(c)
    return event


def explore(c):
    """Expand the present level until it is done or something happens; returns the event. Call again to go on."""
    event = insert(c)
    while event == NOTHING and c[NEXT] < c[END]:
        event = fill(c)
        if event == NOTHING:
            event = insert(c)
        if event == NOTHING and c[CROSSED] != 0:
            event = TRANSITION
        if event == NOTHING and c[NEXT] >= c[STOP]:
            event = PAUSE
    if event == NOTHING:
        event = LEVEL
        if c[CROSSED] != 0:
            event = TRANSITION
    return event


def settle(c, at, h, parent):
    """With several workers: find the state at `at` or add it. Whoever claims a free slot writes the state, then
    publishes its index; others wait that moment out. Returns NO_ROOM, the index of a new state, or one with the top
    bit set."""
    table = c[TABLE]
    size = c[SIZE]
    tag = (h & 0xFFFFFFFF) << 32
    slot = high(h, size)
    while True:
        entry = load_shared(table + slot * 8)
        if entry == 0:
            if load_shared(c[COMMON]) >= c[ROOM]:
                return NO_ROOM
            if swap_if(table + slot * 8, 0, tag | CLAIMED):
                index = fetch_add(c[COMMON], 1)
                mine = c[STATES] + index * (W * 8)
                for k in range(W):
                    mine[k] = at[k]
                store32(c[PARENTS], index, parent)
                store_shared(table + slot * 8, tag | (index + 1))
                return index
            entry = load_shared(table + slot * 8)
        if (entry >> 32) << 32 == tag:
            while (entry & 0xFFFFFFFF) == CLAIMED:
                entry = load_shared(table + slot * 8)
            index = (entry & 0xFFFFFFFF) - 1
            mine = c[STATES] + index * (W * 8)
            differ = 0
            for k in range(W):
                differ |= mine[k] ^ at[k]
            if differ == 0:
                return index | ERROR_BIT
        slot += 1
        if slot == size:
            slot = 0


def settle_all(c):
    """With several workers: `insert`."""
    done = c[DONE]
    pending = c[PENDING]
    slot = c[BUFFER] + done * (STRIDE * 8)
    while done < pending:
        index = settle(c, slot, slot[W], slot[W + 1])
        if index == NO_ROOM:
            c[DONE] = done
            return FULL
        if (index >> 63) == 0:
            c[ABOUT] = index
            event = check(c, c[STATES] + index * (W * 8))
            if event != NOTHING:
                c[DONE] = done + 1
                return event
        done += 1
        slot += STRIDE * 8
    c[DONE] = 0
    c[PENDING] = 0
    return NOTHING


def share(c):
    """With several workers: `explore`. States are handed out a few at a time until the level is done."""
    event = settle_all(c)
    while event == NOTHING:
        if c[NEXT] >= c[END]:
            begin = c[LEVEL_END]
            if load_shared(c[COMMON] + 16) == 0:
                begin = fetch_add(c[COMMON] + 8, HANDOUT)
            if begin >= c[LEVEL_END]:
                return LEVEL
            c[NEXT] = begin
            c[END] = begin + HANDOUT
            if c[END] > c[LEVEL_END]:
                c[END] = c[LEVEL_END]
        event = fill(c)
        if event == NOTHING:
            event = settle_all(c)
        if event == NOTHING and c[CROSSED] != 0:
            event = TRANSITION
    return event


def weigh_all(c, begin, end):
    """How many states the stored ones from `begin` to `end` stand for."""
    total = 0
    while begin < end:
        total += weigh(c, c[STATES] + begin * (W * 8))
        begin += 1
    return total


def measure(c, passes):
    """Go over an explored store once more and redo the first `passes` stages of the work, changing nothing: 1 expand
    every state; 2 canonical form and hash too; 3 look every successor up; 4 instead of all that, evaluate the
    invariants. For benchmarks."""
    next = 0
    seen = 0
    while next < c[COUNT]:
        at = c[STATES] + next * (W * 8)
        if passes == 4:
            seen += invariants(c, at, c[CHECK])
            next += 1
        else:
            pending = 0
            while next < c[COUNT] and pending < BATCH:
                pending += expand(c, c[STATES] + next * (W * 8), c[BUFFER] + pending * (STRIDE * 8), next)
                next += 1
            c[PENDING] = pending
            if passes > 1:
                warm(c)
            if passes > 2:
                slot = c[BUFFER]
                for j in range(pending):
                    seen += find(c, slot, slot[W])
                    slot += STRIDE * 8
            c[PENDING] = 0
    return seen


TEXTS: tuple[Callable[..., Any], ...] = (
    hash_words, find, place, rehash, warm, check, insert, stuck, fill, explore, settle, settle_all, share, weigh_all,
    measure,
)  # fmt: skip
"""Every function above, each after those it calls."""

PUBLIC = ("rehash", "explore", "warm", "share", "weigh_all", "measure")
"""Those that Python calls."""
