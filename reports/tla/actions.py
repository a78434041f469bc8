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
from ...language.types import Map, Pool, Seq, Type
from ..spec.notation import traverse_form
from .expressions import Scope, flat, formula, offset_text, sequence_text, source_text
from .functions import assigned_names, pack, quote_text, unpack
from .terms import (
    ATOM,
    COMPARISON,
    POSTFIX,
    SETS,
    Binder,
    Conditional,
    Definition,
    Term,
    Text,
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

    scope: Scope
    parts: list[Part] = field(default_factory=list["Part"])

    def define(self, wanted: str, value: Term) -> str:
        """A name for a value."""
        shown, scope = self.scope.define(wanted)
        self.scope = replace(self.scope, used_names=scope.used_names)
        self.parts.append((shown, value))
        return shown

    def write(self, name: str, value: Term) -> None:
        """A field has another value from now on."""
        variable = self.scope.names.of(("field", name))
        shown = self.define(f"{variable}{_NOW}", value)
        self.scope = replace(self.scope, current_values={**self.scope.current_values, name: Text(shown, ATOM)})


def action_term(body: Sequence[ir.Statement], scope: Scope, fields: Sequence[str], last: Sequence[Term] = ()) -> Term:
    """The formula of an action whose parameters the scope knows; `last` are guards on its whole step."""
    made = _Body(scope)
    _add_statements(body, made)
    names = {name: scope.names.of(("field", name)) for name in fields}
    changed = [name for name in fields if name in made.scope.current_values]
    unchanged = [names[name] for name in fields if name not in changed]
    values = [(f"{names[name]}'", made.scope.current_values[name]) for name in changed]
    parts, values = _inline_single_uses(made.parts, values)
    return _nest([*parts, *_equations(values), *_unchanged_terms(unchanged), *last])


def _unchanged_terms(variables: Sequence[str]) -> list[Term]:
    """`UNCHANGED <<a, b>>`, as often as the width of a line asks."""
    lines = wrap(" ".join(f"{name}," for name in variables), _LONG - 20, break_on_hyphens=False)
    texts = [line.rstrip(",") for line in lines]
    return [Text(f"UNCHANGED <<{text}>>" if "," in text else f"UNCHANGED {text}", COMPARISON) for text in texts]


def initial_term(initial: ir.InitialForm, scope: Scope, fields: Sequence[str]) -> Term:
    """The formula of an initial function, whose parameters the scope knows: its guards, and each variable's value."""
    made = _Body(scope)
    _add_statements(initial.body, made)
    for name, value in zip(fields, initial.result.fields, strict=True):
        made.parts.append(_equation(scope.names.of(("field", name)), formula(value, made.scope)))
    return _nest(made.parts)


def _equation(left: str, value: Term) -> Term:
    return Text(f"{left} = {flat_text(value, SETS)}", COMPARISON)


def _nest(parts: Sequence[Part]) -> Term:
    """Parts in order as one formula: what comes after a definition stands inside of it."""
    rest: list[Term] = []
    for part in reversed(parts):
        if isinstance(part, tuple):
            rest = [Definition(part[0], part[1], conjunction(rest))]
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
        if len(uses) == 1 and not _binds(flat_text(value)) & {*_binds(uses[0]), *_heads(kept)}:
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
            yes, no = (_equations([(name, side(it)) for name, it in chosen]) for side in (_yes, _no))
            found.append(Conditional(value.condition, conjunction(yes), conjunction(no)))
        elif isinstance(value, Definition) and len(text) > _LONG:
            found.append(Definition(value.head, value.value, conjunction(_equations([(variable, value.body)]))))
        else:
            found.append(Text(text, COMPARISON))
    return [*found, *_unchanged_terms([variable.removesuffix("'") for variable in kept])]


def _yes(value: Conditional) -> Term:
    return value.yes


def _no(value: Conditional) -> Term:
    return value.no


def _is_chosen_alike(one: Term, other: Conditional) -> bool:
    return isinstance(one, Conditional) and flat_text(one.condition) == flat_text(other.condition)


def _binds(text: str) -> set[str]:
    """The names that a formula binds, none of which may be bound around it."""
    bound = re.findall(r"(?:\\[AE] |[\[{]|: )((?:\w+, )*\w+) \\in ", text)
    return {name for names in bound for name in names.split(", ")} | set(re.findall(r"(\w+)(?:\([^()]*\))? ==", text))


def _heads(parts: Sequence[Part]) -> set[str]:
    """The names that are defined among parts."""
    return {part[0].partition("(")[0] for part in parts if isinstance(part, tuple)}


# --- statements -------------------------------------------------------------------------------------------------------


def _add_statements(statements: Sequence[ir.Statement], made: _Body) -> None:
    for statement in statements:
        match statement:
            case ir.Require(condition=condition) | ir.Limit(condition=condition):
                made.parts.append(formula(condition, made.scope))
            case ir.Assert(condition=condition, text=text):
                asserted = f'Assert({flat(condition, made.scope)}, "{quote_text(text)}")'
                made.parts.append(Text(asserted, POSTFIX))
            case ir.Let(name=name, value=value):
                shown = made.define(name, formula(value, made.scope))
                made.scope = made.scope.with_local(name, shown)
            case ir.If():
                _add_branch(statement, made)
            case ir.For():
                _add_loop(statement, made)
            case ir.Return():
                raise TypeError("an action returns nothing")
            case _:
                made.write(statement.place.field, _written_value(statement, made.scope))


def _written_value(statement: Written, scope: Scope) -> Term:
    """The whole field after one of its cells was written."""
    place = statement.place
    whole = scope.current_values.get(place.field) or Text(scope.names.of(("field", place.field)), ATOM)
    path = _path_text(place, scope)
    if not path:
        return _cell_value(statement, whole.text, scope)
    return Text(f"[{whole.text} EXCEPT !{path} = {flat_text(_cell_value(statement, '@', scope))}]", ATOM)


def _path_text(place: ir.Place, scope: Scope) -> str:
    """`[key][offset + 1]`: the way from a field to a cell."""
    text = ""
    type_ = scope.field_types[place.field]
    for index in place.indexes:
        text += f"[{offset_text(index, scope) if isinstance(type_, Seq) else flat(index, scope)}]"
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


def _cell_value(statement: Written, old: str, scope: Scope) -> Term:
    """What a cell holds after a write; `old` is what it held."""
    match statement:
        case ir.Store(value=value):
            return formula(value, scope)
        case ir.Append(value=value):
            return Text(f"Append({old}, {flat(value, scope)})", POSTFIX)
        case ir.Truncate(length=length):
            return Text(f"SubSeq({old}, 1, {flat(length, scope)})", POSTFIX)
        case ir.Add(value=value) if _is_bag(statement.place):
            return Text(f"{old} (+) SetToBag({{{flat(value, scope)}}})", SETS)
        case ir.Add(value=value):
            return Text(f"{old} \\union {{{flat(value, scope)}}}", SETS)
        case ir.Remove(value=value) if _is_bag(statement.place):
            return Text(f"{old} (-) SetToBag({{{flat(value, scope)}}})", SETS)
        case ir.Remove(value=value):
            return Text(f"{old} \\ {{{flat(value, scope)}}}", SETS)


def _is_bag(place: ir.Place) -> bool:
    return isinstance(place.type, Pool) and place.type.multiple


# --- branches and loops -----------------------------------------------------------------------------------------------


def _add_branch(branch: ir.If, made: _Body) -> None:
    """Both sides, then each name and field that one of them changes as a choice; guards of a side hold if it is
    taken."""
    condition = formula(branch.condition, made.scope)
    if len(flat_text(condition)) > 40 and len(branch.yes) + len(branch.no) > 1:
        condition = Text(made.define("taken", condition), ATOM)
    before = made.scope
    sides: list[tuple[list[Term], Scope]] = []
    for statements in (branch.yes, branch.no):
        side = _Body(replace(before, used_names=made.scope.used_names))
        _add_statements(statements, side)
        made.parts += [part for part in side.parts if isinstance(part, tuple)]
        made.scope = replace(made.scope, used_names=side.scope.used_names)
        sides.append(([part for part in side.parts if not isinstance(part, tuple)], side.scope))
    (yes_guards, yes), (no_guards, no) = sides
    if yes_guards or no_guards:
        made.parts.append(Conditional(condition, conjunction(yes_guards), conjunction(no_guards)))
    _merge_sides(condition, yes, no, before, made)


def _merge_sides(condition: Term, yes: Scope, no: Scope, before: Scope, made: _Body) -> None:
    for name in dict.fromkeys((*yes.local, *no.local)):
        if name in yes.local and name in no.local and yes.local[name] != no.local[name]:
            one, other = Text(yes.local[name], ATOM), Text(no.local[name], ATOM)
            made.scope = made.scope.with_local(name, made.define(name, Conditional(condition, one, other)))
    for name in dict.fromkeys((*yes.current_values, *no.current_values)):
        old = before.current_values.get(name) or Text(before.names.of(("field", name)), ATOM)
        one, other = yes.current_values.get(name, old), no.current_values.get(name, old)
        if one != other:
            made.write(name, Conditional(condition, one, other))
        else:
            made.scope = replace(made.scope, current_values={**made.scope.current_values, name: one})


def _add_loop(loop: ir.For, made: _Body) -> None:
    parts = list(traverse_form(loop.body))
    written = list(dict.fromkeys(part.field for part in parts if isinstance(part, ir.Place)))
    guards = any(isinstance(part, ir.Require | ir.Limit | ir.Assert) for part in parts)
    carried = [name for name in assigned_names(loop.body) if name in made.scope.local]
    if guards and not written and not carried:
        variable, inside = made.scope.bind(loop.variable)
        asked = _Body(inside)
        _add_statements(loop.body, asked)
        source = source_text(loop.source, made.scope)
        made.parts.append(Binder(f"\\A {variable} \\in {source}", _nest(asked.parts)))
    elif written or carried:
        _add_fold(loop, written, carried, made, asks=guards)


_ASKED = "what a loop asks for"


def _add_fold(loop: ir.For, written: Sequence[str], carried: Sequence[str], made: _Body, *, asks: bool) -> None:
    """A loop that changes fields and names: a fold of all of them at once, and of whether all that it asks is true."""
    outside = made.scope.with_local(_ASKED, "TRUE")
    carried = [*carried, *([_ASKED] if asks else [])]
    so_far, inside = outside.bind("so_far")
    inside = _unpack_all(written, carried, so_far, inside)
    variable, inside = inside.bind(loop.variable)
    body = _Body(inside)
    _add_statements(loop.body, body)
    guards = [part for part in body.parts if not isinstance(part, tuple)]
    asked = flat_text(conjunction([Text(inside.local[_ASKED], ATOM), *guards]))
    end = body.scope.with_local(_ASKED, asked)
    ends: list[Term] = [
        *(end.current_values[name] for name in written),
        *(Text(end.local[name], ATOM) for name in carried),
    ]
    kept, values = _inline_single_uses(body.parts, [("", value) for value in ends])
    step: Term = pack([flat_text(value) for _, value in values]) if len(values) > 1 else values[0][1]
    if len(values) > 1 and len(flat_text(step)) > _LONG:
        kept, step = body.parts, pack([flat_text(value) for value in ends])
    for part in reversed(kept):
        step = Definition(part[0], part[1], step) if isinstance(part, tuple) else step
    old = {name: outside.current_values.get(name) or Text(outside.names.of(("field", name)), ATOM) for name in written}
    start = pack([*(old[name].text for name in written), *(outside.local[name] for name in carried)])
    made.scope = replace(outside, used_names=end.used_names)
    head, scope = made.scope.define("visit")
    made.scope = replace(made.scope, used_names=scope.used_names)
    made.parts.append((f"{head}({so_far}, {variable})", step))
    after = made.define("visited", Text(f"Fold({head}, {start.text}, {sequence_text(loop.source, outside)})", POSTFIX))
    made.scope = _unpack_all(written, carried, after, made.scope)
    if asks:
        made.parts.append(Text(made.scope.local[_ASKED], POSTFIX))


def _unpack_all(written: Sequence[str], carried: Sequence[str], packed: str, scope: Scope) -> Scope:
    """The scope in which fields, and then names, are the parts of a packed value."""
    parts = unpack([*(("field", name) for name in written), *carried], packed)
    fields = {name: Text(parts[("field", name)], ATOM) for name in written}
    names = {name: parts[name] for name in carried}
    return replace(scope, current_values={**scope.current_values, **fields}, local={**scope.local, **names})
