"""What a partition went through, as traces: the run of the model that shows its history, up to where one does.

A trace has bounds: a budget of faults, and so many leader epochs. A history of any length is a run in several parts,
each of which begins in the state in which the one before it ends. The first is replayed from the model's beginning,
where the log has the partition's creation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...audit.kafka.profiles import audited_model_definition
from ...explorer.native.observation_search import ObservedLeg
from ...language import judge
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run
from ...traces.document import run_document
from .as_partition import Epochs
from .settings import MODEL
from .validating import ValidationResult

Document = dict[str, Any]
LOSS = "consistent_read"
"""What a run violates that loses what was committed: what consumers may have read stays in the leader's log."""


@immutable
class TracePart:
    """A part of the run of a history: its trace document, and which moment its states show: `moments` has the number of
    the moment by the number of the step after which it is seen."""

    document: Document
    moments: Mapping[int, int]


def trace_parts(one: ValidationResult) -> list[TracePart]:
    """The run of a history in as few parts as bounds allow; none where no search found one, or the history has one
    moment alone. Each is a run of the model, step by step in plain Python."""
    if one.answer is None or not one.models or not one.answer.legs:
        return []
    cut = list(_cut_into_traces(one.models[0], one.answer.legs))
    return [_trace_part(one, number, legs, len(cut)) for number, legs in enumerate(cut, 1)]


def broker_names(one: ValidationResult) -> dict[str, str]:
    """What the model's brokers are called in the cluster."""
    members = map(str, one.models[0].namespace["Broker"])
    return {member: f"broker {number}" for member, number in zip(members, one.of.replicas, strict=True)}


def _cut_into_traces(model: Model, legs: Sequence[ObservedLeg[Epochs]]) -> Iterator[list[ObservedLeg[Epochs]]]:
    """Legs that fit into one trace, together: of one model, with the same numbers of leader epochs, and with no more
    faults of a kind than a budget may be."""
    most = {name: model.constants[name].maximum or 0 for name in _budget_names(model)}
    held, taken = list[ObservedLeg[Epochs]](), dict.fromkeys(most, 0)
    for leg in legs:
        needed = _needed_budgets(model, leg)
        fits = all(taken[name] + needed[name] <= most[name] for name in most)
        if held and ((leg.origin, leg.model) != (held[-1].origin, held[-1].model) or not fits):
            yield held
            held, taken = [], dict.fromkeys(most, 0)
        held.append(leg)
        taken = {name: taken[name] + needed[name] for name in most}
    yield held


def _budget_names(model: Model) -> tuple[str, ...]:
    return tuple(judge.state_shape(model).budgets)


def _budget_value(model: Model, name: str) -> int:
    value = model.values[name]
    assert isinstance(value, int), f"{name} is a budget"
    return value


def _needed_budgets(model: Model, leg: ObservedLeg[Epochs]) -> dict[str, int]:
    """How much of each budget the steps of a leg take."""
    taken = [model.action(step.action).budget for step in leg.run.steps]
    return {name: taken.count(name) for name in _budget_names(model)}


def _trace_part(one: ValidationResult, number: int, legs: Sequence[ObservedLeg[Epochs]], of: int) -> TracePart:
    assert one.setup is not None
    profile, own = one.setup.profile, one.models[legs[0].model]
    needed = {name: sum(_needed_budgets(own, leg)[name] for leg in legs) for name in _budget_names(own)}
    larger = {name: number for name, number in needed.items() if number > _budget_value(own, name)}
    constants = {**own.values, **larger}
    ghosts = own.ghosts
    properties = (LOSS,) if ghosts else ()
    name = f"{MODEL}:{profile}"
    model = audited_model_definition().bind(name, constants, profile, ghosts=ghosts, properties=properties)
    start = _state_with_whole_budgets(model, legs[0].run.start)
    run = judge.replay(model, start, [(step.action, step.arguments) for leg in legs for step in leg.run.steps])
    moments, at = {0: _moment_before(one, legs[0])}, 0
    for leg in legs:
        at += len(leg.run.steps)
        moments[at] = leg.observation
    return TracePart(_part_document(one, model, run, legs, number, of), moments)


def _state_with_whole_budgets(model: Model, state: State) -> State:
    shape = judge.state_shape(model)
    return shape.replace(state, **{name: model.values[budget] for budget, name in shape.budgets.items()})


def _moment_before(one: ValidationResult, leg: ObservedLeg[Epochs]) -> int:
    """The moment that is seen where a leg begins."""
    assert one.answer is not None
    return max((earlier.observation for earlier in one.answer.legs if earlier.observation < leg.observation), default=0)


def _part_document(
    one: ValidationResult, model: Model, run: Run, legs: Sequence[ObservedLeg[Epochs]], number: int, of: int
) -> Document:
    document = run_document(model, run, title=f"{one.of.name}{f', part {number} of {of}' if of > 1 else ''}")
    notes = list[str]()
    if (first := legs[0].origin.actual_epoch(0)) != 0:
        notes.append(f"Leader epochs are counted anew: 0 is {first} in the cluster.")
    if not any(start == run.start for start in judge.initial_states(model)):
        document |= {"replay": None, "begins": "earlier"}
    return document | {"called": broker_names(one), "notes": [*document["notes"], *notes]}
