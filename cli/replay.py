"""`tidegate replay MODEL --steps "..."`: takes the steps in plain Python and judges every property along the way."""

from __future__ import annotations

import argparse

from ..explorer.shrink import shrunk
from ..language.judge import holds, run_text
from ..language.model import Model
from ..language.steptext import StepError, split_steps
from ..language.trace import run_document, trace_document
from ..language.values import ModelError
from ..language.verdict import Failure, PropertyVerdict, Run
from ..reports.counterexample import trace_page
from ..reports.document import Document
from ..reports.paper import count
from .exits import Exit
from .models import bound
from .options import Parser, Verbs, Wrong, add_model_options, add_print_options, add_verb, chosen, paper_of
from .output import print_json

EXAMPLES = """\
  tidegate replay replication:truncate_to_hw --steps "controller_elect_leader(A)"
  tidegate replay examples/lock.py:careless --steps "look(A); look(B); take(A); take(B)"
  tidegate replay examples/lock.py:careless --shrink \
      --steps "look(C); look(A); look(B); take(C); leave(C); take(A); take(B)" --set clients=3

exit: 0 every property holds along the run, 1 one is violated, 7 a step broke the model's types,
64 a step is disabled (told with the guard that was false, and with what was enabled instead)
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Takes the given steps in plain Python, where `print` and `breakpoint()` in the model work."
    parser = add_verb(verbs, "replay", "take given steps in plain Python", about, EXAMPLES)
    parser.add_argument("--steps", required=True, metavar="TEXT", help='for example "produce; fetch(B); crash(A)"')
    parser.add_argument(
        "--shrink", action="store_true", help="leave out steps, and exchange some, while the same property still fails"
    )
    add_model_options(parser, search=False)
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Replays and prints the trace."""
    model = bound(chosen(options))
    document = _document(model, options.steps, shrink=options.shrink)
    if options.json:
        print_json(document)
    else:
        print(trace_page(document, paper_of(options)).text(), end="")
    return exit_of(document)


def _document(model: Model, text: str, *, shrink: bool) -> Document:
    """The trace of the steps; of those before it and the failure, where one breaks the model."""
    try:
        run = run_text(model, text)
        broken = _unanswered(model, run)
        document = run_document(model, run) if broken is None else trace_document(model, broken)
        return _shrunk(model, run, document) if shrink else document
    except StepError as error:
        raise Wrong(str(error)) from None
    except ModelError as error:
        failure = Failure(error.message, error.where, _until(model, text, error), error.action, error.arguments)
        return trace_document(model, failure)


def _shrunk(model: Model, run: Run, document: Document) -> Document:
    """The trace of what the failure needs. Raises `Wrong` when no property fails."""
    claim = document["property"]
    if claim is None or claim["fails"] is None:
        raise Wrong("--shrink: no property fails along these steps, so that there is nothing to keep")
    prop = next(each for each in model.properties if each.name == claim["name"])
    shorter = shrunk(model, run, prop)
    note = f"shrunk from {count(len(run.steps), 'step')} to {len(shorter.steps)}; no step of it can be left out"
    verdict = PropertyVerdict(prop.name, prop.kind, prop.says, "violated", shorter)
    made = trace_document(model, verdict)
    return made | {"notes": [*made["notes"], note]}


def _unanswered(model: Model, run: Run) -> Failure | None:
    """The first property that cannot be evaluated along the run."""
    for end, state in enumerate(run.states()):
        for each in model.properties:
            before = run.states()[end - 1] if end else None
            if not each.applicable or (each.kind == "transition" and before is None):
                continue
            try:
                holds(model, each, *((before, state) if each.kind == "transition" and before else (state,)))
            except ModelError as error:
                return Failure(f"{each.name}: {error.message}", error.where, Run(run.start, run.steps[:end]))
    return None


def _until(model: Model, text: str, error: ModelError) -> Run:
    """The run up to the step that breaks: the longest beginning of the text that does not."""
    pieces = split_steps(text)
    for end in range(len(pieces) - 1, -1, -1):
        try:
            return run_text(model, "; ".join(pieces[:end]))
        except ModelError:
            continue
    raise error


def exit_of(document: Document) -> Exit:
    """1 when the trace shows a property that fails, 7 when it ends at a step that breaks the model."""
    if document["failure"] is not None:
        return Exit.MODEL_BROKE
    claim = document["property"]
    return Exit.SAFETY if claim is not None and claim["fails"] is not None else Exit.HOLDS
