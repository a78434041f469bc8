"""What random models do with tuples and unions of records: take them apart."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from .random_kinds import MESSAGE, NODE, PING, SEAT, SMALL, Kind, option

if TYPE_CHECKING:
    from .random_models import Writer


def unpacking(writer: Writer) -> str:
    """Names for the parts of a tuple, bound by an assignment or by a loop."""
    kinds = [
        held for held in writer.holding("tuple") if writer.some_path(lambda candidate, held=held: candidate == held)
    ]
    if not kinds:
        return _swap(writer)
    kind = writer.random.choice(kinds)
    path = writer.some_path(lambda candidate: candidate == kind)
    names, target = _names(writer, kind)
    if writer.chance(0.4):
        holders = [held for held in writer.holding("seq") if held.of[0] == kind]
        sequence = writer.some_path(lambda candidate: candidate in holders) if holders else None
        if sequence is not None:
            return _loop(writer, f"for {target} in {sequence}", names)
    writer.names |= names
    writer.loops |= set(names)
    return f"{target} = {path}"


def _names(writer: Writer, kind: Kind) -> tuple[dict[str, Kind], str]:
    """Names for the parts of a tuple, and the target that binds them."""
    names, parts = dict[str, Kind](), list[str]()
    for part in kind.of:
        if part.form == "tuple" and writer.chance(0.5):
            inner, text = _names(writer, part)
            names |= inner
            parts.append(f"({text})")
        else:
            name = writer.fresh("part")
            names[name] = part
            parts.append(name)
    return names, ", ".join(parts)


def _swap(writer: Writer) -> str:
    if not writer.states:
        return "pass"
    return f"s.number, s.node = {writer.value(SMALL, 1)}, {writer.value(NODE, 1)}"


def _loop(writer: Writer, head: str, names: dict[str, Kind]) -> str:
    outer = dict(writer.names)
    writer.names |= names
    writer.loops |= set(names)
    body = writer.block(0, 2)
    writer.names = outer
    return f"{head}:\n{indent(body, '    ')}"


def union_match(writer: Writer, depth: int) -> str:
    """A match over the records of a union."""
    subject = writer.random.choice((MESSAGE, option(MESSAGE)))
    path = writer.some_path(lambda kind: kind == subject)
    if path is None:
        return unpacking(writer)
    first, second = writer.fresh("got"), writer.fresh("got")
    cases = [
        _case(writer, f"Flat(by={first}, number={second}, lit={writer.random.choice(('True', '_'))})",
              {first: NODE, second: SMALL}, depth),
        _case(writer, f"Ping(number={writer.random.choice(('0', '1', '_'))}, again={(seat := writer.fresh('got'))})",
              {seat: SEAT}, depth),
        _case(writer, f"Ping() as {(whole := writer.fresh('got'))}", {whole: PING}, depth),
        _case(writer, "Quit()", {}, depth),
        _case(writer, f"{(other := writer.fresh('got'))} if {writer.truth(0)}", {other: subject}, depth),
    ]  # fmt: skip
    writer.random.shuffle(cases)
    kept = cases[: writer.random.randint(1, 5)]
    if writer.chance(0.5):
        kept.append("    case _:\n        pass")
    return f"match {path}:\n" + "\n".join(kept)


def _case(writer: Writer, pattern: str, names: dict[str, Kind], depth: int) -> str:
    outer = dict(writer.names)
    writer.names |= names
    writer.loops |= set(names)
    guard = f" if {writer.truth(1)}" if " if " not in pattern and writer.chance(0.3) else ""
    body = writer.block(depth - 1, 2)
    writer.names = outer
    return f"    case {pattern}{guard}:\n{indent(body, '        ')}"
