"""A verdict as one JSON object, `tidegate.check/1`: what `check --json` prints and `report.json` holds.

Adding a key is no change of the schema; taking one away or changing its meaning is.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from ..language.kinds import Domain
from ..language.verdict import ActionCoverage, Failure, PropertyVerdict, Run, Verdict

SCHEMA = "tidegate.check/1"

Document = dict[str, Any]


def not_replayed_text(trace: Mapping[str, Any]) -> str:
    """What a trace is that cannot be replayed: a counterexample to induction, with what is known of whether a run leads
    to its first state, or a part of a longer run."""
    if trace.get("begins") == "earlier":
        return "It begins in a state to which earlier steps have led, so that it cannot be replayed by itself."
    known = trace.get("explored") or "It may not be reachable."
    return f"A counterexample to induction: all lemmas hold in its first state. {known}"


def check_document(verdict: Verdict, traces: Mapping[str, Document], paths: Mapping[str, str]) -> Document:
    """The JSON object of a check.

    `traces` holds trace documents by property name, "" being the failure of no property; `paths` says where those that
    were saved are. A trace that was not saved stands in the object itself.
    """
    return {
        "schema": SCHEMA,
        "model": verdict.model,
        "constants": {name: json_value(value) for name, value in verdict.constants.items()},
        "open_constants": list(verdict.open_constants),
        "ghosts": verdict.ghosts,
        "engine": verdict.engine,
        "verdict": verdict.verdict,
        "assurance": verdict.assurance,
        "outcome": verdict.outcome,
        "never_happens": list(verdict.never_happens),
        "impossible": list(verdict.impossible),
        "happens_though_impossible": list(verdict.happens_though_impossible),
        "distinct_states": verdict.distinct_states,
        "transitions": verdict.transitions,
        "depth": verdict.depth,
        "seconds": round(verdict.seconds, 6),
        "compile_seconds": round(verdict.compile_seconds, 6),
        "states_per_second": round(states_per_second(verdict)),
        "peak_memory_bytes": verdict.peak_memory_bytes,
        "bytes_per_state": None if verdict.bytes_per_state is None else round(verdict.bytes_per_state, 2),
        "symmetry": list(verdict.symmetry),
        "orbits": verdict.orbits,
        "rechecked_states": verdict.rechecked_states,
        "states_beyond_bound": verdict.states_beyond,
        "held_states": verdict.held_states,
        "properties": [_property_document(prop, traces, paths) for prop in verdict.properties],
        "failure": _failure_document(verdict.failure, traces, paths),
        "actions": [_action_document(action) for action in verdict.actions],
        "levels": [
            {"depth": level.depth, "states": level.states, "seconds": round(level.seconds, 6)}
            for level in verdict.levels
        ],
        "notes": list(verdict.notes),
    }


def json_value(value: Any) -> Any:
    """A constant or an argument as JSON has it: an enum by its value, a member of a domain by its label."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Domain):
        return repr(value)
    return value


def states_per_second(verdict: Verdict) -> float:
    """Distinct states found per second of search."""
    return verdict.distinct_states / verdict.seconds if verdict.seconds > 0 else 0.0


def _property_document(prop: PropertyVerdict, traces: Mapping[str, Document], paths: Mapping[str, str]) -> Document:
    return {
        "name": prop.name,
        "kind": prop.kind,
        "says": prop.says,
        "verdict": prop.verdict,
        "why": prop.why,
        "stopped": prop.stopped_action or None,
        "within_limits": list(prop.respected_limits),
        "if_bounds_end_runs": prop.verdict_with_guards,
        **_trace_fields(prop.run, prop.name, traces, paths),
    }


def _failure_document(
    failure: Failure | None, traces: Mapping[str, Document], paths: Mapping[str, str]
) -> Document | None:
    if failure is None:
        return None
    arguments = {name: str(value) for name, value in (failure.arguments or {}).items()}
    return {
        "message": failure.message,
        "where": failure.where,
        "action": failure.action,
        "arguments": arguments,
        **_trace_fields(failure.run, "", traces, paths),
    }


def _trace_fields(run: Run | None, name: str, traces: Mapping[str, Document], paths: Mapping[str, str]) -> Document:
    """How long the run is, where its trace is or the trace itself, and the line that replays it."""
    document = traces.get(name)
    return {
        "steps": None if run is None else len(run.steps),
        "trace": paths.get(name),
        "replay": None if document is None else document.get("replay"),
        "document": None if name in paths else document,
    }


def _action_document(action: ActionCoverage) -> Document:
    return {
        "name": action.name,
        "fired": action.firings,
        "switched_off": action.switched_off,
        "stopped_by": action.stopped_by,
        "guards": [
            {
                "text": guard.text,
                "line": guard.line,
                "kind": "limit" if guard.is_limit else "require",
                "evaluated": guard.evaluations,
                "passed": guard.passes,
            }
            for guard in action.guards
        ],
    }


def first_state_text(trace: Mapping[str, Any]) -> str:
    """What to call the first state of a trace, which need not be an initial one."""
    return _FIRST_STATES[trace.get("begins")]


_FIRST_STATES: Mapping[str | None, str] = {
    None: "the initial state",
    "induction": "a state that the lemmas allow",
    "earlier": "a state to which earlier steps have led",
}
