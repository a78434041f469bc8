"""`tidegate replay MODEL --steps "..."` and `replay TRACE`: takes given steps, or those of a saved trace, in plain
Python and checks every property along the way.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..api.models import bind_model
from ..explorer.shrink import shrink_run
from ..language.errors import UsageError
from ..language.fairness import unmet_fairness, why_not_violated
from ..language.judge import deadlock, holds_at_end, is_deadlock, replay, run_text
from ..language.model import LIVENESS, Liveness, Model
from ..language.steptext import StepError, parse_steps, split_steps
from ..language.values import ModelError
from ..language.verdict import Failure, PropertyVerdict, Run
from ..reports.document import Document
from ..reports.exits import Exit
from ..reports.text_page import count_text
from ..reports.trace.terminal import trace_page
from ..traces.document import run_document, trace_document
from ..traces.heading import replay_line_of
from .options import add_model_options, add_print_options, model_choice_of, parse_natural, text_format_of
from .output import not_checked_notes, print_json
from .saved_traces import bind_saved_model, blame_file, no_return_text, read_trace, replay_saved_trace
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate replay replication:truncate_to_hw --steps "controller_elect_leader(A)"
  tidegate replay examples/lock.py:careless --steps "look(A); look(B); take(A); take(B)"
  tidegate replay examples/lock.py:careless --shrink \
--steps "look(C); look(A); look(B); take(C); leave(C); take(A); take(B)" --set clients=3
  tidegate replay examples/liveness/counter.py --steps "serve(B); come(B)" --loop 0
  tidegate replay report/strong_isr.trace.json            model, constants and steps as they were saved
  tidegate replay report/strong_isr.trace.json --shrink

exit: 0 every property holds along the run, 1 one is violated, 2 it ends in a deadlock, 3 it goes round for ever and
violates a property of liveness, 5 one was not checked, 7 a step broke the model's types, 64 a step is disabled
(reported with the guard that is false, and with what is enabled instead), or the model has changed since the trace was
saved
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Takes the given steps, or those of a saved trace, in plain Python, where `print` and `breakpoint()` in the "
        "model work."
    )
    parser = add_verb(verbs, "replay", about, EXAMPLES)
    parser.add_argument("--steps", metavar="TEXT", help='of a MODEL: for example "produce; fetch(B); crash(A)"')
    parser.add_argument(
        "--loop",
        metavar="N",
        type=parse_natural,
        help="of a MODEL: the run returns to its state after step N when it has taken the steps, for ever (0: to the "
        "initial state; the number of its last step: it stays there); so properties of liveness are checked, too",
    )
    parser.add_argument(
        "--shrink", action="store_true", help="leave out steps, and exchange some, while the same property still fails"
    )
    add_model_options(parser, search=False, what="MODEL|TRACE", says="a saved .trace.json file, or ")
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Replays and prints the trace."""
    others: Sequence[Document] = ()
    if options.model.endswith(".json"):
        document, missed = _replay_saved_trace(options)
    else:
        document, others, missed = _replay_given_steps(options)
    if missed:
        document = document | {"notes": [*document["notes"], *missed]}
    if options.json:
        print_json(document)
    else:
        print(trace_page(document, text_format_of(options), others).text(), end="")
    found = exit_of_trace(document)
    return Exit.INCONCLUSIVE if missed and found is Exit.HOLDS else found


def _replay_given_steps(options: argparse.Namespace) -> tuple[Document, Sequence[Document], Sequence[str]]:
    """The trace of the steps on the command line, those of the other properties by name that fail with it, and a note
    of the properties that are not checked."""
    if options.steps is None:
        raise UsageError(
            f'which steps of {options.model}? give --steps "...", or name a saved .trace.json in its place'
        )
    if options.loop is not None and options.shrink:
        raise UsageError("--shrink leaves out steps, and --loop says which of them go round; give one of the two")
    model = bind_model(model_choice_of(options))
    document = _steps_document(model, options.steps, loop=options.loop, shrink=options.shrink)
    missed = not_checked_notes(model, loop=options.loop is not None)
    if options.loop is None or exit_of_trace(document) is not Exit.HOLDS:
        return document, () if options.shrink else _other_violated_traces(model, options, document), missed
    document, unfair = _loop_document(model, run_text(model, options.steps), document, options.loop)
    return document, (), [*missed, *unfair]


def _loop_document(model: Model, run: Run, document: Document, loop: int) -> tuple[Document, Sequence[str]]:
    """The document of a run that goes round for ever and violates nothing, with why, and a note of each claim that says
    nothing of it."""
    said, unfair = _loop_notes(model, run, loop)
    more = {"replay": f"{document['replay']} --loop {loop}", "notes": [*document["notes"], *said]}
    return document | more, unfair


def _other_violated_traces(model: Model, options: argparse.Namespace, document: Document) -> list[Document]:
    """The traces of the other properties that were asked for by name, and fail first at the step at which that of the
    document does, as they are printed of one run."""
    claim = document["property"]
    if options.loop is not None or claim is None or claim["fails"] is None:
        return []
    run = run_text(model, options.steps)
    found = [
        trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, "violated", run))
        for prop in model.properties
        if prop.name in options.properties and prop.name != claim["name"] and "0" in document["truth"][prop.name]
        and prop.kind != "reachable"
    ]  # fmt: skip
    return [other for other in found if other["property"]["fails"]["step"] == claim["fails"]["step"]]


# --- a saved trace ----------------------------------------------------------------------------------------------------


def _replay_saved_trace(options: argparse.Namespace) -> tuple[Document, Sequence[str]]:
    """The trace of the steps of a saved one, about the same property or failure if it is still there, and a note of the
    properties that are not checked, of those of states and steps that the search was about."""
    path: str = options.model
    asked = {"--steps": options.steps, "--loop": options.loop, "--set": options.assignments, "--bounds": options.bounds}
    for name, value in {**asked, "--ghosts": options.ghosts}.items():
        if value not in (None, []):
            raise UsageError(f"{name} is for a MODEL; {path} has its own. Give the replay line of the trace, changed")
    saved = read_trace(Path(path))
    with blame_file(path):
        model = bind_saved_model(saved, path, options.properties)
        taken = replay_saved_trace(model, saved, path)
        document = _rerun_document(model, taken, saved, path)
    missed = [name for name in model.not_checked if name in saved["properties"]]
    notes = (
        not_checked_notes(model, missed)
        + _impossibility_notes(model, saved)
        + _unchecked_loop_notes(model, taken, saved)
    )
    if saved["property"] is None and saved["loop"] is not None and exit_of_trace(document) is Exit.HOLDS:
        document, unfair = _loop_document(model, taken, document, saved["loop"])
        notes += unfair
    return _shrink_document(model, taken, document) if options.shrink else document, notes


def _impossibility_notes(model: Model, saved_trace: Document) -> list[str]:
    """What is said of a trace to where something is impossible for good, which no one run can show."""
    name = None if saved_trace["property"] is None else saved_trace["property"]["name"]
    claimed = name in [
        prop.name for prop in model.liveness if saved_trace["loop"] is None or prop.kind == "always_possible"
    ]
    return [f"not checked: {name}, of liveness, which no one run can show; tidegate check does"] if claimed else []


def _unchecked_loop_notes(model: Model, run: Run, saved_trace: Document) -> list[str]:
    """What is said of a saved loop of which its claim says nothing: the claim is not checked here, or the loop is not
    fair."""
    loop, name = saved_trace["loop"], None if saved_trace["property"] is None else saved_trace["property"]["name"]
    if loop is None or name is None or name in {*model.not_checked, *(prop.name for prop in model.properties)}:
        return []
    claim = next((prop for prop in model.liveness if prop.name == name), None)
    if claim is None:
        return [f"the trace was saved as one of {name}, which is not checked here"]
    unmet = None if claim.kind == "always_possible" else unmet_fairness(model, claim, run, loop)
    return [] if unmet is None else [_unfair_text(claim, unmet)]


def _unfair_text(claim: Liveness, unmet: str) -> str:
    """What is said of a claim of which a run is not fair."""
    return f"not checked: {claim.name} is said of fair runs alone, and this is none: {unmet}"


def _rerun_document(model: Model, run: Run, saved_trace: Document, path: str) -> Document:
    """The document of a saved run that was taken again."""
    broken = _failure_of_rerun(model, run, saved_trace, path) or _first_unevaluable(model, run)
    if broken is not None:
        return trace_document(model, broken)
    loop = saved_trace["loop"]
    if loop is not None and run.states()[loop] != run.states()[-1]:
        raise UsageError(f"{path}: {no_return_text(loop)}")
    about = None if saved_trace["property"] is None else saved_trace["property"]["name"]
    prop = next((declared for declared in model.properties if declared.name == about), None)
    claimed = next((declared for declared in model.liveness if declared.name == about), None)
    if claimed is not None and claimed.kind != "always_possible" and loop is not None:
        return _rerun_loop_document(model, claimed, run, loop)
    if about is None:
        return _run_document(model, run, loop)
    if loop is not None:
        document = run_document(model, run, loop=loop)
        return document | {"replay": f"{document['replay']} --loop {loop}"}
    if claimed is not None:
        return run_document(model, run)
    if prop is None:
        return run_document(model, run, notes=[f"the trace was saved as one of {about}, which is not checked here"])
    document = trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, "violated", run))
    if document["kind"] == saved_trace["kind"]:
        return document
    note = f"the trace was saved as a {saved_trace['kind']} of {about}, which it no longer is"
    return run_document(model, run, notes=[note])


def _rerun_loop_document(model: Model, prop: Liveness, run: Run, loop: int) -> Document:
    """The document of a saved loop that was gone round again, checked in each case of the property that it violated."""
    found = _violated_case(model, prop, run, loop)
    if isinstance(found, PropertyVerdict):
        return trace_document(model, found)
    why = "; ".join(dict.fromkeys(found))
    note = f"the trace was saved as a counterexample of {prop.name}, which it no longer is: {why}"
    document = run_document(model, run, loop=loop, notes=[note])
    return document | {"replay": replay_line_of(model, run, loop, prop.name)}


def _violated_case(model: Model, prop: Liveness, run: Run, loop: int) -> PropertyVerdict | Sequence[str]:
    """A property of liveness in the first case that a loop violates; else why it violates none, case by case."""
    reasons = list[str]()
    for case in prop.cases:
        reason = why_not_violated(model, prop, case, run, loop)
        if reason is None:
            return PropertyVerdict(prop.name, prop.kind, prop.says, "violated", run, loop, case.arguments)
        reasons.append(reason)
    return reasons


def _failure_of_rerun(model: Model, run: Run, saved_trace: Document, path: str) -> Failure | None:
    """The failure that a saved run ends in, found anew; None if it ends in none."""
    failure = saved_trace["failure"]
    if failure is None:
        return None
    if saved_trace["kind"] == "deadlock":
        if is_deadlock(model, run.states()[-1]):
            return Failure(failure["message"], "", run)
        raise UsageError(f"{path}: it was saved as a deadlock, and {model.name} as it is now goes on from there")
    if failure["step"] is None:
        return None
    try:
        replay(model, run.states()[-1], parse_steps(model, failure["step"]))
    except StepError as error:
        raise UsageError(f"{path}: the step that broke the model can no longer be taken: {error}") from None
    except ModelError as error:
        return Failure(error.message, error.where, run, error.action, error.arguments)
    raise UsageError(f"{path}: the last step, {failure['step']}, broke {model.name} and no longer does")


# --- given steps ------------------------------------------------------------------------------------------------------


def _steps_document(model: Model, text: str, *, loop: int | None, shrink: bool) -> Document:
    """The trace of the steps; of those before it and the failure, where one breaks the model. After the last step the
    run returns to state `loop`, if there is one."""
    try:
        run = run_text(model, text)
        broken = _first_unevaluable(model, run)
        document = _run_document(model, run, loop) if broken is None else trace_document(model, broken)
        return _shrink_document(model, run, document) if shrink else document
    except StepError as error:
        raise UsageError(str(error)) from None
    except ModelError as error:
        if error.action in {initial.name for initial in model.initials}:
            raise  # there is no state before it that a trace could begin with
        failure = Failure(
            error.message, error.where, _run_until_failure(model, text, error), error.action, error.arguments
        )
        return trace_document(model, failure)


def _run_document(model: Model, run: Run, loop: int | None) -> Document:
    """The trace of a run: as one of liveness where it goes round and violates such a property, or as one of a deadlock
    where it ends in one; but of the first property that fails along it, if one does."""
    if loop is not None:
        _check_loop(run, loop)
    document = run_document(model, run, loop=loop)
    claim = document["property"]
    fails = claim is not None and claim["fails"] is not None
    for prop in model.liveness if loop is not None and not fails else ():
        if prop.applicable and prop.kind != "always_possible":
            found = _violated_case(model, prop, run, loop or 0)
            if isinstance(found, PropertyVerdict):
                return trace_document(model, found)
    if claim is None and loop is None:
        document = _witness_document(model, run) or document
    stuck = not fails and is_deadlock(model, run.states()[-1])
    return trace_document(model, deadlock(model, run)) if stuck else document


def _witness_document(model: Model, run: Run) -> Document | None:
    """The trace of a run as an example, where all that is asked is whether one thing is possible, and there it is."""
    prop = model.properties[0] if len(model.properties) == 1 and not model.liveness else None
    if prop is None or prop.kind != "reachable" or not prop.applicable:
        return None
    if not holds_at_end(model, prop, run, len(run.steps)):
        return None
    return trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, "reached", run))


def _loop_notes(model: Model, run: Run, loop: int) -> tuple[Sequence[str], Sequence[str]]:
    """Why a loop violates no property of liveness: of those that are true of it; and of those that are not, and say
    nothing of it, since it is not fair."""
    said, unfair = list[str](), list[str]()
    for prop in model.liveness:
        if not prop.applicable or prop.kind == "always_possible":
            continue
        reasons = list(
            dict.fromkeys(reason for case in prop.cases if (reason := why_not_violated(model, prop, case, run, loop)))
        )
        unmet = unmet_fairness(model, prop, run, loop)
        if unmet in reasons:
            unfair.append(_unfair_text(prop, unmet or ""))
        else:
            said.append(f"{prop.name} is not violated by this run: {'; '.join(reasons)}")
    return said, unfair


def _check_loop(run: Run, loop: int) -> None:
    """UsageError where a run does not return to the state that it is said to return to."""
    if loop > len(run.steps):
        raise UsageError(
            f"--loop {loop}: the run has {count_text(len(run.steps), 'step')}; give a number from 0 to {len(run.steps)}"
        )
    if run.states()[loop] != run.states()[-1]:
        raise UsageError(
            f"--loop {loop}: the run ends in another state than the one after step {loop}, so that it does not go "
            "round; give steps that lead back to it"
        )


def _shrink_document(model: Model, run: Run, document: Document) -> Document:
    """The trace of what the failure needs. Raises `UsageError` when no property fails."""
    claim = document["property"]
    if claim is None or claim["fails"] is None:
        raise UsageError("--shrink: no property fails along these steps, so that there is nothing to keep")
    prop = next(declared for declared in model.properties if declared.name == claim["name"])
    shorter = shrink_run(model, run, prop)
    note = f"shrunk from {count_text(len(run.steps), 'step')} to {len(shorter.steps)}; no step of it can be left out"
    verdict = PropertyVerdict(prop.name, prop.kind, prop.says, "violated", shorter)
    made = trace_document(model, verdict)
    return made | {"notes": [*made["notes"], note]}


def _first_unevaluable(model: Model, run: Run) -> Failure | None:
    """The first property that cannot be evaluated along the run."""
    for end in range(len(run.steps) + 1):
        for prop in model.properties:
            if not prop.applicable:
                continue
            try:
                holds_at_end(model, prop, run, end)
            except ModelError as error:
                return Failure(f"{prop.name}: {error.message}", error.where, Run(run.start, run.steps[:end]))
    return None


def _run_until_failure(model: Model, text: str, error: ModelError) -> Run:
    """The run up to the step that breaks: the longest beginning of the text that does not."""
    pieces = split_steps(text)
    for end in range(len(pieces) - 1, -1, -1):
        try:
            return run_text(model, "; ".join(pieces[:end]))
        except ModelError:
            continue
    raise error


def exit_of_trace(document: Document) -> Exit:
    """1 when the trace shows a property that fails, 2 a deadlock, 3 a loop that violates a property of liveness, 7 when
    it ends at a step that breaks the model."""
    if document["kind"] == "deadlock":
        return Exit.DEADLOCK
    if document["failure"] is not None:
        return Exit.MODEL_BROKE
    claim = document["property"]
    if claim is not None and claim["kind"] in LIVENESS and document["kind"] == "counterexample":
        return Exit.LIVENESS
    return Exit.SAFETY if claim is not None and claim["fails"] is not None else Exit.HOLDS
