"""A clock with minutes: whoever does not read them sees the clock of `hour_clock.py`.

`impatient` plants the bug that the tutorial of docs/refinement.md finds.
"""

from __future__ import annotations

from typing import Annotated

import hour_clock
from tidegate.language import Range, action, constant, initial, refines, state

day = constant(12, minimum=2, maximum=24, says="hours of a day")
minutes = constant(60, minimum=2, maximum=60, says="minutes of an hour")
impatient = constant(False, says="the hand moves two hours at a time")


@state
class Watch:
    """What the watch shows."""

    hour: Annotated[int, Range(0, day - 1)]
    minute: Annotated[int, Range(0, minutes - 1)]


@initial
def midnight() -> Watch:
    """It is midnight."""
    return Watch(hour=0, minute=0)


@action
def tick(s: Watch) -> None:
    """A minute passes."""
    if s.minute == minutes - 1:
        s.hour = (s.hour + (2 if impatient else 1)) % day
    s.minute = (s.minute + 1) % minutes


@refines(hour_clock, hours=day)
def as_hour_clock(s: Watch) -> hour_clock.Clock:
    """A watch whose minutes nobody reads is a clock of hours."""
    return hour_clock.Clock(hour=s.hour)
