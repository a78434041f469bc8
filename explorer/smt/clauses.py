"""Clauses, the form in which Z3 gets a lemma: one quantifier each, with triggers of our own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import z3

from ...language.immutable import immutable
from ...language.where import Where
from .terms import Bit, and_bits, boolean_term, implies

ALTERNATIVES = 32
"""The most triggers that one clause gets."""


Member: TypeAlias = tuple[str, int]
"""One of a domain, by the domain's name and its number there."""


@immutable
class Clause:
    """`for all variables: hypothesis implies conclusion`: one conjunct of a lemma, with one quantifier or none.

    `variables` are constants that occur in both; `where` is the conjunct's place and `text` names it (the lemma's name
    and a number). As a goal it says also that all of it is `definedness`. `members` are those of domains that loops
    round it came to, outermost first: the clause is one of as many as there are choices of them.
    """

    text: str
    variables: tuple[z3.ExprRef, ...]
    hypothesis: Bit
    conclusion: Bit
    where: Where
    definedness: Bit = True
    members: tuple[Member, ...] = ()

    def as_assumption(self) -> z3.BoolRef:
        """The clause as a hypothesis: quantified, with triggers of ours."""
        body = boolean_term(implies(self.hypothesis, self.conclusion))
        occurring = constants_of_terms([body])
        bound = [variable for variable in self.variables if variable.get_id() in occurring]
        if not bound:
            return body
        return z3.ForAll(bound, body, patterns=triggers(body, bound))

    def goal(self) -> z3.BoolRef:
        """The clause as a goal: its variables are fresh constants. Prove it by refuting its negation."""
        return boolean_term(and_bits(self.definedness, implies(self.hypothesis, self.conclusion)))


def constants_of_terms(terms: Iterable[z3.ExprRef]) -> set[int]:
    """The ids of the constants without an interpretation that occur in some terms, within quantifiers too."""
    waiting, found, met = list(terms), set[int](), set[int]()
    while waiting:
        term = waiting.pop()
        if term.get_id() not in met:
            met.add(term.get_id())
            found |= {term.get_id()} if z3.is_const(term) else set()
            waiting += term.children()
    return found


def subterms(terms: Iterable[z3.ExprRef]) -> Iterator[z3.ExprRef]:
    """Every application in some terms once, operands last."""
    waiting, met = list(terms), set[int]()
    while waiting:
        term = waiting.pop()
        if term.get_id() not in met and z3.is_app(term):
            met.add(term.get_id())
            yield term
            waiting += term.children()


# --- triggers ---------------------------------------------------------------------------------------------------------


def triggers(body: z3.BoolRef, variables: list[z3.ExprRef]) -> list[z3.ExprRef]:
    """What instantiates a quantifier: terms that mention all of its variables, or as few as do together.

    A term is fit for it if it is a function's value at variables, at terms without any, or at such terms. Where one
    mentions all variables only by a function's value inside it (the log of the epoch of a record), somebody else must
    have spoken of just that: so the same is instantiated also by terms with nothing inside that do so together."""
    names = {term.get_id() for term in variables}
    fit = _TriggerFitness(names)
    candidates = [subterm for subterm in subterms([body]) if fit.is_trigger(subterm)]
    whole = [candidate for candidate in candidates if fit.bound_variables_in(candidate) == names]
    if whole:
        smallest = [term for term in whole if not any(_is_subterm(other, term) for other in whole)][:ALTERNATIVES]
        if not all(fit.is_nested(term) for term in smallest):
            return smallest
        return [
            *smallest,
            *_joint_triggers([candidate for candidate in candidates if not fit.is_nested(candidate)], names, fit),
        ]
    return _joint_triggers(candidates, names, fit)


def _joint_triggers(candidates: list[z3.ExprRef], names: set[int], fit: _TriggerFitness) -> list[z3.ExprRef]:
    """Some candidates at a time that mention every variable together."""
    found: dict[tuple[int, ...], list[z3.ExprRef]] = {}
    for first in candidates:
        chosen = _covering_triggers(first, candidates, names, fit)
        if chosen is not None:
            found.setdefault(tuple(sorted(term.get_id() for term in chosen)), chosen)
    return [z3.MultiPattern(*terms) for terms in list(found.values())[:ALTERNATIVES]]


def _covering_triggers(
    first: z3.ExprRef, candidates: list[z3.ExprRef], names: set[int], fit: _TriggerFitness
) -> list[z3.ExprRef] | None:
    """Some candidates that mention every variable together, the first of them given."""
    chosen, missing = [first], names - fit.bound_variables_in(first)
    while missing:
        best = max(candidates, key=lambda candidate: len(missing & fit.bound_variables_in(candidate)))
        if not missing & fit.bound_variables_in(best):
            return None
        chosen.append(best)
        missing -= fit.bound_variables_in(best)
    return chosen


def _is_subterm(part: z3.ExprRef, whole: z3.ExprRef) -> bool:
    """Whether one term occurs in another, and is not it."""
    return part.get_id() != whole.get_id() and any(subterm.get_id() == part.get_id() for subterm in subterms([whole]))


class _TriggerFitness:
    """Which terms are fit for triggers, given the ids of the bound variables; each is looked at once."""

    def __init__(self, names: set[int]) -> None:
        self.names = names
        self.known: dict[int, tuple[z3.ExprRef, frozenset[int], bool]] = {}

    def bound_variables_in(self, term: z3.ExprRef) -> set[int] | frozenset[int]:
        """The bound variables in a term."""
        return self._look_at(term)[1]

    def is_trigger(self, term: z3.ExprRef) -> bool:
        """Whether the term is a function's value and fit."""
        _, variables, is_fit = self._look_at(term)
        return bool(variables) and is_fit and term.num_args() > 0

    def is_nested(self, term: z3.ExprRef) -> bool:
        """Whether the value of a function at variables is inside the term."""
        return any(self.is_trigger(child) for child in term.children())

    def _look_at(self, term: z3.ExprRef) -> tuple[z3.ExprRef, frozenset[int], bool]:
        at = term.get_id()
        if at not in self.known:
            self.known[at] = (term, *self._fitness(term))
        return self.known[at]

    def _fitness(self, term: z3.ExprRef) -> tuple[frozenset[int], bool]:
        if term.get_id() in self.names:
            return frozenset({term.get_id()}), True
        inner = [self._look_at(child) for child in term.children()]
        variables = frozenset[int]().union(*(names for _, names, _ in inner))
        kind = term.decl().kind() if z3.is_app(term) else None
        is_right = kind not in _UNFIT if not variables else kind == z3.Z3_OP_UNINTERPRETED
        return variables, is_right and all(fit for _, _, fit in inner)


_UNFIT = (None, z3.Z3_OP_ITE, z3.Z3_OP_AND, z3.Z3_OP_OR, z3.Z3_OP_NOT)
