"""The table of an audit, in words for whoever runs the cluster: a row a fault, and of each state of the partition two
columns: whether records are kept, and whether writes and reads go on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

KEEPS, LOSES, UNREADS, UNKNOWN, UNDECIDED = "keeps", "LOSES", "UNREADS", "?", "-"
GO_ON, STOP, OFFLINE, HIDDEN = "go on", "stop", "offline", "hidden"
ANSWERS = ("records", "writes")
"""What is said of each state of the partition, a column each."""

LIMITS = "in any run of one partition with one or two records and the named fault alone"
"""Within which limits nothing was found, in a clause."""

_WORD_MEANINGS = {
    KEEPS: f"no acknowledged record is lost, {LIMITS}",
    LOSES: "one can be lost",
    UNREADS: "what consumers have read can be gone",
    GO_ON: "writes and reads go on",
    STOP: "writes stop while it lasts",
    OFFLINE: "writes and reads stop while it lasts",
    HIDDEN: "what is acknowledged cannot be read while it lasts",
    UNKNOWN: "it depends on something not given",
    UNDECIDED: "not decided",
}


def legend_text(words: Collection[str]) -> str:
    """What these words of a table mean."""
    return f"{'; '.join(f'{word}: {means}' for word, means in _WORD_MEANINGS.items() if word in words)}."


LEGEND = legend_text([*_WORD_MEANINGS])
"""The legend with every word."""

_LOSSES = ("no-loss", "no-unread")
_SERVICE = ("writable", "readable")
_TABLE_QUESTIONS = (*_LOSSES, *_SERVICE)
_MAX_CELLS = 4
"""Of the cells in which something else goes wrong so many are named."""


def has_answers(subject: Mapping[str, Any]) -> bool:
    """Whether a table says anything: where brokers do not start, nothing is decided in any cell."""
    cells = (cell for question in _LOSSES for cell in subject["table"][question].values())
    return any(cell["word"] != "not checked" for cell in cells)


def loses_nothing(subject: Mapping[str, Any]) -> bool:
    """Whether it was decided of every cell that it keeps records."""
    cells = (cell for question in _LOSSES for cell in subject["table"][question].values())
    return all(cell["word"] == "no loss found" for cell in cells)


def table_heading(subject: Mapping[str, Any], document: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns' titles: of each state, what is said of records, and of writes."""
    titles = state_titles(subject, document)
    return ("", *(f"{title}: {answer}" for title in titles for answer in ANSWERS))


def state_titles(subject: Mapping[str, Any], document: Mapping[str, Any]) -> list[str]:
    """The states of a partition; the smallest ISR that is written to with its number, where it is known."""
    least = subject["least_isr"]
    titles = [one["title"] for one in document["situations"]]
    return [f"{title} ({least})" if "min.isr" in title and least else title for title in titles]


def table_rows(subject: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The table, without its heading."""
    table = subject["table"]
    for fault in document["faults"]:
        names = [f"{fault['name']}@{situation['name']}" for situation in document["situations"]]
        yield (fault["title"], *(text for name in names for text in cell_texts(table, name)))


def align_columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The table's lines on a terminal, below a heading of two lines: cells never touch."""
    table = [("", *ANSWERS * len(titles)), *rows]
    first, *widths = (max(map(len, column)) + 2 for column in zip(*table, strict=True))
    for at, title in enumerate(titles):  # a title stands above the columns of its answers
        widths[2 * at + 1] = max(widths[2 * at + 1], len(title) + 2 - widths[2 * at])
    spans = [sum(widths[at : at + 2]) for at in range(0, len(widths), 2)]
    yield _aligned_line(("", *titles), (first, *spans))
    for row in table:
        yield _aligned_line(row, (first, *widths))


def _aligned_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def cell_texts(table: Mapping[str, Any], cell: str) -> tuple[str, str]:
    """What happens in a cell to records, and to writes: `keeps`, `stop`."""
    lost, unread = (table[question][cell]["word"] for question in _LOSSES)
    if lost == "can lose" or unread == "can lose":
        said = LOSES if lost == "can lose" else UNREADS
    elif "depends" in (lost, unread):
        said = UNKNOWN
    else:
        said = UNDECIDED if "not checked" in (lost, unread) else KEEPS
    return said, _service_text(table, cell)


def _service_text(table: Mapping[str, Any], cell: str) -> str:
    writes, reads = (table[question][cell]["word"] for question in _SERVICE)
    if writes == "can lose":
        return OFFLINE if reads == "can lose" else STOP
    if reads == "can lose":
        return HIDDEN
    if "depends" in (writes, reads):
        return UNKNOWN
    return UNDECIDED if "not checked" in (writes, reads) else GO_ON


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


def proved_lines(subject: Mapping[str, Any]) -> Iterator[str]:
    """In which cells it is proved that nothing is lost, so that no bounds stand behind it."""
    losses = [subject["table"][question] for question in _LOSSES]
    cells = [name for name in losses[0] if all(table[name]["proved"] for table in losses)]
    if cells:
        yield f"{KEEPS} is {PROVED} ({_cells_text(cells, len(losses[0]))}); elsewhere within bounds"


PROVED = "proved, whatever the length of the log and the number of elections"
"""What an answer says that rests on no bounds."""


def is_rare_race(cell: Mapping[str, Any]) -> bool:
    """Whether what goes wrong takes a race and no fault of a broker: nothing has to be mended at once."""
    return cell["word"] == "can lose" and bool(cell["race"])


def open_cell_lines(subject: Mapping[str, Any]) -> Iterator[str]:
    """On what the cells with `?` depend, with what decides them; and why those with `-` were not decided. Where writes
    stop, and it is open whether reads do, or the other way round, the cell shows what is known, and a line the rest."""
    depends: dict[tuple[str, tuple[str, ...]], dict[str, None]] = {}
    undecided: dict[tuple[str, str], dict[str, None]] = {}
    for question in _TABLE_QUESTIONS:
        for name, cell in subject["table"][question].items():
            rest = _unshown_rest(subject["table"], question, name)
            if cell["word"] == "depends":
                depends.setdefault((rest, tuple(cell["on"])), {})[name] = None
            elif cell["word"] == "not checked":
                undecided.setdefault((rest, cell["why"]), {})[name] = None
    every = len(subject["table"]["no-loss"])
    for (rest, on), names in depends.items():
        asks = [ask for fact in on if (ask := subject["not_given"].get(fact))]
        give = f"; to decide it, give {'; '.join(asks)}" if asks else ""
        yield f"{rest or UNKNOWN} depends on {', '.join(on)} ({_cells_text(list(names), every)}){give}"
    for (rest, why), names in undecided.items():
        mark = f"{rest} is not decided:" if rest else UNDECIDED
        yield f"{mark} {why} ({_cells_text(list(names), every)})"


_RESTS = {
    "readable": ("writable", "Whether reads stop with the writes"),
    "writable": ("readable", "Whether writes stop, too,"),
}


def _unshown_rest(table: Mapping[str, Any], question: str, name: str) -> str:
    """What a cell does not show of an answer since the other one is bad; "" where it shows it."""
    other, says = _RESTS.get(question, ("", ""))
    return says if other and table[other][name]["word"] == "can lose" else ""


def _cells_text(names: Sequence[str], every: int) -> str:
    if len(names) == every:
        return "in every cell"
    shown = ", ".join(names[:_MAX_CELLS])
    return shown if len(names) <= _MAX_CELLS else f"{shown} and {len(names) - _MAX_CELLS} more"
