"""Peterson's algorithm: two processes, one critical section, nothing but shared variables.

A process raises its flag, lets the other go first, and waits until the other has no flag up or has let it go first.
42 states. Let `give_way` come before `raise_flag` and `mutual_exclusion` fails.
"""

from enum import Enum

from tidegate.language import Domain, Map, action, initial, invariant, reachable, require, state


class Process(Domain, size=2):
    """One of the two. `turn` begins with one of them, so they are not quite alike."""


class NextStep(Enum):
    """What a process does next."""

    REST = "rest"
    RAISE_FLAG = "raise_flag"
    GIVE_WAY = "give_way"
    WAIT = "wait"
    CRITICAL = "critical"
    LEAVE = "leave"


@state
class Memory:
    """The shared variables, and where each process is."""

    at: Map[Process, NextStep]  # its program counter
    flag: Map[Process, bool]  # whether it asks to enter, or is inside
    turn: Process  # who goes first if both want to


@initial
def at_rest() -> Memory:
    """No flag is up, and both are at rest."""
    return Memory(
        at=Map({process: NextStep.REST for process in Process}),
        flag=Map({process: False for process in Process}),
        turn=Process(0),
    )


def other(process: Process) -> Process:
    """The one that it is not."""
    return Process(1) if process == Process(0) else Process(0)


@action
def want(s: Memory, process: Process) -> None:
    """{process} asks to enter the critical section."""
    require(s.at[process] == NextStep.REST)
    s.at[process] = NextStep.RAISE_FLAG


@action
def raise_flag(s: Memory, process: Process) -> None:
    """{process} raises its flag."""
    require(s.at[process] == NextStep.RAISE_FLAG)
    s.flag[process] = True
    s.at[process] = NextStep.GIVE_WAY


@action
def give_way(s: Memory, process: Process) -> None:
    """{process} lets {other(process)} go first."""
    require(s.at[process] == NextStep.GIVE_WAY)
    s.turn = other(process)
    s.at[process] = NextStep.WAIT


@action
def enter(s: Memory, process: Process) -> None:
    """{process} enters the critical section."""
    require(s.at[process] == NextStep.WAIT)
    require(not s.flag[other(process)] or s.turn == process)
    s.at[process] = NextStep.CRITICAL


@action
def work(s: Memory, process: Process) -> None:
    """{process} is done in the critical section."""
    require(s.at[process] == NextStep.CRITICAL)
    s.at[process] = NextStep.LEAVE


@action
def leave(s: Memory, process: Process) -> None:
    """{process} takes its flag down."""
    require(s.at[process] == NextStep.LEAVE)
    s.flag[process] = False
    s.at[process] = NextStep.REST


def is_inside(s: Memory, process: Process) -> bool:
    """Whether it is between entering and leaving."""
    return s.at[process] == NextStep.CRITICAL or s.at[process] == NextStep.LEAVE


@invariant
def mutual_exclusion(s: Memory) -> bool:
    """The two are never inside at once."""
    return not (is_inside(s, Process(0)) and is_inside(s, Process(1)))


@reachable
def both_want_in(s: Memory) -> bool:
    """One is inside while the other waits."""
    return any(is_inside(s, process) and s.at[other(process)] == NextStep.WAIT for process in Process)
