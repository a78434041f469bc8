# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: F821
"""The kernel's hash and look-up over words under a mask, in the machine language of `machine`; see `masks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def hash_words(at):
    """As the kernel's, of the bits that distinguish states."""
    total = 0x9E3779B97F4A7C15
    for k in range(W):
        total = mix(total ^ (at[k] & kept(k)), 0xD6E8FEB86659FD93 ^ (k << 17))
    return mix(total, 0xA0761D6478BD642F)


def find(c, at, h):
    """As the kernel's, with the index of a state that is alike under the masks."""
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
                differ |= (mine[k] ^ at[k]) & kept(k)
            if differ == 0:
                return index
        slot += 1
        if slot == size:
            slot = 0


TEXTS: tuple[Callable[..., Any], ...] = (hash_words, find)
"""Every function above: each stands in the place of the kernel's of its name."""
