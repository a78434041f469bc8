"""Formulas over named truth values as clauses, by Z3's own simplifier and bit-blaster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import z3

from .terms import Bit, formula


@dataclass(frozen=True, slots=True)
class Clauses:
    """A conjunction of clauses over the variables 1 to `count`, of which some have names. A literal is a variable or
    its negative. A name that is not there is free: nothing depends on it."""

    names: Mapping[str, int]
    count: int
    clauses: tuple[tuple[int, ...], ...]


def clauses_of(formulas: Iterable[Bit]) -> Clauses:
    """Clauses that hold, for some values of the variables without a name, exactly if all formulas do.

    The formulas are over truth values and bit-vectors made of them (see `numbers.BitVectors`). No cardinality
    constraint may be among them: Z3 would pass it on as one atom."""
    goal = z3.Goal()
    for each in formulas:
        if each is not True:
            goal.add(formula(each))
    (made,) = _tactic().apply(goal)
    return read_dimacs(made.dimacs(True))


def _tactic() -> z3.Tactic:
    return z3.Then("simplify", "propagate-values", "bit-blast", "simplify", "aig", "tseitin-cnf")


def read_dimacs(text: str) -> Clauses:
    """What Z3 writes: `p cnf`, the clauses, and a comment `c number name` for each variable."""
    names: dict[str, int] = {}
    clauses: list[tuple[int, ...]] = []
    count = 0
    for line in text.splitlines():
        if line.startswith("c "):
            _, number, name = line.split(" ", 2)
            names[name.strip("|")] = int(number)
        elif line.startswith("p "):
            count = int(line.split()[2])
        elif line:
            clauses.append(tuple(int(each) for each in line.split()[:-1]))
    return Clauses(names, count, tuple(clauses))
