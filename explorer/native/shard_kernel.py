# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: B007, F821
"""One shard's share of a level, in the machine language of `machine`: for searches that are spread over processes.

A shard keeps only fingerprints of the states it owns, of FINGER words each, in a table by linear probing; the states
themselves are in level files. `s` is the block of words that SHARD names. `spread` expands a level file and deals the
successors to the shards that own them; `absorb` takes what other shards dealt and keeps what is new.

The kernel's `fill` makes the successors: STATES is then the level, and TABLE a small table of fingerprints dealt
lately, so that most successors that repeat are dealt once. It forgets: a repeated state costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).read_text("utf-8")
"""The text of the functions below as it is when they are loaded: what is compiled is what is loaded."""

SHARD = (
    "SEEN",  # address of the table of fingerprints
    "SLOTS",  # slots of it
    "HELD",  # fingerprints in it
    "OWNERS",  # how many shards there are
    "BLOCKS",  # address of the addresses of one block a shard: the states dealt to it
    "ORIGINS",  # address of the addresses behind their parents' indexes, 32 bits each, the first one last
    "DEALT",  # address of how many states each block holds
    "HALF",  # states from which a block is to be sent
    "READY",  # whether some block is to be sent
    "SECOND",  # address of the second words of what was dealt lately
    "PRINTS",  # address of room for PRINTS_ROOM fingerprints
    "TAKEN_IN",  # states of the block under way that were looked at
    "KEPT",  # states of all blocks that were new, since they were last written away
)
"""The cells of a shard's block."""

PRINTS_ROOM = 256
"""Fingerprints that are computed, and their lines asked for, before they are looked up."""


def second_hash(at):
    """The second word of a fingerprint, from other constants."""
    total = 0x2D358DCCAA6C78A5
    for k in range(W):
        total = mix(total ^ at[k], 0x8BB84B93962EACC9 ^ (k << 23))
    return mix(total, 0x4B33A62ED433D4A3)


def slot_of(s, first):
    """Where the search for a fingerprint begins. The upper bits name the owner, so that others are needed."""
    return high(first * 0x9E3779B97F4A7C15, s[SLOTS])


def hold(s, first, second):
    """Put a fingerprint into the table; 1 when it was not there."""
    table = s[SEEN]
    size = s[SLOTS]
    slot = slot_of(s, first)
    while True:
        entry = load64(table, slot * FINGER)
        if entry == 0:
            store64(table, slot * FINGER, first)
            if FINGER == 2:
                store64(table, slot * FINGER + 1, second)
            s[HELD] = s[HELD] + 1
            return 1
        if entry == first:
            if FINGER == 1:
                return 0
            if load64(table, slot * FINGER + 1) == second:
                return 0
        slot += 1
        if slot == size:
            slot = 0


def take_prints(s, states, count):
    """Fingerprints of some states, at most PRINTS_ROOM, their lines of the table asked for. No first word is 0."""
    prints = s[PRINTS]
    for j in range(count):
        at = states + j * (W * 8)
        first = hash_words(at)
        if first == 0:
            first = 1
        store64(prints, j * FINGER, first)
        if FINGER == 2:
            store64(prints, j * FINGER + 1, second_hash(at))
        prefetch(s[SEEN] + slot_of(s, first) * (FINGER * 8))


def hold_all(s, states, count):
    """Put the fingerprints of states into the table; how many were not there."""
    begin = 0
    new = 0
    while begin < count:
        batch = count - begin
        if batch > PRINTS_ROOM:
            batch = PRINTS_ROOM
        take_prints(s, states + begin * (W * 8), batch)
        for j in range(batch):
            new += hold(s, load64(s[PRINTS], j * FINGER), load64(s[PRINTS], j * FINGER + FINGER - 1))
        begin += batch
    return new


def move_held(s, old, slots):
    """Put every fingerprint of another table into this one."""
    for j in range(slots):
        first = load64(old, j * FINGER)
        if first != 0:
            hold(s, first, load64(old, j * FINGER + FINGER - 1))


def absorb(c, s, states, count, source, fresh, parents):
    """Copy the new states of a block to `fresh`, after the KEPT ones, and check them. `parents` gets (source, origin)
    of each. The origins lie before the states, the first one last. Returns an event about the state last kept, ABOUT;
    call again to go on."""
    begin = s[TAKEN_IN]
    kept = s[KEPT]
    event = NOTHING
    while begin < count and event == NOTHING:
        batch = count - begin
        if batch > PRINTS_ROOM:
            batch = PRINTS_ROOM
        take_prints(s, states + begin * (W * 8), batch)
        j = 0
        while j < batch and event == NOTHING:
            if hold(s, load64(s[PRINTS], j * FINGER), load64(s[PRINTS], j * FINGER + FINGER - 1)) != 0:
                at = states + (begin + j) * (W * 8)
                mine = fresh + kept * (W * 8)
                for k in range(W):
                    mine[k] = at[k]
                store64(parents, kept, (source << 32) | load32(states - (begin + j + 1) * 4, 0))
                c[ABOUT] = kept
                kept += 1
                event = check(c, mine)
            j += 1
        begin += j
    s[TAKEN_IN] = begin
    s[KEPT] = kept
    if event == NOTHING:
        return LEVEL
    return event


def deal(c, s):
    """Put what `fill` made into the blocks of the shards that own it, but for what was dealt lately."""
    slot = c[BUFFER]
    for j in range(c[PENDING]):
        h = slot[W]
        at = high(h, c[SIZE])
        fresh = load64(c[TABLE], at) ^ h
        if FINGER == 2:
            second = second_hash(slot)
            fresh |= load64(s[SECOND], at) ^ second
            store64(s[SECOND], at, second)
        if fresh != 0:
            store64(c[TABLE], at, h)
            owner = high(h, s[OWNERS])
            count = load64(s[DEALT], owner)
            mine = load64(s[BLOCKS], owner) + count * (W * 8)
            for k in range(W):
                mine[k] = slot[k]
            store32(load64(s[ORIGINS], owner) - (count + 1) * 4, 0, slot[W + 1])
            store64(s[DEALT], owner, count + 1)
            if count + 1 >= s[HALF]:
                s[READY] = 1
        slot += STRIDE * 8
    c[PENDING] = 0


def spread(c, s):
    """Expand a level until it is done, a block is ready (FULL), or something happens; returns the event. Call again
    to go on."""
    event = NOTHING
    while event == NOTHING and s[READY] == 0 and c[NEXT] < c[END]:
        event = fill(c)
        deal(c, s)
        if event == NOTHING and c[CROSSED] != 0:
            event = TRANSITION
    if event == NOTHING:
        event = LEVEL
        if s[READY] != 0:
            event = FULL
    return event


def own(s, states, count, places):
    """Of `count` states: who owns each, and as which of the states of these that the owner has: (owner, index).
    DEALT counts them."""
    for j in range(count):
        owner = high(hash_words(states + j * (W * 8)), s[OWNERS])
        index = load64(s[DEALT], owner)
        store64(s[DEALT], owner, index + 1)
        store64(places, j, (owner << 32) | index)


def hand_out(s, states, parents, count, places, before, levels):
    """Copy states to the blocks of their owners, and to `levels` the places of their parents. `places` are their own,
    `before` those of the level before, whose first state has the index `levels[0]` in `parents`."""
    for j in range(count):
        owner = load64(places, j) >> 32
        index = load64(places, j) & 0xFFFFFFFF
        mine = load64(s[BLOCKS], owner) + index * (W * 8)
        at = states + j * (W * 8)
        for k in range(W):
            mine[k] = at[k]
        parent = load32(parents, j)
        if parent != NO_PARENT:
            parent = load64(before, parent - levels)
        store64(load64(s[ORIGINS], owner), index, parent)


TEXTS: tuple[Callable[..., Any], ...] = (
    second_hash, slot_of, hold, take_prints, hold_all, move_held, absorb, deal, spread, own, hand_out,
)  # fmt: skip
"""Every function above, each after those it calls."""

PUBLIC = ("hold_all", "move_held", "absorb", "spread", "own", "hand_out")
NUMBERS = {**{name: index for index, name in enumerate(SHARD)}, "PRINTS_ROOM": PRINTS_ROOM}
"""The capital names, beside those of the kernel; FINGER is the words of a fingerprint."""
