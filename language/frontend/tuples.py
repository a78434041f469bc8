"""Tuples as they are written: `(a, b)`, and `isinstance`, which asks which record of a union a value is."""

from __future__ import annotations

import ast

from .. import ir
from ..records import is_tuple
from ..types import Option, Record, Type
from .expressions import fit_expression
from .matching import tuple_type
from .scope import Scope, elaborate_expression, handles_expressions
from .type_text import describe
from .unions import asked_records, one_of


@handles_expressions(ast.Tuple)
def elaborate_tuple(scope: Scope, node: ast.Tuple, expected_type: Type | None) -> ir.Expr:
    """`(a, b)`."""
    if len(node.elts) < 2 or any(isinstance(element, ast.Starred) for element in node.elts):
        raise scope.noted_error(
            "TG111", node, "a tuple has two parts or more, each written by itself", "(a, b), or Seq([a])"
        )
    of = expected_type.of if isinstance(expected_type, Option) else expected_type
    wanted: list[Type | None] = [None] * len(node.elts)
    if isinstance(of, Record) and is_tuple(of) and len(of.fields) == len(node.elts):
        wanted = [type_ for _, type_ in of.fields]
    parts = [
        elaborate_expression(scope, element) if want is None else fit_expression(scope, element, want)
        for element, want in zip(node.elts, wanted, strict=True)
    ]
    return ir.MakeRecord(tuple(parts), tuple_type([part.type for part in parts]), scope.place_of(node))


def call_isinstance(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`isinstance(message, Vote)`."""
    if len(node.args) != 2 or node.keywords:
        raise scope.noted_error(
            "TG211", node, "isinstance takes a value and a record of its union", "isinstance(m, Vote)"
        )
    value, where = elaborate_expression(scope, node.args[0]), scope.place_of(node)
    of = value.type.of if isinstance(value.type, Option) else value.type
    if not isinstance(of, Record) or not of.variants:
        message = f"{describe(value.type)} is always of one type"
        raise scope.noted_error("TG203", node, message, "a value of a union of records: Vote | Ack")
    return one_of(value, asked_records(scope, node.args[1], of), where)
