"""The trace document `tidegate.trace/1`: one run, ready to be shown. Every face renders it; none computes anything.

    document = trace_document(model, property_verdict)       a counterexample or a witness of a property
    document = trace_document(model, failure)                a deadlock, or a step that broke the model's types
    document = run_document(model, run)                      a run that somebody asked for

`trace-1.schema.json`, beside this file, says what each key means, and `steps-1.schema.json` what the steps have that a
page saves; the tests hold every document to them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ..language import types
from ..language.immutable import immutable
from ..language.judge import holds
from ..language.kinds import Domain
from ..language.lanes import LaneNames
from ..language.model import LIVENESS, Action, Field, Model, Property
from ..language.steptext import format_step
from ..language.values import ModelError, State
from ..language.verdict import Failure, PropertyVerdict, Run, Step
from .abstract import refinement_lane, truth_of_refinement
from .argument import property_argument
from .choices import disabled_steps, step_choices
from .differences import Change, arguments_to_json, state_changes, state_to_json, to_json
from .evidence import StateEvaluation
from .explanation import Reason, explain_false
from .heading import command_line_value, replay_line, replay_line_of
from .liveness import liveness_parts
from .lost_records import cells_missing_records
from .messages import MessageLog
from .picture import UndrawableError, frames_by_state
from .places import lines_document, place_document, writing_statement
from .program import commit_of, tool_version
from .sentences import action_sentence, sentence_subject
from .type_text import type_to_json
from .view_image import view_picture
from .wording import RecordNames

SCHEMA = "tidegate.trace/1"
KEYFRAME_INTERVAL = 50

Document = dict[str, Any]


STEPS = "tidegate.steps/1"
"""The schema of a run that the page of an audit saves: its steps, and what they are taken with. Such a page has the
words of the cluster for all else, which no model reads."""


@functools.cache
def read_schema(name: str = SCHEMA) -> Document:
    """The JSON Schema of the document, or of the steps (`STEPS`)."""
    file = f"{name.removeprefix('tidegate.').replace('/', '-')}.schema.json"
    return json.loads((resources.files(__package__ or "") / file).read_text(encoding="utf-8"))


def trace_document(
    model: Model, subject: PropertyVerdict | Failure, *, engine: str = "python", anywhere: bool = False
) -> Document:
    """The document of a property's example, or of a failure. A run that begins `anywhere` need not begin in an initial
    state, and a refinement says nothing of its first state. ValueError when the property's verdict has no run."""
    if subject.run is None:
        raise ValueError(f"{subject.name} has no run to show")
    if isinstance(subject, PropertyVerdict) and subject.kind in LIVENESS:
        whole = _document_of_run(model, subject.run, engine, None, None, subject.loop)
        parts = liveness_parts(model, subject, subject.run)
        parts["replay"] = replay_line_of(model, subject.run, subject.loop, subject.name)
        return whole | parts | {key: whole[key] | parts[key] for key in ("truth", "properties")}
    if isinstance(subject, PropertyVerdict):
        chosen = {prop.name: prop for prop in model.properties}[subject.name]
        return _document_of_run(model, subject.run, engine, chosen, anywhere=anywhere)
    return _document_of_run(model, subject.run, engine, None, subject, anywhere=anywhere)


def run_document(
    model: Model,
    run: Run,
    *,
    engine: str = "python",
    loop: int | None = None,
    title: str = "",
    notes: Sequence[str] = (),
) -> Document:
    """The document of a run: of the first property that fails along it, if one does.

    `loop` is the state that it returns to after its last step, if it repeats for ever; `title` says in its title what
    it is; `notes` are sentences to print with it.
    """
    document = _document_of_run(model, run, engine, None, None, loop)
    if title and document["kind"] == "run":
        document["title"] = f"{document['title'].replace(': ', f': {title}, ', 1)}"
    return document | {"notes": [*document["notes"], *notes]}


def _document_of_run(
    model: Model,
    run: Run,
    engine: str,
    chosen_property: Property | None,
    failure: Failure | None = None,
    loop: int | None = None,
    *,
    anywhere: bool = False,
) -> Document:
    truth = {prop.name: truth_of_run(model, prop, run, anywhere) for prop in model.properties}
    about = chosen_property or (None if failure is not None else _first_failing_property(model, truth))
    broken = None if failure is None else _failure_document(model, failure)
    fails = None if about is None else _first_failure(model, about, run, truth[about.name])
    whole = _RunParts(model, run)
    document: Document = {
        "schema": SCHEMA,
        "kind": _kind_of_trace(about, failure, truth),
        "title": "",
        "model": model.name,
        "says": model.doc.split("\n\n")[0].replace("\n", " "),
        "commit": commit_of(Path(model.files[0]).parent) if model.files else None,
        "engine": engine,
        "tool": tool_version(),
        "bounds": {name: command_line_value(value) for name, value in model.values.items()},
        "budgets": {field.budget: model.values[field.budget] for field in model.fields if field.budget is not None},
        "ghosts": model.ghosts,
        "replay": _replay_command(model, run, broken, about, truth),
        "property": None if about is None else _property_document(model, about, fails),
        "failure": broken,
        "argument": [] if fails is None else property_argument(model, fails.prop, run, fails.index, fails.reason),
        "fields": [_field_document(field) for field in model.fields],
        "lanes": [{"id": name, "type": domain} for name, domain in LaneNames(model).listed],
        "truth": truth,
        "properties": {prop.name: {"kind": prop.kind, "says": prop.says} for prop in model.properties},
        **whole.to_document(),
        "loop": loop,
    }
    if fails is not None and document["property"]["fails"]["reads"]:
        claim = document["property"]["fails"]
        missed = cells_missing_records(model, run, fails.index, claim["reads"], fails.reason.innermost().witness)
        document |= {"lost": missed} if missed else {}
    refined = [prop for prop in model.properties if prop.refinement is not None and prop.applicable]
    if refined:
        document["abstract"] = [refinement_lane(prop, run, anywhere=anywhere) for prop in refined]
    return document | {"title": trace_title(document)}


def _replay_command(
    model: Model, run: Run, broken: Document | None, asked_property: Property | None, truth: Mapping[str, str]
) -> str:
    """The command that answers with what the document is about: a property, or what is broken, whatever else fails."""
    if asked_property is not None or broken is None:
        return replay_line(model, run, property_name=None if asked_property is None else asked_property.name)
    failing = [prop.name for prop in model.properties if prop.kind != "reachable" and "0" in truth[prop.name]]
    return replay_line(model, run, broken["step"], failing=failing)


def _field_document(field: Field) -> Document:
    return {"name": field.name, "type": type_to_json(field.type), "says": field.says, "ghost": field.ghost}


def _first_failing_property(model: Model, truth: Mapping[str, str]) -> Property | None:
    """The property that fails first along the run."""
    evaluated = [prop for prop in model.properties if prop.kind != "reachable" and "0" in truth[prop.name]]
    return min(evaluated, key=lambda prop: truth[prop.name].index("0"), default=None)


def _kind_of_trace(asked_property: Property | None, failure: Failure | None, truth: Mapping[str, str]) -> str:
    if failure is not None:
        return "error" if failure.where or failure.action else "deadlock"
    if asked_property is None:
        return "run"
    return "counterexample" if asked_property.kind != "reachable" and "0" in truth[asked_property.name] else "witness"


def trace_title(document: Document) -> str:
    """What the run shows, in one line."""
    count = len(next(iter(document["truth"].values()), "")) - 1 if document["truth"] else len(document["steps"])
    steps = f"{count:,} step" + ("" if count == 1 else "s")
    name = "" if document["property"] is None else document["property"]["name"]
    match document["kind"]:
        case "counterexample":
            says = f"{name} fails after {steps}"
        case "witness":
            says = f"a witness of {name} after {steps}"
        case "deadlock":
            says = f"deadlock after {steps}"
        case "error":
            broken = document["failure"]["action"] is not None
            what = "a step breaks the model's types" if broken else "a property cannot be evaluated"
            says = f"{what} after {steps}"
        case _:
            says = steps
    return f"{document['model']}: {says}"


class _RunParts:
    """A run's steps and states, every one of them."""

    def __init__(self, model: Model, run: Run) -> None:
        self.model, self.run, self.states = model, run, run.states()
        self.notes: list[str] = []

    def to_document(self) -> Document:
        """The parts of the document that are about steps and states."""
        changed = [
            state_changes(self.model.fields, before, step.state_after) for before, step in _states_with_steps(self.run)
        ]
        lanes = lanes_of(self.model, self.run)
        names = RecordNames(self.model)
        post = MessageLog(self.model, self.run, lanes)
        view, frames = self._picture_of_run()
        return {
            "view": view,
            "frames": frames,
            "steps": [
                step_document(self.model, at, self.states[at - 1], step, changed[at - 1], lanes[at - 1], names)
                | {"messages": post.events[at - 1]}
                for at, step in enumerate(self.run.steps, 1)
            ],
            "messages": post.messages,
            "states": self._states_of_run(changed),
            "disabled": step_choices(self.model, dict(enumerate(self.states))),
            "truncated": None,
            "notes": self.notes,
        }

    def _picture_of_run(self) -> tuple[Document | None, Document]:
        """What is drawn; nothing, with a note, where the view cannot be evaluated."""
        try:
            picture = view_picture(self.model)
            if picture is None:
                return None, {}
            frames = frames_by_state(picture, self.states)
            return picture.document(frames), frames
        except UndrawableError as error:
            self.notes.append(f"{error}; so the run is not drawn")
            return None, {}

    def _states_of_run(self, changes: Sequence[list[Change]]) -> Document:
        rows: Document = {"keyframe_every": KEYFRAME_INTERVAL}
        for at, state in enumerate(self.states):
            rows[str(at)] = state_to_json(state) if at % KEYFRAME_INTERVAL == 0 else delta_rows(changes[at - 1])
        return rows


# --- properties and failures ------------------------------------------------------------------------------------------


def truth_of_run(model: Model, prop: Property, run: Run, anywhere: bool) -> str:
    """A character for each state of a run, as `truth` of the document has: `1` true, `0` false, `-` not evaluated."""
    states = run.states()
    if not prop.applicable:
        return "-" * len(states)
    if prop.refinement is not None:
        return truth_of_refinement(model, prop, run, anywhere=anywhere)
    if prop.kind == "transition":
        return "-" + "".join(
            _truth_in_state(model, prop, before, step.state_after) for before, step in _states_with_steps(run)
        )
    return "".join(_truth_in_state(model, prop, state, None) for state in states)


def _truth_in_state(model: Model, prop: Property, state: State, next_state: State | None) -> str:
    try:
        return "1" if holds(model, prop, state, next_state) else "0"
    except ModelError:
        return "-"


def _states_with_steps(run: Run) -> Iterator[tuple[State, Step]]:
    """Each step with the state before it."""
    return zip(run.states(), run.steps, strict=False)


@immutable
class _FirstFailure:
    """Where a property fails first along a run, in the states that it is about, and why."""

    prop: Property
    index: int
    states: tuple[State, ...]
    reason: Reason


def _first_failure(model: Model, prop: Property, run: Run, truth: str) -> _FirstFailure | None:
    if prop.kind == "reachable" or "0" not in truth:
        return None
    at = truth.index("0")
    states = run.states()[max(at - 1, 0) : at + 1] if prop.kind == "transition" else run.states()[at : at + 1]
    action = run.steps[at - 1].action if at else None
    reason = explain_false(model, prop, states[0], states[1] if len(states) == 2 else None, action=action)
    return _FirstFailure(prop, at, states, reason)


def _property_document(model: Model, prop: Property, fails: _FirstFailure | None) -> Document:
    where = None if prop.form is None else place_document(prop.form.where)
    shown: Document = {"name": prop.name, "kind": prop.kind, "says": prop.says, "where": where, "fails": None}
    if fails is not None:
        shown["fails"] = {**_reason_document(fails.reason), "step": fails.index, "reads": _deciding_cells(model, fails)}
    return shown


def _deciding_cells(model: Model, fails: _FirstFailure) -> list[str]:
    """The cells that make a property false."""
    form = fails.prop.form
    if form is None or fails.prop.refinement is not None:
        return []
    _, cells = StateEvaluation(model, dict(zip(form.states, fails.states, strict=True))).evaluate_property(form)
    return list(dict.fromkeys(cell.main_cell_text() for cell in cells))


def _reason_document(reason: Reason) -> Document:
    return {
        "conjunct": reason.conjunct,
        "witness": {name: to_json(value) for name, value in reason.witness.items()},
        "because": None if reason.because is None else _reason_document(reason.because),
        "where": None if reason.where is None else place_document(reason.where),
    }


def _failure_document(model: Model, failure: Failure) -> Document:
    last = failure.run.states()[-1]
    arguments = failure.arguments or {}
    named = None if failure.action is None else model.action(failure.action)
    return {
        "message": failure.message,
        "where": failure.where,
        "place": _place_of_failure(failure.where),
        "action": failure.action,
        "args": {} if named is None else arguments_to_json(named.form, arguments),
        "step": None if named is None else format_step(named.name, arguments),
        "sentence": None if named is None else step_text(model, named, last, arguments),
        "disabled": [] if failure.where or named is not None else disabled_steps(model, last),
    }


def _place_of_failure(where: str) -> Document | None:
    """A failure's `file:line` as a place."""
    file, _, line = where.rpartition(":")
    return lines_document(file, int(line)) if file else None


# --- steps and states -------------------------------------------------------------------------------------------------


def step_document(
    model: Model,
    number: int,
    previous_state: State,
    step: Step,
    changes: list[Change],
    lane: str | None,
    names: RecordNames,
) -> Document:
    """A step of a run, as `steps` of the document has it, without its messages."""
    action = model.action(step.action)
    reads = StateEvaluation(model, {action.form.state: previous_state}).effects_of_step(action, step.arguments).reads()
    shown = step_without_reads(model, number, previous_state, step, changes, lane, names)
    return shown | {"reads": list(dict.fromkeys(cell.main_cell_text() for cell in reads))}


def step_without_reads(
    model: Model,
    number: int,
    previous_state: State,
    step: Step,
    changes: list[Change],
    lane: str | None,
    names: RecordNames,
) -> Document:
    """The same without what it reads, which takes longest to find."""
    action = model.action(step.action)
    return {
        "i": number,
        "action": step.action,
        "args": arguments_to_json(action.form, step.arguments),
        "step": format_step(step.action, step.arguments),
        "kind": action.kind,
        "sentence": step_text(model, action, previous_state, step.arguments),
        "lane": lane,
        "where": place_document(action.form.where),
        "statement": place_document(writing_statement(action.form, {str(change.path[0]) for change in changes})),
        "writes": list(dict.fromkeys(_changed_cell(model, change) for change in changes)),
        "changed": change_texts(changes, previous_state, step.state_after, names),
    }


def change_texts(changes: Sequence[Change], previous_state: State, next_state: State, names: RecordNames) -> list[str]:
    """Changes as people read them, records of logs by the names that the picture gives them."""
    states = {"-": previous_state, "+": next_state, "~": next_state}
    return [
        change.to_text(lambda value, state=states[change.sign]: names.name_of_change(value, state))
        for change in changes
    ]


def step_text(model: Model, action: Action, state: State, arguments: Mapping[str, Any]) -> str:
    """The step's sentence. Where it cannot be filled in, the step's text and why; the text alone, where it reads what
    the state does not have (a ghost that is folded away)."""
    try:
        return action_sentence(model, action, state, arguments)
    except ModelError as error:
        step = format_step(action.name, arguments)
        is_folded = isinstance(error.__cause__, AttributeError)
        return step if is_folded else f"{step} (the sentence in its docstring cannot be filled in: {error.message})"


def _changed_cell(model: Model, change: Change) -> str:
    """The field, or the cell of a map, that a change is in."""
    name = str(change.path[0])
    is_map = isinstance(model.field(name).type, types.Map)
    return f"{name}[{change.path[1]}]" if is_map else name


def lanes_of(model: Model, run: Run) -> list[str | None]:
    """Whose each step of a run is: the member that its sentence begins with, else the lane that it writes first."""
    names = LaneNames(model)
    found: list[str | None] = []
    for before, step in _states_with_steps(run):
        who = sentence_subject(model, model.action(step.action), before, step.arguments)
        written = (
            _first_changed_lane(model, state_changes(model.fields, before, step.state_after), names)
            if who is None
            else None
        )
        found.append(written if who is None else names[who])
    return found


def _first_changed_lane(model: Model, changes: Sequence[Change], names: LaneNames) -> str | None:
    """The lane of the first cell of a lane that a step writes."""
    for change in changes:
        type_ = model.field(str(change.path[0])).type
        if isinstance(type_, types.Map) and isinstance(type_.key, types.Identity):
            members: dict[str, Domain] = {
                repr(type_.key.python(at)): type_.key.python(at) for at in range(type_.key.size)
            }
            return names[members[str(change.path[1])]]
    return None


def delta_rows(changes: list[Change]) -> Document:
    """Changes as rows by sign: `{"+": [["log", "A", 0, {...}]], "~": [["high_watermark", "B", 0, 1]]}`."""
    rows: Document = {}
    for change in changes:
        rows.setdefault(change.sign, []).append(change.to_row())
    return rows
