"""A gate's summary in Markdown: what differs first, with its argument and the command that shows it."""

from __future__ import annotations

from pathlib import Path

from tidegate.reports.gate.summary import gate_summary

from ...support.gates import DIFFERS, KNOWN, NIGHTLY, RECORDED, document_of


def test_what_differs_stands_first_with_its_counterexample(tmp_path: Path) -> None:
    text = gate_summary(document_of(tmp_path, RECORDED, DIFFERS, NIGHTLY))
    assert text.startswith("# ✗ Tidegate: 1 ok, 1 differs of 2 checks\n\nTier commit, 1.50 s, exit 6")
    parts = ("## What differs", "recorded holds, found violated", "```mermaid", "tidegate replay ", "## As recorded")
    places = [text.index(part) for part in (*parts, "## Not run: 1, of the nightly tier")]
    assert places == sorted(places)


def test_of_a_gate_in_which_nothing_differs_no_counterexample_is_shown(tmp_path: Path) -> None:
    """One that is recorded is as it must be; it is in the report."""
    text = gate_summary(document_of(tmp_path, RECORDED, KNOWN))
    assert text.startswith("# ✓ Tidegate: 2 ok of 2 checks")
    assert "mermaid" not in text and "## What differs" not in text and text.count("<details>") == 1


def test_text_of_a_record_breaks_no_table(tmp_path: Path) -> None:
    document = document_of(tmp_path, DIFFERS)
    document["checks"][0]["differences"] = ["a | b\nsecond `line`"]
    row = next(line for line in gate_summary(document).splitlines() if "second" in line)
    assert row.replace("\\|", "").count("|") == 4


def test_a_summary_ends_where_nobody_reads_on(tmp_path: Path) -> None:
    text = gate_summary(document_of(tmp_path, *[DIFFERS] * 12))
    assert text.count("```mermaid") == 10
    assert text.endswith("2 more counterexamples are in the report.\n")
