"""Expressions of the typed form as shapes. Each comes with `defined`: whether Python would evaluate it without an
error, short circuits included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any, TypeAlias, cast

from ...language import ir
from ...language.constants import EXPONENT_MAX
from ...language.frontend.folding import is_never_error
from ...language.types import Bool, Identity, Map, Option, Pool, Subset, Type, Unit
from ...language.where import Where
from .algebra import ExtensionalError, align_members, is_in_result, memoize, truth_bit
from .encoding import Encoding
from .errors import NotUnboundedError, endless_exponent_error, endless_value_error
from .loop_progress import LoopProgress
from .numbers import is_at_least
from .shapes import (
    Fields,
    Heap,
    IntegerMap,
    MemberBits,
    Records,
    Sequence,
    Shape,
    Slots,
    SymbolicOption,
    Table,
    UnboundedSet,
)
from .terms import (
    Bit,
    Number,
    and_bits,
    choose_bit,
    conjunction,
    constant_number,
    implies,
    negation,
    or_bits,
)

Names: TypeAlias = Mapping[str, Shape]
Value: TypeAlias = tuple[Shape, Bit]
"""A shape, and whether it is defined."""


class EndlessError(Exception):
    """A loop over something that has no end."""


class Evaluator:
    """Evaluates expressions over some states, each a field's name to its shape.

    `value_of_endless` gives the value of a comprehension over something without an end, `value_of_call` that of a
    helper. `version` is another number wherever the states are others.
    """

    def __init__(self, encoding: Encoding, states: Mapping[str, Mapping[str, Shape]]) -> None:
        self.encoding = encoding
        self.algebra = encoding.algebra
        self.numbers = encoding.numbers
        self.states = states
        self.version: int = 0

    def value_of_call(self, function: ir.Function, arguments: tuple[Shape, ...], where: Where) -> Value:
        """The value of a helper."""
        raise NotImplementedError

    def value_of_endless(self, comprehension: ir.Quantified, names: Names) -> Value:
        """The value of a comprehension over something that has no end."""
        raise NotUnboundedError(
            comprehension.where,
            f"`{comprehension.kind}` goes over something that has no end here",
            "lemmas may use `all` over it at their top level",
        )

    def are_same_sequences(self, left: Sequence, right: Sequence, where: Where) -> Bit:
        """Whether two sequences of any length are equal."""
        return self.algebra.are_same(left, right)

    # --- one expression -----------------------------------------------------------------------------------------------

    def value_of(self, expression: ir.Expr, names: Names) -> Value:
        """The expression's value. NotUnboundedError, with the line, when it has none in this encoding."""
        try:
            return getattr(self, f"_{type(expression).__name__}")(expression, names)
        except ExtensionalError:
            raise endless_value_error(expression.where) from None

    def truth_of(self, expression: ir.Expr, names: Names) -> tuple[Bit, Bit]:
        """A condition's value."""
        value, defined = self.value_of(expression, names)
        return truth_bit(value), defined

    def number_of(self, expression: ir.Expr, names: Names) -> tuple[Number, Bit]:
        """A scalar's value as a number."""
        value, defined = self.value_of(expression, names)
        return self.algebra.number(value), defined

    def values_of(self, expressions: tuple[ir.Expr, ...], names: Names) -> tuple[list[Shape], Bit]:
        """Several, all of which Python evaluates."""
        found = [self.value_of(expression, names) for expression in expressions]
        return [value for value, _ in found], conjunction(defined for _, defined in found)

    # --- constants and names ------------------------------------------------------------------------------------------

    def _Const(self, e: ir.Const, names: Names) -> Value:
        if isinstance(e.type, Option | Unit):
            return SymbolicOption(False, None), True
        return (bool(e.number) if isinstance(e.type, Bool) else constant_number(e.number)), True

    def _OpenConst(self, e: ir.OpenConst, names: Names) -> Value:
        return self.encoding.open_constant(e.type, e.name), True

    def _Name(self, e: ir.Name, names: Names) -> Value:
        return names[e.name], True

    def _StateField(self, e: ir.StateField, names: Names) -> Value:
        return self.states[e.state][e.field], True

    # --- logic --------------------------------------------------------------------------------------------------------

    def _Not(self, e: ir.Not, names: Names) -> Value:
        value, defined = self.truth_of(e.operand, names)
        return negation(value), defined

    def _And(self, e: ir.And, names: Names) -> Value:
        return self._evaluate_in_turn(e.operands, names, stop_at=False)

    def _Or(self, e: ir.Or, names: Names) -> Value:
        return self._evaluate_in_turn(e.operands, names, stop_at=True)

    def _evaluate_in_turn(self, operands: tuple[ir.Expr, ...], names: Names, *, stop_at: bool) -> Value:
        """Operands until one is `stop_at`."""
        going: list[Bit] = []
        right: list[Bit] = []
        for operand in operands:
            value, defined = self.truth_of(operand, names)
            if defined is not True:
                right.append(implies(conjunction(going), defined))
            goes_on = negation(value) if stop_at else value
            going.append(goes_on)
            if goes_on is False:
                break
        through = conjunction(going)
        return (negation(through) if stop_at else through), conjunction(right)

    def _Choice(self, e: ir.Choice, names: Names) -> Value:
        condition, right = self.truth_of(e.condition, names)
        if isinstance(condition, bool):
            value, defined = self.value_of(e.yes if condition else e.no, names)
            return value, and_bits(right, defined)
        (yes, yes_right), (no, no_right) = self.value_of(e.yes, names), self.value_of(e.no, names)
        return self.algebra.choose(condition, yes, no), and_bits(right, choose_bit(condition, yes_right, no_right))

    # --- scalars ------------------------------------------------------------------------------------------------------

    def _Arithmetic(self, e: ir.Arithmetic, names: Names) -> Value:
        (left, one), (right, other) = self.number_of(e.left, names), self.number_of(e.right, names)
        defined = and_bits(one, other)
        if e.op in ("//", "%"):
            defined = and_bits(defined, negation(self.algebra.is_constant(right, 0)))
        if e.op == "**" and right.hi > EXPONENT_MAX:
            raise endless_exponent_error(e.where)
        return self.numbers.arithmetic(e.op, left, right), defined

    def _Compare(self, e: ir.Compare, names: Names) -> Value:
        (left, one), (right, other) = self.value_of(e.left, names), self.value_of(e.right, names)
        if e.op in ("==", "!=") and isinstance(left, Sequence) and isinstance(right, Sequence):
            same = self.are_same_sequences(left, right, e.where)
            return (same if e.op == "==" else negation(same)), and_bits(one, other)
        return self._compare(e.op, left, right), and_bits(one, other)

    def _compare(self, op: str, left: Shape, right: Shape) -> Bit:
        if op in ("==", "!="):
            if isinstance(left, SymbolicOption) != isinstance(right, SymbolicOption):
                left, right = (
                    side if isinstance(side, SymbolicOption) else SymbolicOption(True, side) for side in (left, right)
                )
            same = self.algebra.are_same(left, right)
            return same if op == "==" else negation(same)
        one, other = self.algebra.number(left), self.algebra.number(right)
        if op in (">", "<="):
            one, other = other, one
        less = self.numbers.is_less(one, other)
        return less if op in ("<", ">") else negation(less)

    # --- options and records ------------------------------------------------------------------------------------------

    def _Some(self, e: ir.Some, names: Names) -> Value:
        value, defined = self.value_of(e.value, names)
        return (value if isinstance(value, SymbolicOption) else SymbolicOption(True, value)), defined

    def _IsNone(self, e: ir.IsNone, names: Names) -> Value:
        value, defined = self.value_of(e.option, names)
        return negation(cast(SymbolicOption, value).present), defined

    def _Unwrap(self, e: ir.Unwrap, names: Names) -> Value:
        value, defined = self.value_of(e.option, names)
        option = cast(SymbolicOption, value)
        inside = self.encoding.first_value(e.type) if option.value is None else option.value
        return inside, and_bits(defined, option.present)

    def _RecordField(self, e: ir.RecordField, names: Names) -> Value:
        record, defined = self.value_of(e.record, names)
        return cast(Fields, record).parts[e.field], defined

    def _MakeRecord(self, e: ir.MakeRecord, names: Names) -> Value:
        parts, defined = self.values_of(e.fields, names)
        return Fields(dict(zip((name for name, _ in e.type.fields), parts, strict=True))), defined

    def _Replace(self, e: ir.Replace, names: Names) -> Value:
        record, right = self.value_of(e.record, names)
        values, defined = self.values_of(tuple(change for _, change in e.changes), names)
        changes = dict(zip((name for name, _ in e.changes), values, strict=True))
        return Fields({**cast(Fields, record).parts, **changes}), and_bits(right, defined)

    # --- containers ---------------------------------------------------------------------------------------------------

    def _Index(self, e: ir.Index, names: Names) -> Value:
        container, right = self.value_of(e.container, names)
        index, defined = self.number_of(e.index, names)
        there = self.has_index(container, index)
        if isinstance(container, Slots) and not container.parts:
            return self.encoding.first_value(e.type), and_bits(right, defined, there)
        return self.algebra.element_at(container, index), and_bits(right, defined, there)

    def has_index(self, container: Shape, index: Number) -> Bit:
        """Whether the container has something at the index."""
        match container:
            case Table(first=first, parts=parts):
                return self.numbers.is_in_interval(index, first, first + len(parts) - 1)
            case IntegerMap(ends=(first, last)):
                return and_bits(is_at_least(self.numbers, index, first), is_at_least(self.numbers, last, index))
            case Slots(length=length) | Sequence(length=length):
                return and_bits(self.numbers.is_in_interval(index, 0, inf), self.numbers.is_less(index, length))
            case _:
                raise TypeError(f"{type(container).__name__} has no elements by index")

    def _Slice(self, e: ir.Slice, names: Names) -> Value:
        value, right = self.value_of(e.sequence, names)
        whole = cast("Slots | Sequence", value)
        start, one = (constant_number(0), True) if e.start is None else self.number_of(e.start, names)
        stop, other = (whole.length, True) if e.stop is None else self.number_of(e.stop, names)
        sane = and_bits(self.numbers.is_in_interval(start, 0, inf), self.numbers.is_in_interval(stop, 0, inf))
        start = self.numbers.narrow_to(start, 0, inf if start.hi == inf else max(start.hi, 0))
        stop = self.numbers.narrow_to(stop, 0, inf if stop.hi == inf else max(stop.hi, 0))
        end = self.numbers.arithmetic("min", stop, whole.length)
        length = self.numbers.arithmetic("max", self.numbers.arithmetic("-", end, start), constant_number(0))
        return self._shift_sequence(whole, start, length), and_bits(right, one, other, sane)

    def _shift_sequence(self, whole: Slots | Sequence, start: Number, length: Number) -> Shape:
        """The part of a sequence that begins at `start`."""

        def shifted_element(index: Number) -> Shape:
            return self.algebra.element_at(whole, self.numbers.arithmetic("+", index, start))

        if isinstance(whole, Sequence):
            return whole if start.term == 0 and length is whole.length else Sequence(length, shifted_element)
        return Slots(
            length,
            tuple(shifted_element(constant_number(number)) for number in range(min(int(length.hi), len(whole.parts)))),
        )

    def _Length(self, e: ir.Length, names: Names) -> Value:
        container, defined = self.value_of(e.of, names)
        return self.algebra.element_count(container), defined

    def _Contains(self, e: ir.Contains, names: Names) -> Value:
        (element, one), (container, other) = self.value_of(e.element, names), self.value_of(e.container, names)
        return self.algebra.has_element(container, element), and_bits(one, other)

    def _SetOperation(self, e: ir.SetOperation, names: Names) -> Value:
        (left, one), (right, other) = self.value_of(e.left, names), self.value_of(e.right, names)
        if isinstance(left, Heap | Records) and isinstance(right, Heap | Records):
            return self.algebra.combine_pools(e.op, left, right), and_bits(one, other)
        return self._combine(e.op, left, right), and_bits(one, other)

    def _combine(self, op: str, left: Shape, right: Shape) -> Shape:
        if isinstance(left, UnboundedSet) and isinstance(right, UnboundedSet) and op != "<=":
            return UnboundedSet(lambda member: is_in_result(op, left.has(member), right.has(member)))
        if not isinstance(left, MemberBits) or not isinstance(right, MemberBits):
            raise ExtensionalError
        one, other = align_members(left, right)
        bits = tuple(is_in_result(op, a, b) for a, b in zip(one.bits, other.bits, strict=True))
        return conjunction(bits) if op == "<=" else MemberBits(one.first, bits)

    def _IsMajority(self, e: ir.IsMajority, names: Names) -> Value:
        value, defined = self.value_of(e.subset, names)
        members = cast(MemberBits, value)
        return self._is_more_than(members.bits, len(members.bits) // 2), defined

    def _Position(self, e: ir.Position, names: Names) -> Value:
        value, defined = self.value_of(e.of, names)
        return self.algebra.number(value), defined

    def _MemberAt(self, e: ir.MemberAt, names: Names) -> Value:
        number, defined = self.number_of(e.number, names)
        lo, hi = self.encoding.interval_of(e.type)
        member = self.numbers.narrow_to(number, lo, hi)
        made = self.algebra.is_constant(number, 1) if isinstance(e.type, Bool) else member
        return made, and_bits(defined, self.numbers.is_in_interval(number, lo, hi))

    def _is_more_than(self, bits: tuple[Bit, ...], count: int) -> Bit:
        """Whether more than `count` of them are true: as each is taken or left, never by a cardinality constraint."""
        rows = cast("list[Bit]", [True] + [False] * (count + 1))  # rows[n]: at least n so far
        for held in bits:
            rows = [True] + [or_bits(rows[n], and_bits(rows[n - 1], held)) for n in range(1, count + 2)]
        return rows[count + 1]

    def _MakeSubset(self, e: ir.MakeSubset, names: Names) -> Value:
        elements, defined = self.values_of(e.elements, names)
        numbers = [self.algebra.number(element) for element in elements]
        inside = conjunction(self.encoding.is_in_interval(e.type.of, number) for number in numbers)
        return self.encoding.subset(numbers, e.type.of), and_bits(defined, inside)

    def _FullSubset(self, e: ir.FullSubset, names: Names) -> Value:
        members = self.encoding.numbers_of(e.type.of)
        if members is None:
            return UnboundedSet(lambda member: self.encoding.is_in_interval(e.type.of, member)), True
        return MemberBits(members.start, (True,) * len(members)), True

    def _MakeSeq(self, e: ir.MakeSeq, names: Names) -> Value:
        elements, defined = self.values_of(e.elements, names)
        if self.encoding.is_finite:
            return Slots(constant_number(len(elements)), tuple(elements)), defined
        return self.encoding.sequence(tuple(elements), e.type), defined

    def _Concat(self, e: ir.Concat, names: Names) -> Value:
        (one, left_right), (other, right_right) = self.value_of(e.left, names), self.value_of(e.right, names)
        left, right = cast("Slots | Sequence", one), cast("Slots | Sequence", other)
        length = self.numbers.arithmetic("+", left.length, right.length)
        defined = and_bits(left_right, right_right)
        if left.length.term == 0 or right.length.term == 0:
            return (right if left.length.term == 0 else left), defined

        def joined_element(index: Number) -> Shape:
            later = self.algebra.element_at(right, self.numbers.arithmetic("-", index, left.length))
            before = self.numbers.is_less(index, left.length)
            if before is False:
                return later
            return self.algebra.choose(before, self.algebra.element_at(left, index), later)

        if isinstance(left, Slots) and isinstance(right, Slots):
            return self._join_sequences(left, right, length), defined
        return Sequence(length, joined_element), defined

    def _join_sequences(self, left: Slots, right: Slots, length: Number) -> Slots:
        if not left.parts or not right.parts:
            return Slots(length, left.parts or right.parts)
        parts: list[Shape] = []
        for at in range(int(length.hi)):
            beyond = self.numbers.arithmetic("-", constant_number(at), left.length)
            later = self.algebra.select_part(right.parts, 0, beyond)
            before = self.algebra.is_below(at, left.length)
            parts.append(self.algebra.choose(before, left.parts[min(at, len(left.parts) - 1)], later))
        return Slots(length, tuple(parts))

    def _MakePool(self, e: ir.MakePool, names: Names) -> Value:
        elements, defined = self.values_of(e.elements, names)
        pool = cast("Heap | Records", self.encoding.first_value(e.type))
        for element in elements:
            record, fits = self.encoding.shape_for_cell(e.type.of, element)
            pool, defined = self.algebra.add_record(pool, cast(Fields, record)), and_bits(defined, fits)
        return pool, defined

    def _MakeMap(self, e: ir.MakeMap, names: Names) -> Value:
        type_ = cast(Map, e.type)
        keys = self.encoding.numbers_of(type_.key)
        if keys is None:
            return self._endless_map(e, type_, names)
        found = [self.value_of(e.value, {**names, e.variable: self.scalar_constant(type_.key, key)}) for key in keys]
        return Table(keys.start, tuple(value for value, _ in found)), conjunction(defined for _, defined in found)

    def _endless_map(self, e: ir.MakeMap, type_: Map, names: Names) -> Value:
        key = self.any_number()
        _, defined = self.value_of(e.value, {**names, e.variable: key})
        made = IntegerMap(self.encoding.end_terms(type_.key), self.function_of_number(e.value, e.variable, names))
        return made, implies(self.encoding.is_in_interval(type_.key, key), defined)

    def any_number(self) -> Number:
        """A new variable that stands for any integer: what is to be defined for all is defined for it."""
        raise NotImplementedError

    def any_bit(self) -> Bit:
        """A new truth value, of which nothing is known."""
        raise NotImplementedError

    def function_of_number(self, expression: ir.Expr, variable: str, names: Names) -> Callable[[Number], Shape]:
        """An expression as a function of one of its names, a number, all others and the states as they are now."""
        return memoize(self.function_of_name(expression, variable, names))

    def function_of_name(self, expression: ir.Expr, variable: str, names: Names) -> Callable[[Shape], Shape]:
        """As `later`, of a name for any value; what it gives is not remembered."""
        states = {name: dict(cells) for name, cells in self.states.items()}
        names, version = dict(names), self.version

        def remaining_element(value: Shape) -> Shape:
            now = self.states, self.version
            self.states, self.version = states, version
            try:
                return self.value_of(expression, {**names, variable: value})[0]
            finally:
                self.states, self.version = now

        return remaining_element

    def scalar_constant(self, type_: Type, number: int) -> Shape:
        """A constant of a scalar type."""
        return bool(number) if isinstance(type_, Bool) else constant_number(number)

    # --- comprehensions -----------------------------------------------------------------------------------------------

    def _Call(self, e: ir.Call, names: Names) -> Value:
        arguments, right = self.values_of(e.arguments, names)
        value, defined = self.value_of_call(e.function, tuple(arguments), e.where)
        return value, and_bits(right, defined)

    def _Quantified(self, e: ir.Quantified, names: Names) -> Value:
        loop = LoopProgress(
            is_ordered=self.encoding.is_finite or not any(is_unordered(generator.source) for generator in e.generators)
        )
        default, right = (None, True) if e.default is None else self.value_of(e.default, names)
        try:
            value = self._collect_results(e, names, loop, default)
        except EndlessError:
            return self._filter_messages(e, names) or self.value_of_endless(e, names)
        return value, and_bits(right, conjunction(loop.definedness))

    def _collect_results(self, e: ir.Quantified, names: Names, loop: LoopProgress, default: Shape | None) -> Shape:
        rounds = self.rounds(e.generators, names, loop)
        match e.kind:
            case "all" | "any":
                for there, inner in rounds:
                    value, defined = self.truth_of(e.body, inner)
                    loop.need_defined(there, defined)
                    loop.stop_loop(and_bits(there, negation(value) if e.kind == "all" else value))
                    if loop.going is False and loop.is_ordered:
                        break
                return loop.going if e.kind == "all" else negation(loop.going)
            case "sum":
                return self.algebra.sum_of([self._count_true(e.body, there, inner, loop) for there, inner in rounds])
            case "set":
                return self._set_of(e, rounds, loop)
            case "min" | "max":
                return self._extreme(e, rounds, loop, default)

    def _filter_messages(self, e: ir.Quantified, names: Names) -> Value | None:
        """`{m for m in s.messages if ...}`, of messages without a capacity: which records are in it. None of any other
        comprehension, and where a condition may be an error."""
        match e:
            case ir.Quantified(
                kind="set",
                generators=(ir.Generator(variable=name, source=ir.Elements(of=of), conditions=conditions),),
                body=ir.Name(name=chosen),
            ) if name == chosen and all(map(is_never_error, conditions)):
                whole, defined = self.value_of(of, names)
            case _:
                return None
        if not isinstance(whole, Records) or whole.multiple:
            return None
        asked = [self.function_of_name(condition, name, names) for condition in conditions]
        return Records(
            lambda record: and_bits(whole.has(record), *(truth_bit(ask(record)) for ask in asked)), False
        ), defined

    def _count_true(self, body: ir.Expr, there: Bit, names: Names, loop: LoopProgress) -> Number:
        value, defined = self.number_of(body, names)
        loop.need_defined(there, defined)
        return self.numbers.choose(there, value, constant_number(0))

    def _set_of(self, e: ir.Quantified, rounds: Iterator[tuple[Bit, Names]], loop: LoopProgress) -> Shape:
        if isinstance(e.type, Pool):
            return self._records_of(e.body, e.type, rounds, loop)
        type_ = cast(Subset, e.type)
        members = self.encoding.numbers_of(type_.of)
        if members is None:
            raise EndlessError
        bits = cast("list[Bit]", [False] * len(members))
        for there, inner in rounds:
            value, defined = self.number_of(e.body, inner)
            loop.need_defined(
                there, and_bits(defined, self.numbers.is_in_interval(value, members.start, members.stop - 1))
            )
            for at, member in enumerate(members):
                bits[at] = or_bits(bits[at], and_bits(there, self.algebra.is_constant(value, member)))
        return MemberBits(members.start, tuple(bits))

    def _records_of(self, body: ir.Expr, type_: Pool, rounds: Iterator[tuple[Bit, Names]], loop: LoopProgress) -> Shape:
        made = Heap(constant_number(0), (), False)
        for there, inner in rounds:
            value, defined = self.value_of(body, inner)
            record, fits = self.encoding.shape_for_cell(type_.of, value)
            loop.need_defined(there, and_bits(defined, fits))
            made = self.algebra.add_record_if(there, made, cast(Fields, record))
        return made

    def _extreme(
        self, e: ir.Quantified, rounds: Iterator[tuple[Bit, Names]], loop: LoopProgress, default: Shape | None
    ) -> Shape:
        some: Bit = False
        best: Number | None = None
        for there, inner in rounds:
            value, defined = self.number_of(e.body, inner)
            loop.need_defined(there, defined)
            if best is None:
                best, some = value, there
                continue
            ahead = self.numbers.is_less(value, best) if e.kind == "min" else self.numbers.is_less(best, value)
            best = self.numbers.choose(and_bits(there, or_bits(negation(some), ahead)), value, best)
            some = or_bits(some, there)
        if default is None:
            loop.need_defined(True, some)
            return constant_number(0) if best is None else best
        other = self.algebra.number(default)
        return other if best is None else self.numbers.choose(some, best, other)

    # --- loops --------------------------------------------------------------------------------------------------------

    def rounds(
        self, generators: tuple[ir.Generator, ...], names: Names, loop: LoopProgress, there: Bit = True
    ) -> Iterator[tuple[Bit, Names]]:
        """The rounds of nested generators: whether each takes place, and the names in it."""
        if not generators:
            yield there, names
            return
        first, *rest = generators
        for present, element in self.elements(first.source, names, loop, there):
            inner = {**names, first.variable: element}
            passed = and_bits(there, present)
            for condition in first.conditions:
                value, defined = self.truth_of(condition, inner)
                loop.need_defined(passed, defined)
                passed = and_bits(passed, value)
            if passed is not False:
                yield from self.rounds(tuple(rest), inner, loop, passed)

    def elements(self, source: ir.Source, names: Names, loop: LoopProgress, there: Bit) -> Iterator[tuple[Bit, Shape]]:
        """What a source goes over: whether each element is there, and what it is."""
        match source:
            case ir.IntRange(start=start, stop=stop):
                (first, one), (end, other) = self.number_of(start, names), self.number_of(stop, names)
                loop.need_defined(there, and_bits(one, other))
                if end.hi == inf or first.lo == -inf:
                    raise EndlessError
                for number in range(int(first.lo), int(end.hi)):
                    inside = and_bits(
                        negation(self.algebra.is_below(number, first)), self.algebra.is_below(number, end)
                    )
                    if inside is not False:
                        yield inside, constant_number(number)
            case ir.Members(of=Subset(of=of)):
                members = self.encoding.numbers_of(of)
                if members is None:
                    raise EndlessError
                for mask in range(1 << len(members)):
                    yield True, MemberBits(members.start, tuple(bool(mask >> at & 1) for at in range(len(members))))
            case ir.Members(of=of):
                members = self.encoding.numbers_of(of)
                if members is None:
                    raise EndlessError
                yield from ((True, self.scalar_constant(of, number)) for number in members)
            case ir.Elements(of=of):
                container, defined = self.value_of(of, names)
                loop.need_defined(there, defined)
                yield from self._elements_of(container, of.type)

    def _elements_of(self, container: Shape, type_: Any) -> Iterator[tuple[Bit, Shape]]:
        match container:
            case MemberBits(first=first, bits=bits):
                for at, held in enumerate(bits):
                    if held is not False:
                        yield held, self.scalar_constant(cast(Subset, type_).of, first + at)
            case Slots(length=end, parts=parts):
                for at, part in enumerate(parts):
                    if (there := self.algebra.is_below(at, end)) is not False:
                        yield there, part
            case Heap(count=end, slots=parts):
                for at, part in enumerate(parts):
                    if (there := self.algebra.is_below(at, end)) is not False:
                        yield there, part
            case Sequence(length=length, element_at=at) if length.hi < inf:
                for place in range(int(length.hi)):
                    yield self.algebra.is_below(place, length), at(constant_number(place))
            case _:
                raise EndlessError


def is_unordered(source: ir.Source) -> bool:
    """Whether the order of a source's rounds depends on what members of a symmetric domain are called."""
    match source:
        case ir.Members(of=of):
            return isinstance(of, Identity) and of.symmetric
        case ir.Elements(of=of):
            return isinstance(of.type, Subset | Pool)
        case _:
            return False
