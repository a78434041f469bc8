"""Expressions of the typed form as formulas of TLA+."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias

from ...language import ir
from ...language.immutable import immutable
from ...language.records import is_box, is_tuple
from ...language.types import Bool, Enumeration, Identity, Int, Map, Pool, Record, Seq, Subset, Type
from ..spec.notation import fields_in_formula, traverse_form
from .names import Names, free_name
from .terms import (
    ATOM,
    COMPARISON,
    LOOSE,
    NEGATION,
    PLUS,
    POSTFIX,
    POWER,
    REMAINDER,
    SETS,
    TIMES,
    Binder,
    Conditional,
    FlatFormula,
    Implication,
    Junction,
    LetDefinition,
    Term,
    conjunction,
    flat_text,
)
from .values import NotInTLAError, constant_text, part_name, set_text

Operator: TypeAlias = Callable[[ir.Function, "FormulaScope"], str]
"""Gives the operator that a helper is in a scope, and defines it where it is new."""

_NUMBER = re.compile(r"_\d+$")
"""What the front end adds to a name of which a function has several."""
_COMPARISONS = {"==": "=", "!=": "#", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_ARITHMETIC = {
    "+": ("+", PLUS),
    "-": ("-", PLUS),
    "*": ("*", TIMES),
    "//": ("\\div", REMAINDER),
    "%": ("%", REMAINDER),
    "**": ("^", POWER),
}
_SETS = {"|": "\\union", "&": "\\intersect", "-": "\\", "<=": "\\subseteq"}
_BAGS = {"|": "(+)", "-": "(-)"}


@immutable
class FormulaScope:
    """What names mean in a formula: `local` ones, the present value of each state field that differs from its variable,
    the states that are those after a step, and how helpers are called. `used_names` are the names of all formulas
    around, none of which TLA+ lets a name inside hide; `defined_names` those of all definitions of the formula so
    far."""

    names: Names
    operator: Operator
    inline: Callable[[ir.Call, FormulaScope], Term]
    local: Mapping[str, str] = field(default_factory=dict[str, str])
    used_names: frozenset[str] = frozenset()
    defined_names: set[str] = field(default_factory=set[str])
    current_values: Mapping[str, FlatFormula] = field(default_factory=dict[str, FlatFormula])
    states_after: frozenset[str] = frozenset()
    field_types: Mapping[str, Type] = field(default_factory=dict[str, Type])

    def bind(self, name: str) -> tuple[str, FormulaScope]:
        """A name for a variable of a formula, and the scope in which it has it."""
        shown = free_name(_NUMBER.sub("", name), self.used_names | self.defined_names | self.names.used_names())
        return shown, replace(self, local={**self.local, name: shown}, used_names=self.used_names | {shown})

    def define(self, name: str) -> tuple[str, FormulaScope]:
        """A name for a value, which no other part of the formula has, and the scope in which it is known by it."""
        shown, scope = self.bind(name)
        self.defined_names.add(shown)
        return shown, scope

    def with_local(self, name: str, shown_text: str) -> FormulaScope:
        """The scope in which a local name is shown so."""
        return replace(self, local={**self.local, name: shown_text})


def expression_formula(expression: ir.Expr, scope: FormulaScope) -> Term:
    """An expression as a formula. NotInTLAError where there is none."""
    match expression:
        case ir.And(operands=operands):
            return Junction("/\\", tuple(expression_formula(part, scope) for part in operands))
        case ir.Or(operands=operands):
            return _disjunction_term(operands, scope)
        case ir.Choice(condition=condition, yes=yes, no=no):
            return Conditional(
                expression_formula(condition, scope), expression_formula(yes, scope), expression_formula(no, scope)
            )
        case ir.Quantified(kind="all" | "any"):
            return _quantified_term(expression, scope)
        case ir.Some(value=inner) | ir.Unwrap(option=inner):
            return expression_formula(inner, scope)
        case ir.Call() if _reads_changed_field(expression.function, scope):
            return scope.inline(expression, scope)
        case ir.MakeRecord(fields=(inside,), type=type_) if is_box(type_):
            return expression_formula(inside, scope)
        case _:
            return (
                _leaf_term(expression, scope)
                or _predicate_term(expression, scope)
                or _arithmetic_term(expression, scope)
                or _access_term(expression, scope)
                or _collection_term(expression, scope)
            )


def _disjunction_term(operands: tuple[ir.Expr, ...], scope: FormulaScope) -> Term:
    """One of several. TLC looks at every part of a disjunction that an action asks, also beyond one that is true, so
    that what has a value only where the first part is false follows from its negation."""
    first, *rest = operands
    if not rest:
        return expression_formula(first, scope)
    if isinstance(first, ir.Not):
        return Implication(expression_formula(first.operand, scope), _disjunction_term(tuple(rest), scope))
    if any(map(_is_partial, rest)):
        return Implication(_negation_term(first, scope), _disjunction_term(tuple(rest), scope))
    return Junction("\\/", tuple(expression_formula(part, scope) for part in operands))


_OPPOSITES: dict[str, Literal["==", "!=", "<", "<=", ">", ">="]] = {
    "==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"
}  # fmt: skip


def _negation_term(expression: ir.Expr, scope: FormulaScope) -> Term:
    if isinstance(expression, ir.Compare):
        return expression_formula(replace(expression, op=_OPPOSITES[expression.op]), scope)
    return expression_formula(ir.Not(expression, expression.type, expression.where), scope)


def _is_partial(expression: ir.Expr) -> bool:
    """Whether an expression, or a helper that it calls, may have no value in some states."""
    return any(_has_no_value_somewhere(part) for part in traverse_form(expression))


def _has_no_value_somewhere(part: object) -> bool:
    match part:
        case ir.Index(container=container):
            held = container.type
            return isinstance(held, Seq) or (isinstance(held, Map) and isinstance(held.key, Int))
        case ir.Arithmetic(op=op):
            return op in ("//", "%")
        case ir.Quantified(kind="min" | "max", default=None):
            return True
        case _:
            return isinstance(part, ir.Unwrap | ir.Slice | ir.MemberAt)


def flat_formula_text(expression: ir.Expr, scope: FormulaScope, level: int = LOOSE) -> str:
    """An expression on one line, in parentheses where it binds less tightly than `level`."""
    return flat_text(expression_formula(expression, scope), level)


def _reads_changed_field(function: ir.Function, scope: FormulaScope) -> bool:
    """Whether a helper reads a field whose present value is not that of its variable."""
    return bool(scope.current_values) and not scope.current_values.keys().isdisjoint(fields_in_formula(function))


# --- leaves and predicates --------------------------------------------------------------------------------------------


def _leaf_term(expression: ir.Expr, scope: FormulaScope) -> Term | None:
    match expression:
        case ir.Const(number=number, type=type_):
            return FlatFormula(constant_text(number, type_, scope.names), ATOM)
        case ir.OpenConst(name=name):
            return FlatFormula(scope.names.declared_name(name), ATOM)
        case ir.Name(name=name):
            return FlatFormula(scope.local[name], ATOM)
        case ir.FullSubset(type=type_):
            return FlatFormula(set_text(type_.of, scope.names), ATOM)
        case ir.StateField(state=state, field=name):
            if state in scope.states_after:
                return FlatFormula(f"{scope.names.declared_name(('field', name))}'", ATOM)
            return scope.current_values.get(name) or FlatFormula(scope.names.declared_name(("field", name)), ATOM)
        case ir.Call(function=function, arguments=arguments):
            inside = ", ".join(flat_formula_text(argument, scope) for argument in arguments)
            name = scope.operator(function, scope)
            return FlatFormula(f"{name}({inside})" if inside else name, POSTFIX)
        case _:
            return None


def _predicate_term(expression: ir.Expr, scope: FormulaScope) -> Term | None:
    match expression:
        case ir.Not(operand=ir.IsNone(option=option)):
            return FlatFormula(f"{flat_formula_text(option, scope, SETS)} # None", COMPARISON)
        case ir.Not(operand=ir.Contains(element=element, container=container)):
            return FlatFormula(
                f"{flat_formula_text(element, scope, SETS)} \\notin {_members_text(container, scope)}", COMPARISON
            )
        case ir.Not(operand=operand):
            return FlatFormula(f"~{flat_formula_text(operand, scope, POSTFIX)}", NEGATION)
        case ir.IsNone(option=option):
            return FlatFormula(f"{flat_formula_text(option, scope, SETS)} = None", COMPARISON)
        case ir.Contains(element=element, container=container):
            return FlatFormula(
                f"{flat_formula_text(element, scope, SETS)} \\in {_members_text(container, scope)}", COMPARISON
            )
        case ir.SetOperation(op="<=", left=left, right=right):
            return FlatFormula(
                f"{flat_formula_text(left, scope, SETS + 1)} \\subseteq {flat_formula_text(right, scope, SETS + 1)}",
                COMPARISON,
            )
        case ir.Compare():
            return _comparison_term(expression, scope)
        case ir.IsMajority(subset=subset):
            members = set_text(_subset_type(subset).of, scope.names)
            return FlatFormula(
                f"2 * Cardinality({flat_formula_text(subset, scope)}) > Cardinality({members})", COMPARISON
            )
        case _:
            return None


def _comparison_term(expression: ir.Compare, scope: FormulaScope) -> Term:
    """Equality of any values, order of numbers; truth values are put in order as 0 and 1."""
    op, left, right = expression.op, expression.left, expression.right
    if op in ("==", "!=") and isinstance(left.type, Bool) == isinstance(right.type, Bool):
        sign = _COMPARISONS[op]
        return FlatFormula(
            f"{flat_formula_text(left, scope, SETS)} {sign} {flat_formula_text(right, scope, SETS)}", COMPARISON
        )
    return FlatFormula(
        f"{_number_text(left, scope, SETS)} {_COMPARISONS[op]} {_number_text(right, scope, SETS)}", COMPARISON
    )


def _members_text(container: ir.Expr, scope: FormulaScope) -> str:
    """What holds the elements of a set, a bag or a sequence, as a set."""
    match container.type:
        case Pool(multiple=True):
            return f"BagToSet({flat_formula_text(container, scope)})"
        case Seq():
            return f"Range({flat_formula_text(container, scope)})"
        case _:
            return flat_formula_text(container, scope, SETS)


def _quantified_term(expression: ir.Quantified, scope: FormulaScope) -> Term:
    r"""`\A x \in S : condition => body`, a binder for each generator."""
    if not expression.generators:
        return expression_formula(expression.body, scope)
    generator, *rest = expression.generators
    source = source_text(generator.source, scope)
    name, inside = scope.bind(generator.variable)
    body = _quantified_term(replace(expression, generators=tuple(rest)), inside)
    if generator.conditions:
        given = conjunction([expression_formula(condition, inside) for condition in generator.conditions])
        body = Implication(given, body) if expression.kind == "all" else Junction("/\\", (given, body))
    sign = "\\A" if expression.kind == "all" else "\\E"
    tail = f" \\in {source}"
    if isinstance(body, Binder) and body.head.startswith(f"{sign} ") and body.head.endswith(tail):
        return Binder(f"{sign} {name}, {body.head.removeprefix(f'{sign} ')}", body.body)
    return Binder(f"{sign} {name}{tail}", body)


# --- numbers ----------------------------------------------------------------------------------------------------------


def _arithmetic_term(expression: ir.Expr, scope: FormulaScope) -> Term | None:
    match expression:
        case ir.Arithmetic(op="min" | "max" as op, left=left, right=right):
            return FlatFormula(
                f"{op.capitalize()}({_number_text(left, scope, LOOSE)}, {_number_text(right, scope, LOOSE)})", POSTFIX
            )
        case ir.Arithmetic(op=op, left=left, right=right):
            if op in ("//", "%") and not _is_nonnegative(right.type):
                raise NotInTLAError(f"{op} by what may be negative", expression.where)
            if op == "**" and not _is_power_in_tla(expression):
                raise NotInTLAError("0 ** 0, which is 1 here and nothing in TLA+", expression.where)
            sign, level = _ARITHMETIC[op]
            inner = TIMES + 1 if level == REMAINDER else level + 1
            return FlatFormula(f"{_number_text(left, scope, inner)} {sign} {_number_text(right, scope, inner)}", level)
        case ir.Length(of=of):
            return FlatFormula(_length_text(of, scope), POSTFIX)
        case ir.Position(of=of):
            return _position_term(of, scope)
        case ir.MemberAt(number=number, type=type_):
            return _member_at_term(number, type_, scope)
        case ir.Quantified(kind="sum"):
            return FlatFormula(_sum_text(expression, scope), POSTFIX)
        case ir.Quantified(kind="min" | "max" as kind, default=default):
            operator, values = "Minimum" if kind == "min" else "Maximum", _comprehension_text(expression, scope)
            if default is None:
                return FlatFormula(f"{operator}({values})", POSTFIX)
            name, inside = scope.define("found")
            least = FlatFormula(f"{operator}({name})", POSTFIX)
            chosen = Conditional(FlatFormula(f"{name} = {{}}", COMPARISON), expression_formula(default, inside), least)
            return LetDefinition(name, FlatFormula(values, LOOSE), chosen)
        case _:
            return None


def _number_text(expression: ir.Expr, scope: FormulaScope, level: int) -> str:
    """An expression of a number; of a truth value, 1 or 0."""
    if isinstance(expression.type, Bool):
        return f"(IF {flat_formula_text(expression, scope)} THEN 1 ELSE 0)"
    return flat_formula_text(expression, scope, level)


def _is_power_in_tla(power: ir.Arithmetic) -> bool:
    """Whether TLC has a value for a power whatever its operands are: it has none for 0 ^ 0."""
    base, exponent = power.left.type, power.right.type
    assert isinstance(base, Int)
    assert isinstance(exponent, Int)
    return exponent.lo > 0 or not base.lo <= 0 <= base.hi


def _is_nonnegative(type_: Type) -> bool:
    return isinstance(type_, Int) and type_.lo >= 0


def _length_text(of: ir.Expr, scope: FormulaScope) -> str:
    match of.type:
        case Seq():
            return f"Len({flat_formula_text(of, scope)})"
        case Pool(multiple=True):
            return f"BagCardinality({flat_formula_text(of, scope)})"
        case _:
            return f"Cardinality({flat_formula_text(of, scope)})"


def _position_term(of: ir.Expr, scope: FormulaScope) -> Term:
    match of.type:
        case Bool():
            return FlatFormula(_number_text(of, scope, LOOSE), ATOM)
        case Enumeration() | Identity() as type_:
            return FlatFormula(f"PlaceIn({_order_text(type_, scope)}, {flat_formula_text(of, scope)})", POSTFIX)
        case _:
            return expression_formula(of, scope)


def _member_at_term(number: ir.Expr, type_: Type, scope: FormulaScope) -> Term:
    match type_:
        case Enumeration() | Identity():
            return FlatFormula(f"{_order_text(type_, scope)}[{offset_text(number, scope)}]", POSTFIX)
        case Bool():
            return FlatFormula(f"{flat_formula_text(number, scope, SETS)} = 1", COMPARISON)
        case _:
            return expression_formula(number, scope)


def _order_text(type_: Enumeration | Identity, scope: FormulaScope) -> str:
    """The sequence of the members of an enum or a domain."""
    return scope.names.declared_name((type_.python, "order"))


def offset_text(offset: ir.Expr, scope: FormulaScope) -> str:
    """An offset, of which the first is 0, in a sequence of TLA+, whose first is 1."""
    if isinstance(offset, ir.Const):
        return str(offset.number + 1)
    match offset:
        case ir.Arithmetic(op="-", left=left, right=ir.Const(number=1)):
            return _number_text(left, scope, LOOSE)
        case _:
            return f"{_number_text(offset, scope, PLUS)} + 1"


def _sum_text(expression: ir.Quantified, scope: FormulaScope) -> str:
    """A sum over all values of the bound names; the size of a set, where 1 is summed."""
    counted = isinstance(expression.body, ir.Const) and expression.body.number == 1
    if counted and len(expression.generators) == 1 and not _has_repetitions(expression.generators[0].source):
        return f"Cardinality({_filtered_source(expression.generators[0], scope)[0]})"
    return _sum_from(expression, 0, scope)


def _sum_from(expression: ir.Quantified, first_index: int, scope: FormulaScope) -> str:
    if first_index == len(expression.generators):
        return _number_text(expression.body, scope, LOOSE)
    generator = expression.generators[first_index]
    if not _has_repetitions(generator.source):
        chosen, name, inside = _filtered_source(generator, scope)
        return f"Sum([{name} \\in {chosen} |-> {_sum_from(expression, first_index + 1, inside)}])"
    return _sum_over_sequence(expression, first_index, scope)


def _sum_over_sequence(expression: ir.Quantified, first_index: int, scope: FormulaScope) -> str:
    """Of a sequence each offset counts, and not each value."""
    generator = expression.generators[first_index]
    sequence = flat_formula_text(_elements_of(generator.source), scope, POSTFIX)
    name, inside = scope.bind(generator.variable)
    place, inside = inside.bind("at")
    value = _sum_from(expression, first_index + 1, inside)
    given = flat_text(conjunction([expression_formula(condition, inside) for condition in generator.conditions]))
    value = value if not generator.conditions else f"IF {given} THEN {value} ELSE 0"
    return f"Sum([{place} \\in DOMAIN {sequence} |-> LET {name} == {sequence}[{place}] IN {value}])"


def _has_repetitions(source: ir.Source) -> bool:
    """Whether a source may give one value more than once."""
    if not isinstance(source, ir.Elements):
        return False
    type_ = source.of.type
    if isinstance(type_, Pool) and type_.multiple:
        raise NotInTLAError("a sum over a bag, in which a record may be more than once", source.where)
    return isinstance(type_, Seq)


def _elements_of(source: ir.Source) -> ir.Expr:
    assert isinstance(source, ir.Elements), "only a sequence gives a value more than once"
    return source.of


# --- parts ------------------------------------------------------------------------------------------------------------


def _access_term(expression: ir.Expr, scope: FormulaScope) -> Term | None:
    """Reading a part of something, and something with a part changed."""
    match expression:
        case ir.RecordField(record=record) if is_box(record.type):
            return expression_formula(record, scope)
        case ir.RecordField(record=record, field=name) if is_tuple(record.type):
            return FlatFormula(f"{flat_formula_text(record, scope, POSTFIX)}[{int(name) + 1}]", POSTFIX)
        case ir.RecordField(record=record, field=name):
            return FlatFormula(f"{flat_formula_text(record, scope, POSTFIX)}.{part_name(name)}", POSTFIX)
        case ir.Index(container=container, index=index):
            offset = isinstance(container.type, Seq)
            inside = offset_text(index, scope) if offset else flat_formula_text(index, scope)
            return FlatFormula(f"{flat_formula_text(container, scope, POSTFIX)}[{inside}]", POSTFIX)
        case ir.Slice(sequence=sequence, start=start, stop=stop):
            whole = flat_formula_text(sequence, scope)
            low = "1" if start is None else offset_text(start, scope)
            length = f"Len({whole})"
            high = length if stop is None else f"Min({flat_formula_text(stop, scope)}, {length})"
            return FlatFormula(f"SubSeq({whole}, {low}, {high})", POSTFIX)
        case ir.Replace(record=record, changes=changes):
            parts = ", ".join(
                f"!{_path_text(record.type, name)} = {flat_formula_text(value, scope)}" for name, value in changes
            )
            return FlatFormula(f"[{flat_formula_text(record, scope)} EXCEPT {parts}]", ATOM)
        case _:
            return None


def _path_text(type_: Type, name: str) -> str:
    return f"[{int(name) + 1}]" if is_tuple(type_) else f".{part_name(name)}"


# --- collections ------------------------------------------------------------------------------------------------------


def _collection_term(expression: ir.Expr, scope: FormulaScope) -> Term:
    """Making records, sets, bags, sequences and maps."""
    match expression:
        case ir.SetOperation():
            return _set_operation_term(expression, scope)
        case ir.Concat(left=left, right=right):
            return FlatFormula(
                f"{flat_formula_text(left, scope, TIMES)} \\o {flat_formula_text(right, scope, TIMES)}", PLUS
            )
        case ir.MakeRecord(fields=values, type=type_):
            return _record_term(values, type_, scope)
        case ir.MakePool(elements=elements, type=Pool(multiple=True)):
            bags = [f"SetToBag({{{flat_formula_text(element, scope)}}})" for element in elements]
            return FlatFormula(" (+) ".join(bags) or "EmptyBag", SETS if len(bags) > 1 else POSTFIX)
        case ir.MakeSubset(elements=elements) | ir.MakePool(elements=elements):
            return FlatFormula(f"{{{', '.join(flat_formula_text(element, scope) for element in elements)}}}", ATOM)
        case ir.MakeSeq(elements=elements):
            return FlatFormula(f"<<{', '.join(flat_formula_text(element, scope) for element in elements)}>>", ATOM)
        case ir.MakeMap(variable=variable, value=value, type=Map(key=key)):
            name, inside = scope.bind(variable)
            return FlatFormula(
                f"[{name} \\in {set_text(key, scope.names)} |-> {flat_formula_text(value, inside)}]", ATOM
            )
        case ir.Quantified(kind="set", type=Pool(multiple=True)):
            raise NotInTLAError("a bag that is made by a comprehension", expression.where)
        case ir.Quantified(kind="set"):
            return FlatFormula(_comprehension_text(expression, scope), ATOM)
        case _:
            raise NotInTLAError(f"{type(expression).__name__}", getattr(expression, "where", None))


def _record_term(values: tuple[ir.Expr, ...], type_: Record, scope: FormulaScope) -> Term:
    if is_tuple(type_):
        return FlatFormula(f"<<{', '.join(flat_formula_text(value, scope) for value in values)}>>", ATOM)
    named = list(zip((name for name, _ in type_.fields), values, strict=True))
    if type_.variants:
        kind = values[0]
        if not isinstance(kind, ir.Const):
            raise NotInTLAError("a record of a union whose kind is not known", kind.where)
        member, places = type_.variants[kind.number]
        parts = [f'kind |-> "{member.name}"']
        named = [(name, values[at]) for (name, _), at in zip(member.fields, places, strict=True)]
    else:
        parts = []
    parts += [f"{name} |-> {flat_formula_text(value, scope)}" for name, value in named]
    return FlatFormula(f"[{', '.join(parts)}]", ATOM)


def _set_operation_term(expression: ir.SetOperation, scope: FormulaScope) -> Term:
    left, right = (
        flat_formula_text(expression.left, scope, SETS + 1),
        flat_formula_text(expression.right, scope, SETS + 1),
    )
    type_ = expression.left.type
    if isinstance(type_, Pool) and type_.multiple:
        if expression.op not in _BAGS:
            raise NotInTLAError(f"{expression.op} of bags", expression.where)
        return FlatFormula(f"{left} {_BAGS[expression.op]} {right}", SETS)
    if expression.op == "^":
        return FlatFormula(f"({left} \\ {right}) \\union ({right} \\ {left})", SETS)
    return FlatFormula(f"{left} {_SETS[expression.op]} {right}", SETS)


def _comprehension_text(expression: ir.Quantified, scope: FormulaScope) -> str:
    r"""The set of the values of a comprehension: `{x \in S : p}`, `{f(x) : x \in S}`, or the union of such."""
    generator, *rest = expression.generators
    chosen, name, inside = _filtered_source(generator, scope)
    if not rest:
        body = flat_formula_text(expression.body, inside)
        return chosen if body == name and chosen.startswith("{") else f"{{{body} : {name} \\in {chosen}}}"
    inner = _comprehension_text(replace(expression, generators=tuple(rest)), inside)
    return f"UNION {{{inner} : {name} \\in {chosen}}}"


def _filtered_source(generator: ir.Generator, scope: FormulaScope) -> tuple[str, str, FormulaScope]:
    """The set of the values that a generator gives, the name of one, and the scope that has it."""
    source = source_text(generator.source, scope)
    name, inside = scope.bind(generator.variable)
    if not generator.conditions:
        return source, name, inside
    given = flat_text(conjunction([expression_formula(condition, inside) for condition in generator.conditions]))
    return f"{{{name} \\in {source} : {given}}}", name, inside


def source_text(source: ir.Source, scope: FormulaScope) -> str:
    """The set that a bound name ranges over."""
    match source:
        case ir.IntRange(start=start, stop=ir.Arithmetic(op="+", left=left, right=ir.Const(number=1))):
            return f"({_number_text(start, scope, PLUS)}..{_number_text(left, scope, PLUS)})"
        case ir.IntRange(start=start, stop=ir.Const(number=number)):
            return f"({_number_text(start, scope, PLUS)}..{number - 1})"
        case ir.IntRange(start=start, stop=stop):
            return f"({_number_text(start, scope, PLUS)}..({_number_text(stop, scope, PLUS)} - 1))"
        case ir.Members(of=of):
            return set_text(of, scope.names)
        case ir.Elements(of=of):
            return _members_text(of, scope)


def sequence_text(source: ir.Source, scope: FormulaScope) -> str:
    """The sequence of what a loop visits, in its order."""
    match source:
        case ir.Members(of=Enumeration() | Identity() as of):
            return _order_text(of, scope)
        case ir.Elements(of=of) if isinstance(of.type, Seq):
            return flat_formula_text(of, scope)
        case ir.Elements(of=of):
            return _ordered_members(of, scope)
        case ir.IntRange() | ir.Members(of=Int()):
            return f"Ascending({source_text(source, scope)})"
        case ir.Members(of=Bool()):
            return "<<FALSE, TRUE>>"
        case ir.Members():
            raise NotInTLAError("a loop, one after the other, over all sets", source.where)


def _ordered_members(of: ir.Expr, scope: FormulaScope) -> str:
    match of.type:
        case Subset(of=Enumeration() | Identity() as element):
            container = flat_formula_text(of, scope, SETS)
            return f"SelectSeq({_order_text(element, scope)}, LAMBDA member : member \\in {container})"
        case Subset(of=Int()):
            return f"Ascending({flat_formula_text(of, scope)})"
        case _:
            raise NotInTLAError("a loop, one after the other, over records in no order", of.where)


# --- types -------------------------------------------------------------------------------------------------


def _subset_type(expression: ir.Expr) -> Subset:
    type_ = expression.type
    assert isinstance(type_, Subset), "a majority is of a set of members of a domain"
    return type_
