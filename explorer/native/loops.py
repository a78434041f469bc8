"""Comprehensions and loops: unrolled over constants where they are small, real loops where they are not."""

from __future__ import annotations

from collections.abc import Callable

from ...language import ir
from ...language.frontend.membership import is_stored
from ...language.types import Int, Map, Pool, Seq, Subset, Type, scalar_size, value_count
from ..traversal import traverse
from .cells import BuiltValue, Mask, NativeNumber, NativeTruth
from .expressions import CHEAP, UNROLL, Expressions
from .machine import I1, I64
from .scalars import Bit, Num
from .shapes import is_interval_within, unbounded_type

Round = Callable[[BuiltValue, Bit], None]
"""What to do with one element; the truth value says whether the round really takes place."""


class Loops(Expressions):
    """Rounds of generators and the comprehensions over them."""

    def emit_for_each(
        self, source: ir.Source, type_: Type, run: Round, *, unroll: bool = True, hold: bool = False
    ) -> None:
        """Emit `run` for every element of a source. `unroll=False` asks for a real loop; `hold` says that `run` may
        write to what the source is read from, so that its elements must be read before."""
        match source:
            case ir.Members(of=of):
                exists = self.existence_test(of)
                self._emit_fixed_rounds(0, value_count(of), unroll, lambda at: run(self.member_at(of, at), exists(at)))
            case ir.IntRange(start=start, stop=stop):
                self._emit_over_range(start, stop, type_, run, unroll)
            case ir.Elements(of=of):
                container = self.evaluate(of)
                self._emit_over_elements(self.value_at_present(container) if hold else container, run, unroll)

    def _emit_fixed_rounds(self, start: int, stop: int, unroll: bool, run: Callable[[Num], None]) -> None:
        self.emit_rounds(start, stop, UNROLL if unroll else 0, run)

    def emit_rounds(self, start: Num, stop: Num, unrolled_rounds: int, run: Callable[[Num], None]) -> None:
        """Emit `run` for each number from `start` to `stop - 1`: one after the other up to `unrolled_rounds` rounds,
        else as a loop."""
        if isinstance(start, int) and isinstance(stop, int) and stop - start <= unrolled_rounds:
            for at in range(start, stop):
                run(at)
            return
        counter = self.stack_slot(I64)
        self.builder.store(self.llvm_number(start), counter)
        test, body, done = self.new_block(), self.new_block(), self.new_block()
        self.builder.branch(test)
        self.builder.position_at_end(test)
        at = self.builder.load(counter)
        self.builder.cbranch(self.llvm_bit(self.compare("<", at, stop)), body, done)
        self.builder.position_at_end(body)
        run(at)
        if not self.builder.block.is_terminated:
            self.builder.store(self.llvm_number(self.add(at, 1)), counter)
            self.builder.branch(test)
        self.builder.position_at_end(done)

    def _emit_over_range(self, start: ir.Expr, stop: ir.Expr, type_: Type, run: Round, unroll: bool) -> None:
        assert isinstance(start.type, Int)
        assert isinstance(stop.type, Int)
        begin, end = self.evaluate(start), self.evaluate(stop)
        first, last = self.number_of(begin), self.number_of(end)
        if not (is_interval_within(begin.type, start.type) and is_interval_within(end.type, stop.type)):
            of = unbounded_type(type_)  # of a record that is made on the way: its numbers are any
            self.emit_rounds(first, last, 0, lambda at: run(NativeNumber(of, at), True))
            return
        lowest = first if isinstance(first, int) else start.type.lo
        highest = last if isinstance(last, int) else stop.type.hi

        def one(at: Num) -> None:
            active = self.both(self.compare("<=", first, at), self.compare("<", at, last))
            run(NativeNumber(type_, at), active)

        if unroll and highest - lowest <= UNROLL:
            self._emit_fixed_rounds(lowest, max(lowest, highest), unroll, one)
        else:
            self.emit_rounds(first, last, 0, lambda at: run(NativeNumber(type_, at), True))

    def _emit_over_elements(self, container: BuiltValue, run: Round, unroll: bool) -> None:
        if isinstance(container.type, Subset):
            of, mask = container.type.of, self.number_of(container)
            self._emit_fixed_rounds(
                0,
                scalar_size(of),
                unroll,
                lambda at: run(self.member_at(of, at), self.compare("!=", self.band(self.shr(mask, at), 1), 0)),
            )
            return
        assert isinstance(container.type, Seq | Pool)
        length = self.length(container)
        self._emit_fixed_rounds(
            0,
            self.capacity(container),
            unroll,
            lambda at: run(self.element_at(container, at), self.compare(">", length, at)),
        )

    # --- comprehensions -----------------------------------------------------------------------------------------------

    def _Quantified(self, node: ir.Quantified) -> BuiltValue:
        match node.kind:
            case "all" | "any":
                return NativeTruth(node.type, self._any_or_all(node))
            case "set" if isinstance(node.type, Pool):
                return self.collected_records(node)
            case "set":
                return self._collect(node)
            case "sum":
                return self._sum(node)
            case _:
                return self._extreme(node)

    def _is_unrolled(self, node: ir.Quantified) -> bool:
        return self.estimated_cost(node) <= self.effort.operations

    def _emit_generators(self, node: ir.Quantified, run: Callable[[Bit], None], *, jump: bool) -> None:
        """Emit `run` for every round of all generators, with the rounds' condition; with `jump` only where it holds."""

        def level(depth: int, active: Bit) -> None:
            if depth == len(node.generators):
                run(active)
                return
            generator = node.generators[depth]

            def one(value: BuiltValue, here: Bit) -> None:
                self.env[generator.variable] = value
                self._emit_filtered(
                    list(generator.conditions), self.both(active, here), jump, lambda now: level(depth + 1, now)
                )

            self.emit_for_each(generator.source, generator.type, one, unroll=self._is_unrolled(node))

        level(0, True)

    def _emit_filtered(self, conditions: list[ir.Expr], active: Bit, jump: bool, then: Callable[[Bit], None]) -> None:
        if active is False:
            return
        if jump:
            if active is not True:
                self.branch(active, lambda: self._emit_filtered(conditions, True, jump, then))
            elif conditions:
                self.branch(
                    self.evaluate_condition(conditions[0]),
                    lambda: self._emit_filtered(conditions[1:], True, jump, then),
                )
            else:
                then(True)
            return
        for condition in conditions:
            with self.assume(active):
                active = self.both(active, self.evaluate_condition(condition))
        with self.assume(active):
            then(active)

    def _is_jump_cheaper(self, node: ir.Quantified) -> bool:
        conditions = sum(self.estimated_cost(condition) for one in node.generators for condition in one.conditions)
        return self.estimated_cost(node.body) + conditions > CHEAP

    def _any_or_all(self, node: ir.Quantified) -> Bit:
        is_all = node.kind == "all"
        looping = any(self.most_rounds(generator.source, generator.type) > UNROLL for generator in node.generators)
        sure = all(self._has_known_ends(generator.source) for generator in node.generators)
        if (
            self._is_jump_cheaper(node) or looping or not self._is_unrolled(node) or not sure or may_break(node)
        ):  # what decides ends it
            return self._quantify_jumping(node, is_all)
        result: list[Bit] = [is_all]

        def run(active: Bit) -> None:
            value = self.evaluate_condition(node.body)
            if is_all:
                result[0] = self.both(result[0], self.either(self.negate(active), value))
            else:
                result[0] = self.either(result[0], self.both(active, value))

        self._emit_generators(node, run, jump=False)
        return result[0]

    def _has_known_ends(self, source: ir.Source) -> bool:
        """Whether the ends of a range lie where their types say: those from a record made on the way need not."""
        if not isinstance(source, ir.IntRange):
            return True
        for node in (*traverse(source.start), *traverse(source.stop)):
            if isinstance(node, ir.RecordField) and not is_stored(node.record):
                return False
            held = self.env.get(node.name) if isinstance(node, ir.Name) else None
            if held is not None and not is_interval_within(held.type, node.type):
                return False
        return True

    def _quantify_jumping(self, node: ir.Quantified, is_all: bool) -> Bit:
        result, done = self.stack_slot(I1), self.new_block()
        self.builder.store(self.llvm_bit(is_all), result)

        def run(active: Bit) -> None:
            value = self.evaluate_condition(node.body)
            decided, going = self.new_block(), self.new_block()
            self.builder.cbranch(self.llvm_bit(self.negate(value) if is_all else value), decided, going)
            self.builder.position_at_end(decided)
            self.builder.store(self.llvm_bit(not is_all), result)
            self.builder.branch(done)
            self.builder.position_at_end(going)

        self._emit_generators(node, run, jump=True)
        self.builder.branch(done)
        self.builder.position_at_end(done)
        return self.builder.load(result)

    def _collect(self, node: ir.Quantified) -> BuiltValue:
        assert isinstance(node.type, Subset)
        of, total = node.type.of, self.stack_slot(I64)
        self.builder.store(self.llvm_number(0), total)

        def run(active: Bit) -> None:
            bit = self._member_bit(self.evaluate(node.body), of)
            self.builder.store(
                self.llvm_number(self.bor(self.builder.load(total), self.select_number(active, bit, 0))), total
            )

        self._emit_generators(node, run, jump=self._is_jump_cheaper(node))
        return Mask(node.type, self.builder.load(total))

    def collected_records(self, node: ir.Quantified) -> BuiltValue:
        """The set of the records that the rounds give."""
        raise NotImplementedError

    def _sum(self, node: ir.Quantified) -> BuiltValue:
        total = self.stack_slot(I64)
        self.builder.store(self.llvm_number(0), total)

        def run(active: Bit) -> None:
            value = self.select_number(active, self.evaluate_integer(node.body), 0)
            self.builder.store(self.llvm_number(self.add(self.builder.load(total), value)), total)

        self._emit_generators(node, run, jump=self._is_jump_cheaper(node))
        return NativeNumber(node.type, self.builder.load(total))

    def _extreme(self, node: ir.Quantified) -> BuiltValue:
        best, found = self.stack_slot(I64), self.stack_slot(I1)
        self.builder.store(self.llvm_bit(False), found)
        self.builder.store(self.llvm_number(0), best)
        op = "<" if node.kind == "min" else ">"

        def run(active: Bit) -> None:
            value, so_far = self.evaluate_integer(node.body), self.builder.load(found)
            better = self.either(self.negate(so_far), self.compare(op, value, self.builder.load(best)))
            take = self.both(active, better)
            self.builder.store(self.llvm_number(self.select_number(take, value, self.builder.load(best))), best)
            self.builder.store(self.llvm_bit(self.either(so_far, active)), found)

        self._emit_generators(node, run, jump=self._is_jump_cheaper(node))
        met = self.builder.load(found)
        if node.default is None:
            self.fail_if(self.negate(met))
            return self.scalar_from_number(node.type, self.builder.load(best))
        default = self.evaluate_integer(node.default)  # an argument: evaluated even where it is not needed
        return self.scalar_from_number(node.type, self.select_number(met, self.builder.load(best), default))


def may_break(node: ir.Statement | ir.Expr) -> bool:
    """Whether evaluating an expression, or those of a statement, may be an error of the model."""
    for inner in traverse(node):
        match inner:
            case ir.Unwrap() | ir.Slice() | ir.MakeSubset() | ir.MakePool() | ir.MemberAt() | ir.Assert():
                return True
            case ir.Index(container=container) if not isinstance(container.type, Map) or isinstance(
                container.type.key, Int
            ):
                return True
            case ir.Arithmetic(op="//" | "%") | ir.Quantified(kind="min" | "max" | "set"):
                return True
            case _:
                pass
    return False
