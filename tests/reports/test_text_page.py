"""Text as a page has it: wrapping, columns, ASCII, colours, numbers."""

from __future__ import annotations

import io

import pytest
from tidegate.reports.text_page import (
    TextFormat,
    TextPage,
    bytes_text,
    count_text,
    detect_format,
    rate_text,
    seconds_text,
)


def test_lines_are_wrapped_to_the_paper_and_hang() -> None:
    page = TextPage(TextFormat(width=40))
    page.line("one two three four five six seven eight nine ten", indent=2, hang=4)
    assert all(len(line) <= 40 for line in page.lines)
    assert page.lines[1].startswith("      ")


def test_columns_line_up_and_the_last_one_wraps_under_itself() -> None:
    page = TextPage(TextFormat(width=50))
    page.columns([("holds", "weak_isr", "every record below the high watermark"), ("violated", "x", "short")])
    assert page.text().splitlines() == [
        "  holds     weak_isr  every record below the high",
        "                      watermark",
        "  violated  x         short",
    ]


def test_ascii_paper_has_ascii_only() -> None:
    page = TextPage(TextFormat(ascii=True))
    page.line("✓ x → y ≠ ∅ ☃")
    assert page.text() == "+ x -> y != {} ?\n"


def test_no_color_and_pipes_are_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert not detect_format(io.StringIO()).color, "a pipe takes no colour"
    assert detect_format(io.StringIO(), color="always").color

    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    assert detect_format(Terminal()).color
    monkeypatch.setenv("NO_COLOR", "1")
    assert not detect_format(Terminal()).color


def test_numbers_read_well() -> None:
    assert [seconds_text(seconds) for seconds in (0.0042, 0.414, 12.34, 200)] == [
        "0.004 s",
        "0.41 s",
        "12.3 s",
        "3 min 20 s",
    ]
    assert [bytes_text(length) for length in (12, 2048, 3 << 30)] == ["12 B", "2.0 KiB", "3.0 GiB"]
    assert rate_text(4_812_345) == "4.81 million states/s"
    assert [count_text(number, "step") for number in (0, 1, 1234)] == ["0 steps", "1 step", "1,234 steps"]
    counts = [count_text(2, noun) for noun in ("process", "box", "switch", "epoch")]
    assert counts == ["2 processes", "2 boxes", "2 switches", "2 epochs"]
