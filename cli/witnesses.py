"""What `check --witness` asks for: traces of what a model can do, beside the verdict of what it must not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..explorer.longest_traces import longest_runs
from ..language.errors import UsageError, suggest_name
from ..language.model import Model
from ..reports.document import Document
from ..traces.document import run_document

LONGEST_PREFIX = "longest"


def asked_witnesses(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """The names of the traces asked for: properties, and `longest:ACTION`. Raises `UsageError` for others."""
    asked: dict[str, None] = {}
    for name in names:
        if name == LONGEST_PREFIX:
            asked |= {f"{LONGEST_PREFIX}:{action.name}": None for action in model.actions if not action.switched_off}
        else:
            _check_name(model, name)
            asked[name] = None
    return tuple(asked)


def _check_name(model: Model, name: str) -> None:
    kind, colon, action = name.partition(":")
    if colon and kind == LONGEST_PREFIX:
        names = [declared.name for declared in model.actions]
        if action not in names:
            raise UsageError(f"--witness {name}: the model has no action {action}; {suggest_name(action, names)}")
        return
    names = [prop.name for prop in model.properties if prop.kind == "reachable"]
    if name not in names:
        hint = suggest_name(name, [*names, LONGEST_PREFIX]) or "longest shows every action"
        raise UsageError(f"--witness {name}: the model has no such witness; {hint}")


def longest_documents(model: Model, asked_actions: Sequence[str]) -> Mapping[str, Document]:
    """The trace document of each `longest:ACTION` asked for; an action that never happened has none."""
    actions = [name.partition(":")[2] for name in asked_actions if name.startswith(f"{LONGEST_PREFIX}:")]
    if not actions:
        return {}
    found = longest_runs(model, actions)
    among = f"all {found.states:,} states" if found.complete else f"the first {found.states:,} states"
    note = f"of the shortest runs that end with this action, the longest among {among}"
    return {
        f"{LONGEST_PREFIX}:{action}": run_document(model, run, title=f"the longest run to {action}", notes=[note])
        for action, run in found.runs.items()
    }
