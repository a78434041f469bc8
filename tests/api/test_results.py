"""What results show of themselves: their steps as text, and HTML for a notebook."""

from __future__ import annotations

import json
from pathlib import Path

from tidegate.api.results import Trace, folded_html, preformatted_html, table_html

from ..support.traces import counterexample


def test_a_trace_is_its_steps_and_a_file(tmp_path: Path) -> None:
    document = counterexample("examples/lock.py:careless", "one_inside")
    trace = Trace(document)
    assert trace.steps == tuple(step["step"] for step in document["steps"])
    trace.save(tmp_path / "one.json")
    assert json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))["steps"] == document["steps"]
    trace.save(tmp_path / "one.html")
    assert (tmp_path / "one.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_text_is_text_in_html() -> None:
    assert "&lt;b&gt;" in preformatted_html("<b>") and "<b>" not in preformatted_html("<b>")
    table = table_html([("<i>", "2")], ("one", "two"))
    assert "&lt;i&gt;" in table and table.count("<t") >= 5
    folded = folded_html("a < b", "<p>inside</p>")
    assert "a &lt; b" in folded and "<p>inside</p>" in folded
