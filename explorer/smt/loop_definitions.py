"""What loops without an end give: new terms, which clauses define."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import z3

from ...language import ir
from ...language.where import Where
from .algebra import ExtensionalError
from .clause_execution import ClauseContext, ClauseExecution
from .clauses import Clause
from .encoding import Encoding
from .expressions import Names, Value
from .shapes import Records, Sequence, Shape, UnboundedSet
from .statements import Path
from .terms import (
    Bit,
    Number,
    and_bits,
    boolean_term,
    conjunction,
    constant_number,
    disjunction,
    implies,
    negation,
    or_bits,
)


class DefiningExecution(ClauseExecution):
    """Runs statements, and defines what loops without an end give by clauses about new terms (`assumptions`).

    `all` and `any` become a new truth value; `min` and `max` a new number; a `limit` a new truth value, of which
    `limits` say what it is. Their rounds have to be defined, each of them: whatever others come to, so that a step may
    be found to break the model that Python can take, and never the other way round. Where it `counts`, as in a step,
    how many there are in a set without an end is any number: so more steps can be taken here than in the model.
    """

    def __init__(
        self,
        encoding: Encoding,
        states: Mapping[str, Mapping[str, Shape]],
        suffix: str,
        budgets: frozenset[str] = frozenset(),
        *,
        counts: bool = False,
    ) -> None:
        super().__init__(encoding, states, suffix)
        self.budgets = budgets
        self.assumptions: list[Clause] = []
        self.limits: list[z3.BoolRef] = []
        self.counts = counts

    def run_limit(self, statement: ir.Limit, path: Path) -> None:
        """A guard of the bounds: a new truth value. How many messages there are is any number here; what else the text
        evaluates has to be defined all the same. That of a budget is left out with the budget; one of 0 stops every
        step."""
        if self.encoding.is_finite:
            super().run_limit(statement, path)
        elif statement.budget is not None:
            if self.encoding.is_zero(statement.budget):
                path.stopped_by_limit, path.here = True, False
        else:
            passes = self.any_bit()
            value, defined = self.truth_of(statement.condition, path.names)
            path.need_defined(defined)
            self.limits.append(passes == boolean_term(value))
            path.stopped_by_limit = or_bits(path.stopped_by_limit, and_bits(path.here, negation(passes)))
            path.here = and_bits(path.here, passes)

    def _Length(self, e: ir.Length, names: Names) -> Value:
        container, defined = self.value_of(e.of, names)
        if self.counts and isinstance(container, Records | UnboundedSet):
            return self.numbers.arithmetic("max", self.any_number(), constant_number(0)), defined
        return self.algebra.element_count(container), defined

    def value_of_endless(self, comprehension: ir.Quantified, names: Names) -> Value:
        """The value of a comprehension over something that has no end: a new term, and what is assumed of it."""
        match comprehension.kind:
            case "all" | "any" as kind:
                rounds = self._clauses_over_rounds(comprehension, names, kind == "all", ClauseContext())
                return self._defined_truth(comprehension, names), conjunction(round_.definedness for round_ in rounds)
            case "min" | "max":
                return self._extreme_of(comprehension, names)
            case _:
                return super().value_of_endless(comprehension, names)

    def _defined_truth(self, e: ir.Quantified, names: Names) -> Bit:
        """A truth value that is true exactly if all rounds say so (`any`: if none says the opposite)."""
        wanted = e.kind == "all"
        whole = z3.Bool(self._fresh_name())
        self.assumptions += self._clauses_over_rounds(e, names, wanted, ClauseContext(hypothesis=whole))
        broken = [
            negation(implies(round_.hypothesis, round_.conclusion))
            for round_ in self._clauses_over_rounds(e, names, wanted, ClauseContext())
        ]
        self.assumptions.append(Clause("", (), z3.Not(whole), disjunction(broken), e.where))
        return whole if wanted else negation(whole)

    def are_same_sequences(self, left: Sequence, right: Sequence, where: Where) -> Bit:
        """Whether two sequences of any length are equal: known, or a new truth value."""
        try:
            return self.algebra.are_same(left, right)
        except ExtensionalError:
            whole = z3.Bool(self._fresh_name())
        alike = self.numbers.are_equal(left.length, right.length)
        self.assumptions.append(Clause("", (), whole, alike, where))
        index, variables, inside = self._fresh_position(left.length)
        same = self.algebra.are_same(left.element_at(index), right.element_at(index))
        self.assumptions.append(Clause("", variables, and_bits(whole, inside), same, where))
        other, _, there = self._fresh_position(left.length)
        differ = and_bits(there, negation(self.algebra.are_same(left.element_at(other), right.element_at(other))))
        self.assumptions.append(Clause("", (), z3.Not(whole), disjunction([negation(alike), differ]), where))
        return whole

    def _clauses_over_rounds(
        self, e: ir.Quantified, names: Names, wanted_truth: bool, context: ClauseContext
    ) -> list[Clause]:
        plain = ClauseExecution(self.encoding, self.states, self._fresh_name())
        return [
            clause
            for inner, inside in plain.open_rounds(e.generators, names, context)
            for clause in plain.clauses_of(e.body, inner, inside, wanted_truth)
        ]

    def _extreme_of(self, e: ir.Quantified, names: Names) -> Value:
        """A number that one round gives and no round exceeds."""
        default, right = (None, True) if e.default is None else self.number_of(e.default, names)
        plain = ClauseExecution(self.encoding, self.states, self._fresh_name())
        rounds = [
            (plain.number_of(e.body, inner)[0], inside)
            for inner, inside in plain.open_rounds(e.generators, names, ClauseContext())
        ]
        if not rounds:
            return (constant_number(0) if default is None else default), and_bits(right, default is not None)
        right = and_bits(right, self._has_defined_rounds(e, names))
        lows = [number.lo for number, _ in rounds] + ([] if default is None else [default.lo])
        highs = [number.hi for number, _ in rounds] + ([] if default is None else [default.hi])
        some, best = z3.Bool(self._fresh_name()), Number(z3.Int(self._fresh_name()), min(lows), max(highs))
        for value, inside in rounds:
            beaten = self.numbers.is_less(value, best) if e.kind == "min" else self.numbers.is_less(best, value)
            says = and_bits(some, negation(beaten))
            self.assumptions.append(Clause("", inside.variables, inside.hypothesis, says, e.where))
        witnesses = self._is_given_by_round(e, names, best)
        self.assumptions.append(Clause("", (), some, witnesses, e.where))
        if default is not None:
            otherwise = self.numbers.are_equal(Number(best.term, -inf, inf), default)
            self.assumptions.append(Clause("", (), z3.Not(some), otherwise, e.where))
            return best, right
        return best, and_bits(right, some)

    def _has_defined_rounds(self, e: ir.Quantified, names: Names) -> Bit:
        plain = ClauseExecution(self.encoding, self.states, self._fresh_name())
        return conjunction(
            inside.defined_if(plain.number_of(e.body, inner)[1])
            for inner, inside in plain.open_rounds(e.generators, names, ClauseContext())
        )

    def _is_given_by_round(self, e: ir.Quantified, names: Names, best: Number) -> Bit:
        """One of the rounds gives the number."""
        plain = ClauseExecution(self.encoding, self.states, self._fresh_name())
        free = Number(best.term, -inf, inf)
        return disjunction(
            and_bits(inside.hypothesis, self.numbers.are_equal(free, plain.number_of(e.body, inner)[0]))
            for inner, inside in plain.open_rounds(e.generators, names, ClauseContext())
        )
