"""An audit's document on a terminal: the headline, what is out of service, each group of topics, the worst in full."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..document import Document
from ..text_page import TextFormat, TextPage, count_text
from .repair import step_lines
from .table import LEGEND, align_columns, legend_text, open_cell_lines, other_question_lines, table_heading, table_rows

MARK_MEANINGS = {
    "✗": "fails what is required",
    "?": "depends on something not given, or was not decided",
    "•": "meets it, and can lose records in a cell that is not required of it",
    "✓": "meets it, and no loss was found",
}
MARKS = "; ".join(f"{mark} {means}" for mark, means in MARK_MEANINGS.items())
_STYLES = {"error": "red", "warning": "yellow"}
MAX_LISTED = 12
"""Groups of topics, outages and findings that are listed, unless all are asked for."""

MAX_NAMES = 6
"""Names of groups of which the same is said."""

MAX_CELLS = 3
"""Cells of a requirement that are named in a line, unless all are asked for."""

NEW_TOPICS = "(new topics)"
"""The name of the group of topics that are not there yet."""

MAX_IN_FULL = 4
"""Groups that differ in what is said of them, as many as are shown in full; of more, all but the first in short."""

MAX_CASES = 4
"""Cases of an answer that depends on something, unless all are asked for."""


def audit_page(document: Document, text_format: TextFormat, *, every: bool = False) -> TextPage:
    """The whole page. `every`: each group of topics in full, and each finding."""
    page = TextPage(text_format)
    subjects: list[Mapping[str, Any]] = document["subjects"]
    page.line(audit_verdict_line(document), style="red bold" if document["exit"] == 1 else "bold")
    page.blank()
    _write_outages(page, document["outages"], every=every)
    for assumption in document["assumptions"]:
        page.line(f"Assumed: {assumption}.", style="yellow")
    if document["out_of_time"]:
        page.line(f"Note: {document['out_of_time']}.", style="yellow")
    if every:
        page.line(MARKS, style="dim")
    else:
        _write_legend_of_marks(page, subjects)
    _write_subject_list(page, subjects, every=every)
    in_full = subjects if every else [subject for subject in subjects[:1] if subject["loss"] or subject["failed"]]
    if in_full:
        _write_legend(page, document, in_full, every=every)
    for subject in in_full:
        _write_subject(page, subject, document)
    for note in document["notes"] if in_full else ():
        page.line(note, style="dim")
    _write_findings(page, document["findings"], every=every)
    if document["diff"] is not None:
        _write_difference(page, document["diff"])
    return page


def _write_outages(page: TextPage, found: Sequence[Mapping[str, Any]], *, every: bool) -> None:
    """What is out of service at the moment: an operator's first question."""
    shown = found if every else found[:MAX_LISTED]
    for outage in shown:
        page.line(f"now: {outage['says']}", hang=4, style="red bold" if outage["certain"] else "yellow")
    if len(shown) < len(found):
        page.line(f"and {count_text(len(found) - len(shown), 'outage')} more; --all shows them")
    if found:
        page.blank()


def _write_subject_list(page: TextPage, subjects: Sequence[Mapping[str, Any]], *, every: bool) -> None:
    """A paragraph for all groups of topics of which the same is said; where there are many, the first in full and of
    the others what goes wrong."""
    groups = group_alike_subjects(subjects)
    short = not every and len(groups) > MAX_IN_FULL
    for group in groups if every else groups[: 1 if short else MAX_LISTED]:
        first = group[0]
        page.line(f"{mark_of(first)} {group_names(group)}: {first['headline']}", hang=4, style=_style(first))
        _write_cases(page, first, every=every)
        _write_unmet(page, first, every=every)
    if short:
        groups = [
            *groups[:1],
            *group_alike_subjects([subject for group in groups[1:] for subject in group], short=True),
        ]
        for group in groups[1:MAX_LISTED]:
            _write_group_in_short(page, group, {subject["producer"] for subject in subjects if not subject["internal"]})
    left = sum(len(group) for group in groups[MAX_LISTED:])
    if left and not every:
        page.line(f"and {count_text(left, 'group')} of topics more; --all shows them")
    if any(subject["name"].startswith(NEW_TOPICS) for subject in subjects):
        page.line(f"{NEW_TOPICS}: topics that are created with the brokers' defaults.", style="dim")
    asks = deciding_inputs(subjects)
    if asks:
        page.line(f"To decide what depends, give: {'; '.join(asks)}.")


def _write_group_in_short(page: TextPage, group: Sequence[Mapping[str, Any]], producers: Collection[str]) -> None:
    """What goes wrong with groups of topics; their producer is named where there are several."""
    first, names = group[0], group_names(group)
    if len(producers) == 1:
        names = names.replace(f" (producer {next(iter(producers))})", "")
    page.line(f"{mark_of(first)} {names}: {first['short']}", hang=4, style=_style(first))
    said = _short_unmet_lines(first)
    if first["accepted"] or said:
        page.line("; ".join(filter(None, [first["accepted"], *said])), indent=4, hang=2)
    _write_present_groups(page, first)


def _short_unmet_lines(subject: Mapping[str, Any]) -> list[str]:
    """What is not met, without what the short headline says already."""
    said = [line.partition(": ")[0] for line in unmet_lines(subject, MAX_CELLS)]
    return [line for line in said if subject["short"] != subject["headline"] or " depends on " not in line]


def group_alike_subjects(
    subjects: Sequence[Mapping[str, Any]], *, short: bool = False
) -> list[list[Mapping[str, Any]]]:
    """Groups of topics of which the same is said, together: in their order, each where the first of them is."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for subject in subjects:
        said = (
            mark_of(subject),
            subject["short" if short else "headline"],
            () if short else subject["conditional"],
            subject["accepted"],
            _short_unmet_lines(subject) if short else list(unmet_lines(subject)),
            subject["now"],
        )
        found.setdefault(repr(said), []).append(subject)
    return list(found.values())


def group_names(group: Sequence[Mapping[str, Any]]) -> str:
    """The names of groups of topics of which the same is said."""
    names = [subject["name"] for subject in group]
    return ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")


def _write_cases(page: TextPage, subject: Mapping[str, Any], *, every: bool) -> None:
    cases = subject["conditional"]
    for case in cases if every else cases[:MAX_CASES]:
        page.line(f"if {case['if']}: {case['says']}", indent=4, hang=4)
    if len(cases) > MAX_CASES and not every:
        page.line(f"and {count_text(len(cases) - MAX_CASES, 'case')} more; --all shows them", indent=4)


def deciding_inputs(subjects: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the user may give to decide what is required, each once; not what another of them begins with."""
    found = dict.fromkeys(ask for subject in subjects for ask in _deciding_inputs_of_subject(subject))
    return [ask for ask in found if not any(other.startswith(f"{ask},") for other in found)]


def _deciding_inputs_of_subject(subject: Mapping[str, Any]) -> list[str]:
    """What the user may give to decide the requirements that depend on something, and the heading."""
    names = [name for check in subject["checks"] if check["result"] == "depends" for name in check["on"]]
    return [ask for name in (*names, *subject["depends"]) if (ask := subject["not_given"].get(name, ""))]


def audit_verdict_line(document: Document) -> str:
    """What came of the requirements, in one line."""
    if not document["subjects"]:
        return f"? {document['unknown_release'] or document['headline']}"
    asked = document["required"]
    failed = sum(1 for subject in document["subjects"] if subject["failed"])
    unclear = sum(1 for subject in document["subjects"] if _is_open(subject) and not subject["failed"])
    of = f"of {count_text(len(document['subjects']), 'group')} of topics"
    what = document["unknown_release"] or _requirements_text(failed, unclear, of, asked)
    first = "; ".join(_outage_kinds(document["outages"]))
    if first:
        return f"✗ {first}; {what}"
    missing = next((finding["what"] for finding in document["findings"] if finding["kind"] == "incomplete"), "")
    if missing and not failed and not unclear:
        return f"? of what was read {what}, but something is not covered: {missing}"
    return f"{'✗' if failed else '?' if unclear else '✓'} {what}"


def _outage_kinds(outages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is out of service for certain, in a few words."""
    kinds = {str(outage["kind"]) for outage in outages if outage["certain"]}
    if "no controller" in kinds:
        yield "no majority of controllers answers"
    if "a controller is down" in kinds:
        yield "some controllers are down"
    if "is down" in kinds:
        yield "some brokers are down"
    if "does not start" in kinds:
        yield "some nodes do not start"
    if "no consumer" in kinds:
        yield "some consumers do not start or join their groups"
    if kinds - {"does not start", "no consumer", "no controller", "a controller is down", "is down"}:
        yield "some partitions refuse writes or reads now"


def _requirements_text(failed: int, unclear: int, of: str, asked: str) -> str:
    if failed:
        return f"{failed} {of} {'fails' if failed == 1 else 'fail'} what is required ({asked})"
    if unclear:
        return f"whether {unclear} {of} {'meets' if unclear == 1 else 'meet'} what is required ({asked}) is not known"
    return f"what is required ({asked}) holds within the bounds"


def _is_open(subject: Mapping[str, Any]) -> bool:
    return any(check["result"] in ("depends", "not checked") for check in subject["checks"])


def mark_of(subject: Mapping[str, Any]) -> str:
    """✗ where a requirement fails, ? where one is open, ✓ where all hold and nothing is lost in any cell; else •."""
    if subject["failed"]:
        return "✗"
    return "?" if _is_open(subject) else "•" if subject["loss"] else "✓"


def _style(subject: Mapping[str, Any]) -> str:
    return {"✗": "red", "?": "yellow"}.get(mark_of(subject), "")


def unmet_lines(subject: Mapping[str, Any], most: int | None = None) -> Iterator[str]:
    """What is not met, a line for all cells of which the same is said; with `most`, so many of them by name."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for check in subject["checks"]:
        question = check["question"]
        if check["result"] == "failed":
            key = ("fails", question, "")
        elif check["result"] == "depends":
            key = ("", question, f" depends on {', '.join(check['on'])}")
        elif check["result"] == "not checked":
            why = "" if check["why"] in subject["headline"] else f": {check['why']}"
            key = ("", question, f" was not decided{why}")
        else:
            continue
        alike.setdefault(key, []).append(check["cell"])
    for (verb, question, then), cells in alike.items():
        shown = cells if most is None or len(cells) <= most + 1 else cells[:most]
        more = f" and {len(cells) - len(shown)} more" if len(shown) < len(cells) else ""
        yield f"{verb} {question}={', '.join(shown)}{more}{then}".strip()


def _write_unmet(page: TextPage, subject: Mapping[str, Any], *, every: bool) -> None:
    if subject["accepted"]:
        page.line(subject["accepted"], indent=4)
    for note in dict.fromkeys(check["note"] for check in subject["checks"] if check["result"] != "accepted"):
        if note:
            page.line(note, indent=4)
    for says in unmet_lines(subject, None if every else MAX_CELLS):
        page.line(says, indent=4, hang=2)
    if subject["no_repair"]:
        page.line(subject["no_repair"], indent=4, hang=2, style="dim")
    _write_present_groups(page, subject)


def _write_present_groups(page: TextPage, subject: Mapping[str, Any]) -> None:
    if subject["now"]:
        for group in subject["now"]["groups"][:MAX_LISTED]:
            page.line(f"now: {group['headline']}", indent=4, style="yellow")
        left = len(subject["now"]["groups"]) - MAX_LISTED
        if left > 0:
            page.line(f"and {count_text(left, 'group')} of partitions more, which the JSON has", indent=4)


def _write_subject(page: TextPage, subject: Mapping[str, Any], document: Document) -> None:
    page.blank()
    page.line(f"{subject['name']}", style="bold")
    for line in align_columns((table_heading(subject, document), *table_rows(subject, document))):
        page.exact(f"  {line}")
    for says in (*open_cell_lines(subject), *other_question_lines(subject, document)):
        page.line(says, indent=2, hang=2)
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


def setting_source_text(used: Mapping[str, Any]) -> str:
    """Where a setting is stated, or whose default it is."""
    where = used["where"]
    if where is None:
        return f"default: {used['source']}" if used["source"] else ""
    stated = place_text(where)
    return f"{stated} ({used['source']})" if used["source"] else stated


def place_text(where: Mapping[str, Any]) -> str:
    """A file and its line; of what has no lines, such as a running cluster, the part of it that said so."""
    if where["line"] is not None:
        return f"{where['path']}:{where['line']}"
    return f"{where['path']} ({where['place']})" if where["place"] else where["path"]


def _write_legend_of_marks(page: TextPage, subjects: Sequence[Mapping[str, Any]]) -> None:
    """What the marks of the list mean, before it; what fails says so itself."""
    marks = {mark_of(subject) for subject in subjects} - {"✗"}
    if marks:
        page.line("; ".join(f"{mark} {means}" for mark, means in MARK_MEANINGS.items() if mark in marks), style="dim")


def _write_legend(page: TextPage, document: Document, in_full: Sequence[Mapping[str, Any]], *, every: bool) -> None:
    """What the words of the tables mean, before them."""
    page.blank()
    if every:
        page.line("Faults, and situations of a partition in which they happen", style="bold")
        named = (*document["faults"], *document["situations"])
        page.columns([(fault["name"], fault["says"]) for fault in named], indent=2)
        page.line(LEGEND, style="dim")
        return
    said = {
        word
        for subject in in_full
        for row in table_rows(subject, document)
        for cell in row[1:]
        for part in cell.split(", ")
        for word in part.split()
    }
    page.line(f"{legend_text(said)} --all says what each fault is.", style="dim")


def _write_findings(page: TextPage, findings: Sequence[Mapping[str, Any]], *, every: bool) -> None:
    if not findings:
        return
    page.blank()
    page.line(f"{count_text(len(findings), 'finding')} about the files", style="bold")
    ordered = sorted(findings, key=lambda finding: ("error", "warning", "note").index(finding["severity"]))
    for finding in ordered if every else ordered[:MAX_LISTED]:
        place = place_text(finding["where"])
        source = f" ({finding['source']})" if finding["source"] else ""
        kind = f"{finding['severity']}, {finding['kind'].replace('_', ' ')}"
        says = f"{kind}: {place}: {finding['what']}; {finding['to_do']}{source}"
        page.line(says, indent=2, hang=4, style=_STYLES.get(finding["severity"], ""))
    if not every and len(findings) > MAX_LISTED:
        page.line(f"and {count_text(len(findings) - MAX_LISTED, 'finding')} more; --all shows them", indent=2)


def _write_difference(page: TextPage, found: Mapping[str, Any]) -> None:
    page.blank()
    page.line("Compared with the older audit", style="bold")
    for kind, style in (("worse", "red"), ("better", "green")):
        for row in found[kind]:
            says = f"{kind}: {row['topic']}, {row['question']}={row['cell']}: {row['before']} → {row['after']}"
            page.line(says, indent=2, style=style)
    for kind in ("new", "gone"):
        for topic in found[kind]:
            page.line(f"{kind}: {topic}", indent=2)
    if not any(found.values()):
        page.line("nothing differs", indent=2)
