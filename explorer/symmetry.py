"""Which domains may be folded: declared symmetric, and the text really treats their members alike.

A domain's members can only be compared for equality, so a text can distinguish them in few ways: by naming one, or by
the order in which a loop meets them. A loop over a symmetric domain may write cells indexed by its variable, or
accumulate in an order that does not matter, and look at neither while it does; else symmetry is refused, with the line.
So it is where another round decides whether Python comes to an expression that may be undefined (`definedness`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import factorial
from typing import Any, TypeAlias

from ..language import ir
from ..language.errors import place_text
from ..language.forms import ActionForm
from ..language.immutable import immutable
from ..language.model import Model, Property
from ..language.types import Identity, Pool, Subset, Type
from .definedness import order_dependent_places, undefined_in_some_order
from .traversal import WRITES, traverse

Form: TypeAlias = ActionForm | ir.Function

ORDERS_MAX = 5040
"""Renamings that may have to be tried for one state."""


@immutable
class Symmetry:
    """The domains whose renamings can be folded, and a sentence for each that was declared symmetric but cannot."""

    domains: tuple[Identity, ...]
    refusals: tuple[str, ...]


def symmetry_of(model: Model, *, rounds_are_defined: bool = False) -> Symmetry:
    """What can be folded in a model, with the reasons for what cannot. `rounds_are_defined` says that who asks sees to
    it that each round of a loop is defined, whatever the others come to."""
    wanted = [identity for identity in model.domains if identity.symmetric and identity.size > 1]
    forms: list[Form] = [action.form for action in model.actions]
    claims = (*model.properties, *model.terminals, *model.step_bounds, *_liveness_predicates(model))
    forms += [claim.form for claim in claims if claim.form is not None]
    forms += [form for claim in model.properties for _, form in claim.action_forms]
    nodes = [node for form in forms for node in traverse(form)]
    allowed, refusals, orders = list[Identity](), list[str](), 1
    for domain in wanted:
        reason = _why_not_folded(model) or _why_domain_not_folded(domain, nodes, orders)
        if reason is None and not rounds_are_defined:
            reason = next(_undefined_rounds(model, domain), None)
        if reason is None:
            allowed.append(domain)
            orders *= factorial(domain.size)
        else:
            refusals.append(f"{domain.name} is not folded: {reason}")
    return Symmetry(tuple(allowed), tuple(refusals))


def _why_not_folded(model: Model) -> str | None:
    """Why nothing is folded where runs are checked: a run through orbits may take another member's step each time
    round, so that no member's own run is fair. What is always possible is the same of a state as of any that it is
    renamed to."""
    name = next((prop.name for prop in model.liveness if prop.kind != "always_possible"), None)
    return None if name is None else f"{name} is checked on runs, and a loop of orbits is no loop of states"


def _liveness_predicates(model: Model) -> list[Property]:
    """The predicates of the properties of whole runs."""
    cases = (case for prop in model.liveness for case in prop.cases)
    return [part for case in cases for part in (case.then, case.when) if part is not None]


def _why_domain_not_folded(domain: Identity, nodes: list[Any], orders: int) -> str | None:
    if domain.size_open is not None:
        return "its size is an open constant; give it a value"
    if orders * factorial(domain.size) > ORDERS_MAX:
        return f"more than {ORDERS_MAX} renamings would have to be tried"
    for node in nodes:
        if isinstance(node, ir.Const) and isinstance(node.type, Identity) and node.type.name == domain.name:
            return f"{place_text(node.where)} names one member"
        if isinstance(node, ir.Position | ir.MemberAt) and _has_members_of(_ordered_type(node), domain):
            return f"{place_text(node.where)} depends on the order of the members"
        if isinstance(node, ActionForm | ir.Function):
            for loop in traverse(node.body, helpers=False):
                if isinstance(loop, ir.For) and _has_order_of_names(loop.source, domain):
                    for problem in _order_dependence(node, loop):
                        return problem
    return None


def _undefined_rounds(model: Model, domain: Identity) -> Iterator[str]:
    """Reasons why the order of a domain's members may show in an error of the model."""

    def is_unordered(source: ir.Source) -> bool:
        return _has_order_of_names(source, domain)

    found = [undefined_in_some_order(action.form, is_unordered) for action in model.actions]
    for prop in (*model.properties, *model.terminals, *model.step_bounds, *_liveness_predicates(model)):
        if prop.form is not None:
            is_claim = (
                prop not in _liveness_predicates(model)
                and prop.kind in ("invariant", "transition", "lemma")
                and prop not in model.step_bounds
            )
            found.append((order_dependent_places if is_claim else undefined_in_some_order)(prop.form, is_unordered))
    for where in itertools.chain.from_iterable(found):
        yield f"{place_text(where)} may be undefined in one round while another one ends the loop before it"


def _ordered_type(node: ir.Position | ir.MemberAt) -> Type:
    return node.of.type if isinstance(node, ir.Position) else node.type


def _has_order_of_names(source: ir.Source, domain: Identity) -> bool:
    """Whether the order of a source's rounds depends on what the domain's members are called."""
    match source:
        case ir.Members(of=of):
            return _has_members_of(of, domain)
        case ir.Elements(of=of):
            return isinstance(of.type, Subset | Pool) and _has_members_of(of.type, domain)
        case _:
            return False


def _has_members_of(type_: Type, domain: Identity) -> bool:
    return any(isinstance(node, Identity) and node.name == domain.name for node in traverse(type_))


# --- loops ------------------------------------------------------------------------------------------------------------


def _order_dependence(form: Form, loop: ir.For) -> Iterator[str]:
    """Reasons why the order of a loop's rounds may show in the result."""
    yield from _writes_in_order(loop)
    yield from _names_in_order(form, loop)
    answers = [node for node in traverse(loop.body, helpers=False) if isinstance(node, ir.Return)]
    if len({_constant(answer.value) for answer in answers}) > 1 or any(
        _constant(answer.value) is None for answer in answers
    ):
        first = min(answers, key=lambda answer: (answer.where.line, answer.where.column))
        yield f"{place_text(first.where)} returns from inside a loop, so the first match decides"


def _constant(value: ir.Expr) -> int | None:
    return value.number if isinstance(value, ir.Const) else None


def _writes_in_order(loop: ir.For) -> Iterator[str]:
    """A round may write cells of its own, which no other round reads, or fill a set that no round reads."""
    own: dict[str, int] = {}
    filled: dict[str, str] = {}
    for node in traverse(loop.body, helpers=False):
        if not isinstance(node, WRITES):
            continue
        field, at = node.place.field, _index_of(node.place.indexes, loop.variable)
        fills = at is None and isinstance(node, ir.Add | ir.Remove)
        if fills and field not in own and filled.setdefault(field, type(node).__name__) == type(node).__name__:
            continue
        if at is None or field in filled or own.setdefault(field, at) != at:
            yield f"{place_text(node.where)} writes a cell that is not indexed by the loop's variable {loop.variable}"
    allowed = {
        id(field) for node in traverse(loop.body, helpers=False) for field in _own_reads(node, loop.variable, own)
    }
    for node in traverse(loop.body):
        if isinstance(node, ir.StateField) and node.field in {*own, *filled} and id(node) not in allowed:
            yield f"{place_text(node.where)} reads {node.state}.{node.field}, which the loop's other rounds write"


def _index_of(indexes: tuple[ir.Expr, ...], variable: str) -> int | None:
    """The first index that is the variable itself."""
    return next((at for at, index in enumerate(indexes) if isinstance(index, ir.Name) and index.name == variable), None)


def _own_reads(node: Any, variable: str, own: dict[str, int]) -> Iterator[ir.StateField]:
    """The field that `field[..][variable]` reads, with the variable where the writes of the field have it."""
    indexes, inner = list[ir.Expr](), node
    while isinstance(inner, ir.Index):
        indexes.insert(0, inner.index)
        inner = inner.container
    if (
        isinstance(inner, ir.StateField)
        and inner.field in own
        and _index_of(tuple(indexes), variable) == own[inner.field]
    ):
        yield inner


def _names_in_order(form: Form, loop: ir.For) -> Iterator[str]:
    """A name that outlives a round may only be added to, always in one way, or be given one constant."""
    inside = [node for node in traverse(loop.body, helpers=False) if isinstance(node, ir.Let)]
    within = {id(let) for let in inside}
    carried = {
        node.name for node in traverse(form.body, helpers=False) if isinstance(node, ir.Let) and id(node) not in within
    }
    carried |= (
        {parameter.name for parameter in form.parameters}
        if isinstance(form, ActionForm)
        else {name for name, _ in form.parameters}
    )
    ways: dict[str, Any] = {}
    sums = set[int]()
    for let in inside:
        if let.name not in carried:
            continue
        way = _fold_of_let(let, sums)
        if way is None or ways.setdefault(let.name, way) != way:
            yield f"{place_text(let.where)} builds {let.name} up in an order that depends on names"
    for node in traverse(loop.body, helpers=False):
        if isinstance(node, ir.Name) and node.name in ways and id(node) not in sums:
            yield f"{place_text(node.where)} looks at {node.name} while the loop still builds it up"


def _fold_of_let(let: ir.Let, sums: set[int]) -> Any:
    """How `name = value` builds a name up whatever the order: its operator, or its constant; None where order matters.
    The reading of the name itself goes to `sums`."""
    match let.value:
        case ir.Const(number=number):
            return number
        case ir.Arithmetic(op="+" | "*" | "min" | "max" as op, left=left, right=right):
            pass
        case ir.SetOperation(op="|" | "&" | "^" as op, left=left, right=right):
            pass
        case (ir.And(operands=(left, right)) | ir.Or(operands=(left, right))) as both:
            op = type(both).__name__
        case _:
            return None
    own = next(
        (expression for expression in (left, right) if isinstance(expression, ir.Name) and expression.name == let.name),
        None,
    )
    if own is None:
        return None
    sums.add(id(own))
    return op
