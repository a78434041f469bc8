"""Typed forms as short text, so that tests can say what they expect: `s.count`, `x!` (unwrapped), `+x` (some)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.language import ir
from tidegate.language.types import Bool, Enumeration, Identity, Option


def show(form: Any) -> str:
    """An expression, a source, a place or a statement as text."""
    return _SHOWN.get(form.__class__, _call)(form)


def show_body(body: tuple[ir.Statement, ...]) -> list[str]:
    """Statements as lines, those of inner blocks indented by two spaces."""
    lines: list[str] = []
    for statement in body:
        lines.append(show(statement))
        if isinstance(statement, ir.If):
            lines += ["  " + line for line in show_body(statement.yes)]
            lines += ["else:", *("  " + line for line in show_body(statement.no))] if statement.no else []
        if isinstance(statement, ir.For):
            lines += ["  " + line for line in show_body(statement.body)]
    return lines


def _const(form: ir.Const) -> str:
    match form.type:
        case Option():
            return "None"
        case Bool():
            return str(bool(form.number))
        case Enumeration(members=members):
            return members[form.number]
        case Identity(labels=labels):
            return labels[form.number]
        case _:
            return str(form.number)


def _infix(form: Any) -> str:
    return f"({show(form.left)} {form.op} {show(form.right)})"


def _generators(form: ir.Quantified) -> str:
    clauses = (
        f"for {one.variable} in {show(one.source)}" + "".join(f" if {show(test)}" for test in one.conditions)
        for one in form.generators
    )
    return " ".join(clauses)


def _show_quantified(form: ir.Quantified) -> str:
    default = "" if form.default is None else f", {show(form.default)}"
    return f"{form.kind}({show(form.body)} {_generators(form)}{default})"


def _place(form: ir.Place) -> str:
    return form.field + "".join(f"[{show(index)}]" for index in form.indexes)


def _many(name: str, forms: tuple[Any, ...]) -> str:
    return f"{name}({', '.join(show(form) for form in forms)})"


def _call(form: Any) -> str:
    raise TypeError(f"no short text for {form}")


_SHOWN: dict[type[Any], Callable[[Any], str]] = {
    ir.Const: _const,
    ir.OpenConst: lambda f: f"${f.name}",
    ir.Name: lambda f: f.name,
    ir.StateField: lambda f: f"{f.state}.{f.field}",
    ir.RecordField: lambda f: f"{show(f.record)}.{f.field}",
    ir.Index: lambda f: f"{show(f.container)}[{show(f.index)}]",
    ir.Slice: lambda f: f"{show(f.sequence)}[{show(f.start) if f.start else ''}:{show(f.stop) if f.stop else ''}]",
    ir.Length: lambda f: f"len({show(f.of)})",
    ir.Not: lambda f: f"not {show(f.operand)}",
    ir.And: lambda f: "(" + " and ".join(show(operand) for operand in f.operands) + ")",
    ir.Or: lambda f: "(" + " or ".join(show(operand) for operand in f.operands) + ")",
    ir.Choice: lambda f: f"({show(f.yes)} if {show(f.condition)} else {show(f.no)})",
    ir.Arithmetic: _infix,
    ir.Compare: _infix,
    ir.SetOperation: _infix,
    ir.Contains: lambda f: f"({show(f.element)} in {show(f.container)})",
    ir.IsMajority: lambda f: f"majority({show(f.subset)})",
    ir.Position: lambda f: f"position({show(f.of)})",
    ir.MemberAt: lambda f: f"member({show(f.number)})",
    ir.Some: lambda f: f"+{show(f.value)}",
    ir.IsNone: lambda f: f"none({show(f.option)})",
    ir.Unwrap: lambda f: f"{show(f.option)}!",
    ir.MakeRecord: lambda f: _many(f.type.name, f.fields),
    ir.Replace: lambda f: f"{show(f.record)}{{{', '.join(f'{n}={show(v)}' for n, v in f.changes)}}}",
    ir.MakeSubset: lambda f: _many("Set", f.elements),
    ir.FullSubset: lambda f: f"All({f.type.of.name})",
    ir.MakeSeq: lambda f: _many("Seq", f.elements),
    ir.Concat: lambda f: f"({show(f.left)} ++ {show(f.right)})",
    ir.MakePool: lambda f: _many("Pool", f.elements),
    ir.MakeMap: lambda f: f"{{{f.variable}: {show(f.value)}}}",
    ir.MakeState: lambda f: _many("State", f.fields),
    ir.IntRange: lambda f: f"{show(f.start)}..{show(f.stop)}",
    ir.Members: lambda f: f.of.name,
    ir.Elements: lambda f: show(f.of),
    ir.Quantified: _show_quantified,
    ir.Call: lambda f: _many(f.function.name, f.arguments),
    ir.Place: _place,
    ir.Require: lambda f: f"require {show(f.condition)}",
    ir.Limit: lambda f: f"limit {show(f.condition)}",
    ir.Let: lambda f: f"{f.name} := {show(f.value)}",
    ir.Store: lambda f: f"{show(f.place)} = {show(f.value)}",
    ir.Append: lambda f: f"{show(f.place)}.append({show(f.value)})",
    ir.Truncate: lambda f: f"{show(f.place)}.truncate({show(f.length)})",
    ir.Add: lambda f: f"{show(f.place)}.add({show(f.value)})",
    ir.Remove: lambda f: f"{show(f.place)}.{'remove' if f.strict else 'discard'}({show(f.value)})",
    ir.If: lambda f: f"if {show(f.condition)}:",
    ir.For: lambda f: f"for {f.variable} in {show(f.source)}:",
    ir.Assert: lambda f: f"assert {show(f.condition)}",
    ir.Return: lambda f: f"return {show(f.value)}",
}
