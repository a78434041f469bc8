"""A clock that shows hours and nothing else; `minute_clock.py` refines it."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Range, action, constant, initial, state

hours = constant(12, minimum=2, maximum=24, says="hours that the clock shows")

Hour = Annotated[int, Range(0, hours - 1)]


@state
class Clock:
    """What the clock shows."""

    hour: Hour


@initial
def at_some_hour(hour: Hour) -> Clock:
    """The clock begins at {hour}."""
    return Clock(hour=hour)


@action
def advance(s: Clock) -> None:
    """The hour after {s.hour} begins."""
    s.hour = (s.hour + 1) % hours
