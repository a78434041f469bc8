"""A job waits for a printer. Nothing says that the printer ever works: without fairness a run may stay where it is.

tidegate check examples/liveness/printer.py --keep-going
"""

from __future__ import annotations

from tidegate.language import action, initial, leads_to, require, state, weak


@state
class Office:
    """The queue of a printer."""

    waiting: bool  # whether a job waits
    printed: bool  # whether the last job came out


@initial
def morning() -> Office:
    """Nothing waits."""
    return Office(waiting=False, printed=False)


@action(kind="client")
def send(s: Office) -> None:
    """Somebody sends a job."""
    require(not s.waiting)
    s.waiting = True
    s.printed = False


@action
def print_job(s: Office) -> None:
    """The printer prints the job."""
    require(s.waiting)
    s.waiting = False
    s.printed = True


def is_printed(s: Office) -> bool:
    """The last job came out."""
    return s.printed


@leads_to(is_printed)
def printed_without_fairness(s: Office) -> bool:
    """A job that waits is printed in the end, though nothing has to happen."""
    return s.waiting


@leads_to(is_printed, weak(print_job))
def printed_with_weak_fairness(s: Office) -> bool:
    """A job that waits is printed in the end, by a printer that does not stop."""
    return s.waiting
