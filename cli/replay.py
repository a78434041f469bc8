"""`tidegate replay MODEL --steps "..."`: takes the steps in plain Python and judges every property along the way."""

from __future__ import annotations

import argparse
import json
import sys

from ..language.judge import run_text
from ..language.steptext import StepError
from ..language.trace import run_document
from ..reports.counterexample import trace_page
from ..reports.document import Document
from .exits import Exit
from .models import bound
from .options import Parser, Verbs, Wrong, add_model_options, add_print_options, add_verb, chosen, paper_of

EXAMPLES = """\
  tidegate replay replication:truncate_to_hw --steps "controller_elect_leader(A)"
  tidegate replay examples/lock.py:careless --steps "look(A); look(B); take(A); take(B)"

exit: 0 every property holds along the run, 1 one is violated, 7 a step broke the model's types,
64 a step is disabled (told with the guard that was false, and with what was enabled instead)
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Takes the given steps in plain Python, where `print` and `breakpoint()` in the model work."
    parser = add_verb(verbs, "replay", "take given steps in plain Python", about, EXAMPLES)
    parser.add_argument("--steps", required=True, metavar="TEXT", help='for example "produce; fetch(B); crash(A)"')
    add_model_options(parser, search=False)
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Replays and prints the trace."""
    model = bound(chosen(options))
    try:
        document = run_document(model, run_text(model, options.steps))
    except StepError as error:
        raise Wrong(str(error)) from None
    if options.json:
        json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
        print(flush=True)
    else:
        print(trace_page(document, paper_of(options)).text(), end="")
    return exit_of(document)


def exit_of(document: Document) -> Exit:
    """1 when the trace shows a property that fails."""
    claim = document["property"]
    return Exit.SAFETY if claim is not None and claim["fails"] is not None else Exit.HOLDS
