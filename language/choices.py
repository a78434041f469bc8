"""What else could happen in a state, and why the rest could not: the first guard of each step that is false there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .judge import Stopped, attempt, bindings, false_guard, instances, why_stopped
from .model import Action, Model
from .places import lines
from .steptext import format_step
from .values import ModelError, State

Document = dict[str, Any]

INSTANCES_MAX = 6000
"""Steps that a document looks at, over all its states: a fraction of a second."""


def disabled(model: Model, state: State) -> list[Document]:
    """Every step that cannot be taken in a state, with the reason: `{"step": "fetch(B)", "why": "disabled: ... is
    false"}`.

    A step that breaks the model is given with its error.
    """
    rows: list[Document] = []
    for action, arguments in instances(model, state):
        reason = _reason(model, state, action, arguments)
        if reason is not None:
            rows.append({"step": format_step(action.name, arguments), "why": reason["why"]})
    return rows


def choices(model: Model, states: Mapping[int, State]) -> Document:
    """Per state the steps that are enabled, and the others by their reason; steps and reasons by their numbers.

    The states nearest to the end come first until `INSTANCES_MAX` steps have been looked at; what is left out is told.
    """
    reasons: list[Document] = []
    texts: dict[str, int] = {}
    found: dict[str, Document] = {}
    looked_at = 0
    for at in sorted(states, reverse=True):
        looked_at += sum(len(bindings(model, each, states[at])) for each in model.actions if not each.switched_off)
        if looked_at > INSTANCES_MAX and found:
            break
        found[str(at)] = _here(model, states[at], reasons, texts)
    left_out = len(states) - len(found)
    told = f"why steps are disabled is told of the last {len(found):,} of {len(states):,} states" if left_out else None
    shown = {at: found[at] for at in reversed(found)}
    return {"steps": list(texts), "reasons": reasons, "states": shown, "truncated": told}


def _here(model: Model, state: State, reasons: list[Document], texts: dict[str, int]) -> Document:
    enabled: list[int] = []
    stopped: dict[int, list[int]] = {}
    for action, arguments in instances(model, state):
        number = texts.setdefault(format_step(action.name, arguments), len(texts))
        reason = _reason(model, state, action, arguments)
        if reason is None:
            enabled.append(number)
        else:
            stopped.setdefault(_number(reasons, reason), []).append(number)
    return {"enabled": enabled, "disabled": [[reason, steps] for reason, steps in stopped.items()]}


def _number(reasons: list[Document], reason: Document) -> int:
    if reason not in reasons:
        reasons.append(reason)
    return reasons.index(reason)


def _reason(model: Model, state: State, action: Action, arguments: Mapping[str, Any]) -> Document | None:
    """Why a step cannot be taken; None when it can."""
    try:
        stopped = attempt(model, state, action, arguments)
        if not isinstance(stopped, Stopped):
            return None
        guard = "" if stopped.budget is not None else false_guard(model, state, action, arguments, stopped)
        why = why_stopped(model, state, action, arguments, stopped)
    except ModelError as error:
        where = lines(error.file, error.line) if error.file else None
        return {"action": action.name, "why": f"error: {error.message}", "guard": "", "kind": "error", "where": where}
    kind = "budget" if stopped.budget is not None else "limit" if stopped.by_limit else "require"
    where = None if stopped.budget is not None else lines(action.form.where.file, stopped.line)
    return {"action": action.name, "why": why, "guard": guard, "kind": kind, "where": where}
