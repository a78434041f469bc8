"""Saved trace documents: read from their file, with the model that they are of, and the run taken again by it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ..api.models import ModelChoice, bind_model
from ..language.errors import UsageError
from ..language.judge import initial_states, replay, run_text
from ..language.model import Model
from ..language.steptext import StepError, format_step, parse_steps
from ..language.values import ModelError, State
from ..language.verdict import Run
from ..reports.document import Document
from ..reports.trace.states import document_states
from ..traces.differences import state_changes, state_to_json
from ..traces.document import SCHEMA, STEPS, change_texts, run_document
from ..traces.wording import RecordNames
from .cluster_words import cluster_words

_SCHEMA_FAMILY = SCHEMA.partition("/")[0]


def read_trace(path: Path) -> Document:
    """The trace document in a file. Raises `UsageError` when there is none that this version reads."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        if path.suffix == ".html":
            raise UsageError(f"{path}: a page; give the trace beside it, {path.stem}.trace.json") from None
        raise UsageError(f"{path}: not a JSON document: {error}") from None
    except RecursionError:
        raise UsageError(f"{path}: not a trace: it has values within values, deeper than any trace's") from None
    schema = cast("dict[str, Any]", read).get("schema") if isinstance(read, dict) else None
    if schema == SCHEMA:
        document = cast("dict[str, Any]", read)
        with blame_file(path):
            _check_loop(document, path)
        return document
    if schema == STEPS:
        with blame_file(path):
            return _add_missing_steps(cast("dict[str, Any]", read), path)
    if isinstance(schema, str) and schema.startswith(f"{_SCHEMA_FAMILY}/"):
        by = cast("dict[str, Any]", read).get("tool") or "another tidegate"
        raise UsageError(
            f"{path}: a trace of another version: its schema is {schema!r}, written by {by}, and this tidegate reads "
            f'"{SCHEMA}"; save the trace again with check --out, or use the tidegate that wrote it'
        )
    raise UsageError(f'{path}: not a trace; its schema is {schema!r}, not "{SCHEMA}"')


def _add_missing_steps(saved_trace: Document, path: Path) -> Document:
    """The trace of a run of which a page saved the steps: they are taken again."""
    model = bind_saved_model({"commit": None, "tool": "another tidegate", **saved_trace}, path)
    model = replace(model, properties=tuple(one for one in model.properties if one.name in saved_trace["properties"]))
    try:
        document = run_document(model, run_text(model, "; ".join(saved_trace["steps"])))
    except StepError as error:
        raise UsageError(f"{path}: {_changed_model_text(saved_trace)}: {error}") from None
    words = cluster_words(saved_trace)
    return document if words is None else words.saved_document(document)


def _check_loop(document: Document, path: Path) -> None:
    """UsageError where a trace is said to return to what is no number of a state of it, or to a state that its last one
    is not."""
    loop, last = document.get("loop"), max((step["i"] for step in document["steps"]), default=0)
    if loop is not None and (type(loop) is not int or not 0 <= loop <= last):
        says = f'"loop" is {json.dumps(loop)}; it is null or the number of a state, from 0 to {last}'
        raise UsageError(f"{path}: a trace with a part missing or wrong: {says}")
    shown = {} if loop is None else dict(document_states(document))
    if loop in shown and shown[loop] != shown[last]:
        raise UsageError(f"{path}: {no_return_text(loop)}")


def no_return_text(loop: int) -> str:
    """What is said of a file whose run does not come back to the state that it is said to return to."""
    return f"the file states that the run repeats for ever after step {loop}, and it does not"


@contextlib.contextmanager
def blame_file(place: Path | str) -> Generator[None]:
    """Blames a part of a document that is missing or wrong on its file."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, RecursionError) as error:
        raise UsageError(f"{place}: a trace with a part missing or wrong: {error}") from None


def bind_saved_model(document: Document, place: Path | str, properties: Sequence[str] = ()) -> Model:
    """The model of a trace with the constants that it was found with. Raises `UsageError` when there is no such model
    with such constants now."""
    settings = tuple((name, str(value).lower()) for name, value in document["bounds"].items())
    ghosts = frozenset(str(field["name"]) for field in document.get("fields", ()) if field["ghost"])
    kept = ghosts or document["ghosts"]
    choice = ModelChoice(document["model"], settings, properties=tuple(properties), ghosts=kept)
    try:
        return bind_model(choice)
    except UsageError as error:
        raise UsageError(f"{place}: {error}; {_changed_model_text(document)}") from None


def saved_steps(document: Document, place: Path | str) -> list[str]:
    """The steps that a trace was saved with, as text. Raises `UsageError` where it leaves some out, or has
    no start."""
    if document["truncated"] is not None:
        raise UsageError(f"{place}: {document['truncated']['says']}, so that it cannot be replayed")
    if document["replay"] is None:
        raise UsageError(
            f"{place}: {_UNREPLAYABLE_TEXTS[document.get('begins', 'induction')]}, so that it cannot be replayed"
        )
    return [step["step"] for step in document["steps"]]


_UNREPLAYABLE_TEXTS = {
    "induction": "a counterexample to induction; it begins in a state that the lemmas allow, which no steps lead to",
    "earlier": "it begins in a state to which earlier steps have led, which are not in the file",
}


def replay_saved_trace(model: Model, document: Document, place: Path | str) -> Run:
    """The run of a trace, taken again by plain Python, up to the step that breaks the model, if one does.

    Raises `UsageError` at the first step that cannot be taken any more, or that leads elsewhere than it did.
    """
    steps = saved_steps(document, place)
    try:
        run = replay(model, _saved_initial_state(model, document, place), parse_steps(model, "; ".join(steps)))
    except StepError as error:
        raise UsageError(f"{place}: {_changed_model_text(document)}: {error}") from None
    except ModelError as error:
        step = "" if error.action is None else f": {format_step(error.action, error.arguments or {})}"
        raise UsageError(
            f"{place}: {_changed_model_text(document)}{step} breaks it: {error.message} ({error.where})"
        ) from None
    names = RecordNames(model)
    for step, before, taken in zip(document["steps"], run.states(), run.steps, strict=False):
        now = change_texts(state_changes(model.fields, before, taken.state_after), before, taken.state_after, names)
        if now != step["changed"]:
            was = "; ".join(text for text in step["changed"] if text not in now) or "less"
            new = "; ".join(text for text in now if text not in step["changed"]) or "less"
            raise UsageError(
                f"{place}: {_changed_model_text(document)}: step {step['i']}, {step['step']}, changed {was}; now {new}"
            )
    return run


def _saved_initial_state(model: Model, document: Document, place: Path | str) -> State:
    """The initial state that a trace begins in."""
    wanted = document["states"]["0"]
    for state in initial_states(model):
        if state_to_json(state) == wanted:
            return state
    raise UsageError(
        f"{place}: {_changed_model_text(document)}: none of its initial states is the one that the trace begins in"
    )


def _changed_model_text(document: Document) -> str:
    """What most probably happened when a trace is not one of its model."""
    commit = document["commit"]
    at = f", at commit {commit}" if commit else ""
    return f"{document['model']} is not as it was when this trace was saved by {document['tool']}{at}"
