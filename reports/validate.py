"""What `validate` found, in the terminal: each partition, its moments with the steps between them, and where no run
goes on."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from .paper import Page, Paper, count

_SIGNS = {"shown": "✓", "not_shown": "✗", "undecided": "?", "not_checked": "?"}
_STYLES = {"shown": "bold green", "not_shown": "bold red", "undecided": "bold yellow", "not_checked": "bold yellow"}
_WORDS = {"leader": "leader", "leader_epoch": "epoch", "isr": "ISR", "elr": "ELR", "fenced": "fenced"}
MOST_NAMES, MOST_INSTEAD = 3, 3


def validate_text(document: Mapping[str, Any], paper: Paper, *, steps: bool) -> str:
    """All of it. `steps`: of each partition that a run shows, the run as well."""
    page = Page(paper)
    partitions: Sequence[Mapping[str, Any]] = document["partitions"]
    page.line(_headline(partitions), style="bold")
    page.line(f"Kafka {document['kafka']}, metadata log: {', '.join(document['files'])}")
    for note in document["notes"]:
        page.line(f"note: {note}")
    for note in dict.fromkeys(note for partition in partitions for note in partition["assumed"]):
        page.line(f"assumed: {note}")
    for partition in partitions:
        page.blank()
        _partition(page, partition, steps)
    return page.text()


def _headline(partitions: Sequence[Mapping[str, Any]]) -> str:
    """How many partitions there are of each result."""
    numbers = {result: sum(len(one["alike"]) for one in partitions if one["result"] == result) for result in _SIGNS}
    words = {
        "shown": "did what the model does",
        "not_shown": "did what no run of the model does",
        "undecided": "undecided",
        "not_checked": "not checked",
    }
    said = [f"{count(number, 'partition')} {words[result]}" for result, number in numbers.items() if number]
    return ", ".join(said) + "."


def _partition(page: Page, partition: Mapping[str, Any], steps: bool) -> None:
    names, result = partition["alike"], partition["result"]
    more = f" and {count(len(names) - 1)} more" if len(names) > 1 else ""
    page.line(f"{_SIGNS[result]} {partition['name']}{more}: {_said(partition)}", style=_STYLES[result])
    if len(names) > 1:
        rest = ", ".join(names[1 : MOST_NAMES + 1]) + (", ..." if len(names) > MOST_NAMES + 1 else "")
        page.line(f"the same happened in {rest}", indent=2)
    if partition["why"]:
        page.line(partition["why"], indent=2)
    if not partition["from_creation"]:
        page.line("the log begins after its creation: what brokers had then is taken to be equal", indent=2)
    if result == "shown" and steps:
        _run(page, partition)
    elif result == "not_shown":
        _stuck(page, partition)


def _said(partition: Mapping[str, Any]) -> str:
    moments = len(partition["moments"])
    number = count(moments, "moment")
    match partition["result"]:
        case "shown":
            taken = sum(len(leg["steps"]) for leg in partition["legs"])
            return f"a run of the model shows all of it, {number} in {count(taken, 'step')}"
        case "not_shown":
            return f"no run of the model shows moment {partition['seen'] + 2} of {moments}"
        case "undecided":
            return f"undecided, {number}"
        case _:
            return "not checked"


def _run(page: Page, partition: Mapping[str, Any]) -> None:
    moments = partition["moments"]
    page.line(_moment(moments[0]), indent=2, hang=4)
    for leg in partition["legs"]:
        for step in leg["steps"]:
            page.line(step["says"] + ("  (fault)" if step["kind"] == "fault" else ""), indent=6)
        page.line(_moment(moments[leg["to"]]), indent=2, hang=4)


def _stuck(page: Page, partition: Mapping[str, Any]) -> None:
    """The last moment that a run shows, the next one, and what the model does in its place."""
    moments, seen = partition["moments"], partition["seen"]
    after = moments[min(seen + 1, len(moments) - 1)]
    page.columns([("last shown", _moment(moments[max(seen, 0)])), ("then seen", _moment(after))])
    likest = partition["instead"][:MOST_INSTEAD]
    if not likest:
        page.line("From there the model does nothing that is seen.", indent=2)
        return
    page.line("In its place the model may come to:", indent=2)
    for other in likest:
        different = [_WORDS[name] for name in _WORDS if other[name] != after[name]]
        page.line(f"{_shown(other)}: another {', '.join(different)}", indent=4)
    if more := len(partition["instead"]) - len(likest):
        page.line(f"and {more} more, with --json", indent=4)


def _moment(moment: Mapping[str, Any]) -> str:
    when = datetime.datetime.fromtimestamp(moment["time_ms"] / 1000, datetime.UTC)
    return f"{when:%Y-%m-%d %H:%M:%S}.{when.microsecond // 1000:03d}, offset {moment['offset']}: {_shown(moment)}"


def _shown(moment: Mapping[str, Any]) -> str:
    """`leader 1, epoch 2, ISR 1 2`."""
    parts = [f"leader {'none' if moment['leader'] is None else moment['leader']}", f"epoch {moment['leader_epoch']}"]
    for name in ("isr", "elr", "fenced"):
        if moment[name] or name == "isr":
            parts.append(f"{_WORDS[name]} {' '.join(map(str, moment[name])) or 'empty'}")
    return ", ".join(parts)
