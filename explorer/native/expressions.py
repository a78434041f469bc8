"""Expressions of the typed form as LLVM code.

Small expressions are evaluated without branches, under a *predicate* that says whether Python would have evaluated
them at all; only larger ones jump. An error (index out of range, None unwrapped, division by zero) leaves the
function, if the predicate holds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import reduce
from typing import Any

from llvmlite import ir as llvm

from ...language import ir
from ...language.types import (
    Bool,
    Int,
    Map,
    Option,
    Pool,
    Seq,
    Subset,
    Type,
    scalar_size,
    value_count,
)
from ..traversal import children, is_expression
from .cells import BuiltValue, Items, Mask, NativeNumber, NativeOption, NativeTruth, PackedValue, Parts, Words
from .choices import Choices
from .effort import FULL_EFFORT, CompileEffort
from .layout import Layout
from .machine import I1
from .scalars import Bit, Num
from .shapes import is_interval_within, leaf_types, unbounded_type

CHEAP = 14
"""Expressions of at most this many operations are evaluated without branches."""
UNROLL = 24
"""Loops of at most this many rounds are unrolled."""

Environment = dict[str, BuiltValue]


class Expressions(Choices):
    """Evaluates expressions into values at the builder's position."""

    def __init__(
        self,
        layout: Layout,
        builder: llvm.IRBuilder,
        opens: Mapping[str, llvm.Value],
        effort: CompileEffort = FULL_EFFORT,
    ) -> None:
        self.layout = layout
        self.effort = effort
        self.builder = builder
        self.opens = opens
        self.states: dict[str, Words] = {}
        self.env: Environment = {}
        self.predicate: Bit = True
        self.error_block: llvm.Block | None = None
        self._costs: dict[int, int] = {}
        self._kept: list[Any] = []

    # --- control ------------------------------------------------------------------------------------------------------

    def new_block(self, name: str = "") -> llvm.Block:
        """A new basic block at the end of the function."""
        return self.builder.function.append_basic_block(name)

    def stack_slot(self, type_: llvm.Type) -> llvm.Value:
        """A stack slot, made in the entry block so that it becomes a register."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(type_)

    def fail_if(self, condition: Bit) -> None:
        """Leave with an error where the condition and the present predicate hold."""
        bad = self.both(self.predicate, condition)
        if bad is False:
            return
        assert self.error_block is not None
        going = self.new_block()
        self.builder.cbranch(self.llvm_bit(bad), self.error_block, going).set_weights([1, 1000])
        self.builder.position_at_end(going)

    @contextmanager
    def assume(self, condition: Bit) -> Generator[None]:
        """Evaluate without branches what Python would evaluate only where the condition holds."""
        before = self.predicate
        self.predicate = self.both(before, condition)
        yield
        self.predicate = before

    def branch(self, condition: Bit, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        """Branch: `then` where the condition holds, `otherwise` where it does not."""
        if isinstance(condition, bool):
            chosen = then if condition else otherwise
            if chosen is not None:
                chosen()
            return
        yes, done = self.new_block(), self.new_block()
        no = self.new_block() if otherwise is not None else done
        self.builder.cbranch(condition, yes, no)
        for block, run in ((yes, then), (no, otherwise)):
            if run is not None:
                self.builder.position_at_end(block)
                run()
                if not self.builder.block.is_terminated:
                    self.builder.branch(done)
        self.builder.position_at_end(done)

    # --- the evaluator ------------------------------------------------------------------------------------------------

    def evaluate(self, node: ir.Expr) -> BuiltValue:
        """The value of an expression."""
        return getattr(self, f"_{type(node).__name__}")(node)

    def evaluate_condition(self, node: ir.Expr) -> Bit:
        """The truth value of a bool expression."""
        return self.truth_of(self.evaluate(node))

    def evaluate_integer(self, node: ir.Expr) -> Num:
        """The number of a scalar expression."""
        return self.number_of(self.evaluate(node))

    def _Const(self, node: ir.Const) -> BuiltValue:
        if isinstance(node.type, Bool):
            return NativeTruth(node.type, bool(node.number))
        if isinstance(node.type, Option):
            return NativeOption(node.type, False, None)
        return NativeNumber(node.type, node.number)

    def _OpenConst(self, node: ir.OpenConst) -> BuiltValue:
        return self.scalar_from_number(node.type, self.opens[node.name])

    def _Name(self, node: ir.Name) -> BuiltValue:
        return self.env[node.name]

    def _StateField(self, node: ir.StateField) -> BuiltValue:
        return self.field_cell(self.states[node.state], node.field)

    def field_cell(self, words: Words, field: str) -> PackedValue:
        """A state field's cell in some state's words."""
        type_, shape, word, shift = self.layout.field(field)
        return PackedValue(type_, shape, words, word, shift)

    def _RecordField(self, node: ir.RecordField) -> BuiltValue:
        return self.field(self.evaluate(node.record), node.field)

    def _Index(self, node: ir.Index) -> BuiltValue:
        container, index = self.evaluate(node.container), self.evaluate(node.index)
        return self.indexed_value(container, self.number_of(index), index.type)

    def indexed_value(self, container: BuiltValue, index: Num, index_type: Type) -> BuiltValue:
        """`container[index]`, an error outside."""
        if isinstance(container.type, Map):
            key = container.type.key
            if isinstance(key, Int):
                index = self.sub(index, key.lo)
                self._check_index(index, scalar_size(key), index_type, key.lo)
                self.fail_if(self.negate(self.existence_test(key)(index)))
            return self.element_at(
                container, self._safe_index(index, scalar_size(key), is_inside=not isinstance(key, Int))
            )
        outside = self.either(self.compare("<", index, 0), self.compare(">=", index, self.length(container)))
        self.fail_if(outside)
        if self.capacity(container) == 0:
            assert isinstance(container.type, Seq | Pool)
            return self.some_value(container.type.of)
        return self.element_at(container, self._safe_index(index, self.capacity(container)))

    def _check_index(self, index: Num, count: int, type_: Type, lo: int) -> None:
        if not (isinstance(type_, Int) and type_.lo >= lo and type_.hi < lo + count):
            self.fail_if(self.either(self.compare("<", index, 0), self.compare(">=", index, count)))

    def _safe_index(self, index: Num, count: int, *, is_inside: bool = False) -> Num:
        """An index that stays within the layout even where the predicate does not hold."""
        if isinstance(index, int):
            return min(max(index, 0), count - 1)
        if self.predicate is True or is_inside:
            return index
        return self.select_number(self.is_below(index, count), index, 0)

    def _Slice(self, node: ir.Slice) -> BuiltValue:
        sequence = self.evaluate(node.sequence)
        length = self.length(sequence)
        start: Num = 0 if node.start is None else self.evaluate_integer(node.start)
        stop = length if node.stop is None else self.evaluate_integer(node.stop)
        self.fail_if(self.either(self.compare("<", start, 0), self.compare("<", stop, 0)))
        stop = self.select_number(self.compare("<", stop, length), stop, length)
        start = self.select_number(self.compare("<", start, stop), start, stop)
        capacity = self.capacity(sequence)
        items = [
            self.element_at(sequence, self._clamp(self.add(start, offset), capacity)) for offset in range(capacity)
        ]
        return Items(node.type, self.sub(stop, start), tuple(items[: node.type.capacity]))

    def _clamp(self, index: Num, count: int) -> Num:
        if isinstance(index, int):
            return min(index, count - 1)
        return self.select_number(self.is_below(index, count), index, 0)

    def _Length(self, node: ir.Length) -> BuiltValue:
        return NativeNumber(node.type, self.length(self.evaluate(node.of)))

    def _Not(self, node: ir.Not) -> BuiltValue:
        return NativeTruth(node.type, self.negate(self.evaluate_condition(node.operand)))

    def _And(self, node: ir.And) -> BuiltValue:
        return NativeTruth(node.type, self._evaluate_until(node.operands, stop_at=False))

    def _Or(self, node: ir.Or) -> BuiltValue:
        return NativeTruth(node.type, self._evaluate_until(node.operands, stop_at=True))

    def _evaluate_until(self, operands: tuple[ir.Expr, ...], *, stop_at: bool) -> Bit:
        first, rest = operands[0], operands[1:]
        value = self.evaluate_condition(first)
        if not rest or value is stop_at:
            return value
        go_on = self.negate(value) if stop_at else value
        if isinstance(go_on, bool):
            return self._evaluate_until(rest, stop_at=stop_at)
        if sum(map(self.estimated_cost, rest)) <= CHEAP:
            with self.assume(go_on):
                more = self._evaluate_until(rest, stop_at=stop_at)
            return self.either(value, more) if stop_at else self.both(value, more)
        result = self.stack_slot(I1)
        self.builder.store(self.llvm_bit(value), result)
        self.branch(
            go_on, lambda: self._store_to_slot(self.llvm_bit(self._evaluate_until(rest, stop_at=stop_at)), result)
        )
        return self.builder.load(result)

    def _store_to_slot(self, value: llvm.Value, slot: llvm.Value) -> None:
        self.builder.store(value, slot)

    def _Choice(self, node: ir.Choice) -> BuiltValue:
        condition = self.evaluate_condition(node.condition)
        if isinstance(condition, bool):
            return self.evaluate(node.yes if condition else node.no)
        if self.estimated_cost(node.yes) + self.estimated_cost(node.no) <= CHEAP:
            with self.assume(condition):
                yes = self.evaluate(node.yes)
            with self.assume(self.negate(condition)):
                no = self.evaluate(node.no)
            return self.retype(self.select(condition, yes, no), node.type)
        slots = [self.stack_slot(leaf) for leaf in leaf_types(node.type)]
        self.branch(
            condition,
            lambda: self.evaluate_into(node.yes, node.type, slots),
            lambda: self.evaluate_into(node.no, node.type, slots),
        )
        return self.rebuild(node.type, iter([self.builder.load(slot) for slot in slots]))

    def evaluate_into(self, node: ir.Expr, type_: Type, slots: list[llvm.Value]) -> None:
        """Evaluate into the slots of a flat value."""
        for leaf, slot in zip(self.flatten(self.evaluate(node), type_), slots, strict=True):
            self.builder.store(leaf, slot)

    def retype(self, value: BuiltValue, type_: Type) -> BuiltValue:
        """The same value under the type that the typed form gives it."""
        return (
            NativeNumber(type_, value.value)
            if isinstance(value, NativeNumber) and is_interval_within(value.type, type_)
            else value
        )

    def _Arithmetic(self, node: ir.Arithmetic) -> BuiltValue:
        one, other = self.evaluate(node.left), self.evaluate(node.right)
        left, right = self.number_of(one), self.number_of(other)
        if node.op in ("//", "%"):
            zero = self.compare("==", right, 0)
            self.fail_if(zero)
            right = self.select_number(zero, 1, right)
        known = is_interval_within(one.type, node.left.type) and is_interval_within(other.type, node.right.type)
        return NativeNumber(node.type if known else unbounded_type(node.type), self.operate(node.op, left, right))

    def _Compare(self, node: ir.Compare) -> BuiltValue:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if node.op in ("==", "!="):
            same = self.are_equal(left, right)
            return NativeTruth(node.type, same if node.op == "==" else self.negate(same))
        return NativeTruth(node.type, self.compare(node.op, self.number_of(left), self.number_of(right)))

    def _Contains(self, node: ir.Contains) -> BuiltValue:
        element, container = self.evaluate(node.element), self.evaluate(node.container)
        if isinstance(container.type, Subset):
            index, of = self.number_of(element), container.type.of
            if isinstance(of, Int):
                index = self.sub(index, of.lo)
            within = self.is_below(index, scalar_size(of))
            shifted = self.shr(self.number_of(container), self._safe_shift(index, of, element.type))
            found = self.compare("!=", self.band(shifted, 1), 0)
            return NativeTruth(node.type, self.both(within, found) if isinstance(of, Int) else found)
        return NativeTruth(node.type, self._is_among(element, container))

    def _safe_shift(self, index: Num, of: Type, type_: Type) -> Num:
        if isinstance(index, int):
            return min(max(index, 0), 63)
        exact = isinstance(of, Int) and isinstance(type_, Int) and type_.lo >= of.lo and type_.hi <= of.hi
        return self.band(index, 63) if isinstance(of, Int) and not exact else index

    def _is_among(self, element: BuiltValue, container: BuiltValue) -> Bit:
        length, found = self.length(container), False
        result: Bit = found
        for position in range(self.capacity(container)):
            here = self.both(
                self.compare(">", length, position), self.are_equal(element, self.element_at(container, position))
            )
            result = self.either(result, here)
        return result

    def _SetOperation(self, node: ir.SetOperation) -> BuiltValue:
        if isinstance(node.left.type, Pool):
            return self.operation_on_records(node)
        left, right = self.evaluate_integer(node.left), self.evaluate_integer(node.right)
        if node.op == "<=":
            outside = self.band(left, self.bxor(right, (1 << 64) - 1))
            return NativeTruth(node.type, self.compare("==", outside, 0))
        assert isinstance(node.type, Subset)
        match node.op:
            case "|":
                value = self.bor(left, right)
            case "&":
                value = self.band(left, right)
            case "-":
                value = self.band(left, self.bxor(right, (1 << 64) - 1))
            case _:
                value = self.bxor(left, right)
        return Mask(node.type, value)

    def _IsMajority(self, node: ir.IsMajority) -> BuiltValue:
        subset = self.evaluate(node.subset)
        assert isinstance(subset.type, Subset)
        doubled = self.mul(self.count_bits(self.number_of(subset)), 2)
        return NativeTruth(node.type, self.compare(">", doubled, self.member_count(subset.type.of)))

    def _Position(self, node: ir.Position) -> BuiltValue:
        value = self.evaluate(node.of)
        return NativeNumber(
            node.type, self.bit_as_number(value.value) if isinstance(value, NativeTruth) else self.number_of(value)
        )

    def _MemberAt(self, node: ir.MemberAt) -> BuiltValue:
        index, size = self.evaluate_integer(node.number), scalar_size(node.type)
        self._check_index(index, size, node.number.type, 0)
        self.fail_if(self.negate(self.existence_test(node.type)(index)))
        return self.member_at(node.type, self._safe_index(index, size))

    def _Some(self, node: ir.Some) -> BuiltValue:
        assert isinstance(node.type, Option)
        return NativeOption(node.type, True, self.evaluate(node.value))

    def _IsNone(self, node: ir.IsNone) -> BuiltValue:
        return NativeTruth(node.type, self.negate(self.is_present(self.evaluate(node.option))))

    def _Unwrap(self, node: ir.Unwrap) -> BuiltValue:
        option = self.evaluate(node.option)
        present = self.is_present(option)
        self.fail_if(self.negate(present))
        inner = self.unwrap_option(option, node.type)
        if self.predicate is True or not isinstance(inner, NativeNumber):
            return inner
        return NativeNumber(inner.type, self.select_number(present, inner.value, 0))

    def _MakeRecord(self, node: ir.MakeRecord) -> BuiltValue:
        return Parts(node.type, tuple(self.evaluate(field) for field in node.fields))

    def _Replace(self, node: ir.Replace) -> BuiltValue:
        record, changes = self.evaluate(node.record), dict(node.changes)
        names = [name for name, _ in node.type.fields]
        return Parts(
            node.type,
            tuple(
                self.evaluate(changes[name]) if name in changes else part
                for name, part in zip(names, self.parts(record), strict=True)
            ),
        )

    def _MakeSubset(self, node: ir.MakeSubset) -> BuiltValue:
        masks = [self._member_bit(self.evaluate(element), node.type.of) for element in node.elements]
        return Mask(node.type, reduce(self.bor, masks, 0))

    def _member_bit(self, value: BuiltValue, of: Type) -> Num:
        index = self.number_of(value)
        if isinstance(of, Int):
            index = self.sub(index, of.lo)
            self._check_index(index, scalar_size(of), value.type, of.lo)
            self.fail_if(self.negate(self.existence_test(of)(index)))
            index = self._safe_index(index, scalar_size(of))
        return self.shl(1, index)

    def _bit_if_any(self, value: BuiltValue, of: Type) -> Num:
        """The bit of a value in a set; 0 for an integer that cannot be in it."""
        index = self.number_of(value)
        if not isinstance(of, Int):
            return self.shl(1, index)
        index = self.sub(index, of.lo)
        within = self.both(self.is_below(index, scalar_size(of)), self.existence_test(of)(index))
        return self.select_number(within, self.shl(1, self._safe_shift(index, of, value.type)), 0)

    def _FullSubset(self, node: ir.FullSubset) -> BuiltValue:
        size = self.member_count(node.type.of)
        if isinstance(size, int):
            return Mask(node.type, (1 << size) - 1)
        return Mask(node.type, self.sub(self.shl(1, size), 1))

    def _MakeSeq(self, node: ir.MakeSeq) -> BuiltValue:
        return Items(node.type, len(node.elements), tuple(self.evaluate(element) for element in node.elements))

    def _Concat(self, node: ir.Concat) -> BuiltValue:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        here, there = self.length(left), self.length(right)
        left_room, right_room = self.capacity(left), self.capacity(right)
        items = list[BuiltValue]()
        for position in range(node.type.capacity):
            own = self.element_at(left, position) if position < left_room else None
            if right_room == 0:
                items.append(own or self.some_value(node.type.of))
                continue
            other = self.element_at(right, self._clamp(self.sub(position, here), right_room))
            items.append(other if own is None else self.select(self.compare(">", here, position), own, other))
        return Items(node.type, self.add(here, there), tuple(items))

    def _MakeMap(self, node: ir.MakeMap) -> BuiltValue:
        assert isinstance(node.type, Map)
        parts = list[BuiltValue]()
        for number in range(scalar_size(node.type.key)):
            self.env[node.variable] = self.member_at(node.type.key, number)
            exists = self.existence_test(node.type.key)(number)
            with self.assume(exists):
                value = self.evaluate(node.value)
            parts.append(self.select(exists, value, self.some_value(node.type.value)))
        return Parts(node.type, tuple(parts))

    # --- helpers ------------------------------------------------------------------------------------------------------

    def _Call(self, node: ir.Call) -> BuiltValue:
        arguments = [self.evaluate(argument) for argument in node.arguments]
        names = [name for name, _ in node.function.parameters]
        before, self.env = self.env, dict(zip(names, arguments, strict=True))
        value = self.run_function(node.function)
        self.env = before
        return value

    def operation_on_records(self, node: ir.SetOperation) -> BuiltValue:
        """The value of an operator on sets of records."""
        raise NotImplementedError

    def run_function(self, function: ir.Function) -> BuiltValue:
        """The value a pure function returns; its parameters are in the environment."""
        raise NotImplementedError

    # --- cost ---------------------------------------------------------------------------------------------------------

    def estimated_cost(self, node: ir.Expr) -> int:
        """Roughly how many machine operations an expression takes."""
        known = self._costs.get(id(node))
        if known is None:
            known = self._costs[id(node)] = self._estimate_cost(node)
            self._kept.append(node)
        return known

    def _estimate_cost(self, node: ir.Expr) -> int:
        match node:
            case ir.Const() | ir.Name() | ir.OpenConst() | ir.StateField():
                return 0
            case ir.Quantified(generators=generators, body=body):
                inner = (
                    self.estimated_cost(body)
                    + 1
                    + sum(self.estimated_cost(condition) for one in generators for condition in one.conditions)
                )
                if isinstance(node.type, Pool):
                    inner += 4 * node.type.capacity  # every record is put among the others
                return inner * reduce(lambda total, one: total * self.most_rounds(one.source, one.type), generators, 1)
            case ir.Call(function=function, arguments=arguments):
                inside = sum(
                    self.estimated_cost(statement.value) if isinstance(statement, ir.Return | ir.Let) else 30
                    for statement in function.body
                )
                return inside + sum(map(self.estimated_cost, arguments))
            case ir.Contains(container=container) if isinstance(container.type, Seq | Pool):
                return 4 * container.type.capacity + self.estimated_cost(container)
            case ir.MakeRecord(fields=fields) | ir.MakeSubset(elements=fields) | ir.MakeSeq(elements=fields):
                return sum(map(self.estimated_cost, fields))
            case _:
                return 2 + sum(self.estimated_cost(operand) for operand in children(node) if is_expression(operand))

    def most_rounds(self, source: ir.Source, type_: Type) -> int:
        """At most how often a source yields."""
        match source:
            case ir.Members(of=of):
                return value_count(of)
            case ir.IntRange(start=start, stop=stop):
                assert isinstance(start.type, Int)
                assert isinstance(stop.type, Int)
                return max(0, stop.type.hi - start.type.lo)
            case ir.Elements(of=of) if isinstance(of.type, Subset):
                return scalar_size(of.type.of)
            case ir.Elements(of=of):
                assert isinstance(of.type, Seq | Pool)
                return of.type.capacity
