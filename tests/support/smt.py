"""What the tests of Z3's meaning share: values of ground terms, and states that need not be reachable."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import z3
from tidegate.explorer.smt.encoding import Encoding
from tidegate.explorer.smt.predicate import evaluate_predicate
from tidegate.explorer.smt.states import SymbolicState, constant_state, state_value
from tidegate.explorer.smt.terms import Bit
from tidegate.explorer.smt.transition import symbolic_instances
from tidegate.language import types
from tidegate.language.checks import members_of
from tidegate.language.judge import attempt, holds, instances, state_shape
from tidegate.language.model import Model
from tidegate.language.records import make_record
from tidegate.language.values import Bag, Map, ModelError, Seq, Set, State


class Ground:
    """Gives terms without variables their values."""

    def eval(self, t: z3.ExprRef, model_completion: bool = False) -> Any:
        """The term's value."""
        return z3.simplify(t)


def truth(value: Bit) -> bool:
    """A truth value that has no variables."""
    return value if isinstance(value, bool) else z3.is_true(z3.simplify(value))


# --- what Z3 says, and what plain Python says -------------------------------------------------------------------------


def formula_report(model: Model, encoding: Encoding, state: State) -> Iterator[str]:
    """Every step from a state and every property in it, as the formulas have them."""
    before = constant_state(model, encoding, state)
    assert state_value(model, Ground(), before) == state
    for instance in symbolic_instances(model, encoding, before, ground=True):
        if truth(instance.valid):
            name = f"{instance.action.name} {instance.argument_values(Ground())}"
            if not truth(instance.definedness):
                yield f"{name} breaks"
            elif truth(instance.is_taken):
                yield f"{name} -> {state_value(model, Ground(), instance.post)}"
                yield from _properties(model, encoding, name, before, instance.post)
    yield from _properties(model, encoding, "", before)


def _properties(model: Model, encoding: Encoding, name: str, *states: SymbolicState) -> Iterator[str]:
    for prop in model.properties:
        if prop.form is not None and len(prop.form.states) == len(states):
            found = evaluate_predicate(prop.form, encoding, *states)
            yield f"{name} {prop.name} {truth(found.value) if truth(found.definedness) else 'breaks'}"


def judge_report(model: Model, state: State) -> Iterator[str]:
    """The same, as plain Python has it."""
    for action, arguments in instances(model, state):
        name = f"{action.name} {dict(arguments)}"
        try:
            after = attempt(model, state, action, arguments)
        except ModelError:
            yield f"{name} breaks"
            continue
        if isinstance(after, State):
            yield f"{name} -> {after}"
            yield from _judged_properties(model, name, state, after)
    yield from _judged_properties(model, "", state)


def _judged_properties(model: Model, name: str, *states: State) -> Iterator[str]:
    for prop in model.properties:
        if prop.form is not None and len(prop.form.states) == len(states):
            try:
                yield f"{name} {prop.name} {holds(model, prop, *states)}"
            except ModelError:
                yield f"{name} {prop.name} breaks"


def agree(model: Model, encoding: Encoding, state: State) -> None:
    """Every difference is an AssertionError that names it."""
    theirs, ours = set(judge_report(model, state)), set(formula_report(model, encoding, state))
    assert theirs == ours, f"in {state}\nonly Z3: {sorted(ours - theirs)}\nonly plain Python: {sorted(theirs - ours)}"


# --- any state --------------------------------------------------------------------------------------------------------


def any_state(model: Model, chosen: random.Random) -> State:
    """A state with random values in every field, reachable or not."""
    shape = state_shape(model)
    fields = {field.name: any_value(model, field.type, chosen) for field in model.fields}
    return shape.state(shape.checked_value(name, fields[name]) for name in shape.names)


def any_value(model: Model, type_: types.Type, chosen: random.Random) -> Any:
    """A random value of a type."""

    def some(of: types.Type, capacity: int) -> list[Any]:
        return [any_value(model, of, chosen) for _ in range(chosen.randint(0, capacity))]

    match type_:
        case types.Option(of=of):
            return None if chosen.random() < 0.3 else any_value(model, of, chosen)
        case types.Record(variants=variants) if variants:
            return any_value(model, chosen.choice(variants)[0], chosen)
        case types.Record(fields=fields):
            return make_record(type_, (any_value(model, of, chosen) for _, of in fields))
        case types.Map(key=key, value=value):
            return Map({member: any_value(model, value, chosen) for member in members_of(key, model.values)})
        case types.Seq(of=of, capacity=capacity, capacity_open=open_):
            return Seq(some(of, capacity if open_ is None else open_.value(model.values)))
        case types.Pool(of=of, capacity=capacity, multiple=multiple, capacity_open=open_):
            records = some(of, capacity if open_ is None else open_.value(model.values))
            return Bag(records) if multiple else Set(records)
        case types.Subset(of=of):
            return Set([member for member in members_of(of, model.values) if chosen.random() < 0.5])
        case _:
            return chosen.choice(members_of(type_, model.values))
