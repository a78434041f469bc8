"""Ctrl-C during a search on Spark: it is noted, and looked at where the search can stop with nothing half written.

Raised as it comes, it would leave a Java process behind where Spark starts, and no verdict where files of levels are
written or reports of tasks are added up.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Generator
from types import FrameType


class _Noting:
    """A handler of Ctrl-C that sets an event and does nothing more."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        self.event.set()


@contextlib.contextmanager
def interrupts_noted() -> Generator[threading.Event]:
    """Within it Ctrl-C sets the event that it gives, which is the same one within another of its kind. In any thread
    but the main one, where Python delivers no signal, nothing sets it."""
    if threading.current_thread() is not threading.main_thread():
        yield threading.Event()
        return
    before = signal.getsignal(signal.SIGINT)
    noting = before if isinstance(before, _Noting) else _Noting()
    signal.signal(signal.SIGINT, noting)
    try:
        yield noting.event
    finally:
        signal.signal(signal.SIGINT, before)
