"""Lanes as text: logs with what came and went, in columns that fit the page."""

from __future__ import annotations

import pytest
from tidegate.reports.document import Document
from tidegate.reports.text_page import TextFormat, TextPage
from tidegate.reports.trace.lanes import board_at, has_lanes, lanes_at, write_lanes

from ...support.traces import counterexample


@pytest.fixture(scope="module")
def trace() -> Document:
    """A run in which a replica truncates to its high watermark, and a record is lost."""
    return counterexample("replication:truncate_to_hw", "strong_isr", "python")


def text_at(trace: Document, at: int, width: int = 100) -> list[str]:
    page = TextPage(TextFormat(width=width))
    write_lanes(page, trace, at)
    return page.text().splitlines()


def test_a_lane_is_as_its_last_frame_has_it(trace: Document) -> None:
    """A frame has what changed; a state between has what the last one before it had."""
    last = len(trace["steps"])
    assert list(lanes_at(trace, 0)) == trace["view"]["lanes"] == list(lanes_at(trace, last))
    unchanged: Document = {"lanes": {}, "board": None}
    sparse: Document = trace | {"frames": {"0": trace["frames"]["0"], "2": unchanged}}
    assert lanes_at(sparse, 2) == trace["frames"]["0"]["lanes"]
    assert board_at(sparse, 2) == (trace["frames"]["0"]["board"] or {})
    assert board_at({"frames": {}}, 0) == {}


def test_records_that_come_and_go_are_marked(trace: Document) -> None:
    frames = trace["frames"]
    added = next(at for at in frames if any(mark["added"] for mark in frames[at]["marks"].values()))
    removed = next(at for at in frames if any(mark["removed"] for mark in frames[at]["marks"].values()))
    came, went = text_at(trace, int(added)), text_at(trace, int(removed))
    assert any("{" in line and " * " in line for line in came)
    assert any("(" in line and "->" in line for line in went)
    assert not any("{" in line or "(" in line for line in text_at(trace, 0))


@pytest.mark.parametrize("width", [40, 60, 100])
def test_rows_fit_the_page(trace: Document, width: int) -> None:
    for at in range(len(trace["steps"]) + 1):
        assert all(len(line) <= width for line in text_at(trace, at, width))


def test_a_narrow_page_gives_up_columns_before_logs(trace: Document) -> None:
    last = len(trace["steps"])
    wide, narrow = text_at(trace, last, 100), text_at(trace, last, 50)
    assert wide[0].split()[:2] == ["role", "epoch"] and len(narrow[0].split()) < len(wide[0].split())
    assert any("[" in line or "{" in line for line in narrow)


@pytest.mark.parametrize("view", [None, {"kind": "drawing", "lanes": [], "columns": 0}])
def test_where_there_are_no_lanes_nothing_is_written(trace: Document, view: Document | None) -> None:
    other = trace | {"view": view}
    assert has_lanes(trace) and not has_lanes(other)
    assert "".join(text_at(other, 0)) == ""
