"""Expressions and types of the typed form in mathematical notation: `∀ r ∈ isr: log[r][o] = log′[r][o]`.

A name with a prime is the value after the step. `[a, b)` holds the integers from a to b − 1, `|x|` is a length or a
size, `⟨x, y⟩` a sequence, `f[x]` the value of a map, `none` the empty option."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from ...language import forms, ir
from ...language.constants import Constant, ConstantExpression, Literal, OpenExpression, Operation
from ...language.forms import ActionForm, InitialForm
from ...language.immutable import immutable
from ...language.records import is_box, is_tuple, unbox_type
from ...language.types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit

WIDTH = 104

_NUMBER_SUFFIX = re.compile(r"_\d+$")
_COMPARISON = {"==": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_ARITHMETIC = {"+": ("+", 6), "-": ("−", 6), "*": ("·", 7), "//": ("div", 7), "%": ("mod", 7), "**": ("^", 8)}
_SETS = {"|": "∪", "&": "∩", "-": "∖", "^": "△"}

_ATOM, _POSTFIX, _SET, _COMPARE, _NOT, _AND, _OR, _LOOSE, _WHOLE = 10, 9, 5, 4, 3, 2, 1, 0, -1


@immutable
class NotationScope:
    """How names are shown: how many primes a field wears, by field in an action's body and by state in a property of
    two states; which fields have a local namesake; which local names lost their number."""

    fields: Mapping[str, int] = field(default_factory=dict[str, int])
    states: Mapping[str, int] = field(default_factory=dict[str, int])
    renamed_locals: Mapping[str, str] = field(default_factory=dict[str, str])
    shadowed_fields: frozenset[str] = frozenset()

    def scope_in_binder(self, variable: str, body: Any) -> NotationScope:
        """The scope inside a binder, where `replica_2` is called `replica` again if that name is free there."""
        plain = _NUMBER_SUFFIX.sub("", variable)
        taken = {node.name for node in traverse_form(body) if isinstance(node, ir.Name)} | set(
            self.renamed_locals.values()
        )
        if plain == variable or plain in taken:
            return self
        return dataclasses.replace(self, renamed_locals={**self.renamed_locals, variable: plain})

    def local_name(self, name: str) -> str:
        """A local name as it is shown."""
        return self.renamed_locals.get(name, name)

    def state_field_name(self, state: str, name: str) -> str:
        """A state field's name with its primes; `s.leader` where a local name is `leader` too."""
        return add_primes(self.field_name(name), self.states.get(state, 0) + self.fields.get(name, 0))

    def field_name(self, name: str) -> str:
        """A state field's name without primes."""
        return f"s.{name}" if name in self.shadowed_fields else name

    def helper_name(self, function: ir.Function) -> str:
        """A helper's name, primed where it looks at a state after the step."""
        primes = [self.states.get(state, 0) for state in function.states]
        primes += [self.fields[name] for name in fields_in_formula(function) if name in self.fields]
        return add_primes(function.name, max(primes, default=0))


@immutable
class _Term:
    """Text and how tightly it binds."""

    text: str
    level: int


_RenderedTerm: TypeAlias = _Term | None


def add_primes(name: str, count: int) -> str:
    """`name′`, `name″` and so on."""
    return name + ("", "′", "″", "‴")[min(count, 3)]


def show_expression(expression: ir.Expr, scope: NotationScope, level: int = _WHOLE) -> str:
    """One line of notation, in parentheses where it binds less tightly than `level`."""
    term = (
        _render_leaf(expression, scope)
        or _render_logic(expression, scope)
        or _render_access(expression, scope)
        or _render_collection(expression, scope)
    )
    if term is None:
        raise TypeError(f"no notation for {type(expression).__name__}")
    return term.text if term.level >= level else f"({term.text})"


def _render_leaf(expression: ir.Expr, scope: NotationScope) -> _RenderedTerm:
    match expression:
        case ir.Const(number=number, type=type_):
            return _Term(_constant_text(number, type_), _ATOM)
        case ir.OpenConst(name=name):
            return _Term(name, _ATOM)
        case ir.Name(name=name):
            return _Term(scope.local_name(name), _ATOM)
        case ir.FullSubset(type=type_):
            return _Term(type_text(type_.of), _ATOM)
        case _:
            return None


def _constant_text(number: int, type_: Type) -> str:
    match type_:
        case Bool():
            return "true" if number else "false"
        case Enumeration():
            return members_text(type_)[number]
        case Identity(labels=labels):
            return labels[number]
        case Unit() | Option():
            return "none"
        case _:
            return str(number).replace("-", "−")


def _render_logic(expression: ir.Expr, scope: NotationScope) -> _RenderedTerm:
    match expression:
        case ir.Not(operand=ir.IsNone() | ir.Contains() | ir.Compare() | ir.SetOperation() as operand):
            return _render_negation(operand, scope)
        case ir.Not(operand=operand):
            return _Term("¬" + show_expression(operand, scope, _POSTFIX), _NOT)
        case ir.And(operands=operands):
            return _Term(" ∧ ".join(show_expression(term, scope, _AND + 1) for term in operands), _AND)
        case ir.Or(operands=(ir.Not(operand=condition), *rest)):
            return _Term(f"{show_expression(condition, scope, _OR)} ⇒ {_either_text(tuple(rest), scope)}", _LOOSE)
        case ir.Or(operands=operands):
            return _Term(_either_text(operands, scope), _OR)
        case ir.Choice(condition=condition, yes=yes, no=no):
            text = (
                f"{show_expression(yes, scope, _OR)} if {show_expression(condition, scope, _OR)}, else "
                f"{show_expression(no, scope)}"
            )
            return _Term(text, _WHOLE)
        case ir.Compare(op=op, left=left, right=right):
            return _Term(
                f"{show_expression(left, scope, _SET)} {_COMPARISON[op]} {show_expression(right, scope, _SET)}",
                _COMPARE,
            )
        case ir.Contains(element=element, container=container):
            return _Term(
                f"{show_expression(element, scope, _SET)} ∈ {show_expression(container, scope, _SET)}", _COMPARE
            )
        case ir.IsNone(option=option):
            return _Term(f"{show_expression(option, scope, _SET)} = none", _COMPARE)
        case ir.IsMajority(subset=subset):
            return _Term(f"majority({show_expression(subset, scope)})", _POSTFIX)
        case ir.Position(of=of):
            return _Term(f"position({show_expression(of, scope)})", _POSTFIX)
        case ir.MemberAt(number=number, type=type_):
            return _Term(f"{type_text(type_)}({show_expression(number, scope)})", _POSTFIX)
        case ir.Quantified():
            return _render_quantified(expression, scope)
        case _:
            return None


_OPPOSITE = {"==": "≠", "!=": "=", "<": "≥", "<=": ">", ">": "≤", ">=": "<"}


def _render_negation(operand: ir.IsNone | ir.Contains | ir.Compare | ir.SetOperation, scope: NotationScope) -> _Term:
    """`x ≠ none` rather than `¬(x = none)`."""
    match operand:
        case ir.IsNone(option=option):
            return _Term(f"{show_expression(option, scope, _SET)} ≠ none", _COMPARE)
        case ir.Contains(element=element, container=container):
            return _Term(
                f"{show_expression(element, scope, _SET)} ∉ {show_expression(container, scope, _SET)}", _COMPARE
            )
        case ir.Compare(op=op, left=left, right=right):
            return _Term(
                f"{show_expression(left, scope, _SET)} {_OPPOSITE[op]} {show_expression(right, scope, _SET)}", _COMPARE
            )
        case ir.SetOperation(left=left, right=right):
            return _Term(f"{show_expression(left, scope, _SET)} ⊈ {show_expression(right, scope, _SET)}", _COMPARE)


def _drop_implied_negation(operands: tuple[ir.Expr, ...]) -> tuple[ir.Expr, ...]:
    """`a ∨ b` for `a ∨ (¬a ∧ b)`: the second way is how an option is unwrapped after a test for none."""
    freed: list[ir.Expr] = []
    for operand in operands:
        if isinstance(operand, ir.And):
            earlier = [_shape_text(other) for other in freed]
            kept = tuple(
                e for e in operand.operands if not (isinstance(e, ir.Not) and _shape_text(e.operand) in earlier)
            )
            operand = kept[0] if len(kept) == 1 else dataclasses.replace(operand, operands=kept) if kept else operand
        freed.append(operand)
    return tuple(freed)


def _shape_text(expression: ir.Expr) -> str:
    """An expression without its places in the file."""
    return show_expression(expression, NotationScope())


def _either_text(operands: tuple[ir.Expr, ...], scope: NotationScope) -> str:
    return " ∨ ".join(show_expression(expression, scope, _OR + 1) for expression in _drop_implied_negation(operands))


def _render_access(expression: ir.Expr, scope: NotationScope) -> _RenderedTerm:
    """Reading a part of something, and arithmetic."""
    match expression:
        case ir.StateField(state=state, field=name):
            return _Term(scope.state_field_name(state, name), _ATOM)
        case ir.RecordField(record=record) if is_box(record.type):
            return _Term(show_expression(record, scope, _POSTFIX), _POSTFIX)
        case ir.RecordField(record=record, field=name):
            name = name.partition("@")[0] or "kind"
            return _Term(f"{show_expression(record, scope, _POSTFIX)}.{name}", _POSTFIX)
        case ir.Index(container=container, index=index):
            return _Term(f"{show_expression(container, scope, _POSTFIX)}[{show_expression(index, scope)}]", _POSTFIX)
        case ir.Slice(sequence=sequence, start=start, stop=stop):
            low = "0" if start is None else show_expression(start, scope)
            high = "" if stop is None else show_expression(stop, scope)
            return _Term(f"{show_expression(sequence, scope, _POSTFIX)}[{low}..{high})", _POSTFIX)
        case ir.Length(of=of):
            return _Term(f"|{show_expression(of, scope)}|", _ATOM)
        case ir.Some(value=inner) | ir.Unwrap(option=inner):
            return (
                _render_leaf(inner, scope)
                or _render_logic(inner, scope)
                or _render_access(inner, scope)
                or _render_collection(inner, scope)
            )
        case ir.Arithmetic(op="min" | "max" as op, left=left, right=right):
            return _Term(f"{op}({show_expression(left, scope)}, {show_expression(right, scope)})", _POSTFIX)
        case ir.Arithmetic(op=op, left=left, right=right):
            sign, level = _ARITHMETIC[op]
            return _Term(
                f"{show_expression(left, scope, level)} {sign} {show_expression(right, scope, level + 1)}", level
            )
        case ir.Call(function=function, arguments=arguments):
            inside = ", ".join(show_expression(argument, scope, _LOOSE) for argument in arguments)
            return _Term(
                f"{scope.helper_name(function)}({inside})" if inside else scope.helper_name(function), _POSTFIX
            )
        case _:
            return None


def _render_collection(expression: ir.Expr, scope: NotationScope) -> _RenderedTerm:
    """Making records, sets, sequences and maps."""
    match expression:
        case ir.SetOperation(op="<=", left=left, right=right):
            return _Term(f"{show_expression(left, scope, _SET)} ⊆ {show_expression(right, scope, _SET)}", _COMPARE)
        case ir.SetOperation(op=op, left=left, right=right):
            return _Term(
                f"{show_expression(left, scope, _SET)} {_SETS[op]} {show_expression(right, scope, _SET + 1)}", _SET
            )
        case ir.Concat(left=left, right=right):
            return _Term(f"{show_expression(left, scope, _SET)} ∘ {show_expression(right, scope, _SET + 1)}", _SET)
        case ir.MakeRecord(fields=(inside,), type=type_) if is_box(type_):
            return _Term(show_expression(inside, scope), _ATOM)
        case ir.MakeRecord(fields=values, type=type_) if is_tuple(type_):
            return _Term("⟨" + ", ".join(show_expression(term, scope, _LOOSE) for term in values) + "⟩", _ATOM)
        case ir.MakeRecord(fields=values, type=type_) if type_.variants:
            return _render_union_record(values, type_, scope)
        case ir.MakeRecord(fields=values, type=type_):
            names = (name for name, _ in type_.fields)
            return _Term(f"[{_changes_text(zip(names, values, strict=True), scope)}]", _ATOM)
        case ir.Replace(record=record, changes=changes):
            return _Term(f"[{show_expression(record, scope)} except {_changes_text(iter(changes), scope)}]", _ATOM)
        case ir.MakeSubset(elements=elements) | ir.MakePool(elements=elements):
            inside = ", ".join(show_expression(element, scope, _LOOSE) for element in elements)
            return _Term(f"{{{inside}}}" if inside else "∅", _ATOM)
        case ir.MakeSeq(elements=elements):
            return _Term("⟨" + ", ".join(show_expression(element, scope, _LOOSE) for element in elements) + "⟩", _ATOM)
        case ir.MakeMap(variable=variable, value=value, type=Map(key=key)):
            inner = scope.scope_in_binder(variable, value)
            return _Term(f"[{inner.local_name(variable)} ∈ {type_text(key)} ↦ {show_expression(value, inner)}]", _ATOM)
        case _:
            return None


def _changes_text(pairs: Iterator[tuple[str, ir.Expr]], scope: NotationScope) -> str:
    return ", ".join(f"{name} ↦ {show_expression(value, scope, _LOOSE)}" for name, value in pairs)


def _render_quantified(expression: ir.Quantified, scope: NotationScope) -> _Term:
    ranges, condition, scope = _render_binders(expression, scope)
    body = expression.body
    match expression.kind:
        case "all":
            inner = show_expression(body, scope, _LOOSE)
            return _Term(f"∀ {ranges}: " + (f"{condition} ⇒ {inner}" if condition else inner), _LOOSE)
        case "any":
            inner = show_expression(body, scope, _AND if condition else _LOOSE)
            return _Term(f"∃ {ranges}: " + (f"{condition} ∧ {inner}" if condition else inner), _LOOSE)
        case "sum" if isinstance(body, ir.Const) and body.number == 1:
            return _Term(f"|{{{_condition_text(ranges, condition)}}}|", _ATOM)
        case "set" if _is_filter(expression):
            return _Term(f"{{{_condition_text(ranges, condition)}}}", _ATOM)
        case kind:
            sign = "Σ " if kind == "sum" else "" if kind == "set" else f"{kind} "
            default = "" if expression.default is None else f" or {show_expression(expression.default, scope)}"
            inside = f"{show_expression(body, scope)} : {_condition_text(ranges, condition)}"
            return _Term(f"{sign}{{{inside}}}{default}", _POSTFIX if not default else _LOOSE)


def _condition_text(ranges: str, condition: str) -> str:
    return f"{ranges} : {condition}" if condition else ranges


def _is_filter(expression: ir.Quantified) -> bool:
    """Whether a set comprehension only picks members: `{r for r in Replica if ...}`."""
    match expression:
        case ir.Quantified(generators=(only,), body=ir.Name(name=name)):
            return name == only.variable
        case _:
            return False


def _render_binders(expression: ir.Quantified, scope: NotationScope) -> tuple[str, str, NotationScope]:
    """The ranges of the bound names, every condition on them, and the scope inside."""
    ranges: list[str] = []
    conditions: list[ir.Expr] = []
    for generator in expression.generators:
        source = source_text(generator.source, scope)
        scope = scope.scope_in_binder(generator.variable, (expression.generators, expression.body))
        ranges.append(f"{scope.local_name(generator.variable)} ∈ {source}")
        conditions += generator.conditions
    return ", ".join(ranges), " ∧ ".join(show_expression(condition, scope, _AND + 1) for condition in conditions), scope


def source_text(source: ir.Source, scope: NotationScope) -> str:
    """What a bound name ranges over."""
    match source:
        case ir.IntRange(start=start, stop=stop):
            return f"[{show_expression(start, scope)}, {show_expression(stop, scope)})"
        case ir.Members(of=Subset(of=of)):
            return f"𝒫({type_text(of)})"
        case ir.Members(of=of):
            return type_text(of)
        case ir.Elements(of=of):
            return show_expression(of, scope, _SET)


# --- long expressions over several lines ----------------------------------------------------------------------------


def lay_out_expression(expression: ir.Expr, scope: NotationScope, indent: int = 0) -> list[str]:
    """The expression on one line if it fits, else broken at its outermost connective; lines come indented."""
    line = show_expression(expression, scope)
    pad = " " * indent
    if indent + len(line) <= WIDTH:
        return [pad + line]
    match expression:
        case ir.And(operands=operands):
            return [part for term in operands for part in _lay_out_operand("∧ ", term, scope, indent)]
        case ir.Or(operands=(ir.Not(operand=condition), *rest)):
            return [*lay_out_expression(condition, scope, indent), *_lay_out_consequence(tuple(rest), scope, indent)]
        case ir.Or(operands=operands):
            return [
                part
                for term in _drop_implied_negation(operands)
                for part in _lay_out_operand("∨ ", term, scope, indent)
            ]
        case ir.Not(operand=operand):
            return _lay_out_operand("¬ ", operand, scope, indent)
        case ir.Quantified(kind="all" | "any"):
            return _lay_out_quantified(expression, scope, indent)
        case ir.MakeRecord(fields=values, type=Record(variants=()) as type_) if not is_tuple(type_):
            pairs = [
                f"{name} ↦ {show_expression(value, scope, _LOOSE)}"
                for (name, _), value in zip(type_.fields, values, strict=True)
            ]
            first, *others = [f"{pair}," for pair in pairs[:-1]] + [f"{pairs[-1]}]"]
            return [f"{pad}[{first}", *(f"{pad} {text}" for text in others)]
        case _:
            return [pad + line]


def _render_union_record(values: tuple[ir.Expr, ...], type_: Record, scope: NotationScope) -> _Term:
    """A record of a union: the parts that it has."""
    kind = values[0]
    assert isinstance(kind, ir.Const), "what is made of a record knows which it is"
    member, places = type_.variants[kind.number]
    parts = (values[at] for at in places)
    named = zip((name for name, _ in member.fields), parts, strict=True)
    return _Term(f"{member.name}[{_changes_text(named, scope)}]", _ATOM)


def _lay_out_quantified(expression: ir.Quantified, scope: NotationScope, indent: int) -> list[str]:
    sign, joint = ("∀", "⇒ ") if expression.kind == "all" else ("∃", "∧ ")
    ranges, condition, inner = _render_binders(expression, scope)
    head = f"{' ' * indent}{sign} {ranges}:"
    if not condition:
        return [head, *lay_out_expression(expression.body, inner, indent + 2)]
    return [head, f"{' ' * indent}  {condition}", *_lay_out_operand(joint, expression.body, inner, indent + 2)]


def _lay_out_consequence(operands: tuple[ir.Expr, ...], scope: NotationScope, indent: int) -> list[str]:
    if len(operands) == 1:
        return _lay_out_operand("⇒ ", operands[0], scope, indent)
    first, *others = operands
    lines = _lay_out_operand("⇒ ∨ ", first, scope, indent)
    return lines + [part for expression in others for part in _lay_out_operand("∨ ", expression, scope, indent + 2)]


def _lay_out_operand(sign: str, expression: ir.Expr, scope: NotationScope, indent: int) -> list[str]:
    """An operand under its sign; one that itself binds loosely is put in parentheses by indentation alone."""
    lines = lay_out_expression(expression, scope, indent + len(sign))
    return [" " * indent + sign + lines[0][indent + len(sign) :], *lines[1:]]


# --- types ----------------------------------------------------------------------------------------------------------


def type_text(type_: Type) -> str:
    """A type as the set of its values."""
    match type_:
        case Int(lo=lo, hi=hi, lo_open=lo_open, hi_open=hi_open):
            return f"{bound_text(lo, lo_open)}..{bound_text(hi, hi_open)}"
        case Bool():
            return "𝔹"
        case Record(variants=variants) if variants:
            return " ∪ ".join(member.name for member, _ in variants)
        case Record() if is_box(type_):
            return type_text(unbox_type(type_))
        case Record(fields=fields) if is_tuple(type_):
            return " × ".join(type_text(of) for _, of in fields)
        case Enumeration(name=name) | Identity(name=name) | Record(name=name):
            return name
        case Option(of=of):
            return f"{type_text(of)} ∪ {{none}}"
        case Map(key=key, value=value):
            return f"[{type_text(key)} → {type_text(value)}]"
        case Seq(of=of, capacity=capacity, capacity_open=capacity_open):
            return f"Seq({type_text(of)}, ≤ {bound_text(capacity, capacity_open)})"
        case Subset(of=of):
            return f"𝒫({type_text(of)})"
        case Pool(of=of, capacity=capacity, multiple=multiple, capacity_open=capacity_open):
            name = "Bag" if multiple else "𝒫"
            return f"{name}({type_text(of)}, ≤ {bound_text(capacity, capacity_open)})"
        case Unit():
            return "{none}"


def bound_text(number: int, expression: ConstantExpression | None) -> str:
    """A bound: the constants' expression where they are open, else the number."""
    match expression:
        case None:
            return str(number).replace("-", "−")
        case Literal(number=literal):
            return str(literal).replace("-", "−")
        case Operation(op="min" | "max" as op, left=left, right=right):
            return f"{op}({bound_text(0, left)}, {bound_text(0, right)})"
        case Operation(op=op, left=left, right=right):
            sign, level = _ARITHMETIC[op]
            return f"{_operand_text(left, level)} {sign} {_operand_text(right, level + 1)}"
        case Constant(name=name):
            return name
        case OpenExpression(expression=opened):
            return bound_text(number, opened)
        case _:
            raise TypeError(f"no notation for {expression!r}")


def _operand_text(expression: ConstantExpression, level: int) -> str:
    loose = isinstance(expression, Operation) and expression.op in _ARITHMETIC and _ARITHMETIC[expression.op][1] < level
    return f"({bound_text(0, expression)})" if loose else bound_text(0, expression)


def members_text(type_: Enumeration) -> tuple[str, ...]:
    """The members of an enum in quotes: by value where that is a text, as on a command line, else by name."""
    return tuple(f'"{member.value if isinstance(member.value, str) else member.name}"' for member in type_.python)


def named_types(type_: Type) -> Iterator[Record | Enumeration | Identity]:
    """The records, enums and domains that a type mentions, each after those it is made of."""
    match type_:
        case Record(variants=variants) if variants:
            for member, _ in variants:
                yield from named_types(member)
        case Record(fields=fields):
            for _, inner in fields:
                yield from named_types(inner)
            if not (is_tuple(type_) or is_box(type_)):
                yield type_
        case Enumeration() | Identity():
            yield type_
        case Map(key=key, value=value):
            yield from named_types(key)
            yield from named_types(value)
        case Option(of=of) | Seq(of=of) | Subset(of=of) | Pool(of=of):
            yield from named_types(of)
        case _:
            return


# --- looking inside -------------------------------------------------------------------------------------------------

_FORMS = frozenset({ir.__name__, forms.__name__})
"""The modules of what a model's text becomes: terms, and what is declared with them."""


def traverse_form(node: Any) -> Iterator[Any]:
    """Every part of a typed form, the node itself first; helpers that are called included."""
    if isinstance(node, tuple):
        for setting in node:  # pyright: ignore[reportUnknownVariableType]
            yield from traverse_form(setting)
    elif type(node).__module__ in _FORMS:
        yield node
        for field_ in dataclasses.fields(node):
            yield from traverse_form(getattr(node, field_.name))


def fields_in_formula(node: Any) -> frozenset[str]:
    """The state fields that a form reads, directly or in its helpers."""
    return frozenset(part.field for part in traverse_form(node) if isinstance(part, ir.StateField))


def shadowed_fields(form: ActionForm | InitialForm | ir.Function) -> frozenset[str]:
    """The state fields that a form uses although it has a local name of the same spelling."""
    parameters = (
        form.parameters if isinstance(form, ir.Function) else [(parameter.name, None) for parameter in form.parameters]
    )
    names = {name for name, _ in parameters}
    used: set[str] = set()
    for part in _parts_without_helpers(form.body if not isinstance(form, InitialForm) else (form.body, form.result)):
        match part:
            case ir.Let(name=name):
                names.add(name)
            case ir.MakeMap(variable=name) | ir.Generator(variable=name) | ir.For(variable=name):
                names.add(_NUMBER_SUFFIX.sub("", name))
            case ir.StateField(field=name) | ir.Place(field=name):
                used.add(name)
            case _:
                pass
    return frozenset(names & used)


def _parts_without_helpers(node: Any) -> Iterator[Any]:
    """Like `traverse_form`, helpers left out."""
    if isinstance(node, tuple):
        for setting in node:  # pyright: ignore[reportUnknownVariableType]
            yield from _parts_without_helpers(setting)
    elif type(node).__module__ in _FORMS and not isinstance(node, ir.Function):
        yield node
        for field_ in dataclasses.fields(node):
            yield from _parts_without_helpers(getattr(node, field_.name))
