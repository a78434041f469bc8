"""Mutual exclusion by Dijkstra (1965), with his numbers of lines, after `dijkstra-mutex/DijkstraMutex.tla`.

Each label of the PlusCal program is an action, as there. Its `temp` is first a process, then a set of processes: here
two fields, one of which is None.
"""

from __future__ import annotations

from enum import Enum

from tidegate.language import (
    Domain,
    Map,
    Set,
    action,
    constant,
    initial,
    invariant,
    leads_to,
    reachable,
    require,
    state,
    weak,
)

processes = constant(3, minimum=2, maximum=4, says="processes")


class Process(Domain, size=processes, symmetric=True):
    """A process."""


class Label(Enum):
    """What a process does next."""

    LI0 = "Li0"
    LI1 = "Li1"
    LI2 = "Li2"
    LI3A = "Li3a"
    LI3B = "Li3b"
    LI3C = "Li3c"
    LI3D = "Li3d"
    LI4A = "Li4a"
    LI4B = "Li4b"
    CS = "cs"
    LI5 = "Li5"
    LI6 = "Li6"
    NCS = "ncs"


@state
class Mutex:
    """The processes and what they share."""

    b: Map[Process, bool]  # whether each process wants nothing
    c: Map[Process, bool]  # whether each process is not about to go in
    k: Process  # whose turn it is
    pc: Map[Process, Label]  # what each process does next
    seen: Map[Process, Process | None]  # whose turn each process has seen
    unasked: Map[Process, Set[Process] | None]  # of whom it has not seen that they are not about to go in


@initial
def start(k: Process) -> Mutex:
    """Everyone begins; it is anybody's turn."""
    return Mutex(
        b=Map({p: True for p in Process}),
        c=Map({p: True for p in Process}),
        k=k,
        pc=Map({p: Label.LI0 for p in Process}),
        seen=Map({p: None for p in Process}),
        unasked=Map({p: None for p in Process}),
    )


def go(s: Mutex, p: Process, here: Label, there: Label) -> None:
    """A process that is at a label goes to another."""
    require(s.pc[p] == here)
    s.pc[p] = there


@action
def want(s: Mutex, p: Process) -> None:
    """{p} wants to go in (Li0)."""
    go(s, p, Label.LI0, Label.LI1)
    s.b[p] = False


@action
def look_at_turn(s: Mutex, p: Process) -> None:
    """{p} looks whether it is its turn (Li1)."""
    go(s, p, Label.LI1, Label.LI2 if s.k != p else Label.LI4A)


@action
def stand_back(s: Mutex, p: Process) -> None:
    """{p} is not about to go in (Li2)."""
    go(s, p, Label.LI2, Label.LI3A)
    s.c[p] = True


@action
def see_whose_turn(s: Mutex, p: Process) -> None:
    """{p} sees whose turn it is (Li3a)."""
    go(s, p, Label.LI3A, Label.LI3B)
    s.seen[p] = s.k
    s.unasked[p] = None


@action
def look_whether_they_want(s: Mutex, p: Process) -> None:
    """{p} looks whether that process wants to go in (Li3b)."""
    other = s.seen[p]
    require(other is not None)
    assert other is not None
    go(s, p, Label.LI3B, Label.LI3C if s.b[other] else Label.LI3D)


@action
def take_turn(s: Mutex, p: Process) -> None:
    """{p} makes it its turn (Li3c)."""
    go(s, p, Label.LI3C, Label.LI3D)
    s.k = p


@action
def go_back(s: Mutex, p: Process) -> None:
    """{p} looks again (Li3d)."""
    go(s, p, Label.LI3D, Label.LI1)


@action
def be_about(s: Mutex, p: Process) -> None:
    """{p} is about to go in, and is to look at all others (Li4a)."""
    go(s, p, Label.LI4A, Label.LI4B)
    s.c[p] = False
    s.seen[p] = None
    s.unasked[p] = Set(Process) - {p}


@action
def look_at(s: Mutex, p: Process, other: Process) -> None:
    """{p} looks whether {other} is about to go in, and begins again if so (Li4b)."""
    left = s.unasked[p]
    require(left is not None and other in left)
    assert left is not None
    go(s, p, Label.LI4B, Label.LI4B if s.c[other] else Label.LI1)
    s.unasked[p] = left - {other}


@action
def go_in(s: Mutex, p: Process) -> None:
    """{p} has looked at all others, and goes in (Li4b)."""
    left = s.unasked[p]
    require(left is not None and len(left) == 0)
    go(s, p, Label.LI4B, Label.CS)


@action
def come_out(s: Mutex, p: Process) -> None:
    """{p} comes out (cs)."""
    go(s, p, Label.CS, Label.LI5)


@action
def be_no_more_about(s: Mutex, p: Process) -> None:
    """{p} is not about to go in any more (Li5)."""
    go(s, p, Label.LI5, Label.LI6)
    s.c[p] = True


@action
def want_no_more(s: Mutex, p: Process) -> None:
    """{p} wants nothing any more (Li6)."""
    go(s, p, Label.LI6, Label.NCS)
    s.b[p] = True


@action
def begin_again(s: Mutex, p: Process) -> None:
    """{p}, which may stay away for ever, begins again (ncs)."""
    go(s, p, Label.NCS, Label.LI0)


@invariant
def mutual_exclusion(s: Mutex) -> bool:
    """At most one process is inside."""
    return all(p == q or s.pc[p] != Label.CS or s.pc[q] != Label.CS for p in Process for q in Process)


def somebody_is_inside(s: Mutex) -> bool:
    """A process is inside."""
    return any(s.pc[p] == Label.CS for p in Process)


@leads_to(
    somebody_is_inside,
    weak(
        want, look_at_turn, stand_back, see_whose_turn, look_whether_they_want, take_turn, go_back, be_about, look_at,
        go_in, come_out, be_no_more_about, want_no_more, each="p",
    ),
)  # fmt: skip
def deadlock_freedom(s: Mutex) -> bool:
    """Where a process wants to go in, one goes in, if every process that is not away goes on."""
    return any(s.pc[p] not in (Label.LI5, Label.LI6, Label.NCS) for p in Process)


@reachable
def one_is_inside(s: Mutex) -> bool:
    """A process is inside."""
    return somebody_is_inside(s)
