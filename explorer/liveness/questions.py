"""What a model's properties of whole runs ask of a graph: predicates of states and groups of steps, each a bit."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from ...language import ir, liveness
from ...language.declare import StepCondition
from ...language.errors import UsageError
from ...language.fairness import Group
from ...language.fairness import groups_of as fairness_groups
from ...language.immutable import immutable
from ...language.model import Action, Liveness, LivenessCase, LivenessKind, Model, Property
from ...language.types import Bool
from ...language.values import State
from .graph import FairRunQuestion

BITS = 63
"""Predicates at most, and groups at most: each has a bit of a word."""


@immutable
class LivenessQuestion:
    """One case of a property, in bits. `then` and `when` are numbers of predicates, `weak` and `strong` have a bit for
    each group."""

    prop: Liveness
    case: LivenessCase
    then: int
    when: int | None
    weak: int
    strong: int

    @property
    def kind(self) -> LivenessKind:
        """What is claimed."""
        return self.prop.kind

    @property
    def violating_runs(self) -> FairRunQuestion:
        """The fair runs that violate it: `leads_to`, those that go on after `when` without `then`; `always_eventually`,
        those without `then` from some time on; `eventually_always`, those in which it is false again and again, and
        `leads_to_always` those of them that have come to `when`."""
        if self.kind in ("eventually_always", "leads_to_always"):
            return FairRunQuestion(None, self.when, self.then, self.weak, self.strong)
        return FairRunQuestion(self.then, self.when, None, self.weak, self.strong, self.is_from_initial_states_alone)

    @property
    def is_from_initial_states_alone(self) -> bool:
        """Whether it begins in initial states alone."""
        return self.kind == "initially_leads_to"


@immutable
class LivenessQuestions:
    """All that is asked. `predicates` and `groups` are in the order of their bits."""

    predicates: tuple[Property, ...]
    groups: tuple[Group, ...]
    questions: tuple[LivenessQuestion, ...]

    def groups_of(self, model: Model, state: State, action: str, arguments: Mapping[str, Any]) -> int:
        """The groups that a step from a state belongs to, a bit each."""
        return sum(1 << bit for bit, group in enumerate(self.groups) if group.has_step(model, state, action, arguments))

    def groups_where(self, action: str, arguments: Mapping[str, Any], truths: Mapping[StepCondition, bool]) -> int:
        """The same of steps with these arguments of which these conditions are true or false."""
        return sum(
            1 << bit
            for bit, group in enumerate(self.groups)
            if group.is_action_of(action, arguments) and (group.where is None or truths[group.where])
        )

    def group_names(self, bits: int) -> list[str]:
        """The groups of some bits, as people read them."""
        return [group.text() for bit, group in enumerate(self.groups) if bits >> bit & 1]


def questions_of(model: Model) -> LivenessQuestions:
    """What a bound model asks. UsageError where there is more than fits."""
    predicates, groups, asked = list[Property](), list[Group](), list[LivenessQuestion]()
    for prop in model.liveness:
        masks = [0, 0]
        for fairness in prop.fairness:
            for group in fairness_groups(model, fairness):
                if group not in groups:
                    groups.append(group)
                masks[fairness.strong] |= 1 << groups.index(group)
        for case in prop.cases:
            then = _bit_of_predicate(predicates, case.then)
            when = None if case.when is None else _bit_of_predicate(predicates, case.when)
            asked.append(LivenessQuestion(prop, case, then, when, masks[0], masks[1]))
    wanted = (("predicates of states", len(predicates) + len(model.bounds)), ("groups of steps", len(groups)))
    for what, count in wanted:
        if count > BITS:
            raise UsageError(
                f"{model.name}: its properties of liveness ask for {count} {what}, and at most {BITS} are checked "
                "at once; name some properties with --property, or give their parameters smaller domains"
            )
    return LivenessQuestions(tuple(predicates), tuple(groups), tuple(asked))


def _bit_of_predicate(known_predicates: list[Property], predicate: Property) -> int:
    """The bit of a predicate. One that several claims ask about has one bit."""
    if predicate not in known_predicates:
        known_predicates.append(predicate)
    return known_predicates.index(predicate)


def divide_actions(model: Model, questions: LivenessQuestions) -> tuple[Model, tuple[int, ...]]:
    """The model with every action in as many parts as groups distinguish, and the groups of each action of it: for
    native code, which knows actions by their numbers. Its `@bound`s are predicates after the others: beyond them it is
    seen what could happen."""
    actions, groups = list[Action](), list[int]()
    for action in map(_drop_bound_checks, model.actions):
        its = [group for group in questions.groups if action.name in group.actions]
        names = dict.fromkeys(name for group in its for name, _ in group.values)
        conditions = dict.fromkeys(group.where for group in its if group.where is not None)
        parts = (
            (part, arguments, truths)
            for whole, truths in _parts_by_condition(action, tuple(conditions))
            for part, arguments in _split_action(model, whole, tuple(names))
        )
        for number, (part, arguments, truths) in enumerate(parts):
            name = f"{action.name}.{number}" if names or conditions else action.name
            form = dataclasses.replace(part.form, name=name)
            actions.append(dataclasses.replace(part, name=name, form=form))
            groups.append(questions.groups_where(action.name, arguments, truths))
    witnesses = tuple(
        dataclasses.replace(predicate, kind="reachable", name=f"{predicate.name}.{number}")
        for number, predicate in enumerate((*questions.predicates, *model.bounds))
    )
    made = dataclasses.replace(model, actions=tuple(actions), properties=witnesses, bounds=(), lemmas=(), liveness=())
    return made, tuple(groups)


def _drop_bound_checks(action: Action) -> Action:
    """An action that no `@bound` stops, each of which is a limit at its beginning."""
    body = tuple(
        statement for statement in action.form.body if not (isinstance(statement, ir.Limit) and statement.bound_name)
    )
    return dataclasses.replace(action, form=dataclasses.replace(action.form, body=body))


def _parts_by_condition(
    action: Action, conditions: tuple[StepCondition, ...]
) -> Iterator[tuple[Action, dict[StepCondition, bool]]]:
    """An action in parts, one for each truth of each condition, with these truths."""
    for truths in itertools.product((True, False), repeat=len(conditions)):
        guards = tuple(map(_condition_guard, itertools.repeat(action), conditions, truths))
        form = dataclasses.replace(action.form, body=(*guards, *action.form.body))
        yield dataclasses.replace(action, form=form), dict(zip(conditions, truths, strict=True))


def _condition_guard(action: Action, condition: StepCondition, truth: bool) -> ir.Require:
    """The guard that lets those steps of an action through of which a condition has this truth."""
    form, where = condition.form, action.form.where
    assert form is not None, "a bound model has its form"
    arguments = tuple(ir.Name(name, type_, where) for name, type_ in form.parameters)
    call = ir.Call(form, arguments, Bool(), where)
    return ir.Require(call if truth else ir.Not(call, Bool(), where), condition.name, where)


def _split_action(model: Model, action: Action, names: tuple[str, ...]) -> Iterator[tuple[Action, dict[str, Any]]]:
    """An action in parts, one for each value of the named parameters, with these values."""
    if not names:
        yield action, {}
        return
    parameter = next(parameter for parameter in action.form.parameters if parameter.name == names[0])
    rest = tuple(other for other in action.form.parameters if other is not parameter)
    for value in liveness.values_of(action, names[0], model.values):
        bound = liveness.let(parameter.name, parameter.type, value, parameter.where, model.values)
        form = dataclasses.replace(action.form, parameters=rest, body=(bound, *action.form.body))
        for part, arguments in _split_action(model, dataclasses.replace(action, form=form), names[1:]):
            yield part, {**arguments, parameter.name: value}
