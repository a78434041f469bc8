"""The trace document `tidegate.trace/1`: one run, ready to be shown. Every face renders it; none computes anything.

    document = trace_document(model, property_verdict)       a counterexample or a witness of a property
    document = trace_document(model, failure)                a deadlock, or a step that broke the model's types
    document = run_document(model, run)                      a run that somebody asked for

Keys, beside those that say what was checked (`model`, `engine`, `bounds`, `budgets`, `ghosts`, `replay`):

    property    the property shown, in words, and, where it fails, the first false conjunct, its witness values and the
    state failure     instead, for a failure that is no property's: message, place, step; for a deadlock why nothing
    can happen fields      the fields of the state with their types, by which `states` is read lanes       the members
    of the domains truth       per property one character a state: 1 holds, 0 fails, - not evaluated (a transition: of
    the step before it) steps       sentence, arguments, lane, reads, writes, the changes as rows and in words,
    messages states      the state at every `keyframe_every`th index, and between them the changes: rows of a path and
    values
"""

from __future__ import annotations

import functools
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from . import types
from .constants import Value
from .diff import Change, changes, state_to_json, to_json
from .explain import Reason, why_false
from .judge import Stopped, attempt, format_run, holds, instances, why_stopped
from .kinds import Domain
from .model import Action, Model, Property
from .sentences import sentence
from .steptext import format_step
from .values import Container, ModelError, State, field_names, show
from .verdict import Failure, PropertyVerdict, Run, Step

SCHEMA = "tidegate.trace/1"
KEYFRAME_EVERY = 50

Document = dict[str, Any]


def trace_document(model: Model, subject: PropertyVerdict | Failure, *, engine: str = "python") -> Document:
    """The document of a property's example, or of a failure. ValueError when the property's verdict has no run."""
    if subject.run is None:
        raise ValueError(f"{subject.name} has no run to show")
    document = run_document(model, subject.run, engine=engine)
    if isinstance(subject, Failure):
        document["property"] = None
        document["failure"] = _failure(model, subject)
        document["replay"] = replay_line(model, subject.run, document["failure"]["step"])
        return document
    prop = {each.name: each for each in model.properties}[subject.name]
    document["property"] = _property(model, prop, subject.run, document["truth"].get(prop.name, ""))
    return document


def run_document(model: Model, run: Run, *, engine: str = "python") -> Document:
    """The document of a run: of the first property that fails along it, if one does."""
    truth = {prop.name: _truth(model, prop, run) for prop in model.properties}
    judged = [prop for prop in model.properties if prop.kind != "reachable" and "0" in truth[prop.name]]
    first = min(judged, key=lambda prop: truth[prop.name].index("0"), default=None)
    return {
        "schema": SCHEMA,
        "model": model.name,
        "commit": commit_of(Path(model.files[0]).parent) if model.files else None,
        "engine": engine,
        "tool": _tool(),
        "bounds": {name: plain_constant(value) for name, value in model.values.items()},
        "budgets": {field.budget: model.values[field.budget] for field in model.fields if field.budget is not None},
        "ghosts": model.ghosts,
        "replay": replay_line(model, run),
        "property": None if first is None else _property(model, first, run, truth[first.name]),
        "failure": None,
        "argument": [],
        "fields": [
            {"name": each.name, "type": type_to_json(each.type), "says": each.says, "ghost": each.ghost}
            for each in model.fields
        ],
        "lanes": [{"id": label, "type": domain.name.lower()} for domain in model.domains for label in _labels(domain)],
        "truth": truth,
        "steps": [_step(model, number, before, step) for number, (before, step) in enumerate(_pairs(run), 1)],
        "states": _states(model, run),
        "loop": None,
        "truncated": None,
    }


# --- what was checked -------------------------------------------------------------------------------------------------


def replay_line(model: Model, run: Run, breaking: str | None = None) -> str:
    """The command that replays a run, and after it the step that breaks the model, if there is one: what differs from
    the constants' defaults, or from the profile that the model's name ends with, is set in it."""
    settings = [f"--set {name}={value}" for name, value in _settings(model)]
    ghosts = ["--ghosts"] if model.ghosts and any(field.ghost for field in model.fields) else []
    steps = "; ".join(part for part in (format_run(model, run), breaking) if part)
    return " ".join(["tidegate replay", shlex.quote(model.name), *settings, *ghosts, f'--steps "{steps}"'])


def _settings(model: Model) -> Iterator[tuple[str, str]]:
    profiles: Mapping[str, Mapping[str, Value]] = model.namespace.get("profiles", {})
    profile = profiles.get(model.name.rpartition(":")[2], {})
    for name, constant in model.constants.items():
        if model.values[name] != profile.get(name, constant.default):
            yield name, str(plain_constant(model.values[name])).lower()


def plain_constant(value: Value) -> bool | int | str:
    """A constant's value as it is given on the command line: an enum by its value."""
    return value if isinstance(value, int) else str(value.value)


@functools.lru_cache(maxsize=16)
def commit_of(folder: Path) -> str | None:
    """The git commit that a folder is at, `-dirty` behind it when files differ from it; None where there is no git or
    no work tree."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=7"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _tool() -> str:
    try:
        return f"tidegate {version('tidegate')}"
    except PackageNotFoundError:
        return "tidegate"


def _labels(domain: types.Identity) -> tuple[str, ...]:
    return domain.labels[: domain.size]


def type_to_json(type_: types.Type) -> Document:
    """A type by its kind and parts."""
    match type_:
        case types.Int(lo=lo, hi=hi):
            return {"kind": "int", "lo": lo, "hi": hi}
        case types.Enumeration(name=name, members=members):
            return {"kind": "enum", "name": name, "members": list(members)}
        case types.Identity(name=name):
            return {"kind": "identity", "name": name}
        case types.Option(of=of):
            return {"kind": "option", "of": type_to_json(of)}
        case types.Record(name=name, fields=fields):
            return {"kind": "record", "name": name, "fields": {each: type_to_json(of) for each, of in fields}}
        case types.Map(key=key, value=value):
            return {"kind": "map", "key": type_to_json(key), "value": type_to_json(value)}
        case types.Seq(of=of, capacity=capacity):
            return {"kind": "seq", "of": type_to_json(of), "capacity": capacity}
        case types.Subset(of=of):
            return {"kind": "set", "of": type_to_json(of)}
        case types.Pool(of=of, capacity=capacity, multiple=multiple):
            return {"kind": "bag" if multiple else "set", "of": type_to_json(of), "capacity": capacity}
        case types.Bool() | types.Unit():
            return {"kind": type(type_).__name__.lower()}


# --- properties and failures ------------------------------------------------------------------------------------------


def _truth(model: Model, prop: Property, run: Run) -> str:
    states = run.states()
    if not prop.applicable:
        return "-" * len(states)
    if prop.kind == "transition":
        return "-" + "".join(_truth_of(model, prop, before, step.after) for before, step in _pairs(run))
    return "".join(_truth_of(model, prop, state, None) for state in states)


def _truth_of(model: Model, prop: Property, state: State, after: State | None) -> str:
    try:
        return "1" if holds(model, prop, state, after) else "0"
    except ModelError:
        return "-"


def _pairs(run: Run) -> Iterator[tuple[State, Step]]:
    """Each step with the state before it."""
    return zip(run.states(), run.steps, strict=False)


def _property(model: Model, prop: Property, run: Run, truth: str) -> Document:
    shown: Document = {"name": prop.name, "kind": prop.kind, "says": prop.says, "fails": None}
    if prop.kind != "reachable" and "0" in truth:
        at = truth.index("0")
        states = run.states()
        crossing = prop.kind == "transition"
        reason = why_false(model, prop, states[at - 1], states[at]) if crossing else why_false(model, prop, states[at])
        shown["fails"] = {**_reason(reason), "step": at}
    return shown


def _reason(reason: Reason) -> Document:
    return {
        "conjunct": reason.conjunct,
        "witness": {name: to_json(value) for name, value in reason.witness.items()},
        "because": None if reason.because is None else _reason(reason.because),
    }


def _failure(model: Model, failure: Failure) -> Document:
    last = failure.run.states()[-1]
    arguments = failure.arguments or {}
    named = None if failure.action is None else model.action(failure.action)
    return {
        "message": failure.message,
        "where": failure.where,
        "action": failure.action,
        "args": {name: to_json(value) for name, value in arguments.items()},
        "step": None if named is None else format_step(named.name, arguments),
        "sentence": None if named is None else _said(model, named, last, arguments),
        "disabled": [] if failure.where or named is not None else disabled(model, last),
    }


def disabled(model: Model, state: State) -> list[Document]:
    """Every step that cannot be taken in a state, with the reason: `{"step": "fetch(B)", "why": "disabled: ... is
    false"}`.

    A step that breaks the model is given with its error.
    """
    rows: list[Document] = []
    for action, arguments in instances(model, state):
        try:
            result = attempt(model, state, action, arguments)
            why = why_stopped(model, state, action, arguments, result) if isinstance(result, Stopped) else None
        except ModelError as error:
            why = f"error: {error.message}"
        if why is not None:
            rows.append({"step": format_step(action.name, arguments), "why": why})
    return rows


# --- steps and states -------------------------------------------------------------------------------------------------


def _step(model: Model, number: int, before: State, step: Step) -> Document:
    action = model.action(step.action)
    changed = changes(model.fields, before, step.after)
    writes = list(dict.fromkeys(_written_cell(model, change) for change in changed))
    return {
        "i": number,
        "action": step.action,
        "args": {name: to_json(value) for name, value in step.arguments.items()},
        "step": format_step(step.action, step.arguments),
        "kind": action.kind,
        "sentence": _said(model, action, before, step.arguments),
        "lane": _lane(model, step.arguments, changed),
        "reads": [field.name for field in model.fields if field.name in action.form.reads],
        "writes": writes,
        "changed": [change.text() for change in changed],
        "messages": _messages(model, action, step.arguments, changed),
    }


def _said(model: Model, action: Action, state: State, arguments: Mapping[str, Any]) -> str:
    """The step's sentence; its text, where the sentence cannot be filled in (it may read a ghost that is folded
    away)."""
    try:
        return sentence(model, action, state, arguments)
    except ModelError:
        return format_step(action.name, arguments)


def _written_cell(model: Model, change: Change) -> str:
    """The field, or the cell of a map, that a change is in."""
    name = str(change.path[0])
    is_map = isinstance(model.field(name).type, types.Map)
    return f"{name}[{change.path[1]}]" if is_map else name


def _lane(model: Model, arguments: Mapping[str, Any], changed: list[Change]) -> str | None:
    """Whose step it is: the first cell of a lane that it writes, else the first identity among or in its arguments."""
    for change in changed:
        type_ = model.field(str(change.path[0])).type
        if isinstance(type_, types.Map) and isinstance(type_.key, types.Identity):
            return str(change.path[1])
    named = [value for value in arguments.values() if isinstance(value, Domain)]
    named += [each for value in arguments.values() for each in _identities(value)]
    return show(named[0]) if named else None


def _identities(value: Any) -> list[Domain]:
    if isinstance(value, (Container, int)) or value is None or not hasattr(value, "__dataclass_fields__"):
        return []
    fields = [getattr(value, name) for name in field_names(cast("type[Any]", type(value)))]
    return [each for each in fields if isinstance(each, Domain)]


def _messages(model: Model, action: Action, arguments: Mapping[str, Any], changed: list[Change]) -> list[Document]:
    """What the step did to the pools of records: received what it was given from one, sent what came, removed what
    went."""
    pools = {field.name for field in model.fields if isinstance(field.type, types.Pool)}
    rows: list[Document] = []
    for parameter in action.form.parameters:
        if parameter.pool is not None:
            rows.append(_message("received", parameter.pool, arguments[parameter.name]))
    for change in changed:
        if change.path[0] in pools and change.sign == "+":
            rows.append(_message("sent", str(change.path[0]), change.after))
        elif change.path[0] in pools and change.sign == "-":
            rows.append(_message("removed", str(change.path[0]), change.before))
    return rows


def _message(event: str, pool: str, record: Any) -> Document:
    return {"event": event, "pool": pool, "record": to_json(record), "text": show(record)}


def _states(model: Model, run: Run) -> Document:
    states = run.states()
    rows: Document = {"keyframe_every": KEYFRAME_EVERY}
    for at, state in enumerate(states):
        keyframe = at % KEYFRAME_EVERY == 0
        rows[str(at)] = state_to_json(state) if keyframe else delta(changes(model.fields, states[at - 1], state))
    return rows


def delta(changed: list[Change]) -> Document:
    """Changes as rows by sign: `{"+": [["log", "A", 0, {...}]], "~": [["high_watermark", "B", 0, 1]]}`."""
    rows: Document = {}
    for change in changed:
        rows.setdefault(change.sign, []).append(change.row())
    return rows
