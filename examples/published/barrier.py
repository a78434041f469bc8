"""A barrier: all wait until everyone has come, and then all go on at once. After `barriers/Barrier.tla`.

64 states with six processes.
"""

from enum import Enum

from tidegate.language import Domain, Map, action, constant, initial, reachable, require, state, transition

processes = constant(6, minimum=1, maximum=8, says="processes")


class Process(Domain, size=processes, symmetric=True):
    """A process."""


class Place(Enum):
    """Before the barrier, or at it."""

    BEFORE = "b0"
    AT = "b1"


@state
class Barrier:
    """Where everyone is."""

    pc: Map[Process, Place]  # where each process is


@initial
def start() -> Barrier:
    """Nobody has come."""
    return Barrier(pc=Map({process: Place.BEFORE for process in Process}))


@action
def come(s: Barrier, process: Process) -> None:
    """{process} comes to the barrier."""
    require(s.pc[process] == Place.BEFORE)
    s.pc[process] = Place.AT


@action
def open_barrier(s: Barrier) -> None:
    """All have come, and go on."""
    require(all(s.pc[process] == Place.AT for process in Process))
    for process in Process:
        s.pc[process] = Place.BEFORE


@transition
def nobody_goes_on_before_all_have_come(before: Barrier, after: Barrier) -> bool:
    """While somebody has not come, whoever has stays."""
    return all(
        before.pc[p] != Place.BEFORE or before.pc[q] != Place.AT or after.pc[q] == Place.AT
        for p in Process
        for q in Process
    )


@reachable
def all_have_come(s: Barrier) -> bool:
    """Everyone has come."""
    return all(s.pc[process] == Place.AT for process in Process)
