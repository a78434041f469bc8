"""Frozen dataclasses that are quick to declare: the typed form alone is made of some seventy of them.

`dataclasses` writes six functions for a frozen class and compiles the text of each, which takes a millisecond a class
and was half of the time that a command took to begin. Here one is compiled, `__init__`, once for each number of fields;
the others are the same for every class and read its fields by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
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
    for name, function in (("__init__", _initialiser(made, fields)), *_shared_methods(fields)):
        if name not in cls.__dict__:
            setattr(made, name, function)
    made.__dict__["__dataclass_params__"].frozen = True
    return made


def _initialiser(made_class: type[Any], fields: Sequence[dataclasses.Field[Any]]) -> Callable[..., None]:
    """`__init__`, the one function whose code depends on the class: that of any class with as many fields, with their
    names put in. TypeError where a field without a default comes after one that has one."""
    late = tuple(field.default_factory is not dataclasses.MISSING for field in fields)
    defaults = [_FACTORY_DEFAULT if made_late else field.default for field, made_late in zip(fields, late, strict=True)]
    required = sum(default is dataclasses.MISSING for default in defaults)
    if dataclasses.MISSING in defaults[required:]:
        raise TypeError(f"{made_class.__qualname__}: a field without a default follows one with a default")
    names = {f"_{number}": field.name for number, field in enumerate(fields)}
    factories = {f"_made_{number}": field.default_factory for number, field in enumerate(fields)}
    code = _initialiser_code(late, hasattr(made_class, "__post_init__"))
    code = code.replace(
        co_varnames=tuple(names.get(name, name) for name in code.co_varnames),
        co_consts=tuple(names.get(const, const) for const in code.co_consts),
        co_qualname=f"{made_class.__qualname__}.__init__",
    )
    known = {"_put": object.__setattr__, "_late": _FACTORY_DEFAULT, **factories}
    found = FunctionType(code, known, "__init__", tuple(defaults[required:]))
    found.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return found


@cache
def _initialiser_code(late: tuple[bool, ...], checks: bool) -> CodeType:
    """The code of an `__init__` over fields named `_0`, `_1`, ..., those that are `late` with a factory. `checks` says
    that `__post_init__` comes after. To compile it takes longer than all else that makes a class."""
    names = [f"_{number}" for number in range(len(late))]
    lines = [
        f" _put(self,{name!r},{f'_made{name}() if {name} is _late else {name}' if made_late else name})"
        for name, made_late in zip(names, late, strict=True)
    ]
    if checks:
        lines.append(" self.__post_init__()")
    text = f"def __init__({','.join(('self', *names))}):\n" + ("\n".join(lines) or " pass")
    module = compile(text, "<immutable>", "exec")
    return next(const for const in module.co_consts if isinstance(const, CodeType))


_FACTORY_DEFAULT = object()
"""In place of an argument that a factory makes."""


def _shared_methods(fields: Sequence[dataclasses.Field[Any]]) -> Sequence[tuple[str, Callable[..., Any]]]:
    """What every class has, over its own fields."""
    compared = [field.name for field in fields if field.compare]
    shown = [field.name for field in fields if field.repr]
    parts: Callable[[Any], Any] = attrgetter(*compared) if compared else lambda _self: ()

    def equal(self: Any, other: Any) -> Any:
        """Equal classes and parts."""
        return parts(self) == parts(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_value(self: Any) -> int:
        """Of the parts."""
        return hash(parts(self))

    def repr_text(self: Any) -> str:
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
        ("__eq__", equal), ("__hash__", hash_value), ("__repr__", repr_text), ("__getstate__", state),
        ("__setstate__", restore), ("__setattr__", _refuse), ("__delattr__", _refuse),
    )  # fmt: skip


def _refuse(self: Any, name: str, *_value: Any) -> None:
    """Raises FrozenInstanceError."""
    raise dataclasses.FrozenInstanceError(f"cannot assign to or delete the field {name!r}")
