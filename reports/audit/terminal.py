"""An audit's document on a terminal, whole: what `--all` and `--topic` print. The first screen is `overview`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..document import Document
from ..text_page import TextFormat, TextPage, count_text
from .repair import step_lines
from .rows import write_assumption, write_row_paragraph
from .table import (
    LEGEND,
    align_columns,
    has_answers,
    loses_nothing,
    open_cell_lines,
    other_question_lines,
    proved_lines,
    state_titles,
    table_rows,
)

MARK_MEANINGS = {
    "✗": "fails what is required",
    "?": "depends on something not given, or was not decided",
    "•": "passes; by faults beyond what is required it can lose records, or that is not known",
    "✓": "passes; no fault of the table loses a record",
}
MARKS = "; ".join(f"{mark} {means}" for mark, means in MARK_MEANINGS.items())
_STYLES = {"error": "red", "warning": "yellow"}
MAX_NAMES = 6
"""Names of groups of which the same is said."""

NEW_TOPICS = "(new topics)"
"""The name of the group of topics that are not there yet."""


def audit_page(document: Document, text_format: TextFormat) -> TextPage:
    """The whole page: each group of topics in full, and each finding."""
    page = TextPage(text_format)
    subjects: list[Mapping[str, Any]] = document["subjects"]
    _write_head(page, document)
    page.line(MARKS, style="dim")
    _write_subject_list(page, subjects)
    if subjects:
        _write_legend(page, document)
    for subject in subjects:
        _write_subject(page, subject, document)
    for note in document["notes"] if subjects else ():
        page.line(note, style="dim")
    _write_findings(page, document["findings"])
    _write_skipped(page, document["unread"])
    if document["diff"] is not None:
        page.blank()
        page.line("Compared with the older audit", style="bold")
        _write_difference(page, document["diff"])
    return page


def topic_page(document: Document, topic: str, text_format: TextFormat) -> TextPage:
    """All that is said of the groups that a topic is in, one for each of its producers: first what can happen, what
    decides it and its repair."""
    page = TextPage(text_format)
    subjects = [subject for subject in document["subjects"] if topic in subject["topics"]]
    names = [subject["name"] for subject in subjects]
    for row in document["summary"]["rows"]:
        if any(name in names for name in row["subjects"]):
            write_row_paragraph(page, {**row, "topics": [topic]})
    for subject in subjects:
        if subject["repair"]:
            _write_repair(page, subject["repair"])
    write_assumption(page, document["summary"])
    page.blank()
    _write_subject_list(page, subjects)
    _write_legend(page, document)
    for subject in subjects:
        _write_subject(page, {**subject, "repair": None}, document)
    return page


def _write_head(page: TextPage, document: Document) -> None:
    """The headline, what is out of service, and what was taken for granted."""
    page.line(audit_verdict_line(document), style="red bold" if document["exit"] == 1 else "bold")
    page.blank()
    for outage in document["outages"]:
        page.line(f"now: {outage['says']}", hang=4, style="red bold" if outage["certain"] else "yellow")
    page.blank()
    for assumption in document["assumptions"]:
        page.line(f"Assumed: {assumption}.", style="yellow")
    if document["out_of_time"]:
        page.line(f"Note: {document['out_of_time']}.", style="yellow")
    write_assumption(page, document["summary"])


def _write_subject_list(page: TextPage, subjects: Sequence[Mapping[str, Any]]) -> None:
    """A paragraph for all groups of topics of which the same is said."""
    for group in group_alike_subjects(subjects):
        first = group[0]
        page.line(
            f"{subject_mark(first)} {group_names(group)}: {first['headline']}", hang=4, style=_subject_style(first)
        )
        for case in first["conditional"]:
            page.line(f"if {case['if']}: {case['says']}", indent=4, hang=4)
        _write_unmet(page, first)
    if any(subject["name"].startswith(NEW_TOPICS) for subject in subjects):
        page.line(f"{NEW_TOPICS}: topics that are created with the brokers' defaults.", style="dim")
    asks = deciding_inputs(subjects)
    if asks:
        page.line(f"To decide what depends, give: {'; '.join(asks)}.")


def group_alike_subjects(subjects: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Groups of topics of which the same is said, together: in their order, each where the first of them is."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for subject in subjects:
        said = (
            subject_mark(subject), subject["headline"], subject["conditional"], subject["accepted"],
            list(unmet_lines(subject)), subject["now"],
        )  # fmt: skip
        found.setdefault(repr(said), []).append(subject)
    return list(found.values())


def group_names(group: Sequence[Mapping[str, Any]]) -> str:
    """The names of groups of topics of which the same is said."""
    names = [subject["name"] for subject in group]
    return "; ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")


def deciding_inputs(subjects: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the user may give to decide what is required, each once; not what another of them begins with."""
    found = dict.fromkeys(ask for subject in subjects for ask in _deciding_inputs_of_subject(subject))
    return [ask for ask in found if not any(other.startswith(f"{ask},") for other in found)]


def _deciding_inputs_of_subject(subject: Mapping[str, Any]) -> list[str]:
    """What the user may give to decide the requirements that depend on something, and the heading."""
    names = [name for check in subject["checks"] if check["result"] == "depends" for name in check["on"]]
    return [ask for name in (*names, *subject["depends"]) if (ask := subject["not_given"].get(name, ""))]


def audit_verdict_line(document: Document) -> str:
    """What came of the audit, in one line: the summary's headline."""
    return f"{document['summary']['mark']} {document['summary']['headline']}"


def _is_undecided(subject: Mapping[str, Any]) -> bool:
    return any(check["result"] in ("depends", "not checked") for check in subject["checks"])


def subject_mark(subject: Mapping[str, Any]) -> str:
    """✗ where a requirement fails, ? where one is open or nothing is decided, ✓ where all hold and no cell of the
    table loses a record, whether that was required or not; else •."""
    if subject["failed"]:
        return "✗"
    if _is_undecided(subject) or not has_answers(subject):
        return "?"
    return "✓" if loses_nothing(subject) else "•"


def _subject_style(subject: Mapping[str, Any]) -> str:
    return {"✗": "red", "?": "yellow"}.get(subject_mark(subject), "")


def unmet_lines(subject: Mapping[str, Any]) -> Iterator[str]:
    """What is not met, a line for all cells of which the same is said."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for check in subject["checks"]:
        happens, _, when = check["text"].partition(" when ")
        if check["result"] == "failed":
            key = ("", happens, "")
        elif check["result"] == "depends":
            key = ("depends on ", f"{', '.join(check['on'])}: whether {happens}", "")
        elif check["result"] == "not checked":
            why = "" if check["why"] in subject["headline"] else f": {check['why']}"
            key = ("not decided: ", f"whether {happens}", why)
        else:
            continue
        alike.setdefault(key, []).append(when)
    for (begins, happens, then), whens in alike.items():
        yield f"{begins}{happens} when {'; when '.join(dict.fromkeys(whens))}{then}"


def _write_unmet(page: TextPage, subject: Mapping[str, Any]) -> None:
    if subject["accepted"]:
        page.line(subject["accepted"], indent=4)
    for note in dict.fromkeys(check["note"] for check in subject["checks"] if check["result"] != "accepted"):
        if note:
            page.line(note, indent=4)
    for says in unmet_lines(subject) if has_answers(subject) else ():
        page.line(says, indent=4, hang=2)
    if subject["no_repair"]:
        page.line(subject["no_repair"], indent=4, hang=2, style="dim")
    _write_present_groups(page, subject)


def _write_present_groups(page: TextPage, subject: Mapping[str, Any]) -> None:
    for group in subject["now"]["groups"] if subject["now"] else ():
        page.line(f"now: {group['headline']}", indent=4, style="yellow")


def _write_subject(page: TextPage, subject: Mapping[str, Any], document: Document) -> None:
    page.blank()
    page.line(f"{subject['name']}", style="bold")
    if has_answers(subject):
        for line in align_columns(state_titles(subject, document), [*table_rows(subject, document)]):
            page.exact(f"  {line}")
        for says in (*open_cell_lines(subject), *proved_lines(subject), *other_question_lines(subject, document)):
            page.line(says, indent=2, hang=2)
    else:
        page.line(f"{subject['headline']}.", indent=2)
    loss = subject["loss"]
    if loss:
        supposed = f", if {loss['supposed']}" if loss["supposed"] else ""
        page.blank()
        page.line(f"{loss['title']} ({loss['says']}{supposed}):", indent=2, style="bold")
        for number, says in enumerate(loss["scenario"][:-1], 1):
            page.line(f"{number}. {says}", indent=4, hang=3)
        page.line(loss["scenario"][-1], indent=4, style="red")
        if loss["source"]:
            page.line(loss["source"], indent=4, style="dim")
    if subject["repair"]:
        _write_repair(page, subject["repair"])
    _write_settings(page, subject)


def _write_repair(page: TextPage, repair: Mapping[str, Any]) -> None:
    page.blank()
    page.line(repair["headline"], indent=2, style="bold")
    for number, step in enumerate(repair["steps"], 1):
        page.line(f"{number}. {step['says']}", indent=4, hang=3)
        for line in step_lines(step):
            page.exact(f"         {line}")
    for says in repair["notes"]:
        page.line(says, indent=4)


def _write_settings(page: TextPage, subject: Mapping[str, Any]) -> None:
    if not subject["settings"]:
        return
    page.blank()
    page.line("It rests on:", indent=2)
    rows = [(used["key"], used["value"], setting_source_text(used)) for used in subject["settings"]]
    page.columns(rows, indent=4)


def setting_source_text(setting: Mapping[str, Any]) -> str:
    """Where a setting is stated, or whose default it is."""
    where = setting["where"]
    if where is None:
        return f"default: {setting['source']}" if setting["source"] else ""
    stated = origin_text(where)
    return f"{stated} ({setting['source']})" if setting["source"] else stated


def origin_text(where: Mapping[str, Any]) -> str:
    """A file and its line; of what has no lines, such as a running cluster, the part of it that said so."""
    if where["line"] is not None:
        return f"{where['path']}:{where['line']}"
    return f"{where['path']} ({where['place']})" if where["place"] else where["path"]


def _write_legend(page: TextPage, document: Document) -> None:
    """What the rows, columns and words of the tables mean, before them."""
    page.blank()
    page.line("Faults, and situations of a partition in which they happen", style="bold")
    named = (*document["faults"], *document["situations"])
    page.columns([(fault["name"], fault["says"]) for fault in named], indent=2)
    page.line(LEGEND, style="dim")


def _write_findings(page: TextPage, findings: Sequence[Mapping[str, Any]]) -> None:
    if not findings:
        return
    page.blank()
    page.line(f"{count_text(len(findings), 'finding')} about the files", style="bold")
    ordered = sorted(findings, key=lambda finding: ("error", "warning", "note").index(finding["severity"]))
    for finding in ordered:
        place = origin_text(finding["where"])
        source = f" ({finding['source']})" if finding["source"] else ""
        kind = f"{finding['severity']}, {finding['kind'].replace('_', ' ')}"
        says = f"{kind}: {place}: {finding['what']}; {finding['to_do']}{source}"
        page.line(says, indent=2, hang=4, style=_STYLES.get(finding["severity"], ""))


def _write_skipped(page: TextPage, unread: Sequence[Mapping[str, Any]]) -> None:
    """What was given and not read, each with its reason."""
    if not unread:
        return
    page.blank()
    page.line(f"{count_text(len(unread), 'skipped file')}, which no answer rests on", style="bold")
    for left in unread:
        style = "red" if left["may_be_configuration"] else ""
        page.line(f"{left['path']}: {left['reason']}", indent=2, hang=4, style=style)


def difference_page(audit_difference: Mapping[str, Any], text_format: TextFormat) -> TextPage:
    """What `--diff` prints: what was said before, what is said now, and what changed; whole as far as there is room,
    and the last of it cut."""
    headlines = [f"{when}: {said}" for when, said in zip(("before", "now"), audit_difference["headlines"], strict=True)]
    texts = [*headlines, *(audit_difference["says"] or ["nothing differs"])]
    paragraphs = [
        textwrap.wrap(text, text_format.width, subsequent_indent="    ", break_on_hyphens=False) for text in texts
    ]
    for at in reversed(range(len(texts))):
        if sum(map(len, paragraphs)) > MOST_LINES:
            paragraphs[at] = [cut_text(texts[at], text_format.width)]
    page = TextPage(text_format)
    for text, lines in zip(texts, paragraphs, strict=True):
        style = "bold" if text in headlines else _DIFFERENCE_STYLES.get(text.partition(":")[0], "")
        for line in lines:
            page.exact(line, style=style)
    return page


MOST_LINES = 30
"""So many lines a difference has at most."""
_DIFFERENCE_STYLES = {"worse": "red", "better": "green"}


def cut_text(text: str, most: int) -> str:
    """A text in one line, its end left out where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _write_difference(page: TextPage, audit_difference: Mapping[str, Any]) -> None:
    for says in audit_difference["says"] or ["nothing differs"]:
        page.exact(cut_text(says, page.text_format.width), style=_DIFFERENCE_STYLES.get(says.partition(":")[0], ""))
