"""The files that `gate --out DIR` writes: index.html, which leads to the rest, report.json, junit.xml, results.sarif,
summary.md, and in counterexamples/ the trace and the page of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..reports.document import Document
from ..reports.files import write_json, write_text, write_trace
from ..reports.gate.html import gate_index
from ..reports.gate.junit import gate_junit
from ..reports.gate.sarif import gate_sarif
from ..reports.gate.summary import gate_summary
from ..reports.trace.html import trace_html

FOLDER = "counterexamples"


def save_gate(document: Document, folder: Path | None, junit_file: Path | None) -> None:
    """Writes the files and takes the traces out of the document: saved ones are named in it by their paths, relative
    to it; of the others those stay that nobody expects. Raises OSError."""
    try:
        if folder is not None:
            _save_traces(document, folder)
        if junit_file is not None:
            write_text(junit_file, gate_junit(document))
        if folder is not None:
            write_text(folder / "junit.xml", gate_junit(document))
            write_json(folder / "results.sarif", gate_sarif(document))
            write_text(folder / "summary.md", gate_summary(document))
            write_text(folder / "index.html", gate_index(document))
    finally:
        for claim in _claims_of_document(document):
            if claim["trace"] is not None or claim["recorded"]:
                claim["document"] = None
    if folder is not None:
        write_json(folder / "report.json", document)


def _claims_of_document(document: Document) -> Iterator[Document]:
    for check in document["checks"]:
        yield from check["claims"]


def _save_traces(document: Document, folder: Path) -> None:
    """The trace and the page of every counterexample, those that are expected too."""
    taken: set[str] = set()
    for check in document["checks"]:
        for claim in check["claims"]:
            if claim["document"] is None:
                continue
            (folder / FOLDER).mkdir(exist_ok=True)
            name = f"{FOLDER}/{_free_name(_claim_slug(check['name'], claim['name']), taken)}"
            trace = claim["document"]
            write_trace(folder / f"{name}.trace.json", trace)
            write_text(folder / f"{name}.html", trace_html([trace], whole_file=f"{Path(name).name}.trace.json"))
            claim["trace"], claim["html"] = f"{name}.trace.json", f"{name}.html"


def _claim_slug(check: str, claim: str) -> str:
    """A file's name from a check's and a claim's: `replication-kip101-medium.strong_isr`."""
    words = re.sub(r"[^A-Za-z0-9_=.]+", "-", check.removesuffix(f", {claim} violated")).strip("-.")
    return f"{words[-120:].lstrip('-.')}.{claim}"


def _free_name(name: str, taken_names: set[str]) -> str:
    """The name, numbered when it is taken."""
    number, free = 1, name
    while free in taken_names:
        number += 1
        free = f"{name}-{number}"
    taken_names.add(free)
    return free
