"""Counterexamples to induction, from finite copies of the model: never from the solver's quantifiers.

A copy is the same text with small bounds. A counterexample there is a state where all lemmas hold, not necessarily a
reachable one, and a step after which one does not. What the solver finds is a *sketch*: the judge evaluates the lemmas
and takes the step again, and only what it agrees with is a counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import z3

from ...language import ir
from ...language.binding import Definition
from ...language.constants import Value
from ...language.errors import ModelErrors
from ...language.immutable import immutable
from ...language.judge import StoppedStep, attempt, holds_after_step, initial_states, state_shape
from ...language.model import Model, Property
from ...language.proof import Counterexample, Obligation
from ...language.values import ModelError, State
from ...language.verdict import DisagreementError, Run, Step
from ..traversal import fields_of_property
from .effort import CLOCK
from .encoding import Encoding, finite_encoding
from .instances import Instance
from .nearest import nearest_model
from .predicate import evaluate_predicate
from .process_pool import watch_deadline
from .statements import has_loop_over_members
from .states import SymbolicState, fresh_state, state_value
from .terms import Bit, and_bits, boolean_term, conjunction, disjunction, negation
from .transition import symbolic_instances

SIZES = (1, 2, 3)
"""What the boundless constants are in one copy after the other, as far as their declared ranges allow. A last copy has
the bounds that were given, where those are larger."""

WORK = 40_000_000
"""The solver's steps for one query about a copy: of the shipped models about 20 seconds of a processor. A busy machine
finds out the same."""


@immutable
class CopyStep:
    """What the solver says: in a copy (by its number), the values of a state's fields, and a step from there."""

    copy: int
    state: tuple[Any, ...]
    action: str = ""
    arguments: Mapping[str, Any] | None = None


class FiniteInstances:
    """The finite copies of a model, bound when they are first needed: its boundless constants small, and growing.

    Every property and lemma is a property of a copy. After the `even` ones, whose bounds are all alike as far as their
    ranges allow, or as given, come copies in which one bound is larger than all others.
    """

    def __init__(self, definition: Definition, model: Model, boundless: frozenset[str]) -> None:
        self._definition, self._model = definition, model
        self.names = [prop.name for prop in (*model.properties, *model.lemmas)]
        self._values = list[Mapping[str, Value]]()
        self._bound = dict[int, Model]()
        for size in SIZES:
            values = {**model.values, **{name: _capped_size(definition, name, size) for name in boundless}}
            if values not in self._values:
                self._values.append(values)
        if any(cast(int, model.values[name]) > SIZES[-1] for name in boundless):
            self._values.append(dict(model.values))
        self.even = len(self._values)
        for larger in [name for name in model.constants if name in boundless]:
            sizes = {
                name: _capped_size(definition, name, SIZES[1] if name == larger else SIZES[0]) for name in boundless
            }
            if {**model.values, **sizes} not in self._values:
                self._values.append({**model.values, **sizes})
        self._boundless = [name for name in model.constants if name in boundless]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, number: int) -> Model:
        """The copy of that number, the smallest being 0."""
        if number not in self._bound:
            name, values = self._model.name, self._values[number]
            bound = self._definition.bind(name, constants=values, ghosts=True, properties=self.names, lemmas=True)
            lemmas = tuple(lemma for lemma in bound.lemmas if lemma.name in self.names)
            self._bound[number] = replace(bound, lemmas=lemmas, step_bounds=())
        return self._bound[number]

    def is_model(self, number: int) -> bool:
        """Whether the text is a model at a copy's bounds: it may say what breaks there in every state, such as an index
        below 0."""
        try:
            return bool(self[number])
        except ModelErrors:
            return False

    def bind_first(self, count: int) -> None:
        """Binds the first even copies: processes that are started after it need not bind them again."""
        for number in range(min(count, self.even)):
            self.is_model(number)

    def bounds_text(self, number: int) -> str:
        """A copy's bounds in words."""
        return ", ".join(f"{name}={self._values[number][name]}" for name in self._boundless)


def _capped_size(definition: Definition, name: str, size: int) -> int:
    constant = definition.constants[name]
    return max(cast(int, constant.minimum), min(size, cast(int, constant.maximum)))


# --- what the solver finds --------------------------------------------------------------------------------------------


class FiniteInstance:
    """One copy as formulas, and what is asked of it."""

    def __init__(self, symbolic_instances: FiniteInstances, number: int, symmetric: frozenset[str]) -> None:
        self.number, self.model, self.symmetric = number, symbolic_instances[number], symmetric
        self.encoding: Encoding = finite_encoding(self.model)
        self.before = fresh_state(self.model, self.encoding, "0")
        self.predicates = {prop.name: prop for prop in self.model.properties}
        self._lemmas = {prop.name for prop in lemmas_of(self.model)}
        truths = [self._truth_of(prop.form, self.before) for prop in lemmas_of(self.model)]
        self.assumed = [boolean_term(self.before.valid), *map(boolean_term, truths)]
        self._known = dict[tuple[str, frozenset[str]], list[Instance]]()

    def _truth_of(self, form: ir.Function | None, *states: SymbolicState) -> Bit:
        truth = evaluate_predicate(cast(ir.Function, form), self.encoding, *states)
        return and_bits(truth.value, truth.definedness)

    def sketch_counterexample(self, obligation: Obligation) -> CopyStep | bool:
        """A counterexample to induction; else whether it is certain that the copy has none."""
        match obligation.kind:
            case "initial":
                return self._sketch_initial(self.predicates[obligation.goal])
            case "consequence":
                goal = self.predicates[obligation.goal]
                found = self._solve(negation(self._truth_of(goal.form, self.before)))
                return found if isinstance(found, bool) else CopyStep(self.number, self._state_values(found))
            case "step" | "defined":
                return self._sketch_step(obligation)

    def sketch_counterexamples(self, obligations: Sequence[Obligation]) -> Iterator[tuple[Obligation, CopyStep]]:
        """Counterexamples to induction, of many obligations about one action: those that the copy has, each once. One
        query asks whether any of them is broken, which costs little more than the query about one of them."""
        for obligation in obligations:
            if obligation.kind in ("initial", "defined") and isinstance(
                found := self.sketch_counterexample(obligation), CopyStep
            ):
                yield obligation, found
        same = [obligation for obligation in obligations if obligation.kind == "consequence"]
        yield from self._find_any(
            same, [negation(self._truth_of(self.predicates[obligation.goal].form, self.before)) for obligation in same]
        )
        steps = [obligation for obligation in obligations if obligation.kind == "step"]
        for instance in self._instances_of(steps[0]) if steps else ():
            broken = [conjunction(self._conditions_of_failure(step, instance)) for step in steps]
            for obligation, found in self._find_any(steps, broken, instance):
                steps.remove(obligation)
                yield obligation, found

    def _find_any(
        self, obligations: Sequence[Obligation], broken: Sequence[Bit], instance: Instance | None = None
    ) -> Iterator[tuple[Obligation, CopyStep]]:
        """Of some obligations those that are broken, with the state and the step in which they are."""
        left = dict(zip(obligations, broken, strict=True))
        while not isinstance(found := self._solve(disjunction(left.values())), bool):
            one = next(
                obligation
                for obligation, bit in left.items()
                if z3.is_true(found.eval(boolean_term(bit), model_completion=True))
            )
            del left[one]
            given = {} if instance is None else instance.argument_values(found)
            yield one, CopyStep(self.number, self._state_values(found), one.action, given)

    def _sketch_initial(self, goal: Property) -> CopyStep | bool:
        """Plain Python looks at every initial state."""
        wrong = (start for start in initial_states(self.model) if _is_false(self.model, goal, start)[0])
        state = next(wrong, None)
        return True if state is None else CopyStep(self.number, tuple(state))

    def _sketch_step(self, obligation: Obligation) -> CopyStep | bool:
        certain = True
        for instance in self._instances_of(obligation):
            found = self._solve(*self._conditions_of_failure(obligation, instance))
            if not isinstance(found, bool):
                return CopyStep(
                    self.number, self._state_values(found), obligation.action, instance.argument_values(found)
                )
            certain = certain and found
        return certain

    def _conditions_of_failure(self, obligation: Obligation, instance: Instance) -> tuple[Bit, ...]:
        if obligation.kind == "defined":
            return instance.valid, negation(instance.definedness)
        goal = self.predicates[obligation.goal]
        if goal.name in self._lemmas and not fields_of_property(goal) & instance.action.form.writes:
            return (False,)
        states = (self.before, instance.post) if goal.kind == "transition" else (instance.post,)
        truth = self._truth_of(goal.form_of(instance.action.name), *states)
        return instance.is_taken, instance.definedness, negation(truth)

    def _instances_of(self, obligation: Obligation) -> list[Instance]:
        """Of instances that differ by a renaming one, except where the question is what breaks and a statement goes
        over members that no text can distinguish: it may end early, and meets them in an order of their own."""
        action, symmetric = obligation.action, self.symmetric
        if obligation.kind == "defined" and has_loop_over_members(self.model.action(action).form.body):
            symmetric = frozenset[str]()
        if (action, symmetric) not in self._known:
            known = {key: made for key, made in self._known.items() if key[0] == action}
            made = symbolic_instances(self.model, self.encoding, self.before, "a", action, symmetric=symmetric)
            self._known = {**known, (action, symmetric): made}
        return self._known[action, symmetric]

    def _solve(self, *bits: Bit) -> z3.ModelRef | bool:
        """A model of the bits where all lemmas hold, as near to an initial state as can be; else whether there is
        certainly none."""
        wanted = conjunction(bits)
        found = self._satisfy(wanted)
        return found if isinstance(found, bool) else self._nearest_model(wanted, found)

    def _satisfy(self, condition: Bit) -> z3.ModelRef | bool:
        """Some model of what is wanted where all lemmas hold; else whether there is certainly none."""
        if condition is False:
            return True
        solver = z3.Then("simplify", "propagate-values", "solve-eqs", "bit-blast", "sat").solver()
        solver.set("rlimit", WORK)
        solver.set("timeout", round(1000 * CLOCK))
        solver.add(*self.assumed, boolean_term(condition))
        with watch_deadline(CLOCK):
            answer = solver.check()
        return solver.model() if answer == z3.sat else answer == z3.unsat

    def _nearest_model(self, condition: Bit, z3_model: z3.ModelRef) -> z3.ModelRef:
        if self.first_initial_state is None:
            return z3_model
        with watch_deadline(CLOCK):
            return nearest_model(
                self.model,
                self.encoding,
                self.before,
                [*self.assumed, boolean_term(condition)],
                self.first_initial_state,
                z3_model,
            )

    @cached_property
    def first_initial_state(self) -> State | None:
        """The first initial state of the copy; None if there is none, or it breaks the copy's types."""
        try:
            return next(initial_states(self.model), None)
        except ModelError:
            return None

    def _state_values(self, z3_model: z3.ModelRef) -> tuple[Any, ...]:
        return tuple(state_value(self.model, z3_model, self.before))


def lemmas_of(model: Model) -> tuple[Property, ...]:
    """The lemmas about one state: those that a proof assumes."""
    return tuple(lemma for lemma in model.lemmas if lemma.kind == "invariant")


# --- what the judge agrees with ---------------------------------------------------------------------------------------


def confirm_counterexample(
    symbolic_instances: FiniteInstances, obligation: Obligation, sketch: CopyStep
) -> Counterexample:
    """The counterexample, every lemma evaluated and the step taken by plain Python. DisagreementError when it says
    otherwise."""
    model = symbolic_instances[sketch.copy]
    state = state_shape(model).state(sketch.state)
    if obligation.kind == "initial":
        return _counterexample_of_state(model, obligation, state, reachable=True)
    for prop in lemmas_of(model):
        broken, _ = _is_false(model, prop, state)
        _check_agreement(not broken, f"the lemma {prop.name} is false in {state}")
    if obligation.kind == "consequence":
        return _counterexample_of_state(model, obligation, state, reachable=False)
    return _counterexample_of_step(model, obligation, state, sketch)


def _counterexample_of_state(model: Model, obligation: Obligation, state: State, *, reachable: bool) -> Counterexample:
    broken, message = _is_false(model, _property_named(model, obligation.goal), state)
    _check_agreement(broken, f"{obligation.goal} is true in {state}")
    return Counterexample(model, Run(state, ()), reachable, message)


def _counterexample_of_step(model: Model, obligation: Obligation, state: State, sketch: CopyStep) -> Counterexample:
    action, arguments = model.action(sketch.action), sketch.arguments or {}
    step = f"{action.name}({dict(arguments)})"
    try:
        after = attempt(model, state, action, arguments)
    except ModelError as error:
        _check_agreement(obligation.kind == "defined", f"{step} breaks the model's types in {state}: {error}")
        return Counterexample(model, Run(state, ()), False, str(error), action.name, arguments)
    if isinstance(after, StoppedStep):
        raise _disagreement(f"{step} is disabled in {state}")
    _check_agreement(obligation.kind == "step", f"{step} breaks nothing in {state}")
    goal = _property_named(model, obligation.goal)
    broken, message = _is_false(model, goal, state, after, action.name)
    _check_agreement(broken, f"{goal.name} is true after {step} in {state}")
    return Counterexample(model, Run(state, (Step(action.name, arguments, after),)), False, message)


def _property_named(model: Model, name: str) -> Property:
    return {prop.name: prop for prop in model.properties}[name]


def _is_false(
    model: Model, prop: Property, state: State, next_state: State | None = None, action: str | None = None
) -> tuple[bool, str]:
    """Whether plain Python finds the property false of a state, of the state after it, or of the step between, or
    cannot evaluate it, with the error then."""
    try:
        return not holds_after_step(model, prop, state, next_state, action=action), ""
    except ModelError as error:
        return True, str(error)


def _check_agreement(is_agreed: bool, otherwise: str) -> None:
    if not is_agreed:
        raise _disagreement(otherwise)


def _disagreement(otherwise: str) -> DisagreementError:
    return DisagreementError(f"the solver has a counterexample to induction, and plain Python says: {otherwise}")
