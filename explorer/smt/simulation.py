"""The unbounded formulas checked against plain Python, in every proof: what a step of a random walk does, they allow.

A formula that leaves out a step proves what is not so. So some steps that plain Python takes are put into the formulas
that the proof rests on, with the constants at their values: the step has to be possible, break nothing, and lead to
exactly the state that it leads to in Python; the state before has to be one of the types, and one that the lemmas as
formulas allow. Anything else is a `DisagreementError`, with the line and the values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import z3

from ...language import ir
from ...language.checks import members_of
from ...language.immutable import immutable
from ...language.judge import holds
from ...language.model import Action, Model, Property
from ...language.records import parts_of
from ...language.types import Map, Option, Pool, Record, Seq, Subset, Type
from ...language.values import ModelError, State
from ...language.verdict import DisagreementError
from ...language.where import Where
from .adding_loops import StepExecution
from .algebra import ExtensionalError
from .effort import CLOCK
from .encoding import Encoding, unbounded_encoding
from .errors import NotUnboundedError
from .predicate import clauses_of_predicate
from .process_pool import watch_deadline
from .shapes import Fields, IntegerMap, Records, Shape, Slots, SymbolicOption, Table, UnboundedSet
from .shapes import Sequence as Elements
from .statements import Path
from .states import SymbolicState, constant_state, fresh_state
from .terms import Bit, and_bits, bits_equal, boolean_term, conjunction, constant_number, implies, negation
from .transition import endless_message_text, is_in_pool

_STATES = 5

WORK = 2_000_000
"""The solver's steps for one question: of the models that are proved here none takes 25,000. What it does not know by
then says nothing."""


@immutable
class StepTaken:
    """A step that plain Python took, and the states around it."""

    state_before: State
    action: str
    arguments: Mapping[str, Any]
    state_after: State


@immutable
class _Part:
    """Something that has to be true of a step: where the text says so, and what."""

    where: Where
    says: str
    bit: Bit


def check_steps_by_formulas(model: Model, steps: Sequence[StepTaken]) -> None:
    """Puts steps into the unbounded formulas of a model. DisagreementError when one is left out, NotUnboundedError when
    an action or a lemma has no meaning there."""
    simulation = FormulaCheck(model)
    for step in steps:
        simulation.check_step(step)


class FormulaCheck:
    """The formulas of one model whose bounds are open, with the values that the constants have. The lemmas are looked
    at in so many `states`, the first that steps begin in."""

    def __init__(self, model: Model, states: int = _STATES) -> None:
        self.states = states
        self.model, self.encoding = model, unbounded_encoding(model)
        self.solver = z3.Solver()
        self.solver.set("rlimit", WORK)
        self.solver.set("timeout", round(1000 * CLOCK))
        for name in sorted(model.open & self.encoding.boundless):
            self.solver.add(z3.Int(f"constant.{name}") == cast(int, model.values[name]))
        self.solver.add(boolean_term(self.encoding.constants))
        self._known = set[State]()

    def check_step(self, step: StepTaken) -> None:
        """DisagreementError when the formulas leave out the step, or the state before it."""
        before = constant_state(self.model, self.encoding, step.state_before)
        arguments = ", ".join(f"{name}={value}" for name, value in step.arguments.items())
        text = f"the step {step.action}({arguments}) from {step.state_before} to {step.state_after}"
        try:
            if step.state_before not in self._known and len(self._known) < self.states:
                self._known.add(step.state_before)
                self._check_possible(
                    list(self._state_parts(step.state_before, before)), f"the state {step.state_before}"
                )
            parts, assumed = self._step_parts(step, before)
        except ExtensionalError:
            where = self.model.action(step.action).form.where
            raise NotUnboundedError(where, *endless_message_text(f"{step.action} sends or receives")) from None
        self._check_possible(parts, text, assumed)
        refined = [part for prop in self.model.properties for part in self._refined_parts(prop, step, before)]
        self._check_possible(refined, text)

    def _refined_parts(self, prop: Property, step: StepTaken, pre: SymbolicState) -> Iterator[_Part]:
        """That a step is an abstract step, where plain Python says so."""
        form = prop.form_of(step.action)
        if prop.refinement is None or form is None or not self._is_refining(prop, step):
            return
        after = constant_state(self.model, self.encoding, step.state_after)
        for clause in clauses_of_predicate(form, self.encoding, pre, after, suffix="r"):
            yield _Part(clause.where, f"the refinement {prop.name}", clause.as_assumption())

    def _is_refining(self, prop: Property, step: StepTaken) -> bool:
        try:
            return holds(self.model, prop, step.state_before, step.state_after, action=step.action)
        except ModelError:
            return False

    def _check_possible(self, parts: Sequence[_Part], what: str, assumptions: Sequence[z3.BoolRef] = ()) -> None:
        """DisagreementError, naming the first part that makes it so, when the parts cannot be true together."""
        if self._solver_answer(parts, assumptions) != z3.unsat:
            return
        many = range(1, len(parts) + 1)
        last = next(number for number in many if self._solver_answer(parts[:number], assumptions) == z3.unsat)
        part = parts[last - 1]
        raise DisagreementError(
            f"{part.where.file}:{part.where.line}: the formulas of the proof leave out what plain Python does: "
            f"{what}; as a formula, {part.says} is not so"
        )

    def _solver_answer(self, parts: Sequence[_Part], assumptions: Sequence[z3.BoolRef]) -> z3.CheckSatResult:
        self.solver.push()
        self.solver.add(*assumptions, *(boolean_term(part.bit) for part in parts))
        with watch_deadline(CLOCK):
            answer = self.solver.check()
        self.solver.pop()
        return answer

    # --- states -------------------------------------------------------------------------------------------------------

    def _state_parts(self, state: State, here: SymbolicState) -> Iterator[_Part]:
        """That a state is one of the types, and that the lemmas hold."""
        free = fresh_state(self.model, self.encoding, "here")
        nowhere = self.model.initials[0].form.where
        yield _Part(
            nowhere, "that its values are of their types", and_bits(free.valid, self._is_state(free, state, state))
        )
        for lemma in self.model.lemmas:
            if lemma.kind == "invariant" and self._is_lemma_true(lemma, state):
                form = cast(ir.Function, lemma.form)
                for clause in clauses_of_predicate(form, self.encoding, here, suffix="h"):
                    yield _Part(clause.where, f"the lemma {lemma.name}", clause.as_assumption())

    def _is_lemma_true(self, lemma: Property, state: State) -> bool:
        try:
            return holds(self.model, lemma, state)
        except ModelError:
            return False

    def _is_state(self, shapes: SymbolicState, state: State, previous_state: State) -> Bit:
        return conjunction(
            self.is_value(
                field.type, shapes.fields[field.name], getattr(state, field.name), getattr(previous_state, field.name)
            )
            for field in self.model.fields
            if field.name in shapes.fields
        )

    def is_value(self, type_: Type, shape: Shape, value: Any, previous_value: Any) -> Bit:
        """Whether a shape is a value; of the records of a pool, those that it has or had `previous_value` are looked
        at."""
        numbers = self.encoding.numbers
        match type_, shape:
            case Option(of=of), SymbolicOption(present=present, value=inner):
                if value is None or inner is None:
                    return bits_equal(present, value is not None)
                return and_bits(present, self.is_value(of, inner, value, value))
            case Record(fields=fields), Fields(parts=parts):
                held = zip(fields, parts_of(type_, value), strict=True)
                return conjunction(self.is_value(of, parts[name], part, part) for (name, of), part in held)
            case Map(value=of), Table(parts=parts):
                pairs = zip(parts, value.items(), previous_value.items(), strict=True)
                return conjunction(self.is_value(of, part, now, then) for part, (_, now), (_, then) in pairs)
            case Map(key=key, value=of), IntegerMap(element_at=at):
                return conjunction(
                    self.is_value(of, at(self.encoding.algebra.number(self.encoding.constant(key, member))), now, now)
                    for member, now in value.items()
                )
            case Seq(of=of), (Slots(length=length) | Elements(length=length)):
                numbered = enumerate(value)
                same = [
                    self.is_value(of, self.encoding.algebra.element_at(shape, constant_number(at)), now, now)
                    for at, now in numbered
                ]
                return conjunction([numbers.are_equal(length, constant_number(len(value))), *same])
            case Subset(of=of), UnboundedSet(has=has):
                members = members_of(of, self.model.values)
                return conjunction(bits_equal(has(constant_number(int(member))), member in value) for member in members)
            case Pool(of=of), Records(has=has):
                looked = dict.fromkeys([*value, *previous_value])
                return conjunction(
                    bits_equal(has(cast(Fields, self.encoding.constant(of, record))), record in value)
                    for record in looked
                )
            case _:
                return self.encoding.algebra.are_same(shape, self.encoding.constant(type_, value))

    # --- steps --------------------------------------------------------------------------------------------------------

    def _step_parts(self, step: StepTaken, pre: SymbolicState) -> tuple[list[_Part], list[z3.BoolRef]]:
        """What has to be true of a step, in the order of the text, and what is assumed of the terms in it."""
        action = self.model.action(step.action)
        names = {
            parameter.name: self.encoding.constant(parameter.type, step.arguments[parameter.name])
            for parameter in action.form.parameters
        }
        path = Path(dict(names), dict(pre.fields))
        assert path.cells is not None
        watched = _CheckedAction(self.encoding, action, path.cells, self._budget_fields())
        watched.run_statements(action.form.body, path)
        parts = list(self._argument_parts(action, names, pre)) + watched.parts
        for field in self.model.fields:
            if field.name in path.cells:
                pair = getattr(step.state_after, field.name), getattr(step.state_before, field.name)
                where = watched.written.get(field.name, action.form.where)
                says = f"that {field.name} is {pair[0]} after the step"
                parts.append(_Part(where, says, self.is_value(field.type, path.cells[field.name], *pair)))
        return parts, [assumption.as_assumption() for assumption in watched.assumptions]

    def _budget_fields(self) -> frozenset[str]:
        return frozenset(field.name for field in self.model.fields if field.budget is not None)

    def _argument_parts(self, action: Action, names: Mapping[str, Shape], pre: SymbolicState) -> Iterator[_Part]:
        for parameter in action.form.parameters:
            shape = names[parameter.name]
            yield _Part(
                parameter.where,
                f"that {parameter.name} is of its type",
                self.encoding.shape_for_cell(parameter.type, shape)[1],
            )
            if parameter.pool is not None:
                there = is_in_pool(self.encoding.algebra, pre.fields[parameter.pool], cast(Fields, shape), parameter)
                yield _Part(parameter.where, f"that {parameter.name} is in {parameter.pool}", there)


class _CheckedAction(StepExecution):
    """Runs an action, and notes statement by statement what has to be true for the step to be taken."""

    def __init__(self, encoding: Encoding, action: Action, cells: dict[str, Shape], budgets: frozenset[str]) -> None:
        super().__init__(encoding, {action.form.state: cells}, f"sim!{action.name}", budgets, counts=True)
        self.parts: list[_Part] = []
        self.written: dict[str, Where] = {}

    def _run_statement(self, statement: ir.Statement, path: Path) -> None:
        here, defined, stopped = path.here, len(path.definedness), path.stopped_by_require
        super()._run_statement(statement, path)
        right = conjunction(path.definedness[defined:])
        if right is not True:
            self.parts.append(_Part(statement.where, "that this breaks nothing", right))
        match statement:
            case ir.Require(text=text):
                self.parts.append(_Part(statement.where, text, implies(and_bits(here, negation(stopped)), path.here)))
            case ir.Limit(text=text):
                passes = implies(here, path.here)
                self.parts.append(_Part(statement.where, text, and_bits(passes, *self.limits)))
            case ir.Store() | ir.Append() | ir.Truncate() | ir.Add() | ir.Remove():
                self.written[statement.place.field] = statement.where
            case _:
                pass
