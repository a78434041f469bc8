"""Frozen dataclasses that are quick to declare: the typed form alone is made of some seventy of them.

`dataclasses` writes six functions for a frozen class and compiles the text of each, which takes a millisecond a class
and was half of the time that a command took to begin. Here one is compiled, `__init__`; the others are the same for
every class and read its fields by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def immutable(cls: type[T]) -> type[T]:
    """As `dataclass(frozen=True, slots=True)`: the class again, with `__init__`, equality and hash by value, and slots;
    its instances cannot be changed. `dataclasses.fields` and `replace` take it. TypeError for what it does not do: a
    field by keyword alone, one that is not an argument, a base with fields."""
    if any(map(dataclasses.is_dataclass, cls.__mro__)):
        raise TypeError(f"{cls.__name__}: a class whose base has fields needs a dataclass")
    made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = dataclasses.fields(cast(Any, made))
    odd = [field.name for field in fields if field.kw_only or not field.init or field.hash is not None]
    if odd:
        raise TypeError(f"{cls.__name__}: these fields need a dataclass: {', '.join(odd)}")
    for name, function in (("__init__", _initialiser(made, fields)), *_shared(fields)):
        if name not in cls.__dict__:
            setattr(made, name, function)
    made.__dict__["__dataclass_params__"].frozen = True
    return made


def _initialiser(made: type[Any], fields: Sequence[dataclasses.Field[Any]]) -> Callable[..., None]:
    """`__init__`, the one function whose text depends on the class."""
    known: dict[str, Any] = {"_put": object.__setattr__, "_late": _LATE}
    parameters, lines = list[str](), list[str]()
    for field in fields:
        given = field.name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_made_{field.name}"] = field.default_factory
            parameters.append(f"{field.name}=_late")
            given = f"_made_{field.name}() if {field.name} is _late else {field.name}"
        elif field.default is not dataclasses.MISSING:
            known[f"_default_{field.name}"] = field.default
            parameters.append(f"{field.name}=_default_{field.name}")
        else:
            parameters.append(field.name)
        lines.append(f" _put(self,{field.name!r},{given})")
    if hasattr(made, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__(self,{','.join(parameters)}):\n" + ("\n".join(lines) or " pass"), known)
    found = known["__init__"]
    found.__qualname__ = f"{made.__qualname__}.__init__"
    found.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return found


_LATE = object()
"""In place of an argument that a factory makes."""


def _shared(fields: Sequence[dataclasses.Field[Any]]) -> Sequence[tuple[str, Callable[..., Any]]]:
    """What every class has, over its own fields."""
    compared = [field.name for field in fields if field.compare]
    shown = [field.name for field in fields if field.repr]
    parts: Callable[[Any], Any] = attrgetter(*compared) if compared else lambda _self: ()

    def equal(self: Any, other: Any) -> Any:
        """Equal classes and parts."""
        return parts(self) == parts(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        """Of the parts."""
        return hash(parts(self))

    def written(self: Any) -> str:
        """`Class(field=value, ...)`."""
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def state(self: Any) -> list[Any]:
        """For pickling."""
        return [getattr(self, field.name) for field in fields]

    def restore(self: Any, state: Sequence[Any]) -> None:
        """From pickling."""
        for field, value in zip(fields, state, strict=True):
            object.__setattr__(self, field.name, value)

    return (
        ("__eq__", equal), ("__hash__", hashed), ("__repr__", written), ("__getstate__", state),
        ("__setstate__", restore), ("__setattr__", _refuse), ("__delattr__", _refuse),
    )  # fmt: skip


def _refuse(self: Any, name: str, *_value: Any) -> None:
    """Raises FrozenInstanceError."""
    raise dataclasses.FrozenInstanceError(f"cannot assign to or delete the field {name!r}")
