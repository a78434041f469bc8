"""The actions of an abstract model as pure functions: whether one of them leads from one value of its state to another.

A state of the abstract model is a record here, and an action a function of two of them and its parameters: its guards
answer no, its writes bind local names anew, and its answer is whether every field has come to what the second record
says. So whatever evaluates properties evaluates the steps of the abstract model too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, TypeAlias

from .. import ir
from ..forms import InitialForm, Parameter
from ..immutable import immutable
from ..model import Action, Model
from ..types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, scalar_size
from ..where import Where
from .intervals import UNBOUNDED_INT
from .traversal import WRITES, rebuild_form, traverse_forms

BEFORE, AFTER = "@before", "@after"
"""The parameters of an action's function that are states of the abstract model."""


@immutable
class UnsupportedError(Exception):
    """Something of an abstract model that cannot be asked of an image: where it stands, and what it is."""

    where: Where
    message: str


def truth(value: bool, where: Where) -> ir.Const:
    """A truth value."""
    return ir.Const(int(value), Bool(), where)


def conjunction(operands: Iterable[ir.Expr], where: Where) -> ir.Expr:
    """All of the operands; true of none."""
    found = tuple(operands)
    if not found:
        return truth(True, where)
    return found[0] if len(found) == 1 else ir.And(found, Bool(), where)


def disjunction(operands: Iterable[ir.Expr], where: Where) -> ir.Expr:
    """Any of the operands; false of none."""
    found = tuple(operands)
    if not found:
        return truth(False, where)
    return found[0] if len(found) == 1 else ir.Or(found, Bool(), where)


# --- values that are checked as a store checks them -----------------------------------------------------------------


def range_checked_value(value: ir.Expr, declared_type: Type) -> ir.Expr:
    """The value as one of a declared type: an error of the model where it lies outside. What asks stands nowhere in the
    author's text, so that plain Python asks it of the value alone."""
    given = value.where
    where = replace(given, end_line=given.line, end_column=given.column)
    name = ir.Name("@value", value.type, where)
    conditions = tuple(_is_of_declared_type(name, declared_type, 0))
    if not conditions and value.type == declared_type:
        return value
    asserts = tuple(ir.Assert(condition, "", where) for condition in conditions)
    form = ir.Function(
        "@kept", (("@value", value.type),), (), (*asserts, ir.Return(name, where)), declared_type, where
    )  # fmt: skip
    return ir.Call(form, (value,), declared_type, where)


def checked_state(value: ir.Expr, record: Record) -> ir.Expr:
    """A state of the abstract model that something else made, as one whose fields are of their types: an error of the
    model where one lies outside."""
    name = ir.Name("@whole", value.type, value.where)
    parts = (
        range_checked_value(ir.RecordField(name, field, _unbounded_type(of), value.where), of)
        for field, of in record.fields
    )
    made = ir.MakeRecord(tuple(parts), record, value.where)
    form = ir.Function("@whole", (("@whole", value.type),), (), (ir.Return(made, value.where),), record, value.where)
    return ir.Call(form, (value,), record, value.where)


def _is_of_declared_type(value: ir.Expr, declared_type: Type, depth: int) -> Iterable[ir.Expr]:
    """What must be true for a value to be one of a declared type, of the same shape."""
    where = value.where
    match declared_type:
        case Int():
            yield from range_conditions(value, declared_type)
        case Option(of=of):
            found = value.type.of if isinstance(value.type, Option) else value.type
            inner = tuple(_is_of_declared_type(ir.Unwrap(value, found, where), of, depth))
            if inner:
                yield disjunction((ir.IsNone(value, Bool(), where), conjunction(inner, where)), where)
        case Record(fields=fields):
            for name, of in fields:
                yield from _is_of_declared_type(ir.RecordField(value, name, _unbounded_type(of), where), of, depth)
        case Map(key=key, value=of):
            found = value.type.value if isinstance(value.type, Map) else of
            member = ir.Name(f"@key{depth}", key, where)
            yield from _is_true_of_elements(
                ir.Index(value, member, found, where), of, member, ir.Members(key, where), depth
            )
        case Pool(capacity=capacity):
            if isinstance(value.type, Pool) and value.type.capacity > capacity:
                length = ir.Length(value, Int(0, value.type.capacity), where)
                yield ir.Compare("<=", length, _number(capacity, where), Bool(), where)
        case Seq(of=of, capacity=capacity):
            if isinstance(value.type, Seq) and value.type.capacity > capacity:
                length = ir.Length(value, Int(0, value.type.capacity), where)
                yield ir.Compare("<=", length, _number(capacity, where), Bool(), where)
            found = value.type.of if isinstance(value.type, Seq) else of
            element = ir.Name(f"@element{depth}", found, where)
            yield from _is_true_of_elements(element, of, element, ir.Elements(value, where), depth)
        case _:
            pass


def _is_true_of_elements(
    value: ir.Expr, of: Type, variable: ir.Name, source: ir.Source, depth: int
) -> Iterable[ir.Expr]:
    conditions = tuple(_is_of_declared_type(value, of, depth + 1))
    if conditions:
        generator = ir.Generator(variable.name, variable.type, source, ())
        body = conjunction(conditions, value.where)
        yield ir.Quantified("all", (generator,), body, None, Bool(), value.where)


def range_conditions(value: ir.Expr, declared_type: Int) -> Iterable[ir.Expr]:
    """What must be true for an integer to lie in a range; nothing where its interval says so."""
    where = value.where
    known = value.type if isinstance(value.type, Int) else UNBOUNDED_INT
    if known.lo < declared_type.lo:
        yield ir.Compare(">=", value, _number(declared_type.lo, where), Bool(), where)
    if known.hi > declared_type.hi:
        yield ir.Compare("<=", value, _number(declared_type.hi, where), Bool(), where)


def _unbounded_type(type_: Type) -> Type:
    """The type of a part of a record: its integers are not checked when the record is made."""
    match type_:
        case Int():
            return UNBOUNDED_INT
        case Option(of=of) | Seq(of=of):
            return replace(type_, of=_unbounded_type(of))
        case Map(key=key, value=value):
            return Map(key, _unbounded_type(value))
        case _:
            return type_


def _number(value: int, where: Where) -> ir.Const:
    return ir.Const(value, Int(value, value), where)


# --- the abstract state ---------------------------------------------------------------------------------------------


def image_type(abstract: Model, cls: type[Any], own: Mapping[str, Type] | None = None) -> Record:
    """The state of an abstract model as a record. Where that is the model itself with other constants, `own` are its
    own fields: what a field without room for anything would hold is what it holds here."""
    fields = ((field.name, _roomless_type(field.type, (own or {}).get(field.name))) for field in abstract.fields)
    return Record(cls.__name__, tuple(fields), cls)


def _roomless_type(type_: Type, own: Type | None) -> Type:
    """A type of messages of which there is none, as one of the messages that another type has."""
    match type_, own:
        case Pool(capacity=0), Pool(of=of):
            return replace(type_, of=of)
        case Map(value=value), Map(value=other):
            return replace(type_, value=_roomless_type(value, other))
        case _:
            return type_


def step_predicates(abstract: Model, record: Record, before: ir.Expr, after: ir.Expr) -> dict[str, ir.Expr]:
    """For each action of the abstract model, in the order of its text, whether it leads from one image to the other,
    with any of its arguments."""
    bounds = tuple(bound.form for bound in abstract.step_bounds if bound.form is not None)
    made = _ActionFunctions(record, bounds)
    active = (action for action in abstract.actions if not action.switched_off)
    return {
        action.name: _is_true_of_some_arguments(made.step_relation(action), action.form.parameters, (before, after))
        for action in active
    }


def initial_predicates(abstract: Model, record: Record, image: ir.Expr) -> Iterator[ir.Expr]:
    """For each initial function of the abstract model whether it makes this image, with any of its arguments."""
    made = _ActionFunctions(record, ())
    for initial in abstract.initials:
        yield _is_true_of_some_arguments(made.initial_relation(initial.form), initial.form.parameters, (image,))


def predicate_of_image(form: ir.Function, record: Record, image: ir.Let, state: str) -> ir.Function:
    """A predicate over a state of the abstract model, as one over the state whose image `image` binds."""
    where = form.where
    function, cells = _ActionFunctions(record, ()).helper_over_fields(form)
    whole, fields = ir.Name(image.name, record, where), dict(record.fields)
    names = [cell.partition(".")[2] for cell in cells]
    read = (ir.RecordField(whole, name, fields[name], where) for name in names)
    given = (ir.Name(name, type_, where) for name, type_ in form.parameters)
    call = ir.Call(function, (*read, *given), Bool(), where)
    return ir.Function(form.name, form.parameters, (state,), (image, ir.Return(call, where)), Bool(), where)


# --- any arguments --------------------------------------------------------------------------------------------------

Listing: TypeAlias = tuple[tuple[ir.Generator, ...], ir.Expr]
"""Values of a type: what a value is made of, and the generators of its parts."""
LISTINGS_MAX = 64
"""Ways to make a value that are tried one after another; each has its own generators."""


def _is_true_of_some_arguments(
    form: ir.Function, parameters: tuple[Parameter, ...], first_arguments: tuple[ir.Expr, ...]
) -> ir.Expr:
    """Whether a function is true of what is given and of any values of its other parameters."""
    where = form.where
    listed = [
        _listings(parameter.type, parameter.name, parameter)
        if parameter.pool is None
        else [_messages_of_image(parameter, first_arguments[0])]
        for parameter in parameters
    ]
    ways = list(_combined_listings(listed, parameters[0] if parameters else None))
    return disjunction(
        (_any_quantifier(ir.Call(form, (*first_arguments, *values), Bool(), where), every) for every, values in ways),
        where,
    )


def _messages_of_image(parameter: Parameter, image: ir.Expr) -> Listing:
    """The messages of an image that a parameter ranges over."""
    assert isinstance(image.type, Record) and parameter.pool is not None
    where, of = parameter.where, dict(image.type.fields)[parameter.pool]
    source = ir.Elements(ir.RecordField(image, parameter.pool, of, where), where)
    return (ir.Generator(parameter.name, parameter.type, source, ()),), ir.Name(parameter.name, parameter.type, where)


def _any_quantifier(call: ir.Expr, generators: tuple[ir.Generator, ...]) -> ir.Expr:
    return ir.Quantified("any", generators, call, None, Bool(), call.where) if generators else call


def _combined_listings(
    parts: Sequence[Sequence[Listing]], parameter: Parameter | None
) -> Iterator[tuple[tuple[ir.Generator, ...], tuple[ir.Expr, ...]]]:
    """One listing of each part, in every combination. Raises UnsupportedError where they are too many."""
    if parameter is not None and prod(map(len, parts)) > LISTINGS_MAX:
        message = f"{parameter.name} can be made in more than {LISTINGS_MAX} ways, too many to try an image's step with"
        raise UnsupportedError(parameter.where, message)
    for chosen in itertools.product(*parts):
        yield (
            tuple(generator for generators, _ in chosen for generator in generators),
            tuple(value for _, value in chosen),
        )


def _listings(type_: Type, name: str, parameter: Parameter) -> list[Listing]:
    """Every value of a parameter's type, as generators visit them: None beside the values of an option, a map from
    its values. Raises UnsupportedError for others. `name` is that of a generator's variable."""
    where = parameter.where
    match type_:
        case Int() | Bool() | Enumeration() | Identity() | Subset(of=Int() | Bool() | Enumeration() | Identity()):
            return [((ir.Generator(name, type_, ir.Members(type_, where), ()),), ir.Name(name, type_, where))]
        case Option(of=of):
            some = ((every, ir.Some(value, type_, where)) for every, value in _listings(of, name, parameter))
            return [((), ir.Const(0, type_, where)), *some]
        case Map(key=Int() | Bool() | Enumeration() | Identity() as key, value=of):
            numbers = range(key.lo, key.hi + 1) if isinstance(key, Int) else range(scalar_size(key))
            parts = [_listings(of, f"{name}.{number}", parameter) for number in numbers]
            made = _combined_listings(parts, parameter)
            return [
                (every, _map_of(type_, dict(zip(numbers, values, strict=True)), name, where)) for every, values in made
            ]
        case _:
            message = f"{parameter.name} ranges over values that an image's step is not tried with"
            raise UnsupportedError(where, message)


def _map_of(type_: Map, values: Mapping[int, ir.Expr], name: str, where: Where) -> ir.Expr:
    """A map with these values at the keys of these numbers."""
    key = ir.Name(f"{name}@key", type_.key, where)
    *_, value = values.values()
    for number, earlier in list(values.items())[-2::-1]:
        here = ir.Compare("==", key, ir.Const(number, _type_of_single(type_.key, number), where), Bool(), where)
        value = ir.Choice(here, earlier, value, type_.value, where)
    return ir.MakeMap(key.name, value, type_, where)


def _type_of_single(type_: Type, number: int) -> Type:
    return Int(number, number) if isinstance(type_, Int) else type_


# --- one action -----------------------------------------------------------------------------------------------------


class _ActionFunctions:
    """Makes the functions of one abstract model's actions; a helper is made once."""

    def __init__(self, record: Record, bounds: tuple[ir.Function, ...]) -> None:
        self.record, self.bounds = record, bounds
        self.fields = dict(record.fields)
        self.helpers: dict[int, tuple[ir.Function, ir.Function, tuple[str, ...]]] = {}
        self.count = 0

    def step_relation(self, action: Action) -> ir.Function:
        """Whether one action with its arguments leads from one state to another."""
        form, where = action.form, action.form.where
        before, after = (ir.Name(record, self.record, where) for record in (BEFORE, AFTER))
        begin = tuple(
            ir.Let(_local_name_of_field(form.state, name), ir.RecordField(before, name, of, where), where)
            for name, of in self.record.fields
        )
        ends = ((name, ir.RecordField(after, name, of, where)) for name, of in self.record.fields)
        arrived = [ir.Compare("==", self.read_field(form.state, name, where), end, Bool(), where) for name, end in ends]
        within = (_return_false_unless(self.is_within_bound(bound, form.state, before)) for bound in self.bounds)
        body = (
            *begin,
            *self.block_as_function(form.body, form.state),
            *within,
            ir.Return(conjunction(arrived, where), where),
        )
        parameters = (
            (BEFORE, self.record),
            (AFTER, self.record),
            *((parameter.name, parameter.type) for parameter in form.parameters),
        )
        return ir.Function(action.name, parameters, (), body, Bool(), where)

    def initial_relation(self, form: InitialForm) -> ir.Function:
        """Whether an initial function with its arguments makes a state."""
        where, image = form.where, ir.Name(AFTER, self.record, form.where)
        fields = zip(self.record.fields, form.result.fields, strict=True)
        same = [
            ir.Compare(
                "==",
                range_checked_value(self.part_over_names(value), of),
                ir.RecordField(image, name, of, where),
                Bool(),
                where,
            )
            for (name, of), value in fields
        ]
        body = (*self.block_as_function(form.body, ""), ir.Return(conjunction(same, where), where))
        parameters = ((AFTER, self.record), *((parameter.name, parameter.type) for parameter in form.parameters))
        return ir.Function(form.name, parameters, (), body, Bool(), where)

    def is_within_bound(self, form: ir.Function, state: str, previous_state: ir.Expr) -> ir.Expr:
        """Whether a `@bound` of steps lets the step be taken, all of whose writes are made."""
        first, where = form.states[0], form.where
        function, cells = self.helper_over_fields(form)
        given = (
            ir.RecordField(previous_state, name, self.fields[name], where)
            if its == first
            else self.read_field(state, name, where)
            for its, _, name in (cell.partition(".") for cell in cells)
        )
        return ir.Call(function, tuple(given), Bool(), where)

    def read_field(self, state: str, field: str, where: Where) -> ir.Name:
        """What a field holds now."""
        return ir.Name(_local_name_of_field(state, field), self.fields[field], where)

    def fresh_name(self, name: str) -> str:
        """A name that no author can write and nothing else here has."""
        self.count += 1
        return f"@{name}{self.count}"

    # --- expressions --------------------------------------------------------------------------------------------------

    def part_over_names(self, form: Any) -> Any:
        """An expression, or a source, generator or place, over names in place of fields of the state."""
        made = rebuild_form(form, self.part_over_names)
        if isinstance(made, ir.StateField):
            return self.read_field(made.state, made.field, made.where)
        if isinstance(made, ir.Call):
            function, cells = self.helper_over_fields(made.function)
            names = (ir.Name(cell, self.fields[cell.partition(".")[2]], made.where) for cell in cells)
            return ir.Call(function, (*names, *made.arguments), made.type, made.where)
        return made

    def helper_over_fields(self, function: ir.Function) -> tuple[ir.Function, tuple[str, ...]]:
        """A helper that takes the fields which it reads, and the names of these."""
        known = self.helpers.get(id(function))
        if known is None:
            read = {
                (reading.state, reading.field)
                for reading in traverse_forms(*function.body)
                if isinstance(reading, ir.StateField)
            }
            cells = tuple(sorted(_local_name_of_field(*place) for place in read))
            fields = tuple((cell, self.fields[cell.partition(".")[2]]) for cell in cells)
            body = self.block_as_function(function.body, "")
            made = replace(function, parameters=(*fields, *function.parameters), states=(), body=body)
            known = self.helpers[id(function)] = (function, made, cells)
        return known[1], known[2]

    # --- statements ---------------------------------------------------------------------------------------------------

    def block_as_function(self, body: Iterable[ir.Statement], state: str) -> tuple[ir.Statement, ...]:
        """Statements as those of a pure function."""
        return tuple(made for statement in body for made in self.statement_as_function(statement, state))

    def statement_as_function(self, form: ir.Statement, state: str) -> tuple[ir.Statement, ...]:
        """One statement: a guard that is false answers no, a write binds a field's name anew."""
        where = form.where
        match form:
            case ir.Require(condition=condition) | ir.Limit(condition=condition):
                return (_return_false_unless(self.part_over_names(condition)),)
            case ir.If(yes=yes, no=no):
                return (
                    ir.If(
                        self.part_over_names(form.condition),
                        self.block_as_function(yes, state),
                        self.block_as_function(no, state),
                        where,
                    ),
                )
            case ir.For(body=body):
                return (
                    replace(form, source=self.part_over_names(form.source), body=self.block_as_function(body, state)),
                )
            case _ if isinstance(form, WRITES):
                return self.write_as_bindings(form, state)
            case _:
                return (rebuild_form(form, self.part_over_names),)

    def write_as_bindings(self, form: Any, state: str) -> tuple[ir.Statement, ...]:
        """A write: what it is made of is named first, in the order in which a write evaluates it."""
        made: list[ir.Statement] = []

        def bind_value(name: str, value: ir.Expr) -> ir.Expr:
            value = self.part_over_names(value)
            let = ir.Let(self.fresh_name(name), value, value.where)
            made.append(let)
            return ir.Name(let.name, value.type, value.where)

        match form:
            case ir.Truncate(length=given) | ir.Store(value=given) | ir.Append(value=given):
                value = bind_value("value", given)
            case ir.Add(value=given) | ir.Remove(value=given):
                value = bind_value("value", given)
            case _:
                raise TypeError(f"{form} writes nothing")
        place: ir.Place = form.place
        indexes = tuple(bind_value("index", index) for index in place.indexes)
        old = self.read_field(state, place.field, place.where)
        new = self.change_cell(old, indexes, lambda cell: self.write_cell(form, cell, value, made), made)
        return (*made, ir.Let(old.name, new, form.where))

    def change_cell(
        self,
        old: ir.Expr,
        indexes: tuple[ir.Expr, ...],
        change: Callable[[ir.Expr], ir.Expr],
        checks: list[ir.Statement],
    ) -> ir.Expr:
        """A value with one cell in it changed."""
        if not indexes:
            return change(old)
        index, where = indexes[0], indexes[0].where
        if isinstance(old.type, Seq):
            return self.changed_element(old, old.type, indexes, change, checks)
        assert isinstance(old.type, Map), "only maps and sequences have cells"
        key, of = old.type.key, old.type.value
        if isinstance(key, Int):
            checks += [ir.Assert(condition, "", where) for condition in range_conditions(index, key)]
        variable = self.fresh_name("key")
        here = ir.Name(variable, key, where)
        inner = self.change_cell(ir.Index(old, index, of, where), indexes[1:], change, checks)
        same = ir.Compare("==", here, index, Bool(), where)
        value = ir.Choice(same, inner, ir.Index(old, here, of, where), of, where)
        return ir.MakeMap(variable, value, old.type, where)

    def changed_element(
        self,
        old: ir.Expr,
        type_: Seq,
        indexes: tuple[ir.Expr, ...],
        change: Callable[[ir.Expr], ir.Expr],
        checks: list[ir.Statement],
    ) -> ir.Expr:
        """A sequence with one element changed: what is before it, the element, and what is after it."""
        index, where = indexes[0], indexes[0].where
        assert isinstance(index.type, Int), "the front end takes integers as offsets"
        length = ir.Length(old, Int(0, type_.capacity), where)
        checks += [
            ir.Assert(ir.Compare(">=", index, _number(0, where), Bool(), where), "", where),
            ir.Assert(ir.Compare("<", index, length, Bool(), where), "", where),
        ]
        element = self.change_cell(ir.Index(old, index, type_.of, where), indexes[1:], change, checks)
        after = ir.Arithmetic("+", index, _number(1, where), Int(index.type.lo + 1, index.type.hi + 1), where)
        begin = ir.Concat(
            ir.Slice(old, None, index, type_, where),
            ir.MakeSeq((element,), Seq(type_.of, 1), where),
            Seq(type_.of, type_.capacity + 1),
            where,
        )
        rest = ir.Slice(old, after, None, type_, where)
        return range_checked_value(ir.Concat(begin, rest, Seq(type_.of, 2 * type_.capacity + 1), where), type_)

    def write_cell(self, form: Any, old: ir.Expr, value: ir.Expr, checks: list[ir.Statement]) -> ir.Expr:
        """What a write makes of the cell that it writes to."""
        where, type_ = form.where, old.type
        match form, type_:
            case ir.Store(), _:
                return range_checked_value(value, type_)
            case ir.Append(), Seq(of=of):
                one = ir.MakeSeq((range_checked_value(value, of),), Seq(of, 1), where)
                return range_checked_value(ir.Concat(old, one, Seq(of, type_.capacity + 1), where), type_)
            case ir.Truncate(), Seq():
                length = ir.Length(old, Int(0, type_.capacity), where)
                checks += [
                    ir.Assert(ir.Compare(">=", value, _number(0, where), Bool(), where), "", where),
                    ir.Assert(ir.Compare("<=", value, length, Bool(), where), "", where),
                ]
                return ir.Slice(old, None, value, type_, where)
            case ir.Add(), Subset():
                return ir.SetOperation("|", old, ir.MakeSubset((value,), type_, where), type_, where)
            case ir.Add(), Pool(of=of, capacity=capacity, multiple=multiple):
                one = ir.MakePool((range_checked_value(value, of),), Pool(of, 1, multiple), where)
                return range_checked_value(
                    ir.SetOperation("|", old, one, Pool(of, capacity + 1, multiple), where), type_
                )
            case ir.Remove(strict=strict), Pool(of=of, multiple=multiple):
                if strict:
                    checks.append(ir.Assert(ir.Contains(value, old, Bool(), where), "", where))
                return ir.SetOperation("-", old, ir.MakePool((value,), Pool(of, 1, multiple), where), type_, where)
            case ir.Remove(strict=strict), Subset():
                if strict:
                    checks.append(ir.Assert(ir.Contains(value, old, Bool(), where), "", where))
                return ir.SetOperation("-", old, ir.MakeSubset((value,), type_, where), type_, where)
            case _:
                raise UnsupportedError(where, "this write has no meaning on an image")


def _return_false_unless(condition: ir.Expr) -> ir.Statement:
    """The answer is no where a condition is false."""
    where = condition.where
    return ir.If(ir.Not(condition, Bool(), where), (ir.Return(truth(False, where), where),), (), where)


def _local_name_of_field(state: str, field: str) -> str:
    """The local name that stands for a field of a state."""
    return f"{state}.{field}"
