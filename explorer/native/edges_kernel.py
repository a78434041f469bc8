# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: B007, F821
"""The steps between the states of an explored store, in the machine language of `machine`: for properties of whole
runs.

`g` is the block of words that GRAPH names (see `graph_kernel`). Every state is expanded once more, its successors are
looked up as the kernel looks them up, and each step that changes the state is written down with the number of its
action. A step that changes nothing is none: a run may stay where it is anyway. One that changes only ghosts
is a step of no action.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).read_text("utf-8")
"""The text of the functions below as it is when they are loaded: what is compiled is what is loaded."""

ENDINGS = ("DONE", "BROKE", "UNDEFINED", "LOST", "CROWDED")
"""Why `sweep` returned: it came to its end; a step broke the model's types; a predicate could not be evaluated; a step
led to no state of the store; there are more steps than there is room for."""


def close_states(g, edges, from_, to):
    """The states from one on, below another, have no steps after `edges`."""
    at = from_
    while at < to:
        store64(g[OFFSETS], at + 1, edges)
        at += 1


def label(c, g, slot, parent):
    """The number of a step's action; IDLE where the step changes only ghosts."""
    before = c[STATES] + parent * (W * 8)
    differ = 0
    for k in range(W):
        differ |= (before[k] ^ slot[k]) & load64(g[PROTOCOL], k)
    if differ == 0:
        return g[IDLE]
    return slot[W + 1] >> 32


def sweep(c, g, stop):
    """Writes down the steps of the states from AT on, below `stop`."""
    at = g[AT]
    while at < stop:
        first = at
        pending = 0
        while at < stop and pending < BATCH:
            state = c[STATES] + at * (W * 8)
            truth = witnesses(c, state, g[ASKED])
            if truth >> 63:
                g[AT] = at
                return 2
            store64(g[TRUTHS], at, truth)
            c[BOUNDED] = 0
            c[BEYOND] = 0
            if (truth & g[BOUNDS]) != g[BOUNDS]:
                c[BEYOND] = 1
            got = expand(c, state, c[BUFFER] + pending * (STRIDE * 8), at)
            if got == FAILED:
                g[AT] = at
                return 1
            store64(g[STOPPED], at, c[BOUNDED])
            pending += got
            at += 1
        c[PENDING] = pending
        warm(c)
        slot = c[BUFFER]
        edges = load64(g[OFFSETS], first)
        if edges + pending > g[ROOM_FOR]:
            g[AT] = first
            return 4
        source = first
        for j in range(pending):
            parent = slot[W + 1] & 0xFFFFFFFF
            close_states(g, edges, source, parent)
            source = parent
            target = find(c, slot, slot[W])
            if target >> 63:
                g[AT] = parent
                return 3
            if target != parent:
                store32(g[TARGETS], edges, target)
                number = label(c, g, slot, parent)
                store32(g[LABELS], edges, number)
                groups = load64(g[ENABLED], parent) | load64(g[GROUPS], number)
                store64(g[ENABLED], parent, groups)
                edges += 1
            slot += STRIDE * 8
        close_states(g, edges, source, at)
        g[AT] = at
    return 0


TEXTS: tuple[Callable[..., Any], ...] = (close_states, label, sweep)
"""Every function above, each after those it calls."""

PUBLIC = ("sweep",)
