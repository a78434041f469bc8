"""The files that a gate writes, each once, and what of its traces stays in the document."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tidegate.gates.files import save_gate
from tidegate.traces.document import SCHEMA

from ..support.gates import DIFFERS, KNOWN, RECORDED, document_of

FILES = {"index.html", "junit.xml", "report.json", "results.sarif", "summary.md"}


def test_a_folder_has_a_report_in_each_format_and_each_counterexample_with_its_page(tmp_path: Path) -> None:
    document, out = document_of(tmp_path, RECORDED, KNOWN, DIFFERS), tmp_path / "out"
    out.mkdir()
    save_gate(document, out, None)
    assert {path.name for path in out.iterdir() if path.is_file()} == FILES
    claims = [claim for check in document["checks"] for claim in check["claims"] if claim["trace"]]
    assert len(claims) == 2 == len({claim["trace"] for claim in claims})
    for claim in claims:
        trace = json.loads((out / claim["trace"]).read_text(encoding="utf-8"))
        assert (trace["schema"], trace["replay"]) == (SCHEMA, claim["replay"])
        assert (out / claim["html"]).read_text(encoding="utf-8").startswith("<!doctype html>")
        assert trace["steps"][-1]["sentence"] in (out / claim["html"]).read_text(encoding="utf-8")
    saved = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert saved == document
    assert all(claim["document"] is None for check in saved["checks"] for claim in check["claims"])


def test_counterexamples_of_one_name_have_files_of_their_own(tmp_path: Path) -> None:
    document, out = document_of(tmp_path, DIFFERS, DIFFERS), tmp_path / "out"
    out.mkdir()
    save_gate(document, out, None)
    one, other = (claim["trace"] for check in document["checks"] for claim in check["claims"] if claim["trace"])
    assert other == one.replace(".trace.json", "-2.trace.json")


def test_without_a_folder_a_trace_that_nobody_expects_stays_in_the_document(tmp_path: Path) -> None:
    document, junit = document_of(tmp_path, KNOWN, DIFFERS), tmp_path / "junit.xml"
    save_gate(document, None, junit)
    known, new = (check["claims"][0] for check in document["checks"])
    assert known["document"] is None and new["document"]["steps"]
    assert len(list(ElementTree.parse(junit).getroot().iter("failure"))) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"junit.xml", "lock.toml"}


def test_a_folder_that_cannot_be_written_is_an_error_and_the_document_is_small_all_the_same(tmp_path: Path) -> None:
    document = document_of(tmp_path, KNOWN)
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(OSError, match="out"):
        save_gate(document, tmp_path / "out", None)
    assert document["checks"][0]["claims"][0]["document"] is None
