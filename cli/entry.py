"""Where the command `tidegate` begins: Ctrl-C ends it in one way, also while its parts are still being imported."""

from __future__ import annotations

import sys

from ..reports.exits import INTERRUPTED, Exit


def run() -> None:
    """The entry point of the `tidegate` command."""
    try:
        if sys.argv[1:] in (["--help"], ["-h"], ["--version"]):
            from .verbs import parser

            parser().parse_args()
        from .main import main  # here, since importing everything takes half a second
    except KeyboardInterrupt:
        print(f"tidegate: {INTERRUPTED}", file=sys.stderr)
        sys.exit(Exit.INCONCLUSIVE)
    sys.exit(main(sys.argv[1:]))
