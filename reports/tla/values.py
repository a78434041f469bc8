"""Types of the typed form as sets of TLA+, and constants as its values.

| in the model                       | in TLA+                                                        |
|------------------------------------|----------------------------------------------------------------|
| integers, truth values             | themselves                                                     |
| a member of an enum                | a string                                                       |
| a member of a domain               | an element of a constant set, a model value in TLC             |
| `None`                             | the model value `None`                                         |
| a record; a tuple                  | a record; a tuple                                              |
| a record of a union                | a record that has its name as `kind`                           |
| a map; a sequence; a set           | a function; a sequence, whose first offset is 1; a set         |
| a pool of records; a bag of them   | a set; a bag (module Bags)                                     |
"""

from __future__ import annotations

from collections.abc import Callable

from ...language.constants import Constant, ConstantExpression, Literal, OpenExpression, Operation
from ...language.records import KIND, is_box, is_tuple, unbox_type
from ...language.types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit
from ...language.where import Where
from .names import Names

_OPERATORS = {"+": "+", "-": "-", "*": "*", "//": "\\div", "%": "%", "**": "^"}


class NotInTLAError(Exception):
    """What the export cannot say in TLA+, and its place in the model's text, where it has one."""

    def __init__(self, message: str, where: Where | None = None) -> None:
        super().__init__(message)
        self.message, self.where = message, where


def member_text(type_: Enumeration, number: int) -> str:
    """A member of an enum: its value where that is a text, as on a command line, else its name."""
    member = tuple(type_.python)[number]
    return f'"{member.value if isinstance(member.value, str) else member.name}"'


def part_name(field: str) -> str:
    """The field of a record of TLA+ that a part is."""
    return "kind" if field == KIND else field.partition("@")[0]


def bound_text(number: int, expression: ConstantExpression | None, names: Names) -> str:
    """A bound: its number, or the expression over constants that stands for it."""
    match expression:
        case None:
            return str(number) if number >= 0 else f"(-{-number})"
        case Literal(number=literal):
            return bound_text(literal, None, names)
        case Constant(name=name):
            return names.declared_name(name)
        case OpenExpression(expression=inner):
            return bound_text(number, inner, names)
        case Operation(op="min" | "max" as op, left=left, right=right):
            return f"{op.capitalize()}({bound_text(0, left, names)}, {bound_text(0, right, names)})"
        case Operation(op=op, left=left, right=right):
            return f"({bound_text(0, left, names)} {_OPERATORS[op]} {bound_text(0, right, names)})"
        case _:
            raise TypeError(f"no TLA+ for the bound {expression!r}")


def set_text(type_: Type, names: Names, *, is_listed: bool = True) -> str:
    """A type as the set of its values: one whose members TLC can list, or one in which it can only look for a value."""

    def inside(of: Type) -> str:
        return set_text(of, names, is_listed=is_listed)

    match type_:
        case Int(lo=lo, hi=hi, lo_open=lo_open, hi_open=hi_open):
            return f"({bound_text(lo, lo_open, names)}..{bound_text(hi, hi_open, names)})"
        case Bool():
            return "BOOLEAN"
        case Enumeration() | Identity():
            return names.declared_name(type_.python)
        case Option(of=of):
            return f"({inside(of)} \\union {{None}})"
        case Record(variants=variants) if variants:
            return "(" + " \\union ".join(_variant_text(member, inside) for member, _ in variants) + ")"
        case Record(fields=fields) if is_tuple(type_):
            return "(" + " \\X ".join(inside(of) for _, of in fields) + ")"
        case Record() if is_box(type_):
            return inside(unbox_type(type_))
        case Record(fields=fields):
            return f"[{', '.join(f'{name}: {inside(of)}' for name, of in fields)}]"
        case Map(key=key, value=value):
            return f"[{inside(key)} -> {inside(value)}]"
        case Seq(of=of, capacity=capacity, capacity_open=opened):
            return f"{'SeqsUpTo' if is_listed else 'UpTo'}({inside(of)}, {bound_text(capacity, opened, names)})"
        case Subset(of=of) | Pool(of=of, multiple=False):
            return f"(SUBSET {inside(of)})"
        case Pool() | Unit():
            raise NotInTLAError("a bag is no set of values")


def _variant_text(member: Record, type_text: Callable[[Type], str]) -> str:
    parts = [f'kind: {{"{member.name}"}}', *(f"{name}: {type_text(of)}" for name, of in member.fields)]
    return f"[{', '.join(parts)}]"


def constant_text(number: int, type_: Type, names: Names) -> str:
    """A constant of a scalar type, or `None`."""
    match type_:
        case Bool():
            return "TRUE" if number else "FALSE"
        case Enumeration():
            return member_text(type_, number)
        case Identity():
            return f"{names.declared_name((type_.python, 'order'))}[{number + 1}]"
        case Option() | Unit():
            return "None"
        case _:
            return bound_text(number, None, names)
