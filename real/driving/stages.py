"""What is one thing on real nodes: a stage of a trace, and what came of it, whatever model the trace is of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run
from ...traces.sentences import sentence

Document = dict[str, Any]
Kind: TypeAlias = Literal["commanded", "permitted", "awaited"]
STEP_SECONDS = 60.0
"""How long each thing that is to be seen may take. It is seconds; a busy machine takes tens."""


class Otherwise(Exception):
    """Real nodes did something else than the run, or did not do what it says."""


@dataclass(frozen=True)
class Stage:
    """One thing that a driver does, and what is to be seen after it. `last` is the last of the trace's steps that are
    one thing on real nodes."""

    first: int
    last: int
    action: str
    kind: Kind
    arguments: Mapping[str, Any]
    says: str
    before: State
    after: State


@immutable
class Taken:
    """A stage that was taken: what was done, in words, how long it took, what was to be seen and what was seen."""

    stage: Stage
    did: str
    seconds: float
    expected: Any
    seen: Any
    otherwise: str | None = None


def parts_of(model: Model, run: Run, at: int, end: int, kind: Kind, numbers: tuple[int, ...] = ()) -> Document:
    """What every stage has, of the steps `at` to `end` of a run; `numbers` are those that its steps have in the
    trace."""
    states, step = run.states(), run.steps[at]
    action = next(one for one in model.actions if one.name == step.action)
    return {
        "first": numbers[at] if numbers else at + 1,
        "last": numbers[end] if numbers else end + 1,
        "action": step.action,
        "kind": kind,
        "arguments": step.arguments,
        "says": sentence(model, action, states[at], step.arguments),
        "before": states[at],
        "after": states[end + 1],
    }


def step_document(taken: Taken, shown: Callable[[Any], Document]) -> Document:
    """A stage that was taken, as results have it; `shown` is how what is seen is shown."""
    stage = taken.stage
    return {
        "first": stage.first,
        "last": stage.last,
        "action": stage.action,
        "kind": stage.kind,
        "says": stage.says,
        "did": taken.did,
        "seconds": round(taken.seconds, 2),
        "expected": shown(taken.expected),
        "seen": shown(taken.seen),
        "otherwise": taken.otherwise,
    }
