"""Exit codes, one table for every verb, and which of several a run ends with. What an audit's requirements come to is
`exit_code` of `audit/answers/requirements.py`; which errors end with which is in `cli/main.py`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `tidegate --help` needs the table alone
    from ..language.verdict import Outcome, Verdict


class Exit(IntEnum):
    """What a process ends with. `HOLDS` means for `gate` that everything was as expected."""

    HOLDS = 0
    SAFETY = 1
    DEADLOCK = 2
    LIVENESS = 3
    VACUOUS = 4
    INCONCLUSIVE = 5
    UNEXPECTED = 6
    MODEL_BROKE = 7
    CONDITIONAL = 8
    USAGE = 64
    MODEL_TEXT = 65
    UNREADABLE = 66
    UNAVAILABLE = 69
    INTERNAL = 70
    NOT_WRITTEN = 74


INTERRUPTED_TEXT = "interrupted before there was anything to report"
"""What Ctrl-C ends a command with (`Exit.INCONCLUSIVE`) that has found nothing yet."""

_PRECEDENCE = (
    Exit.NOT_WRITTEN,
    Exit.INTERNAL,
    Exit.MODEL_TEXT,
    Exit.UNREADABLE,
    Exit.UNAVAILABLE,
    Exit.USAGE,
    Exit.MODEL_BROKE,
    Exit.UNEXPECTED,
    Exit.SAFETY,
    Exit.LIVENESS,
    Exit.DEADLOCK,
    Exit.INCONCLUSIVE,
    Exit.CONDITIONAL,
    Exit.VACUOUS,
    Exit.HOLDS,
)

_EXITS_BY_OUTCOME: dict[Outcome, Exit] = {
    "safety": Exit.SAFETY,
    "deadlock": Exit.DEADLOCK,
    "liveness": Exit.LIVENESS,
    "model_error": Exit.MODEL_BROKE,
    "vacuous": Exit.VACUOUS,
}


def exit_of_verdict(verdict: Verdict) -> Exit:
    """The exit of one check. What is inconclusive is never vacuous: that nothing happens is known after an
    exhaustive pass only, and what a `@bound` is meant to stop makes a result vacuous that holds without it.
    """
    if verdict.verdict == "inconclusive":
        return Exit.INCONCLUSIVE
    return _EXITS_BY_OUTCOME.get(verdict.outcome, Exit.HOLDS)


def exit_of_permissions(words: Iterable[str]) -> Exit:
    """Of what may be done (`yes`, `no`, `not known`): 1 if something must not be, 5 if that is not known of something,
    or if nothing was asked, else 0."""
    said = set(words)
    if "no" in said:
        return Exit.SAFETY
    return Exit.INCONCLUSIVE if "not known" in said or not said else Exit.HOLDS


def worst_exit(exits: Iterable[Exit]) -> Exit:
    """The one exit of several; HOLDS of none."""
    return min(exits, key=_PRECEDENCE.index, default=Exit.HOLDS)
