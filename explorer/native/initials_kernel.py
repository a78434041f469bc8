# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: F821
"""The kernel's loops over initial states, in the machine language of `machine`: for models that have many, see
`initials`. `start(c, n, out)` makes the state of combination n and gives 1, or 0 where a guard is false, or FAILED."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def check_initials(c):
    """Makes every initial state and keeps none, from COMBINATION on; gives ERROR at the first that breaks its types."""
    while c[COMBINATION] < c[COMBINATIONS]:
        if c[COMBINATION] >= c[STOP]:
            return PAUSE
        if start(c, c[COMBINATION], c[BUFFER]) == FAILED:
            return ERROR
        c[COMBINATION] = c[COMBINATION] + 1
    return LEVEL


def start_all(c):
    """Inserts every initial state, from COMBINATION on, until all are or something happens; returns the event."""
    event = insert(c)
    while event == NOTHING and c[COMBINATION] < c[COMBINATIONS]:
        if c[COMBINATION] >= c[STOP]:
            return PAUSE
        pending = 0
        slot = c[BUFFER]
        while pending < BATCH and c[COMBINATION] < c[COMBINATIONS]:
            if start(c, c[COMBINATION], slot) == 1:
                slot[W + 1] = NO_PARENT
                pending += 1
                slot += STRIDE * 8
            c[COMBINATION] = c[COMBINATION] + 1
        c[PENDING] = pending
        warm(c)
        event = insert(c)
    if event == NOTHING:
        event = LEVEL
    return event


def first_combination(c, at):
    """The first combination whose state stands for the words at `at`, or COMBINATIONS."""
    number = 0
    while number < c[COMBINATIONS]:
        if start(c, number, c[BUFFER]) == 1:
            slot = c[BUFFER]
            canonical(c, slot)
            differ = 0
            for k in range(W):
                differ |= slot[k] ^ at[k]
            if differ == 0:
                return number
        number += 1
    return number


TEXTS: tuple[Callable[..., Any], ...] = (check_initials, start_all, first_combination)
"""Every function above, each after those it calls."""

PUBLIC = ("check_initials", "start_all", "first_combination")
"""Those that Python calls, with `start`."""
