"""An audit's `index.html`: what is kept and what is lost at a glance, then for each group of topics its scenarios, the
setting that decides, the repair, and the scenario with and without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...traces.sentences import capitalize_first
from ..document import Document
from ..index import commands_html, escape_html, index_page, scrollable_table_html, sentence_html
from ..text_page import count_text
from .repair import step_lines
from .table import LIMITS, has_answers, is_rare_race, state_titles
from .terminal import (
    MARK_MEANINGS,
    MAX_NAMES,
    audit_verdict_line,
    deciding_inputs,
    group_alike_subjects,
    group_names,
    origin_text,
    setting_source_text,
    subject_mark,
)

PROMISE_TEXTS: Mapping[str, str] = {
    "no-loss": "acknowledged records are kept",
    "no-unread": "records that were read are kept",
    "no-divergence": "logs agree",
    "no-stale-reads": "followers serve consumers correctly",
    "writable": "writes go on",
    "readable": "reads go on",
    "no-duplicates": "no record is written twice",
    "in-order": "records stay in order",
    "groups": "consumer groups go on",
    "no-skips": "consumers skip no record",
}
"""What is kept where a question is answered without a loss: the name of a row."""

_FAILURE_VERBS: Mapping[str, str] = {
    "no-loss": "lost",
    "no-unread": "gone",
    "no-divergence": "differ",
    "no-stale-reads": "wrong",
    "writable": "stop",
    "readable": "stop",
    "no-duplicates": "twice",
    "in-order": "reordered",
    "groups": "stuck",
    "no-skips": "skipped",
}
_VERDICT_LOOKS = {
    "can lose": ("bad", "✗"),
    "depends": ("open", "?"),
    "not checked": ("open", "-"),
    "no loss found": ("good", "✓"),
}
_VERDICT_ORDER = ("can lose", "depends", "not checked", "no loss found")
_MARK_LOOK = {"✗": "bad", "?": "open", "•": "open", "✓": "good"}


def audit_index(document: Document) -> str:
    """The page. Its scenarios are those of `document["subjects"][...]["scenarios"]`, by paths relative to it."""
    return index_page(f"Audit: {audit_verdict_line(document)}", "\n".join(_audit_index_lines(document)))


def _audit_index_lines(document: Document) -> Iterator[str]:
    verdict, summary = audit_verdict_line(document), document["summary"]
    yield f'<h1 class="{_MARK_LOOK.get(verdict[0], "")}">{escape_html(verdict)}</h1>'
    yield f'<p class="muted">{escape_html(_cluster_text(document))}</p>'
    for says, certain in dict.fromkeys((one["says"], one["certain"]) for one in summary["now"]):
        yield f'<p class="{"bad" if certain else "open"}">now: {escape_html(says)}</p>'
    for one in summary["not_covered"]:
        yield f'<p class="open">not covered: {sentence_html(one["what"])}; {sentence_html(one["to_do"])}</p>'
    if document["out_of_time"]:
        yield f'<p class="open">{escape_html(document["out_of_time"])}.</p>'
    groups = [alike for group in group_alike_subjects(document["subjects"]) for alike in split_group_by_table(group)]
    if not summary["stops_all"]:
        if summary["everywhere"]:
            yield f'<p class="bad">everywhere: {escape_html(summary["everywhere"])}</p>'
        yield _overview_html(groups, summary["rows"])
        if summary["assumable"]:
            yield f'<p class="open">{sentence_html(summary["assumable"])}:</p>'
            yield f"<pre>{escape_html(summary['assumable_toml'])}</pre>"
        yield from _passing_lines(summary)
    yield from (f'<p class="open">Assumed: {sentence_html(assumed)}.</p>' for assumed in document["assumptions"])
    if asks := deciding_inputs(document["subjects"]):
        yield f"<section><h2>To decide what is open, give</h2><ul>{_list_items(asks)}</ul></section>"
    if groups:
        yield f"<details><summary>How to read the tables</summary>{_legend_html(document)}</details>"
    for number, group in enumerate(groups, 1):
        yield from _group_section(group, document, number)
    yield from _findings_section(document["findings"])
    yield (
        f"<section><h2>What this rests on</h2><ul>{_list_items(document['notes'])}"
        f"</ul>{_file_links(document)}</section>"
    )


def _cluster_text(document: Document) -> str:
    """Of which cluster, when, and by what: `orders-eu, Kafka 3.9.1, 2026-11-28, tidegate 0.1.0; required: standard`."""
    release = document["versions"]["kafka"]
    kafka = f"Kafka {release}" if release != "not stated" else "Kafka's version is not stated"
    said = [text for text in (document["cluster"], kafka, document["date"], document["tool"]) if text]
    return f"{', '.join(said)}; required: {document['required']}"


def _passing_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """How many topics pass, and what they can lose all the same."""
    if summary["passing"] and summary["rows"]:
        passes = "1 topic passes." if summary["passing"] == 1 else f"{count_text(summary['passing'], 'topic')} pass."
        yield f"<p>{passes}</p>"
    yield from (f'<p class="muted">{escape_html(says)}.</p>' for says in summary["beyond"])


def _list_items(lines: Sequence[str]) -> str:
    return "".join(f"<li>{escape_html(line)}</li>" for line in lines)


def _legend_html(document: Document) -> str:
    words = [
        ("good", "✓", f"nothing is lost, {LIMITS}"),
        ("bad", "✗", "it can fail; a link leads to how, step by step"),
        ("open", "?", "depends on something not given"),
        ("open", "-", "not decided"),
    ]
    if any(subject_mark(subject) == "•" for subject in document["subjects"]):
        words.append(("open", "•", MARK_MEANINGS["•"]))
    marks = "".join(
        f'<li><span class="chip {look}">{mark}</span> {escape_html(says)}</li>' for look, mark, says in words
    )
    return f'<ul class="legend" aria-label="Legend">{marks}</ul>'


def _file_links(document: Document) -> str:
    read = _list_items([f"{one['path']} ({one['format']})" for one in document["files"]])
    return f"<details><summary>{count_text(len(document['files']), 'file')} read</summary><ul>{read}</ul></details>"


def split_group_by_table(group: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """A group of topics of which the same is said, apart where their tables differ: a table holds for all whose names
    stand over it."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for subject in group:
        found.setdefault(repr((subject["table"], subject["least_isr"])), []).append(subject)
    return list(found.values())


def _overview_html(groups: Sequence[Sequence[Mapping[str, Any]]], rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows of the summary: which topics, what can go wrong, what decides it, what to change, and what an operator
    watches. It is read in ten seconds, and each row leads to its topics."""
    numbers = {subject["name"]: number for number, group in enumerate(groups, 1) for subject in group}
    body = "".join(_overview_row(row, numbers[row["subjects"][0]]) for row in rows)
    titles = "".join(f'<th scope="col">{name}</th>' for name in _OVERVIEW_TITLES)
    head = f"<thead><tr>{titles}</tr></thead>"
    return f'<div class="overview">{scrollable_table_html(head, body, is_stacked=True)}</div>' if rows else ""


_OVERVIEW_TITLES = ("topics", "what can go wrong", "decided by", "change", "what shows it beforehand")


def _overview_row(row: Mapping[str, Any], number: int) -> str:
    mark = "✗" if row["result"] == "failed" else "?"
    chip = f'<span class="chip {_MARK_LOOK[mark]}">{mark}</span>'
    decided = "<br>".join(f"<code>{_breakable_html(one)}</code>" for one in row["decided"])
    shown_by = "<br>".join(map(_breakable_html, row["shown_by"]))
    texts = ("<br>".join(map(escape_html, failure_texts(row))), decided, _breakable_html(row["change"]), shown_by)
    cells = "".join(
        f'<td class="{"loose" if said else "none"}" data-says="{title}">{said}</td>'
        for title, said in zip(_OVERVIEW_TITLES[1:], texts, strict=True)
    )
    names = row["topics"]
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    name = f'<a href="#group-{number}">{escape_html(", ".join(names[:MAX_NAMES]) + more)}</a>'
    return f'<tr><th scope="row">{chip} {name}</th>{cells}</tr>'


def _breakable_html(text: str) -> str:
    """A text in whose settings a line may end behind a dot, `=` or a comma, and in a metric's name before a capital: a
    table with such a column has room."""
    return _ENDS_OF_PARTS.sub("<wbr>", escape_html(text))


_ENDS_OF_PARTS = re.compile(r"(?<=[.=,])(?=\w)|(?<=[a-z])(?=[A-Z])")


def failure_texts(row: Mapping[str, Any]) -> Iterator[str]:
    """What happens to records, and to writes, as far as that is bad or not known."""
    if row["records_word"] in ("failed", "open"):
        yield capitalize_first(row["records"])
    if row["writes_word"] in _WRITES_TEXTS:
        yield _WRITES_TEXTS[row["writes_word"]].format(row["writes"])


_WRITES_TEXTS = {"failed": "Writes {}", "silent": "Writes: {}", "open": "Whether writes go on is {}"}


def _group_section(group: Sequence[Mapping[str, Any]], document: Document, number: int) -> Iterator[str]:
    first = group[0]
    mark = subject_mark(first)
    heading = f'<h2><span class="chip {_MARK_LOOK[mark]}">{mark}</span> {escape_html(group_names(group))}</h2>'
    yield f'<section><details class="group" id="group-{number}"><summary>{heading}</summary>'
    yield (
        f'<p class="muted">{escape_html(MARK_MEANINGS[mark])}</p><p '
        f'class="lead">{escape_html(capitalize_first(first["headline"]))}.</p>'
    )
    yield from (f"<p>If {escape_html(case['if'])}: {escape_html(case['says'])}.</p>" for case in first["conditional"])
    if first["accepted"]:
        yield f"<p>{escape_html(first['accepted'])}</p>"
    yield _deciding_setting_text(first)
    if has_answers(first):
        yield _summary_table(first, document)
    yield from _unmet_items(first)
    if first["loss"] or first["repair"]:
        yield from _scenario_and_repair(first)
    elif first["no_repair"]:
        yield f"<p>{sentence_html(first['no_repair'])}</p>"
    if has_answers(first):
        yield from _question_tables(first, document)
    yield from _settings_section(first)
    for other in group[1:]:
        yield from _alike_group_section(other)
        yield from _settings_section(other)
    yield "</details></section>"


_RESULT_WORDS: Mapping[str, tuple[str, str, str]] = {
    "failed": ("fails", "fail", "bad"),
    "depends": ("depends on something not given", "depend on something not given", "open"),
    "not checked": ("was not decided", "were not decided", "open"),
}
"""What is said of one requirement that is not met, of several, and how that looks."""


def _unmet_items(subject: Mapping[str, Any]) -> Iterator[str]:
    """Each requirement that is not met in words, with the name that --require and a baseline take."""
    for result, (one, several, look) in _RESULT_WORDS.items():
        checks = [check for check in subject["checks"] if check["result"] == result]
        if checks:
            rows = "".join(f"<li>{_unmet_text(check)}</li>" for check in checks)
            says = f"{count_text(len(checks), 'requirement')} {one if len(checks) == 1 else several}"
            yield f'<details><summary class="{look}">{says}</summary><ul>{rows}</ul></details>'


def _unmet_text(check: Mapping[str, Any]) -> str:
    on = f"; it depends on {', '.join(check['on'])}" if check["on"] else ""
    why = f"; {check['why']}" if check["result"] == "not checked" and check["why"] else ""
    said = f"{PROMISE_TEXTS[check['question']]}: {check['says']}{on}{why}"
    return f"{escape_html(said)} <code>{escape_html(check['require'])}</code>"


def _heading_html(subject: Mapping[str, Any], document: Document, first: str) -> str:
    titles = "".join(f'<th scope="col">{escape_html(title)}</th>' for title in state_titles(subject, document))
    return f'<thead><tr><th scope="col">{first}</th>{titles}</tr></thead>'


def _summary_table(subject: Mapping[str, Any], document: Document) -> str:
    """A row for each thing that is kept, over all faults: understood in ten seconds."""
    rows: list[str] = []
    pages = _pages_by_cell(subject)
    for question in document["questions"]:
        name = question["name"]
        cells = subject["table"][name]
        row = "".join(_summary_cell(cells, name, one["name"], pages, document) for one in document["situations"])
        rows.append(f'<tr><th scope="row">{escape_html(PROMISE_TEXTS[name])}</th>{row}</tr>')
    caption = '<caption class="muted">In each state of the partition, over all faults:</caption>'
    return scrollable_table_html(f"{caption}{_heading_html(subject, document, 'what is kept')}", "".join(rows))


def _pages_by_cell(subject: Mapping[str, Any]) -> dict[str, str]:
    """The page of each cell that has a scenario."""
    return {cell: one["html"] for one in subject["scenarios"] for cell in one["cells"]}


def _summary_cell(
    cells: Mapping[str, Any], question: str, situation: str, pages: Mapping[str, str], document: Document
) -> str:
    """What comes of all faults; it leads to the scenario of the first that fails."""
    words = [cells[f"{fault['name']}@{situation}"]["word"] for fault in document["faults"]]
    word = next(word for word in _VERDICT_ORDER if word in words)
    look, mark = _VERDICT_LOOKS[word]
    number, of = words.count(word), len(words)
    said = {
        "can lose": f"{_FAILURE_VERBS[question]} under {number} of {of} faults",
        "depends": f"{number} of {of} {'depends' if number == 1 else 'depend'}",
        "not checked": f"{number} of {of} not decided",
        "no loss found": "under every fault",
    }[word]
    failed = [cell for fault in document["faults"] if (cell := cells[f"{fault['name']}@{situation}"])["word"] == word]
    if all(map(is_rare_race, failed)):
        look, said = "open", f"a rare race, {failed[0]['race']}"
    failing = (f"{question}={fault['name']}@{situation}" for fault in document["faults"])
    page = next((pages[cell] for cell in failing if cell in pages), None) if word == "can lose" else None
    shown = f"{mark} {escape_html(said)}"
    linked = shown if page is None else f'<a href="{escape_html(page)}">{shown}</a>'
    return f'<td class="{look}">{linked}</td>'


def _question_tables(subject: Mapping[str, Any], document: Document) -> Iterator[str]:
    """Of each thing that is kept its faults one by one; a table of each opens by itself."""
    required = {check["question"] for check in subject["checks"]}
    pages = _pages_by_cell(subject)
    yield "<details><summary>Fault by fault</summary>"
    for question in document["questions"]:
        name = question["name"]
        cells = subject["table"][name]
        rows = "".join(_fault_row_html(fault, cells, name, pages, document) for fault in document["faults"])
        mark = _VERDICT_LOOKS[
            next(word for word in _VERDICT_ORDER if any(cell["word"] == word for cell in cells.values()))
        ]
        note = "required" if name in required else "not required"
        yield (
            f'<details><summary><span class="chip {mark[0]}">{mark[1]}</span> '
            f'{escape_html(PROMISE_TEXTS[name])} <span class="muted">({note})</span></summary>'
            f"{scrollable_table_html(_heading_html(subject, document, 'fault'), rows)}</details>"
        )
    yield "</details>"


def _fault_row_html(
    fault: Mapping[str, Any], cells: Mapping[str, Any], question: str, pages: Mapping[str, str], document: Document
) -> str:
    made = "".join(
        _cell_html(f"{fault['name']}@{one['name']}", cells, question, pages) for one in document["situations"]
    )
    return f'<tr><th scope="row" title="{escape_html(fault["says"])}">{escape_html(fault["title"])}</th>{made}</tr>'


def _cell_html(name: str, cells: Mapping[str, Any], question: str, pages: Mapping[str, str]) -> str:
    cell = cells[name]
    look, mark = _VERDICT_LOOKS[cell["word"]]
    said = {"can lose": _FAILURE_VERBS[question], "no loss found": "kept" if question.startswith("no-") else "yes"}
    why = f"on {', '.join(cell['on'])}" if cell["on"] else cell["why"]
    words = f"{mark} {said.get(cell['word'], cell['word'])}"
    found = pages.get(f"{question}={name}")
    if found is None or cell["word"] != "can lose":
        return f'<td class="{look}" title="{escape_html(why)}">{escape_html(words)}</td>'
    return f'<td class="{look}"><a href="{escape_html(found)}" title="{escape_html(why)}">{escape_html(words)}</a></td>'


def _deciding_setting_text(subject: Mapping[str, Any]) -> str:
    """The setting that decides, where it is stated, and what the repair makes of it."""
    rows = "".join(
        f"<li><code>{escape_html(one['says'])}</code> "
        + f'<span class="place">{escape_html(setting_source_text(one))}</span>'
        + (f" → with the repair <code>{escape_html(one['becomes'])}</code>" if one["becomes"] else "")
        + "</li>"
        for one in subject["deciding"]
    )
    return f'<div class="decides"><h3>What decides</h3><ul>{rows}</ul></div>' if rows else ""


def _scenario_and_repair(subject: Mapping[str, Any]) -> Iterator[str]:
    """The scenario, the same with the repair beside it, then what to do."""
    page = subject["loss"]["html"] if subject["loss"] else None
    mended = next((one for one in subject["scenarios"] if one["repaired"] and one["html"] == page), None)
    mended = mended or next((one for one in subject["scenarios"] if one["repaired"]), None)
    yield '<div class="beside">'
    yield from _loss_section(subject)
    if mended is not None and mended["html"] == page:
        yield from repaired_scenario_html(mended["repaired"])
    yield from _repair_section(subject)
    yield "</div>"
    if mended is not None and mended["html"] != page:
        yield from repaired_scenario_html(mended["repaired"])


_OMISSION_TEXTS: Mapping[bool, str] = {
    False: "Of the scenario this cannot happen any more:",
    True: "Of the scenario this is left out, since with the repair it is more than this cell of the table looks at; it "
    "may still happen:",
}
"""What is said of the steps that the repair leaves out, by whether they are only beyond the faults of the cell."""


def repaired_scenario_html(scenario: Mapping[str, Any]) -> Iterator[str]:
    """The same scenario with the repair: what happens then, and what cannot happen any more."""
    yield f"<div><h3>The same with the repair</h3><ol>{_list_items(scenario['scenario'])}</ol>"
    yield f'<p class="kept">{escape_html(scenario["end"])}</p>'
    for beyond, says in _OMISSION_TEXTS.items():
        rows = "".join(
            f'<li value="{one["step"]}" title="{escape_html(one["why"])}">{escape_html(one["says"])}</li>'
            for one in scenario["left_out"]
            if one["beyond"] is beyond
        )
        if rows:
            yield f'<p class="muted">{says}</p><ol class="{"" if beyond else "gone"}">{rows}</ol>'
    yield f'<a class="button" href="{escape_html(scenario["html"])}">Before and after, side by side</a></div>'


def _loss_section(subject: Mapping[str, Any]) -> Iterator[str]:
    loss = subject["loss"]
    if loss is None:
        return
    supposed = f", if {loss['supposed']}" if loss["supposed"] else ""
    title = f"{subject['name']}: {loss['title'][:1].lower()}{loss['title'][1:]} ({loss['says']}{supposed})"
    yield f"<div><h3>{escape_html(title)}</h3>"
    yield f"<ol>{_list_items(loss['scenario'][:-1])}</ol>"
    yield f'<p class="end">{escape_html(loss["scenario"][-1])}</p>'
    if loss["source"]:
        yield f'<p class="muted">{escape_html(loss["source"])}</p>'
    if loss["html"]:
        yield f'<a class="button" href="{escape_html(loss["html"])}">See it step by step</a>'
    yield "</div>"


def _repair_section(subject: Mapping[str, Any]) -> Iterator[str]:
    repair = subject["repair"]
    if repair is None:
        if subject["no_repair"]:
            yield f"<div><h3>Repair</h3><p>{sentence_html(subject['no_repair'])}</p></div>"
        return
    yield f"<div><h3>{escape_html(repair['headline'])}</h3><ol>"
    for step in repair["steps"]:
        lines = list(step_lines(step))
        yield f"<li>{escape_html(step['says'])}{commands_html(chr(10).join(lines)) if lines else ''}</li>"
    yield f"</ol>{''.join(f'<p>{sentence_html(note)}</p>' for note in repair['notes'])}</div>"


def _settings_section(subject: Mapping[str, Any]) -> Iterator[str]:
    if not subject["settings"]:
        return
    rows = "".join(
        f'<tr><th scope="row">{escape_html(used["key"])}</th><td class="loose">{escape_html(used["value"])}</td>'
        f'<td class="loose">{escape_html(setting_source_text(used))}</td></tr>'
        for used in subject["settings"]
    )
    head = '<thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">where</th></tr></thead>'
    title = f"Settings that the answers for {escape_html(subject['name'])} rest on"
    yield f"<details><summary>{title}</summary>{scrollable_table_html(head, rows)}</details>"


def _alike_group_section(subject: Mapping[str, Any]) -> Iterator[str]:
    """Another group of topics of which the same is said: its own scenario and repair."""
    pages = [(one["html"], one["cells"][0]) for one in subject["scenarios"]]
    if pages:
        made = "".join(f'<li><a href="{escape_html(page)}">{escape_html(cell)}</a></li>' for page, cell in pages)
        yield f"<details><summary>{escape_html(subject['name'])}: its own scenarios</summary><ul>{made}</ul></details>"
    if subject["repair"]:
        lines = "\n".join(line for step in subject["repair"]["steps"] for line in step_lines(step))
        yield f"<details><summary>{escape_html(subject['name'])}: its repair</summary>{commands_html(lines)}</details>"


def _findings_section(findings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not findings:
        return
    ordered = sorted(findings, key=lambda one: ("error", "warning", "note").index(one["severity"]))
    rows = "".join(f"<li>{_finding_html(one)}</li>" for one in ordered)
    title = f"<h2>{count_text(len(findings), 'finding')} about the files</h2>"
    yield f'<section><details class="group"><summary>{title}</summary><ul>{rows}</ul></details></section>'


def _finding_html(one: Mapping[str, Any]) -> str:
    """A finding, which leads to a run to what it says, where a model has one."""
    said = sentence_html(f"{one['severity']}: {origin_text(one['where'])}: {one['what']}; {one['to_do']}")
    return said if one["html"] is None else f'{said} (<a href="{escape_html(one["html"])}">how, step by step</a>)'
