"""Symmetry by brute force: the smallest of all renamings of a state. Slow, plainly right, and there to test faster
ways."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..language import types
from ..language.checks import members_of
from ..language.model import Model
from ..language.records import make_record, parts_of
from ..language.values import Bag, Map, Seq, Set, State, sort_key

MemberRenaming = Mapping[Any, Any]
Renamer = Callable[[Any, MemberRenaming], Any]


def canonical_keys(model: Model, domains: tuple[types.Identity, ...]) -> Callable[[State], Any]:
    """A function that gives two states the same key exactly when a renaming of the domains' members makes them
    equal."""
    keys_of = _renamed_keys(model, domains)
    return lambda state: min(keys_of(state))


def orbit_size(model: Model, domains: tuple[types.Identity, ...]) -> Callable[[State], int]:
    """A function that counts the states that a renaming of the domains' members makes of one, itself among them."""
    keys_of = _renamed_keys(model, domains)
    return lambda state: len(set(keys_of(state)))


def _renamed_keys(model: Model, domains: tuple[types.Identity, ...]) -> Callable[[State], Iterator[Any]]:
    """A function that gives a key of each state that a renaming makes of one; some may be the same."""
    renamers = tuple(_renamer(field.type, domains) for field in model.fields)
    renamings = _renamings(model, domains)

    def keys(state: State) -> Iterator[Any]:
        for to in renamings:
            yield tuple(sort_key(rename(value, to)) for rename, value in zip(renamers, state, strict=True))

    return keys


def _renamings(model: Model, domains: tuple[types.Identity, ...]) -> list[MemberRenaming]:
    """Every way to rename the members of each domain among themselves."""
    members = [members_of(domain, model.values) for domain in domains]
    return [
        {
            old: new
            for before, after in zip(members, choice, strict=True)
            for old, new in zip(before, after, strict=True)
        }
        for choice in itertools.product(*(itertools.permutations(member) for member in members))
    ]


def _unchanged_value(value: Any, to: MemberRenaming) -> Any:
    return value


def _renamer(type_: types.Type, domains: tuple[types.Identity, ...]) -> Renamer:
    """How values of a type are renamed; `_unchanged_value` when none of the domains is in it."""
    match type_:
        case types.Identity():
            return (lambda value, to: to[value]) if type_ in domains else _unchanged_value
        case types.Option(of=of):
            return _option_renamer(_renamer(of, domains))
        case types.Record(fields=fields):
            return _record_renamer(type_, [_renamer(field, domains) for _, field in fields])
        case types.Map(key=key, value=value):
            return _map_renamer(_renamer(key, domains), _renamer(value, domains))
        case types.Seq(of=of):
            return _elements_renamer(Seq, _renamer(of, domains))
        case types.Subset(of=of):
            return _elements_renamer(Set, _renamer(of, domains))
        case types.Pool(of=of, multiple=multiple):
            return _elements_renamer(Bag if multiple else Set, _renamer(of, domains))
        case _:
            return _unchanged_value


def _option_renamer(of: Renamer) -> Renamer:
    return _unchanged_value if of is _unchanged_value else lambda value, to: None if value is None else of(value, to)


def _record_renamer(type_: types.Record, parts: Sequence[Renamer]) -> Renamer:
    if all(part is _unchanged_value for part in parts):
        return _unchanged_value

    def rename(value: Any, to: MemberRenaming) -> Any:
        held = zip(parts, parts_of(type_, value), strict=True)
        return make_record(type_, (rename_part(part, to) for rename_part, part in held))

    return rename


def _map_renamer(key: Renamer, value: Renamer) -> Renamer:
    if key is _unchanged_value and value is _unchanged_value:
        return _unchanged_value

    def rename(given: Map[Any, Any], to: MemberRenaming) -> Map[Any, Any]:
        moved = {key(old, to): value(held, to) for old, held in given.items()}
        return Map({given_key: moved[given_key] for given_key in given})

    return rename


def _elements_renamer(make: Callable[[Any], Any], of: Renamer) -> Renamer:
    return (
        _unchanged_value if of is _unchanged_value else lambda value, to: make([of(element, to) for element in value])
    )


def symmetry_test(model: Model, domain: types.Identity) -> Callable[[State], bool]:
    """A function that says whether every renaming of the domain's members leaves a state as it is: those that exchange
    two neighbours make up all others."""
    renamers = tuple(_renamer(field.type, (domain,)) for field in model.fields)
    members = members_of(domain, model.values)
    same = dict(zip(members, members, strict=True))
    exchanges = [{**same, one: other, other: one} for one, other in itertools.pairwise(members)]

    def check(state: State) -> bool:
        return all(
            rename(value, to) == value for to in exchanges for rename, value in zip(renamers, state, strict=True)
        )

    return check
