"""A trace in Markdown."""

from __future__ import annotations

from tidegate.reports.trace.markdown import trace_markdown

from ...support.traces import counterexample


def test_markdown_shows_texts_as_they_are() -> None:
    text = trace_markdown(counterexample("tests/fixtures/gate/stuck.py", "small", "python"))
    assert r"| 1 | The number 0 goes up; \<b\>\#1; \`%%\` \|x\| end\</b\>. | `number: 0 -> 1` |" in text
    assert all(line.count("|") - line.count(r"\|") == 4 for line in text.splitlines() if line.startswith("| "))
