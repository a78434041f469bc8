"""The gate's document for a person at a terminal: each check with what it found, the differences, the sum."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..document import Document
from ..text_page import TextFormat, TextPage, count_text, seconds_text
from ..verdicts import styles_by_word


def gate_page(document: Document, text_format: TextFormat, folder: Path | None = None) -> TextPage:
    """The page. `folder` is where the pages of counterexamples are, as the reader's own commands find it."""
    page = TextPage(text_format)
    width = max((len(entry["result"]) for entry in document["checks"]), default=0)
    for check in document["checks"]:
        _write_check(page, check, width, folder or Path())
    page.blank()
    page.line(gate_totals_text(document), style="green bold" if document["exit"] == 0 else "red bold")
    for why, names in skipped_by_reason(document).items():
        page.line(f"not run: {count_text(len(names), 'recorded check')}, {why}", hang=2)
    return page


def _write_check(page: TextPage, check: Mapping[str, Any], width: int, folder: Path) -> None:
    word = check["result"].ljust(width)
    style = {word: styles_by_word("gate")[check["result"]]}
    page.columns([(word, f"{check['name']}: {check_result_text(check)}")], indent=0, styles=style)
    for difference in check["differences"]:
        for line in difference.splitlines():
            page.line(line, indent=6)
    for line in run_condition_lines(check):
        page.line(line, indent=6, hang=2)
    for claim in check["claims"]:
        if claim["replay"] is not None and not claim["recorded"]:
            page.exact(f"      {claim['replay']}")
            if claim["html"] is not None:
                page.exact(f"      {folder / claim['html']}")


def run_condition_lines(check: Mapping[str, Any]) -> list[str]:
    """Of which runs the claims of a check hold that hold of some runs and not of all, a line for each kind of runs; and
    what leaves open those that are recorded as undecided. A claim that a recorded outcome cut short has none."""
    names: dict[str, list[str]] = {}
    for claim in check["claims"]:
        if claim.get("verdict") == "holds" and claim["why"]:
            names.setdefault(claim["why"], []).append(claim["name"])
    held = [f"{', '.join(its)} {'holds' if len(its) == 1 else 'hold'} {why}" for why, its in names.items()]
    open_ = [
        claim
        for claim in check["claims"]
        if claim.get("verdict") == "undecided" and claim["result"] == "ok" and claim["why"]
    ]
    return [*held, *(f"{claim['name']} is undecided, as recorded: {claim['why']}" for claim in open_)]


def check_result_text(check: Mapping[str, Any]) -> str:
    """`957 states, depth 15, 0.4 s`."""
    report: Mapping[str, Any] | None = check["report"]
    if report is None:
        return seconds_text(check["seconds"])
    counted = report["distinct_states"] is not None
    states = f"{count_text(report['distinct_states'], 'state')}, " if counted else ""
    return f"{states}depth {report['depth']}, {seconds_text(check['seconds'])}"


def gate_totals_text(document: Document) -> str:
    """`3 ok, 1 differs of 4 checks`."""
    numbers = ", ".join(f"{number} {word}" for word, number in document["numbers"].items()) or "nothing was done"
    text = f"{numbers} of {count_text(len(document['checks']), 'check')}"
    return f"interrupted: {text}" if document["interrupted"] else text


def skipped_by_reason(document: Document) -> Mapping[str, list[str]]:
    """The names of what was not run, by why, in words."""
    words = {
        "nightly": "of the nightly tier; --tier nightly runs them",
        "--only": "left out by --only",
        "interrupted": "because the gate was interrupted",
    }
    names: dict[str, list[str]] = {}
    for skipped in document["not_run"]:
        names.setdefault(words[skipped["why"]], []).append(skipped["name"])
    return names
