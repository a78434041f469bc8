# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: F821
"""Search in a graph of states and steps that is written down, in the machine language of `machine`: what leads to some
states, what they lead to, and strongly connected components (Tarjan 1972, without recursion).

`g` is the block of words that GRAPH names. The steps from state i are those from OFFSETS[i] to OFFSETS[i + 1], and
the sources of the steps to it those from ENTRIES[i] to ENTRIES[i + 1] of SOURCES. Every state carries a MARK, 32 bits;
what a function finds it marks, in the order of QUEUE. All of this knows nothing of any model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).read_text("utf-8")
"""The text of the functions below as it is when they are loaded: what is compiled is what is loaded."""

GRAPH = (
    "SIZE_OF",  # states
    "AT",  # the next state whose steps are to be written down
    "ROOM_FOR",  # steps that fit
    "ASKED",  # bit i set: predicate i is evaluated
    "OFFSETS",  # address of where each state's steps begin, 64 bits, and of where the last one's end
    "TARGETS",  # address of the states that steps lead to, 32 bits
    "LABELS",  # address of the numbers of the steps' actions, 32 bits
    "GROUPS",  # address of the groups of fairness that each action belongs to, a bit each
    "PROTOCOL",  # address of the bits of each of a state's words that are of no ghost
    "IDLE",  # the number, beyond those of the actions, of a step that changes only ghosts, which is in no group
    "TRUTHS",  # address of the predicates that are true in each state, a bit each
    "ENABLED",  # address of the groups that can happen in each state, a bit each
    "HARDENED",  # address of the same with those that a limit stops, once `harden` was called
    "STOPPED",  # address of the actions that a limit stops in each state, a bit each; then of their groups
    "ENTRIES",  # address of where the steps to each state begin, 64 bits, and of where the last one's end
    "SOURCES",  # address of the states that steps come from, 32 bits
    "MARKS",  # address of the states' marks, 32 bits
    "QUEUE",  # address of states that wait, 32 bits
    "BEFORE",  # address of the state from which each was marked, 32 bits
    "INDEXES",  # address of when Tarjan's search met each state, 32 bits, from 1 on; 0: not yet
    "LOWS",  # address of the earliest state that each is known to lead back to, 32 bits
    "COMPONENTS",  # address of the number of each state's component, 32 bits, from 1 on; 0: none yet
    "STACK",  # address of the states of components under way, 32 bits
    "CALLS",  # address of the states on the path of the search, 32 bits
    "CURSORS",  # address of the next step of each state of the path, 64 bits
    "ABSENT",  # address of the groups that some state of each component cannot take, a bit each
    "PRESENT",  # address of the groups that some state of each component can take
    "WITHIN",  # address of the groups that a step within each component takes
    "SOURCES_DONE",  # whether SOURCES is filled
    "HARDENED_DONE",  # whether HARDENED is filled
    "BOUNDS",  # the predicates of which each must be true of a state within the `@bound`s, a bit each
    "MET",  # address of the predicates that are false in some state of each component
)
"""The cells of a graph's block."""

NOWHERE = (1 << 32) - 1


def transpose(g):
    """Fills ENTRIES and SOURCES from OFFSETS and TARGETS."""
    states = g[SIZE_OF]
    entries = g[ENTRIES]
    edges = load64(g[OFFSETS], states)
    for i in range(states + 2):
        store64(entries, i, 0)
    for k in range(edges):
        to = load32(g[TARGETS], k) + 2
        store64(entries, to, load64(entries, to) + 1)
    for i in range(states):
        store64(entries, i + 2, load64(entries, i + 1) + load64(entries, i + 2))
    for i in range(states):
        k = load64(g[OFFSETS], i)
        end = load64(g[OFFSETS], i + 1)
        while k < end:
            to = load32(g[TARGETS], k) + 1
            place = load64(entries, to)
            store32(g[SOURCES], place, i)
            store64(entries, to, place + 1)
            k += 1


def mark_all(g, mark):
    """Marks every state."""
    for i in range(g[SIZE_OF]):
        store32(g[MARKS], i, mark)


def remark(g, old, new):
    """Marks all states marked `old` as `new`."""
    for i in range(g[SIZE_OF]):
        if load32(g[MARKS], i) == old:
            store32(g[MARKS], i, new)


def harden(g, actions):
    """Writes down what can happen in each state with the groups of the actions that a limit stops there; all groups
    where the last bit says that one of many was stopped."""
    for i in range(g[SIZE_OF]):
        stopped = load64(g[STOPPED], i)
        groups = load64(g[ENABLED], i)
        if stopped >> 63:
            groups = ALL
        for a in range(actions):
            if a < 63 and ((stopped >> a) & 1) != 0:
                groups |= load64(g[GROUPS], a)
        store64(g[HARDENED], i, groups)


def seed(g, words, bits, value, old, new, end):
    """Marks `new` those of the first `end` states that are marked `old` and whose word has `value` under `bits`, and
    queues them; returns the queue's end. With 0 for `bits` all of them."""
    tail = 0
    for i in range(end):
        if load32(g[MARKS], i) == old and (load64(words, i) & bits) == value:
            store32(g[MARKS], i, new)
            store32(g[QUEUE], tail, i)
            store32(g[BEFORE], i, NOWHERE)
            tail += 1
    return tail


def seed_any(g, words, bits, old, new, end):
    """As `seed`, of the states whose word has some bit of `bits`."""
    tail = 0
    for i in range(end):
        if load32(g[MARKS], i) == old and (load64(words, i) & bits) != 0:
            store32(g[MARKS], i, new)
            store32(g[QUEUE], tail, i)
            store32(g[BEFORE], i, NOWHERE)
            tail += 1
    return tail


def backward(g, head, tail, old, new):
    """Marks `new` all states marked `old` from which some run through such states leads to what is queued; returns the
    queue's new end."""
    while head < tail:
        at = load32(g[QUEUE], head)
        head += 1
        k = load64(g[ENTRIES], at)
        end = load64(g[ENTRIES], at + 1)
        while k < end:
            source = load32(g[SOURCES], k)
            if load32(g[MARKS], source) == old:
                store32(g[MARKS], source, new)
                store32(g[BEFORE], source, at)
                store32(g[QUEUE], tail, source)
                tail += 1
            k += 1
    return tail


def forward(g, head, tail, old, new):
    """Marks `new` all states marked `old` to which some run through such states leads from what is queued."""
    while head < tail:
        at = load32(g[QUEUE], head)
        head += 1
        k = load64(g[OFFSETS], at)
        end = load64(g[OFFSETS], at + 1)
        while k < end:
            target = load32(g[TARGETS], k)
            if load32(g[MARKS], target) == old:
                store32(g[MARKS], target, new)
                store32(g[BEFORE], target, at)
                store32(g[QUEUE], tail, target)
                tail += 1
            k += 1
    return tail


def first_marked(g, mark, from_):
    """The first state from one on with a mark; the number of states where none has it."""
    at = from_
    while at < g[SIZE_OF]:
        if load32(g[MARKS], at) == mark:
            return at
        at += 1
    return at


def meet(g, state, met, depth, top):
    """Tarjan's search comes to a state."""
    store32(g[INDEXES], state, met)
    store32(g[LOWS], state, met)
    store32(g[STACK], top, state)
    store32(g[CALLS], depth, state)
    store64(g[CURSORS], depth, load64(g[OFFSETS], state))


def lower(g, state, low):
    """A state leads back to what was met at `low`."""
    if low < load32(g[LOWS], state):
        store32(g[LOWS], state, low)


def components(g, mark):
    """Numbers the strongly connected components of the states with a mark, from 1 on;
    returns how many there are."""
    for i in range(g[SIZE_OF]):
        store32(g[INDEXES], i, 0)
        store32(g[COMPONENTS], i, 0)
    met = 0
    found = 0
    top = 0
    for root in range(g[SIZE_OF]):
        if load32(g[MARKS], root) == mark and load32(g[INDEXES], root) == 0:
            met += 1
            meet(g, root, met, 0, top)
            top += 1
            depth = 1
            while depth > 0:
                state = load32(g[CALLS], depth - 1)
                k = load64(g[CURSORS], depth - 1)
                if k < load64(g[OFFSETS], state + 1):
                    store64(g[CURSORS], depth - 1, k + 1)
                    target = load32(g[TARGETS], k)
                    if load32(g[MARKS], target) == mark:
                        if load32(g[INDEXES], target) == 0:
                            met += 1
                            meet(g, target, met, depth, top)
                            top += 1
                            depth += 1
                        else:
                            if load32(g[COMPONENTS], target) == 0:
                                lower(g, state, load32(g[INDEXES], target))
                else:
                    depth -= 1
                    if depth > 0:
                        lower(g, load32(g[CALLS], depth - 1), load32(g[LOWS], state))
                    if load32(g[LOWS], state) == load32(g[INDEXES], state):
                        found += 1
                        popped = NOWHERE
                        while popped != state:
                            top -= 1
                            popped = load32(g[STACK], top)
                            store32(g[COMPONENTS], popped, found)
    return found


def gather(g, mark, found):
    """What the states and steps of each component are like: see ABSENT and the cells after it."""
    for i in range(found + 1):
        store64(g[ABSENT], i, 0)
        store64(g[PRESENT], i, 0)
        store64(g[WITHIN], i, 0)
        store64(g[MET], i, 0)
    for i in range(g[SIZE_OF]):
        if load32(g[MARKS], i) == mark:
            its = load32(g[COMPONENTS], i)
            can = load64(g[ENABLED], i)
            store64(g[ABSENT], its, load64(g[ABSENT], its) | (can ^ ALL))
            store64(g[PRESENT], its, load64(g[PRESENT], its) | can)
            store64(g[MET], its, load64(g[MET], its) | (load64(g[TRUTHS], i) ^ ALL))
            k = load64(g[OFFSETS], i)
            end = load64(g[OFFSETS], i + 1)
            while k < end:
                target = load32(g[TARGETS], k)
                where = load32(g[COMPONENTS], target)
                if load32(g[MARKS], target) == mark and where == its:
                    taken = load64(g[GROUPS], load32(g[LABELS], k))
                    store64(g[WITHIN], its, load64(g[WITHIN], its) | taken)
                k += 1


def sift(g, mark, fair, weak, strong, wanted):
    """Of the states with a mark, by what `gather` found of their components: those of a fair one are marked `fair`;
    those of one that can hold no fair run are marked 0; of the others, the states in which a group can happen that no
    step of the component takes are marked 0, and the rest is to be looked at again. `wanted` are predicates each of
    which must be false somewhere. Returns how many states are marked `fair`, and above 32 bits whether any is left."""
    count = 0
    left = 0
    for i in range(g[SIZE_OF]):
        if load32(g[MARKS], i) == mark:
            its = load32(g[COMPONENTS], i)
            taken = load64(g[WITHIN], its)
            starved = weak & ((load64(g[ABSENT], its) | taken) ^ ALL)
            missing = wanted & (load64(g[MET], its) ^ ALL)
            refused = strong & load64(g[PRESENT], its) & (taken ^ ALL)
            if (starved | missing) != 0:
                store32(g[MARKS], i, 0)
            else:
                if refused == 0:
                    store32(g[MARKS], i, fair)
                    count += 1
                else:
                    if (refused & load64(g[ENABLED], i)) != 0:
                        store32(g[MARKS], i, 0)
                    else:
                        left = 1
    return count | (left << 32)


TEXTS: tuple[Callable[..., Any], ...] = (
    transpose, mark_all, remark, harden, seed, seed_any, backward, forward, first_marked, meet, lower,
    components, gather, sift,
)  # fmt: skip
"""Every function above, each after those it calls."""

PUBLIC = {
    "transpose": 1, "mark_all": 2, "remark": 3, "harden": 2, "seed": 7, "seed_any": 6, "backward": 5, "forward": 5,
    "first_marked": 3, "components": 2, "gather": 3, "sift": 6,
}  # fmt: skip
"""Those that Python calls, and how many words each takes."""

NUMBERS = {**{name: index for index, name in enumerate(GRAPH)}, "NOWHERE": NOWHERE, "ALL": (1 << 64) - 1}
"""The capital names."""
