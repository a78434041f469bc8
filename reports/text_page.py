"""Lines of plain text for a terminal, some of it styled, wrapped to a width, in Unicode or in ASCII.

A `TextPage` collects lines; `text` turns it into one string, with or without ANSI styles. Nothing here knows about
models.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TextIO

from ..language.immutable import immutable

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

_ASCII = {
    "✓": "+", "✗": "X", "─": "-", "…": "...", "→": "->", "↦": "->", "≜": "==", "≔": ":=", "′": "'", "″": "''",
    "‴": "'''",
    "∧": "and", "∨": "or", "¬": "not ", "⇒": "=>", "∀": "all", "∃": "some", "≤": "<=", "≥": ">=", "≠": "!=",
    "∈": "in", "∉": "not in", "⊆": "within", "⊈": "not within", "∅": "{}", "∪": "|", "∖": "-", "△": "^", "⊎": "+",
    "⟨": "<", "⟩": ">", "∘": "++", "−": "-", "·": "*", "Σ": "sum", "𝒫": "Set", "𝔹": "Bool", "×": "x",
}  # fmt: skip
_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]")


@immutable
class TextFormat:
    """How a face may write: the width in columns (at least 40), ANSI styles or not, ASCII only or not."""

    width: int = 80
    color: bool = False
    ascii: bool = False


@dataclass(slots=True)
class TextPage:
    """Lines being written in one format."""

    text_format: TextFormat = field(default_factory=TextFormat)
    lines: list[str] = field(default_factory=list[str])

    def blank(self) -> None:
        """An empty line, unless the page starts or already ends with one."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def rule(self) -> None:
        """A line across the page."""
        self.lines.append(self.style("─" * self.text_format.width, "dim"))

    def line(self, text: str, *, indent: int = 0, hang: int = 2, style: str = "") -> None:
        """A paragraph, wrapped: the first line at `indent`, those that follow `hang` further in."""
        pad = " " * indent
        width = max(self.text_format.width, 40)
        wrapped = textwrap.wrap(
            text, width, initial_indent=pad, subsequent_indent=pad + " " * hang, break_long_words=False,
            break_on_hyphens=False, drop_whitespace=True,
        )  # fmt: skip
        self.lines += [self.style(part, style) for part in wrapped or [""]]

    def exact(self, text: str, *, style: str = "") -> None:
        """A line as it is, however long: a command to copy, text already laid out."""
        self.lines.append(self.style(text, style))

    def columns(
        self, rows: Iterable[tuple[str, ...]], *, indent: int = 2, gap: int = 2, styles: Mapping[str, str] | None = None
    ) -> None:
        """Rows whose columns line up; the last is wrapped under itself. `styles` gives a style to a first column's
        text.
        """
        table = list(rows)
        if not table:
            return
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]) - 1)]
        for row in table:
            left = " " * indent + "".join(cell.ljust(width + gap) for cell, width in zip(row, widths, strict=False))
            self._write_row(left, row[-1], (styles or {}).get(row[0], ""))

    def _write_row(self, first_part: str, last: str, style: str) -> None:
        room = self.text_format.width - len(first_part)
        if room < 24:
            self.exact(first_part.rstrip(), style=style)
            self.line(last, indent=6)
            return
        parts = textwrap.wrap(last, room, break_long_words=False, break_on_hyphens=False) or [""]
        self.lines.append(
            self.style(first_part, style) + parts[0] if parts[0] else self.style(first_part.rstrip(), style)
        )
        self.lines += [" " * len(first_part) + part for part in parts[1:]]

    def style(self, text: str, style: str) -> str:
        """Text in a style where the format has colours."""
        if not style or not self.text_format.color or not text:
            return text
        codes = ";".join(_STYLES[word] for word in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"

    def text(self) -> str:
        """Everything written, ending in a newline."""
        text = "\n".join(line.rstrip() for line in self.lines).rstrip("\n") + "\n"
        return to_ascii(text) if self.text_format.ascii else text


def to_ascii(text: str) -> str:
    """The text with every sign outside ASCII spelled with ASCII ones; `?` for one that has no spelling."""
    for sign, spelling in _ASCII.items():
        text = text.replace(sign, spelling)
    return _OUTSIDE_ASCII.sub("?", text)


def detect_format(stream: TextIO, *, width: int | None = None, ascii: bool = False, color: str = "auto") -> TextFormat:
    """The format that a stream takes: a terminal's width up to 100 columns, else 80; colours on a terminal without
    `NO_COLOR`.

    `color` is `auto`, `always` or `never`. A stream whose encoding is not Unicode gets ASCII.
    """
    terminal = stream.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    unicode = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")
    return TextFormat(
        width=width or (min(_terminal_width(stream), 100) if terminal else 80),
        color=color == "always" or (color == "auto" and terminal and not plain),
        ascii=ascii or not unicode,
    )


def _terminal_width(stream: TextIO) -> int:
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, 40)
    except OSError:
        return 80


# --- numbers as people write them -----------------------------------------------------------------------------------


def count_text(number: int, noun: str = "", plural: str = "") -> str:
    """`12,345` or, with a noun, `1 step`, `2 steps`."""
    if not noun:
        return f"{number:,}"
    return f"{number:,} {noun if number == 1 else plural or plural_of(noun)}"


def plural_of(noun: str) -> str:
    """`nodes`, `epochs`, `processes`: a noun of several things."""
    return noun + ("es" if noun.endswith(("s", "x", "tch", "sh")) else "s")


def seconds_text(seconds: float) -> str:
    """`0.004 s`, `0.41 s`, `12.3 s`, `3 min 20 s`."""
    if seconds >= 100:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    return f"{seconds:.3f} s" if seconds < 0.1 else f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def bytes_text(number: float) -> str:
    """`512 B`, `24.5 MiB`, `2.0 GiB`."""
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} GiB"


def rate_text(per_second: float) -> str:
    """`812 states/s`, `41,000 states/s`, `4.81 million states/s`."""
    if per_second >= 1_000_000:
        return f"{per_second / 1_000_000:.2f} million states/s"
    if per_second >= 10_000:
        return f"{round(per_second, -3):,.0f} states/s"
    return f"{per_second:,.0f} states/s"
