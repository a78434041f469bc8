"""Fairness in plain Python: which steps it is about, and whether a loop meets it."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from types import FunctionType
from typing import Any, cast

from .declare import Fairness, StepCondition, limits_lifted
from .immutable import immutable
from .judge import StoppedStep, attempt, bound_crossed, false_guard, holds, instances, is_stopped_by_bounds
from .liveness import values_of
from .model import Action, Liveness, LivenessCase, Model, Property
from .values import ModelError, State
from .verdict import Run, Step


@immutable
class Group:
    """Steps that a fairness is about: those of some actions or, of some parameters, those with the `values` of these;
    and of these, those `where` a condition is true."""

    actions: tuple[str, ...]
    values: tuple[tuple[str, Any], ...] = ()
    where: StepCondition | None = None

    def is_action_of(self, action: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a step is one of its actions, and has its values."""
        return action in self.actions and all(arguments[name] == value for name, value in self.values)

    def has_step(self, model: Model, state: State, action: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a step from a state belongs to the group."""
        return self.is_action_of(action, arguments) and (
            self.where is None or is_condition_true(model, self.where, state, arguments)
        )

    def text(self) -> str:
        """`fetch`, `fetch(follower=B)`, `prepare or commit`, `fetch where is_leader`."""
        given = ", ".join(f"{name}={value}" for name, value in self.values)
        named = [f"{name}({given})" if given else name for name in self.actions]
        steps = " or ".join(part for part in (", ".join(named[:-1]), named[-1]) if part)
        return steps if self.where is None else f"{steps} where {self.where.name}"


def is_condition_true(model: Model, condition: StepCondition, state: State, arguments: Mapping[str, Any]) -> bool:
    """Whether a condition is true of a state and of a step's arguments."""
    given = {name: arguments[name] for name in condition.parameters}
    return holds(
        model, Property(condition.name, "invariant", "", condition.form, partial(condition.run, **given)), state
    )


def groups_of(model: Model, fairness: Fairness) -> Iterator[Group]:
    """What a fairness is said of, one by one."""
    first = model.action(fairness.actions[0])
    ranges = (values_of(first, name, model.values) for name in fairness.parameters)
    for values in itertools.product(*ranges):
        yield Group(fairness.actions, tuple(zip(fairness.parameters, values, strict=True)), fairness.where)


def is_counted_step(model: Model, before: State, after: State) -> bool:
    """Whether a step counts as one that happens, and as one that can: it changes something of the protocol, of which
    ghosts are no part."""
    if before == after:
        return False
    return any(not field.ghost and was != now for field, was, now in zip(model.fields, before, after, strict=True))


def limit_of(model: Model, state: State, action: Action, arguments: Mapping[str, Any]) -> str | None:
    """What stops a step that larger bounds would let happen, in words; None where it can happen, the protocol stops
    it, or it is a fault that its budget or its own limit stops: more of them are not what keeps a protocol going.

    Such a step is tried as if there were no bounds but budgets: one that would change something of the protocol is
    stopped by them, and so is one that breaks the model's types there, of which no more is known. Beyond a `@bound` a
    fault is tried too: what its budget has left can be taken within larger bounds as it can within these.
    """
    beyond = bound_crossed(model, state)
    if beyond is not None:
        return _bound_text(model, beyond) if _is_counted_without_bounds(model, state, action, arguments) else None
    found = attempt(model, state, action, arguments)
    if not isinstance(found, StoppedStep) or not is_stopped_by_bounds(action, found):
        return None
    if not _is_counted_without_bounds(model, state, action, arguments):
        return None
    return _stopped_text(model, state, action, arguments, found)


def _is_counted_without_bounds(model: Model, state: State, action: Action, arguments: Mapping[str, Any]) -> bool:
    """Whether a step would count without bounds but budgets, or break the model's types. The limits of a fault stay."""
    is_fault = action.kind == "fault"
    unbounded = dataclasses.replace(model, bounds=(), step_bounds=model.step_bounds if is_fault else ())
    try:
        with nullcontext() if is_fault else limits_lifted():
            after = attempt(unbounded, state, action, arguments)
    except ModelError:
        return True
    return (
        is_stopped_by_bounds(action, after) if isinstance(after, StoppedStep) else is_counted_step(model, state, after)
    )


def _stopped_text(model: Model, state: State, action: Action, arguments: Mapping[str, Any], stop: StoppedStep) -> str:
    """What stops a step: the bound by its name or text, with the values of the constants in it."""
    if stop.budget is not None:
        return f"whose budget {stop.budget} is spent{_constants_text(model, [stop.budget])}"
    if stop.step_bound is not None:
        return _bound_text(model, stop.step_bound)
    text = false_guard(model, state, action, arguments, stop)
    named = _constants_text(model, re.findall(r"[A-Za-z_]\w*", text))
    return f"at the limit {text} in line {stop.line}{named}"


def _bound_text(model: Model, name: str) -> str:
    """A `@bound`, with the values of the constants that it names."""
    bound = next(bound for bound in (*model.bounds, *model.step_bounds) if bound.name == name)
    return f"at @bound {name}{_constants_text(model, cast(FunctionType, bound.run).__code__.co_names)}"


def _constants_text(model: Model, names: Iterable[str]) -> str:
    """The constants among some names, each with its value: empty where there are none."""
    known = [f"{name} is {model.values[name]}" for name in dict.fromkeys(names) if name in model.values]
    return f", where {' and '.join(known)}" if known else ""


def can_happen(model: Model, group: Group, state: State) -> bool:
    """Whether a step of a group can change a state, or would do so within larger bounds."""
    for action, arguments in instances(model, state):
        if group.has_step(model, state, action.name, arguments):
            if limit_of(model, state, action, arguments) is not None:
                return True
            after = attempt(model, state, action, arguments)
            if not isinstance(after, StoppedStep) and is_counted_step(model, state, after):
                return True
    return False


@immutable
class FairnessMet:
    """How a loop meets a fairness: by the step of this number that takes it, or in the states of these numbers, where
    it cannot happen; numbers count from the loop's beginning, the state before the first step being 0."""

    step: int | None
    absent: tuple[int, ...]


def meet_fairness(
    model: Model, group: Group, strong: bool, loop: Sequence[State], steps: Sequence[Step]
) -> FairnessMet | None:
    """How a loop meets the fairness of a group; None where it does not. `loop` are its states, the last one being the
    first again where there are steps."""
    for number, (before, step) in enumerate(zip(loop, steps, strict=False), 1):
        if is_counted_step(model, before, step.state_after) and group.has_step(
            model, before, step.action, step.arguments
        ):
            return FairnessMet(number, ())
    states = loop[:-1] if steps else loop
    absent = tuple(number for number, state in enumerate(states) if not can_happen(model, group, state))
    enough = len(absent) == len(states) if strong else bool(absent)
    return FairnessMet(None, absent) if enough else None


def why_not_violated(model: Model, prop: Liveness, case: LivenessCase, run: Run, loop: int) -> str | None:
    """Why a run that returns to state `loop` after its last step does not violate a case of a property; None where it
    does: it is a loop, what is claimed is false of it, and it is fair."""
    states = run.states()
    if states[loop] != states[-1]:
        return "its last state is not the one that it is said to return to"
    truths = [holds(model, case.then, state) for state in states]
    if prop.kind in ("eventually_always", "leads_to_always"):
        if all(truths[loop:]):
            return f"{case.then.name} is true in each state of the loop"
    elif any(truths[loop:]):
        return f"{case.then.name} is true in a state of the loop"
    return _why_not_begun(model, prop, case, states, truths) or unmet_fairness(model, prop, run, loop)


def _why_not_begun(
    model: Model, prop: Liveness, case: LivenessCase, states: Sequence[State], truths: Sequence[bool]
) -> str | None:
    """Why a run has nothing from where on what a case claims is to come and does not; None where it has."""
    if case.when is None:
        return None
    if prop.kind == "initially_leads_to":
        if any(truths):
            return f"{case.then.name} is true in a state of the run"
        begins = holds(model, case.when, states[0])
        return None if begins else f"{case.when.name} is false in the initial state"
    if prop.kind == "leads_to_always":
        ever = any(holds(model, case.when, state) for state in states)
        return None if ever else f"{case.when.name} is true in no state of the run"
    last = max((at for at, truth in enumerate(truths) if truth), default=-1)
    ever = any(holds(model, case.when, state) for state in states[last + 1 :])
    return None if ever else f"{case.when.name} is true in no state after which {case.then.name} never is"


def unmet_fairness(model: Model, prop: Liveness, run: Run, loop: int) -> str | None:
    """Which fairness of a property a run does not meet that returns to state `loop` after its last step, so that the
    property says nothing of it; None where it meets all."""
    states = run.states()
    for fairness in prop.fairness:
        for group in groups_of(model, fairness):
            if meet_fairness(model, group, fairness.strong, states[loop:], run.steps[loop:]) is None:
                return f"{'strong' if fairness.strong else 'weak'} fairness of {group.text()} is not met"
    return None
