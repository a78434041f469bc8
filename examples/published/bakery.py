"""The bakery algorithm by Lamport (1974), after `Bakery-Boulangerie/Bakery.tla`: who wants to go in takes a number, and
waits for those with smaller ones.

Each label of the PlusCal program is an action or several, as there. A process that writes its number or flag may write
anything before: who reads meanwhile reads anything. `tidegate prove` proves mutual exclusion by the inductive invariant
of the original's proof, whatever the numbers.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Range,
    Set,
    action,
    constant,
    initial,
    invariant,
    lemma,
    reachable,
    require,
    state,
)

processes = constant(2, minimum=2, maximum=4, says="processes")
numbers = constant(2, minimum=1, maximum=5, says="the largest number")

Number = Annotated[int, Range(0, numbers)]


class Process(Domain, size=processes, ordered=True):
    """A process."""


class Label(Enum):
    """What a process does next."""

    NCS = "ncs"
    E1 = "e1"
    E2 = "e2"
    E3 = "e3"
    E4 = "e4"
    W1 = "w1"
    W2 = "w2"
    CS = "cs"
    EXIT = "exit"


@state
class Bakery:
    """The processes and what they share."""

    num: Map[Process, Number]
    flag: Map[Process, bool]  # whether each process takes a number
    pc: Map[Process, Label]  # what each process does next
    unchecked: Map[Process, Set[Process]]  # whom each process has not looked at yet
    max: Map[Process, Number]  # the largest number that each has seen
    nxt: Map[Process, Process]  # whom each waits for


@initial
def start() -> Bakery:
    """Nobody wants to go in."""
    return Bakery(
        num=Map({p: 0 for p in Process}),
        flag=Map({p: False for p in Process}),
        pc=Map({p: Label.NCS for p in Process}),
        unchecked=Map({p: Set() for p in Process}),
        max=Map({p: 0 for p in Process}),
        nxt=Map({p: Process(0) for p in Process}),
    )


def go(s: Bakery, p: Process, here: Label, there: Label) -> None:
    """A process that is at a label goes to another."""
    require(s.pc[p] == here)
    s.pc[p] = there


@action
def want(s: Bakery, p: Process) -> None:
    """{p} wants to go in (ncs)."""
    go(s, p, Label.NCS, Label.E1)


@action
def flicker(s: Bakery, p: Process) -> None:
    """{p} has not written its flag yet (e1, e4)."""
    require(s.pc[p] in (Label.E1, Label.E4))
    s.flag[p] = not s.flag[p]


@action
def raise_flag(s: Bakery, p: Process) -> None:
    """{p} is about to take a number, and looks at all others (e1)."""
    go(s, p, Label.E1, Label.E2)
    s.flag[p] = True
    s.unchecked[p] = Set(Process) - {p}
    s.max[p] = 0


@action
def see_number(s: Bakery, p: Process, q: Process) -> None:
    """{p} sees the number of {q} (e2)."""
    require(s.pc[p] == Label.E2 and q in s.unchecked[p])
    s.unchecked[p].remove(q)
    s.max[p] = max(s.max[p], s.num[q])


@action
def have_seen_all(s: Bakery, p: Process) -> None:
    """{p} has seen all numbers (e2)."""
    require(len(s.unchecked[p]) == 0)
    go(s, p, Label.E2, Label.E3)


@action
def scribble(s: Bakery, p: Process, number: Number) -> None:
    """{p} has not written its number yet, which reads {number} (e3, exit)."""
    require(s.pc[p] in (Label.E3, Label.EXIT))
    s.num[p] = number


@action
def take_number(s: Bakery, p: Process, number: Number) -> None:
    """{p} takes the number {number} (e3)."""
    require(number > s.max[p])
    go(s, p, Label.E3, Label.E4)
    s.num[p] = number


@action
def lower_flag(s: Bakery, p: Process) -> None:
    """{p} has taken a number, and looks at all others again (e4)."""
    go(s, p, Label.E4, Label.W1)
    s.flag[p] = False
    s.unchecked[p] = Set(Process) - {p}


@action
def look_at(s: Bakery, p: Process, q: Process) -> None:
    """{p} sees that {q} does not take a number (w1)."""
    require(q in s.unchecked[p] and not s.flag[q])
    go(s, p, Label.W1, Label.W2)
    s.nxt[p] = q


@action
def go_in(s: Bakery, p: Process) -> None:
    """{p} has waited for all others, and goes in (w1)."""
    require(len(s.unchecked[p]) == 0)
    go(s, p, Label.W1, Label.CS)


def is_first(s: Bakery, p: Process, q: Process) -> bool:
    """Whether a process goes before another by their numbers."""
    return s.num[p] < s.num[q] or (s.num[p] == s.num[q] and p < q)


@action
def go_before(s: Bakery, p: Process) -> None:
    """{p} goes before {s.nxt[p]} (w2)."""
    require(s.num[s.nxt[p]] == 0 or is_first(s, p, s.nxt[p]))
    go(s, p, Label.W2, Label.W1)
    s.unchecked[p].discard(s.nxt[p])


@action
def come_out(s: Bakery, p: Process) -> None:
    """{p} comes out (cs)."""
    go(s, p, Label.CS, Label.EXIT)


@action
def give_back(s: Bakery, p: Process) -> None:
    """{p} gives its number back (exit)."""
    go(s, p, Label.EXIT, Label.NCS)
    s.num[p] = 0


@invariant
def mutual_exclusion(s: Bakery) -> bool:
    """At most one process is inside."""
    return all(p == q or s.pc[p] != Label.CS or s.pc[q] != Label.CS for p in Process for q in Process)


def is_before(s: Bakery, p: Process, q: Process) -> bool:
    """Whether a process has a number, and another that wants to go in has or will have a larger one."""
    if s.num[p] == 0:
        return False
    if s.pc[q] == Label.E2:
        return p in s.unchecked[q] or s.max[q] >= s.num[p]
    if s.pc[q] == Label.E3:
        return s.max[q] >= s.num[p]
    if s.pc[q] in (Label.E4, Label.W1, Label.W2):
        return is_first(s, p, q) and (s.pc[q] == Label.E4 or p in s.unchecked[q])
    return s.pc[q] != Label.CS


def holds_of(s: Bakery, p: Process) -> bool:
    """The inductive invariant, of one process."""
    waits = s.pc[p] in (Label.W1, Label.W2)
    nxt = s.nxt[p]
    return (
        (s.num[p] != 0 or s.pc[p] not in (Label.E4, Label.W1, Label.W2, Label.CS))
        and (s.flag[p] or s.pc[p] not in (Label.E2, Label.E3))
        and not (waits and p in s.unchecked[p])
        and not (waits and any(q != p and q not in s.unchecked[p] and not is_before(s, p, q) for q in Process))
        and (s.pc[p] != Label.W2 or (nxt != p and (s.max[nxt] >= s.num[p] or not has_looked(s, nxt, p))))
        and (s.pc[p] != Label.CS or all(q == p or is_before(s, p, q) for q in Process))
    )


def has_looked(s: Bakery, p: Process, q: Process) -> bool:
    """Whether a process that takes a number has seen that of another."""
    return s.pc[p] == Label.E3 or (s.pc[p] == Label.E2 and q not in s.unchecked[p])


@lemma
def who_waits_goes_before_whom_it_has_looked_at(s: Bakery) -> bool:
    """The inductive invariant of the original's proof."""
    return all(holds_of(s, p) for p in Process)


@reachable
def one_is_inside(s: Bakery) -> bool:
    """A process is inside."""
    return any(s.pc[p] == Label.CS for p in Process)
