"""The parts of a predicate, as clauses with one quantifier each: how far they go says
`predicate.clauses_of_predicate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any, cast

import z3

from ...language import ir
from ...language.immutable import immutable
from ...language.types import Identity, Pool, Subset, Type
from ...language.where import Where
from .algebra import truth_bit
from .clauses import Clause, Member
from .encoding import Encoding
from .errors import NotUnboundedError
from .expressions import EndlessError, Names, Value
from .loop_progress import LoopProgress
from .shapes import Records, Sequence, Shape, UnboundedSet, scalars_in
from .statements import Execution, Path
from .terms import Bit, Number, and_bits, conjunction, implies, negation


@immutable
class ClauseContext:
    """Where in a predicate: what is quantified, under which hypothesis, what had to be defined to come here, and for
    which members of domains."""

    variables: tuple[z3.ExprRef, ...] = ()
    hypothesis: Bit = True
    definedness: Bit = True
    members: tuple[Member, ...] = ()

    def assume(self, condition: Bit, is_defined: Bit = True) -> ClauseContext:
        """Further in, where a condition holds, which had to be defined."""
        return replace(self, hypothesis=and_bits(self.hypothesis, condition), definedness=self.defined_if(is_defined))

    def defined_if(self, is_defined: Bit) -> Bit:
        """All that had to be defined, if something more is evaluated here."""
        return (
            self.definedness if is_defined is True else and_bits(self.definedness, implies(self.hypothesis, is_defined))
        )

    def enter_quantifier(self, variables: tuple[z3.ExprRef, ...], condition: Bit) -> ClauseContext:
        """Further in, for all values of some variables that meet a condition."""
        inner = (*self.variables, *variables)
        return replace(self, variables=inner, hypothesis=and_bits(self.hypothesis, condition))

    def with_element(self, type_: Type, element: Shape) -> ClauseContext:
        """Further in, for one element of a loop."""
        if not isinstance(type_, Identity) or not isinstance(element, Number) or not isinstance(element.term, int):
            return self
        return replace(self, members=(*self.members, (type_.name, element.term)))


class ClauseExecution(Execution):
    """Takes a predicate apart into clauses."""

    def __init__(self, encoding: Encoding, states: Mapping[str, Mapping[str, Shape]], suffix: str) -> None:
        super().__init__(encoding, states)
        self.suffix = suffix
        self.count = 0

    def any_number(self) -> Number:
        """A new variable that stands for any integer."""
        return Number(z3.Int(self._fresh_name()), -inf, inf)

    def any_bit(self) -> z3.BoolRef:
        """A new truth value."""
        return z3.Bool(self._fresh_name())

    # --- bodies -------------------------------------------------------------------------------------------------------

    def clauses_of_body(
        self, statements: tuple[ir.Statement, ...], names: Names, context: ClauseContext, wanted_truth: bool
    ) -> Iterator[Clause]:
        """What a function says that returns `wanted_truth`."""
        if not statements:
            return
        first, *after = statements
        rest = tuple(after)
        match first:
            case ir.Return(value=value):
                yield from self.clauses_of(value, names, context, wanted_truth)
            case ir.Let(name=name, value=value):
                bound, defined = self.value_of(value, names)
                yield from self.clauses_of_body(
                    rest,
                    {**names, name: bound},
                    replace(context, definedness=context.defined_if(defined)),
                    wanted_truth,
                )
            case ir.If(condition=condition, yes=yes, no=no):
                value, defined = self.truth_of(condition, names)
                if value is not False:
                    yield from self.clauses_of_body((*yes, *rest), names, context.assume(value, defined), wanted_truth)
                if value is not True:
                    yield from self.clauses_of_body(
                        (*no, *rest), names, context.assume(negation(value), defined), wanted_truth
                    )
            case ir.Assert(condition=condition):
                value, defined = self.truth_of(condition, names)
                inner = replace(context, definedness=context.defined_if(and_bits(defined, value)))
                yield from self.clauses_of_body(rest, names, inner, wanted_truth)
            case _:
                yield from self._clauses_of_block(statements, names, context, wanted_truth)

    def _clauses_of_block(
        self, statements: tuple[ir.Statement, ...], names: Names, context: ClauseContext, wanted_truth: bool
    ) -> Iterator[Clause]:
        path = Path(dict(names), None)
        self.run_statements(statements, path)
        value: Bit = False
        for when, shape in reversed(path.returned_values):
            value = truth_bit(self.algebra.choose(when, shape, value))
        right = and_bits(*path.definedness)
        yield self._clause(value if wanted_truth else negation(value), right, context, statements[0].where)

    def _clause(self, value: Bit, is_defined: Bit, context: ClauseContext, where: Where) -> Clause:
        return Clause(
            "", context.variables, context.hypothesis, value, where, context.defined_if(is_defined), context.members
        )

    # --- expressions --------------------------------------------------------------------------------------------------

    def clauses_of(self, e: ir.Expr, names: Names, context: ClauseContext, wanted_truth: bool) -> Iterator[Clause]:
        """The clauses of an expression that is `wanted_truth`: as one, if there is no quantifier in it."""
        top = not context.variables and isinstance(e, ir.And if wanted_truth else ir.Or)
        try:
            value, defined = (False, True) if top else self.truth_of(e, names)
        except NotUnboundedError as error:
            yield from self._clauses_of_parts(e, names, context, wanted_truth, error)
            return
        if top:
            yield from self._clauses_in_turn(cast("ir.And | ir.Or", e).operands, names, context, wanted_truth)
        else:
            yield self._clause(value if wanted_truth else negation(value), defined, context, e.where)

    def _clauses_of_parts(
        self, e: ir.Expr, names: Names, context: ClauseContext, wanted_truth: bool, error: NotUnboundedError
    ) -> Iterator[Clause]:
        """The clauses of an expression that has a quantifier in it. Where it says nothing, what had to be defined to
        come to it is said all the same."""
        empty = True
        for clause in self._split_expression(e, names, context, wanted_truth, error):
            empty = False
            yield clause
        if empty:
            yield self._clause(True, True, context, e.where)

    def _split_expression(
        self, e: ir.Expr, names: Names, context: ClauseContext, wanted_truth: bool, error: NotUnboundedError
    ) -> Iterator[Clause]:
        match e:
            case ir.Not(operand=operand):
                yield from self.clauses_of(operand, names, context, not wanted_truth)
            case ir.And(operands=operands) | ir.Or(operands=operands):
                if isinstance(e, ir.And) == wanted_truth:
                    yield from self._clauses_in_turn(operands, names, context, wanted_truth)
                else:
                    yield from self._clauses_of_alternatives(operands, names, context, wanted_truth)
            case ir.Choice(condition=condition, yes=yes, no=no):
                value, defined = self.truth_of(condition, names)
                yield from self.clauses_of(yes, names, context.assume(value, defined), wanted_truth)
                yield from self.clauses_of(no, names, context.assume(negation(value), defined), wanted_truth)
            case ir.Quantified(kind="all" | "any" as kind) if (kind == "all") == wanted_truth:
                for inner, inside in self.open_rounds(e.generators, names, context):
                    yield from self.clauses_of(e.body, inner, inside, wanted_truth)
            case ir.Call(function=function, arguments=arguments):
                values, defined = self.values_of(arguments, names)
                given = dict(zip((name for name, _ in function.parameters), values, strict=True))
                yield from self.clauses_of_body(
                    function.body, given, replace(context, definedness=context.defined_if(defined)), wanted_truth
                )
            case ir.Compare(op="==" | "!=" as op) if (op == "==") == wanted_truth:
                yield from self._clauses_of_equal_sequences(e, names, context, error)
            case _:
                yield self.indivisible_clause(e, names, context, wanted_truth, error)

    def indivisible_clause(
        self, e: ir.Expr, names: Names, context: ClauseContext, wanted_truth: bool, error: NotUnboundedError
    ) -> Clause:
        """The clause of an expression that has a quantifier in it and cannot be taken apart."""
        raise error

    def condition_and_definedness(self, e: ir.Expr, names: Names) -> tuple[Bit, Bit]:
        """Whether a condition of a comprehension is true, and that it is defined."""
        return self.truth_of(e, names)

    def _clauses_in_turn(
        self, operands: tuple[ir.Expr, ...], names: Names, context: ClauseContext, wanted_truth: bool
    ) -> Iterator[Clause]:
        """Each of several; Python comes to a later one only if those before are as wanted."""
        before: Bit = True
        for operand in operands:
            for clause in self.clauses_of(operand, names, context, wanted_truth):
                late = implies(before, clause.definedness)
                yield replace(clause, definedness=and_bits(context.definedness, late))
                if clause.variables == context.variables and not isinstance(clause.conclusion, bool):
                    before = and_bits(before, implies(clause.hypothesis, clause.conclusion))

    def _clauses_of_alternatives(
        self, operands: tuple[ir.Expr, ...], names: Names, context: ClauseContext, wanted_truth: bool
    ) -> Iterator[Clause]:
        """One of several: those without a quantifier are hypotheses of the others, and so is what a clause of one of
        the others says of the next."""
        if not operands:
            yield self._clause(False, True, context, Where("", 0, 0, 0, 0))
            return
        others: list[tuple[ir.Expr, ClauseContext]] = []
        plain: list[Bit] = []
        for operand in operands:
            try:
                value, defined = self.truth_of(operand, names)
            except NotUnboundedError:
                others.append((operand, context))
            else:
                plain.append(negation(value) if wanted_truth else value)
                context = context.assume(plain[-1], defined)
        yield from self._clauses_of_disjunction(others, conjunction(plain), context, names, wanted_truth)

    def _clauses_of_disjunction(
        self,
        others: list[tuple[ir.Expr, ClauseContext]],
        plain: Bit,
        context: ClauseContext,
        names: Names,
        wanted_truth: bool,
    ) -> Iterator[Clause]:
        """One of several with quantifiers. What has to be defined in one is so where those without, of which Python
        comes to some later, have not decided it before."""
        (first, before), *rest = others
        for clause in self.clauses_of(first, names, before, wanted_truth):
            hypothesis = and_bits(clause.hypothesis, plain)
            if not rest:
                yield replace(
                    clause, hypothesis=hypothesis, definedness=and_bits(clause.definedness, context.definedness)
                )
                continue
            left = and_bits(hypothesis, negation(clause.conclusion))
            inner = ClauseContext(
                clause.variables, left, and_bits(clause.definedness, context.definedness), clause.members
            )
            later = [(expression, inner) for expression, _ in rest]
            yield from self._clauses_of_disjunction(later, plain, inner, names, wanted_truth)

    def _clauses_of_equal_sequences(
        self, e: ir.Compare, names: Names, context: ClauseContext, error: NotUnboundedError
    ) -> Iterator[Clause]:
        (left, one), (right, other) = self.value_of(e.left, names), self.value_of(e.right, names)
        if not isinstance(left, Sequence) or not isinstance(right, Sequence):
            raise error
        yield self._clause(self.numbers.are_equal(left.length, right.length), and_bits(one, other), context, e.where)
        index, variables, inside = self._fresh_position(left.length)
        same = self.algebra.are_same(left.element_at(index), right.element_at(index))
        yield self._clause(same, True, context.enter_quantifier(variables, inside), e.where)

    # --- loops --------------------------------------------------------------------------------------------------------

    def open_rounds(
        self, generators: tuple[ir.Generator, ...], names: Names, context: ClauseContext
    ) -> Iterator[tuple[Names, ClauseContext]]:
        """The rounds of nested generators: one for each element of what has an end, one for all of what has none."""
        if not generators:
            yield names, context
            return
        first, *rest = generators
        for element, inside in self._fresh_round(first, names, context):
            inner = {**names, first.variable: element}
            inside = inside.with_element(first.type, element)
            for condition in first.conditions:
                value, defined = self.condition_and_definedness(condition, inner)
                inside = inside.assume(value, defined)
            if inside.hypothesis is not False or inside.definedness is not context.definedness:
                yield from self.open_rounds(tuple(rest), inner, inside)

    def _fresh_round(
        self, generator: ir.Generator, names: Names, context: ClauseContext
    ) -> Iterator[tuple[Shape, ClauseContext]]:
        loop = LoopProgress()
        try:
            found = list(self.elements(generator.source, names, loop, True))
        except EndlessError:
            yield self._arbitrary_element(generator, names, context)
            return
        inside = replace(context, definedness=context.defined_if(and_bits(*loop.definedness)))
        for there, element in found:
            yield element, inside.assume(there)

    def _arbitrary_element(
        self, generator: ir.Generator, names: Names, context: ClauseContext
    ) -> tuple[Shape, ClauseContext]:
        """Any element of what has no end."""
        match generator.source:
            case ir.IntRange(start=start, stop=stop):
                (first, one), (end, other) = self.number_of(start, names), self.number_of(stop, names)
                index, variables = self._fresh_variable(first.lo, end.hi - 1)
                above = negation(self.numbers.is_less(index, first))
                inside = and_bits(above, self._is_in_range(index, first.lo, inf), self.numbers.is_less(index, end))
                return index, replace(context, definedness=context.defined_if(and_bits(one, other))).enter_quantifier(
                    variables, inside
                )
            case ir.Members(of=Subset(), where=where):
                raise NotUnboundedError(
                    where, "it visits all sets of numbers without an end", "a domain, or a fixed range"
                )
            case ir.Members(of=of):
                lo, hi = self.encoding.interval_of(of)
                index, variables = self._fresh_variable(lo, hi)
                return index, context.enter_quantifier(variables, self._is_of_type(of, index))
            case ir.Elements(of=of):
                container, defined = self.value_of(of, names)
                element, variables, inside = self._arbitrary_member(container, of.type, generator.source.where)
                return element, replace(context, definedness=context.defined_if(defined)).enter_quantifier(
                    variables, inside
                )

    def _arbitrary_member(
        self, container: Shape, type_: Any, where: Where
    ) -> tuple[Shape, tuple[z3.ExprRef, ...], Bit]:
        match container:
            case Sequence(length=length, element_at=at):
                index, variables, inside = self._fresh_position(length)
                return at(index), variables, inside
            case Records(has=has):
                record, right = self.encoding.fresh_message(cast(Pool, type_).of, self._fresh_name())
                return record, tuple(variables_of(record)), and_bits(right, has(record))
            case UnboundedSet(has=has):
                of = cast(Subset, type_).of
                member, variables = self._fresh_variable(*self.encoding.interval_of(of))
                return member, variables, and_bits(self._is_of_type(of, member), has(member))
            case _:
                raise NotUnboundedError(
                    where, "this has no end and cannot be gone through", "another kind of collection"
                )

    def _fresh_position(self, length: Number) -> tuple[Number, tuple[z3.ExprRef, ...], Bit]:
        index, variables = self._fresh_variable(0, length.hi - 1)
        return index, variables, and_bits(self._is_in_range(index, 0, inf), self.numbers.is_less(index, length))

    def _fresh_variable(self, lo: float, hi: float) -> tuple[Number, tuple[z3.ExprRef, ...]]:
        free = z3.Int(self._fresh_name())
        return Number(free, lo, max(lo, hi)), (free,)  # of no number at all, comparisons would fold to anything

    def _is_in_range(self, index: Number, lo: float, hi: float) -> Bit:
        return self.numbers.is_in_interval(Number(index.term, -inf, inf), lo, hi)

    def _is_of_type(self, type_: Type, index: Number) -> Bit:
        return self.encoding.is_in_interval(type_, Number(index.term, -inf, inf))

    def _fresh_name(self) -> str:
        self.count += 1
        return f"{self.suffix}!{self.count}"


def variables_of(shape: Shape) -> Iterator[z3.ExprRef]:
    """The variables that a fresh shape is made of."""
    for scalar in scalars_in(shape):
        term = scalar.term if isinstance(scalar, Number) else scalar
        if isinstance(term, z3.ExprRef):
            yield term


class NestedClauseExecution(ClauseExecution):
    """Takes a goal apart into clauses. What cannot be taken apart is a formula with quantifiers in it: that of a goal
    is only ever negated, and the solver gives a name to each element that there is then."""

    def indivisible_clause(
        self, e: ir.Expr, names: Names, context: ClauseContext, wanted_truth: bool, error: NotUnboundedError
    ) -> Clause:
        """The clause of an expression, with the quantifiers that are in it."""
        value, defined = self.condition_and_definedness(e, names)
        return self._clause(value if wanted_truth else negation(value), defined, context, e.where)

    def condition_and_definedness(self, e: ir.Expr, names: Names) -> tuple[Bit, Bit]:
        """Whether a condition is true, with the quantifiers that are in it."""
        try:
            return self.truth_of(e, names)
        except NotUnboundedError:
            return _QuantifiedExecution(self.encoding, self.states, self._fresh_name()).truth_of(e, names)


class _QuantifiedExecution(NestedClauseExecution):
    """Evaluates expressions; `all` and `any` over what has no end become quantifiers. Their rounds have to be defined,
    each of them."""

    def value_of_endless(self, comprehension: ir.Quantified, names: Names) -> Value:
        """The value of a comprehension over something that has no end: a formula with a quantifier."""
        if comprehension.kind not in ("all", "any"):
            return super().value_of_endless(comprehension, names)
        wanted = comprehension.kind == "all"
        plain = NestedClauseExecution(self.encoding, self.states, self._fresh_name())
        rounds = [
            clause
            for inner, inside in plain.open_rounds(comprehension.generators, names, ClauseContext())
            for clause in plain.clauses_of(comprehension.body, inner, inside, wanted)
        ]
        every = conjunction(round_.as_assumption() for round_ in rounds)
        return every if wanted else negation(every), conjunction(round_.definedness for round_ in rounds)
