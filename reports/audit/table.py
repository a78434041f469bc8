"""The table of an audit: a row a fault, a column a state of the partition, in words for whoever runs the cluster."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

KEEPS, LOSES, UNREADS, UNKNOWN, UNDECIDED = "keeps", "LOSES", "UNREADS", "?", "-"

LIMITS = "in any run of one partition with one or two records and the named fault alone"
"""Within which limits nothing was found, in a clause."""

_WORD_MEANINGS = {
    KEEPS: f"no acknowledged record is lost, {LIMITS}",
    LOSES: "one can be lost",
    UNREADS: "what consumers have read can be gone",
    "stops": "writes stop while it lasts",
    "offline": "reads too",
    "hidden": "what is acknowledged cannot be read",
    UNKNOWN: "it depends on something not given",
    UNDECIDED: "not decided",
}


def legend_text(words: Collection[str]) -> str:
    """What these words of a table mean, and what a cell is about."""
    said = [f"{word}: {means}" for word, means in _WORD_MEANINGS.items() if word in words]
    if "offline" in words and "stops" not in words:
        said = [text.replace("reads too", "writes and reads stop while it lasts") for text in said]
    service = " (after a comma: whether writes and reads go on)" if {*words} & _SERVICE_WORDS else ""
    return f"{'; '.join(said)}{service}."


_SERVICE_WORDS = frozenset({"stops", "offline", "hidden"})
LEGEND = legend_text([*_WORD_MEANINGS])
"""The legend with every word."""

WIDTHS = (33, 15)
"""Columns: the fault, and each state, at least."""

_LOSSES = ("no-loss", "no-unread")
_SERVICE = ("writable", "readable")
_TABLE_QUESTIONS = (*_LOSSES, *_SERVICE)
_MAX_CELLS = 4
"""Of the cells in which something else goes wrong so many are named."""


def is_decided(subject: Mapping[str, Any]) -> bool:
    """Whether a table says anything: where brokers do not start, nothing is decided in any cell."""
    cells = (cell for question in _LOSSES for cell in subject["table"][question].values())
    return any(cell["word"] != "not checked" for cell in cells)


def table_heading(subject: Mapping[str, Any], document: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns' titles; the smallest ISR that is written to with its number, where it is known."""
    least = subject["least_isr"]
    titles = [one["title"] for one in document["situations"]]
    return ("", *(f"{title} ({least})" if "min.isr" in title and least else title for title in titles))


def table_rows(subject: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The table, without its heading."""
    table = subject["table"]
    for fault in document["faults"]:
        names = [f"{fault['name']}@{situation['name']}" for situation in document["situations"]]
        yield (fault["title"], *(cell_text(table, name) for name in names))


def align_columns(lines: Iterable[Sequence[str]]) -> Iterator[str]:
    """The table's lines on a terminal. A column that has more to say than fits is wider: cells never touch."""
    every = list(lines)
    first, rest = WIDTHS
    widths = [
        max([least, *(len(cell) + 1 for cell in column)])
        for least, column in zip(
            itertools.chain([first], itertools.repeat(rest)), zip(*every, strict=True), strict=False
        )
    ]
    for line in every:
        yield "".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()


def cell_text(table: Mapping[str, Any], cell: str) -> str:
    """What happens in a cell: `keeps, stops`."""
    lost, unread = (table[question][cell]["word"] for question in _LOSSES)
    if lost == "can lose" or unread == "can lose":
        said = LOSES if lost == "can lose" else UNREADS
    elif "depends" in (lost, unread):
        said = UNKNOWN
    else:
        said = UNDECIDED if "not checked" in (lost, unread) else KEEPS
    return f"{said}{_service_text(table, cell)}"


def _service_text(table: Mapping[str, Any], cell: str) -> str:
    writes, reads = (table[question][cell]["word"] for question in _SERVICE)
    if reads == "can lose" and writes == "can lose":
        return ", offline"
    open_ = {"depends": f" {UNKNOWN}", "not checked": f" {UNDECIDED}"}
    if writes == "can lose":
        return f", stops{open_.get(reads, '')}"
    if reads == "can lose":
        return f", hidden{open_.get(writes, '')}"
    if "depends" in (writes, reads):
        return f", {UNKNOWN}"
    return f", {UNDECIDED}" if "not checked" in (writes, reads) else ""


def other_question_lines(subject: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[str]:
    """What else goes wrong, or depends on something: a line a question, with the cells that it is about."""
    required = {check["question"] for check in subject["checks"]}
    for question in document["questions"]:
        if question["name"] not in _TABLE_QUESTIONS:
            note = "" if question["name"] in required else " (not required)"
            cells: Mapping[str, Any] = subject["table"][question["name"]]
            races = [name for name, cell in cells.items() if is_rare_race(cell)]
            if races:
                why = cells[races[0]]["why"].lstrip(": ")
                yield f"{question['title']}{note}: a rare race, {_cells_text(races, len(cells))}: {why}"
            for word, says in (("can lose", ""), ("depends", "depends on {}: ")):
                names = [name for name, cell in cells.items() if cell["word"] == word and name not in races]
                if names:
                    on = dict.fromkeys(fact for name in names for fact in cells[name]["on"])
                    yield f"{question['title']}{note}: {says.format(', '.join(on))}{_cells_text(names, len(cells))}"


def is_rare_race(cell: Mapping[str, Any]) -> bool:
    """Whether what goes wrong takes a race and no fault of a broker: nothing has to be mended at once."""
    return cell["word"] == "can lose" and RARE_RACE in cell.get("why", "")


RARE_RACE = "KAFKA-15591"
"""The race of a new producer's first batch, by which an idempotent producer writes twice, or out of order."""


def open_cell_lines(subject: Mapping[str, Any]) -> Iterator[str]:
    """On what the cells with `?` depend, with what decides them; and why those with `-` were not decided."""
    depends: dict[tuple[str, ...], dict[str, None]] = {}
    undecided: dict[str, dict[str, None]] = {}
    for question in _TABLE_QUESTIONS:
        for name, cell in subject["table"][question].items():
            if cell["word"] == "depends":
                depends.setdefault(tuple(cell["on"]), {})[name] = None
            elif cell["word"] == "not checked":
                undecided.setdefault(cell["why"], {})[name] = None
    every = len(subject["table"]["no-loss"])
    for on, names in depends.items():
        asks = [ask for fact in on if (ask := subject["not_given"].get(fact))]
        give = f"; to decide it, give {'; '.join(asks)}" if asks else ""
        yield f"{UNKNOWN} depends on {', '.join(on)} ({_cells_text(list(names), every)}){give}"
    for why, names in undecided.items():
        yield f"{UNDECIDED} {why} ({_cells_text(list(names), every)})"


def _cells_text(names: Sequence[str], every: int) -> str:
    if len(names) == every:
        return "in every cell"
    shown = ", ".join(names[:_MAX_CELLS])
    return shown if len(names) <= _MAX_CELLS else f"{shown} and {len(names) - _MAX_CELLS} more"
