"""The command `tidegate`: verbs, and what any mistake ends with."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from importlib.metadata import version

from ..language.errors import ModelErrors, Unreadable, UsageError
from ..language.values import ModelError
from ..language.verdict import Disagreement
from ..reports.exits import INTERRUPTED, Exit
from .options import Parser, Wrong
from .output import kept_for_json

VERBS = {
    "audit": "tidegate.cli.audit",
    "demo": "tidegate.cli.demo",
    "models": "tidegate.cli.models",
    "check": "tidegate.cli.check",
    "sweep": "tidegate.cli.sweep",
    "prove": "tidegate.cli.prove",
    "replay": "tidegate.cli.replay",
    "simulate": "tidegate.cli.simulate",
    "show": "tidegate.cli.show",
    "export": "tidegate.cli.export",
    "explain": "tidegate.cli.explain",
    "gate": "tidegate.cli.gate",
    "spec": "tidegate.cli.spec",
}
"""Each verb's module, whose `add` adds it. Only what is asked for is imported: all of them take longer than some do."""

EPILOG = """\
exit codes
  0  holds, proved; gate: all as expected 5  inconclusive, not proved: out of time or memory, or interrupted
  1  a property is violated, or refuted   6  gate: a result differs from what is recorded
  2  deadlock                             7  a step broke the model's own types
  3  a liveness property is violated     64  usage; replay: a step is disabled
  4  vacuous: a witness is missing, an   65  the model's text is wrong
     action never happens                66  a gate file cannot be read
  8  prove: it rests on lemmas that are  70  internal error, or engine and judge disagree
     not proved
"""


def parser(verb: str | None = None) -> Parser:
    """The whole command line; of one verb only, where that is what it begins with."""
    made = Parser(
        prog="tidegate",
        description="Protocols written as plain Python, explored exhaustively by native code.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"tidegate {version('tidegate')}")
    verbs = made.add_subparsers(metavar="VERB", required=True, parser_class=Parser)
    for module in VERBS.values() if verb is None else (VERBS[verb],):
        import_module(module).add(verbs)
    return made


def main(arguments: Sequence[str]) -> Exit:
    """Runs one command line and gives its exit; every mistake is reported on standard error."""
    try:
        options = parser(next((each for each in arguments[:1] if each in VERBS), None)).parse_args(arguments)
        with kept_for_json() if getattr(options, "json", False) else nullcontext():
            return options.run(options)
    except Unreadable as error:
        return _told(str(error), Exit.UNREADABLE)
    except (Wrong, UsageError) as error:
        return _told(str(error), Exit.USAGE)
    except ModelErrors as error:
        return _told(error.render(), Exit.MODEL_TEXT, name="")
    except ModelError as error:
        return _told(_broken(error), Exit.MODEL_BROKE)
    except Disagreement as error:
        return _told(f"the engine and plain Python disagree; do not trust this result\n{error}", Exit.INTERNAL)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.INTERNAL
    except KeyboardInterrupt:
        return _told(INTERRUPTED, Exit.INCONCLUSIVE)
    except Exception:
        traceback.print_exc()
        return _told("this is a bug in tidegate, not in your model; the lines above say where", Exit.INTERNAL)


def _broken(error: ModelError) -> str:
    """What broke before there was a run to show: an initial state."""
    place = f"{error.where}: " if error.where else ""
    made = f"the initial state that {error.action} gives breaks the model's types: " if error.action else ""
    return f"{place}{made}{error}"


def _told(message: str, exit_: Exit, name: str = "tidegate: ") -> Exit:
    print(f"{name}{message}", file=sys.stderr)
    return exit_
