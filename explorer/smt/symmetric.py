"""One choice of replicas stands for all that differ by a renaming, where no text can tell the members apart.

An action is made into formulas for each choice of its own parameters; of these the first of each pattern is kept. A
message that it takes names replicas too: so the proof goes by cases, one for each replica that was named already and
one for all others. In each case the replica is known, and whatever asks for it is decided before the solver begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast

import z3

from ...language.kinds import Domain
from ...language.types import Identity, Option, Record, Type
from .shapes import Fields, Maybe, Shape
from .terms import Number
from .transition import Instance

Case: TypeAlias = Sequence[tuple[z3.ExprRef, z3.ExprRef]]
"""Names of free terms, with the member that each stands for."""

_MOST = 60
"""More cases than this are left to the solver."""


def representatives(some: Sequence[Instance], symmetric: frozenset[str]) -> list[Instance]:
    """Of instances that differ by a renaming of the members of the `symmetric` domains, the first."""
    chosen: dict[Any, Instance] = {}
    for each in some:
        chosen.setdefault(_pattern(each, symmetric), each)
    return list(chosen.values())


def _pattern(instance: Instance, symmetric: frozenset[str]) -> Any:
    """The concrete arguments with members of symmetric domains numbered in the order in which they are met."""
    met: dict[Any, int] = {}

    def renamed(value: Any) -> Any:
        if isinstance(value, Domain) and type(value).__name__ in symmetric:
            return type(value).__name__, met.setdefault(value, len(met))
        return value

    return tuple((name, renamed(value)) for name, value in instance.concrete.items())


def cases(instance: Instance, symmetric: frozenset[str]) -> list[Case]:
    """The cases of an instance: who is who in its free arguments. One, of nothing, when there is nobody."""
    parameters = {each.name: each.type for each in instance.action.form.parameters}
    free = [
        named
        for name, shape in instance.arguments.items()
        if name not in instance.concrete
        for named in _named(parameters[name], shape)
    ]
    met: dict[str, tuple[int, ...]] = {}
    for value in instance.concrete.values():
        if isinstance(value, Domain):
            name = type(value).__name__
            met[name] = tuple(sorted({*met.get(name, ()), value.index}))
    made = list(_cases(free, met, symmetric))
    return made if len(made) <= _MOST else [()]


def _named(type_: Type, shape: Shape) -> Iterator[tuple[Identity, z3.ExprRef]]:
    """The free members of domains in a value."""
    match type_:
        case Identity() if isinstance(shape, Number) and isinstance(shape.term, z3.ExprRef):
            yield type_, shape.term
        case Option(of=of) if isinstance(shape, Maybe) and shape.value is not None:
            yield from _named(of, shape.value)
        case Record(fields=fields):
            for name, of in fields:
                yield from _named(of, cast(Fields, shape).parts[name])
        case _:
            return


def _cases(
    free: Sequence[tuple[Identity, z3.ExprRef]], met: dict[str, tuple[int, ...]], symmetric: frozenset[str]
) -> Iterator[Case]:
    """Each of the free members is one that was met, or the first that was not. (No member is the number 0 as well.)"""
    if not free:
        yield ()
        return
    (domain, term), *rest = free
    known = met.get(domain.name, ())
    others = (at for at in range(domain.size) if at not in known)
    choices = range(domain.size) if domain.name not in symmetric else sorted({*known, *[*others][:1]})
    for at in choices:
        for case in _cases(rest, {**met, domain.name: tuple(sorted({*known, at}))}, symmetric):
            yield ((term, z3.IntVal(at)), *case)
