"""What changed between two states, cell by cell, as their types divide them; and values as JSON has them.

A change is an addition, a removal or a replacement at a path: `log A 0` is the first record in `log[A]`. In a set or
bag it is the element that comes or goes; in a sequence it is the elements beyond the shorter one that come or go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Literal, cast

from ..language import types
from ..language.forms import ActionForm, InitialForm
from ..language.immutable import immutable
from ..language.kinds import Domain
from ..language.model import Field
from ..language.records import is_tuple, parts_of
from ..language.values import Bag, Map, Seq, Set, State, field_names, value_text

Path = tuple[str | int, ...]


def _no_record_name(value: Any) -> None:
    return None


@immutable
class Change:
    """One change. `cell` is the cell as people write it (`log[A]`); `path` ends in the offset for an element of a
    sequence. `value_before` is absent in an addition, `value_after` in a removal. `of` is the type of both."""

    sign: Literal["+", "-", "~"]
    path: Path
    cell: str
    offset: int | None
    value_before: Any
    value_after: Any
    of: types.Type | None = None

    def to_row(self) -> list[Any]:
        """The path, then the value that came or went, or the old and the new one: as the trace document has it."""
        values = {"+": [self.value_after], "-": [self.value_before], "~": [self.value_before, self.value_after]}[
            self.sign
        ]
        return [*self.path, *(to_json(value, self.of) for value in values)]

    def to_text(self, name_of: Callable[[Any], str | None] = _no_record_name) -> str:
        """The change as people read it: `high_watermark[B]: 0 -> 1`, `log[A]: + Record(id=0, epoch=1) at 0`; where
        `name_of` has a name for what comes or goes, with that: `log[A]: + 1a at 0`."""
        where = "" if self.offset is None else f" at {self.offset}"
        if self.sign == "~":
            return f"{self.cell}: {value_text(self.value_before)} -> {value_text(self.value_after)}"
        value = self.value_after if self.sign == "+" else self.value_before
        return f"{self.cell}: {self.sign} {name_of(value) or value_text(value)}{where}"


def state_changes(fields: tuple[Field, ...], previous_state: State, next_state: State) -> list[Change]:
    """Every change from one state to another, in the order of the fields."""
    found: list[Change] = []
    for field, old, new in zip(fields, previous_state, next_state, strict=True):
        found += _value_changes(field.type, old, new, (field.name,), field.name)
    return found


def _value_changes(type_: types.Type, old: Any, new: Any, path: Path, cell: str) -> Iterator[Change]:
    if old is new or old == new:
        return
    match type_:
        case types.Map(value=value):
            for key in old:
                name = value_text(key)
                yield from _value_changes(value, old[key], new[key], (*path, name), f"{cell}[{name}]")
        case types.Seq(of=of):
            yield from _sequence_changes(of, old, new, path, cell)
        case types.Subset() | types.Pool():
            yield from _element_changes(type_.of, old, new, path, cell)
        case types.Record(variants=()) if not is_tuple(type_):
            yield from _record_changes(type_, old, new, path, cell)
        case types.Option(of=types.Record(variants=()) as of) if _are_records(of, old, new):
            yield from _record_changes(of, old, new, path, cell)
        case _:
            yield Change("~", path, cell, None, old, new, type_)


def _are_records(of: types.Record, old: Any, new: Any) -> bool:
    return old is not None and new is not None and not is_tuple(of)


def _record_changes(type_: types.Record, old: Any, new: Any, path: Path, cell: str) -> Iterator[Change]:
    parts = zip(type_.fields, parts_of(type_, old), parts_of(type_, new), strict=True)
    for (name, of), before, after in parts:
        yield from _value_changes(of, before, after, (*path, name), f"{cell}.{name}")


def _sequence_changes(of: types.Type, old: Seq[Any], new: Seq[Any], path: Path, cell: str) -> Iterator[Change]:
    shared = min(len(old), len(new))
    for at in range(shared):
        yield from _value_changes(of, old[at], new[at], (*path, at), f"{cell}[{at}]")
    for at in range(shared, len(old)):
        yield Change("-", (*path, at), cell, at, old[at], None, of)
    for at in range(shared, len(new)):
        yield Change("+", (*path, at), cell, at, None, new[at], of)


def _element_changes(of: types.Type, old: Any, new: Any, path: Path, cell: str) -> Iterator[Change]:
    gone: Counter[Any] = Counter(old)
    come: Counter[Any] = Counter(new)
    for element in (gone - come).elements():
        yield Change("-", path, cell, None, element, None, of)
    for element in (come - gone).elements():
        yield Change("+", path, cell, None, None, element, of)


def to_json(value: Any, type_: types.Type | None = None) -> Any:
    """A value as JSON has it: identities by label, enums by name, records and maps as objects, the others as lists. A
    record of a union, where the type says so, has its name under `@`."""
    if isinstance(value, Domain):
        return repr(value)
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, int):
        return value
    of = type_.of if isinstance(type_, types.Option) else type_
    if isinstance(value, Map):
        held = of.value if isinstance(of, types.Map) else None
        return {value_text(key): to_json(element, held) for key, element in cast("Map[Any, Any]", value).items()}
    if isinstance(value, (Seq, Set, Bag)):
        inner = of.of if isinstance(of, (types.Seq, types.Subset, types.Pool)) else None
        return [to_json(element, inner) for element in cast("Seq[Any]", value)]
    return _record_to_json(value, of if isinstance(of, types.Record) else None)


def _record_to_json(value: Any, type_: types.Record | None) -> Any:
    member = next((record for record, _ in type_.variants if record.python is type(value)), None) if type_ else None
    known = member or type_
    parts = {} if known is None else dict(known.fields)
    if isinstance(value, tuple):
        given = enumerate(cast("tuple[Any, ...]", value))
        return [to_json(part, parts.get(str(at))) for at, part in given]
    names = field_names(cast("type[Any]", type(value)))
    made = {name: to_json(getattr(value, name), parts.get(name)) for name in names}
    return made if member is None else {"@": member.name, **made}


def state_to_json(state: State) -> dict[str, Any]:
    """A state as JSON has it."""
    named = zip(state.__match_args__, state, state.__types__, strict=True)
    return {name: to_json(value, of) for name, value, of in named}


def arguments_to_json(form: ActionForm | InitialForm, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a step as JSON has them."""
    known = {parameter.name: parameter.type for parameter in form.parameters}
    return {name: to_json(value, known.get(name)) for name, value in arguments.items()}
