"""Runs that need not be looked at, because another one of the same length leads to the same state, or to one that
differs by a renaming.

Of all runs that differ by the order of steps that do not touch each other, and by a renaming of replicas that the
model treats alike, one is first in the order of its instances' numbers. That one has two properties, which are asked of
every run: two neighbours that do not touch each other are in order (`swappable`), and a replica is not named before
those that come before it in the domain (`Naming`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from ...language.immutable import immutable
from ...language.judge import initial_states
from ...language.kinds import Domain
from ...language.model import Model
from ...language.types import Identity, Option, Record, Subset, Type
from ..renaming import symmetry_test
from ..symmetry import symmetry_of
from .encoding import Encoding
from .instances import Instance
from .sat import heed
from .shapes import Fields, Members, Shape, SymbolicOption
from .terms import Bit, Number, and_bits, conjunction, disjunction, formula, implies, or_bits

# --- steps that do not touch each other -------------------------------------------------------------------------------


@immutable
class Footprint:
    """The cells of the state that a step looks at, and those that it writes, as sets of bits."""

    reads: int
    writes: int

    def is_apart_from(self, other: Footprint) -> bool:
        """Whether the two can be taken in either order, with the same result."""
        return not (self.writes & (other.reads | other.writes) or other.writes & self.reads)


class CellNumbers:
    """Numbers the cells of the state, variables whose names begin alike, and finds them in terms."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.known: dict[int, tuple[z3.ExprRef, int]] = {}

    def cell(self, name: str) -> int:
        """The set of one cell, given the name of one of its bits."""
        return 1 << self.places.setdefault(name.rpartition(":")[0] or name, len(self.places))

    def of(self, bits: Sequence[Bit | Number]) -> int:
        """The cells that some scalars depend on."""
        found = 0
        for bit in bits:
            term = bit.term if isinstance(bit, Number) else bit
            if isinstance(term, z3.ExprRef):
                found |= self._cells_of_term(term)
        return found

    def _cells_of_term(self, term: z3.ExprRef) -> int:
        at = term.get_id()
        if at not in self.known:
            found = 0
            if term.num_args() == 0:
                name = term.decl().name()
                found = self.cell(name) if name.startswith("s.") else 0
            for child in term.children():
                found |= self._cells_of_term(child)
            self.known[at] = (term, found)
        return self.known[at][1]


def swappable(touches: Sequence[Footprint]) -> list[tuple[int, int]]:
    """Every (first, second) such that `second` could as well come first, and has the smaller number."""
    return [
        (first, second)
        for first, one in enumerate(touches)
        for second, other in enumerate(touches[:first])
        if one.is_apart_from(other)
    ]


# --- replicas in the order in which they are named --------------------------------------------------------------------


class Naming:
    """The members of one domain that a run has named so far, as bits of the state `s.named D:0`, `s.named D:1`, ..."""

    def __init__(self, encoding: Encoding, domain: Identity) -> None:
        self.encoding, self.domain = encoding, domain
        self.before = [z3.Bool(f"s.named {domain.name}:{at}") for at in range(domain.size)]
        self.after = [z3.Bool(f"t.named {domain.name}:{at}") for at in range(domain.size)]

    def none_yet(self) -> Bit:
        """At first, nobody is named."""
        return conjunction(z3.Not(term) for term in self.before)

    def step(self, taken: Sequence[tuple[Bit, Instance]]) -> Bit:
        """What a step may name, and what is named after it."""
        allowed = [implies(when, self._is_order_allowed(instance.concrete)) for when, instance in taken]
        named = (
            disjunction(and_bits(when, self._names(instance, at)) for when, instance in taken)
            for at in range(self.domain.size)
        )
        named = [
            after == formula(or_bits(before, named))
            for after, before, named in zip(self.after, self.before, named, strict=True)
        ]
        return conjunction([*allowed, *named])

    def _members(self, concrete: Mapping[str, object]) -> list[int]:
        values = (value for value in concrete.values() if isinstance(value, self.domain.python))
        return [value.index for value in values if isinstance(value, Domain)]

    def _is_order_allowed(self, concrete: Mapping[str, object]) -> Bit:
        """A member that is new comes after all that are smaller; arguments count one after the other."""
        right: list[Bit] = []
        met = set[int]()
        for at in self._members(concrete):
            smaller = conjunction(self.before[number] for number in range(at) if number not in met)
            right.append(True if at in met else or_bits(self.before[at], smaller))
            met.add(at)
        return conjunction(right)

    def _names(self, instance: Instance, at: int) -> Bit:
        if at in self._members(instance.concrete):
            return True
        parameters = instance.action.form.parameters
        free = (parameter for parameter in parameters if parameter.name not in instance.concrete)
        return disjunction(self._mentions(parameter.type, instance.arguments[parameter.name], at) for parameter in free)

    def _mentions(self, type_: Type, shape: Shape | None, at: int) -> Bit:
        """Whether a value that is not known beforehand may have to do with a member."""
        match type_, shape:
            case Identity(name=name), Number() if name == self.domain.name:
                return self.encoding.algebra.is_at(shape, at)
            case Option(of=of), SymbolicOption(present=present, value=value):
                return and_bits(present, self._mentions(of, value, at))
            case Record(fields=fields), Fields(parts=parts):
                return disjunction(self._mentions(of, parts[name], at) for name, of in fields)
            case Subset(of=Identity(name=name)), Members() if name == self.domain.name:
                return True
            case ((Option() | Record() | Subset() | Identity()), _):
                return False
            case _:
                return not isinstance(shape, (Number, bool, z3.BoolRef, type(None)))


def namings(model: Model, encoding: Encoding) -> list[Naming]:
    """One for each domain whose members the model treats alike, if it begins without distinguishing them. SolverEnded
    at the encoding's deadline: there may be many initial states."""
    alike = {domain: symmetry_test(model, domain) for domain in symmetry_of(model).domains}
    for state in initial_states(model) if alike else ():
        heed(encoding.deadline)
        alike = {domain: is_unchanged for domain, is_unchanged in alike.items() if is_unchanged(state)}
        if not alike:
            break
    return [Naming(encoding, domain) for domain in alike]
