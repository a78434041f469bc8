"""Statements of the typed form in mathematical notation: an action's guards, bounds and effect, a helper's definition.

    when    follower ≠ leader
    within  |log[leader]| < log_size
    then    log′[leader] = log[leader] ∘ ⟨record⟩

Lines are read from top to bottom and all of them hold together. A field that is written wears a prime, and one more
each time it is written again: `log″[b] = ...` is log′ with the cell b changed. What no line mentions is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from ...language import ir
from ...language.forms import ActionForm, InitialForm
from ...language.types import Pool
from .notation import (
    NotationScope,
    add_primes,
    lay_out_expression,
    shadowed_fields,
    show_expression,
    source_text,
    traverse_form,
)

Part: TypeAlias = Literal["when", "within", "let", "assert", "then"]
Lines: TypeAlias = list[str]

_MARGIN = 8


@dataclass
class _WrittenFields:
    """How many primes each field has earned; and the fields that a loop around is changing step by step."""

    primes: dict[str, int] = field(default_factory=dict[str, int])
    changing: frozenset[str] = frozenset()
    shadowed_fields: frozenset[str] = frozenset()

    def notation_scope(self) -> NotationScope:
        return NotationScope(fields=dict(self.primes), shadowed_fields=self.shadowed_fields)

    def copy(self) -> _WrittenFields:
        return _WrittenFields(dict(self.primes), self.changing, self.shadowed_fields)

    def count_write(self, name: str) -> int:
        """Notes a write to a field and gives the number of primes the written name wears."""
        if name not in self.changing:
            self.primes[name] = self.primes.get(name, 0) + 1
        return self.primes[name]

    def merge_branch(self, other: _WrittenFields) -> None:
        """After a branch: what either side has written."""
        for name, count in other.primes.items():
            self.primes[name] = max(count, self.primes.get(name, 0))


def action_lines(action: ActionForm) -> Lines:
    """The body of an action, each line under `when`, `within`, `let` or `then`."""
    return _labelled_lines(action.body, _WrittenFields(shadowed_fields=shadowed_fields(action)))


def initial_lines(initial: InitialForm, fields: Iterable[str]) -> Lines:
    """The body of an initial function and the value of each field."""
    lines = _labelled_lines(initial.body, _WrittenFields())
    for name, value in zip(fields, initial.result.fields, strict=True):
        lines += _lines_under(
            "then", _join_lines(f"{' ' * _MARGIN}{name} = ", lay_out_expression(value, NotationScope(), _MARGIN))
        )
    return _blank_repeated_labels(lines)


def definition_lines(function: ir.Function, scope: NotationScope) -> Lines:
    """What a helper or a property returns: one expression, or its cases in order."""
    body = function.body
    scope = replace(scope, shadowed_fields=shadowed_fields(function))
    if len(body) == 1 and isinstance(body[0], ir.Return):
        return lay_out_expression(body[0].value, scope, 2)
    return [line for case in _case_lines(body, scope, 2) for line in case]


def action_phrases(action: ActionForm, limit: int) -> list[tuple[Part, str]]:
    """The body of an action with each statement as one phrase, whatever its length, under its label. A value of more
    than `limit` characters is an ellipsis, and a branch or a loop that is longer says what it changes."""
    writes = _WrittenFields(shadowed_fields=shadowed_fields(action))
    phrases = ((statement, _statement_phrase(statement, writes, limit)) for statement in action.body)
    return [
        (_statement_part(statement), f"({text})" if isinstance(statement, ir.If | ir.For) else text)
        for statement, text in phrases
    ]


def _statement_phrase(statement: ir.Statement, writes: _WrittenFields, limit: int) -> str:
    scope = writes.notation_scope()
    match statement:
        case ir.Require(condition=condition) | ir.Limit(condition=condition) | ir.Assert(condition=condition):
            return show_expression(condition, scope)
        case ir.Let(name=name, value=value):
            return f"{name} ≜ {_shorten_phrase(show_expression(value, scope), limit)}"
        case ir.Return(value=value):
            return show_expression(value, scope)
        case ir.If():
            return _branches_phrase(statement, writes, limit)
        case ir.For(variable=variable, body=body):
            domain = source_text(statement.source, scope)
            one_by_one = not _is_cellwise(statement)
            inside = _begin_loop(statement, writes) if one_by_one else writes
            head = f"for each {variable} ∈ {domain} in order" if one_by_one else f"∀ {variable} ∈ {domain}"
            return f"{head}: {_shorten_phrase(_phrases(body, inside, limit), limit, _outline_text(body, scope))}"
        case _:
            head, sign, value = " ".join(line.strip() for line in _statement_lines(statement, writes, 0)).partition(
                "= "
            )
            return f"{head}{sign}{_shorten_phrase(value, limit)}"


def _branches_phrase(branch: ir.If, writes: _WrittenFields, limit: int) -> str:
    before = writes.notation_scope()
    other = writes.copy()
    yes, no = _phrases(branch.yes, writes, limit), _phrases(branch.no, other, limit)
    writes.merge_branch(other)
    then = _shorten_phrase(yes, limit, _outline_text(branch.yes, before))
    text = f"if {show_expression(branch.condition, before)}: {then}"
    return f"{text}; else: {_shorten_phrase(no, limit, _outline_text(branch.no, before))}" if no else text


def _phrases(body: Sequence[ir.Statement], writes: _WrittenFields, limit: int) -> str:
    """The statements of a branch or a loop in a row, in parentheses where there are several or another is inside."""
    texts = [_statement_phrase(statement, writes, limit) for statement in body]
    nested = len(texts) > 1 or any(isinstance(statement, ir.If | ir.For) for statement in body)
    return f"({'; '.join(texts)})" if nested else "".join(texts)


def _shorten_phrase(text: str, limit: int, instead: str = "…") -> str:
    return text if len(text) <= limit else instead


def _outline_text(body: Sequence[ir.Statement], scope: NotationScope) -> str:
    """What a branch or a loop asks for and changes, without saying how."""
    parts = list(traverse_form(body))
    kinds = (ir.Store, ir.Append, ir.Truncate, ir.Add, ir.Remove)
    written = sorted({scope.field_name(part.place.field) for part in parts if isinstance(part, kinds)})
    asks = "asks for more, " if any(isinstance(part, ir.Require | ir.Limit) for part in parts) else ""
    return f"{asks}changes {', '.join(written)}" if written else f"{asks}…"


def _labelled_lines(body: Iterable[ir.Statement], writes: _WrittenFields) -> Lines:
    lines: Lines = []
    for statement in body:
        lines += _lines_under(_statement_part(statement), _statement_lines(statement, writes, _MARGIN))
    return _blank_repeated_labels(lines)


def _lines_under(part: Part, lines: Lines) -> Lines:
    return [part.ljust(_MARGIN) + lines[0][_MARGIN:], *lines[1:]] if lines else []


def _blank_repeated_labels(lines: Lines) -> Lines:
    """Repeated labels become blanks, so that each part is named once."""
    result: Lines = []
    last = ""
    for line in lines:
        label = line[:_MARGIN].strip()
        result.append(" " * _MARGIN + line[_MARGIN:] if label == last and label else line)
        last = label or last
    return result


def _statement_part(statement: ir.Statement) -> Part:
    """Under which label a statement belongs; a branch or a loop belongs where its innermost statements do."""
    inside = list(traverse_form(statement))
    if any(isinstance(part, ir.Require) for part in inside):
        return "when"
    if any(isinstance(part, ir.Limit) for part in inside):
        return "within"
    return "let" if isinstance(statement, ir.Let) else "assert" if isinstance(statement, ir.Assert) else "then"


def _statement_lines(statement: ir.Statement, writes: _WrittenFields, indent: int) -> Lines:
    scope = writes.notation_scope()
    pad = " " * indent
    match statement:
        case ir.Require(condition=condition) | ir.Limit(condition=condition):
            return lay_out_expression(condition, scope, indent)
        case ir.Assert(condition=condition):
            return lay_out_expression(condition, scope, indent)
        case ir.Let(name=name, value=value):
            return _join_lines(f"{pad}{name} ≜ ", lay_out_expression(value, scope, indent))
        case ir.If(condition=condition, yes=yes, no=no):
            return _branch_lines(condition, yes, no, writes, indent)
        case ir.For():
            return _loop_lines(statement, writes, indent)
        case ir.Return(value=value):
            return lay_out_expression(value, scope, indent)
        case ir.Store(place=place) | ir.Append(place=place) | ir.Truncate(place=place) | ir.Add(place=place):
            return _write_lines(statement, place, writes, indent)
        case ir.Remove(place=place):
            return _write_lines(statement, place, writes, indent)


def _block_lines(body: Iterable[ir.Statement], writes: _WrittenFields, indent: int) -> Lines:
    return [line for statement in body for line in _statement_lines(statement, writes, indent)]


def _branch_lines(
    condition: ir.Expr, yes: tuple[ir.Statement, ...], no: tuple[ir.Statement, ...], writes: _WrittenFields, indent: int
) -> Lines:
    pad = " " * indent
    lines = _join_lines(f"{pad}if ", lay_out_expression(condition, writes.notation_scope(), indent), ":")
    other = writes.copy()
    lines += _block_lines(yes, writes, indent + 2)
    if no:
        lines += [f"{pad}else:", *_block_lines(no, other, indent + 2)]
    writes.merge_branch(other)
    return lines


def _loop_lines(loop: ir.For, writes: _WrittenFields, indent: int) -> Lines:
    """`∀` where the order does not matter, else `for each ... in order`, inside which `≔` changes a value step by
    step.
    """
    domain = source_text(loop.source, writes.notation_scope())
    if _is_cellwise(loop):
        return [f"{' ' * indent}∀ {loop.variable} ∈ {domain}:", *_block_lines(loop.body, writes, indent + 2)]
    inside = _begin_loop(loop, writes)
    return [
        f"{' ' * indent}for each {loop.variable} ∈ {domain} in order:",
        *_block_lines(loop.body, inside, indent + 2),
    ]


def _begin_loop(loop: ir.For, writes: _WrittenFields) -> _WrittenFields:
    """What a loop changes step by step is written once: the writes inside."""
    written = {node.field for node in traverse_form(loop.body) if isinstance(node, ir.Place)} - writes.changing
    for name in written:
        writes.count_write(name)
    return _WrittenFields(writes.primes, writes.changing | written, writes.shadowed_fields)


def _is_cellwise(loop: ir.For) -> bool:
    """Whether a loop reads and writes only the cells of a field that its variable names, so that the order is
    nothing.
    """
    parts = list(traverse_form(loop.body))
    places = [part for part in parts if isinstance(part, ir.Place)]
    if not all(place.indexes and _is_variable(place.indexes[0], loop) for place in places):
        return False
    written = {place.field for place in places}
    reads = [part for part in parts if isinstance(part, ir.StateField) and part.field in written]
    cells = [part for part in parts if isinstance(part, ir.Index) and _is_variable(part.index, loop)]
    own = [cell for cell in cells if isinstance(cell.container, ir.StateField) and cell.container.field in written]
    return len(reads) == len(own)


def _is_variable(index: ir.Expr, loop: ir.For) -> bool:
    return isinstance(index, ir.Name) and index.name == loop.variable


def _write_lines(statement: ir.Statement, place: ir.Place, writes: _WrittenFields, indent: int) -> Lines:
    before = writes.notation_scope()
    cell = "".join(f"[{show_expression(index, before)}]" for index in place.indexes)
    name = before.field_name(place.field)
    old = add_primes(name, writes.primes.get(place.field, 0)) + cell
    new = add_primes(name, writes.count_write(place.field)) + cell + (" ≔" if place.field in writes.changing else " =")
    pad = " " * indent
    match statement:
        case ir.Store(value=value):
            return _join_lines(f"{pad}{new} ", lay_out_expression(value, before, indent))
        case ir.Append(value=value):
            return [f"{pad}{new} {old} ∘ ⟨{show_expression(value, before)}⟩"]
        case ir.Truncate(length=length):
            return [f"{pad}{new} {old}[0..{show_expression(length, before)})"]
        case ir.Add(value=value):
            union = "⊎" if isinstance(place.type, Pool) and place.type.multiple else "∪"
            return [f"{pad}{new} {old} {union} {{{show_expression(value, before)}}}"]
        case ir.Remove(value=value, strict=strict):
            given = f", where {show_expression(value, before)} ∈ {old}" if strict else ""
            return [f"{pad}{new} {old} ∖ {{{show_expression(value, before)}}}{given}"]
        case _:
            raise TypeError(f"{type(statement).__name__} writes nothing")


def _join_lines(head: str, lines: Lines, tail: str = "") -> Lines:
    """Puts `head` before the first of some laid-out lines; the others move right as far as it pushes them."""
    indent = len(head) - len(head.lstrip())
    shift = " " * (len(head) - indent)
    joined = [head + lines[0][indent:], *(shift + line for line in lines[1:])]
    joined[-1] += tail
    return joined


def _case_lines(body: tuple[ir.Statement, ...], scope: NotationScope, indent: int) -> Iterator[Lines]:
    """A helper's body: names, then values each with the condition under which it is the result."""
    pad = " " * indent
    for statement in body:
        match statement:
            case ir.If():
                yield from _alternative_lines(statement, scope, indent, "if ")
            case ir.For(variable=variable, source=source, body=inner):
                yield [f"{pad}for each {variable} ∈ {source_text(source, scope)} in order:"]
                yield from _case_lines(inner, scope, indent + 2)
            case ir.Let(name=name, value=value):
                yield _join_lines(f"{pad}let {name} ≜ ", lay_out_expression(value, scope, indent))
            case ir.Return(value=value):
                yield lay_out_expression(value, scope, indent)
            case ir.Assert(condition=condition):
                yield _join_lines(f"{pad}assert ", lay_out_expression(condition, scope, indent))
            case _:
                raise TypeError(f"a helper cannot hold {type(statement).__name__}")


def _alternative_lines(branch: ir.If, scope: NotationScope, indent: int, word: str) -> Iterator[Lines]:
    pad = " " * indent
    yield _join_lines(f"{pad}{word}", lay_out_expression(branch.condition, scope, indent), ":")
    yield from _case_lines(branch.yes, scope, indent + 2)
    match branch.no:
        case ():
            return
        case (ir.If() as other,):
            yield from _alternative_lines(other, scope, indent, "else if ")
        case others:
            yield [f"{pad}else:"]
            yield from _case_lines(others, scope, indent + 2)
