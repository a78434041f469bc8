"""Which domains may be folded: declared symmetric, and the text really treats their members alike.

A domain's members can only be compared for equality, so a text can tell them apart in few ways: by naming one, or by
the order in which a loop meets them. A loop over a symmetric domain may write cells indexed by its variable, or
accumulate in an order that does not matter; else symmetry is refused, with the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial
from typing import Any

from ..language import ir
from ..language.model import Model
from ..language.types import Identity, Pool, Subset, Type
from .walk import walk

ORDERS_MAX = 5040
"""Renamings that may have to be tried for one state."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """The domains whose renamings can be folded, and a sentence for each that was declared symmetric but cannot."""

    domains: tuple[Identity, ...]
    refusals: tuple[str, ...]


def symmetry_of(model: Model) -> Symmetry:
    """What can be folded in a model, with the reasons for what cannot."""
    wanted = [each for each in model.domains if each.symmetric and each.size > 1]
    forms = [action.form for action in model.actions]
    forms += [each.form for each in (*model.properties, *model.terminals) if each.form is not None]
    nodes = [node for form in forms for node in walk(form)]
    allowed, refusals, orders = list[Identity](), list[str](), 1
    for domain in wanted:
        reason = _refusal(domain, nodes, orders)
        if reason is None:
            allowed.append(domain)
            orders *= factorial(domain.size)
        else:
            refusals.append(f"{domain.name} is not folded: {reason}")
    return Symmetry(tuple(allowed), tuple(refusals))


def _refusal(domain: Identity, nodes: list[Any], orders: int) -> str | None:
    if domain.size_open is not None:
        return "its size is an open constant; give it a value"
    if orders * factorial(domain.size) > ORDERS_MAX:
        return f"more than {ORDERS_MAX} renamings would have to be tried"
    for node in nodes:
        if isinstance(node, ir.Const) and isinstance(node.type, Identity) and node.type.name == domain.name:
            return f"{place(node.where)} names one member"
        if isinstance(node, ir.For) and _ordered_by(node.source, domain):
            for problem in _order_dependence(node):
                return problem
    return None


def place(where: ir.Where) -> str:
    """`file:line`."""
    return f"{where.file}:{where.line}"


def _ordered_by(source: ir.Source, domain: Identity) -> bool:
    """Whether the order of a source's rounds depends on what the domain's members are called."""
    match source:
        case ir.Members(of=Identity(name=name)):
            return name == domain.name
        case ir.Elements(of=of):
            return isinstance(of.type, Subset | Pool) and _mentions(of.type, domain)
        case _:
            return False


def _mentions(type_: Type, domain: Identity) -> bool:
    return any(isinstance(node, Identity) and node.name == domain.name for node in walk(type_))


def _order_dependence(loop: ir.For) -> Iterator[str]:
    """Reasons why the order of a loop's rounds may show in the result."""
    inside = {each.name for each in walk(loop.body) if isinstance(each, ir.Let)}
    for node in walk(loop.body):
        match node:
            case (
                ir.Store(place=cell, where=where)
                | ir.Append(place=cell, where=where)
                | ir.Truncate(place=cell, where=where)
            ):
                if not _indexed_by(cell, loop.variable):
                    yield f"{place(where)} writes a cell that is not indexed by the loop's variable {loop.variable}"
            case ir.Let(name=name, value=value, where=where) if name in inside:
                if _reads(value, name) and not _commutes(value, name):
                    yield f"{place(where)} builds {name} up in an order that depends on names"
            case ir.Return(value=value, where=where) if not isinstance(value, ir.Const):
                yield f"{place(where)} returns from inside a loop, so the first match decides"
            case _:
                pass


def _indexed_by(cell: ir.Place, variable: str) -> bool:
    return any(isinstance(index, ir.Name) and index.name == variable for index in cell.indexes)


def _reads(value: ir.Expr, name: str) -> bool:
    return any(isinstance(node, ir.Name) and node.name == name for node in walk(value))


def _commutes(value: ir.Expr, name: str) -> bool:
    """Whether `name = value` only adds to `name` in a way that does not depend on order."""
    match value:
        case ir.Arithmetic(op="+" | "*" | "min" | "max", left=left, right=right):
            pass
        case ir.SetOperation(op="|" | "&" | "^", left=left, right=right):
            pass
        case ir.And(operands=(left, right)) | ir.Or(operands=(left, right)):
            pass
        case _:
            return False
    own, other = (left, right) if isinstance(left, ir.Name) and left.name == name else (right, left)
    return isinstance(own, ir.Name) and own.name == name and not _reads(other, name)
