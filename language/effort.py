"""A bound on the work of an expression that somebody writes while they look at a run: so many steps of Python, and no
more. It is counted, and not timed, so that an expression has the same value on every machine.

    with Effort(100_000):
        value = run(state)                              TooMuch once that many steps are taken
"""

from __future__ import annotations

import builtins
import sys
import threading
from types import FrameType, TracebackType
from typing import Any


class EffortExceededError(Exception):
    """The steps are used up."""


class Effort:
    """Counts the lines, calls and returns of what this thread runs inside it, and the length of `counted_range`."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """Takes some of the steps. TooMuch where there are not so many."""
        self.left -= steps
        if self.left < 0:
            raise EffortExceededError

    def __enter__(self) -> Effort:
        self._outer = getattr(_clock, "effort", None)
        self._tracing = sys.gettrace()
        _clock.effort = self
        sys.settrace(self._trace)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        sys.settrace(self._tracing)
        _clock.effort = self._outer

    def _trace(self, frame: FrameType, event: str, value: Any) -> Any:
        self.spend(1)
        return self._trace


_clock = threading.local()
"""The effort that a thread is under, as `effort`."""


def counted_range(*bounds: int) -> range:
    """`range`, whose length counts as steps: what C runs over it is traced by nobody."""
    made = builtins.range(*bounds)
    effort: Effort | None = getattr(_clock, "effort", None)
    if effort is not None:
        effort.spend(len(made))
    return made
