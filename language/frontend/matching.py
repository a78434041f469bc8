"""How a value of one type is taken for another: `None` and plain values as options, options as plain values."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from .. import ir
from ..errors import AbandonedError
from ..records import KIND, is_box, is_tuple, tuple_of, unbox_type
from ..types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit, scalar_size
from ..where import Where
from .capacities import MEMBERS_MAX, UNKNOWN_CAPACITY
from .intervals import UNBOUNDED_INT, hull_of
from .scope import Scope
from .type_text import describe


def common_type(left: Type, right: Type) -> Type | None:
    """The type that holds the values of both; None when there is none."""
    match left, right:
        case Int(), Int():
            return left if left == right else hull_of(left, right)
        case Record(fields=a), Record(fields=b) if is_tuple(left) and is_tuple(right):
            parts = [common_type(x, y) for (_, x), (_, y) in zip(a, b, strict=False)]
            return tuple_type(parts) if len(a) == len(b) and None not in parts else None
        case (Record(variants=variants) as union, other) | (other, Record(variants=variants) as union) if variants:
            return union if other == union or is_member(other, union) else _optional_union(union, other)
        case (
            (Bool(), Bool())
            | (Unit(), Unit())
            | (Enumeration(), Enumeration())
            | (Identity(), Identity())
            | (Record(), Record())
        ):
            return left if left == right else None
        case (Unit(), Option()) | (Option(), Unit()):
            return right if isinstance(left, Unit) else left
        case Option(of=a), Option(of=b):
            of = common_type(a, b)
            return None if of is None else Option(of)
        case (Unit(), other) | (other, Unit()):
            return None if isinstance(other, (Pool, Unit)) else Option(other)
        case (Option(of=of), other) | (other, Option(of=of)):
            joined = common_type(of, other)
            return None if joined is None else Option(joined)
        case _:
            return _join_containers(left, right)


def tuple_type(parts: Sequence[Type | None]) -> Record:
    """The type of tuples with these parts."""
    known = [part for part in parts if part is not None]
    return tuple_of(known, f"tuple[{', '.join(map(describe, known))}]")


def is_member(found_type: Type, union: Type) -> bool:
    """Whether a type is one of the records of a union."""
    return isinstance(union, Record) and number_of_member(union, found_type) is not None


def number_of_member(union: Record, member: Type | None) -> int | None:
    """The place of a record in a union."""
    return next((at for at, (variant, _) in enumerate(union.variants) if variant == member), None)


def _optional_union(union: Record, other: Type) -> Type | None:
    match other:
        case Unit():
            return Option(union)
        case Option(of=of):
            joined = common_type(union, of)
            return None if joined is None else Option(joined)
        case _:
            return None


def _join_containers(left: Type, right: Type) -> Type | None:
    match left, right:
        case Seq(of=a), Seq(of=b):
            of = common_type(a, b)
            return None if of is None else _with_larger_capacity(replace(left, of=of), left.capacity, right)
        case Pool(of=a, multiple=m), Pool(of=b, multiple=n):
            return _with_larger_capacity(left, left.capacity, right) if a == b and m == n else None
        case Map(key=k, value=a), Map(key=q, value=b):
            value = common_type(a, b)
            return Map(k, value) if k == q and value is not None else None
        case Subset(of=a), Subset(of=b):
            return left if a == b else _join_sets(a, b)
        case _:
            return None


def _join_sets(one: Type, other: Type) -> Type | None:
    """Sets of numbers are sets of more numbers: of at most 64."""
    if not isinstance(one, Int) or not isinstance(other, Int):
        return None
    of = hull_of(one, other)
    return Subset(of) if scalar_size(of) <= MEMBERS_MAX else None


def _with_larger_capacity(container_type: Seq | Pool, capacity: int, other: Seq | Pool) -> Type:
    """`container_type` with the larger capacity of the two; a capacity still to be found gives way to a known one."""
    if other.capacity == capacity:
        return container_type
    larger = max(capacity, other.capacity)
    opened = container_type.capacity_open if larger == capacity else other.capacity_open
    return replace(container_type, capacity=larger, capacity_open=opened)


def widen_type(declared_type: Type, found_type: Type) -> Type:
    """The type of a helper's parameter or result: as declared, wide enough for what was found.

    A declared plain `int` and a bare container take what was found. `found_type` is known to fit `declared_type`.
    """
    match declared_type, found_type:
        case Int(), Int():
            return (
                found_type
                if declared_type == UNBOUNDED_INT
                else hull_of(declared_type, found_type)
                if not _is_inside(found_type, declared_type)
                else declared_type
            )
        case (Seq(of=a), Seq(of=b)) | (Option(of=a), Option(of=b)):
            settled = replace(declared_type, of=widen_type(a, b))
            return _settled_capacity(settled, found_type)
        case Pool(), Pool():
            return _settled_capacity(declared_type, found_type)
        case Map(key=key, value=a), Map(value=b):
            return Map(key, widen_type(a, b))
        case Record(fields=a), Record(fields=b) if is_tuple(declared_type) and is_tuple(found_type):
            return tuple_type([widen_type(x, y) for (_, x), (_, y) in zip(a, b, strict=True)])
        case Subset(of=a), Subset():
            return found_type if a == UNBOUNDED_INT else declared_type
        case _:
            return declared_type


def _settled_capacity(declared_type: Type, found_type: Type) -> Type:
    if isinstance(declared_type, (Seq, Pool)) and isinstance(found_type, (Seq, Pool)):
        return _with_larger_capacity(declared_type, declared_type.capacity, found_type)
    return declared_type


def _is_inside(inner: Int, outer: Int) -> bool:
    return outer.lo <= inner.lo and inner.hi <= outer.hi


def is_type_fitting(found_type: Type, wanted_type: Type) -> bool:
    """Whether a value of `found_type` can stand for `wanted_type` without any change. Bounds are checked when it is
    stored."""
    match found_type, wanted_type:
        case Int(), Int():
            return True
        case (Option(of=a), Option(of=b)) | (Seq(of=a), Seq(of=b)):
            return is_type_fitting(a, b)
        case Map(key=k, value=a), Map(key=q, value=b):
            return k == q and is_type_fitting(a, b)
        case Subset(of=a), Subset(of=b):
            return a == b or b == UNBOUNDED_INT or _has_its_bits(a, b)
        case Pool(of=a, multiple=m), Pool(of=b, multiple=n):
            return a == b and m == n
        case Record(fields=a), Record(fields=b) if is_tuple(found_type) and is_tuple(wanted_type):
            return len(a) == len(b) and all(is_type_fitting(x, y) for (_, x), (_, y) in zip(a, b, strict=True))
        case _:
            return found_type == wanted_type


def _has_its_bits(found_type: Type, wanted_type: Type) -> bool:
    """Whether every set of the one is a set of the other, member by member in the same place."""
    if not isinstance(found_type, Int) or not isinstance(wanted_type, Int):
        return False
    return wanted_type == Int(found_type.lo, found_type.hi)


def fit_to_type(scope: Scope, value: ir.Expr, wanted_type: Type, node: ast.AST) -> ir.Expr:
    """`value` as a `wanted_type`: `None` becomes that option's, a plain value becomes some, an option is unwrapped.

    Raises AbandonedError after noting TG203 when the types have nothing to do with each other.
    """
    found = type_of(value)
    if is_type_fitting(found, wanted_type):
        return value
    if isinstance(wanted_type, Record) and is_member(found, wanted_type):
        return to_union(value, wanted_type)
    if isinstance(found, Record) and isinstance(wanted_type, Record) and _is_sub_union(found, wanted_type):
        return _widen_union(value, found, wanted_type)
    if _are_sets_of_numbers(found, wanted_type):
        return _renumber_set(scope, value, wanted_type)
    if isinstance(wanted_type, Map) and _are_maps_of_numbers(found, wanted_type):
        return _moved_map(scope, value, wanted_type, node)
    if isinstance(wanted_type, Record) and is_box(wanted_type) and not is_box(found):
        return ir.MakeRecord((fit_to_type(scope, value, unbox_type(wanted_type), node),), wanted_type, value.where)
    if isinstance(wanted_type, Record) and isinstance(found, Record) and _are_alike(found, wanted_type):
        return _fit_tuple(scope, value, found, wanted_type, node)
    if isinstance(wanted_type, Option):
        if isinstance(found, Unit) and isinstance(value, ir.Const):
            return replace(value, type=wanted_type)
        if is_type_fitting(found, wanted_type.of):
            return ir.Some(value, Option(found), value.where)
        if _are_alike(found, wanted_type.of) or _is_taken_apart(found, wanted_type.of):
            return ir.Some(fit_to_type(scope, value, wanted_type.of, node), wanted_type, value.where)
        if isinstance(found, Option) and _is_taken_apart(found.of, wanted_type.of):
            return _moved_option(scope, value, found.of, wanted_type, node)
    if isinstance(found, Option) and (
        is_type_fitting(found.of, wanted_type) or _are_sets_of_numbers(found.of, wanted_type)
    ):
        return fit_to_type(scope, ir.Unwrap(value, found.of, value.where), wanted_type, node)
    at = _known_member(scope, found, wanted_type, node)
    if at is not None:
        whole = value if not isinstance(found, Option) else ir.Unwrap(value, found.of, value.where)
        assert isinstance(whole.type, Record), "it is a union"
        return fit_to_type(scope, to_member(whole, whole.type, at, value.where), wanted_type, node)
    one, other = describe(found), describe(wanted_type)
    if one == other:
        message = f"this is {one} and so is what is needed here, but of other numbers"
        raise scope.noted_error("TG203", node, message, "both with the same ranges, or a comparison of their elements")
    raise scope.noted_error(
        "TG203", node, f"this is {one}, and {other} is needed", _hint_for_mismatch(found, wanted_type)
    )


def _known_member(scope: Scope, found_type: Type, wanted_type: Type, node: ast.AST) -> int | None:
    """Which record of its union a name stands for here, if only one is left, which is wanted."""
    union = found_type.of if isinstance(found_type, Option) else found_type
    record = wanted_type.of if isinstance(wanted_type, Option) else wanted_type
    if not isinstance(node, ast.Name) or not isinstance(union, Record) or not isinstance(record, Record):
        return None
    left = scope.records_of(node.id)
    if left is None or len(left) != 1 or not union.variants:
        return None
    (at,) = left
    member, _ = union.variants[at]
    return at if member == record or is_member(member, record) else None


def _are_alike(one: Type, other: Type) -> bool:
    """Whether both are tuples of one length."""
    if not isinstance(one, Record) or not isinstance(other, Record):
        return False
    return is_tuple(one) and is_tuple(other) and len(one.fields) == len(other.fields)


def _are_sets_of_numbers(one: Type, other: Type) -> bool:
    return all(isinstance(type_, Subset) and isinstance(type_.of, Int) for type_ in (one, other))


def _are_maps_of_numbers(found_type: Type, wanted_type: Type) -> bool:
    """Whether both are maps with the same keys, to sets of numbers or to such maps."""
    match found_type, wanted_type:
        case Map(key=key, value=a), Map(key=other, value=b) if key == other:
            return _are_sets_of_numbers(a, b) or is_type_fitting(a, b) or _are_maps_of_numbers(a, b)
        case _:
            return False


def _moved_map(scope: Scope, value: ir.Expr, wanted_type: Map, node: ast.AST) -> ir.Expr:
    """A map to sets of numbers as one to sets of other numbers."""
    assert isinstance(value.type, Map)
    name, where = scope.fresh_name("key"), value.where
    moved = ir.Index(value, ir.Name(name, wanted_type.key, where), value.type.value, where)
    return ir.MakeMap(name, fit_to_type(scope, moved, wanted_type.value, node), wanted_type, where)


def _renumber_set(scope: Scope, value: ir.Expr, wanted_type: Type) -> ir.Expr:
    """A set of numbers as a set of other numbers; a member that is none of these is an error where it is evaluated."""
    assert isinstance(wanted_type, Subset)
    if isinstance(value, ir.MakeSubset):
        return replace(value, type=wanted_type)
    found, where, name = value.type, value.where, scope.fresh_name("member")
    assert isinstance(found, Subset)
    over = ir.Generator(name, found.of, ir.Elements(value, where), ())
    return ir.Quantified("set", (over,), ir.Name(name, found.of, where), None, wanted_type, where)


def _fit_tuple(scope: Scope, value: ir.Expr, found_type: Record, wanted_type: Record, node: ast.AST) -> ir.Expr:
    """A tuple whose parts become those of another type."""
    pairs = list(zip(found_type.fields, (of for _, of in wanted_type.fields), strict=True))
    parts = tuple(fit_to_type(scope, field_of(value, name, of), want, node) for (name, of), want in pairs)
    types = [widen_type(want, part.type) for part, (_, want) in zip(parts, pairs, strict=True)]
    return ir.MakeRecord(parts, tuple_type(types), value.where)


def _is_taken_apart(found_type: Type, wanted_type: Type) -> bool:
    """Whether a value becomes one of another type by what is in it: sets of numbers, records of a union."""
    return (
        _are_sets_of_numbers(found_type, wanted_type)
        or is_member(found_type, wanted_type)
        or _is_sub_union(found_type, wanted_type)
    )


def _is_sub_union(found_type: Type, wanted_type: Type) -> bool:
    """Whether both are unions, and every record of one is a record of the other."""
    if (
        not isinstance(found_type, Record)
        or not isinstance(wanted_type, Record)
        or not found_type.variants
        or not wanted_type.variants
    ):
        return False
    return all(is_member(member, wanted_type) for member, _ in found_type.variants)


def _widen_union(value: ir.Expr, found_type: Record, wanted_type: Record) -> ir.Expr:
    """A value of a union as one of a union that has more records."""
    where, kinds = value.where, found_type.fields[0][1]
    kind = ir.RecordField(value, KIND, kinds, where)
    ways = [to_union(to_member(value, found_type, at, where), wanted_type) for at in range(len(found_type.variants))]
    whole = ways.pop()
    for at, way in reversed(list(enumerate(ways))):
        is_this = ir.Compare("==", kind, ir.Const(at, kinds, where), Bool(), where)
        whole = ir.Choice(is_this, way, whole, wanted_type, where)
    return whole


def _moved_option(scope: Scope, value: ir.Expr, of: Type, wanted_type: Option, node: ast.AST) -> ir.Expr:
    """None, or what an option holds as a value of what the other one holds."""
    where = value.where
    some = ir.Some(fit_to_type(scope, ir.Unwrap(value, of, where), wanted_type.of, node), wanted_type, where)
    return ir.Choice(ir.IsNone(value, Bool(), where), ir.Const(0, wanted_type, where), some, wanted_type, where)


def field_of(value: ir.Expr, name: str, of: Type) -> ir.Expr:
    """A part of a record: of one that is made here, the expression itself."""
    if isinstance(value, ir.MakeRecord):
        return value.fields[[field for field, _ in value.type.fields].index(name)]
    return ir.RecordField(value, name, of, value.where)


def to_union(value: ir.Expr, union: Record) -> ir.Expr:
    """A record as a value of a union that it belongs to."""
    where = value.where
    at = number_of_member(union, value.type)
    assert at is not None, "its type was asked before"
    member, places = union.variants[at]
    parts: list[ir.Expr] = [ir.Const(at, union.fields[0][1], where)]
    parts += [_absent_part(of, where) for _, of in union.fields[1:]]
    for (name, of), place in zip(member.fields, places, strict=True):
        part, wanted = field_of(value, name, of), union.fields[place][1]
        is_optional = isinstance(wanted, Option) and not isinstance(of, Option)
        parts[place] = ir.Some(part, wanted, where) if is_optional else part
    return ir.MakeRecord(tuple(parts), union, where)


def member_part(value: ir.Expr, union: Record, member_number: int, name: str, where: Where) -> ir.Expr:
    """A field of a value of a union that is known to be the record with this place."""
    member, places = union.variants[member_number]
    names = [text for text, _ in member.fields]
    slot, of = union.fields[places[names.index(name)]]
    wanted = member.fields[names.index(name)][1]
    part = ir.RecordField(value, slot, of, where)
    return ir.Unwrap(part, wanted, where) if isinstance(of, Option) and not isinstance(wanted, Option) else part


def to_member(value: ir.Expr, union: Record, member_number: int, where: Where) -> ir.Expr:
    """A value of a union as the record that it is known to be."""
    member, _ = union.variants[member_number]
    parts = tuple(member_part(value, union, member_number, name, where) for name, _ in member.fields)
    return ir.MakeRecord(parts, member, where)


def _absent_part(of: Type, where: Where) -> ir.Expr:
    """What a part of a union holds that a value does not have: see `records.absent_part`."""
    match of:
        case Int(lo=lo):
            return ir.Const(lo, Int(lo, lo), where)
        case Seq():
            return ir.MakeSeq((), of, where)
        case Subset():
            return ir.MakeSubset((), of, where)
        case _:
            return ir.Const(0, of, where)


def _hint_for_mismatch(found_type: Type, wanted_type: Type) -> str:
    match found_type, wanted_type:
        case _, Option(of=of):
            return _hint_for_mismatch(found_type, of)
        case Option(of=Record() as union), Record() if union.variants:
            return _hint_for_mismatch(union, wanted_type)
        case Record(variants=variants), Record(name=name) if any(member == wanted_type for member, _ in variants):
            return f"match it: case {name}() as x: ...; isinstance says so only of a name that keeps its value"
        case Unit(), _:
            return f"a {describe(wanted_type)}; or declare the place as {describe(wanted_type)} | None"
        case ((Seq() | Subset() | Pool()), Int()):
            return "its length: len(...)"
        case Bool(), Int():
            return "1 if condition else 0"
        case Int(), Bool():
            return "a comparison, such as count > 0"
        case Identity(name=name), Int():
            return f"a number: for i in range(n), or position(x) where {name} is ordered"
        case Int(), Identity(name=name):
            return f"a member of {name}: a parameter, a loop variable, or {name}(0)"
        case Int(), Enumeration(name=name, members=members):
            return f"a member, such as {name}.{members[0]}"
        case _:
            return f"a value of {describe(wanted_type)}"


def type_of(value: ir.Expr) -> Type:
    """An expression's type."""
    return value.type


def unwrap_option(value: ir.Expr) -> ir.Expr:
    """The value itself, or what is in it when it is an option (an error when evaluated as None)."""
    return ir.Unwrap(value, value.type.of, value.where) if isinstance(value.type, Option) else value


def unify_types(scope: Scope, left: ir.Expr, right: ir.Expr, code: str, node: ast.AST) -> tuple[ir.Expr, ir.Expr, Type]:
    """Both values brought to one type, and that type. Raises AbandonedError after noting `code` when there is none."""
    joined = common_type(left.type, right.type)
    if joined is None:
        raise _note_no_common_type(scope, left.type, right.type, code, node)
    return fit_to_type(scope, left, joined, node), fit_to_type(scope, right, joined, node), joined


def type_text_with_numbers(type_: Type) -> str:
    """A type as an author would write it; of a set of integers, which."""
    text = describe(type_)
    return f"{text} of {type_.of.lo}..{type_.of.hi}" if isinstance(type_, Subset) and type(type_.of) is Int else text


def _note_no_common_type(scope: Scope, left: Type, right: Type, code: str, node: ast.AST) -> AbandonedError:
    """Notes that two values are of no one type."""
    match left, right:
        case Subset(of=Int() as a), Subset(of=Int() as b):
            held = hull_of(a, b)
            message = f"these sets together have {scalar_size(held)} possible members, {held.lo}..{held.hi}"
            return scope.noted_error("TG402", node, message, f"at most {MEMBERS_MAX} possible members")
        case _:
            message = f"{describe(left)} and {describe(right)} are different types"
            return scope.noted_error(code, node, message, "two values of one type")


def is_known(type_: Type) -> bool:
    """Whether no capacity or element type in it is still to be found."""
    return not (isinstance(type_, (Seq, Pool)) and type_.capacity == UNKNOWN_CAPACITY)
