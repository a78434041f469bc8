"""The lanes of one state as text: a row for each, with its log, its high watermark and its end.

        role      epoch  isr     0
   A    leader    1      A B     [1a]|>       end 1       high watermark 1
   B  * follower  1      in     |(1a)         end 1 -> 0  high watermark 0

`[1a]` is a record; `{2b}` came in this step, `(1a)` went; `|` is the high watermark, `>` the log's end. `*` marks a
lane that this step changed. Everything comes from the document's frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document import Document
from ..text_page import TextPage

_GAP = "  "


def lanes_at(document: Document, state_number: int) -> dict[str, Document]:
    """Every lane as it is in a state: from its frame, or the last one before that has it."""
    found: dict[str, Document] = {}
    for number in range(state_number, -1, -1):
        for name, lane in document["frames"].get(str(number), {"lanes": {}})["lanes"].items():
            found.setdefault(name, lane)
    return {name: found[name] for name in document["view"]["lanes"] if name in found}


def board_at(document: Document, state_number: int) -> Document:
    """What is no lane's, in a state."""
    for number in range(state_number, -1, -1):
        frame = document["frames"].get(str(number))
        if frame is not None and frame["board"] is not None:
            return frame["board"]
    return {}


def has_lanes(document: Document) -> bool:
    """Whether lanes are drawn: not of a model without a view, nor of one that draws SVG, which pages show."""
    return document["view"] is not None and document["view"]["kind"] != "drawing"


def write_lanes(page: TextPage, document: Document, state_number: int) -> None:
    """Writes the lanes of a state; nothing for a model that has none."""
    if not has_lanes(document):
        return
    lanes = lanes_at(document, state_number)
    marks: Mapping[str, Document] = document["frames"][str(state_number)]["marks"]
    table = [_LaneRow(lane, marks.get(name), document["view"]["columns"]) for name, lane in lanes.items()]
    columns = [column for column in ("role", "epoch", "isr", "ctl") if any(row.texts[column] for row in table)]
    while columns and max(map(len, _align_rows(table, columns))) > page.text_format.width:
        columns.pop()
    head, *rows = _align_rows(table, columns)
    page.exact(head, style="dim")
    for row, text in zip(table, rows, strict=True):
        style = "dim" if not row.lane["up"] else "bold" if row.marks is not None else ""
        for part in _wrap_row(text, page.text_format.width):
            page.exact(part, style=style)


def _wrap_row(text: str, width: int) -> list[str]:
    """A row that is too wide goes on in the next line, further in."""
    if len(text) <= width:
        return [text]
    cut = text.rfind(_GAP, 0, width)
    cut = width if cut < width // 2 else cut
    return [text[:cut], *(" " * 6 + rest for rest in _wrap_row(text[cut:].strip(), width - 6))]


def _align_rows(table: Sequence[_LaneRow], columns: Sequence[str]) -> list[str]:
    """The head and the rows, their columns in line."""
    headings = {"role": "role", "epoch": "epoch", "isr": "isr", "ctl": "controller's"}
    widths = {name: max(len(headings[name]), *(len(row.texts[name]) for row in table)) for name in columns}
    names = max(len(row.lane["id"]) for row in table)
    cell = max((len(text) for row in table for text in row.cells), default=3)
    count = max((len(row.cells) for row in table), default=0)
    offsets = " " + " ".join(str(offset).ljust(cell) for offset in range(count)) if count else ""
    begin = " " * (3 + names + 3)
    head = begin + "".join(headings[name].ljust(widths[name] + 2) for name in columns) + offsets
    rows: list[str] = []
    for row in table:
        left = f"   {row.lane['id'].ljust(names)} {'*' if row.marks is not None else ' '} "
        left += "".join(row.texts[name].ljust(widths[name] + 2) for name in columns)
        rows.append((left + row.log_text(cell, count) + _GAP + row.notes_text()).rstrip())
    return [head.rstrip(), *rows]


class _LaneRow:
    """One lane in one state."""

    def __init__(self, lane: Document, marks: Document | None, columns: int) -> None:
        self.lane, self.marks = lane, marks
        isr = lane["isr"]
        inside = lane["in_isr"]
        self.texts: dict[str, str] = {
            "role": lane["role_text"],
            "epoch": "" if lane["epoch"] is None else str(lane["epoch"]),
            "isr": " ".join(isr) if isr is not None else _isr_text(inside["leader"]),
            "ctl": _isr_text(inside["controller"]),
        }
        added = set[int]() if marks is None else {*marks["added"], *(entry["offset"] for entry in marks["replaced"])}
        removed: list[Document] = [] if marks is None else marks["removed"]
        self.cells = [("{%s}" if cell["offset"] in added else "[%s]") % cell["text"] for cell in lane["cells"]]
        self.cells += [f"({document['text']})" for document in removed]
        self.gone = bool(removed)

    def log_text(self, width: int, count: int) -> str:
        """The cells, each after a place for the high watermark, and the end."""
        if self.lane["log_end"] is None:
            return " ".join(self.lane["chips"]).ljust((count + 1) * (width + 1) if count else 0)
        text = ""
        for offset in range(count + 1):
            text += "|" if self.lane["high_watermark"] == offset else " "
            end = ">" if offset == self.lane["log_end"] and not self.gone else ""
            text += (self.cells[offset] if offset < len(self.cells) else end).ljust(width)
        return text.rstrip().ljust((count + 1) * (width + 1))

    def notes_text(self) -> str:
        """What is beside the log, in words: what it was in the state before, where that differs."""
        named = {"end": "log_end", "high watermark": "high_watermark", "stable to": "last_stable_offset"}
        parts = [f"{name} {self._changed_text(key)}" for name, key in named.items() if self.lane[key] is not None]
        parts += [
            f"{name} {self._changed_text(name, value)}"
            for name, value in self.lane["badges"].items()
            if value != "none"
        ]
        parts += [
            f"{span['text']} {span['start']}..{'' if span['open'] else span['end']}" for span in self.lane["spans"]
        ]
        return _GAP.join(parts)

    def _changed_text(self, key: str, value: Any = None) -> str:
        now = self.lane[key] if value is None else value
        changed: Document = {} if self.marks is None else self.marks["changed"]
        return f"{changed[key]} -> {now}" if changed.get(key) is not None else str(now)


def _isr_text(is_inside: bool | None) -> str:
    return "" if is_inside is None else "in" if is_inside else "out"
