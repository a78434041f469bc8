"""A worker works, rests and works again, and may retire for good. One that begins so never works.

    tidegate check examples/liveness/worker.py --no-deadlock --keep-going

What is claimed of the beginning alone, and of what is so for good: in TLA+ `P => <>Q` and `P ~> []Q`.
"""

from __future__ import annotations

from enum import Enum

from tidegate.language import action, initial, initially_leads_to, leads_to_always, require, state, weak


class Mode(Enum):
    """What a worker does."""

    IDLE = "idle"
    BUSY = "busy"
    RETIRED = "retired"


@state
class Worker:
    """A worker."""

    mode: Mode  # what it does


@initial
def begin(rested: bool) -> Worker:
    """It is idle if it is {rested}, else retired."""
    return Worker(mode=Mode.IDLE if rested else Mode.RETIRED)


@action
def work(s: Worker) -> None:
    """It begins to work."""
    require(s.mode == Mode.IDLE)
    s.mode = Mode.BUSY


@action
def rest(s: Worker) -> None:
    """It rests."""
    require(s.mode == Mode.BUSY)
    s.mode = Mode.IDLE


@action
def retire(s: Worker) -> None:
    """It retires."""
    require(s.mode == Mode.BUSY)
    s.mode = Mode.RETIRED


def is_busy(s: Worker) -> bool:
    """Whether it works."""
    return s.mode == Mode.BUSY


def is_retired(s: Worker) -> bool:
    """Whether it has retired."""
    return s.mode == Mode.RETIRED


@initially_leads_to(is_busy, weak(work))
def begins_rested(s: Worker) -> bool:
    """Who begins rested works some time."""
    return s.mode == Mode.IDLE


@initially_leads_to(is_busy, weak(work))
def begins_at_all(s: Worker) -> bool:
    """Whoever begins works some time."""
    return True


@leads_to_always(is_retired, weak(work))
def works(s: Worker) -> bool:
    """Who works retires."""
    return s.mode == Mode.BUSY


@leads_to_always(is_retired, weak(work))
def has_retired(s: Worker) -> bool:
    """Who has retired stays so."""
    return s.mode == Mode.RETIRED
