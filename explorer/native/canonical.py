"""Symmetry: of all states that differ by renaming the members of symmetric domains, keep one.

Each member gets a key, a number that no renaming of the others can change: its own cells, and where it stands in sets
and scalar fields. Sorting by key decides the renaming. Where keys tie, every renaming among the tied members is tried
and the least state kept; so the result is exact whatever the keys are worth, and good keys only make it fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate, chain, groupby, pairwise, permutations, product

from llvmlite import ir as llvm

from ...language.types import (
    Identity,
    Map,
    Option,
    Pool,
    Record,
    Seq,
    Subset,
    Type,
    scalar_size,
)
from .cells import BuiltValue, Items, Mask, Memory, NativeNumber, NativeOption, PackedValue, Parts
from .layout import Layout, shape_of
from .machine import I64, WORDS, address, word
from .scalars import Bit, Num, Scalars
from .statements import Statements

KEY_BITS = 58
"""Bits of a key; the rest of its word holds the member's index while keys are sorted."""
INDEX_BITS = 64 - KEY_BITS
NIBBLE = 4


def is_changed_by_renaming(type_: Type, domains: frozenset[str]) -> bool:
    """Whether values of a type change when members of the domains are renamed."""
    match type_:
        case Identity(name=name):
            return name in domains
        case Option(of=of) | Seq(of=of) | Subset(of=of) | Pool(of=of):
            return is_changed_by_renaming(of, domains)
        case Record(fields=fields):
            return any(is_changed_by_renaming(field_type, domains) for _, field_type in fields)
        case Map(key=key, value=value):
            return is_changed_by_renaming(key, domains) or is_changed_by_renaming(value, domains)
        case _:
            return False


def canonical_function(
    module: llvm.Module,
    layout: Layout,
    domains: Sequence[Identity],
    cone: int | None = None,
    fixed_count: int | None = None,
) -> llvm.Function:
    """`canonical(c, at)`: replaces the state at `at` by the one that stands for its orbit. No domains: does nothing.
    With a `cone`, the context's cells from there on have the bits of each word that are kept, before that. The cell
    `fixed_count` of the context, if there is one, gets how many renamings leave that state as it is."""
    if cone is not None:
        return _canonical_of_kept_bits(
            module, layout, _orbit_function(module, layout, domains, "orbit", fixed_count), cone
        )
    return _orbit_function(module, layout, domains, "canonical", fixed_count)


def _orbit_function(
    module: llvm.Module, layout: Layout, domains: Sequence[Identity], name: str, fixed_count: int | None
) -> llvm.Function:
    function = llvm.Function(module, llvm.FunctionType(I64, [WORDS, WORDS]), name)
    if not domains:
        llvm.IRBuilder(function.append_basic_block()).ret(word(0))
        return function
    rename = llvm.Function(module, llvm.FunctionType(I64, [WORDS, WORDS, *[I64] * len(domains)]), "rename")
    rename.linkage = "internal"
    RenamingCode(layout, rename, domains).generate()
    Canonical(layout, function, domains, rename, fixed_count).generate()
    return function


def _canonical_of_kept_bits(module: llvm.Module, layout: Layout, orbit: llvm.Function, cone: int) -> llvm.Function:
    """`canonical(c, at)` as `orbit` is, of the bits that the context keeps."""
    function = llvm.Function(module, llvm.FunctionType(I64, [WORDS, WORDS]), "canonical")
    builder = llvm.IRBuilder(function.append_basic_block())
    context, at = function.args
    for index in range(layout.words):
        kept = builder.load(address(builder, context, word(cone + index)))
        place = address(builder, at, word(index))
        builder.store(builder.and_(builder.load(place), kept), place)
    builder.ret(builder.call(orbit, [context, at]))
    return function


class RenamingCode(Statements):
    """`rename(from, to, orders...)`: the state with its members renamed; nibble p of an order is the member that
    moves to p."""

    def __init__(self, layout: Layout, function: llvm.Function, domains: Sequence[Identity]) -> None:
        builder = llvm.IRBuilder(function.append_basic_block("entry"))
        super().__init__(layout, builder, {})
        self.names = frozenset(domain.name for domain in domains)
        start, self.target, *orders = function.args
        for argument in function.args[:2]:
            argument.add_attribute("noalias")
        body = function.append_basic_block("body")
        loaded = tuple(builder.load(address(builder, start, word(index))) for index in range(layout.words))
        builder.branch(body)
        builder.position_at_end(body)
        self.before = Memory(start, loaded)
        self.order = {
            domain.name: [nibble_at(self, order, at) for at in range(domain.size)]
            for domain, order in zip(domains, orders, strict=True)
        }
        self.moved = {name: self._inverse(order) for name, order in self.order.items()}

    def _inverse(self, order: list[Num]) -> Num:
        """Nibble m is where member m moves to."""
        return reduce(self.bor, [self.shl(at, self.mul(member, NIBBLE)) for at, member in enumerate(order)], 0)

    def generate(self) -> None:
        """Fill the function."""
        assert self.target is not None
        for index, value in enumerate(self.before.loaded_words):
            self.builder.store(value, address(self.builder, self.target, word(index)))
        for field in self.layout.fields:
            if is_changed_by_renaming(field.type, self.names):
                cell = self.field_cell(self.before, field.name)
                self.write_cell(self.field_cell(Memory(self.target), field.name), self.rename_members(field.type, cell))
        self.builder.ret(word(0))

    def rename_members(self, type_: Type, value: BuiltValue) -> BuiltValue:
        """The value with its members renamed."""
        if not is_changed_by_renaming(type_, self.names):
            return value
        match type_:
            case Identity(name=name):
                return NativeNumber(type_, nibble_at(self, self.moved[name], self.number_of(value)))
            case Option(of=of):
                present = self.is_present(value)
                inner = self.unwrap_option(value, of)
                if isinstance(inner, NativeNumber):
                    inner = NativeNumber(of, self.select_number(present, inner.value, 0))
                return NativeOption(type_, present, self.rename_members(of, inner))
            case Subset(of=Identity(name=name)):
                return Mask(type_, self._permute_bits(self.number_of(value), self.order[name]))
            case Record(fields=fields):
                parts = zip(fields, self.parts(value), strict=True)
                return Parts(type_, tuple(self.rename_members(field_type, part) for (_, field_type), part in parts))
            case Map(key=key, value=of):
                return Parts(
                    type_, tuple(self.rename_members(of, self.element_at(value, at)) for at in self._new_keys(key))
                )
            case Seq(of=of, capacity=capacity):
                items = [self.element_at(value, index) for index in range(capacity)]
                return Items(type_, self.length(value), tuple(self.rename_members(of, item) for item in items))
            case Pool():
                return self._renamed_pool(type_, value)
            case _:
                raise TypeError(f"{type_} cannot be renamed")

    def _new_keys(self, key: Type) -> Sequence[Num]:
        if isinstance(key, Identity) and key.name in self.names:
            return self.order[key.name]
        return range(scalar_size(key))

    def _permute_bits(self, mask: Num, order: list[Num]) -> Num:
        bits = [self.shl(self.band(self.shr(mask, member), 1), at) for at, member in enumerate(order)]
        return reduce(self.bor, bits, 0)

    def _renamed_pool(self, type_: Pool, value: BuiltValue) -> BuiltValue:
        """Rename each record, then sort again; unused slots sort last and are zeroed by `write_cell`."""
        length = self.length(value)
        codes = list[llvm.Value]()
        for index in range(type_.capacity):
            code = self.pack_value(type_.of, self.rename_members(type_.of, self.element_at(value, index)))
            unused = llvm.Constant(code.type, (1 << code.type.width) - 1)
            used = self.compare(">", length, index)
            codes.append(code if used is True else self.builder.select(self.llvm_bit(used), code, unused))
        for low, high in sorting_network(len(codes)):
            codes[low], codes[high] = self._exchange(codes[low], codes[high])
        return Items(type_, length, tuple(self._unpack(type_.of, code) for code in codes))

    def _exchange(self, left: llvm.Value, right: llvm.Value) -> tuple[llvm.Value, llvm.Value]:
        swap = self.builder.icmp_unsigned("<", right, left)
        return self.builder.select(swap, right, left), self.builder.select(swap, left, right)

    def _unpack(self, type_: Type, code: llvm.Value) -> BuiltValue:
        shape = shape_of(type_)
        count = code.type.width // 64
        with self.builder.goto_entry_block():
            memory = self.builder.bitcast(self.builder.alloca(llvm.ArrayType(I64, count)), WORDS)
        self.put_wide_code(memory, 0, 0, shape, code)
        return PackedValue(type_, shape, Memory(memory), 0, 0)


def nibble_at(scalars: Scalars, packed_order: Num, place: Num) -> Num:
    """Nibble `place` of a packed order."""
    return scalars.band(scalars.shr(packed_order, scalars.mul(place, NIBBLE)), (1 << NIBBLE) - 1)


def orders_of_ties(size: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """Every order of so many sorted members that only moves tied ones, and where the orders of each pattern of ties
    begin; after the last, where they end. Bit i of a pattern: member i ties with the next."""
    rows, starts = list[tuple[int, ...]](), [0]
    for pattern in range(1 << size - 1):
        groups = accumulate((1 - (pattern >> at & 1) for at in range(size - 1)), initial=0)
        tied = [[at for at, _ in some] for _, some in groupby(enumerate(groups), key=lambda numbered: numbered[1])]
        rows += [tuple(chain(*orders)) for orders in product(*map(permutations, tied))]
        starts.append(len(rows))
    return rows, starts


def sorting_network(count: int) -> list[tuple[int, int]]:
    """Compare-exchange pairs that sort `count` values (Batcher's odd-even merge)."""
    pairs = list[tuple[int, int]]()
    step = 1
    while step < count:
        stride = step
        while stride >= 1:
            for start in range(stride % step, count - stride, 2 * stride):
                for offset in range(min(stride, count - start - stride)):
                    low = start + offset
                    if low // (2 * step) == (low + stride) // (2 * step):
                        pairs.append((low, low + stride))
            stride //= 2
        step *= 2
    return pairs


class Canonical(Statements):
    """Keys, the sort, and the search among ties. A renaming that leaves a state as it is only moves members that tie:
    there are as many as orders among the ties that give the least state."""

    def __init__(
        self,
        layout: Layout,
        function: llvm.Function,
        domains: Sequence[Identity],
        rename: llvm.Function,
        fixed_count: int | None = None,
    ) -> None:
        builder = llvm.IRBuilder(function.append_basic_block("entry"))
        super().__init__(layout, builder, {})
        self.domains, self.rename = list(domains), rename
        self.names = frozenset(domain.name for domain in domains)
        context, self.at = function.args
        self.fixed = None if fixed_count is None else address(builder, context, word(fixed_count))
        loaded = tuple(builder.load(address(builder, self.at, word(index))) for index in range(layout.words))
        self.before = Memory(self.at, loaded)
        self.best, self.other = (
            builder.bitcast(builder.alloca(llvm.ArrayType(I64, layout.words)), WORDS) for _ in range(2)
        )
        body = function.append_basic_block("body")
        builder.branch(body)
        builder.position_at_end(body)

    def generate(self) -> None:
        """Fill the function."""
        keys = {
            domain.name: [self.member_key(domain, member) for member in range(domain.size)] for domain in self.domains
        }
        sorted_keys = {name: self._sort_keys(own) for name, own in keys.items()}
        if self.fixed is not None:
            self.builder.store(word(1), self.fixed)
        tied = reduce(self.either, (self._has_ties(own) for own in sorted_keys.values()), False)
        orders = [self._members_in_order(sorted_keys[domain.name]) for domain in self.domains]
        self.branch(tied, lambda: self._try_sorted_orders(sorted_keys), lambda: self._apply_orders(orders))
        self.builder.ret(word(0))

    def _sort_keys(self, keys: list[Num]) -> list[Num]:
        packed = [self.bor(self.shl(key, INDEX_BITS), member) for member, key in enumerate(keys)]
        for low, high in sorting_network(len(packed)):
            a, b = packed[low], packed[high]
            swap = self.is_below(b, a)
            packed[low], packed[high] = self.select_number(swap, b, a), self.select_number(swap, a, b)
        return packed

    def _has_ties(self, packed_orders: list[Num]) -> Bit:
        keys = [self.shr(number, INDEX_BITS) for number in packed_orders]
        return reduce(self.either, [self.compare("==", a, b) for a, b in pairwise(keys)], False)

    def _members_in_order(self, packed_orders: list[Num]) -> Num:
        members = [self.band(number, (1 << INDEX_BITS) - 1) for number in packed_orders]
        return reduce(self.bor, [self.shl(member, NIBBLE * at) for at, member in enumerate(members)], 0)

    def _apply_orders(self, orders: list[Num]) -> None:
        same = [
            self.compare("==", order, identity_order(domain.size))
            for order, domain in zip(orders, self.domains, strict=True)
        ]
        already = reduce(self.both, same, True)
        self.branch(self.negate(already), lambda: self._store_least_renaming(self.best, orders, then=self.best))

    def _store_least_renaming(self, where: llvm.Value, orders: list[Num], then: llvm.Value | None = None) -> None:
        self.builder.call(self.rename, [self.at, where, *map(self.llvm_number, orders)])
        if then is not None:
            self._copy(then, self.at)

    def _copy(self, source: llvm.Value, target: llvm.Value) -> None:
        for index in range(self.layout.words):
            value = self.builder.load(address(self.builder, source, word(index)))
            self.builder.store(value, address(self.builder, target, word(index)))

    def _try_sorted_orders(self, sorted_keys: dict[str, list[Num]]) -> None:
        """Try every order that keeps the keys sorted; the first is the sort's own."""
        first = self.stack_slot(I64)
        self.builder.store(word(1), first)

        def level(depth: int, orders: list[Num]) -> None:
            if depth == len(self.domains):
                self._try_orders(orders, first)
                return
            domain = self.domains[depth]
            packed = sorted_keys[domain.name]
            if domain.size > 3:
                self._for_tied_orders(packed, lambda order: level(depth + 1, [*orders, order]))
                return
            for positions in permutations(range(domain.size)):
                self._for_arrangement(packed, positions, lambda order: level(depth + 1, [*orders, order]))

        level(0, [])
        self._copy(self.best, self.at)

    def _for_arrangement(self, packed_orders: list[Num], positions: Sequence[int], then: Callable[[Num], None]) -> None:
        """Go on with the order that puts `packed_orders[positions[p]]` at p, if that only moves tied members."""
        moved = [(at, position) for at, position in enumerate(positions) if at != position]
        keys = [self.shr(number, INDEX_BITS) for number in packed_orders]
        fits = reduce(self.both, [self.compare("==", keys[at], keys[position]) for at, position in moved], True)
        self.branch(fits, lambda: then(self._members_in_order([packed_orders[position] for position in positions])))

    def _for_tied_orders(self, packed_orders: list[Num], then: Callable[[Num], None]) -> None:
        """Go on with every order that only moves tied members: which those are depends on who ties with the next."""
        rows, starts = orders_of_ties(len(packed_orders))
        keys = self.builder.bitcast(self._spill_to_memory(packed_orders), WORDS)
        pairs = pairwise(self.shr(number, INDEX_BITS) for number in packed_orders)
        ties = [self.shl(self.bit_as_number(self.compare("==", a, b)), at) for at, (a, b) in enumerate(pairs)]
        pattern = reduce(self.bor, ties, 0)
        begins = self._constant_table("starts", starts)
        begin, end = (self._table_entry(begins, self.add(pattern, more)) for more in (0, 1))
        table = self._constant_table(
            "orders", [sum(position << NIBBLE * at for at, position in enumerate(row)) for row in rows]
        )

        def one(at: Num) -> None:
            row = self._table_entry(table, at)
            moved = [self.builder.load(address(self.builder, keys, self.llvm_number(nibble_at(self, row, index))))
                     for index in range(len(packed_orders))]  # fmt: skip
            then(self._members_in_order(list(moved)))

        self.emit_rounds(begin, end, 0, one)

    def _constant_table(self, name: str, numbers: Sequence[int]) -> llvm.Value:
        """A constant array of words."""
        data = llvm.GlobalVariable(
            self.builder.module, llvm.ArrayType(I64, len(numbers)), self.builder.module.get_unique_name(name)
        )
        data.global_constant, data.initializer = (
            True,
            llvm.Constant(data.value_type, [word(number) for number in numbers]),
        )
        return data

    def _table_entry(self, table: llvm.Value, place: Num) -> Num:
        return self.builder.load(self.builder.gep(table, [word(0), self.llvm_number(place)]))

    def _spill_to_memory(self, values: list[Num]) -> llvm.Value:
        memory = self.stack_slot(llvm.ArrayType(I64, len(values)))
        base = self.builder.bitcast(memory, WORDS)
        for index, value in enumerate(values):
            self.builder.store(self.llvm_number(value), address(self.builder, base, word(index)))
        return memory

    def _try_orders(self, orders: list[Num], first: llvm.Value) -> None:
        self._store_least_renaming(self.other, orders)
        better: Bit = self.compare("!=", self.builder.load(first), 0)
        decided: Bit = False
        for index in reversed(range(self.layout.words)):
            mine = self.builder.load(address(self.builder, self.other, word(index)))
            best = self.builder.load(address(self.builder, self.best, word(index)))
            better = self.either(better, self.both(self.negate(decided), self.is_below(mine, best)))
            decided = self.either(decided, self.compare("!=", mine, best))
        self._count_fixed(better, decided)
        self.branch(better, lambda: self._copy(self.other, self.best))
        self.builder.store(word(0), first)

    def _count_fixed(self, better: Bit, differs: Bit) -> None:
        """One order more gives the least state so far: the first, if it is `better`, and one more unless it differs."""
        if self.fixed is None:
            return
        known = self.builder.load(self.fixed)
        again = self.select_number(differs, known, self.add(known, 1))
        self.builder.store(self.llvm_number(self.select_number(better, 1, again)), self.fixed)

    # --- keys ---------------------------------------------------------------------------------------------------------

    def member_key(self, domain: Identity, member: int) -> Num:
        """A number of KEY_BITS bits that depends on the member alone."""
        chunks = list[tuple[Num, int]]()
        for field in self.layout.fields:
            chunks += self.member_chunks(field.type, self.field_cell(self.before, field.name), domain, member)
        key, used = 0, 0
        for value, bits in chunks:
            if used + bits > KEY_BITS:
                key, used = self._fold_hash(self.bxor(key, self.mul(value, 0x9E3779B97F4A7C15))), KEY_BITS
            else:
                key, used = self.bor(self.shl(key, bits), value), used + bits
        return key

    def _fold_hash(self, value: Num) -> Num:
        return self.shr(self.mul(value, 0xD6E8FEB86659FD93), INDEX_BITS)

    def member_chunks(self, type_: Type, value: BuiltValue, domain: Identity, member: int) -> list[tuple[Num, int]]:
        """Numbers, each with its bits, that describe how a value relates to a member whatever the others are called."""
        if not is_changed_by_renaming(type_, self.names):
            return []
        match type_:
            case Map(key=Identity(name=name), value=of) if name == domain.name:
                return self.own_cell_chunks(of, self.element_at(value, member), domain, member)
            case Record(fields=fields):
                pairs = zip(fields, self.parts(value), strict=True)
                return [
                    chunk
                    for (_, field_type), part in pairs
                    for chunk in self.member_chunks(field_type, part, domain, member)
                ]
            case Identity() | Option() | Subset():
                return self._relation_chunks(type_, value, domain, member)
            case _:
                return []

    def own_cell_chunks(self, type_: Type, value: BuiltValue, domain: Identity, member: int) -> list[tuple[Num, int]]:
        """The same for a cell that is the member's own: what mentions nobody counts whole."""
        if not is_changed_by_renaming(type_, self.names):
            if isinstance(value, PackedValue) and value.shape.bits <= min(64, KEY_BITS):
                return [(self.code(value), value.shape.bits)]
            return [(self.num_or_length(value), 8)]
        match type_:
            case Record(fields=fields):
                pairs = zip(fields, self.parts(value), strict=True)
                return [
                    chunk
                    for (_, field_type), part in pairs
                    for chunk in self.own_cell_chunks(field_type, part, domain, member)
                ]
            case Subset(of=of):
                return [
                    *self._relation_chunks(type_, value, domain, member),
                    (self.count_bits(self.number_of(value)), scalar_size(of).bit_length()),
                ]
            case Seq() | Pool():
                return [(self.length(value), 8)]
            case _:
                return self.member_chunks(type_, value, domain, member)

    def num_or_length(self, value: BuiltValue) -> Num:
        """Some small number about a wide value: a sequence's length, else nothing."""
        return self.length(value) if isinstance(value.type, Seq | Pool) else 0

    def _relation_chunks(self, type_: Type, value: BuiltValue, domain: Identity, member: int) -> list[tuple[Num, int]]:
        match type_:
            case Identity(name=name):
                return (
                    [(self.bit_as_number(self.compare("==", self.number_of(value), member)), 1)]
                    if name == domain.name
                    else []
                )
            case Option(of=Identity() as of):
                here = self.both(
                    self.is_present(value), self.compare("==", self.number_of(self.unwrap_option(value, of)), member)
                )
                relation = [(self.bit_as_number(here), 1)] if of.name == domain.name else []
                return [*relation, (self.bit_as_number(self.is_present(value)), 1)]
            case Subset(of=Identity(name=name)) if name == domain.name:
                return [(self.band(self.shr(self.number_of(value), member), 1), 1)]
            case _:
                return []


def identity_order(size: int) -> int:
    """The order that renames nobody."""
    return sum(at << NIBBLE * at for at in range(size))
