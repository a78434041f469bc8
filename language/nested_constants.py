"""What a module holds that holds constants in turn: tables (`Seq([n, n + 1])`), records with constants for defaults.

When a model is bound, the constants in them have their values, as constants by themselves do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, cast

from .containers import field_names
from .declare import mark_of
from .values import Map, Seq, Set, is_unsettled

Binder = Callable[[Any], Any]
"""Gives each value of a module its meaning in a bound model."""


def holds_constants(thing: Any) -> bool:
    """Whether a value of a module is a table with a constant in it, or a record class with one for a default."""
    if isinstance(thing, type):
        return _is_record(thing) and any(map(holds_constants, defaults_of(thing).values()))
    return is_unsettled(thing)


def bind_nested(thing: Any, bind: Binder) -> Any:
    """The same with the constants in it `bind`: for what `holds_constants`."""
    match thing:
        case Seq():
            return Seq(map(bind, cast("Seq[Any]", thing)))
        case Set():
            return Set(map(bind, cast("Set[Any]", thing).plain_items()))
        case Map():
            return Map({bind(key): bind(value) for key, value in cast("Map[Any, Any]", thing).items()})
        case type():
            return _class_with_defaults(thing, {name: bind(value) for name, value in defaults_of(thing).items()})
        case _:
            cls = cast("type[Any]", type(thing))
            return cls(**{name: bind(getattr(thing, name)) for name in field_names(cls)})


def defaults_of(record: type[Any]) -> dict[str, Any]:
    """The fields of a record class that have a default, and what it is."""
    fields = dataclasses.fields(record)
    return {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}


def _is_record(cls: type[Any]) -> bool:
    mark = mark_of(cls)
    return mark is not None and mark.role == "record"


def _class_with_defaults(record: type[Any], defaults: Mapping[str, Any]) -> type[Any]:
    """A class that makes records of the author's class, with these defaults in place of its own."""
    names = field_names(record)

    class RecordWithDefaults(type(record)):
        def __call__(cls, *values: Any, **named: Any) -> Any:
            return record(**(dict(defaults) | dict(zip(names, values, strict=False)) | named))

        def __instancecheck__(cls, thing: object) -> bool:
            return isinstance(thing, record)

    return RecordWithDefaults(
        record.__name__, (record,), {"__module__": record.__module__, "__qualname__": record.__qualname__}
    )
