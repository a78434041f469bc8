"""Comprehensions: `all any sum min max`, sets, and maps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, cast

from .. import ir
from ..records import box_type
from ..types import Bool, Enumeration, Identity, Int, Map, Pool, Record, Subset, Type, scalar_size
from .capacities import MEMBERS_MAX
from .expressions import BOOL, elaborate_condition, fit_expression, int_type
from .intervals import hull_of, sum_interval
from .matching import fit_to_type, unwrap_option
from .ordering import member_with_number, position_of
from .scope import Scope, elaborate_expression, handles_expressions
from .sources import bind_target, elaborate_filters, elaborate_source
from .type_text import describe
from .unions import name_parts

Kind = Literal["all", "any", "sum", "min", "max", "set"]


# --- generators ------------------------------------------------------------------------------------------------------


def elaborate_generators(scope: Scope, nodes: list[ast.comprehension]) -> tuple[Scope, tuple[ir.Generator, ...], int]:
    """The generators of a comprehension, the scope inside them, and at most how many rounds they make together."""
    inner = scope.inner_scope()
    made: list[ir.Generator] = []
    rounds = 1
    for node in nodes:
        over = elaborate_source(inner, node.iter)
        binding, first = bind_target(inner, node.target, over)
        conditions = (*first, *elaborate_filters(inner, node.ifs))
        made.append(ir.Generator(binding.name, over.type, over.source, conditions))
        rounds *= over.rounds
    return inner, tuple(made), rounds


def element_generator(scope: Scope, node: ast.expr) -> tuple[tuple[ir.Generator, ...], ir.Expr, int]:
    """`sum(sequence)` and its like: one generator over the elements, and its variable as the body."""
    over = elaborate_source(scope, node)
    if over.superset is not None or over.rows:
        raise scope.noted_error("TG211", node, "these come one by one", "... for ... in ...")
    variable = scope.fresh_name("each")
    generator = ir.Generator(variable, over.type, over.source, ())
    return (generator,), ir.Name(variable, over.type, scope.place_of(node)), over.rounds


def elaborate_quantifier(scope: Scope, kind: Kind, node: ast.Call, default: ir.Expr | None = None) -> ir.Expr:
    """`kind(... for ...)`, or `kind(container)`."""
    argument = node.args[0]
    if isinstance(argument, (ast.GeneratorExp, ast.ListComp, ast.SetComp)):
        if isinstance(argument, ast.SetComp) and kind == "sum":
            raise scope.noted_error(
                "TG113", argument, "equal terms would count once", "sum(... for ...), without braces"
            )
        inner, made, rounds = elaborate_generators(scope, argument.generators)
        body = _elaborate_body(inner, kind, argument.elt)
    else:
        made, element, rounds = element_generator(scope, argument)
        body = _check_body(scope, kind, element, argument)
    both_integers = default is not None and isinstance(default.type, Int) and isinstance(body.type, (Int, Bool))
    if default is not None and not both_integers and default.type != body.type:
        message = f"{describe(body.type)} and {describe(default.type)} are different types"
        raise scope.noted_error("TG207", node, message, "a default of the same type")
    if kind in ("min", "max") and isinstance(body.type, Identity):
        return _extreme_member(scope, kind, made, body, default, node)
    return ir.Quantified(
        kind, made, body, default, _type_of_quantified(kind, body, default, rounds), scope.place_of(node)
    )


def _extreme_member(
    scope: Scope,
    kind: Kind,
    generators: tuple[ir.Generator, ...],
    body: ir.Expr,
    default: ir.Expr | None,
    node: ast.Call,
) -> ir.Expr:
    """The first or last of some members of an ordered domain, by their numbers."""
    where, of = scope.place_of(node), body.type
    at = position_of(body, where)
    instead = None if default is None else position_of(default, where)
    return member_with_number(ir.Quantified(kind, generators, at, instead, at.type, where), of, where)


def _elaborate_body(scope: Scope, kind: Kind, node: ast.expr) -> ir.Expr:
    if kind in ("all", "any"):
        return elaborate_condition(scope, node)
    return _check_body(scope, kind, elaborate_expression(scope, node), node)


def _check_body(scope: Scope, kind: Kind, body: ir.Expr, node: ast.expr) -> ir.Expr:
    if kind in ("all", "any"):
        return fit_to_type(scope, body, BOOL, node)
    if kind == "sum" and isinstance(body.type, Bool):
        return body
    value = unwrap_option(body)
    if kind in ("min", "max") and isinstance(value.type, Identity) and value.type.is_ordered:
        return value
    if not isinstance(value.type, Int):
        hint = "1 for each, with an `if`" if kind == "sum" else "an integer field to compare by"
        raise scope.noted_error("TG205", node, f"{kind} of {describe(body.type)}, which is not an integer", hint)
    return value


def _type_of_quantified(kind: Kind, body: ir.Expr, default: ir.Expr | None, rounds: int) -> Type:
    if kind in ("all", "any"):
        return BOOL
    element = int_type(body) if isinstance(body.type, Int) else Int(0, 1)
    if kind == "sum":
        return sum_interval(rounds, element)
    return hull_of(element, int_type(default)) if default is not None else element


# --- sets and maps ---------------------------------------------------------------------------------------------------


@handles_expressions(ast.SetComp, ast.GeneratorExp, ast.ListComp)
def elaborate_comprehension(
    scope: Scope, node: ast.SetComp | ast.GeneratorExp | ast.ListComp, expected_type: Type | None
) -> ir.Expr:
    """`{f(x) for x in xs if p(x)}`: a set. A list or a bare generator is no value."""
    if not isinstance(node, ast.SetComp):
        raise scope.noted_error(
            "TG111", node, "a list is not a value of the language", "{... for ...}, or a for loop that appends"
        )
    return elaborate_set_comprehension(scope, node, expected_type)


def elaborate_set_comprehension(
    scope: Scope, node: ast.SetComp | ast.GeneratorExp | ast.ListComp, expected_type: Type | None
) -> ir.Expr:
    """The set of a comprehension's elements."""
    if isinstance(expected_type, Pool) and not expected_type.multiple:
        return _set_of_records(scope, node, expected_type)
    inner, made, rounds = elaborate_generators(scope, node.generators)
    if isinstance(expected_type, Subset):
        return ir.Quantified(
            "set", made, fit_expression(inner, node.elt, expected_type.of), None, expected_type, scope.place_of(node)
        )
    body = unwrap_option(elaborate_expression(inner, node.elt))
    return collect_set(scope, made, body, rounds, node)


def _set_of_records(
    scope: Scope, node: ast.SetComp | ast.GeneratorExp | ast.ListComp, expected_pool: Pool
) -> ir.MakePool | ir.Quantified:
    """The records of a comprehension: one by one where its loops are over members that are known here."""
    where = scope.place_of(node)
    if _has_known_members(scope, node):
        return ir.MakePool(
            tuple(_unrolled_records(scope, node, node.generators, expected_pool.of)), expected_pool, where
        )
    inner, made, rounds = elaborate_generators(scope, node.generators)
    type_ = _pool_of_records(scope, expected_pool.of, rounds, node)
    return ir.Quantified("set", made, fit_expression(inner, node.elt, expected_pool.of), None, type_, where)


def collect_set(
    scope: Scope, generators: tuple[ir.Generator, ...], body: ir.Expr, rounds: int, node: ast.AST
) -> ir.Quantified:
    """The set of what a comprehension's rounds give."""
    where = scope.place_of(node)
    if isinstance(body.type, Subset):
        of = box_type(body.type, describe(body.type))
        return ir.Quantified(
            "set",
            generators,
            fit_to_type(scope, body, of, node),
            None,
            _pool_of_records(scope, of, rounds, node),
            where,
        )
    if isinstance(body.type, Record):
        return ir.Quantified("set", generators, body, None, _pool_of_records(scope, body.type, rounds, node), where)
    return ir.Quantified("set", generators, body, None, subset_of(scope, body.type, node), where)


def _pool_of_records(scope: Scope, of: Record, rounds: int, node: ast.AST) -> Pool:
    """The type of a set of at most so many records. TG402 when they are too many."""
    if rounds > MEMBERS_MAX:
        message = f"this set may have {rounds:,} elements"
        raise scope.noted_error("TG402", node, message, f"loops of at most {MEMBERS_MAX} rounds together")
    return Pool(of, rounds)


def _has_known_members(scope: Scope, node: ast.SetComp | ast.GeneratorExp | ast.ListComp) -> bool:
    """Whether the members that each loop is over are known here, and may be named one by one."""
    inner = scope.inner_scope()
    for generator in node.generators:
        members = _known_members(inner, generator)
        if not members:
            return members is not None
        if isinstance(members[0].type, Identity) and scope.role != "initial":
            return False  # one by one, they would name members, and no symmetry of the domain would be left
        name_parts(inner, generator.target, members[0])
    return True


def _unrolled_records(
    scope: Scope, node: ast.SetComp | ast.GeneratorExp | ast.ListComp, rest: list[ast.comprehension], of: Type
) -> Iterator[ir.Expr]:
    """The records of a comprehension whose loops are over members that are known here, one by one."""
    if not rest:
        yield fit_expression(scope, node.elt, of)
        return
    generator = rest[0]
    for member in _known_members(scope, generator) or ():
        inner = scope.inner_scope()
        name_parts(inner, generator.target, member)
        yield from _unrolled_records(inner, node, rest[1:], of)


def _known_members(scope: Scope, node: ast.comprehension) -> tuple[ir.Expr, ...] | None:
    """The members that a loop is over; None where they depend on the state, or on an `if`."""
    where = scope.place_of(node.iter)
    if node.ifs:
        return None
    match elaborate_source(scope, node.iter).source:
        case ir.Members(of=Int(lo_open=None, hi_open=None, lo=lo, hi=hi) as of):
            numbers = range(lo, hi + 1)
        case ir.Members(of=Identity(size_open=None) | Enumeration() | Bool() as of):
            numbers = range(scalar_size(of))
        case ir.IntRange(start=ir.Const(number=lo), stop=ir.Const(number=hi)):
            return tuple(ir.Const(number, Int(number, number), where) for number in range(lo, hi))
        case ir.Elements(of=ir.MakeSeq(elements=elements)):
            return elements
        case _:
            return None
    return tuple(ir.Const(number, of, where) for number in numbers)


def subset_of(scope: Scope, element: Type, node: ast.AST) -> Subset:
    """The type of a set of such elements. TG217 when they are not finite scalars, TG402 when they are too many."""
    if not isinstance(element, (Int, Bool, Enumeration, Identity)):
        hint = "a set of identities, enum members, small integers, records, or sets of scalars"
        raise scope.noted_error("TG217", node, f"a set of {describe(element)} cannot be made here", hint)
    if scalar_size(element) > MEMBERS_MAX:
        message = f"this set has {scalar_size(element)} possible members"
        raise scope.noted_error("TG402", node, message, f"at most {MEMBERS_MAX} possible members")
    return Subset(element)


def elaborate_map_comprehension(scope: Scope, node: ast.DictComp, expected_type: Type | None, call: ast.AST) -> ir.Expr:
    """`Map({k: value for k in Keys})`."""
    generator = node.generators[0]
    hint = "Map({k: value for k in Keys}), with a value for every key"
    if len(node.generators) > 1 or generator.ifs:
        raise scope.noted_error("TG203", node, "a Map has exactly one value for every key", hint)
    if not isinstance(generator.target, ast.Name):
        raise scope.noted_error("TG116", generator.target, "a loop has one variable", hint)
    wanted = expected_type if isinstance(expected_type, Map) else None
    key = _key_type(scope, generator.iter, wanted)
    inner = scope.inner_scope()
    binding = inner.bind_name(generator.target.id, key, loop=True)
    if not isinstance(node.key, ast.Name) or node.key.id != generator.target.id:
        raise scope.noted_error("TG203", node.key, "each key has to be the loop's own variable", hint)
    if wanted is None:
        value = elaborate_expression(inner, node.value)
        return ir.MakeMap(binding.name, value, Map(key, value.type), scope.place_of(call))
    return ir.MakeMap(binding.name, fit_expression(inner, node.value, wanted.value), wanted, scope.place_of(call))


def _key_type(scope: Scope, node: ast.expr, wanted_type: Map | None) -> Type:
    if isinstance(node, (ast.Tuple, ast.List)) and [ast.unparse(element) for element in node.elts] == ["False", "True"]:
        key: Type = Bool()
    else:
        over = elaborate_source(scope, node)
        if isinstance(over.source, ir.Elements) or over.rows or isinstance(over.type, Subset):
            raise scope.noted_error("TG203", node, "these are no keys of a Map", "a domain, an enum or a fixed range")
        key = over.type
    if wanted_type is None or _have_same_keys(key, wanted_type.key):
        return key if wanted_type is None else wanted_type.key
    message = f"the keys are {_keys_text(key)}, and {_keys_text(wanted_type.key)} are needed"
    raise scope.noted_error("TG203", node, message, "the key type that the field declares")


def _have_same_keys(found_type: Type, wanted_type: Type) -> bool:
    if isinstance(found_type, Int) and isinstance(wanted_type, Int):
        return (found_type.lo, found_type.hi) == (wanted_type.lo, wanted_type.hi)
    return found_type == wanted_type


def _keys_text(type_: Type) -> str:
    return f"{type_.lo}..{type_.hi}" if isinstance(type_, Int) else describe(cast(Type, type_))
