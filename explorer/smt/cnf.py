"""Formulas over named truth values as clauses, by Z3's own simplifier and bit-blaster."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import z3

from .sat import SolverEnded
from .terms import Bit, formula


@dataclass(frozen=True, slots=True)
class Clauses:
    """A conjunction of clauses over the variables 1 to `count`, of which some have names. A literal is a variable or
    its negative. A name that is not there is free: nothing depends on it."""

    names: Mapping[str, int]
    count: int
    clauses: tuple[tuple[int, ...], ...]


def clauses_of(formulas: Iterable[Bit], deadline: float | None = None) -> Clauses:
    """Clauses that hold, for some values of the variables without a name, exactly if all formulas do.

    The formulas are over truth values and bit-vectors made of them (see `numbers.BitVectors`). No cardinality
    constraint may be among them: Z3 would pass it on as one atom. Numbers of many bits take long: SolverEnded at the
    `deadline`, a time of `time.monotonic`."""
    goal = z3.Goal()
    for bit in formulas:
        if bit is not True:
            goal.add(formula(bit))
    (made,) = _applied(goal, deadline)
    return read_dimacs(made.dimacs(True))


def _applied(goal: z3.Goal, deadline: float | None) -> Sequence[z3.Goal]:
    if deadline is None:
        return _tactic().apply(goal)
    left = int(1000 * (deadline - time.monotonic()))
    try:
        if left > 0:
            return z3.TryFor(_tactic(), left).apply(goal)
    except z3.Z3Exception:
        if time.monotonic() < deadline:
            raise
    raise SolverEnded("the time limit was reached")


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
