"""The line that says how far a search has come: on a terminal alone, and gone at the end."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tidegate.cli.progress import ProgressLine, collect_findings, progress_text
from tidegate.explorer.search import Progress


def test_what_is_known_is_said() -> None:
    text = progress_text(Progress(1_234_567, 890, 12, 1000.0, 64 << 20, 3.0))
    assert "1,234,567" in text and "12" in text


def test_what_a_search_says_itself_is_all() -> None:
    assert progress_text(Progress(0, 0, 0, 0.0, 0, 1.0, says="looking for cycles")).startswith("looking for cycles")
    assert io.StringIO().isatty() is False


def test_what_is_left_of_a_limit_is_said() -> None:
    stream = io.StringIO()
    with ProgressLine(stream, 3600.0) as line:
        line(Progress(7, 1, 2, 10.0, 1 << 20, 1.0, is_due=True))
    assert "7 distinct" in stream.getvalue() and " left" in stream.getvalue()
    with ProgressLine(stream := io.StringIO()) as line:
        line(Progress(7, 1, 2, 10.0, 1 << 20, 1.0, is_due=True))
    assert " left" not in stream.getvalue()


class Terminal(io.StringIO):
    """Somebody looks at it."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_what_a_search_yields_is_kept_and_how_far_it_looked_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    monkeypatch.setattr("time.monotonic", iter(range(0, 1000, 5)).__next__)

    def search(report: Callable[..., None]) -> Iterator[Any]:
        yield "first"
        report(10, "what else is reported")
        yield "second"
        yield 20

    def words(reached: int, found: int) -> str:
        return f"at {reached}, {found} found"

    assert collect_findings(search, int, words, None) == (["first", "second"], 20)
    assert "at 10, 1 found" in seen.getvalue()
