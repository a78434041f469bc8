"""What else could happen in a state, and why the rest could not: the first guard of each step that is false there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..language.ir import Limit
from ..language.judge import StoppedStep, attempt, bindings, instances, stop_reason
from ..language.model import Action, Model
from ..language.steptext import format_step
from ..language.values import ModelError, State
from .evidence import StateEvaluation
from .places import lines_document, place_document

Document = dict[str, Any]

INSTANCES_MAX = 6000
"""Steps that a document looks at, over all its states: a fraction of a second."""


def disabled_steps(model: Model, state: State) -> list[Document]:
    """Every step that cannot be taken in a state, with the reason: `{"step": "fetch(B)", "why": "... is false"}`.

    The author's own functions are asked; a step that breaks the model is given with its error.
    """
    rows: list[Document] = []
    for action, arguments in instances(model, state):
        try:
            result = attempt(model, state, action, arguments)
            why = stop_reason(model, state, action, arguments, result) if isinstance(result, StoppedStep) else None
        except ModelError as error:
            why = f"error: {error.message}"
        if why is not None:
            rows.append({"step": format_step(action.name, arguments), "why": why})
    return rows


def step_choices(model: Model, states: Mapping[int, State]) -> Document:
    """Per state the steps that are enabled, and the others by their reason; steps and reasons by their numbers.

    The typed form is asked, so that nothing in the author's functions prints or stops while they are not being run.
    The states nearest to the end come first until `INSTANCES_MAX` steps are shown; the result says what is left out.
    """
    reasons: list[Document] = []
    texts: dict[str, int] = {}
    found: dict[str, Document] = {}
    looked_at = 0
    for at in sorted(states, reverse=True):
        looked_at += sum(
            len(bindings(model, action, states[at])) for action in model.actions if not action.switched_off
        )
        if looked_at > INSTANCES_MAX and found:
            break
        found[str(at)] = _choices_in_state(model, states[at], reasons, texts)
    left_out = len(states) - len(found)
    note = (
        f"why other steps cannot happen is shown for the last {len(found):,} of {len(states):,} states"
        if left_out
        else None
    )
    shown = {at: found[at] for at in reversed(found)}
    return {"steps": list(texts), "reasons": reasons, "states": shown, "truncated": note}


def _choices_in_state(model: Model, state: State, reasons: list[Document], texts: dict[str, int]) -> Document:
    enabled: list[int] = []
    stopped: dict[int, list[int]] = {}
    for action, arguments in instances(model, state):
        number = texts.setdefault(format_step(action.name, arguments), len(texts))
        reason = _why_disabled(StateEvaluation(model, {action.form.state: state}), action, arguments)
        if reason is None:
            enabled.append(number)
        else:
            stopped.setdefault(_reason_number(reasons, reason), []).append(number)
    return {"enabled": enabled, "disabled": [[reason, steps] for reason, steps in stopped.items()]}


def _reason_number(reasons: list[Document], reason: Document) -> int:
    if reason not in reasons:
        reasons.append(reason)
    return reasons.index(reason)


def _why_disabled(reading: StateEvaluation, action: Action, arguments: Mapping[str, Any]) -> Document | None:
    """Why a step cannot be taken; None when its guards let it through."""
    try:
        guard = reading.false_guard(action, arguments)
    except ModelError as error:
        where = lines_document(error.file, error.line) if error.file else None
        return {"action": action.name, "why": f"error: {error.message}", "guard": "", "kind": "error", "where": where}
    if guard is None:
        return None
    if isinstance(guard, Limit) and guard.budget is not None:
        why = f"blocked by the model's bound: the budget {guard.budget} is spent"
        return {"action": action.name, "why": why, "guard": "", "kind": "budget", "where": None}
    if isinstance(guard, Limit) and guard.bound_name is not None:
        why = f"beyond the bound {guard.bound_name}, where nothing happens"
        return {"action": action.name, "why": why, "guard": "", "kind": "limit", "where": place_document(guard.where)}
    kind, by = ("limit", "blocked by the model's bound: ") if isinstance(guard, Limit) else ("require", "")
    why = f"{by}{guard.text} is false"
    return {"action": action.name, "why": why, "guard": guard.text, "kind": kind, "where": place_document(guard.where)}
