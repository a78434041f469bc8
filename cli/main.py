"""The command `tidegate`: verbs, and what any mistake ends with."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

from ..language.errors import ModelErrors, UnavailableError, UnreadableError, UsageError, suggest_name
from ..language.values import ModelError
from ..language.verdict import DisagreementError
from ..reports.exits import INTERRUPTED_TEXT, Exit
from .output import print_failure, remove_empty_directories, require_one_json, reserve_stdout_for_json
from .verbs import VERBS, command_parser

DEFECT_NOTE = """This is a defect of tidegate, not of the model. Report the command, the model's file and these lines.
Until it is fixed, `check --engine python` answers with plain Python alone."""


NO_DETAILS: Mapping[str, Any] = MappingProxyType({})


def main(arguments: Sequence[str]) -> Exit:
    """Runs one command line and gives its exit; every mistake is reported on standard error, and with `--json` as the
    one object on standard output too."""
    with remove_empty_directories(), require_one_json() if "--json" in arguments else nullcontext():
        return _run_verb(arguments)


def _run_verb(arguments: Sequence[str]) -> Exit:
    options = argparse.Namespace()
    try:
        arguments = _expand_help(arguments)
        options = command_parser(_verb_of(arguments)).parse_args(arguments, options)
        options.arguments = arguments
        with reserve_stdout_for_json() if getattr(options, "json", False) else nullcontext():
            return options.run(options)
    except UnreadableError as error:
        return report_failure(str(error), Exit.UNREADABLE)
    except UnavailableError as error:
        return report_failure(str(error), Exit.UNAVAILABLE)
    except UsageError as error:
        return report_failure(str(error), Exit.USAGE)
    except ModelErrors as error:
        return report_failure(error.render(), Exit.MODEL_TEXT, name="")
    except ModelError as error:
        known = _broken_state_document(error, options)
        return report_failure(_broken_state_text(error, known), Exit.MODEL_BROKE, more=known)
    except DisagreementError as error:
        return report_failure(
            f"the engine and plain Python disagree; do not trust this result\n{error}\n{DEFECT_NOTE}", Exit.INTERNAL
        )
    except KeyboardInterrupt:
        return report_failure(INTERRUPTED_TEXT, Exit.INCONCLUSIVE)
    except Exception:
        traceback.print_exc()
        return report_failure(
            "this is a defect of tidegate, not of your model; the lines above show where", Exit.INTERNAL
        )


ALIASES_OF_VERBS = {"run": "simulate", "verify": "check", "play": "explore", "trace": "show", "list": "models"}
"""What other tools call a verb, and its name here."""


def _expand_help(arguments: Sequence[str]) -> Sequence[str]:
    """`help` and `help VERB` as `--help` and `VERB --help`."""
    return [*arguments[1:2], "--help"] if arguments and arguments[0] == "help" else arguments


def _verb_of(arguments: Sequence[str]) -> str | None:
    """The verb that a command line begins with; None where it begins with an option, or is empty. Raises
    `UsageError` for one that there is not."""
    first = arguments[0] if arguments else "-"
    if first.startswith("-"):
        return None
    if first not in VERBS:
        hint = f"did you mean {ALIASES_OF_VERBS[first]}?" if first in ALIASES_OF_VERBS else suggest_name(first, VERBS)
        raise UsageError(f"there is no verb {first}; {hint}\ntry: tidegate --help")
    return first


def _broken_state_text(error: ModelError, known_words: Mapping[str, Any]) -> str:
    """What broke before there was a run to show: an initial state."""
    place = f"{error.where}: " if error.where else ""
    made = (
        f"the initial state that {_initial_state_text(error)} gives breaks the model's types: " if error.action else ""
    )
    again = f"\nreplay it:\n  {known_words['replay']}" if known_words["replay"] else ""
    return f"{place}{made}{error}{again}"


def _initial_state_text(error: ModelError) -> str:
    from ..language.steptext import format_step

    return format_step(error.action or "", error.arguments or {})


def _broken_state_document(error: ModelError, options: argparse.Namespace) -> dict[str, Any]:
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
    from .options import model_choice_of

    return replay_command(bind_model(model_choice_of(options)), _initial_state_text(error))


def report_failure(message: str, exit_: Exit, name: str = "tidegate: ", more: Mapping[str, Any] = NO_DETAILS) -> Exit:
    """Print a message for the user to standard error, after the program's name, and with `--json` as an object, with
    what `more` is known; the exit code that it comes with."""
    print(f"{name}{message}", file=sys.stderr)
    print_failure(message, exit_, more)
    return exit_
