"""Processes on a ring that each write once and then read what a neighbour wrote (Lamport, 2009), after
`TeachingConcurrency/Simple.tla`: at the end, somebody has read a 1.

723 states with five processes.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import Map, Range, action, constant, initial, invariant, reachable, require, state, terminal

processes = constant(5, minimum=1, maximum=7, says="processes on the ring")

Process = Annotated[int, Range(0, processes - 1)]
Bit = Annotated[int, Range(0, 1)]


class NextStep(Enum):
    """What a process does next."""

    WRITE = "write"
    READ = "read"
    DONE = "done"


@state
class Ring:
    """What is written and what was read."""

    x: Map[Process, Bit]
    y: Map[Process, Bit]
    at: Map[Process, NextStep]


@initial
def start() -> Ring:
    """Nobody has begun."""
    return Ring(
        x=Map({p: 0 for p in range(processes)}),
        y=Map({p: 0 for p in range(processes)}),
        at=Map({p: NextStep.WRITE for p in range(processes)}),
    )


@action
def write(s: Ring, process: Process) -> None:
    """Process {process} writes 1."""
    require(s.at[process] == NextStep.WRITE)
    s.x[process] = 1
    s.at[process] = NextStep.READ


@action
def read(s: Ring, process: Process) -> None:
    """Process {process} reads what the one before it wrote."""
    require(s.at[process] == NextStep.READ)
    s.y[process] = s.x[(process - 1) % processes]
    s.at[process] = NextStep.DONE


@terminal
def done(s: Ring) -> bool:
    """All are done."""
    return all(s.at[p] == NextStep.DONE for p in range(processes))


@invariant
def somebody_read_it(s: Ring) -> bool:
    """When all are done, somebody has read a 1."""
    return not done(s) or any(s.y[p] == 1 for p in range(processes))


@invariant
def written_first(s: Ring) -> bool:
    """Who reads has written."""
    return all(s.at[p] == NextStep.WRITE or s.x[p] == 1 for p in range(processes))


@reachable
def somebody_did_not(s: Ring) -> bool:
    """Not all read a 1."""
    return done(s) and any(s.y[p] == 0 for p in range(processes))
