"""Where the order of a loop's rounds decides whether an expression is defined.

`any(q == r or 10 // s.n[q] > 20 for q in Replica)` ends at the first true round. If `s.n[q]` is 0 for some q, then it
depends on the order of the replicas whether Python comes to that round. With symmetry one order stands for all: so each
round of such a loop must be defined whatever the others come to. That is decided here from the text: an index below
a length that was compared, a value that was compared with None, a record that was asked for by `isinstance`, a divisor
that is not 0. What is not seen to be defined counts as undefined. Integers are compared as differences (`a - b <= c`),
and conditions count as far as they are evaluated before: in `and`, `or`, a conditional expression, an `if`, a
`require`, the generators of a comprehension, those of the set that a loop visits.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, TypeAlias, cast

from ..language import ir
from ..language.forms import ActionForm
from ..language.frontend.membership import unchecked_elements
from ..language.immutable import immutable
from ..language.records import KIND
from ..language.types import Enumeration, Int, Map, Option, Pool, Record, Seq, scalar_size
from ..language.where import Where
from .traversal import SILENT, WRITES, is_expression, traverse

Key: TypeAlias = tuple[Any, ...]
"""What names a value: equal keys are equal values."""
Form: TypeAlias = ActionForm | ir.Function

_ZERO: Key = ("zero",)
_NEGATED_COMPARISONS = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_numbers = itertools.count()


def undefined_in_some_order(form: Form, is_unordered: Callable[[ir.Source], bool]) -> Iterator[Where]:
    """The expressions that may be undefined in a round, where another round of an unordered source may end the loop."""
    yield from _DefinednessReader(is_unordered).undefined_in_block(form.body, LoopScope(), False)


def order_dependent_places(claim: ir.Function, is_unordered: Callable[[ir.Source], bool]) -> Iterator[Where]:
    """The same of a property that is violated where it is false. What a false round of an outermost `all` hides is no
    matter: one order finds a violation there, another one an error, and none that the property holds."""
    match claim.body:
        case (ir.Return(value=value),):
            yield from _DefinednessReader(is_unordered).undefined_in_claim(value, LoopScope())
        case _:
            yield from undefined_in_some_order(claim, is_unordered)


@immutable
class LoopScope:
    """What is known at a place: what each name stands for, the differences `a - b <= c` (by a and b), the keys of
    options that are not None and of numbers that are not 0, and which members of an enum a value may still be (by its
    key), such as the kinds of a record; `kinds` those of the elements of a set. `version` changes with the state."""

    names: Mapping[str, Key] = field(default_factory=dict[str, Key])
    differences: Mapping[tuple[Key, Key], int] = field(default_factory=dict[tuple[Key, Key], int])
    some: frozenset[Key] = frozenset()
    members: Mapping[Key, frozenset[int]] = field(default_factory=dict[Key, frozenset[int]])
    kinds: Mapping[Key, frozenset[int]] = field(default_factory=dict[Key, frozenset[int]])
    version: int = 0

    def bind_name(self, name: str, key: Key | None = None) -> LoopScope:
        """The scope in which a name stands for a key, or for something new."""
        return replace(self, names={**self.names, name: key or ("new", next(_numbers))})

    def forget_assigned_names(self, statements: tuple[ir.Statement, ...]) -> LoopScope:
        """The scope around statements that may be executed or not: what they assign is new."""
        scope = self
        for node in traverse(statements, helpers=False):
            if isinstance(node, ir.Let):
                scope = scope.bind_name(node.name)
            elif isinstance(node, WRITES):
                scope = replace(scope, version=next(_numbers) + 1)
        return scope

    # --- what values are called ---------------------------------------------------------------------------------------

    def key_of(self, node: Any) -> Key:
        """The key of an expression."""
        match node:
            case ir.Name(name=name):
                return self.names.get(name, ("name", name))
            case ir.Const() | ir.Arithmetic(op="+" | "-"):
                key, more = self.key_and_offset(node)
                return ("sum", key, more) if more or key == _ZERO else key
            case ir.StateField(state=state, field=field_):
                return ("state", self.version, state, field_)
            case ir.Call(function=ir.Function(body=(ir.Return(value=value),))):
                return self.scope_in_helper(node).key_of(value)
            case ir.Call(function=function, arguments=arguments):
                return ("call", self.version, id(function), *map(self.key_of, arguments))
            case tuple():
                return tuple(map(self.key_of, cast(tuple[Any, ...], node)))
            case _ if hasattr(node, "__dataclass_fields__"):
                kept = (name for name in node.__dataclass_fields__ if name not in SILENT and name != "type")
                return (type(node).__name__, *(self.key_of(getattr(node, name)) for name in kept))
            case _:
                return (node,)

    def scope_in_helper(self, call: ir.Call) -> LoopScope:
        """The scope in the body of a helper."""
        names = (name for name, _ in call.function.parameters)
        return replace(self, names=dict(zip(names, map(self.key_of, call.arguments), strict=True)))

    def key_and_offset(self, node: ir.Expr) -> tuple[Key, int]:
        """An integer as a key and a number that is added to it."""
        match node:
            case ir.Const(number=number):
                return _ZERO, number
            case ir.Arithmetic(op="+", left=left, right=ir.Const(number=number)):
                key, more = self.key_and_offset(left)
                return key, more + number
            case ir.Arithmetic(op="+", left=ir.Const(number=number), right=right):
                key, more = self.key_and_offset(right)
                return key, more + number
            case ir.Arithmetic(op="-", left=left, right=ir.Const(number=number)):
                key, more = self.key_and_offset(left)
                return key, more - number
            case ir.Name(name=name):
                key = self.names.get(name, ("name", name))
                return (key[1], key[2]) if key[0] == "sum" else (key, 0)
            case ir.Arithmetic(op=op, left=left, right=right):
                return (op, self.key_of(left), self.key_of(right)), 0
            case _:
                return self.key_of(node), 0

    # --- what is known of them ----------------------------------------------------------------------------------------

    def assume_less(self, one: ir.Expr, other: ir.Expr, distance: int) -> LoopScope:
        """The scope in which `one + distance <= other`."""
        (a, more), (b, less) = self.key_and_offset(one), self.key_and_offset(other)
        known = self._known_bounds(one, other)
        known[a, b] = min(known.get((a, b), less - more - distance), less - more - distance)
        scope = replace(self, differences=known)
        if isinstance(other, ir.Arithmetic) and other.op == "min":
            scope = scope.assume_less(one, other.left, distance).assume_less(one, other.right, distance)
        if isinstance(one, ir.Arithmetic) and one.op == "max":
            scope = scope.assume_less(one.left, other, distance).assume_less(one.right, other, distance)
        return scope

    def assume_maximum_of_range(self, value: ir.Expr) -> LoopScope:
        """The scope in which `max(i + 1 for i in range(n) if ...)` is at most `n`."""
        match value:
            case ir.Call(function=ir.Function(body=(ir.Return(value=inner),))):
                return replace(self.scope_in_helper(value).assume_maximum_of_range(inner), names=self.names)
            case ir.Quantified(kind="max", generators=(one,), body=body, default=default):
                round_ = self.bind_name(one.variable)
                key, more = round_.key_and_offset(body)
                if not isinstance(one.source, ir.IntRange) or key != round_.names[one.variable]:
                    return self
                stop = one.source.stop
                is_bound = default is None or self.is_less(default, stop, 1 - more)
                return self.assume_less(value, stop, 1 - more) if is_bound else self
            case _:
                return self

    def is_less(self, one: ir.Expr, other: ir.Expr, distance: int) -> bool:
        """Whether `one + distance <= other` is known."""
        (a, more), (b, less) = self.key_and_offset(one), self.key_and_offset(other)
        known = self._known_bounds(one, other)
        return _least_distance(known, a, b) <= less - more - distance

    def _known_bounds(self, *of: ir.Expr) -> dict[tuple[Key, Key], int]:
        """What is known, with what the types of some integers say."""
        known = dict(self.differences)
        for expression in of:
            for pair, number in self._intervals(expression).items():
                known[pair] = min(known.get(pair, number), number)
        return known

    def _intervals(self, node: ir.Expr) -> dict[tuple[Key, Key], int]:
        """What the type of an integer says, and that a length is not below 0."""
        key, more = self.key_and_offset(node)
        if key == _ZERO or not isinstance(node.type, Int):
            return {}
        return {(key, _ZERO): node.type.hi - more, (_ZERO, key): more - node.type.lo}

    def assume_truth(self, condition: ir.Expr, truth: bool) -> LoopScope:
        """The scope in which a condition is true, or false."""
        match condition, truth:
            case ir.Not(operand=operand), _:
                return self.assume_truth(operand, not truth)
            case (ir.And(operands=operands), True) | (ir.Or(operands=operands), False):
                scope = self
                for part in operands:
                    scope = scope.assume_truth(part, truth)
                return scope
            case (ir.Or(), True) | (ir.And(), False):
                return self._assume_some_operand(condition, truth)
            case ir.Call(function=ir.Function(body=(ir.Return(value=value),))), _:
                return replace(self.scope_in_helper(condition).assume_truth(value, truth), names=self.names)
            case ir.Compare(
                op="==" | "!=" as op, left=left, right=ir.Const(number=number, type=Enumeration() as of)
            ), _:
                left_over = {number} if (op == "==") == truth else set(range(len(of.members))) - {number}
                return self._scope_with_members(self.key_of(left), frozenset(left_over))
            case ir.IsNone(option=option), False:
                return replace(self, some=self.some | {self.key_of(option)})
            case ir.Compare(op=op, left=left, right=right), _:
                return self._scope_with_comparison(op if truth else _NEGATED_COMPARISONS[op], left, right)
            case _:
                return self

    def _assume_some_operand(self, condition: ir.Or | ir.And, truth: bool) -> LoopScope:
        """The scope in which one of the operands has this truth: a value is what it may be in one of these cases."""
        cases = [self.assume_truth(operand, truth).members for operand in condition.operands]
        scope = self
        for key in set(cases[0]).intersection(*cases[1:]):
            scope = scope._scope_with_members(key, frozenset[int]().union(*(case[key] for case in cases)))
        return scope

    def _scope_with_members(self, key: Key, left_over: frozenset[int]) -> LoopScope:
        known = self.members.get(key, left_over)
        return replace(self, members={**self.members, key: known & left_over})

    def possible_records(self, record: ir.Expr) -> frozenset[int] | None:
        """Which records of its union a value may still be; None where nothing is known of it."""
        return self.members.get(self.key_of(kind_of_record(record)))

    def kinds_of_elements(self, container: ir.Expr) -> frozenset[int] | None:
        """The same of each element of a set of records: `{m for m in s.net if isinstance(m, Vote)}`, by a name too."""
        match container:
            case ir.Call(function=ir.Function(body=(ir.Return(value=value),))):
                return self.scope_in_helper(container).kinds_of_elements(value)
            case ir.Quantified(kind="set", generators=generators, body=body) if is_of_union(body):
                scope = self
                for generator in generators:
                    scope = scope.enter_round(generator.variable, generator.type, generator.source)
                    for condition in generator.conditions:
                        scope = scope.assume_truth(condition, True)
                return scope.possible_records(body)
            case _:
                return self.kinds.get(self.key_of(container))

    def know_elements(self, container: ir.Expr) -> LoopScope:
        """The scope in which the key of a set stands for what is known of its elements."""
        found = self.kinds_of_elements(container)
        return self if found is None else replace(self, kinds={**self.kinds, self.key_of(container): found})

    def enter_round(self, variable: str, type_: Any, source: ir.Source) -> LoopScope:
        """The scope in a round: the variable of a range is between its ends, an element of a set what those are."""
        scope, name = self.bind_name(variable), ir.Name(variable, type_, source.where)
        match source:
            case ir.IntRange(start=start, stop=stop):
                return scope.assume_less(start, name, 0).assume_less(name, stop, 1)
            case ir.Elements(of=of) if is_of_union(name):
                found = self.kinds_of_elements(of)
                return scope if found is None else scope._scope_with_members(scope.key_of(kind_of_record(name)), found)
            case _:
                return scope

    def is_true(self, condition: ir.Expr) -> bool:
        """Whether what is known of enums' members is enough for a condition."""
        return any(not left_over for left_over in self.assume_truth(condition, False).members.values())

    def _scope_with_comparison(self, op: str, left: ir.Expr, right: ir.Expr) -> LoopScope:
        if not isinstance(left.type, Int) or not isinstance(right.type, Int):
            return self
        match op:
            case "<" | "<=":
                return self.assume_less(left, right, op == "<")
            case ">" | ">=":
                return self.assume_less(right, left, op == ">")
            case "==":
                return self.assume_less(left, right, 0).assume_less(right, left, 0)
            case _:
                return self._assume_unequal(left, right)

    def _assume_unequal(self, left: ir.Expr, right: ir.Expr) -> LoopScope:
        scope = self
        for one, other in ((left, right), (right, left)):
            if isinstance(other, ir.Const) and other.number == 0:
                scope = replace(scope, some=scope.some | {scope.key_of(one)})
            if self.is_less(one, other, 0):
                scope = scope.assume_less(one, other, 1)
        return scope


def is_of_union(record: ir.Expr) -> bool:
    """Whether a value is of a union of records."""
    return isinstance(record.type, Record) and bool(record.type.variants)


def kind_of_record(record: ir.Expr) -> ir.RecordField:
    """Which record of its union a value is, as the text of `isinstance` asks."""
    return ir.RecordField(record, KIND, cast(Record, record.type).fields[0][1], record.where)


def _records_with_part(union: Any, part: str) -> frozenset[int]:
    """The records of a union that always have a value in a part."""
    at = [name for name, _ in union.fields].index(part)
    return frozenset(
        number
        for number, (member, places) in enumerate(union.variants)
        if at in places and not isinstance(member.fields[places.index(at)][1], Option)
    )


def _least_distance(known_distances: Mapping[tuple[Key, Key], int], start: Key, end: Key) -> float:
    """The least c for which `start - end <= c` follows."""
    found: dict[Key, float] = {start: 0}
    for _ in range(len(known_distances) + 1):
        changed = False
        for (one, other), number in known_distances.items():
            if one in found and found[one] + number < found.get(other, float("inf")):
                found[other], changed = found[one] + number, True
        if not changed:
            break
    return found.get(end, float("inf"))


class _DefinednessReader:
    """Goes through a function; `exposed` says that another round may end the loop that an expression is in."""

    def __init__(self, is_unordered: Callable[[ir.Source], bool]) -> None:
        self.is_unordered = is_unordered

    # --- statements ---------------------------------------------------------------------------------------------------

    def undefined_in_block(
        self, statements: tuple[ir.Statement, ...], scope: LoopScope, is_exposed: bool
    ) -> Iterator[Where]:
        """What may be undefined in statements that are executed one after the other."""
        for statement in statements:
            scope = yield from self.undefined_in_statement(statement, scope, is_exposed)

    def undefined_in_statement(
        self, node: ir.Statement, scope: LoopScope, is_exposed: bool
    ) -> Generator[Where, None, LoopScope]:
        """What may be undefined in a statement; returns the scope after it."""
        match node:
            case ir.If(condition=condition, yes=yes, no=no):
                yield from self.undefined_in_expression(condition, scope, is_exposed)
                for side, truth in ((yes, True), (no, False)):
                    yield from self.undefined_in_block(side, scope.assume_truth(condition, truth), is_exposed)
                after = scope.forget_assigned_names((*yes, *no))
                if _is_ending_with_return(yes):
                    after = after.assume_truth(condition, False) if not _has_write(no) else after
                return after
            case ir.For():
                return (yield from self._undefined_in_loop(node, scope, is_exposed))
            case ir.Require(condition=condition) | ir.Limit(condition=condition):
                yield from self.undefined_in_expression(condition, scope, is_exposed)
                return scope.assume_truth(condition, True)
            case ir.Assert(condition=condition, where=where):
                yield from self.undefined_in_expression(condition, scope, is_exposed)
                if is_exposed:
                    yield where
                return scope.assume_truth(condition, True)
            case ir.Let(name=name, value=value):
                yield from self.undefined_in_expression(value, scope, is_exposed)
                return scope.assume_maximum_of_range(value).know_elements(value).bind_name(name, scope.key_of(value))
            case ir.Return(value=value):
                yield from self.undefined_in_expression(value, scope, is_exposed)
                return scope
            case _:
                for expression in _expressions(node):
                    yield from self.undefined_in_expression(expression, scope, is_exposed)
                return scope.forget_assigned_names((node,))

    def _undefined_in_loop(self, loop: ir.For, scope: LoopScope, is_exposed: bool) -> Generator[Where, None, LoopScope]:
        for expression in _expressions(loop.source):
            yield from self.undefined_in_expression(expression, scope, is_exposed)
        around = scope.forget_assigned_names(loop.body)
        inside = around.enter_round(loop.variable, loop.type, loop.source)
        ends = any(_may_end(inner) for inner in traverse(loop.body, helpers=False))
        yield from self.undefined_in_block(loop.body, inside, is_exposed or (ends and self.is_unordered(loop.source)))
        return around

    # --- expressions --------------------------------------------------------------------------------------------------

    def undefined_in_expression(self, node: ir.Expr, scope: LoopScope, is_exposed: bool) -> Iterator[Where]:
        """What may be undefined in an expression."""
        match node:
            case ir.And(operands=operands) | ir.Or(operands=operands):
                for operand in operands:
                    yield from self.undefined_in_expression(operand, scope, is_exposed)
                    scope = scope.assume_truth(operand, isinstance(node, ir.And))
            case ir.Choice(condition=condition, yes=yes, no=no):
                yield from self.undefined_in_expression(condition, scope, is_exposed)
                yield from self.undefined_in_expression(yes, scope.assume_truth(condition, True), is_exposed)
                yield from self.undefined_in_expression(no, scope.assume_truth(condition, False), is_exposed)
            case ir.Quantified():
                yield from self._read_quantifier(node, scope, is_exposed)
            case ir.Call(function=function, arguments=arguments):
                for argument in arguments:
                    yield from self.undefined_in_expression(argument, scope, is_exposed)
                yield from self.undefined_in_block(function.body, scope.scope_in_helper(node), is_exposed)
            case ir.MakeMap(variable=variable, value=value):
                yield from self.undefined_in_expression(value, scope.bind_name(variable), is_exposed)
            case _:
                for expression in _expressions(node):
                    yield from self.undefined_in_expression(expression, scope, is_exposed)
                if is_exposed and not _is_defined(node, scope):
                    yield node.where

    def undefined_in_claim(self, node: ir.Expr, scope: LoopScope) -> Iterator[Where]:
        """What may be undefined in a claim, but for what only a false round hides."""
        match node:
            case ir.And(operands=operands):
                for operand in operands:
                    yield from self.undefined_in_claim(operand, scope)
                    scope = scope.assume_truth(operand, True)
            case ir.Quantified(kind="all"):
                yield from self._read_quantifier(node, scope, False, is_claim=True)
            case _:
                yield from self.undefined_in_expression(node, scope, False)

    def _read_quantifier(
        self, node: ir.Quantified, scope: LoopScope, is_exposed: bool, *, is_claim: bool = False
    ) -> Iterator[Where]:
        if node.default is not None:
            yield from self.undefined_in_expression(node.default, scope, is_exposed)
        if is_exposed and not _is_defined(node, scope):
            yield node.where
        for generator in node.generators:
            for part in _expressions(generator.source):
                yield from self.undefined_in_expression(part, scope, is_exposed)
            ends = node.kind in ("all", "any") and not is_claim
            is_exposed = is_exposed or (ends and self.is_unordered(generator.source))
            scope = scope.enter_round(generator.variable, generator.type, generator.source)
            for condition in generator.conditions:
                yield from self.undefined_in_expression(condition, scope, is_exposed)
                scope = scope.assume_truth(condition, True)
        yield from (
            self.undefined_in_claim(node.body, scope)
            if is_claim
            else self.undefined_in_expression(node.body, scope, is_exposed)
        )


def _may_end(node: Any) -> bool:
    """Whether a statement may keep what comes after it from being evaluated: `found = found or ...` does, too."""
    match node:
        case ir.Let(name=name, value=ir.And(operands=operands) | ir.Or(operands=operands)):
            return any(isinstance(operand, ir.Name) and operand.name == name for operand in operands)
        case _:
            return isinstance(node, ir.Return | ir.Require | ir.Limit)


def _is_ending_with_return(statements: tuple[ir.Statement, ...]) -> bool:
    return bool(statements) and isinstance(statements[-1], ir.Return)


def _has_write(statements: tuple[ir.Statement, ...]) -> bool:
    return any(isinstance(node, (*WRITES, ir.Let)) for node in traverse(statements, helpers=False))


def _expressions(node: Any) -> Iterator[ir.Expr]:
    """The expressions directly below a node."""
    for name in node.__dataclass_fields__:
        waiting = [getattr(node, name)]
        while waiting:
            part = waiting.pop(0)
            if isinstance(part, tuple):
                waiting[:0] = cast(tuple[Any, ...], part)
            elif is_expression(part):
                yield cast(ir.Expr, part)
            elif isinstance(part, ir.Place):
                yield from part.indexes


def _is_defined(node: ir.Expr, scope: LoopScope) -> bool:
    """Whether a node is defined where its parts are."""
    match node:
        case ir.Unwrap(option=ir.Choice(condition=condition, yes=ir.Some(), no=ir.Const())) if scope.is_true(condition):
            return True
        case ir.Unwrap(option=ir.RecordField(record=record, field=name)) if is_of_union(record):
            kinds = scope.possible_records(record)
            return scope.key_of(node.option) in scope.some or (
                kinds is not None and kinds <= _records_with_part(record.type, name)
            )
        case ir.Unwrap(option=option):
            return scope.key_of(option) in scope.some
        case ir.Index(container=container, index=index):
            return _is_index(container, index, scope)
        case ir.Slice(start=start, stop=stop):
            return all(end is None or scope.is_less(_number(0, end), end, 0) for end in (start, stop))
        case ir.Arithmetic(op="//" | "%", right=right):
            below, above = scope.is_less(right, _number(0, right), 1), scope.is_less(_number(0, right), right, 1)
            return below or above or scope.key_of(right) in scope.some
        case ir.MemberAt(number=number):
            return _is_known_between(number, 0, scalar_size(node.type) - 1, scope)
        case ir.MakeSubset(elements=elements, type=type_):
            of = type_.of
            return not isinstance(of, Int) or all(
                _is_known_between(element, of.lo, of.hi, scope) for element in elements
            )
        case ir.MakePool() | ir.Quantified(kind="set", type=Pool()):
            return not any(unchecked_elements(node))
        case ir.Quantified(kind="set", body=body):
            of = cast(Any, node.type).of
            return not isinstance(of, Int) or (
                isinstance(body.type, Int) and of.lo <= body.type.lo <= body.type.hi <= of.hi
            )
        case ir.Quantified(kind="min" | "max", default=None, generators=generators):
            return all(_is_never_empty(generator.source) and not generator.conditions for generator in generators)
        case _:
            return True


def _is_never_empty(source: ir.Source) -> bool:
    """Whether a source always has an element."""
    return isinstance(source, ir.Members) or (isinstance(source, ir.Elements) and _has_element(source.of))


def _has_element(container: ir.Expr) -> bool:
    match container:
        case ir.MakeSubset(elements=elements):
            return bool(elements)
        case ir.SetOperation(op="|", left=left, right=right):
            return _has_element(left) or _has_element(right)
        case ir.Call(function=ir.Function(body=(ir.Return(value=value),))):
            return _has_element(value)
        case _:
            return isinstance(container, ir.FullSubset)


def _is_index(container: ir.Expr, index: ir.Expr, scope: LoopScope) -> bool:
    if isinstance(container.type, Seq):
        length = ir.Length(container, Int(0, max(container.type.capacity, 0)), container.where)
        return scope.is_less(_number(0, index), index, 0) and scope.is_less(index, length, 1)
    key = cast(Map, container.type).key
    return not isinstance(key, Int) or _is_known_between(index, key.lo, key.hi, scope)


def _is_known_between(node: ir.Expr, low: int, high: int, scope: LoopScope) -> bool:
    return scope.is_less(_number(low, node), node, 0) and scope.is_less(node, _number(high, node), 0)


def _number(number: int, where: ir.Expr) -> ir.Const:
    return ir.Const(number, Int(number, number), where.where)
