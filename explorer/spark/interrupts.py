"""Ctrl-C and SIGTERM during a search on Spark: they are noted, and looked at where the search can stop with nothing
half written.

Raised as it comes, it would leave a Java process behind where Spark starts, and no verdict where files of levels are
written or reports of tasks are added up.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Generator
from types import FrameType

from ..search import interrupt_text


class Interruption(threading.Event):
    """Set once Ctrl-C or SIGTERM has come; a handler of both that does nothing more."""

    says = interrupt_text(KeyboardInterrupt())

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGTERM:
            self.says = interrupt_text(KeyboardInterrupt("SIGTERM"))
        self.set()


@contextlib.contextmanager
def interrupts_noted() -> Generator[Interruption]:
    """Within it Ctrl-C sets the event that it gives, which is the same one within another of its kind, and so does
    SIGTERM where this process heeds it. In a thread that is not the main one, where Python delivers no
    signal, nothing does."""
    if threading.current_thread() is not threading.main_thread():
        yield Interruption()
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    known = before[signal.SIGINT]
    noting = known if isinstance(known, Interruption) else Interruption()
    heeded = [number for number, handler in before.items() if number == signal.SIGINT or callable(handler)]
    for number in heeded:
        signal.signal(number, noting)
    try:
        yield noting
    finally:
        for number in heeded:
            signal.signal(number, before[number])
