"""Actions as formulas: for each action and each choice of replicas and enum members, when it may happen and what the
state is then, cell by cell, as expressions over the state before. There are no frame axioms: a cell that is not
written is the very same shape."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, cast

from ...language import ir
from ...language.checks import members_of
from ...language.forms import Parameter
from ...language.immutable import immutable
from ...language.model import Action, Initial, Model
from ...language.switches import is_constant
from ...language.types import Enumeration, Identity, Int, Map, Option, Record, Subset, Type
from .adding_loops import StepExecution
from .algebra import Algebra, ExtensionalError
from .encoding import Encoding
from .errors import NotUnboundedError, endless_value_error
from .instances import InitialInstance, Instance
from .predicate import evaluate_predicate
from .shapes import Fields, Heap, Records, Shape
from .statements import Execution, Path
from .states import SymbolicState
from .symmetry import renaming_pattern
from .terms import Bit, and_bits, conjunction, implies, negation, or_bits

# --- arguments --------------------------------------------------------------------------------------------------------


@immutable
class _Argument:
    """One parameter's value: a shape, whether that is a value it ranges over, and the Python value if there is one."""

    shape: Shape
    valid: Bit = True
    concrete: Any = None
    is_concrete: bool = False


class _Arguments:
    """The arguments that parameters range over in a state. Free terms are shared between actions: only one happens."""

    def __init__(self, encoding: Encoding, pre: SymbolicState | None, suffix: str, ground: bool) -> None:
        self.encoding, self.pre, self.suffix, self.ground = encoding, pre, suffix, ground
        self.known: dict[tuple[Any, ...], list[_Argument]] = {}
        self.names: set[str] = set()

    def argument_choices(self, parameters: tuple[Parameter, ...]) -> Iterator[tuple[_Argument, ...]]:
        """Every choice of arguments."""
        ranges: list[list[_Argument]] = []
        used: dict[Any, int] = {}
        for parameter in parameters:
            kind = parameter.pool if parameter.pool is not None else parameter.type
            used[kind] = used.get(kind, 0) + 1
            ranges.append(self._possible_arguments(parameter, (kind, used[kind])))
        yield from itertools.product(*ranges)

    def _possible_arguments(self, parameter: Parameter, key: tuple[Any, ...]) -> list[_Argument]:
        if key not in self.known:
            name = self._unused_name(f"{self.suffix}!{parameter.pool or _type_label(parameter.type)}{key[1]}")
            self.known[key] = (
                self._arguments_of_type(parameter.type, name)
                if parameter.pool is None
                else self._arguments_of_pool(parameter, name)
            )
        return self.known[key]

    def _unused_name(self, wanted_name: str) -> str:
        """The name that is wanted, or one like it that no other type's argument has: terms of one name are one term."""
        while wanted_name in self.names:
            wanted_name += "'"
        self.names.add(wanted_name)
        return wanted_name

    def _arguments_of_type(self, type_: Type, name: str) -> list[_Argument]:
        if self.ground or _is_concrete(type_):
            values = members_of(type_, self.encoding.values)
            return [_Argument(self.encoding.constant(type_, value), True, value, True) for value in values]
        return [_Argument(*self.encoding.fresh_value(type_, name))]

    def _arguments_of_pool(self, parameter: Parameter, name: str) -> list[_Argument]:
        assert self.pre is not None and parameter.pool is not None
        pool = cast("Heap | Records", self.pre.fields[parameter.pool])
        if isinstance(pool, Records):
            record, valid = self.encoding.fresh_message(cast(Record, parameter.type), name)
            return [_Argument(record, and_bits(valid, is_in_pool(self.encoding.algebra, pool, record, parameter)))]
        algebra: Algebra = self.encoding.algebra
        if self.ground or len(pool.slots) < 2:
            slots = enumerate(pool.slots)
            return [
                _Argument(slot, there) for at, slot in slots if (there := algebra.is_below(at, pool.count)) is not False
            ]
        index, is_slot = self.encoding.numbers.fresh_number(f"{name}@", 0, len(pool.slots) - 1)
        there = and_bits(is_slot, self.encoding.numbers.is_less(index, pool.count))
        return [_Argument(algebra.select_part(pool.slots, 0, index), there)]


def is_in_pool(algebra: Algebra, pool: Shape, record: Fields, parameter: Parameter) -> Bit:
    """Whether a message is there. NotUnboundedError where a message has something in it that has no end."""
    try:
        return algebra.has_element(pool, record)
    except ExtensionalError:
        raise NotUnboundedError(parameter.where, *endless_message_text(f"{parameter.name} is")) from None


def endless_message_text(subject: str) -> tuple[str, str]:
    """What is wrong with a message that has no end, and what to write instead."""
    what = f"{subject} a message with something in it that has no end here"
    return what, "give what is in a message a capacity that is a number"


def _is_concrete(type_: Type) -> bool:
    """Whether instances are made for each value."""
    return isinstance(type_, Identity | Enumeration) or (isinstance(type_, Option) and _is_concrete(type_.of))


def _type_label(type_: Type) -> str:
    """What a type's terms are named after, without the constants in it: see `_Arguments._unused_name`."""
    match type_:
        case Int(lo=lo, hi=hi):
            return f"int{lo}_{hi}_"
        case Option(of=of):
            return f"option({_type_label(of)})"
        case Subset(of=of):
            return f"set({_type_label(of)})"
        case Map(key=key, value=value):
            return f"map({_type_label(key)},{_type_label(value)})"
        case Record(name=name) | Enumeration(name=name) | Identity(name=name):
            return name
        case _:
            return type(type_).__name__


# --- actions ----------------------------------------------------------------------------------------------------------


def symbolic_instances(
    model: Model,
    encoding: Encoding,
    pre: SymbolicState,
    suffix: str = "",
    only: str | None = None,
    *,
    ground: bool = False,
    symmetric: frozenset[str] = frozenset(),
) -> list[Instance]:
    """Every instance of every action that is not switched off (or of the action `only`), in one state; of those that
    differ by a renaming of the members of the `symmetric` domains, the first.

    Terms that are introduced are named after `suffix`. With `ground`, which needs the finite encoding, no argument is
    free. An instance that can neither happen nor break anything, whatever the state, is left out. NotUnboundedError
    when an action has no meaning in the encoding."""
    arguments = _Arguments(encoding, pre, suffix, ground)
    made: list[Instance] = []
    for action in model.actions:
        off = action.switched_off if encoding.is_finite else is_never_enabled(encoding, action)
        if off or only not in (None, action.name):
            continue
        met = set[Hashable]()
        for at, given in enumerate(arguments.argument_choices(action.form.parameters)):
            others = tuple(id(argument) for argument in given if not argument.is_concrete)  # `arguments` keeps them
            alike = renaming_pattern(_concrete_arguments(action.form.parameters, given), symmetric), others
            if alike in met:
                continue
            try:
                instance = _instance_of(model, encoding, action, given, pre, f"{suffix}!{action.name}{at}")
            except ExtensionalError:
                raise endless_value_error(action.form.where) from None
            if instance.may_happen or instance.definedness is not True:
                met.add(alike)
                made.append(instance)
    return made


def is_never_enabled(encoding: Encoding, action: Action) -> bool:
    """Whether a guard of an action is false whatever the state is, and whatever the constants without a bound are: then
    nothing of its text is evaluated."""
    return _is_guard_false(encoding, action.form.body)


def is_spent(encoding: Encoding, action: Action) -> bool:
    """Whether the action's budget is the constant 0: its guards are evaluated, and it never happens."""
    return action.budget is not None and encoding.is_zero(action.budget)


def _is_guard_false(encoding: Encoding, body: Iterable[ir.Statement]) -> bool:
    constants = Execution(encoding, {})
    for statement in body:
        match statement:
            case ir.Require(condition=condition) if is_constant(condition):
                if constants.truth_of(condition, {})[0] is False:
                    return True
            case ir.If(condition=condition, yes=yes, no=no) if is_constant(condition):
                chosen = constants.truth_of(condition, {})[0]
                if isinstance(chosen, bool) and _is_guard_false(encoding, yes if chosen else no):
                    return True
            case _:
                pass
    return False


def _instance_of(
    model: Model,
    encoding: Encoding,
    action: Action,
    parameter_arguments: tuple[_Argument, ...],
    pre: SymbolicState,
    suffix: str,
) -> Instance:
    names = {
        parameter.name: argument.shape
        for parameter, argument in zip(action.form.parameters, parameter_arguments, strict=True)
    }
    path = Path(dict(names), dict(pre.fields))
    assert path.cells is not None
    budgets = frozenset(field.name for field in model.fields if field.budget is not None and not encoding.is_finite)
    execution = StepExecution(encoding, {action.form.state: path.cells}, suffix, budgets, counts=True)
    execution.run_statements(action.form.body, path)
    if encoding.is_finite:
        _exclude_step(model, encoding, pre, path)
    return Instance(
        action=action,
        arguments=names,
        concrete=_concrete_arguments(action.form.parameters, parameter_arguments),
        valid=conjunction(argument.valid for argument in parameter_arguments),
        guard=negation(path.stopped_by_require),
        limit=negation(path.stopped_by_limit),
        definedness=conjunction(path.definedness),
        post=SymbolicState(path.cells),
        assumptions=tuple(execution.assumptions),
        bounds=tuple(execution.limits),
    )


def _exclude_step(model: Model, encoding: Encoding, pre: SymbolicState, path: Path) -> None:
    """What each `@bound` of steps says of the step: one that it excludes is not taken, as if a limit stopped it."""
    assert path.cells is not None
    for bound in model.step_bounds:
        assert bound.form is not None, "a bound reads no ghost"
        truth = evaluate_predicate(bound.form, encoding, pre, SymbolicState(path.cells))
        taken = negation(or_bits(path.stopped_by_require, path.stopped_by_limit))
        path.definedness.append(implies(taken, truth.definedness))
        path.stopped_by_limit = or_bits(path.stopped_by_limit, and_bits(taken, negation(truth.value)))


def _concrete_arguments(
    parameters: tuple[Parameter, ...], parameter_arguments: tuple[_Argument, ...]
) -> dict[str, Any]:
    return {
        one.name: argument.concrete
        for one, argument in zip(parameters, parameter_arguments, strict=True)
        if argument.is_concrete
    }


# --- initial states ---------------------------------------------------------------------------------------------------


def initial_instances(model: Model, encoding: Encoding, suffix: str = "") -> list[InitialInstance]:
    """Every initial function with its arguments; the free ones are terms named after `suffix`."""
    made: list[InitialInstance] = []
    for initial in model.initials:
        arguments = _Arguments(encoding, None, f"{suffix}!{initial.name}", False)
        for given in arguments.argument_choices(initial.form.parameters):
            start = _initial_instance(model, encoding, initial, given, f"{suffix}!{initial.name}{len(made)}")
            if start.guard is not False or start.definedness is not True:
                made.append(start)
    return made


def _initial_instance(
    model: Model, encoding: Encoding, initial: Initial, parameter_arguments: tuple[_Argument, ...], suffix: str
) -> InitialInstance:
    form = initial.form
    names = {
        parameter.name: argument.shape for parameter, argument in zip(form.parameters, parameter_arguments, strict=True)
    }
    path = Path(dict(names), None)
    execution = StepExecution(encoding, {}, suffix, counts=True)
    execution.run_statements(form.body, path)
    fields: dict[str, Shape] = {}
    for field, expression in zip(model.fields, form.result.fields, strict=True):
        if field.budget is None or encoding.is_finite:
            value, defined = execution.value_of(expression, path.names)
            path.need_defined(defined)
            fields[field.name], _ = encoding.shape_for_cell(field.type, value)
            path.need_defined(execution.is_of_type(field.type, expression, value))
    return InitialInstance(
        initial=initial,
        arguments=names,
        concrete=_concrete_arguments(form.parameters, parameter_arguments),
        valid=conjunction(argument.valid for argument in parameter_arguments),
        guard=and_bits(negation(path.stopped_by_require), negation(path.stopped_by_limit)),
        definedness=conjunction(path.definedness),
        state=SymbolicState(fields),
        assumptions=tuple(execution.assumptions),
        bounds=tuple(execution.limits),
    )
