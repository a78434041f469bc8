"""What `validate` found, in the terminal: each partition, its moments with the steps between them, and where no run
goes on."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .index import escape_html, index_page, scrollable_table_html
from .text_page import TextFormat, TextPage, count_text

_RESULTS = {
    "shown": "did what the model does",
    "not_shown": "did what no run of the model does",
    "undecided": "undecided",
    "not_checked": "not checked",
}
_LOOKS = {"shown": "good", "not_shown": "bad", "undecided": "open", "not_checked": "open"}
_SIGNS = {"good": "✓", "bad": "✗", "open": "?"}
_STYLES = {"good": "bold green", "bad": "bold red", "open": "bold yellow"}
_WORDS = {
    "leader": "leader",
    "leader_epoch": "epoch",
    "isr": "ISR",
    "elr": "ELR",
    "fenced": "fenced",
    "assignment": "assignment",
}
MOST_NAMES, MOST_INSTEAD = 3, 3


def validate_text(document: Mapping[str, Any], text_format: TextFormat, *, steps: bool) -> str:
    """All of it. `steps`: of each partition that a run shows, the run as well."""
    page = TextPage(text_format)
    partitions: Sequence[Mapping[str, Any]] = document["partitions"]
    page.line(_headline(partitions), style="bold")
    what = "logs of brokers with ZooKeeper" if document["zookeeper"] else "metadata log"
    page.line(f"Kafka {document['kafka']}, {what}: {', '.join(document['files'])}")
    if document["broker_files"]:
        page.line(f"of brokers: {count_text(len(document['broker_files']), 'file')}")
    for note in document["notes"]:
        page.line(f"note: {note}")
    for note in dict.fromkeys(note for partition in partitions for note in partition["assumed"]):
        page.line(f"assumed: {note}")
    for partition in partitions:
        page.blank()
        _write_partition(page, partition, steps)
    return page.text()


def _headline(partitions: Sequence[Mapping[str, Any]]) -> str:
    """How many partitions there are of each result."""
    numbers = {result: sum(len(one["alike"]) for one in partitions if one["result"] == result) for result in _RESULTS}
    said = [f"{count_text(number, 'partition')} {_RESULTS[result]}" for result, number in numbers.items() if number]
    lost = sorted({loss["name"] for partition in partitions for loss in partition["losses"]})
    if lost:
        said.append(f"{count_text(len(lost), 'partition')} lost committed records")
    doubtful = {loss["name"] for partition in partitions for loss in partition["possible_losses"]} - set(lost)
    if doubtful:
        said.append(f"{count_text(len(doubtful), 'partition')} may have lost committed records")
    return ", ".join(said) + "."


def _partition_look(partition: Mapping[str, Any]) -> str:
    """How a partition looks: a loss is bad, whatever shows it, and what may be one is open."""
    if partition["losses"]:
        return "bad"
    look = _LOOKS[partition["result"]]
    return "open" if partition["possible_losses"] and look == "good" else look


def _write_partition(page: TextPage, partition: Mapping[str, Any], steps: bool) -> None:
    names, result = partition["alike"], partition["result"]
    more = f" and {count_text(len(names) - 1)} more" if len(names) > 1 else ""
    look = _partition_look(partition)
    page.line(f"{_SIGNS[look]} {partition['name']}{more}: {_partition_text(partition)}", style=_STYLES[look])
    if len(names) > 1:
        rest = ", ".join(names[1 : MOST_NAMES + 1]) + (", ..." if len(names) > MOST_NAMES + 1 else "")
        page.line(f"the same happened in {rest}", indent=2)
    if partition["why"]:
        page.line(partition["why"], indent=2)
    for loss, style in _losses_with_look(partition):
        page.line(_loss_text(loss, style), indent=2, hang=4, style=_STYLES[style])
        page.line(f"committed: {loss['committed']}", indent=4, hang=6)
        page.line(f"lost: {loss['lost']}", indent=4, hang=6)
    if not partition["from_creation"]:
        page.line("the log begins after its creation: what brokers had then is taken to be equal", indent=2)
    if result == "shown" and steps:
        _write_run(page, partition)
    elif result == "not_shown":
        if steps:
            _write_run(page, partition)
        _write_end_of_run(page, partition)
    if partition["html"]:
        page.line(f"step by step: {partition['html']}", indent=2)


def _partition_text(partition: Mapping[str, Any]) -> str:
    moments = len(partition["moments"])
    number = count_text(moments, "moment")
    match partition["result"]:
        case "shown":
            taken = sum(len(leg["steps"]) for leg in partition["legs"])
            return f"a run of the model shows all of it, {number} in {count_text(taken, 'step')}"
        case "not_shown":
            return f"no run of the model shows moment {partition['seen'] + 2} of {moments}"
        case "undecided":
            return f"undecided, {number}"
        case _:
            return "not checked"


def _losses_with_look(partition: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """Its losses, and what may be one, each with how it looks."""
    return [(loss, "bad") for loss in partition["losses"]] + [(loss, "open") for loss in partition["possible_losses"]]


def _loss_text(loss: Mapping[str, Any], look: str) -> str:
    first, last = loss["first"], loss["end"] - 1
    records = f"record {first} was" if first == last else f"records {first} to {last} were"
    doubt = "" if look == "bad" else "in doubt, since these lines may be of another topic or epoch: "
    return (
        f"{loss['name']}: {doubt}{records} below the high watermark of broker {loss['broker']}, "
        f"and the leader of epoch {loss['epoch']} starts without"
    )


def _write_run(page: TextPage, partition: Mapping[str, Any]) -> None:
    moments = partition["moments"]
    page.line(_moment_text(moments[0]), indent=2, hang=4)
    for leg in partition["legs"]:
        for step in leg["steps"]:
            page.line(step["says"] + ("  (fault)" if step["kind"] == "fault" else ""), indent=6)
        page.line(_moment_text(moments[leg["to"]]), indent=2, hang=4)


def _write_end_of_run(page: TextPage, partition: Mapping[str, Any]) -> None:
    """The last moment that a run shows, the next one, and what the model does in its place."""
    moments, seen = partition["moments"], partition["seen"]
    after = moments[min(seen + 1, len(moments) - 1)]
    if seen < 0:
        page.columns([("first seen", _moment_text(after))])
        page.line("No run of the model begins so: a controller has no such partition on record.", indent=2)
        return
    page.columns([("last shown", _moment_text(moments[seen])), ("then seen", _moment_text(after))])
    likest = partition["instead"][:MOST_INSTEAD]
    if not likest:
        page.line("From there the model does nothing that is seen.", indent=2)
        return
    page.line("In its place the model may come to:", indent=2)
    for other in likest:
        page.line(f"{_moment_state_text(other)}: {_difference_text(other, after)}", indent=4, hang=6)
    if more := len(partition["instead"]) - len(likest):
        page.line(f"and {more} more, with --json", indent=4)


def _difference_text(other: Mapping[str, Any], state_after: Mapping[str, Any]) -> str:
    """What differs where the model comes to something else. Where nothing that is seen does, the step is not the one of
    which the log speaks."""
    if different := [_WORDS[name] for name in _WORDS if other[name] != state_after[name]]:
        return f"another {', '.join(different)}"
    if state_after["lost"]:
        return "the same, but no leader learns there that it leads without records that were committed"
    return (
        "the same, but by another step than the log says: other brokers restart or are shut down, another is elected "
        "than the first that may be, an ELR is cleared or is not, or a broker is fenced again"
    )


def _moment_text(moment: Mapping[str, Any]) -> str:
    lost = "; the leader lacks records that were committed" if moment["lost"] else ""
    return f"{_time_text(moment)}, offset {moment['offset']}: {_moment_state_text(moment)}{lost}"


def _time_text(moment: Mapping[str, Any]) -> str:
    when = datetime.datetime.fromtimestamp(moment["time_ms"] / 1000, datetime.UTC)
    return f"{when:%Y-%m-%d %H:%M:%S}.{when.microsecond // 1000:03d}"


def _moment_state_text(moment: Mapping[str, Any]) -> str:
    """`leader 1, epoch 2, ISR 1 2`."""
    parts = [f"leader {'none' if moment['leader'] is None else moment['leader']}", f"epoch {moment['leader_epoch']}"]
    for name in ("isr", "elr", "fenced"):
        if moment[name] or name == "isr":
            parts.append(f"{_WORDS[name]} {_brokers_text(moment[name]) or 'empty'}")
    assignment = moment["assignment"]
    if assignment is not None:
        parts.append(f"replicas {_brokers_text(assignment['replicas'])}")
        parts += [f"{name} {_brokers_text(assignment[name])}" for name in ("adding", "removing") if assignment[name]]
    return ", ".join(parts)


def _brokers_text(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


# --- pages ------------------------------------------------------------------------------------------------------------


def moments_section(partition: Mapping[str, Any], seen_steps: Sequence[Mapping[int, int]]) -> str:
    """What the controller had on record, moment by moment, with the step of the run after which it is seen, as a
    section of the page of the run. `seen_steps` has the moments of each part of the run, by the steps after which they
    are seen."""
    after = {moment: (part, step) for part, steps in enumerate(seen_steps, 1) for step, moment in steps.items()}
    rows = "\n".join(
        _moment_row(moment, _step_place_text(number, after, partition, len(seen_steps)), number > partition["seen"])
        for number, moment in enumerate(partition["moments"])
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("after step", "when", "on record"))
    title = '<h2 id="brokers-title">What the controller had on record</h2>'
    said = f"<p>{escape_html(partition['name'])}: {escape_html(_partition_text(partition))}.</p>"
    said += "".join(
        f'<p class="otherwise">{escape_html(_loss_text(loss, look))}.</p>'
        for loss, look in _losses_with_look(partition)
    )
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
    return f'<section id="brokers" aria-labelledby="brokers-title">{title}\n{said}\n{table}\n</section>'


def _step_place_text(
    number: int, moments_by_step: Mapping[int, tuple[int, int]], partition: Mapping[str, Any], parts: int
) -> str:
    if number in moments_by_step:
        part, step = moments_by_step[number]
        return f"{step}, part {part}" if parts > 1 else str(step)
    return "within a step" if number <= partition["seen"] else "no run of the model shows it"


def _moment_row(moment: Mapping[str, Any], place: str, is_missed: bool) -> str:
    broken = ' class="otherwise"' if is_missed or moment["lost"] else ""
    lost = "<br>the leader lacks records that were committed" if moment["lost"] else ""
    return (
        f'<tr><th scope="row">{escape_html(place)}</th><td{broken}>{escape_html(_time_text(moment))}, offset '
        f"{moment['offset']}</td>"
        f"<td{broken}>{escape_html(_moment_state_text(moment))}{lost}</td></tr>"
    )


def validate_index(document: Mapping[str, Any]) -> str:
    """The page that leads to the histories: those first that no run shows."""
    partitions: Sequence[Mapping[str, Any]] = document["partitions"]
    looks = set(map(_partition_look, partitions))
    title = _headline(partitions)
    look = next(look for look in ("bad", "open", "good") if look in looks)
    return index_page(title, "\n".join(_index_lines(document, title, look)))


def _index_lines(document: Mapping[str, Any], title: str, look: str) -> Iterator[str]:
    partitions: Sequence[Mapping[str, Any]] = document["partitions"]
    yield f'<h1 class="{look}">{escape_html(title)}</h1>'
    files = escape_html(", ".join(document["files"]))
    yield f'<p class="lead">Kafka {escape_html(document["kafka"])}, metadata log: {files}</p>'
    notes = dict.fromkeys(note for partition in partitions for note in partition["assumed"])
    yield from (f'<p class="muted">{escape_html(note)}</p>' for note in (*document["notes"], *notes))
    rows = "".join(
        map(_index_row, sorted(partitions, key=lambda one: ("bad", "open", "good").index(_partition_look(one))))
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("result", "partition", "found", "step by step"))
    yield scrollable_table_html(f"<thead><tr>{head}</tr></thead>", rows)


def _next_seen_text(partition: Mapping[str, Any]) -> str:
    """What was seen where no run goes on."""
    if partition["result"] != "not_shown":
        return ""
    after = partition["moments"][min(partition["seen"] + 1, len(partition["moments"]) - 1)]
    return f": {_moment_text(after)}"


def _index_row(partition: Mapping[str, Any]) -> str:
    names, result = partition["alike"], partition["result"]
    more = f" and {count_text(len(names) - 1)} more" if len(names) > 1 else ""
    link = (
        f'<a href="{escape_html(partition["html"])}">{escape_html(partition["name"])}</a>' if partition["html"] else ""
    )
    lost = "".join(f" {_loss_text(loss, look)}." for loss, look in _losses_with_look(partition))
    found = f"{_partition_text(partition)}{_next_seen_text(partition)}. {partition['why'] or ''}{lost}"
    return (
        f'<tr><td class="{_partition_look(partition)}">{_SIGNS[_partition_look(partition)]} '
        f"{escape_html(result.replace('_', ' '))}</td>"
        f'<th scope="row">{escape_html(names[0] + more)}</th><td class="loose">{escape_html(found)}</td>'
        f"<td>{link}</td></tr>"
    )
