"""Calls: the few built-in functions, the makers of values, and helpers."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from inspect import get_annotations
from types import FunctionType
from typing import Any, cast

from .. import declare, ir, orders
from .. import values as containers
from ..declare import mark_of
from ..errors import AbandonedError, suggest_name
from ..kinds import Domain, range_of
from ..nested_constants import defaults_of
from ..records import box_type
from ..steps import is_step
from ..types import Enumeration, Identity, Int, Pool, Record, Seq, Subset, Type, scalar_size
from .comprehensions import collect_set, element_generator, map_of, quantify, set_of, subset_of
from .expressions import (
    BOOL,
    ArithmeticOp,
    constant_expression,
    fit_expression,
    integer,
    make_arithmetic,
    number_constant,
    static_value,
)
from .helpers import call_helper as call_helper
from .helpers import is_model_function
from .matching import fit, join, unwrap_option
from .membership import is_stored
from .ordering import call_choose, call_next, call_position, call_previous, member_with_number, position_of
from .scope import MISSING, Scope, expression, expressions, undefined_name_advice
from .source import source_of_function
from .sources import iteration
from .tuples import call_isinstance
from .type_text import describe

Builtin = Callable[[Scope, ast.Call, "Type | None"], ir.Expr]


@expressions(ast.Call)
def call_by_name(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """A call, by what its name stands for in the module."""
    found = scope.static(node.func)
    if found is MISSING:
        raise _unknown(scope, node)
    built_in = _builtin(found)
    if built_in is not None:
        return built_in(scope, node, expected_type)
    if isinstance(found, type):
        return _make(scope, found, node)
    if isinstance(found, FunctionType):
        return _function(scope, found, node)
    raise _note_not_in_language(scope, node)


def _unknown(scope: Scope, node: ast.Call) -> AbandonedError:
    if isinstance(node.func, ast.Attribute):
        return _method(scope, node, node.func)
    if not isinstance(node.func, ast.Name) or node.func.id in scope.names:
        expression(scope, node.func)  # which may be wrong in itself
    elif not scope.is_local(node.func.id):
        known = [name for name, value in scope.namespace.items() if callable(value)]
        return scope.error(
            "TG201", node.func, f"nothing here is called {node.func.id}", undefined_name_advice(node.func.id, known)
        )
    return _note_not_in_language(scope, node)


def _method(scope: Scope, node: ast.Call, function: ast.Attribute) -> AbandonedError:
    if function.attr in ("append", "truncate", "add", "discard", "remove"):
        message = f".{function.attr}(...) changes the state and has no value"
        return scope.error("TG119", node, message, "a statement of its own")
    owner = expression(scope, function.value)
    return scope.error(
        "TG119", node, f"{describe(owner.type)} has no method {function.attr}", _method_hint(function.attr, node.args)
    )


def _method_hint(method: str, arguments: list[ast.expr]) -> str:
    if method == "pop" and arguments and ast.unparse(arguments[0]) == "0":
        return "s.q[0], and s.q = s.q[1:]"
    hints = {
        "count": "sum(1 for x in xs if x == y)",
        "items": "for k in Keys, and m[k]",
        "keys": "for k in Keys",
        "values": "for k in Keys, and m[k]",
        "get": "m[k], as every key has a value",
        "union": "a | b",
        "intersection": "a & b",
        "difference": "a - b",
        "issubset": "a <= b",
        "update": "s.x |= others, or s.x.add(x) in a for loop",
        "clear": "s.x = Set()",
        "copy": "the value itself: values never change",
        "pop": "s.q[len(s.q) - 1], and .truncate(n)",
    }
    return hints.get(method, "a helper function: def helper(...) -> ...")


def _note_not_in_language(scope: Scope, node: ast.Call) -> AbandonedError:
    text = ast.unparse(node.func)
    hint = _CALL_HINTS.get(
        text, "len min max sum any all range replace is_majority, or a helper function with annotations"
    )
    if getattr(scope.static(node.func), "__module__", None) == "random" or text.startswith("random."):
        hint = "a parameter of the action: every value of its type is tried"
    return scope.error("TG107", node, f"{text}(...) is not in the language", hint)


_CALL_HINTS = {
    "sorted": "min(...) or max(...), or a for loop: domains are visited in order",
    "list": "Seq()",
    "dict": "Map({k: value for k in Keys})",
    "set": "Set()",
    "frozenset": "Set()",
    "tuple": "a @record",
    "abs": "max(x, -x)",
    "reversed": "for i in range(len(q)), and q[len(q) - 1 - i]",
    "int": "1 if condition else 0",
    "bool": "a comparison, such as x != 0",
    "isinstance": "an enum field that says the kind",
    "float": "integers, in a smaller unit",
    "divmod": "a // b, and a % b",
    "pow": "a ** b",
}


# --- built-in functions ----------------------------------------------------------------------------------------------


def _arguments(scope: Scope, node: ast.Call, count: int, usage: str, *keywords: str) -> list[ast.expr]:
    """The positional arguments, `count` of them; TG211 otherwise."""
    odd = [keyword for keyword in node.keywords if keyword.arg not in keywords]
    if len(node.args) != count or odd or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise scope.error("TG211", node, f"{ast.unparse(node.func)} is not called like this", usage)
    return node.args


def _len(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    (argument,) = _arguments(scope, node, 1, "len(container)")
    found = scope.static(argument)
    if isinstance(found, type):
        return _domain_size(scope, found, node)
    interval = range_of(found)
    if interval is not None:
        return constant_expression(scope, interval.hi - interval.lo + 1, node)
    of = unwrap_option(expression(scope, argument))
    match of.type:
        case Seq(capacity=capacity) | Pool(capacity=capacity):
            return ir.Length(of, Int(0, max(capacity, 0)), scope.where(node))
        case Subset(of=element):
            return ir.Length(of, Int(0, scalar_size(element)), scope.where(node))
        case _:
            raise scope.error(
                "TG203", argument, f"{describe(of.type)} has no length", "len of a Seq, a Set, a Bag, or a domain"
            )


def _domain_size(scope: Scope, cls: type[Any], node: ast.Call) -> ir.Expr:
    if issubclass(cls, Enum):
        return number_constant(scope, len(cls), node)
    if issubclass(cls, Domain):
        return constant_expression(scope, cls.domain_size, node)
    raise scope.error("TG203", node, f"{cls.__name__} has no length", "len of a Seq, a Set, a Bag, or a domain")


def _extreme(kind: ArithmeticOp) -> Builtin:
    def elaborate(scope: Scope, node: ast.Call, expected: Type | None) -> ir.Expr:
        if len(node.args) == 1:
            default = _default(scope, node, kind)
            return quantify(scope, "min" if kind == "min" else "max", node, default)
        if len(node.args) < 2 or node.keywords:
            raise scope.error("TG211", node, f"{kind} is not called like this", f"{kind}(a, b), or {kind}(... for ...)")
        first = unwrap_option(expression(scope, node.args[0]))
        if isinstance(first.type, Identity) and first.type.is_ordered:
            return _extreme_member(scope, kind, first, node)
        made = integer(scope, node.args[0])
        for argument in node.args[1:]:
            made = make_arithmetic(scope, kind, made, integer(scope, argument), node)
        return made

    return elaborate


def _extreme_member(scope: Scope, kind: ArithmeticOp, first: ir.Expr, node: ast.Call) -> ir.Expr:
    """`min(a, b)` of members of an ordered domain."""
    where = scope.where(node)
    made = position_of(first, where)
    for argument in node.args[1:]:
        made = make_arithmetic(scope, kind, made, position_of(fit_expression(scope, argument, first.type), where), node)
    return member_with_number(made, first.type, where)


def _default(scope: Scope, node: ast.Call, kind: str) -> ir.Expr | None:
    _arguments(scope, node, 1, f"{kind}(... for ..., default=0)", "default")
    if not node.keywords:
        return None
    value = unwrap_option(expression(scope, node.keywords[0].value))
    is_member = isinstance(value.type, Identity) and value.type.is_ordered
    return value if is_member else integer(scope, node.keywords[0].value)


def _quantifier(kind: Any) -> Builtin:
    def elaborate(scope: Scope, node: ast.Call, expected: Type | None) -> ir.Expr:
        _arguments(scope, node, 1, f"{kind}(... for ... in ...)")
        return quantify(scope, kind, node)

    return elaborate


def _is_majority(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    (argument,) = _arguments(scope, node, 1, "is_majority(set)")
    subset = unwrap_option(expression(scope, argument))
    if not (isinstance(subset.type, Subset) and isinstance(subset.type.of, Identity)):
        raise scope.error(
            "TG203", argument, f"this is {describe(subset.type)}", "a Set over a domain, such as Set[Replica]"
        )
    return ir.IsMajority(subset, BOOL, scope.where(node))


def _replace(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    usage = "replace(record, field=value)"
    if len(node.args) != 1:
        raise scope.error("TG211", node, "replace takes one record, and its changes by name", usage)
    state, image = scope.state_called(node.args[0]), scope.program.own_image
    if state is not None and image is not None:
        return _image_of(scope, state, image, node)
    record = unwrap_option(expression(scope, node.args[0]))
    if not isinstance(record.type, Record):
        raise scope.error("TG203", node.args[0], f"this is {describe(record.type)}, not a record", usage)
    changes = _changes(scope, record.type, node)
    return ir.Replace(record, tuple(changes.items()), record.type, scope.where(node))


def _image_of(scope: Scope, state: str, image: Record, node: ast.Call) -> ir.Expr:
    """A state as one of the same model with other constants, some fields changed: what a mapping to it returns."""
    changes, own, where = _changes(scope, image, node), scope.program.shape.fields, scope.where(node)
    fields = (changes.get(name) or ir.StateField(state, name, own[name], where) for name, _ in image.fields)
    return ir.MakeRecord(tuple(fields), image, where)


def _changes(scope: Scope, type_: Record, node: ast.Call) -> dict[str, ir.Expr]:
    """What `replace` changes of a record of this type, by field. TG202 for a field that there is not."""
    fields, changes = dict(type_.fields), dict[str, ir.Expr]()
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in fields:
            message = f"{type_.name} has no field {keyword.arg}"
            if keyword.arg in scope.program.shape.ghosts and type_ is scope.program.own_image:
                message = f"{type_.name}.{keyword.arg} is a ghost, and an image has none"
            raise scope.error("TG202", keyword, message, suggest_name(str(keyword.arg), fields))
        changes[keyword.arg] = fit_expression(scope, keyword.value, fields[keyword.arg])
    return changes


def _range(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    raise scope.error(
        "TG113", node, "a range is not a value by itself", "for i in range(start, stop), or start <= x < stop"
    )


def _visit_call(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    name = ast.unparse(node.func)
    raise scope.error("TG113", node, f"{name}(...) is visited, and is not a value by itself", f"for ... in {name}(...)")


def _guard(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    raise scope.error(
        "TG310", node, f"{ast.unparse(node.func)}(...) has no value", "a statement of its own, in an action"
    )


# --- containers ------------------------------------------------------------------------------------------------------


def _seq(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    wanted = expected_type if isinstance(expected_type, Seq) else None
    nodes = _displayed_elements(scope, node, "Seq([a, b])")
    if nodes is None:
        raise scope.error(
            "TG111",
            node.args[0],
            "a sequence is not made from another container",
            "Seq([a, b]), or a for loop that appends",
        )
    if wanted is not None:
        made = tuple(fit_expression(scope, element, wanted.of) for element in nodes)
        return ir.MakeSeq(made, Seq(wanted.of, len(made)), scope.where(node))
    elements, of = _elements(scope, nodes, node, "Seq")
    return ir.MakeSeq(elements, Seq(of, len(elements)), scope.where(node))


def _displayed_elements(scope: Scope, node: ast.Call, usage: str) -> list[ast.expr] | None:
    """The elements displayed in `Seq([a, b])` or `Set({a, b})`; None when the argument is something else."""
    if len(node.args) > 1 or node.keywords:
        raise scope.error("TG211", node, f"{ast.unparse(node.func)} takes one argument or none", usage)
    if not node.args:
        return []
    argument = node.args[0]
    return argument.elts if isinstance(argument, (ast.List, ast.Tuple, ast.Set)) else None


def _elements(scope: Scope, nodes: list[ast.expr], node: ast.AST, kind: str) -> tuple[tuple[ir.Expr, ...], Type]:
    """Elements of a display without an expected type, and the one type they have."""
    if not nodes:
        hint = f"a place where the type is known, such as a field of the state; or x: {kind}[...] = {kind}()"
        raise scope.error("TG214", node, f"this empty {kind} could be of any type", hint)
    made = [expression(scope, element) for element in nodes]
    of = made[0].type
    for element, part in zip(made[1:], nodes[1:], strict=True):
        joined = join(of, element.type)
        if joined is None:
            raise scope.error(
                "TG203", part, f"{describe(of)} and {describe(element.type)} in one container", "elements of one type"
            )
        of = joined
    return tuple(fit(scope, element, of, part) for element, part in zip(made, nodes, strict=True)), of


def _set(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    nodes = _displayed_elements(scope, node, "Set(), Set([a, b]) or Set(Replica)")
    if nodes is not None:
        return _set_of_elements(scope, nodes, node, expected_type)
    argument = node.args[0]
    if isinstance(argument, (ast.SetComp, ast.GeneratorExp, ast.ListComp)):
        return set_of(scope, argument, expected_type)
    found = scope.static(argument)
    if isinstance(found, type) or range_of(found) is not None:
        over = iteration(scope, argument)
        return ir.FullSubset(subset_of(scope, over.type, node), scope.where(node))
    if isinstance(argument, ast.Call) and scope.static(argument.func) is range:
        generators, body, _ = element_generator(scope, argument)
        type_ = expected_type if isinstance(expected_type, Subset) else subset_of(scope, body.type, node)
        return ir.Quantified("set", generators, body, None, type_, scope.where(node))
    value = unwrap_option(expression(scope, argument, expected_type))
    if isinstance(value.type, (Subset, Pool)) and not getattr(value.type, "multiple", False):
        return value
    generators, body, rounds = element_generator(scope, argument)
    if isinstance(body.type, Record) and not is_stored(value):
        hint = f"{{x for x in {scope.source.text_of(argument)}}}"
        raise scope.error("TG217", node, "this is made of records that are not in the state", hint)
    return collect_set(scope, generators, body, rounds, node)


@expressions(ast.Set)
def _set_display(scope: Scope, node: ast.Set, expected_type: Type | None) -> ir.Expr:
    return _set_of_elements(scope, node.elts, node, expected_type)


def _set_of_elements(scope: Scope, nodes: list[ast.expr], node: ast.AST, expected_type: Type | None) -> ir.Expr:
    where = scope.where(node)
    if isinstance(expected_type, Subset):
        return ir.MakeSubset(
            tuple(fit_expression(scope, element, expected_type.of) for element in nodes), expected_type, where
        )
    if isinstance(expected_type, Pool) and not expected_type.multiple:
        room = replace(expected_type, capacity=max(expected_type.capacity, len(nodes)))
        return ir.MakePool(tuple(fit_expression(scope, element, expected_type.of) for element in nodes), room, where)
    elements, of = _elements(scope, nodes, node, "Set")
    if isinstance(of, Record):
        return ir.MakePool(elements, Pool(of, len(elements)), where)
    if isinstance(of, Subset):
        box = box_type(of, describe(of))
        inside = tuple(fit(scope, element, box, node) for element in elements)
        return ir.MakePool(inside, Pool(box, len(inside)), where)
    bare = tuple(unwrap_option(element) for element in elements)
    return ir.MakeSubset(bare, subset_of(scope, bare[0].type if len(bare) == 1 else getattr(of, "of", of), node), where)


def _bag(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    nodes = _displayed_elements(scope, node, "Bag(), or Bag([a, b])")
    if nodes is None:
        raise scope.error("TG111", node.args[0], "a bag is not made from another container", "Bag([a, b])")
    if isinstance(expected_type, Pool) and expected_type.multiple:
        return ir.MakePool(
            tuple(fit_expression(scope, element, expected_type.of) for element in nodes),
            expected_type,
            scope.where(node),
        )
    elements, of = _elements(scope, nodes, node, "Bag")
    if not isinstance(of, Record):
        raise scope.error("TG217", node, f"a Bag holds records, not {describe(of)}", "Map[K, int] to count")
    return ir.MakePool(elements, Pool(of, len(elements), multiple=True), scope.where(node))


def _map(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    usage = "Map({k: value for k in Keys})"
    (argument,) = _arguments(scope, node, 1, usage)
    if isinstance(argument, ast.DictComp):
        return map_of(scope, argument, expected_type, node)
    raise scope.error("TG111", argument, "a Map is made from one comprehension over all its keys", usage)


_PYTHON_CONTAINERS: dict[type[ast.expr], tuple[str, str]] = {
    ast.List: ("list", "Seq([a, b])"),
    ast.Dict: ("dict", "Map({k: value for k in Keys})"),
    ast.DictComp: ("dict", "Map({k: value for k in Keys})"),
}


@expressions(ast.List, ast.Dict, ast.DictComp)
def _python_container(scope: Scope, node: ast.expr, expected_type: Type | None) -> ir.Expr:
    kind, hint = _PYTHON_CONTAINERS[type(node)]
    if isinstance(node, ast.List):
        hint = f"Seq({scope.source.text_of(node)})"
    if isinstance(node, ast.Dict) and not node.keys and isinstance(expected_type, (Subset, Pool)):
        hint = "Set()"
    if isinstance(node, ast.Dict) and None in node.keys:
        hint = "s.field[key] = value, for each key that has another value"
    raise scope.error("TG111", node, f"a {kind} is not a value of the language", hint)


@expressions(ast.Lambda)
def _lambda(scope: Scope, node: ast.Lambda, expected_type: Type | None) -> ir.Expr:
    raise scope.error(
        "TG103", node, "functions are not values of the language", "a helper at module level: def helper(...) -> ..."
    )


# --- records, members, helpers ---------------------------------------------------------------------------------------


def _make(scope: Scope, cls: type[Any], node: ast.Call) -> ir.Expr:
    mark = mark_of(cls)
    if mark is not None and mark.role == "state" and cls not in scope.program.types.images:
        raise scope.error("TG107", node, *_no_state_text(scope, cls.__name__))
    type_ = scope.program.types.type_of_class(cls)
    if isinstance(type_, Record):
        return _record(scope, type_, node)
    if isinstance(type_, Identity):
        return _member(scope, cls, type_, node)
    if isinstance(type_, Enumeration):
        hint = f"{type_.name}.{type_.members[0]}"
        raise scope.error("TG107", node, f"{type_.name}(...) looks a member up by its value", hint)
    raise _note_not_in_language(scope, node)


def _no_state_text(scope: Scope, state: str) -> tuple[str, str]:
    """Why no state is made here, and what to write instead."""
    if scope.role == "initial":
        return "an @initial function makes one state, where it ends", f"return {state}(...) as its last statement"
    message = "a state is made by an @initial function only, as the value it returns"
    if scope.role == "action":
        return f"{message}; an action changes the state that it is given", "s.field = value, for each that changes"
    return message, f"return {state}(...) as the last statement of an @initial function"


def _member(scope: Scope, cls: type[Any], type_: Identity, node: ast.Call) -> ir.Expr:
    match node.args:
        case [ast.Constant(value=int(index))] if 0 <= index < type_.size:
            return static_value(scope, cls(index), node)
        case [ast.Constant(value=int(index))]:
            hint = f"a member from {type_.name}(0) to {type_.name}({type_.size - 1})"
            raise scope.error("TG202", node, f"{type_.name} has no member {index}", hint)
        case [number_constant] if type_.is_ordered and not node.keywords:
            return member_with_number(integer(scope, number_constant), type_, scope.where(node))
        case _:
            raise scope.error(
                "TG107", node, "a name is not made from a number", f"{type_.name}(0), a parameter, or a loop variable"
            )


def _record(scope: Scope, type_: Record, node: ast.Call) -> ir.Expr:
    is_image = type_.python in scope.program.types.images
    defaults = vars(type_.python) if is_image else defaults_of(type_.python)
    given = {name: defaults[name] for name, _ in type_.fields if name in defaults}
    if is_image:
        _check_ghosts(scope, type_, node)
    fields = record_arguments(scope, dict(type_.fields), type_.name, node, given)
    return ir.MakeRecord(tuple(fields), type_, scope.where(node))


def _check_ghosts(scope: Scope, type_: Record, node: ast.Call) -> None:
    """TG202 for a field that only the abstract model's own state has, since an image has no ghosts."""
    for keyword in node.keywords:
        if keyword.arg in get_annotations(type_.python) and keyword.arg not in dict(type_.fields):
            message = f"{type_.name}.{keyword.arg} is a ghost, and an image has none"
            raise scope.error("TG202", keyword, message, f"{type_.name}(...) without {keyword.arg}")


def record_arguments(
    scope: Scope,
    fields: dict[str, Type],
    name: str,
    node: ast.Call,
    defaults: dict[str, Any] | None = None,
    blanks: dict[str, ir.Expr] | None = None,
) -> list[ir.Expr]:
    """One expression per field, from positional and named arguments, else from its default, or as it is when it is
    blank. TG211 or TG202 when they do not fit."""
    names = list(fields)
    usage = f"{name}({', '.join(f'{field}=...' for field in names)})"
    if len(node.args) > len(names):
        raise scope.error("TG211", node, f"{name} has {len(names)} fields", usage)
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in fields:
            raise scope.error(
                "TG202", keyword, f"{name} has no field {keyword.arg}", suggest_name(str(keyword.arg), fields)
            )
        given[str(keyword.arg)] = keyword.value
    missing = [field for field in names if field not in given | (defaults or {}) | (blanks or {})]
    if missing:
        raise scope.error("TG211", node, f"{name} also needs {', '.join(missing)}", usage)
    return _field_values(scope, fields, given, defaults or {}, blanks or {}, node)


def _field_values(
    scope: Scope,
    fields: dict[str, Type],
    field_nodes: dict[str, ast.expr],
    defaults: dict[str, Any],
    blanks: dict[str, ir.Expr],
    node: ast.Call,
) -> list[ir.Expr]:
    made: list[ir.Expr] = []
    for name, type_ in fields.items():
        try:
            if name in field_nodes:
                made.append(fit_expression(scope, field_nodes[name], type_))
            elif name in blanks:
                made.append(blanks[name])
            else:
                made.append(fit(scope, static_value(scope, defaults[name], node, type_), type_, node))
        except AbandonedError:
            continue
    if len(made) < len(fields):
        raise AbandonedError
    return made


def _function(scope: Scope, function: FunctionType, node: ast.Call) -> ir.Expr:
    mark = mark_of(function)
    if mark is not None and mark.role in ("action", "initial"):
        message = f"{function.__name__} is an {mark.role} function; steps do not call each other"
        raise scope.error("TG107", node, message, "a helper that both use")
    if mark is None and not is_model_function(function):
        raise _note_not_in_language(scope, node)
    found = source_of_function(function)
    if found is not None and is_step(found[1]):
        message = f"{function.__name__} acts, and has no value"
        raise scope.error("TG107", node, message, "a statement of its own, in an action")
    return call_helper(scope, function, node)


_BUILTINS: dict[int, Builtin] = {
    id(found): handler
    for found, handler in cast(
        "list[tuple[Any, Builtin]]",
        [
            (builtins.len, _len),
            (builtins.min, _extreme("min")),
            (builtins.max, _extreme("max")),
            (builtins.sum, _quantifier("sum")),
            (builtins.any, _quantifier("any")),
            (builtins.all, _quantifier("all")),
            (builtins.range, _range),
            (builtins.isinstance, call_isinstance),
            (builtins.enumerate, _visit_call),
            (builtins.zip, _visit_call),
            (builtins.next, call_next),
            (orders.previous, call_previous),
            (orders.position, call_position),
            (orders.choose, call_choose),
            (orders.subsets, _visit_call),
            (containers.Seq, _seq),
            (containers.Set, _set),
            (containers.Bag, _bag),
            (containers.Map, _map),
            (containers.is_majority, _is_majority),
            (containers.replace, _replace),
            (dataclasses.replace, _replace),
            (declare.require, _guard),
            (declare.limit, _guard),
        ],
    )
}


def _builtin(python_value: Any) -> Builtin | None:
    return _BUILTINS.get(id(python_value))
