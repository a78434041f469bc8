"""Formulas of TLA+ as values: on one line, in parentheses where they must be, or on several lines under each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal as OneOf
from typing import TypeAlias

from ...language.immutable import immutable

WIDTH = 100
"""Columns, at most, of a formula that can be broken."""

ATOM, POSTFIX, POWER, TIMES, PLUS, REMAINDER, SETS, COMPARISON, NEGATION, JUNCTION = range(11, 1, -1)
"""How tightly a formula binds. Operators of one level are put in parentheses below each other, since in TLA+ few of
them may stand side by side: `a % b + 1` is none."""
LOOSE = 0


@immutable
class FlatFormula:
    """A formula that stays on its line."""

    text: str
    level: int


@immutable
class Junction:
    r"""Two or more formulas joined by `/\` or `\/`."""

    sign: OneOf["/\\", "\\/"]
    parts: tuple[Term, ...]


@immutable
class Implication:
    """`condition => consequence`."""

    condition: Term
    consequence: Term


@immutable
class Binder:
    r"""`\A x \in S : body`, and whatever else opens as far as it can: the text up to its colon, then the body."""

    head: str
    body: Term


@immutable
class Conditional:
    """`IF condition THEN yes ELSE no`."""

    condition: Term
    yes: Term
    no: Term


@immutable
class LetDefinition:
    """`LET head == value IN body`."""

    head: str
    value: Term
    body: Term


Term: TypeAlias = FlatFormula | Junction | Implication | Binder | Conditional | LetDefinition


def conjunction(parts: Sequence[Term]) -> Term:
    """All of the formulas together; TRUE where there is none."""
    return FlatFormula("TRUE", ATOM) if not parts else parts[0] if len(parts) == 1 else Junction("/\\", tuple(parts))


def define(definitions: Iterable[tuple[str, Term]], body: Term) -> Term:
    """A formula below definitions, the first of them outermost."""
    for head, value in reversed(tuple(definitions)):
        body = LetDefinition(head, value, body)
    return body


def flat_text(term: Term, level: int = LOOSE) -> str:
    """A formula on one line, in parentheses where it binds less tightly than `level`."""
    match term:
        case FlatFormula(text=text, level=own):
            pass
        case Junction(sign=sign, parts=parts):
            text, own = f" {sign} ".join(flat_text(part, JUNCTION + 1) for part in parts), JUNCTION
        case Implication(condition=condition, consequence=consequence):
            text = f"{flat_text(condition, JUNCTION)} => {flat_text(consequence, JUNCTION)}"
            own = LOOSE
        case Binder(head=head, body=body):
            text, own = f"{head} : {flat_text(body)}", LOOSE
        case Conditional(condition=condition, yes=yes, no=no):
            text, own = f"IF {flat_text(condition)} THEN {flat_text(yes)} ELSE {flat_text(no)}", LOOSE
        case LetDefinition(head=head, value=value, body=body):
            text, own = f"LET {head} == {flat_text(value)} IN {flat_text(body)}", LOOSE
    return text if own >= level else f"({text})"


def lay_out(term: Term, column: int, prefix: str = "") -> list[str]:
    """A formula after `prefix`, which ends at `column`, on one line if it has room there, else broken where it joins
    or opens. The first line holds the prefix; the further ones begin at the column or to the right of it, so that TLA+
    reads their bullets as they are meant."""
    line = prefix + flat_text(term)
    if len(line) <= WIDTH and not isinstance(term, LetDefinition):
        return [line]
    pad = " " * column
    match term:
        case FlatFormula():
            return [line]
        case Junction(sign=sign, parts=parts):
            found: list[str] = []
            for at, part in enumerate(parts):
                head = prefix if at == 0 else pad
                found += lay_out(part, column + len(sign) + 1, f"{head}{sign} ")
            return found
        case Implication(condition=condition, consequence=consequence):
            return _implication_lines(condition, consequence, column, prefix)
        case Binder(head=head, body=body):
            return [f"{prefix}{head} :", *lay_out(body, column + 2, f"{pad}  ")]
        case Conditional(condition=condition, yes=yes, no=no):
            return [
                *lay_out(condition, column + 3, f"{prefix}IF "),
                *lay_out(yes, column + 5, f"{pad}THEN "),
                *lay_out(no, column + 5, f"{pad}ELSE "),
            ]
        case LetDefinition():
            return _definition_lines(term, column, prefix)


def lay_out_parts(term: Term, column: int) -> list[str]:
    """A formula with a line for each of its parts, also where all of them have room on one."""
    pad = " " * column
    if isinstance(term, Junction):
        return [line for part in term.parts for line in lay_out(part, column + 3, f"{pad}{term.sign} ")]
    return lay_out(term, column, pad)


def _implication_lines(condition: Term, consequence: Term, column: int, prefix: str) -> list[str]:
    """`condition =>` and the consequence below it; both in parentheses where they are broken themselves."""
    pad = " " * column
    first = lay_out(condition, column + 1, f"{prefix}(")
    first[-1] += ") =>"
    then = lay_out(consequence, column + 3, f"{pad}  (")
    then[-1] += ")"
    return [*first, *then]


def _definition_lines(term: LetDefinition, column: int, prefix: str) -> list[str]:
    """Definitions under one LET, each on lines of its own, then what they are for."""
    pad = " " * column
    lines: list[str] = []
    head = f"{prefix}LET "
    body: Term = term
    while isinstance(body, LetDefinition):
        whole = f"{head}{body.head} == "
        text = whole + flat_text(body.value)
        if len(text) <= WIDTH:
            lines.append(text)
        else:
            lines += [whole.rstrip(), *lay_out(body.value, column + 6, " " * (column + 6))]
        head, body = f"{pad}    ", body.body
    if isinstance(body, Junction) and body.sign == "/\\":
        parts = lay_out_parts(body, column + 3)
        return [*lines, f"{pad}IN {parts[0].strip()}", *parts[1:]]
    return [*lines, *lay_out(body, column + 3, f"{pad}IN ")]


def substitute(term: Term, name: str, value: Term) -> Term:
    """A formula with a value in the place of a name."""

    def inside(part: Term) -> Term:
        return substitute(part, name, value)

    match term:
        case FlatFormula(text=text) if text == name:
            return value
        case FlatFormula(text=text, level=level):
            shown = flat_text(value, ATOM)
            return FlatFormula(re.sub(rf"\b{name}\b", lambda _: shown, text), level)
        case Junction(sign=sign, parts=parts):
            return Junction(sign, tuple(map(inside, parts)))
        case Implication(condition=condition, consequence=consequence):
            return Implication(inside(condition), inside(consequence))
        case Binder(head=head, body=body):
            return Binder(flat_text(inside(FlatFormula(head, LOOSE))), inside(body))
        case Conditional(condition=condition, yes=yes, no=no):
            return Conditional(inside(condition), inside(yes), inside(no))
        case LetDefinition(head=head, value=old, body=body):
            return LetDefinition(head, inside(old), inside(body))
