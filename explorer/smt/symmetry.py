"""One choice of replicas stands for all that differ by a renaming, where no text can distinguish the members.

An action is made into formulas for each choice of its own parameters; of these the first of each pattern is kept. A
message that it takes names replicas too: so the proof goes by cases, one for each replica that was named already and
one for all others. In each case the replica is known, and whatever asks for it is decided before the solver begins.
What is to be proved of all replicas is proved of those that are named, and of one that stands for all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeAlias, cast

import z3

from ...language.kinds import Domain
from ...language.types import Identity, Option, Record, Type
from .clauses import Clause, Member
from .instances import Instance
from .shapes import Fields, Shape, SymbolicOption
from .terms import Number

Case: TypeAlias = Sequence[tuple[z3.ExprRef, z3.ExprRef]]
"""Names of free terms, with the member that each stands for."""

_MAX_INSTANCES = 60
"""More cases than this are left to the solver."""


def renaming_pattern(concrete: Mapping[str, Any], symmetric: frozenset[str]) -> Hashable:
    """Concrete arguments with members of symmetric domains numbered in the order in which they are met: the same for
    choices that differ by a renaming."""
    met: dict[Any, int] = {}

    def rename(value: Any) -> Any:
        if isinstance(value, Domain) and type(value).__name__ in symmetric:
            return type(value).__name__, met.setdefault(value, len(met))
        return value

    return tuple((name, rename(value)) for name, value in concrete.items())


def drop_renamed_clauses(
    some: Sequence[Clause], instance: Instance | None, case: Case, symmetric: frozenset[str]
) -> list[Clause]:
    """Of a goal's clauses that differ by a renaming of members that a case does not name, the first. The instance is
    that of the step, None where there is no step."""
    named = () if instance is None else instance.concrete.values()
    met = {(type(member).__name__, member.index) for member in named if isinstance(member, Domain)}
    for name in symmetric:
        met |= {(name, cast(z3.IntNumRef, member).as_long()) for _, member in case}
    return [clause for clause in some if _is_first(clause, met, symmetric)]


def _is_first(clause: Clause, met_members: Set[Member], symmetric: frozenset[str]) -> bool:
    """Whether each member that is new in a clause is the first of those that were not met."""
    known = set(met_members)
    for domain, number in clause.members:
        is_new = domain in symmetric and (domain, number) not in known
        if is_new and any((domain, other) not in known for other in range(number)):
            return False
        known.add((domain, number))
    return True


def cases_of(instance: Instance, symmetric: frozenset[str]) -> list[Case]:
    """The cases of an instance: who is who in its free arguments. One, of nothing, when there is nobody."""
    parameters = {parameter.name: parameter.type for parameter in instance.action.form.parameters}
    free = [
        named
        for name, shape in instance.arguments.items()
        if name not in instance.concrete
        for named in _free_members(parameters[name], shape)
    ]
    met: dict[str, tuple[int, ...]] = {}
    for value in instance.concrete.values():
        if isinstance(value, Domain):
            name = type(value).__name__
            met[name] = tuple(sorted({*met.get(name, ()), value.index}))
    made = list(_cases_of_members(free, met, symmetric))
    return made if len(made) <= _MAX_INSTANCES else [()]


def _free_members(type_: Type, shape: Shape) -> Iterator[tuple[Identity, z3.ExprRef]]:
    """The free members of domains in a value."""
    match type_:
        case Identity() if isinstance(shape, Number) and isinstance(shape.term, z3.ExprRef):
            yield type_, shape.term
        case Option(of=of) if isinstance(shape, SymbolicOption) and shape.value is not None:
            yield from _free_members(of, shape.value)
        case Record(fields=fields):
            for name, of in fields:
                yield from _free_members(of, cast(Fields, shape).parts[name])
        case _:
            return


def _cases_of_members(
    free: Sequence[tuple[Identity, z3.ExprRef]], met_members: dict[str, tuple[int, ...]], symmetric: frozenset[str]
) -> Iterator[Case]:
    """Each of the free members is one that was met, or the first that was not. (No member is the number 0 as well.)"""
    if not free:
        yield ()
        return
    (domain, term), *rest = free
    known = met_members.get(domain.name, ())
    others = (at for at in range(domain.size) if at not in known)
    choices = range(domain.size) if domain.name not in symmetric else sorted({*known, *[*others][:1]})
    for at in choices:
        for case in _cases_of_members(rest, {**met_members, domain.name: tuple(sorted({*known, at}))}, symmetric):
            yield ((term, z3.IntVal(at)), *case)
