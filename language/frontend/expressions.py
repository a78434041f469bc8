"""Expressions: names, fields, indexes. Operators, calls and comprehensions have files of their own."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from enum import Enum
from typing import Any, Literal, cast

from .. import ir
from .. import values as containers
from ..constants import Constant, ConstantExpression, Operation
from ..constants import Literal as Number
from ..errors import AbandonedError, suggest_name
from ..kinds import Domain, range_of
from ..records import is_tuple, unbox_type
from ..types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit
from .intervals import EXPONENTS, fits_64_bits, is_inside, result_interval
from .matching import fit_to_type, unwrap_option
from .scope import MISSING, Binding, Scope, elaborate_expression, handles_expressions, undefined_name_advice
from .tables import elaborate_table, is_table
from .type_text import describe
from .unions import tuple_part, union_part

ArithmeticOp = Literal["+", "-", "*", "//", "%", "**", "min", "max"]

BOOL = Bool()


def fit_expression(scope: Scope, node: ast.expr, wanted_type: Type) -> ir.Expr:
    """The typed form of `node`, as a value of `wanted_type`."""
    return fit_to_type(scope, elaborate_expression(scope, node, unbox_type(wanted_type)), wanted_type, node)


def elaborate_condition(scope: Scope, node: ast.expr) -> ir.Expr:
    """The typed form of `node` where a truth value is needed. TG204 for all but bools: nothing is 'truthy'."""
    value = elaborate_expression(scope, node, BOOL)
    if isinstance(value.type, Bool):
        return value
    raise scope.noted_error(
        "TG204", node, f"this is {describe(value.type)}, not a bool", _condition_hint(node, value.type, scope)
    )


def _condition_hint(node: ast.expr, type_: Type, scope: Scope) -> str:
    text = scope.source.text_of(node)
    if isinstance(node, ast.Constant):
        return f"a comparison; `x == 1 or x == {text}` where `x == 1 or {text}` was meant, or `x in (1, {text})`"
    match type_:
        case Option(of=Bool()):
            return f"{text} is True, or {text} is not True: None is neither true nor false"
        case Option():
            return f"{text} is not None"
        case Int():
            return f"{text} != 0"
        case Seq() | Subset() | Pool():
            return f"len({text}) > 0"
        case _:
            return "a comparison"


def elaborate_integer(scope: Scope, node: ast.expr) -> ir.Expr:
    """The typed form of `node` where an integer is needed. TG205 for anything else."""
    value = unwrap_option(elaborate_expression(scope, node))
    if isinstance(value.type, Int):
        return value
    raise scope.noted_error("TG205", node, f"this is {describe(value.type)}, not an integer", integer_hint(value.type))


def _type_hint(python_type: type[Any]) -> str:
    if python_type is containers.Set:
        return "for x in s.field for the members of a set, or subsets(Node) for every set of a domain"
    return f"a value of it, or `for x in {python_type.__name__}`"


def integer_hint(type_: Type) -> str:
    """What to write in place of a value that is not an integer."""
    match type_:
        case Bool():
            return "1 if condition else 0"
        case Identity(name=name, is_ordered=False):
            return (
                f"names such as {name} are compared with == only; keep a number in a field of its own, "
                f"count with range(n), or use position(x) where {name} is ordered"
            )
        case Identity(name=name):
            return f"next(x) and previous(x) around the ring, {name}((position(x) + k) % len({name})), position(x) - 1"
        case Enumeration(name=name):
            return f"members of {name} are compared with == only"
        case Seq() | Subset() | Pool():
            return "its length: len(...)"
        case _:
            return "a bounded integer"


def int_type(value: ir.Expr) -> Int:
    """The interval of an integer expression."""
    return cast(Int, value.type)


def make_arithmetic(scope: Scope, op: ArithmeticOp, left: ir.Expr, right: ir.Expr, node: ast.AST) -> ir.Expr:
    """`left op right` with its interval. TG410 when the interval leaves 62 bits, TG112 of an exponent that is none of
    `EXPONENTS`."""
    if op == "**" and not is_inside(int_type(right), EXPONENTS):
        where = node.right if isinstance(node, ast.BinOp) else node
        message = f"the exponent may be anything from {int_type(right).lo} to {int_type(right).hi}"
        raise scope.noted_error("TG112", where, message, f"an exponent from 0 to {EXPONENTS.hi}, such as max(0, n)")
    interval = result_interval(op, int_type(left), int_type(right))
    if not fits_64_bits(interval):
        message = f"the result may be anything from {interval.lo} to {interval.hi}"
        raise scope.noted_error("TG410", node, message, "smaller ranges, or a min(...) around the operands")
    return ir.Arithmetic(op, left, right, interval, scope.place_of(node))


# --- names and constants ---------------------------------------------------------------------------------------------


@handles_expressions(ast.Constant)
def elaborate_literal(scope: Scope, node: ast.Constant, expected_type: Type | None) -> ir.Expr:
    """`3`, `True`, `None`."""
    value: object = node.value
    if value is None:
        type_ = expected_type if isinstance(expected_type, Option) else Unit()
        return ir.Const(0, type_, scope.place_of(node))
    if isinstance(value, bool):
        return ir.Const(int(value), BOOL, scope.place_of(node))
    if isinstance(value, int):
        return number_constant(scope, value, node)
    if isinstance(value, float):
        raise scope.noted_error(
            "TG105", node, f"{value} is not an integer", "an integer in a smaller unit, such as milliseconds"
        )
    if isinstance(value, str):
        raise scope.noted_error(
            "TG110", node, "text is not a value of the language", "a member of an Enum or of a Domain"
        )
    raise scope.noted_error(
        "TG113", node, f"{ast.unparse(node)} is not in the language", "an integer, True, False or None"
    )


def number_constant(scope: Scope, value: int, node: ast.AST) -> ir.Expr:
    """An integer constant."""
    interval = Int(value, value)
    if not fits_64_bits(interval):
        raise scope.noted_error("TG410", node, f"{value} needs more than 62 bits", "a smaller number")
    return ir.Const(value, interval, scope.place_of(node))


@handles_expressions(ast.NamedExpr)
def elaborate_walrus(scope: Scope, node: ast.NamedExpr, expected_type: Type | None) -> ir.Expr:
    """`name := value`: expressions have no effect."""
    scope.poison_name(node.target.id)
    raise scope.noted_error("TG113", node, "an assignment inside an expression", "name = value, before this statement")


@handles_expressions(ast.JoinedStr)
def text_form(scope: Scope, node: ast.JoinedStr, expected_type: Type | None) -> ir.Expr:
    """Text with fields: never a value."""
    raise scope.noted_error("TG110", node, "text is not a value of the language", "a member of an Enum or of a Domain")


@handles_expressions(ast.Name)
def elaborate_name(scope: Scope, node: ast.Name, expected_type: Type | None) -> ir.Expr:
    """A local name, a parameter, or something of the module that has a value."""
    binding = scope.names.get(node.id)
    if binding is not None:
        return _elaborate_local(scope, binding, node)
    if node.id in scope.states:
        hint = f"a field of it: {node.id}.field"
        if scope.program.own_image is not None:
            hint = f"replace({node.id}), which is this state as one of the model with other constants; or {hint}"
        raise scope.noted_error("TG203", node, "the state as a whole is not a value", hint)
    found = scope.module_value(node)
    if found is not MISSING:
        return static_value(scope, found, node, expected_type)
    if node.id in scope.assigned:
        message = f"{node.id} is given a value only on some ways to here, or only inside a loop"
        raise scope.noted_error("TG212", node, message, f"give {node.id} a value before, on every way")
    known = [*scope.names, *scope.states, *(word for word in scope.namespace if not word.startswith("_"))]
    raise scope.noted_error("TG201", node, f"nothing here is called {node.id}", undefined_name_advice(node.id, known))


def _elaborate_local(scope: Scope, binding: Binding, node: ast.Name) -> ir.Expr:
    if binding.type is None:
        raise AbandonedError  # what it was bound to is wrong, and noted there
    if binding.piece is not None:
        scope.program.pieces.add(scope.place_of(node))
        return binding.piece.read
    if binding.value is not None:
        return replace(cast(Any, binding.value), where=scope.place_of(node))
    return ir.Name(binding.name, binding.type, scope.place_of(node))


def static_value(scope: Scope, python_value: Any, node: ast.AST, expected_type: Type | None = None) -> ir.Expr:
    """The typed form of a module-level value: a constant, a number, an enum member, a member of a domain, a table."""
    if isinstance(python_value, Constant):
        return _elaborate_constant(scope, python_value, node)
    if isinstance(python_value, ConstantExpression):
        return constant_expression(scope, python_value, node)
    if isinstance(python_value, bool):
        return ir.Const(int(python_value), BOOL, scope.place_of(node))
    if isinstance(python_value, int):
        return number_constant(scope, python_value, node)
    if isinstance(python_value, Enum):
        return _enum_member(scope, python_value, node)
    if isinstance(python_value, Domain):
        return _domain_member(scope, type(python_value), python_value.index, node)
    if python_value is None:
        return ir.Const(0, Unit(), scope.place_of(node))
    if is_table(python_value):
        return elaborate_table(scope, python_value, node, static_value, expected_type)
    if isinstance(python_value, type):
        message = f"{python_value.__name__} is a type, not a value"
        raise scope.noted_error("TG221", node, message, _type_hint(python_value))
    if range_of(python_value) is not None:
        name = ast.unparse(node)
        raise scope.noted_error(
            "TG221", node, f"{name} is a type, not a value", f"for i in {name}, len({name}), Set({name})"
        )
    if inspect.isroutine(python_value):
        raise scope.noted_error("TG113", node, "a function is not a value of the language", "a call of it")
    raise scope.noted_error(
        "TG203",
        node,
        f"a {type(python_value).__name__} is not a value of the language",
        "a constant, an enum member, or an integer",
    )


def _elaborate_constant(scope: Scope, constant: Constant, node: ast.AST) -> ir.Expr:
    """A declared constant: folded to its value, or left open."""
    value = scope.program.types.constant_value(constant)
    assert value is not None, "what a model's text names was collected with it"
    if not scope.program.is_open(constant):
        return static_value(scope, value, node)
    if isinstance(value, bool):
        type_: Type = BOOL
    elif isinstance(value, int):
        type_ = scope.program.types.type_of_expression(constant)
    else:
        type_ = cast(Type, scope.program.types.type_of_class(type(value)))
    return ir.OpenConst(constant.name, type_, scope.place_of(node))


def constant_expression(scope: Scope, constant: ConstantExpression, node: ast.AST) -> ir.Expr:
    """Arithmetic over constants that was written at module level, or in a domain's size."""
    match constant:
        case Constant():
            return _elaborate_constant(scope, constant, node)
        case Number(number=value):
            return number_constant(scope, value, node)
        case Operation(op=op, left=left, right=right):
            a, b = constant_expression(scope, left, node), constant_expression(scope, right, node)
            if not isinstance(a.type, Int) or not isinstance(b.type, Int):
                raise scope.noted_error(
                    "TG205", node, "a constant in this arithmetic is not an integer", "integer constants"
                )
            return make_arithmetic(scope, cast(ArithmeticOp, op), a, b, node)
        case _:
            raise TypeError(f"{constant!r} is not a constant expression")


def _enum_member(scope: Scope, member: Enum, node: ast.AST) -> ir.Expr:
    type_ = scope.program.types.type_of_class(type(member))
    assert isinstance(type_, Enumeration)
    return ir.Const(type_.members.index(member.name), type_, scope.place_of(node))


def _domain_member(scope: Scope, cls: type[Domain], index: int, node: ast.AST) -> ir.Expr:
    type_ = scope.program.types.type_of_class(cls)
    assert isinstance(type_, Identity)
    if not 0 <= index < type_.size:
        hint = f"a member from {cls.__name__}(0) to {cls.__name__}({type_.size - 1})"
        raise scope.noted_error("TG202", node, f"{cls.__name__} has no member {index}", hint)
    return ir.Const(index, type_, scope.place_of(node))


# --- fields and indexes ----------------------------------------------------------------------------------------------


@handles_expressions(ast.Attribute)
def elaborate_attribute(scope: Scope, node: ast.Attribute, expected_type: Type | None) -> ir.Expr:
    """`s.field`, `record.field`, `Enum.MEMBER`, `module.name`."""
    state = scope.state_called(node.value)
    if state is not None:
        return _state_field(scope, node, state)
    found = scope.module_value(node)
    if found is not MISSING:
        return static_value(scope, found, node, expected_type)
    owner = scope.module_value(node.value)
    if isinstance(owner, type) and issubclass(owner, Enum):
        return _elaborate_enum_member(scope, owner, node)
    record = unwrap_option(elaborate_expression(scope, node.value))
    if isinstance(record.type, Record) and record.type.variants:
        return union_part(scope, record, record.type, node.attr, node)
    if not isinstance(record.type, Record) or is_tuple(record.type):
        raise scope.noted_error(
            "TG202", node, f"{describe(record.type)} has no field {node.attr}", _field_hint(record.type, node.attr)
        )
    fields = dict(record.type.fields)
    if node.attr not in fields:
        raise scope.noted_error(
            "TG202", node, f"{record.type.name} has no field {node.attr}", suggest_name(node.attr, fields)
        )
    return ir.RecordField(record, node.attr, fields[node.attr], scope.place_of(node))


def _elaborate_enum_member(scope: Scope, owner: type[Enum], node: ast.Attribute) -> ir.Expr:
    if node.attr in owner.__members__:
        return _enum_member(scope, owner.__members__[node.attr], node)
    hint = suggest_name(node.attr, owner.__members__)
    raise scope.noted_error("TG202", node, f"{owner.__name__} has no member {node.attr}", hint)


def _state_field(scope: Scope, node: ast.Attribute, state: str) -> ir.Expr:
    shape = scope.program.shape
    if node.attr in shape.broken:
        raise AbandonedError
    if node.attr not in shape.fields:
        raise scope.noted_error(
            "TG202", node, f"{shape.name} has no field {node.attr}", suggest_name(node.attr, shape.fields)
        )
    return ir.StateField(state, node.attr, shape.fields[node.attr], scope.place_of(node))


def _field_hint(type_: Type, attr: str) -> str:
    match type_:
        case Identity(name=name):
            return f"a name has no parts; keep what belongs to it in a Map[{name}, ...] field"
        case Enumeration():
            return "compare it with a member"
        case Map():
            return "index it with a key first"
        case Seq() | Subset() | Pool():
            return "an element of it"
        case _:
            return "a record"


@handles_expressions(ast.Subscript)
def elaborate_subscript(scope: Scope, node: ast.Subscript, expected_type: Type | None) -> ir.Expr:
    """`map[key]`, `sequence[offset]`, `sequence[start:stop]`."""
    container = unwrap_option(elaborate_expression(scope, node.value))
    if isinstance(node.slice, ast.Slice):
        return _elaborate_slice(scope, container, node.slice, node)
    if isinstance(container.type, Record) and is_tuple(container.type):
        return tuple_part(scope, container, container.type, node)
    return elaborate_index(scope, container, node.slice, node)


def elaborate_index(scope: Scope, container: ir.Expr, key: ast.expr, node: ast.AST) -> ir.Expr:
    """`container[key]`, for a map or a sequence."""
    match container.type:
        case Map(key=key_type, value=value):
            return ir.Index(container, fit_expression(scope, key, key_type), value, scope.place_of(node))
        case Seq(of=of):
            return ir.Index(container, elaborate_offset(scope, key), of, scope.place_of(node))
        case _:
            hint = (
                "x in s, to ask; for x in s, to visit"
                if isinstance(container.type, (Subset, Pool))
                else "a Map or a Seq"
            )
            raise scope.noted_error("TG215", node, f"{describe(container.type)} has no index", hint)


def elaborate_offset(scope: Scope, key: ast.expr) -> ir.Expr:
    """An index into a sequence. TG409 when it is negative whatever the state."""
    made = elaborate_integer(scope, key)
    if int_type(made).hi < 0:
        raise scope.noted_error("TG409", key, "a sequence is not indexed from its end", "s[len(s) - 1]")
    return made


def _elaborate_slice(scope: Scope, sequence: ir.Expr, bounds: ast.Slice, node: ast.AST) -> ir.Expr:
    if not isinstance(sequence.type, Seq):
        raise scope.noted_error(
            "TG215", node, f"{describe(sequence.type)} has no parts from one index to another", "a Seq"
        )
    if bounds.step is not None:
        raise scope.noted_error("TG121", bounds.step, "every element of a slice is taken, in order", "s[start:stop]")
    start = None if bounds.lower is None else elaborate_offset(scope, bounds.lower)
    stop = None if bounds.upper is None else elaborate_offset(scope, bounds.upper)
    capacity = sequence.type.capacity
    if stop is not None and capacity >= 0:
        capacity = min(capacity, int_type(stop).hi)
    type_ = sequence.type if capacity == sequence.type.capacity else Seq(sequence.type.of, capacity)
    return ir.Slice(sequence, start, stop, type_, scope.place_of(node))


# --- operators -------------------------------------------------------------------------------------------------------
