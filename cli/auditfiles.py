"""The files that `audit --out DIR` writes: audit.json, summary.md, results.sarif, junit.xml, in scenarios/ pages of the
losses, in repairs/ every command of each repair.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..audit.auditing import Audited
from ..audit.document import Document, SubjectReport
from ..audit.own_fault import run_of
from ..audit.scenario import names, renamed
from ..language.verdict import PropertyVerdict
from ..reports.audit.junit import audit_junit
from ..reports.audit.markdown import audit_markdown
from ..reports.audit.repair import whole
from ..reports.audit.sarif import audit_sarif
from ..reports.files import write_json, write_text
from ..reports.trace.html import page
from ..traces.document import trace_document

FOLDER, REPAIRS = "scenarios", "repairs"
MOST = 40
"""Losses that get a page: the worst."""


def name_pages(document: Document) -> None:
    """Says in the document of each loss which file will be its page, so that what is printed is what is saved."""
    lost = [subject for subject in document["subjects"] if subject["loss"] is not None]
    for number, subject in enumerate(lost[:MOST], 1):
        subject["loss"]["html"] = f"{FOLDER}/{number:02d}-{_slug(subject)}.html"


def save(done: Audited, out: Path) -> int:
    """Writes the files, the pages as `name_pages` named them; how many there are. Raises OSError."""
    _clear(out)
    pages = _pages(done, out)
    _repairs(done.document, out)
    write_text(out / "summary.md", audit_markdown(done.document))
    write_json(out / "results.sarif", audit_sarif(done.document))
    write_text(out / "junit.xml", audit_junit(done.document))
    write_json(out / "audit.json", done.document)
    return pages


def _clear(out: Path) -> None:
    """Takes away what an earlier audit wrote about single groups of topics: a loss that is repaired has no page."""
    for pattern in (f"{FOLDER}/[0-9][0-9]*-*.html", f"{FOLDER}/[0-9][0-9]*-*.trace.json", f"{REPAIRS}/[0-9][0-9]*-*/*"):
        for old in out.glob(pattern):
            old.unlink()
    for folder in out.glob(f"{REPAIRS}/[0-9][0-9]*-*"):
        folder.rmdir()


def _pages(done: Audited, out: Path) -> int:
    written = 0
    for subject, report in zip(done.document["subjects"], done.reports, strict=True):
        if subject["loss"] is None or subject["loss"]["html"] is None:
            continue
        (out / FOLDER).mkdir(exist_ok=True)
        written += 1
        name = Path(subject["loss"]["html"]).with_suffix("")
        trace, shown = traces_of(done, report, subject)
        write_json(out / f"{name}.trace.json", trace)
        write_text(out / f"{name}.html", page([shown], beside=f"{name.name}.trace.json"))
    return written


def _repairs(document: Document, out: Path) -> None:
    repaired = [subject for subject in document["subjects"] if subject["repair"] is not None]
    for number, subject in enumerate(repaired, 1):
        folder = out / REPAIRS / f"{number:02d}-{_slug(subject)}"
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / "steps.txt", whole(subject["name"], subject["repair"]))
        for step in subject["repair"]["steps"]:
            if step["file"] is not None:
                write_json(folder / step["file"]["name"], step["file"]["document"])


def _slug(subject: Document) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", subject["topics"][0])[:80].strip("-.")


def traces_of(done: Audited, report: SubjectReport, subject: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The trace of a loss, replayed: as `replay` takes it, and with the brokers' names in the user's cluster."""
    assert report.loss is not None, "who asks for a page of a loss has one"
    answer = report.loss[-1]
    model, run = run_of(done.explorations, answer)
    broken = next(prop for prop in model.properties if prop.name == answer.property)
    about = PropertyVerdict(broken.name, broken.kind, broken.says, "violated", run)
    trace = trace_document(model, about, engine="native")
    trace["title"] = f"{subject['name']}: {subject['headline']}"
    called = names(report.verdict.subject, answer.steps)
    who = ", ".join(f"{letter} is {name}" for letter, name in sorted(called.items()))
    shown = renamed(trace, called)
    for step, says in zip(shown["steps"], subject["loss"]["scenario"], strict=False):
        step["sentence"] = says
    return trace | {"notes": [*trace["notes"], f"Here {who}."]}, shown
