"""A barrier that is used again and again, made of three semaphores and a counter. After `barriers/Barriers.tla`,
with its inductive invariant and the refinement of `Barrier.tla`.

29,279 states with six processes. Each label of the PlusCal program is an action, as there.
"""

from enum import Enum
from typing import Annotated

import barrier
from barrier import Place, Process, processes
from tidegate.language import Map, Range, Set, action, initial, invariant, refines, require, state


class Label(Enum):
    """What a process does next."""

    A0 = "a0"
    A1 = "a1"
    A2 = "a2"
    A3 = "a3"
    A4 = "a4"
    A5 = "a5"
    A6 = "a6"
    A7 = "a7"
    A8 = "a8"
    A9 = "a9"
    A10 = "a10"
    A11 = "a11"
    A12 = "a12"


Count = Annotated[int, Range(0, processes)]
IN_LOCK = Set([Label.A2, Label.A3, Label.A4, Label.A5, Label.A8, Label.A9, Label.A10, Label.A11])
MET = Set([Label.A3, Label.A4, Label.A5, Label.A6, Label.A7, Label.A8])
FIRST = Set([Label.A0, Label.A1, Label.A2, Label.A3, Label.A4, Label.A5, Label.A6])
COMING = FIRST - Set([Label.A5, Label.A6])
LEAVING = Set([Label.A7, Label.A8, Label.A9, Label.A10])


@state
class Barriers:
    """The processes and what they share."""

    pc: Map[Process, Label]  # what each process does next
    lock: bool  # whether the lock is free
    gate_1: Count  # how many may pass the first gate
    gate_2: Count  # how many may pass the second gate
    met: Count  # how many have met


@initial
def start() -> Barriers:
    """Nobody has come, and the lock is free."""
    return Barriers(pc=Map({p: Label.A0 for p in Process}), lock=True, gate_1=0, gate_2=0, met=0)


@action
def come(s: Barriers, p: Process) -> None:
    """{p} comes (a0)."""
    move(s, p, Label.A0, Label.A1)


@action
def lock_first(s: Barriers, p: Process) -> None:
    """{p} takes the lock (a1)."""
    take(s, p, Label.A1, Label.A2)


@action
def count_up(s: Barriers, p: Process) -> None:
    """{p} is counted (a2)."""
    move(s, p, Label.A2, Label.A3)
    s.met += 1


@action
def look_whether_all(s: Barriers, p: Process) -> None:
    """{p} looks whether all have met (a3)."""
    move(s, p, Label.A3, Label.A4 if s.met == processes else Label.A5)


@action
def open_first(s: Barriers, p: Process) -> None:
    """{p} opens the first gate for all (a4)."""
    move(s, p, Label.A4, Label.A5)
    s.gate_1 += processes


@action
def unlock_first(s: Barriers, p: Process) -> None:
    """{p} frees the lock (a5)."""
    free(s, p, Label.A5, Label.A6)


@action
def pass_first(s: Barriers, p: Process) -> None:
    """{p} passes the first gate (a6)."""
    require(s.gate_1 > 0)
    move(s, p, Label.A6, Label.A7)
    s.gate_1 -= 1


@action
def lock_second(s: Barriers, p: Process) -> None:
    """{p} takes the lock again (a7)."""
    take(s, p, Label.A7, Label.A8)


@action
def count_down(s: Barriers, p: Process) -> None:
    """{p} is no longer counted (a8)."""
    move(s, p, Label.A8, Label.A9)
    s.met -= 1


@action
def look_whether_none(s: Barriers, p: Process) -> None:
    """{p} looks whether all have left (a9)."""
    move(s, p, Label.A9, Label.A10 if s.met == 0 else Label.A11)


@action
def open_second(s: Barriers, p: Process) -> None:
    """{p} opens the second gate for all (a10)."""
    move(s, p, Label.A10, Label.A11)
    s.gate_2 += processes


@action
def unlock_second(s: Barriers, p: Process) -> None:
    """{p} frees the lock (a11)."""
    free(s, p, Label.A11, Label.A12)


@action
def pass_second(s: Barriers, p: Process) -> None:
    """{p} passes the second gate, and begins again (a12)."""
    require(s.gate_2 > 0)
    move(s, p, Label.A12, Label.A0)
    s.gate_2 -= 1


def move(s: Barriers, p: Process, here: Label, there: Label) -> None:
    """A process that is at a label goes to another."""
    require(s.pc[p] == here)
    s.pc[p] = there


def take(s: Barriers, p: Process, here: Label, there: Label) -> None:
    """It takes the lock as it goes."""
    require(s.lock)
    move(s, p, here, there)
    s.lock = False


def free(s: Barriers, p: Process, here: Label, there: Label) -> None:
    """It frees the lock as it goes."""
    move(s, p, here, there)
    s.lock = True


def number_at(s: Barriers, first: Label) -> int:
    """How many processes are at `first` or after it, before they begin again."""
    return sum(1 for p in Process if (s.pc[p] in FIRST) == (first == Label.A0))


@invariant
def lock_is_exclusive(s: Barriers) -> bool:
    """At most one process is where the lock is held, and it is held then."""
    return all(p == q or s.pc[p] not in IN_LOCK or s.pc[q] not in IN_LOCK for p in Process for q in Process) and (
        not s.lock or all(s.pc[p] not in IN_LOCK for p in Process)
    )


@invariant
def counted(s: Barriers) -> bool:
    """Who has met is counted; a gate is open only while somebody is before it, and one at most."""
    return (
        s.met == sum(1 for p in Process if s.pc[p] in MET)
        and (s.gate_1 == 0 or any(s.pc[p] in (Label.A5, Label.A6) for p in Process))
        and (s.gate_2 == 0 or any(s.pc[p] in (Label.A11, Label.A12) for p in Process))
        and (s.gate_1 == 0 or s.gate_2 == 0)
        and s.gate_1 <= number_at(s, Label.A0)
        and s.gate_2 <= number_at(s, Label.A7)
    )


@invariant
def two_rounds_do_not_mix(s: Barriers) -> bool:
    """Who comes and who leaves are not there at once; who opens a gate is the last."""
    coming, leaving = any(s.pc[p] in COMING for p in Process), any(s.pc[p] in LEAVING for p in Process)
    return (
        not (coming and leaving)
        and (not coming or s.gate_1 == 0)
        and (not leaving or s.gate_2 == 0)
        and all(s.pc[p] != Label.A4 or (s.met == processes and others_wait(s, p, Label.A6)) for p in Process)
        and all(s.pc[p] != Label.A10 or (s.met == 0 and others_wait(s, p, Label.A12)) for p in Process)
    )


def others_wait(s: Barriers, p: Process, label: Label) -> bool:
    """Whether all others are at a label."""
    return all(q == p or s.pc[q] == label for q in Process)


@invariant
def gates_are_passed_by_all(s: Barriers) -> bool:
    """An open gate is open for exactly those who have not passed it."""
    return (s.gate_1 == 0 or s.gate_1 == number_at(s, Label.A0)) and (
        s.gate_2 == 0 or s.gate_2 == number_at(s, Label.A7)
    )


@refines(barrier, processes=processes)
def as_barrier(s: Barriers) -> barrier.Barrier:
    """All of it is a barrier: one waits at it from when it comes until the second gate is open."""
    return barrier.Barrier(pc=Map({p: place_of(s, p) for p in Process}))


def place_of(s: Barriers, p: Process) -> Place:
    """Where a process is."""
    away = s.pc[p] == Label.A0 or (s.pc[p] in (Label.A11, Label.A12) and s.gate_2 > 0)
    return Place.BEFORE if away else Place.AT
