"""Step helpers of random models: texts of helpers that hold guards, limits and writes, and of calls of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING

from .random_kinds import BOOL, NODE, SMALL, Kind

if TYPE_CHECKING:
    from .random_models import Writer

CONTAINERS = ("map", "seq", "set", "set of records", "bag of records")


@dataclass(frozen=True, slots=True)
class StepText:
    """A helper's name, and its parameters: a type for a value, `piece` before it for a piece of the state, None for
    the state. A `has_guards` one holds guards, so that it is called before anything is written."""

    name: str
    parameters: tuple[tuple[str, Kind | None, bool], ...]
    has_guards: bool


def step_helpers(writer: Writer) -> str:
    """Some step helpers, which the writer's later statements call."""
    made = ""
    for _ in range(writer.random.choice((0, 1, 2, 3))):
        made += _of_pieces(writer) if writer.chance(0.5) else _of_state(writer)
    return made


def _of_state(writer: Writer) -> str:
    """A helper that takes the state and values."""
    guarded = writer.chance(0.5)
    count = writer.random.randint(0, 2)
    values = [(writer.fresh("a"), writer.random.choice((SMALL, NODE, BOOL))) for _ in range(count)]
    writer.names, writer.loops = dict(values), {name for name, _ in values}
    lines: list[str] = []
    if guarded:
        lines += [f"require({writer.truth(2)})" for _ in range(writer.random.choice((1, 1, 2)))]
        lines += [f"limit({writer.truth(1)})"] if writer.chance(0.3) else []
    lines += [_body(writer)]
    parameters = (("s", None, False), *((name, kind, False) for name, kind in values))
    step = StepText(writer.fresh("_act"), parameters, guarded)
    return _text(writer, step, lines)


def _of_pieces(writer: Writer) -> str:
    """A helper that writes to a piece of the state, and takes values."""
    kinds = sorted(
        {kind for _, kind in writer.places() if kind.form in CONTAINERS}, key=lambda candidate: candidate.text
    )
    if not kinds:
        return ""
    kind, name, other = writer.random.choice(kinds), writer.fresh("cell"), writer.fresh("a")
    writer.names, writer.loops = {name: kind, other: SMALL}, {other}
    writer.states, writer.pieces = (), {name: kind}
    lines = [_body(writer), piece_write(writer, name, kind)]
    writer.states, writer.pieces = ("s",), {}
    return _text(writer, StepText(writer.fresh("_act"), ((name, kind, True), (other, SMALL, False)), False), lines)


def _body(writer: Writer) -> str:
    """Statements, some of them after an early return."""
    outer = dict(writer.names)
    made = ""
    if writer.chance(0.3):
        made = f"if {writer.truth(1)}:\n{indent(writer.block(1, 1), '    ')}\n    return\n"
    made += writer.block(1, 2)
    writer.names = outer
    return made


def _text(writer: Writer, step: StepText, lines: list[str]) -> str:
    parameters = ", ".join(f"{name}: {_annotation(writer, kind)}" for name, kind, _ in step.parameters)
    writer.steps.append(step)
    return f'def {step.name}({parameters}) -> None:\n    """Acts."""\n' + indent("\n".join(lines), "    ") + "\n\n\n"


def _annotation(writer: Writer, kind: Kind | None) -> str:
    if kind is None:
        return "World"
    bare = re.fullmatch(r"Annotated\[(\w+\[\w+\]), Capacity\(\w+\)\]", kind.text)
    return bare[1] if bare is not None and writer.chance(0.5) else kind.text


def piece_write(writer: Writer, text: str, kind: Kind) -> str:
    """A write to a piece of the state that is not given a new value as a whole."""
    for _ in range(8):
        made = writer.write_to_cell(text, kind) if kind.form != "map" else ""
        if made and not re.search(rf"(^|\s){text} [|&^+-]?= ", made):
            return made
    match kind.form:
        case "map":
            return f"{text}[{writer.value(kind.of[0], 0)}] = {writer.value(kind.of[1], 1)}"
        case "seq":
            return f"{text}.truncate(min({writer.value(SMALL, 0)}, len({text})))"
        case _:
            return f"{text}.discard({writer.value(kind.of[0], 1)})"


def call_of(writer: Writer, *, guarded: bool) -> str | None:
    """A call of a step helper; None when none can be called here."""
    known = [text for text in writer.steps if text.has_guards is guarded and writer.states]
    if not known:
        return None
    step = writer.random.choice(known)
    arguments = [_argument(writer, kind, is_piece) for _, kind, is_piece in step.parameters]
    if None in arguments:
        return None
    last = step.parameters[-1][0]
    named = [f"{last}={arguments.pop()}"] if len(arguments) > 1 and writer.chance(0.3) else []
    return f"{step.name}({', '.join([*map(str, arguments), *named])})"


def _argument(writer: Writer, kind: Kind | None, is_piece: bool) -> str | None:
    if kind is None:
        return "s"
    if not is_piece:
        return writer.value(kind, 1)
    places = [text for text, stored in writer.places() if stored == kind]
    return writer.random.choice(places) if places else None
