"""Which properties a proof is about: what has no meaning without bounds is *not stated*, and what is true only because
the constants switch a feature off is *left out*. Both are decided before anything is proved, and from the text alone.
`fields_without_capacity` says of which fields a proof does not know that they have room.

A feature that is off leaves fields as they were in the initial state. These are found as the most fields that no step
changes where all of them have their initial values. A property that follows from those values, from no lemma, and not
without them, is about the feature.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from types import CodeType
from typing import TypeAlias, cast

import z3

from ...language import ir
from ...language.model import Action, Model, Property, Refinement
from ...language.proof import UnclaimedProperty, UnstatedProperty
from ...language.types import Map, Option, Pool, Record, Seq, Type
from ..traversal import fields_of_property
from .algebra import ExtensionalError
from .effort import CLOCK
from .encoding import Encoding, unbounded_encoding
from .errors import NotUnboundedError
from .predicate import clauses_of_predicate
from .process_pool import watch_deadline
from .shapes import Fields, Heap, Shape, Slots, SymbolicOption, Table
from .states import SymbolicState, fresh_state
from .terms import Bit, boolean_term, negation
from .transition import initial_instances, is_never_enabled, is_spent, symbolic_instances

WORK = 200_000
"""The solver's steps for one property."""

Verdict: TypeAlias = "UnstatedProperty | UnclaimedProperty"


class Claims:
    """The claims of one bound model whose bounds are open, its lemmas bound. Of each field in `changing` a run is known
    that changes it. No such field is among those that no step changes, so they need not be looked at. Of instances of
    actions that differ by a renaming in `symmetric` domains one is made."""

    def __init__(self, model: Model, changing: Collection[str] = (), symmetric: frozenset[str] = frozenset()) -> None:
        self.model, self.encoding, self.changing = model, unbounded_encoding(model), frozenset(changing)
        self.symmetric = symmetric
        self.before, self.after = (fresh_state(model, self.encoding, prefix) for prefix in "01")
        self._fixed: Mapping[str, Shape] | None = None

    def survey_unclaimed(self, names: Sequence[str]) -> Iterator[Verdict]:
        """Of some lemmas and properties those about which nothing is claimed. NotUnboundedError for a lemma or an
        action that has no meaning without bounds: the whole proof rests on both, so it ends before it begins."""
        self._state_actions()
        lemmas = {lemma.name for lemma in self.model.lemmas}
        goals = {goal.name: goal for goal in (*self.model.properties, *self.model.lemmas)}
        for goal in map(goals.__getitem__, names):
            if goal.refinement is not None and goal.form is None:
                place = goal.refinement.mapping.where
                yield UnstatedProperty(goal.name, _why_not_stated(goal.refinement), place.file, place.line)
                continue
            try:
                said = self._formulas_of(goal, {})
            except NotUnboundedError as error:
                if goal.name in lemmas:
                    raise
                yield UnstatedProperty(
                    goal.name, f"{error.message}; {error.remedy}", error.where.file, error.where.line
                )
                continue
            reason = "" if goal.name in lemmas else self._omission_reason(goal, said)
            if reason:
                yield UnclaimedProperty(goal.name, reason)

    def _state_actions(self) -> None:
        """Makes every action into formulas. NotUnboundedError for one of which that cannot be done."""
        for action in self.model.actions:
            try:
                symbolic_instances(self.model, self.encoding, self.before, "c", action.name, symmetric=self.symmetric)
            except NotUnboundedError as error:
                what = (
                    f"the action {action.name} cannot be stated without bounds, so nothing is proved: {error.message}"
                )
                raise NotUnboundedError(error.where, what, error.remedy) from None

    def _formulas_of(self, prop: Property, fixed_fields: Mapping[str, Shape]) -> list[z3.BoolRef]:
        states = [self.before, self.after] if prop.kind == "transition" else [self.before]
        given = [replace(state, fields={**state.fields, **fixed_fields}) for state in states]
        nested = prop not in self.model.lemmas
        said = clauses_of_predicate(cast(ir.Function, prop.form), self.encoding, *given, suffix="c", is_nested=nested)
        if prop.start is not None:
            said += clauses_of_predicate(prop.start, self.encoding, *given[:1], suffix="c", is_nested=nested)
        return [clause.goal() for clause in said]

    # --- what is left out ---------------------------------------------------------------------------------------------

    def _omission_reason(self, prop: Property, formulas: list[z3.BoolRef]) -> str:
        """Why a property says nothing with these constants; "" when it does."""
        if not formulas:
            return self._why_always_true(prop)
        fixed = {name: shape for name, shape in self.fixed_fields().items() if name in fields_of_property(prop)}
        if not fixed or not self._is_valid(self._formulas_of(prop, fixed)) or self._is_valid(formulas):
            return ""
        writers = [action for action in self.model.actions if action.form.writes & set(fixed)]
        off = [
            action.name
            for action in writers
            if is_never_enabled(self.encoding, action) or is_spent(self.encoding, action)
        ]
        return f"nothing changes {', '.join(fixed)}" + f" (switched off: {', '.join(off)})" * bool(off)

    def _why_always_true(self, prop: Property) -> str:
        """Of a property that is true whatever the state: the constants that make it so. A text that names none of them
        says only that the model keeps its types, which is proved."""
        read = _names_in_text(prop.run)
        named = [f"{name}={_value_text(self.model.values[name])}" for name in self.model.constants if name in read]
        return f"it is true of every state with {', '.join(named)}" if named else ""

    def _is_valid(self, goals: Sequence[z3.BoolRef]) -> bool:
        solver = z3.SimpleSolver()
        solver.set("rlimit", WORK)
        solver.add(boolean_term(self.before.valid), boolean_term(self.after.valid))
        solver.add(z3.Not(z3.And([z3.BoolVal(True), *goals])))
        with watch_deadline(CLOCK):
            return solver.check() == z3.unsat

    def fixed_fields(self) -> Mapping[str, Shape]:
        """The fields that no step changes where all of them have their initial values, with those values.

        What an action changes is dropped at once: it changes that also where less is known of the state before."""
        if self._fixed is None:
            fixed = self._first_values()
            changed = True
            while changed:
                changed = False
                for action in self.model.actions:
                    changed |= self._drop_changed(fixed, action)
            self._fixed = fixed
        return self._fixed

    def _first_values(self) -> dict[str, Shape]:
        """The fields that have the same value in every initial state."""
        first, *others = [start.state.fields for start in initial_instances(self.model, self.encoding, "c")] or [{}]
        return {
            name: shape
            for name, shape in first.items()
            if name not in self.changing
            and _is_endless(shape)
            and all(self._is_plainly_same(shape, values[name]) for values in others)
        }

    def _drop_changed(self, fixed_fields: dict[str, Shape], action: Action) -> bool:
        """Drops from `fixed_fields` the fields that an action changes where all of them have their initial values, and
        answers whether there are any."""
        if not action.form.writes & set(fixed_fields):
            return False
        pre = SymbolicState({**self.before.fields, **fixed_fields})
        taken = symbolic_instances(self.model, self.encoding, pre, "c", action.name)
        posts = [instance.post.fields for instance in taken if instance.may_happen]
        changed = [
            name
            for name, old in fixed_fields.items()
            if not all(self._is_plainly_same(old, values[name]) for values in posts)
        ]
        for name in changed:
            del fixed_fields[name]
        return bool(changed)

    def _is_plainly_same(self, one: Shape, other: Shape) -> bool:
        """Whether two values are plainly the same."""
        if one is other:
            return True
        try:
            same: Bit = self.encoding.algebra.are_same(one, other)
        except (ExtensionalError, NotImplementedError, TypeError, AttributeError):
            return False
        return negation(same) is False or z3.is_true(z3.simplify(boolean_term(same)))


def _why_not_stated(refinement: Refinement) -> str:
    """Why a refinement cannot be stated whose abstract model has the value of a constant that has none here."""
    name, names = refinement.abstract.name, ", ".join(sorted(refinement.needs))
    return f"{name} is bound to values of its constants, and a proof has none for {names}; check it within bounds"


def _is_endless(shape: Shape | None) -> bool:
    """Whether a shape is one that a state has here, where containers have no last slot."""
    match shape:
        case Slots() | Heap():
            return False
        case Fields(parts=parts):
            return all(map(_is_endless, parts.values()))
        case Table(parts=parts):
            return all(map(_is_endless, parts))
        case SymbolicOption(value=value):
            return _is_endless(value)
        case _:
            return True


def fields_without_capacity(model: Model, encoding: Encoding) -> tuple[str, ...]:
    """The fields with a set or a bag in them of which it is not known how many elements it may have: formulas let it
    have any number, so that none ever says that it is full."""
    return tuple(
        field.name for field in model.fields if any(_is_endless_pool(of, encoding) for of in _types_within(field.type))
    )


def _is_endless_pool(type_: Type, encoding: Encoding) -> bool:
    return isinstance(type_, Pool) and encoding.capacity(type_) == inf


def _types_within(type_: Type) -> Iterator[Type]:
    """A type, and those that its values are made of."""
    yield type_
    match type_:
        case Option(of=of) | Seq(of=of) | Pool(of=of) | Map(value=of):
            yield from _types_within(of)
        case Record(fields=fields):
            for _, of in fields:
                yield from _types_within(of)
        case _:
            pass


def _names_in_text(function: object) -> set[str]:
    """The names in a function's text."""
    code = getattr(function, "__code__", None)
    return {name for inner in _code_objects(code) for name in inner.co_names}


def _code_objects(code: object) -> Iterator[CodeType]:
    """A function's code, and that of the comprehensions inside."""
    if isinstance(code, CodeType):
        yield code
        for constant in code.co_consts:
            yield from _code_objects(constant)


def _value_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "value", value))
