"""Where the command `tidegate` begins: Ctrl-C ends it in one way, also while its parts are still being imported."""

from __future__ import annotations

import gc
import sys

from ..reports.exits import INTERRUPTED, Exit

OBJECTS = 200_000
"""So many new objects are made between two searches for cycles (Python's own: 700). A command makes millions of nodes
of syntax trees and of typed forms, which stay: looking through them takes an eighth of what a small check takes."""


def collect_seldom() -> None:
    """Has Python look for cycles less often in this process, and never among the objects that are there now."""
    gc.freeze()
    gc.set_threshold(OBJECTS)


def run() -> None:
    """The entry point of the `tidegate` command."""
    collect_seldom()
    try:
        _run()
    finally:
        gc.freeze()  # to look for cycles in what the process leaves behind would take a tenth of a second


def _run() -> None:
    try:
        if sys.argv[1:] in (["--help"], ["-h"], ["--version"]):
            from .verbs import parser

            parser().parse_args()
        from .main import main  # here, since importing everything takes half a second
    except KeyboardInterrupt:
        print(f"tidegate: {INTERRUPTED}", file=sys.stderr)
        sys.exit(Exit.INCONCLUSIVE)
    sys.exit(main(sys.argv[1:]))
