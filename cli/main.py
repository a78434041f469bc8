"""The command `tidegate`: verbs, and what any mistake ends with."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

from ..language.errors import ModelErrors, Unreadable, UsageError, nearest
from ..language.values import ModelError
from ..language.verdict import Disagreement
from ..reports.exits import INTERRUPTED_TEXT, Exit
from .output import json_asked, kept_for_json, no_empty_directory, print_failure
from .verbs import VERBS, parser

TO_REPORT = """This is a defect of tidegate, not of the model. Report the command, the model's file and these lines.
Until it is fixed, `check --engine python` answers with plain Python alone."""


NOTHING_MORE: Mapping[str, Any] = MappingProxyType({})


def main(arguments: Sequence[str]) -> Exit:
    """Runs one command line and gives its exit; every mistake is reported on standard error, and with `--json` as the
    one object on standard output too."""
    with no_empty_directory(), json_asked() if "--json" in arguments else nullcontext():
        return _exit_of(arguments)


def _exit_of(arguments: Sequence[str]) -> Exit:
    options = argparse.Namespace()
    try:
        arguments = _with_help(arguments)
        options = parser(_verb(arguments)).parse_args(arguments, options)
        options.arguments = arguments
        with kept_for_json() if getattr(options, "json", False) else nullcontext():
            return options.run(options)
    except Unreadable as error:
        return report(str(error), Exit.UNREADABLE)
    except UsageError as error:
        return report(str(error), Exit.USAGE)
    except ModelErrors as error:
        return report(error.render(), Exit.MODEL_TEXT, name="")
    except ModelError as error:
        known = _known(error, options)
        return report(_broken(error, known), Exit.MODEL_BROKE, more=known)
    except Disagreement as error:
        return report(
            f"the engine and plain Python disagree; do not trust this result\n{error}\n{TO_REPORT}", Exit.INTERNAL
        )
    except KeyboardInterrupt:
        return report(INTERRUPTED_TEXT, Exit.INCONCLUSIVE)
    except Exception:
        traceback.print_exc()
        return report("this is a defect of tidegate, not of your model; the lines above show where", Exit.INTERNAL)


OTHER_NAMES = {"run": "simulate", "verify": "check", "play": "explore", "trace": "show", "list": "models"}
"""What other tools call a verb, and its name here."""


def _with_help(arguments: Sequence[str]) -> Sequence[str]:
    """`help` and `help VERB` as `--help` and `VERB --help`."""
    return [*arguments[1:2], "--help"] if arguments and arguments[0] == "help" else arguments


def _verb(arguments: Sequence[str]) -> str | None:
    """The verb that a command line begins with; None where it begins with an option, or is empty. Raises
    `UsageError` for one that there is not."""
    first = arguments[0] if arguments else "-"
    if first.startswith("-"):
        return None
    if first not in VERBS:
        hint = f"did you mean {OTHER_NAMES[first]}?" if first in OTHER_NAMES else nearest(first, VERBS)
        raise UsageError(f"there is no verb {first}; {hint}\ntry: tidegate --help")
    return first


def _broken(error: ModelError, known: Mapping[str, Any]) -> str:
    """What broke before there was a run to show: an initial state."""
    place = f"{error.where}: " if error.where else ""
    made = f"the initial state that {_start(error)} gives breaks the model's types: " if error.action else ""
    again = f"\nreplay it:\n  {known['replay']}" if known["replay"] else ""
    return f"{place}{made}{error}{again}"


def _start(error: ModelError) -> str:
    from ..language.steptext import format_step

    return format_step(error.action or "", error.arguments or {})


def _known(error: ModelError, options: argparse.Namespace) -> dict[str, Any]:
    """What is known of an initial state that broke, for programs."""
    from ..traces.differences import to_json  # no command needs it that ends well

    given = {name: to_json(value) for name, value in (error.arguments or {}).items()}
    again = _replay_line(error, options) if error.action else None
    return {"initial": error.action, "arguments": given, "file": error.file, "line": error.line, "replay": again}


def _replay_line(error: ModelError, options: argparse.Namespace) -> str | None:
    """The command that makes the initial state again; None where that was the command, or it was about no one model."""
    if not hasattr(options, "assignments") or hasattr(options, "steps"):
        return None
    from ..api.models import bind_model
    from ..traces.heading import replay_command
    from .options import chosen

    return replay_command(bind_model(chosen(options)), _start(error))


def report(message: str, exit_: Exit, name: str = "tidegate: ", more: Mapping[str, Any] = NOTHING_MORE) -> Exit:
    """Print a message for the user to standard error, after the program's name, and with `--json` as an object, with
    what `more` is known; the exit code that it comes with."""
    print(f"{name}{message}", file=sys.stderr)
    print_failure(message, exit_, more)
    return exit_
