"""`tidegate simulate MODEL`: one run of a model, drawn with a seed, its steps printed as they happen."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..api.models import bind_model
from ..api.simulating import MAX_STEPS, Simulation, simulate
from ..language.judge import bound_crossed
from ..language.model import Model
from ..language.values import State
from ..language.verdict import Step
from ..reports.exits import Exit
from ..reports.files import write_trace
from ..reports.trace.terminal import trace_page
from ..traces.sentences import action_sentence
from .options import (
    add_model_options,
    add_print_options,
    model_choice_of,
    parse_positive,
    text_format_of,
)
from .output import not_checked_notes, prepare_directory, print_json
from .replay import exit_of_trace
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate simulate raft --seed 7
  tidegate simulate partition --steps 30 --faults 0.3
  tidegate simulate raft:no_fsync --seed 1 --out report; tidegate show report/run.trace.json

exit: 0 every property held at every step, 1 one did not, 2 the run ended in a deadlock,
5 some property was not checked, 7 a step broke the model's types, 64 usage, 65 the model's text is wrong
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Takes one run of a model in plain Python, drawn with a seed: which action, with which arguments, and, as "
        "often as --faults says and the model's budgets allow, which fault. Every property is checked in every state. "
        "The same seed gives the same run."
    )
    parser = add_verb(verbs, "simulate", about, EXAMPLES)
    add_model_options(parser)
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="draws the run (default: 0)")
    parser.add_argument(
        "--steps", metavar="N", type=parse_positive, default=MAX_STEPS, help=f"at most so many (default: {MAX_STEPS})"
    )
    parser.add_argument(
        "--faults", metavar="P", type=_parse_probability, default=0.1,
        help="how likely a step is a fault where both are possible, from 0 to 1 (default: 0.1)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="DIR", type=Path, help="write run.trace.json there")
    add_print_options(parser)
    parser.set_defaults(run=run)


def _parse_probability(text: str) -> float:
    """A number from 0 to 1."""
    try:
        read = float(text)
    except ValueError:
        read = -1.0
    if not 0 <= read <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return read


def run(options: argparse.Namespace) -> Exit:
    """Takes the run, prints each step as it happens and the whole trace where a property fails, then saves it."""
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    model = bind_model(model_choice_of(options))
    printer = None if options.json else _StepPrinter(model)
    taken = simulate(model, seed=options.seed, steps=options.steps, faults=options.faults, heard=printer)
    document = taken.document()
    if options.json:
        print_json(document)
    elif exit_of_trace(document) is not Exit.HOLDS:
        print("\n" + trace_page(document, text_format_of(options)).text(), end="")
    else:
        why = _end_text(taken) if taken.ended else "as many as were asked for"
        print(f"{len(taken.run.steps)} steps, {why}; {simulation_summary(taken)}")
    if out is not None:
        write_trace(out / "run.trace.json", document)
    found = exit_of_trace(document)
    return Exit.INCONCLUSIVE if not_checked_notes(taken.model) and found is Exit.HOLDS else found


def _end_text(simulation: Simulation) -> str:
    """Why there is no further step, where no property fails."""
    beyond = bound_crossed(simulation.model, simulation.run.states()[-1])
    if beyond is not None:
        return f"the last state is beyond @bound {beyond}, where nothing happens"
    return "no further step is possible within the bounds"


def simulation_summary(simulation: Simulation) -> str:
    """What held, and what was not checked."""
    return "; ".join(not_checked_notes(simulation.model)) or "every property held in every state"


class _StepPrinter:
    """Prints each step as it is taken, as the sentence of its action."""

    def __init__(self, model: Model) -> None:
        self.model, self.number = model, 0
        self.actions = {action.name: action for action in model.actions}

    def __call__(self, state: State, step: Step) -> None:
        self.number += 1
        print(
            f"{self.number:5}. {action_sentence(self.model, self.actions[step.action], state, step.arguments)}",
            flush=True,
        )
