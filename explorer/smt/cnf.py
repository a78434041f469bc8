"""Formulas over named truth values as clauses, by Z3's own simplifier and bit-blaster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing

import z3

from ...language.immutable import immutable
from .process_pool import LostTask, run_tasks
from .sat import TIME_LIMIT_REACHED, SolverEndedError, check_deadline
from .terms import Bit, formula


@immutable
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
    `deadline`, a time of `time.monotonic`. Z3's passes do not look at the clock, so with a deadline they run in a
    process of their own, which is ended there."""
    goal = z3.Goal()
    for bit in formulas:
        if bit is not True:
            goal.add(formula(bit))
    return read_dimacs(_dimacs(goal) if deadline is None else _dimacs_by(goal, deadline), deadline)


def _dimacs(goal: z3.Goal) -> str:
    (made,) = _tactic().apply(goal)
    return made.dimacs(True)


def _dimacs_by(goal: z3.Goal, deadline: float) -> str:
    def work(task: str) -> Iterator[str]:
        yield _dimacs(goal)

    with closing(run_tasks(lambda: work, deque(["all of it"]), 1, deadline)) as results:
        made = next(results, None)
    if made is None:
        raise SolverEndedError(TIME_LIMIT_REACHED)
    if isinstance(made, LostTask):
        raise SolverEndedError(f"no clauses were made: {made.reason}")
    return made


def _tactic() -> z3.Tactic:
    return z3.Then("simplify", "propagate-values", "bit-blast", "simplify", "aig", "tseitin-cnf")


def read_dimacs(text: str, deadline: float | None = None) -> Clauses:
    """What Z3 writes: `p cnf`, the clauses, and a comment `c number name` for each variable. SolverEnded at the
    `deadline`, a time of `time.monotonic`."""
    names: dict[str, int] = {}
    clauses: list[tuple[int, ...]] = []
    count = 0
    for line in check_deadline(text.splitlines(), deadline):
        if line.startswith("c "):
            _, number, name = line.split(" ", 2)
            names[name.strip("|")] = int(number)
        elif line.startswith("p "):
            count = int(line.split()[2])
        elif line:
            clauses.append(tuple(int(literal) for literal in line.split()[:-1]))
    return Clauses(names, count, tuple(clauses))
