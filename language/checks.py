"""What a store into a state may hold, type by type: each `types.Type` as a function that takes a value to its
canonical form.

A check answers with the value itself where it can, so that unchanged parts of two states are the same objects. It
turns Python's own sets and lists into ours, orders a map's keys by their domain, and takes the owner off a view. A
value outside its type is a ModelError that says what is allowed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from . import types
from .constants import ConstantExpression, Value
from .containers import Container, ModelError, value_text
from .kinds import Domain
from .records import is_value_of, make_record, parts_of
from .values import Bag, Map, Seq, Set

Values = Mapping[str, Value]


def check_for(type_: types.Type, values: Values) -> TypeCheck:
    """The check of a type, its open bounds evaluated with the constants' `values`."""
    match type_:
        case types.Int():
            return IntCheck(type_, values)
        case types.Bool():
            return BoolCheck()
        case types.Enumeration():
            return EnumerationCheck(type_)
        case types.Identity():
            return IdentityCheck(type_, values)
        case types.Option():
            return OptionCheck(type_, values)
        case types.Record():
            return UnionCheck(type_, values) if type_.variants else RecordCheck(type_, values)
        case types.Map():
            return MapCheck(type_, values)
        case types.Seq():
            return SeqCheck(type_, values)
        case types.Subset():
            return SubsetCheck(type_, values)
        case types.Pool():
            return PoolCheck(type_, values)
        case types.Unit():
            raise TypeError("the type of None alone holds no stored value")


_map_class = Map[Any, Any].with_keys
"""Once: an alias of a generic class looks its attributes up anew each time, which is slow."""


def members_of(type_: types.Type, values: Values) -> tuple[Any, ...]:
    """Every value of a finite type, in order. TypeError for a type whose values cannot be listed.

    `None` comes before the values of an option; sets are in the order of their bit masks, sequences in that of
    their lengths; the first field of a record, key of a map and element of a sequence change slowest.
    """
    match type_:
        case types.Int(lo=lo, hi=hi, lo_open=lo_open, hi_open=hi_open):
            return tuple(range(_bound_value(lo_open, lo, values), _bound_value(hi_open, hi, values) + 1))
        case types.Bool():
            return (False, True)
        case types.Enumeration(python=python, members=members):
            return tuple(python[name] for name in members)
        case types.Identity(python=python, size=size, size_open=size_open):
            return tuple(python(index) for index in range(_bound_value(size_open, size, values)))
        case types.Option(of=of):
            return (None, *members_of(of, values))
        case types.Subset(of=of):
            members = members_of(of, values)
            return tuple(_set_of_mask(members, mask) for mask in range(1 << len(members)))
        case types.Record(fields=fields, variants=()):
            parts = itertools.product(*(members_of(of, values) for _, of in fields))
            return tuple(make_record(type_, part) for part in parts)
        case types.Record(variants=variants):
            return tuple(record for member, _ in variants for record in members_of(member, values))
        case types.Map(key=key, value=value):
            keys = members_of(key, values)
            held = itertools.product(members_of(value, values), repeat=len(keys))
            places = {key: at for at, key in enumerate(keys)}
            return tuple(_map_class(places, element) for element in held)
        case types.Seq(of=of, capacity=capacity, capacity_open=capacity_open):
            elements, lengths = members_of(of, values), range(_bound_value(capacity_open, capacity, values) + 1)
            return tuple(Seq(held) for length in lengths for held in itertools.product(elements, repeat=length))
        case types.Pool(of=of, capacity=capacity, multiple=False, capacity_open=capacity_open):
            return tuple(
                map(Set, _subsets_up_to(members_of(of, values), _bound_value(capacity_open, capacity, values)))
            )
        case _:
            raise TypeError(f"{type_} has no list of values")


def blank_of(type_: types.Type, values: Values) -> Any:
    """What a ghost of a class of its own holds at first; see `declare.ghosts`. TypeError for a type without a blank
    value: a member of a domain, and a number whose least value is an open constant's."""
    match type_:
        case types.Int(lo=lo, lo_open=None):
            return lo
        case types.Bool():
            return False
        case types.Enumeration(python=python, members=members):
            return python[members[0]]
        case types.Option():
            return None
        case types.Record(fields=fields, variants=()):
            return make_record(type_, [blank_of(of, values) for _, of in fields])
        case types.Map(key=key, value=value):
            return Map({key: blank_of(value, values) for key in members_of(key, values)})
        case types.Seq():
            return Seq()
        case types.Subset() | types.Pool(multiple=False):
            return Set()
        case types.Pool():
            return Bag()
        case _:
            raise TypeError(f"{type_} has no blank value")


def _subsets_up_to(members: tuple[Any, ...], most: int) -> list[tuple[Any, ...]]:
    """The sets of at most so many members, in the order of their bit masks."""
    made: list[tuple[Any, ...]] = [()]
    for member in members:
        made += [(*chosen, member) for chosen in made if len(chosen) < most]
    return made


def nth_member(type_: types.Type, number: int) -> Any:
    """The value at a place of `members_of` of a finite type whose bounds are not open, without the list. IndexError
    beyond the last; TypeError for a type whose values cannot be listed."""
    if not 0 <= number < types.value_count(type_):
        raise IndexError(number)
    match type_:
        case types.Option(of=of):
            return None if number == 0 else nth_member(of, number - 1)
        case types.Subset(of=of):
            return _set_of_mask(members_of(of, {}), number)
        case types.Record(fields=fields, variants=()):
            parts = [of for _, of in fields]
            return make_record(type_, map(nth_member, parts, positions_of_parts(parts, number)))
        case types.Map(key=key, value=value):
            keys = members_of(key, {})
            parts = [value] * len(keys)
            held = tuple(map(nth_member, parts, positions_of_parts(parts, number)))
            return _map_class({key: at for at, key in enumerate(keys)}, held)
        case types.Record(variants=variants):
            for member, _ in variants:
                if number < types.value_count(member):
                    return nth_member(member, number)
                number -= types.value_count(member)
            raise IndexError(number)
        case types.Seq(of=of):
            counts = types.sequence_counts(type_)
            length = next(at for at, through in enumerate(itertools.accumulate(counts)) if number < through)
            return Seq(
                nth_member(of, place) for place in positions_of_parts([of] * length, number - sum(counts[:length]))
            )
        case types.Pool(of=of, capacity=capacity):
            return Set(nth_member(of, place) for place in _chosen_places(types.value_count(of), capacity, number))
        case _:
            return members_of(type_, {})[number]


def _chosen_places(count: int, most: int, number: int) -> Iterator[int]:
    """The places of the members of a set at a place of `_subsets_up_to` of so many members."""
    for place in reversed(range(count)):
        without = types.set_count(place, most)
        if number >= without:
            yield place
            number, most = number - without, most - 1


def positions_of_parts(parts: Sequence[types.Type], number: int) -> list[int]:
    """The place of each part's value in a combination of values; the last part changes fastest."""
    places = list[int]()
    for of in reversed(parts):
        number, place = divmod(number, types.value_count(of))
        places.append(place)
    return places[::-1]


def _set_of_mask(members: tuple[Any, ...], mask: int) -> Set[Any]:
    return Set([member for at, member in enumerate(members) if mask >> at & 1])


def _bound_value(open_: ConstantExpression | None, static_bound: int, values: Values) -> int:
    return static_bound if open_ is None else open_.value(values)


def _type_error(value: Any, wanted_text: str) -> ModelError:
    return ModelError(f"{value_text(value)} where {wanted_text} is needed")


class TypeCheck:
    """A type as a function on values. `inner` checks the elements of a container, `capacity` bounds their number."""

    inner: TypeCheck
    capacity: int | None = None

    def __call__(self, value: Any) -> Any:
        """The value in its canonical form; ModelError when it is not of the type."""
        raise NotImplementedError


class IntCheck(TypeCheck):
    """Integers within bounds; a bool counts as 0 or 1."""

    def __init__(self, type_: types.Int, values: Values) -> None:
        self.lo = _bound_value(type_.lo_open, type_.lo, values)
        self.hi = _bound_value(type_.hi_open, type_.hi, values)

    def __call__(self, value: Any) -> int:
        if not isinstance(value, int):
            raise _type_error(value, "an integer")
        if not self.lo <= value <= self.hi:
            raise ModelError(f"{int(value)} is outside {self.lo}..{self.hi}")
        return int(value)


class BoolCheck(TypeCheck):
    """True or False."""

    def __call__(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise _type_error(value, "true or false")
        return value


class EnumerationCheck(TypeCheck):
    """Members of one enum."""

    def __init__(self, type_: types.Enumeration) -> None:
        self.type = type_

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, self.type.python):
            raise _type_error(value, f"a {self.type.name}")
        return value


class IdentityCheck(TypeCheck):
    """Members of one domain, those that exist in this binding."""

    def __init__(self, type_: types.Identity, values: Values) -> None:
        self.type = type_
        self.size = _bound_value(type_.size_open, type_.size, values)

    def __call__(self, value: Any) -> Domain:
        if value.__class__ is not self.type.python:
            raise _type_error(value, f"a {self.type.name}")
        if value.index >= self.size:
            raise ModelError(f"{value_text(value)} is not one of the {self.size} members of {self.type.name}")
        return value


class OptionCheck(TypeCheck):
    """None, or what `of` accepts."""

    def __init__(self, type_: types.Option, values: Values) -> None:
        self.of = check_for(type_.of, values)

    def __call__(self, value: Any) -> Any:
        return None if value is None else self.of(value)


class RecordCheck(TypeCheck):
    """Records of one class, each field within its type."""

    def __init__(self, type_: types.Record, values: Values) -> None:
        self.type = type_
        self.fields = tuple((name, check_for(field, values)) for name, field in type_.fields)

    def __call__(self, value: Any) -> Any:
        if not is_value_of(self.type, value):
            raise _type_error(value, f"a {self.type.name}")
        changed = False
        parts: list[Any] = []
        for (name, check), given in zip(self.fields, parts_of(self.type, value), strict=True):
            try:
                kept = check(given)
            except ModelError as error:
                raise ModelError(f"{self.type.name}.{name}: {error.message}") from None
            parts.append(kept)
            changed = changed or kept is not given
        return make_record(self.type, parts) if changed else value


class UnionCheck(TypeCheck):
    """Records of several classes."""

    def __init__(self, type_: types.Record, values: Values) -> None:
        self.type = type_
        self.members = {member.python: check_for(member, values) for member, _ in type_.variants}

    def __call__(self, value: Any) -> Any:
        check = self.members.get(value.__class__)
        if check is None:
            raise _type_error(value, f"a {self.type.name}")
        return check(value)


class MapCheck(TypeCheck):
    """Total maps, their keys in the order of the key type."""

    def __init__(self, type_: types.Map, values: Values) -> None:
        self.keys = {key: at for at, key in enumerate(members_of(type_.key, values))}
        self.inner = check_for(type_.value, values)

    def __call__(self, value: Any) -> Map[Any, Any]:
        if not isinstance(value, Map):
            raise _type_error(value, "a Map")
        given = cast("Map[Any, Any]", value).plain()
        if given.is_over(self.keys):
            with suppress(ModelError):  # what is wrong is said below, with its key
                return _map_class(self.keys, tuple(map(self.inner, given.stored_values())))
        for key in given:
            if key not in self.keys:
                raise ModelError(f"{value_text(key)} is not a key of this Map")
        for key in self.keys:
            if key not in given:
                raise ModelError(f"the Map has no value for {value_text(key)}")
        return _map_class(self.keys, tuple(self._check_entry(key, given[key]) for key in self.keys))

    def _check_entry(self, key: Any, value: Any) -> Any:
        try:
            return self.inner(value)
        except ModelError as error:
            raise ModelError(f"at {value_text(key)}: {error.message}") from None


def _check_capacity(capacity: int, count: int) -> None:
    if count > capacity:
        raise ModelError(f"{count} elements are more than the capacity of {capacity}")


class SeqCheck(TypeCheck):
    """Sequences within a capacity."""

    def __init__(self, type_: types.Seq, values: Values) -> None:
        self.bound = _bound_value(type_.capacity_open, type_.capacity, values)
        self.capacity = self.bound
        self.inner = check_for(type_.of, values)

    def __call__(self, value: Any) -> Seq[Any]:
        if isinstance(value, (list, tuple)):
            value = Seq(cast("list[Any]", value))
        if not isinstance(value, Seq):
            raise _type_error(value, "a Seq")
        return cast("Seq[Any]", _check_elements(cast("Seq[Any]", value).plain(), self.inner, self.bound, Seq))


class SubsetCheck(TypeCheck):
    """Sets over a finite scalar type."""

    def __init__(self, type_: types.Subset, values: Values) -> None:
        self.inner = check_for(type_.of, values)

    def __call__(self, value: Any) -> Set[Any]:
        return _checked_set(value, self.inner, None)


class PoolCheck(TypeCheck):
    """Sets or bags of records within a capacity."""

    def __init__(self, type_: types.Pool, values: Values) -> None:
        self.bound = _bound_value(type_.capacity_open, type_.capacity, values)
        self.capacity = self.bound
        self.inner = check_for(type_.of, values)
        self.multiple = type_.multiple

    def __call__(self, value: Any) -> Any:
        if not self.multiple:
            return _checked_set(value, self.inner, self.bound)
        if not isinstance(value, Bag):
            raise _type_error(value, "a Bag")
        return _check_elements(cast("Bag[Any]", value).plain(), self.inner, self.bound, Bag)


def _checked_set(value: Any, inner: TypeCheck, capacity: int | None) -> Set[Any]:
    if isinstance(value, (set, frozenset)):
        value = Set(cast("set[Any]", value))
    if not isinstance(value, Set):
        raise _type_error(value, "a Set")
    return cast("Set[Any]", _check_elements(cast("Set[Any]", value).plain(), inner, capacity, Set))


def _check_elements(container: Any, inner: TypeCheck, capacity: int | None, make: type[Container]) -> Container:
    """The container with each element checked: the very one given, when nothing had to change."""
    before: tuple[Any, ...] = tuple(container)
    after = tuple(inner(element) for element in before)
    same = all(old is new for old, new in zip(before, after, strict=True))
    kept = container if same else cast(Any, make)(cast("Iterable[Any]", after))
    if capacity is not None:
        _check_capacity(capacity, len(kept))
    return kept
