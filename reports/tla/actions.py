"""An action as an operator of TLA+: its guards, then the value of each variable after it.

A draft of the state is written step by step; here each write is a definition of what the field is from then on, and the
last of them is what the variable becomes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import TypeAlias

from ...language import ir
from ...language.forms import InitialForm
from ...language.types import Map, Pool, Seq, Type
from ..spec.notation import traverse_form
from .expressions import FormulaScope, expression_formula, flat_formula_text, offset_text, sequence_text, source_text
from .functions import assigned_names, pack_values, quote_text, unpack_values
from .terms import (
    ATOM,
    COMPARISON,
    POSTFIX,
    SETS,
    Binder,
    Conditional,
    FlatFormula,
    LetDefinition,
    Term,
    conjunction,
    flat_text,
    substitute,
)

Part: TypeAlias = "Term | tuple[str, Term]"
"""A guard, or a name and its value."""
_NOW = "_now"
_IN_BETWEEN = re.compile(rf"{_NOW}(_\d+)?$")
_LONG = 90
"""Columns of an equation, from which on a choice in it is broken."""
Written: TypeAlias = ir.Store | ir.Append | ir.Truncate | ir.Add | ir.Remove


@dataclass
class _Body:
    """What an action has come to so far: its guards and definitions in order, and what its names mean now."""

    scope: FormulaScope
    parts: list[Part] = field(default_factory=list["Part"])

    def define(self, wanted_name: str, value: Term) -> str:
        """A name for a value."""
        shown, scope = self.scope.define(wanted_name)
        self.scope = replace(self.scope, used_names=scope.used_names)
        self.parts.append((shown, value))
        return shown

    def write(self, name: str, value: Term) -> None:
        """A field has another value from now on."""
        variable = self.scope.names.declared_name(("field", name))
        shown = self.define(f"{variable}{_NOW}", value)
        self.scope = replace(self.scope, current_values={**self.scope.current_values, name: FlatFormula(shown, ATOM)})


def action_term(
    body: Sequence[ir.Statement], scope: FormulaScope, fields: Sequence[str], last: Sequence[Term] = ()
) -> Term:
    """The formula of an action whose parameters the scope knows; `last` are guards on its whole step."""
    made = _Body(scope)
    _add_statements(body, made)
    names = {name: scope.names.declared_name(("field", name)) for name in fields}
    changed = [name for name in fields if name in made.scope.current_values]
    unchanged = [names[name] for name in fields if name not in changed]
    values = [(f"{names[name]}'", made.scope.current_values[name]) for name in changed]
    parts, values = _inline_single_uses(made.parts, values)
    return _nest_parts([*parts, *_equations(values), *_unchanged_terms(unchanged), *last])


def _unchanged_terms(variables: Sequence[str]) -> list[Term]:
    """`UNCHANGED <<a, b>>`, as often as the width of a line asks."""
    lines = wrap(" ".join(f"{name}," for name in variables), _LONG - 20, break_on_hyphens=False)
    texts = [line.rstrip(",") for line in lines]
    return [FlatFormula(f"UNCHANGED <<{text}>>" if "," in text else f"UNCHANGED {text}", COMPARISON) for text in texts]


def initial_term(initial: InitialForm, scope: FormulaScope, fields: Sequence[str]) -> Term:
    """The formula of an initial function, whose parameters the scope knows: its guards, and each variable's value."""
    made = _Body(scope)
    _add_statements(initial.body, made)
    for name, value in zip(fields, initial.result.fields, strict=True):
        made.parts.append(_equation(scope.names.declared_name(("field", name)), expression_formula(value, made.scope)))
    return _nest_parts(made.parts)


def _equation(left_side: str, value: Term) -> Term:
    return FlatFormula(f"{left_side} = {flat_text(value, SETS)}", COMPARISON)


def _nest_parts(parts: Sequence[Part]) -> Term:
    """Parts in order as one formula: what comes after a definition stands inside of it."""
    rest: list[Term] = []
    for part in reversed(parts):
        if isinstance(part, tuple):
            rest = [LetDefinition(part[0], part[1], conjunction(rest))]
        else:
            rest.insert(0, part)
    return conjunction(rest)


def _inline_single_uses(
    parts: Sequence[Part], values: Sequence[tuple[str, Term]]
) -> tuple[list[Part], list[tuple[str, Term]]]:
    """Parts and last values without the definitions of what a field is in between that are used once: the value stands
    in the place of its name."""
    kept, found = list(parts), list(values)
    for part in reversed(parts):
        if not isinstance(part, tuple) or not _IN_BETWEEN.search(part[0]):
            continue
        name, value = part
        texts = [flat_text(other[1] if isinstance(other, tuple) else other) for other in (*kept, *found)]
        uses = [text for text in texts for _ in re.findall(rf"\b{name}\b", text)]
        if len(uses) == 1 and not _bound_names(flat_text(value)) & {*_bound_names(uses[0]), *_defined_names(kept)}:
            kept.remove(part)
            kept = [
                (it[0], substitute(it[1], name, value)) if isinstance(it, tuple) else substitute(it, name, value)
                for it in kept
            ]
            found = [(variable, substitute(it, name, value)) for variable, it in found]
    return kept, found


def _equations(values: Sequence[tuple[str, Term]]) -> list[Term]:
    """`variable' = value` for each; those whose values are chosen alike are one choice between equations, and so is a
    long choice alone."""
    found: list[Term] = []
    kept = [variable for variable, value in values if flat_text(value) == variable.removesuffix("'")]
    left = [pair for pair in values if pair[0] not in kept]
    while left:
        variable, value = left.pop(0)
        alike = [pair for pair in left if isinstance(value, Conditional) and _is_chosen_alike(pair[1], value)]
        text = f"{variable} = {flat_text(value, SETS)}"
        if isinstance(value, Conditional) and (alike or len(text) > _LONG):
            left = [pair for pair in left if pair not in alike]
            chosen = [(name, it) for name, it in [(variable, value), *alike] if isinstance(it, Conditional)]
            yes, no = (_equations([(name, side(it)) for name, it in chosen]) for side in (_true_side, _false_side))
            found.append(Conditional(value.condition, conjunction(yes), conjunction(no)))
        elif isinstance(value, LetDefinition) and len(text) > _LONG:
            found.append(LetDefinition(value.head, value.value, conjunction(_equations([(variable, value.body)]))))
        else:
            found.append(FlatFormula(text, COMPARISON))
    return [*found, *_unchanged_terms([variable.removesuffix("'") for variable in kept])]


def _true_side(value: Conditional) -> Term:
    return value.yes


def _false_side(value: Conditional) -> Term:
    return value.no


def _is_chosen_alike(one: Term, other: Conditional) -> bool:
    return isinstance(one, Conditional) and flat_text(one.condition) == flat_text(other.condition)


def _bound_names(text: str) -> set[str]:
    """The names that a formula binds, none of which may be bound around it."""
    bound = re.findall(r"(?:\\[AE] |[\[{]|: )((?:\w+, )*\w+) \\in ", text)
    return {name for names in bound for name in names.split(", ")} | set(re.findall(r"(\w+)(?:\([^()]*\))? ==", text))


def _defined_names(parts: Sequence[Part]) -> set[str]:
    """The names that are defined among parts."""
    return {part[0].partition("(")[0] for part in parts if isinstance(part, tuple)}


# --- statements -------------------------------------------------------------------------------------------------------


def _add_statements(statements: Sequence[ir.Statement], action_body: _Body) -> None:
    for statement in statements:
        match statement:
            case ir.Require(condition=condition) | ir.Limit(condition=condition):
                action_body.parts.append(expression_formula(condition, action_body.scope))
            case ir.Assert(condition=condition, text=text):
                asserted = f'Assert({flat_formula_text(condition, action_body.scope)}, "{quote_text(text)}")'
                action_body.parts.append(FlatFormula(asserted, POSTFIX))
            case ir.Let(name=name, value=value):
                shown = action_body.define(name, expression_formula(value, action_body.scope))
                action_body.scope = action_body.scope.with_local(name, shown)
            case ir.If():
                _add_branch(statement, action_body)
            case ir.For():
                _add_loop(statement, action_body)
            case ir.Return():
                raise TypeError("an action returns nothing")
            case _:
                action_body.write(statement.place.field, _written_value(statement, action_body.scope))


def _written_value(statement: Written, scope: FormulaScope) -> Term:
    """The whole field after one of its cells was written."""
    place = statement.place
    whole = scope.current_values.get(place.field) or FlatFormula(
        scope.names.declared_name(("field", place.field)), ATOM
    )
    path = _path_text(place, scope)
    if not path:
        return _cell_value(statement, whole.text, scope)
    return FlatFormula(f"[{whole.text} EXCEPT !{path} = {flat_text(_cell_value(statement, '@', scope))}]", ATOM)


def _path_text(place: ir.Place, scope: FormulaScope) -> str:
    """`[key][offset + 1]`: the way from a field to a cell."""
    text = ""
    type_ = scope.field_types[place.field]
    for index in place.indexes:
        text += f"[{offset_text(index, scope) if isinstance(type_, Seq) else flat_formula_text(index, scope)}]"
        type_ = _inner_type(type_)
    return text


def _inner_type(type_: Type) -> Type:
    match type_:
        case Map(value=value):
            return value
        case Seq(of=of):
            return of
        case _:
            raise TypeError(f"no cell is inside {type_}")


def _cell_value(statement: Written, old: str, scope: FormulaScope) -> Term:
    """What a cell holds after a write; `old` is what it held."""
    match statement:
        case ir.Store(value=value):
            return expression_formula(value, scope)
        case ir.Append(value=value):
            return FlatFormula(f"Append({old}, {flat_formula_text(value, scope)})", POSTFIX)
        case ir.Truncate(length=length):
            return FlatFormula(f"SubSeq({old}, 1, {flat_formula_text(length, scope)})", POSTFIX)
        case ir.Add(value=value) if _is_bag(statement.place):
            return FlatFormula(f"{old} (+) SetToBag({{{flat_formula_text(value, scope)}}})", SETS)
        case ir.Add(value=value):
            return FlatFormula(f"{old} \\union {{{flat_formula_text(value, scope)}}}", SETS)
        case ir.Remove(value=value) if _is_bag(statement.place):
            return FlatFormula(f"{old} (-) SetToBag({{{flat_formula_text(value, scope)}}})", SETS)
        case ir.Remove(value=value):
            return FlatFormula(f"{old} \\ {{{flat_formula_text(value, scope)}}}", SETS)


def _is_bag(place: ir.Place) -> bool:
    return isinstance(place.type, Pool) and place.type.multiple


# --- branches and loops -----------------------------------------------------------------------------------------------


def _add_branch(branch: ir.If, action_body: _Body) -> None:
    """Both sides, then each name and field that one of them changes as a choice; guards of a side hold if it is
    taken."""
    condition = expression_formula(branch.condition, action_body.scope)
    if len(flat_text(condition)) > 40 and len(branch.yes) + len(branch.no) > 1:
        condition = FlatFormula(action_body.define("taken", condition), ATOM)
    before = action_body.scope
    sides: list[tuple[list[Term], FormulaScope]] = []
    for statements in (branch.yes, branch.no):
        side = _Body(replace(before, used_names=action_body.scope.used_names))
        _add_statements(statements, side)
        action_body.parts += [part for part in side.parts if isinstance(part, tuple)]
        action_body.scope = replace(action_body.scope, used_names=side.scope.used_names)
        sides.append(([part for part in side.parts if not isinstance(part, tuple)], side.scope))
    (yes_guards, yes), (no_guards, no) = sides
    if yes_guards or no_guards:
        action_body.parts.append(Conditional(condition, conjunction(yes_guards), conjunction(no_guards)))
    _merge_branch_scopes(condition, yes, no, before, action_body)


def _merge_branch_scopes(
    condition: Term, yes: FormulaScope, no: FormulaScope, scope_before: FormulaScope, action_body: _Body
) -> None:
    for name in dict.fromkeys((*yes.local, *no.local)):
        if name in yes.local and name in no.local and yes.local[name] != no.local[name]:
            one, other = FlatFormula(yes.local[name], ATOM), FlatFormula(no.local[name], ATOM)
            action_body.scope = action_body.scope.with_local(
                name, action_body.define(name, Conditional(condition, one, other))
            )
    for name in dict.fromkeys((*yes.current_values, *no.current_values)):
        old = scope_before.current_values.get(name) or FlatFormula(
            scope_before.names.declared_name(("field", name)), ATOM
        )
        one, other = yes.current_values.get(name, old), no.current_values.get(name, old)
        if one != other:
            action_body.write(name, Conditional(condition, one, other))
        else:
            action_body.scope = replace(
                action_body.scope, current_values={**action_body.scope.current_values, name: one}
            )


def _add_loop(loop: ir.For, action_body: _Body) -> None:
    parts = list(traverse_form(loop.body))
    written = list(dict.fromkeys(part.field for part in parts if isinstance(part, ir.Place)))
    guards = any(isinstance(part, ir.Require | ir.Limit | ir.Assert) for part in parts)
    carried = [name for name in assigned_names(loop.body) if name in action_body.scope.local]
    if guards and not written and not carried:
        variable, inside = action_body.scope.bind(loop.variable)
        asked = _Body(inside)
        _add_statements(loop.body, asked)
        source = source_text(loop.source, action_body.scope)
        action_body.parts.append(Binder(f"\\A {variable} \\in {source}", _nest_parts(asked.parts)))
    elif written or carried:
        _add_fold(loop, written, carried, action_body, asks=guards)


_ASKED = "what a loop asks for"


def _add_fold(
    loop: ir.For, written_fields: Sequence[str], carried_names: Sequence[str], action_body: _Body, *, asks: bool
) -> None:
    """A loop that changes fields and names: a fold of all of them at once, and of whether all that it asks is true."""
    outside = action_body.scope.with_local(_ASKED, "TRUE")
    carried_names = [*carried_names, *([_ASKED] if asks else [])]
    so_far, inside = outside.bind("so_far")
    inside = _scope_of_packed_value(written_fields, carried_names, so_far, inside)
    variable, inside = inside.bind(loop.variable)
    body = _Body(inside)
    _add_statements(loop.body, body)
    guards = [part for part in body.parts if not isinstance(part, tuple)]
    asked = flat_text(conjunction([FlatFormula(inside.local[_ASKED], ATOM), *guards]))
    end = body.scope.with_local(_ASKED, asked)
    ends: list[Term] = [
        *(end.current_values[name] for name in written_fields),
        *(FlatFormula(end.local[name], ATOM) for name in carried_names),
    ]
    kept, values = _inline_single_uses(body.parts, [("", value) for value in ends])
    step: Term = pack_values([flat_text(value) for _, value in values]) if len(values) > 1 else values[0][1]
    if len(values) > 1 and len(flat_text(step)) > _LONG:
        kept, step = body.parts, pack_values([flat_text(value) for value in ends])
    for part in reversed(kept):
        step = LetDefinition(part[0], part[1], step) if isinstance(part, tuple) else step
    old = {
        name: outside.current_values.get(name) or FlatFormula(outside.names.declared_name(("field", name)), ATOM)
        for name in written_fields
    }
    start = pack_values(
        [*(old[name].text for name in written_fields), *(outside.local[name] for name in carried_names)]
    )
    action_body.scope = replace(outside, used_names=end.used_names)
    head, scope = action_body.scope.define("visit")
    action_body.scope = replace(action_body.scope, used_names=scope.used_names)
    action_body.parts.append((f"{head}({so_far}, {variable})", step))
    after = action_body.define(
        "visited", FlatFormula(f"Fold({head}, {start.text}, {sequence_text(loop.source, outside)})", POSTFIX)
    )
    action_body.scope = _scope_of_packed_value(written_fields, carried_names, after, action_body.scope)
    if asks:
        action_body.parts.append(FlatFormula(action_body.scope.local[_ASKED], POSTFIX))


def _scope_of_packed_value(
    written_fields: Sequence[str], carried_names: Sequence[str], packed_value: str, scope: FormulaScope
) -> FormulaScope:
    """The scope in which fields, and then names, are the parts of a packed value."""
    parts = unpack_values([*(("field", name) for name in written_fields), *carried_names], packed_value)
    fields = {name: FlatFormula(parts[("field", name)], ATOM) for name in written_fields}
    names = {name: parts[name] for name in carried_names}
    return replace(scope, current_values={**scope.current_values, **fields}, local={**scope.local, **names})
