"""Words in a row."""

from __future__ import annotations

from tidegate.audit.report.word_lists import list_with_or


def test_the_last_word_stands_behind_its_conjunction() -> None:
    assert list_with_or(["a", "b", "c"]) == "a, b or c"
    assert list_with_or(["a", "b"]) == "a or b"
    assert list_with_or(["a"]) == "a"
