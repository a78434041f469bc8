"""Where the command `tidegate` begins: Ctrl-C ends it in one way, also while its parts are still being imported, and
so does SIGTERM."""

from __future__ import annotations

import gc
import signal
import sys
import time
from types import FrameType

from ..reports.exits import INTERRUPTED_TEXT, Exit
from .bytecode import cache_bytecode
from .streams import guard_streams

COLLECTION_THRESHOLD = 200_000
"""So many new objects are made between two searches for cycles (Python's own: 700). A command makes millions of nodes
of syntax trees and of typed forms, which stay: looking through them takes an eighth of what a small check takes."""


def reduce_garbage_collection() -> None:
    """Has Python look for cycles less often in this process, and never among the objects that are there now."""
    gc.freeze()
    gc.set_threshold(COLLECTION_THRESHOLD)


def treat_sigterm_as_interrupt() -> None:
    """Has SIGTERM, with which a CI system cancels a job, end this process as Ctrl-C does: what was seen is reported,
    and processes that it started end. Where it is ignored it stays so. One that follows at once is the same one:
    `timeout` sends it to the process and to its group."""
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


SAME_SECONDS = 1.0
"""So soon after a signal another one of its number says nothing new."""


class RepeatedSignals:
    """When each signal came last: one that follows at once says nothing new."""

    def __init__(self) -> None:
        self._last: dict[int, float] = {}

    def is_new(self, number: int) -> bool:
        """Whether a signal, which comes now, is not the one before, sent twice."""
        now, before = time.monotonic(), self._last.get(number)
        self._last[number] = now
        return before is None or now - before > SAME_SECONDS


_SIGNALS = RepeatedSignals()


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """What Ctrl-C does, with the name of the signal, which a search then says that it was stopped by."""
    if _SIGNALS.is_new(number):
        raise KeyboardInterrupt("SIGTERM")


def run() -> None:
    """The entry point of the `tidegate` command."""
    treat_sigterm_as_interrupt()
    ending = guard_streams()
    reduce_garbage_collection()
    try:
        exit_ = _run_main()
    finally:
        exec("pass")  # else `python -m` ends by SIGINT after an interrupt in a text that was executed
        gc.freeze()  # to look for cycles in what the process leaves behind would take a tenth of a second
    sys.exit(ending(exit_))


def _run_main() -> int:
    """What the command line ends with. What it prints by itself, such as help, ends it from within."""
    try:
        if sys.argv[1:] in (["--help"], ["-h"], ["--version"]):
            from .verbs import command_parser

            command_parser().parse_args()
        cache_bytecode()
        from .main import main  # here, since importing everything takes half a second

        return main(sys.argv[1:])
    except KeyboardInterrupt:
        print(f"tidegate: {INTERRUPTED_TEXT}", file=sys.stderr)
        return Exit.INCONCLUSIVE
    except SystemExit as ended:
        if not isinstance(ended.code, int):  # a text, which is to be printed
            raise
        return ended.code
