"""Statements of the typed form as LLVM code: local names, writes into the packed successor, range checks, pure
functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from llvmlite import ir as llvm

from ...language import ir
from ...language.types import (
    Bool,
    Enumeration,
    Identity,
    Int,
    Map,
    Option,
    Pool,
    Record,
    Seq,
    Subset,
    Type,
)
from .cells import BuiltValue, Items, Memory, NativeOption, NativeTruth, PackedValue
from .layout import Array, Leaf, Shape, Struct, shape_of, word_count
from .loops import Loops
from .machine import I64
from .scalars import Bit, Num
from .shapes import common_type, leaf_types


class Statements(Loops):
    """Runs statements. `target` is the successor's memory while an action's body runs."""

    target: llvm.Value | None = None
    disabled: llvm.Block | None = None
    returning: tuple[Type, list[llvm.Value], llvm.Block] | None = None
    slots: dict[str, tuple[Type, list[llvm.Value]]]

    def run_function(self, function: ir.Function) -> BuiltValue:
        """The value a pure function returns; its parameters are in the environment."""
        match function.body:
            case (ir.Return(value=value),):
                return self.evaluate(value)
            case body:
                return self._run_body(body, function.returns)

    def _run_body(self, body: Sequence[ir.Statement], returns: Type) -> BuiltValue:
        outer = (self.returning, self.slots)
        results, done = [self.stack_slot(leaf) for leaf in leaf_types(returns)], self.new_block()
        given = {name: value.type for name, value in self.env.items()}
        self.returning, self.slots = (returns, results, done), self.shared_names(body, given)
        self.share_parameters()
        self.statements(body)
        if not self.builder.block.is_terminated:
            self.builder.branch(done)
        self.builder.position_at_end(done)
        self.returning, self.slots = outer
        return self.rebuild(returns, iter([self.builder.load(slot) for slot in results]))

    def shared_names(
        self, body: Sequence[ir.Statement], parameters: Mapping[str, Type]
    ) -> dict[str, tuple[Type, list[llvm.Value]]]:
        """Slots for the local names that are bound more than once, so that branches and loops can meet. A parameter,
        one of `parameters`, is bound once already."""
        bound = {name: [type_] for name, type_ in parameters.items()}
        for let in local_bindings(body):
            bound.setdefault(let.name, []).append(let.value.type)
        joined = {name: reduce(common_type, types) for name, types in bound.items() if len(types) > 1}
        return {name: (type_, [self.stack_slot(leaf) for leaf in leaf_types(type_)]) for name, type_ in joined.items()}

    def share_parameters(self) -> None:
        """Move the parameters that are bound again into their slots."""
        for name, (type_, slots) in self.slots.items():
            if name in self.env:
                for leaf, slot in zip(self.flatten(self.env.pop(name), type_), slots, strict=True):
                    self.builder.store(leaf, slot)

    def statements(self, body: Iterable[ir.Statement]) -> None:
        """Run statements until one leaves."""
        for statement in body:
            if self.builder.block.is_terminated:
                return
            getattr(self, f"_{type(statement).__name__}")(statement)

    def _Let(self, node: ir.Let) -> None:
        value = self.evaluate(node.value)
        if self.target is not None:
            value = self.value_at_present(value)
        if node.name in self.slots:
            type_, slots = self.slots[node.name]
            for leaf, slot in zip(self.flatten(value, type_), slots, strict=True):
                self.builder.store(leaf, slot)
            self.env.pop(node.name, None)
        else:
            self.env[node.name] = value

    def _Name(self, node: ir.Name) -> BuiltValue:
        if node.name in self.env:
            return self.env[node.name]
        type_, slots = self.slots[node.name]
        return self.retype(self.rebuild(type_, iter([self.builder.load(slot) for slot in slots])), node.type)

    def _Return(self, node: ir.Return) -> None:
        assert self.returning is not None
        type_, slots, done = self.returning
        for leaf, slot in zip(self.flatten(self.evaluate(node.value), type_), slots, strict=True):
            self.builder.store(leaf, slot)
        self.builder.branch(done)

    def _If(self, node: ir.If) -> None:
        self.branch(
            self.evaluate_condition(node.condition), lambda: self.statements(node.yes), lambda: self.statements(node.no)
        )

    def _For(self, node: ir.For) -> None:
        def one(value: BuiltValue, active: Bit) -> None:
            def body() -> None:
                self.env[node.variable] = value
                self.statements(node.body)

            self.branch(active, body)

        self.emit_for_each(node.source, node.type, one, hold=self.target is not None)

    def _Assert(self, node: ir.Assert) -> None:
        self.fail_if(self.negate(self.evaluate_condition(node.condition)))

    def _Require(self, node: ir.Require) -> None:
        assert self.disabled is not None
        going = self.new_block()
        self.builder.cbranch(self.llvm_bit(self.evaluate_condition(node.condition)), going, self.disabled)
        self.builder.position_at_end(going)

    # --- places -------------------------------------------------------------------------------------------------------

    def locate_cell(self, place: ir.Place) -> PackedValue:
        """The cell a place names, its indexes checked as reads check them."""
        assert self.target is not None
        cell: BuiltValue = self.field_cell(Memory(self.target), place.field)
        for index in place.indexes:
            at = self.evaluate(index)
            cell = self.indexed_value(cell, self.number_of(at), at.type)
        assert isinstance(cell, PackedValue)
        return cell

    def _Store(self, node: ir.Store) -> None:
        value = self.value_at_present(self.evaluate(node.value))
        cell = self.locate_cell(node.place)
        self.check_type(node.place.type, value)
        self.write_cell(cell, value)

    def _Append(self, node: ir.Append) -> None:
        value, cell = self.value_at_present(self.evaluate(node.value)), self.locate_cell(node.place)
        type_ = node.place.type
        assert isinstance(type_, Seq)
        length = self.length(cell)
        self.fail_if(self.compare(">=", length, self.capacity_in_run(type_)))
        self.check_type(type_.of, value)
        if type_.capacity:
            self.write_cell(self.element_cell(cell, self._safe_index(length, type_.capacity)), value)
            self.put_count(cell, self.add(length, 1))

    def capacity_in_run(self, type_: Seq | Pool) -> Num:
        """The capacity in this run."""
        return type_.capacity if type_.capacity_open is None else self.bound_value(type_.capacity_open)

    def element_cell(self, cell: PackedValue, index: Num) -> PackedValue:
        """The cell of an element."""
        found = self.element_at(cell, index)
        assert isinstance(found, PackedValue)
        return found

    def put_count(self, cell: PackedValue, count: Num) -> None:
        """Write a container's number of elements."""
        at = self.part(cell, 0, Bool())
        self.insert(self.cell_address(cell), at.word, at.shift, at.shape.bits, count)

    def cell_address(self, cell: PackedValue) -> llvm.Value:
        """The address of the words a cell lies in."""
        assert isinstance(cell.words, Memory)
        return cell.words.pointer

    def _Truncate(self, node: ir.Truncate) -> None:
        keep, cell = self.evaluate_integer(node.length), self.locate_cell(node.place)
        type_ = node.place.type
        assert isinstance(type_, Seq)
        self.fail_if(self.either(self.compare("<", keep, 0), self.compare(">", keep, self.length(cell))))
        array = self.part(cell, 1, type_)
        assert isinstance(array.shape, Array)
        if array.shape.bits <= 64:
            self._zero_tail(array, array.shape, keep)
        else:
            for index in range(type_.capacity):
                self.branch(
                    self.compare("<=", keep, index), lambda index=index: self.zero_cell(self.element_cell(cell, index))
                )
        self.put_count(cell, keep)

    def _zero_tail(self, array: PackedValue, shape: Array, keep: Num) -> None:
        """Zero the tail of an array that lies in one word, at once."""
        kept_bits, code = self.mul(keep, shape.element.bits), self.code(array)
        everything = self.compare(">=", kept_bits, 64) if shape.bits == 64 else False
        shift = self.select_number(everything, 0, kept_bits)
        mask = self.sub(self.shl(1, shift), 1)
        self.insert(
            self.cell_address(array),
            array.word,
            array.shift,
            shape.bits,
            self.select_number(everything, code, self.band(code, mask)),
        )

    def zero_cell(self, cell: PackedValue) -> None:
        """Zero a cell's bits."""
        if cell.shape.bits <= 64:
            self.insert(self.cell_address(cell), cell.word, cell.shift, cell.shape.bits, 0)
        else:
            for index in range(word_count(cell.shape)):
                self.builder.store(self.llvm_number(0), self._word_address(cell, index))

    def _word_address(self, cell: PackedValue, index: int) -> llvm.Value:
        return self.builder.gep(self.cell_address(cell), [self.llvm_number(self.add(cell.word, index))], inbounds=True)

    def _Add(self, node: ir.Add) -> None:
        value, cell, type_ = (
            self.value_at_present(self.evaluate(node.value)),
            self.locate_cell(node.place),
            node.place.type,
        )
        if isinstance(type_, Subset):
            mask = self.bor(self.number_of(cell), self._member_bit(value, type_.of))
            self.insert(self.cell_address(cell), cell.word, cell.shift, cell.shape.bits, mask)
            return
        assert isinstance(type_, Pool)
        self.check_type(type_.of, value)
        self._pool_add(cell, type_, self.pack_value(type_.of, value))

    def _Remove(self, node: ir.Remove) -> None:
        value, cell, type_ = (
            self.value_at_present(self.evaluate(node.value)),
            self.locate_cell(node.place),
            node.place.type,
        )
        if isinstance(type_, Subset):
            bit = self._bit_if_any(value, type_.of)
            if node.strict:
                self.fail_if(self.compare("==", self.band(self.number_of(cell), bit), 0))
            mask = self.band(self.number_of(cell), self.bxor(bit, (1 << 64) - 1))
            self.insert(self.cell_address(cell), cell.word, cell.shift, cell.shape.bits, mask)
            return
        assert isinstance(type_, Pool)
        self._pool_remove(cell, type_, value, node.strict)

    def pack_value(self, type_: Type, value: BuiltValue) -> llvm.Value:
        """A value as one LLVM integer, in the form and order in which a pool keeps it."""
        words = self.pack_apart(type_, value)
        return self.wide_code(words, -(-words.shape.bits // 64) * 64 or 64)

    def _MakePool(self, node: ir.MakePool) -> BuiltValue:
        empty = Items(node.type, 0, ())
        if not node.elements:
            return empty
        type_ = replace(node.type, capacity=len(node.elements), capacity_open=None)
        cell = self.pack_apart(type_, empty)
        for element in node.elements:
            value = self.value_at_present(self.evaluate(element))
            self.check_type(type_.of, value)
            self._pool_add(cell, type_, self.pack_value(type_.of, value))
        return cell

    def gather_records(self, type_: Pool, chosen_bits: Sequence[Bit]) -> BuiltValue:
        """See `Choices`. Records whose bits are known are added in their order, after those that are there."""
        type_ = replace(type_, capacity_open=None)
        cell, shape = self.pack_apart(type_, Items(type_, 0, ())), shape_of(type_.of)
        records = [self.member_at(type_.of, number) for number in range(len(chosen_bits))]
        codes = [self.code_of_value(type_.of, shape, record) if shape.bits <= 64 else None for record in records]
        known = [code for code in codes if isinstance(code, int)]
        if len(known) == len(codes):
            for _, record, here in sorted(zip(known, records, chosen_bits, strict=True), key=lambda entry: entry[0]):
                self.branch(here, lambda record=record: self._put_last(cell, type_, record))
            return cell
        for record, here in zip(records, chosen_bits, strict=True):
            self.branch(here, lambda record=record: self._pool_add(cell, type_, self.pack_value(type_.of, record)))
        return cell

    def collected_records(self, node: ir.Quantified) -> BuiltValue:
        """See `Loops`."""
        assert isinstance(node.type, Pool)
        type_ = node.type
        cell = self.pack_apart(type_, Items(type_, 0, ()))
        filters = is_filter(node)

        def run(_active: Bit) -> None:
            value = self.value_at_present(self.evaluate(node.body))
            if filters:
                self._put_last(cell, type_, value)
                return
            self.check_type(type_.of, value)
            self._pool_add(cell, type_, self.pack_value(type_.of, value))

        if type_.capacity:
            self._emit_generators(node, run, jump=True)
        return cell

    def operation_on_records(self, node: ir.SetOperation) -> BuiltValue:
        """See `Expressions`."""
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if node.op == "<=":
            return NativeTruth(node.type, self._is_subset(left, right))
        type_ = node.type
        assert isinstance(type_, Pool)
        cell = self.pack_apart(type_, Items(type_, 0, ()))
        if type_.multiple and node.op == "-":
            self.write_cell(cell, left)
            self._add_matching(right, lambda _: True, lambda record: self._pool_remove(cell, type_, record, False))
            return cell
        wanted: Bit | None = {"|": None, "&": True, "-": False, "^": False}[node.op]
        self._add_matching(left, lambda record: self._is_wanted_record(record, right, wanted),
                        lambda record: self._put_last(cell, type_, record))  # fmt: skip
        if node.op in ("|", "^"):
            self._add_matching(right, lambda record: self._is_wanted_record(record, left, wanted),
                            lambda record: self._pool_add(cell, type_, self.pack_value(type_.of, record)))  # fmt: skip
        return cell

    def _is_subset(self, left: BuiltValue, right: BuiltValue) -> Bit:
        result: Bit = True
        length = self.length(left)
        for index in range(self.capacity(left)):
            beyond = self.compare("<=", length, index)
            result = self.both(result, self.either(beyond, self._is_among(self.element_at(left, index), right)))
        return result

    def _is_wanted_record(self, record: BuiltValue, others: BuiltValue, wanted_truth: Bit | None) -> Bit:
        """Whether a record is among others as it is wanted to be; True where it does not matter."""
        if wanted_truth is None:
            return True
        among = self._is_among(record, others)
        return among if wanted_truth else self.negate(among)

    def _add_matching(
        self, records: BuiltValue, stands: Callable[[BuiltValue], Bit], add: Callable[[BuiltValue], None]
    ) -> None:
        """Add the records that belong to the result, in their order."""
        length = self.length(records)
        for index in range(self.capacity(records)):
            record = self.element_at(records, index)
            there = self.both(self.compare(">", length, index), stands(record))
            self.branch(there, lambda record=record: add(record))

    def _put_last(self, cell: PackedValue, type_: Pool, record: BuiltValue) -> None:
        """Add a record that comes after all that are there, as those of a set in their order do."""
        count = self.length(cell)
        self.write_cell(self.element_cell(cell, self._safe_index(count, type_.capacity)), record)
        self.put_count(cell, self.add(count, 1))

    def pack_apart(self, type_: Type, value: BuiltValue) -> PackedValue:
        """The value packed on its own, at word 0."""
        if isinstance(value, PackedValue) and value.type == type_ and value.word == 0 and value.shift == 0:
            return value
        shape = shape_of(type_)
        count = max(1, -(-shape.bits // 64))
        with self.builder.goto_entry_block():
            memory = self.builder.alloca(llvm.ArrayType(I64, count))
        pointer = self.builder.bitcast(memory, I64.as_pointer())
        for index in range(count):
            self.builder.store(self.llvm_number(0), self.builder.gep(pointer, [self.llvm_number(index)]))
        cell = PackedValue(type_, shape, Memory(pointer), 0, 0)
        self.write_cell(cell, value)
        return cell

    def _pool_items(self, cell: PackedValue, type_: Pool) -> tuple[Num, list[PackedValue], list[llvm.Value]]:
        items = [self.element_cell(cell, index) for index in range(type_.capacity)]
        width = -(-shape_of(type_.of).bits // 64) * 64 or 64
        return self.length(cell), items, [self.wide_code(record, width) for record in items]

    def _pool_add(self, cell: PackedValue, type_: Pool, new: llvm.Value) -> None:
        count, items, codes = self._pool_items(cell, type_)
        used = [self.compare(">", count, index) for index in range(type_.capacity)]
        here = [self.both(u, self.builder.icmp_unsigned("==", code, new)) for u, code in zip(used, codes, strict=True)]
        present: Bit = False if type_.multiple else reduce(self.either, here, False)
        absent = self.negate(present)
        self.fail_if(self.both(absent, self.compare(">=", count, self.capacity_in_run(type_))))
        before = [self.both(u, self.builder.icmp_unsigned("<", code, new)) for u, code in zip(used, codes, strict=True)]
        for index, (item, code) in enumerate(zip(items, codes, strict=True)):
            stays = self.either(present, before[index])
            shifted = codes[index - 1] if index else new
            lands: Bit = before[index - 1] if index else True
            moved = self._pick_wide(lands, new, shifted)
            beyond = self.compare("<", count, index)
            moved = self._pick_wide(beyond, llvm.Constant(code.type, 0), moved)
            self.put_wide_code(
                self.cell_address(item), item.word, item.shift, item.shape, self._pick_wide(stays, code, moved)
            )
        self.put_count(cell, self.add(count, self.bit_as_number(absent)))

    def _pool_remove(self, cell: PackedValue, type_: Pool, old: BuiltValue, strict: bool) -> None:
        """Remove a record, which may be none of the type's: a number outside its range has no bits of its own."""
        count, items, codes = self._pool_items(cell, type_)
        same = [self.are_equal(old, item) for item in items]  # before anything is written
        seen: Bit = False
        for index, (item, code) in enumerate(zip(items, codes, strict=True)):
            here = self.both(self.compare(">", count, index), same[index])
            seen = self.either(seen, here)
            after = codes[index + 1] if index + 1 < len(codes) else llvm.Constant(code.type, 0)
            self.put_wide_code(
                self.cell_address(item), item.word, item.shift, item.shape, self._pick_wide(seen, after, code)
            )
        if strict:
            self.fail_if(self.negate(seen))
        self.put_count(cell, self.sub(count, self.bit_as_number(seen)))

    def _pick_wide(self, condition: Bit, yes: llvm.Value, no: llvm.Value) -> llvm.Value:
        if isinstance(condition, bool):
            return yes if condition else no
        return self.builder.select(condition, yes, no)

    # --- checks and encodings -----------------------------------------------------------------------------------------

    def check_type(self, type_: Type, value: BuiltValue) -> None:
        """Leave with an error unless the value belongs to the type; nothing where that is known already."""
        if isinstance(value, PackedValue) and value.type == type_:
            return
        match type_:
            case Int():
                self._check_int(type_, value)
            case Option(of=of):
                self._check_option(of, value)
            case Record(fields=fields):
                for (_, field_type), part in zip(fields, self.parts(value), strict=True):
                    self.check_type(field_type, part)
            case Map(key=key, value=of):
                exists = self.existence_test(key)
                for index, part in enumerate(self.parts(value)):
                    with self.assume(exists(index)):
                        self.check_type(of, part)
            case Seq() | Pool():
                self.fail_if(self.compare(">", self.length(value), self.capacity_in_run(type_)))
                for index in range(min(self.capacity(value), type_.capacity)):
                    with self.assume(self.compare(">", self.length(value), index)):
                        self.check_type(type_.of, self.element_at(value, index))
            case _:
                pass

    def _check_int(self, type_: Int, value: BuiltValue) -> None:
        number, known = self.number_of(value), value.type
        lo: Num = type_.lo if type_.lo_open is None else self.bound_value(type_.lo_open)
        hi: Num = type_.hi if type_.hi_open is None else self.bound_value(type_.hi_open)
        if not (isinstance(known, Int) and isinstance(lo, int) and known.lo >= lo):
            self.fail_if(self.compare("<", number, lo))
        if not (isinstance(known, Int) and isinstance(hi, int) and known.hi <= hi):
            self.fail_if(self.compare(">", number, hi))

    def _check_option(self, of: Type, value: BuiltValue) -> None:
        if isinstance(value, NativeOption) and value.value is None:
            return
        with self.assume(self.is_present(value)):
            self.check_type(of, self.unwrap_option(value, of))

    def write_cell(self, cell: PackedValue, value: BuiltValue) -> None:
        """Write a value that belongs to the cell's type."""
        if cell.shape.bits <= 64:
            self.insert(
                self.cell_address(cell),
                cell.word,
                cell.shift,
                cell.shape.bits,
                self.code_of_value(cell.type, cell.shape, value),
            )
            return
        match cell.type, cell.shape:
            case Record(fields=fields), Struct():
                for index, (part, (_, field_type)) in enumerate(zip(self.parts(value), fields, strict=True)):
                    self.write_cell(self.part(cell, index, field_type), part)
            case Map(), Array():
                for index, part in enumerate(self.parts(value)):
                    self.write_cell(self.element_cell(cell, index), part)
            case Option(of=of), Struct():
                self._write_wide_option(cell, of, value)
            case (Seq() | Pool()) as type_, Struct():
                self._write_wide_items(cell, type_, value)
            case _:
                raise TypeError(f"{cell.type} does not fit {cell.shape}")

    def _write_wide_option(self, cell: PackedValue, of: Type, value: BuiltValue) -> None:
        flag, payload = self.part(cell, 0, Bool()), self.part(cell, 1, of)
        self.insert(self.cell_address(cell), flag.word, flag.shift, 1, self.bit_as_number(self.is_present(value)))
        self.branch(
            self.is_present(value),
            lambda: self.write_cell(payload, self.unwrap_option(value, of)),
            lambda: self.clear_parts(payload),
        )

    def clear_parts(self, cell: PackedValue) -> None:
        """Zero a cell whose words may have neighbours in them."""
        self.write_cell(cell, self.some_value(cell.type)) if cell.shape.bits > 64 else self.zero_cell(cell)

    def _write_wide_items(self, cell: PackedValue, type_: Seq | Pool, value: BuiltValue) -> None:
        length = self.length(value)
        for index in range(type_.capacity):
            at = self.element_cell(cell, index)
            if index >= self.capacity(value):
                self.zero_cell(at)
                continue
            item = self.element_at(value, index)
            self.branch(
                self.compare(">", length, index),
                lambda at=at, item=item: self.write_cell(at, item),
                lambda at=at: self.zero_cell(at),
            )
        self.put_count(cell, length)

    def code_of_value(self, type_: Type, shape: Shape, value: BuiltValue) -> Num:
        """The code of a narrow value that belongs to the type."""
        if isinstance(value, PackedValue) and value.type == type_:
            return self.code(value)
        match type_, shape:
            case Int(lo=lo), _:
                return self.sub(self.number_of(value), lo)
            case ((Bool() | Enumeration() | Identity() | Subset()), _):
                return self.number_of(value)
            case Option(of=of), Leaf():
                inside = (
                    0
                    if isinstance(value, NativeOption) and value.value is None
                    else self.code_of_value(of, shape, self.unwrap_option(value, of))
                )
                return self.select_number(self.is_present(value), self.add(inside, 1), 0)
            case Option(of=of), Struct(parts=parts, places=places):
                inside = self.code_of_value(of, parts[1], self.unwrap_option(value, of))
                flag = self.shl(1, places[0][1])
                return self.select_number(self.is_present(value), self.bor(flag, self.shl(inside, places[1][1])), 0)
            case Record(fields=fields), Struct(parts=parts, places=places):
                codes = [
                    self.code_of_value(field_type, part, own)
                    for (_, field_type), part, own in zip(fields, parts, self.parts(value), strict=True)
                ]
                return self._join_codes(codes, [place[1] for place in places])
            case Map(value=of), Array():
                codes = [self.code_of_value(of, shape.element, own) for own in self.parts(value)]
                return self._join_codes(codes, [shape.place_of_element(index)[1] for index in range(shape.count)])
            case ((Seq() | Pool()), Struct()):
                return self._raw_items(type_, shape, value)
            case _:
                raise TypeError(f"{type_} does not fit {shape}")

    def _join_codes(self, codes: list[Num], shifts: list[int]) -> Num:
        return reduce(
            self.bor, [self.shl(code, shift) for code, shift in zip(codes, shifts, strict=True) if code != 0], 0
        )

    def _raw_items(self, type_: Any, shape: Struct, value: BuiltValue) -> Num:
        (count_at, items_at), items, length = shape.places, shape.parts[1], self.length(value)
        assert isinstance(items, Array)
        total = self.shl(length, count_at[1])
        for index in range(min(self.capacity(value), type_.capacity)):
            code = self.code_of_value(type_.of, items.element, self.element_at(value, index))
            there = self.select_number(self.compare(">", length, index), code, 0)
            total = self.bor(total, self.shl(there, items_at[1] + items.place_of_element(index)[1]))
        return total


def is_filter(node: ir.Quantified) -> bool:
    """Whether a set is made of elements of another set, in whose order they come, each once."""
    match node:
        case ir.Quantified(
            generators=(ir.Generator(variable=variable, source=ir.Elements(of=of)),), body=ir.Name(name=name)
        ):
            same = isinstance(of.type, Pool) and isinstance(node.type, Pool) and of.type.of == node.type.of
            return name == variable and same and not getattr(of.type, "multiple", False)
        case _:
            return False


def local_bindings(body: Iterable[ir.Statement]) -> Iterable[ir.Let]:
    """Every binding of a local name, nested ones included."""
    for statement in body:
        match statement:
            case ir.Let():
                yield statement
            case ir.If(yes=yes, no=no):
                yield from local_bindings((*yes, *no))
            case ir.For(body=inner):
                yield from local_bindings(inner)
            case _:
                pass
