"""What a loop ranges over: `subsets(...)`, `enumerate(...)` and `zip(...)`, and how a loop names what it visits."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum

from .. import ir, orders
from ..immutable import immutable
from ..kinds import Domain, range_of
from ..records import is_box, unbox_type
from ..types import Bool, Enumeration, Identity, Int, Map, Pool, Seq, Subset, Type, scalar_size, value_count
from ..where import Where
from .capacities import MEMBERS_MAX
from .expressions import BOOL, elaborate_condition, elaborate_integer, int_type, number_constant
from .intervals import range_interval
from .matching import common_type, fit_to_type, unwrap_option
from .narrowing import narrow_scope
from .scope import Binding, Scope, elaborate_expression
from .type_text import describe
from .unions import name_parts

SUBSETS_MAX = 1 << 16
"""A loop over all sets makes at most so many rounds."""


@immutable
class Iteration:
    """What a loop ranges over: the source, the type of its variable, and at most how many rounds there are.

    Only the subsets of `superset` are visited, where it is given. With `rows`, the variable is an index, and the loop's
    names are the elements of these sequences at the index, after the index itself where it is `is_counted`.
    """

    source: ir.Source
    type: Type
    rounds: int
    superset: ir.Expr | None = None
    rows: tuple[ir.Expr, ...] = ()
    is_counted: bool = False


def elaborate_source(scope: Scope, node: ast.expr) -> Iteration:
    """What `for x in node` ranges over. Raises AbandonedError after noting TG216 for anything without elements."""
    called = scope.module_value(node.func) if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and called is range:
        return _iteration_of_range(scope, node)
    if isinstance(node, ast.Call) and called is orders.subsets:
        return _iteration_of_subsets(scope, node)
    if isinstance(node, ast.Call) and called is builtins.enumerate:
        return _iteration_of_enumerate(scope, node)
    if isinstance(node, ast.Call) and called is builtins.zip:
        return _iteration_of_zip(scope, node)
    found = scope.module_value(node)
    if isinstance(found, type):
        return _iteration_of_members(scope, found, node)
    interval = range_of(found)
    if interval is not None:
        of = scope.program.types.type_of_range(interval)
        return Iteration(ir.Members(of, scope.place_of(node)), of, scalar_size(of))
    holder = (
        _displayed_tuple(scope, node)
        if isinstance(node, ast.Tuple)
        else unwrap_option(elaborate_expression(scope, node))
    )
    source = ir.Elements(holder, scope.place_of(node))
    match holder.type:
        case Seq(of=of, capacity=capacity) | Pool(of=of, capacity=capacity):
            return Iteration(source, of, max(capacity, 0))
        case Subset(of=of):
            return Iteration(source, of, scalar_size(of))
        case Map(key=key):
            hint = f"for k in {describe(key)}: the keys are all its values"
            raise scope.noted_error("TG216", node, "a Map is not visited itself", hint)
        case _:
            hint = "a domain, an enum, range(...), a Seq or a Set"
            raise scope.noted_error("TG216", node, f"{describe(holder.type)} has no elements", hint)


def _displayed_tuple(scope: Scope, node: ast.Tuple) -> ir.Expr:
    """The values of `for x in (a, b)`."""
    elements = [elaborate_expression(scope, element) for element in node.elts]
    if not elements:
        raise scope.noted_error("TG214", node, "nothing is in an empty tuple", "no loop")
    of = elements[0].type
    for element in elements[1:]:
        joined = common_type(of, element.type)
        if joined is None:
            message = f"{describe(of)} and {describe(element.type)} in one loop"
            raise scope.noted_error("TG203", node, message, "values of one type")
        of = joined
    made = tuple(fit_to_type(scope, element, of, part) for element, part in zip(elements, node.elts, strict=True))
    return ir.MakeSeq(made, Seq(of, len(made)), scope.place_of(node))


def _iteration_of_range(scope: Scope, node: ast.Call) -> Iteration:
    if node.keywords or not 1 <= len(node.args) <= 3:
        raise scope.noted_error("TG211", node, "range takes a stop, or a start and a stop", "range(start, stop)")
    if len(node.args) == 3:
        raise scope.noted_error(
            "TG117", node.args[2], "a range counts up by one", "range(start, stop), and arithmetic on its variable"
        )
    start = elaborate_integer(scope, node.args[0]) if len(node.args) == 2 else number_constant(scope, 0, node)
    stop = elaborate_integer(scope, node.args[-1])
    rounds = max(0, int_type(stop).hi - int_type(start).lo)
    return Iteration(
        ir.IntRange(start, stop, scope.place_of(node)), range_interval(int_type(start), int_type(stop)), rounds
    )


def _iteration_of_members(scope: Scope, cls: type, node: ast.expr) -> Iteration:
    if cls is bool:
        raise scope.noted_error("TG216", node, "Python cannot visit bool", "for b in (False, True)")
    of = scope.program.types.type_of_class(cls) if issubclass(cls, (Enum, Domain)) else None
    if not isinstance(of, (Enumeration, Identity)):
        raise scope.noted_error(
            "TG216", node, f"{cls.__name__} has no list of members", "a domain, an enum, range(...), a Seq or a Set"
        )
    return Iteration(ir.Members(of, scope.place_of(node)), of, scalar_size(of))


# --- all sets ---------------------------------------------------------------------------------------------------------


def _iteration_of_subsets(scope: Scope, node: ast.Call) -> Iteration:
    usage = "subsets(Replica), or subsets(s.isr)"
    if len(node.args) != 1 or node.keywords:
        raise scope.noted_error("TG211", node, "subsets takes what the sets are made of", usage)
    over = elaborate_source(scope, node.args[0])
    match over.source:
        case ir.Members(of=Int() | Bool() | Enumeration() | Identity() as of):
            return _subsets_iteration(scope, of, node, None)
        case ir.IntRange(start=ir.Const(number=lo), stop=ir.Const(number=hi)) if lo < hi:
            return _subsets_iteration(scope, Int(lo, hi - 1), node, None)
        case ir.Elements(of=holder) if isinstance(holder.type, Subset):
            return _subsets_iteration(scope, holder.type.of, node, holder)
        case _:
            message = "these are not the members of a domain, an enum, a set or a fixed range"
            raise scope.noted_error("TG216", node.args[0], message, usage)


def _subsets_iteration(scope: Scope, of: Type, node: ast.Call, whole: ir.Expr | None) -> Iteration:
    if scalar_size(of) > MEMBERS_MAX or value_count(Subset(of)) > SUBSETS_MAX:
        message = f"{describe(of)} has {scalar_size(of)} members, and 2**{scalar_size(of)} sets of them"
        raise scope.noted_error("TG412", node, message, f"at most {SUBSETS_MAX:,} sets: a domain of 16 members")
    type_ = Subset(of)
    return Iteration(ir.Members(type_, scope.place_of(node)), type_, value_count(type_), whole)


# --- several sequences side by side ---------------------------------------------------------------------------------


def _iteration_of_enumerate(scope: Scope, node: ast.Call) -> Iteration:
    if len(node.args) != 1 or node.keywords:
        raise scope.noted_error(
            "TG211", node, "enumerate takes one sequence, and counts from 0", "enumerate(s.q), and i + 1"
        )
    return _iteration_of_rows(scope, node, is_counted=True)


def _iteration_of_zip(scope: Scope, node: ast.Call) -> Iteration:
    if len(node.args) < 2 or node.keywords:
        raise scope.noted_error(
            "TG211", node, "zip takes two sequences or more, and ends with the shortest", "zip(s.p, s.q)"
        )
    return _iteration_of_rows(scope, node, is_counted=False)


def _iteration_of_rows(scope: Scope, node: ast.Call, *, is_counted: bool) -> Iteration:
    rows = tuple(_elaborate_row(scope, argument) for argument in node.args)
    where = scope.place_of(node)
    capacity = min(max(row.type.capacity, 0) for row in rows if isinstance(row.type, Seq))
    return Iteration(_indexes_of_rows(rows, where), Int(0, max(0, capacity - 1)), capacity, None, rows, is_counted)


def _elaborate_row(scope: Scope, node: ast.expr) -> ir.Expr:
    """One of the sequences that are visited side by side: a Seq, or what has an order and a fixed number of members."""
    found = scope.module_value(node)
    is_range = isinstance(node, ast.Call) and scope.module_value(node.func) is range
    if is_range or isinstance(found, type) or range_of(found) is not None or isinstance(node, ast.Tuple):
        return _list_iteration(scope, elaborate_source(scope, node), node)
    row = unwrap_option(elaborate_expression(scope, node))
    if not isinstance(row.type, Seq):
        hint = "a Seq, a range of known ends, an enum, or an ordered domain"
        raise scope.noted_error("TG216", node, f"{describe(row.type)} has no order of its own", hint)
    return row


def _list_iteration(scope: Scope, iteration: Iteration, node: ast.expr) -> ir.Expr:
    """The sequence of what a loop would visit."""
    where = scope.place_of(node)
    match iteration.source:
        case ir.Elements(of=row):
            return row
        case ir.Members(of=Identity(is_ordered=False, name=name)):
            message = f"{name} has no order, so that its members have no numbers"
            raise scope.noted_error("TG216", node, message, f"class {name}(Domain, ..., ordered=True)")
        case ir.Members(of=Identity(size_open=None) | Enumeration() | Int(lo_open=None, hi_open=None) as of):
            first = of.lo if isinstance(of, Int) else 0
            numbers = range(first, first + scalar_size(of))
        case ir.IntRange(start=ir.Const(number=lo), stop=ir.Const(number=hi)):
            of, numbers = iteration.type, range(lo, hi)
        case _:
            message = "how many these are is not known here"
            raise scope.noted_error(
                "TG216", node, message, "a Seq, a range of known ends, an enum, or an ordered domain"
            )
    made = tuple(ir.Const(value, of, where) for value in numbers)
    return ir.MakeSeq(made, Seq(of, len(made)), where)


def _indexes_of_rows(rows: tuple[ir.Expr, ...], where: Where) -> ir.IntRange:
    """The indexes that all of the sequences have."""
    lengths: list[ir.Expr] = []
    for row in rows:
        assert isinstance(row.type, Seq)
        lengths.append(ir.Length(row, Int(0, max(row.type.capacity, 0)), where))
    stop = lengths[0]
    for length in lengths[1:]:
        stop = ir.Arithmetic("min", stop, length, Int(0, min(int_type(stop).hi, int_type(length).hi)), where)
    return ir.IntRange(ir.Const(0, Int(0, 0), where), stop, where)


# --- the loop's own names ---------------------------------------------------------------------------------------------


def keep_iteration(scope: Scope, iteration: Iteration, where: Where) -> tuple[Iteration, list[ir.Statement]]:
    """The iteration over values as they are when the loop begins, and the statements that keep them: the loop's body
    may write to what it visits."""
    made: list[ir.Statement] = []

    def keep(value: ir.Expr) -> ir.Expr:
        name = scope.fresh_name("visited")
        made.append(ir.Let(name, value, where))
        return ir.Name(name, value.type, value.where)

    if iteration.superset is not None:
        iteration = replace(iteration, superset=keep(iteration.superset))
    if iteration.rows:
        rows = tuple(keep(row) for row in iteration.rows)
        iteration = replace(iteration, rows=rows, source=_indexes_of_rows(rows, where))
    return iteration, made


def unwrap_box(value: ir.Expr) -> ir.Expr:
    """An element of a set: where that is a set in a box, the set."""
    return ir.RecordField(value, "0", unbox_type(value.type), value.where) if is_box(value.type) else value


def bind_target(scope: Scope, target: ast.expr, iteration: Iteration) -> tuple[Binding, tuple[ir.Expr, ...]]:
    """Binds a loop's names; the loop's variable in the typed form, and the conditions under which a round takes
    place."""
    if not iteration.rows:
        if isinstance(target, ast.Name) and not is_box(iteration.type):
            binding = scope.bind_name(target.id, iteration.type, loop=True)
        else:
            binding = Binding(scope.fresh_name("each"), iteration.type, True)
            variable = ir.Name(binding.name, iteration.type, scope.place_of(target))
            name_parts(scope, target, unwrap_box(variable))
        return binding, _conditions_on_binding(iteration, binding)
    count = len(iteration.rows) + iteration.is_counted
    names = target.elts if isinstance(target, ast.Tuple) else []
    if len(names) != count or not (isinstance(names[0], ast.Name) or not iteration.is_counted):
        wanted = "i, x" if iteration.is_counted else ", ".join("xyzuvw"[:count])
        raise scope.noted_error("TG116", target, f"{count} names are needed here", f"for {wanted} in ...")
    return _bind_row(scope, names, iteration), ()


def _bind_row(scope: Scope, names: list[ast.expr], iteration: Iteration) -> Binding:
    if iteration.is_counted and isinstance(names[0], ast.Name):
        binding, names = scope.bind_name(names[0].id, iteration.type, loop=True), names[1:]
    else:
        binding = Binding(scope.fresh_name("index"), iteration.type, True)
    for name, row in zip(names, iteration.rows, strict=True):
        assert isinstance(row.type, Seq)
        at = ir.Name(binding.name, iteration.type, row.where)
        name_parts(scope, name, ir.Index(row, at, row.type.of, row.where))
    return binding


def _conditions_on_binding(iteration: Iteration, binding: Binding) -> tuple[ir.Expr, ...]:
    if iteration.superset is None or binding.type is None:
        return ()
    where = iteration.superset.where
    return (ir.SetOperation("<=", ir.Name(binding.name, binding.type, where), iteration.superset, BOOL, where),)


def elaborate_filters(scope: Scope, nodes: list[ast.expr]) -> Iterator[ir.Expr]:
    """The filters of a loop, each of which knows what those before it ask."""
    for node in nodes:
        yield elaborate_condition(scope, node)
        narrow_scope(scope, node, True)
