"""Values of record types: records, tuples and unions of records, as their parts and from their parts.

A record type is in the typed form what an author writes in four ways:

* a `@record` class: its parts are its fields;
* `tuple[A, B]`: a Python tuple, whose parts are called `0`, `1`, ...;
* `Set[Set[A]]`: its elements are sets in boxes, each a record with one part;
* a union of records, `Vote | Ack`: the part `KIND` says which of them a value is, the other parts hold the fields of
  all, those of one name and type together. A part that a value does not have holds `absent_part`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, cast

from .types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type
from .values import Seq as SeqValue
from .values import Set as SetValue

KIND = "@kind"
"""The part of a union that says which record a value is."""


def tuple_of(types: Iterable[Type], name: str) -> Record:
    """The type of tuples with these parts; `name` is how an author writes it."""
    return Record(name, tuple((str(at), type_) for at, type_ in enumerate(types)), tuple)


def union_of(records: Iterable[Record]) -> Record:
    """The type of a union of two or more records, in the order of their names."""
    members = sorted(records, key=lambda record: record.name)
    slots: list[tuple[str, Type, int]] = []
    variants: list[tuple[Record, tuple[int, ...]]] = []
    for member in members:
        variants.append((member, tuple(_slots_of_member(member, slots))))
    name = " | ".join(record.name for record in members)
    names = tuple(record.name for record in members)
    kinds = Enumeration(name, names, cast("type[Enum]", Enum(name.replace(" | ", "_or_"), list(names))))
    shared = ((slot, of if uses == len(members) else _optional(of)) for slot, of, uses in slots)
    made = tuple((member, tuple(at + 1 for at in places)) for member, places in variants)
    return Record(name, ((KIND, kinds), *shared), object, made)


def _slots_of_member(member: Record, slots: list[tuple[str, Type, int]]) -> Iterator[int]:
    """The place of each field of a member: after those of the fields before it, so that members keep their order."""
    begin = 0
    for name, of in member.fields:
        found = [at for at, (_, type_, _) in enumerate(slots) if at >= begin and slots[at][0] == name and type_ == of]
        at = found[0] if found else len(slots)
        if found:
            slots[at] = (name, of, slots[at][2] + 1)
        else:
            taken = any(text == name for text, _, _ in slots)
            slots.append((f"{name}@{member.name}" if taken else name, of, 1))
        begin = at + 1
        yield at


def _optional(of: Type) -> Type:
    """The type of a part that some values do not have: with a value that no renaming of a domain changes."""
    return Option(of) if isinstance(of, (Identity, Record, Map)) or _is_open(of) else of


def _is_open(of: Type) -> bool:
    return isinstance(of, Int) and (of.lo_open is not None or of.hi_open is not None)


def absent_part(of: Type) -> Any:
    """What a part holds that a value does not have: the value whose bits are zero."""
    match of:
        case Int(lo=lo):
            return lo
        case Bool():
            return False
        case Enumeration(python=python, members=members):
            return python[members[0]]
        case Seq():
            return SeqValue()
        case Subset():
            return SetValue()
        case _:
            assert isinstance(of, Option), "other parts are optional"
            return None


class SetBox:
    """The class of the records that sets of sets are made of, in the typed form: a set as the only part of a record."""


def box_type(of: Type, name: str) -> Record:
    """The type of values of `of` that are elements of a set."""
    return Record(name, (("0", of),), SetBox)


def is_box(type_: Type) -> bool:
    """Whether a record type stands for the type of its only part."""
    return isinstance(type_, Record) and type_.python is SetBox


def unbox_type(type_: Type) -> Type:
    """The type itself, or what is in the box."""
    return type_.fields[0][1] if isinstance(type_, Record) and type_.python is SetBox else type_


def is_tuple(type_: Type) -> bool:
    """Whether values of a type are Python tuples."""
    return isinstance(type_, Record) and type_.python is tuple


def is_value_of(type_: Record, value: Any) -> bool:
    """Whether a value is a record of the class, a tuple of the length, or of a record of the union."""
    if type_.variants:
        return any(value.__class__ is member.python for member, _ in type_.variants)
    if type_.python is SetBox:
        return isinstance(value, SetValue)
    return value.__class__ is type_.python and (type_.python is not tuple or len(value) == len(type_.fields))


def parts_of(type_: Record, value: Any) -> tuple[Any, ...]:
    """A value's parts, in the order of the type's fields."""
    if type_.variants:
        return _parts_of_union(type_, value)
    if type_.python is tuple:
        return cast("tuple[Any, ...]", value)
    if type_.python is SetBox:
        return (value,)
    return tuple(getattr(value, name) for name, _ in type_.fields)


def _parts_of_union(type_: Record, value: Any) -> tuple[Any, ...]:
    member, places = next(variant for variant in type_.variants if value.__class__ is variant[0].python)
    kinds = cast(Enumeration, type_.fields[0][1])
    held = {at: getattr(value, name) for (name, _), at in zip(member.fields, places, strict=True)}
    others = enumerate(type_.fields[1:], 1)
    return kinds.python[member.name], *(held[at] if at in held else absent_part(of) for at, (_, of) in others)


def make_record(type_: Record, parts: Iterable[Any]) -> Any:
    """The value with these parts."""
    if type_.python is tuple:
        return tuple(parts)
    if type_.python is SetBox:
        return next(iter(parts))
    if not type_.variants:
        return type_.python(**dict(zip((name for name, _ in type_.fields), parts, strict=True)))
    given = tuple(parts)
    member, places = next(variant for variant in type_.variants if variant[0].name == given[0].name)
    return member.python(**{name: given[at] for (name, _), at in zip(member.fields, places, strict=True)})


def part_of(type_: Record, value: Any, name: str) -> Any:
    """One part of a value, by its name in the type."""
    return next(part for (text, _), part in zip(type_.fields, parts_of(type_, value), strict=True) if text == name)


def part_called(value: Any, name: str) -> Any:
    """One part of a value whose type is not at hand; None where the value does not have it."""
    if isinstance(value, tuple):
        return cast("tuple[Any, ...]", value)[int(name)]
    if isinstance(value, SetValue):
        return cast("Any", value)
    return type(value).__name__ if name == KIND else getattr(value, name.partition("@")[0], None)


def classes_of_type(type_: Type) -> Iterator[tuple[type[Any], Type]]:
    """The classes of an author that a type is made of, each with the type that it stands for."""
    match type_:
        case Enumeration(python=python) | Identity(python=python):
            yield python, type_
        case Option(of=of) | Seq(of=of) | Subset(of=of) | Pool(of=of):
            yield from classes_of_type(of)
        case Map(key=key, value=value):
            yield from (*classes_of_type(key), *classes_of_type(value))
        case Record(fields=fields, python=python, variants=variants):
            if not variants and not is_tuple(type_):
                yield python, type_
            for _, of in (*fields, *(("", record) for record, _ in variants)):
                yield from classes_of_type(of)
        case _:
            pass
