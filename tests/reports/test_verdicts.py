"""The words for results: each has one meaning, a mark and a colour."""

from __future__ import annotations

import pytest
from tidegate.reports.verdicts import found_nothing_text, meanings_by_word, styles_by_word, verdict_text


@pytest.mark.parametrize("scope", ["check", "prove"])
def test_each_word_has_a_mark_and_a_colour(scope: str) -> None:
    meanings = meanings_by_word(scope)  # type: ignore[arg-type]
    assert meanings
    assert all(meaning.mark and meaning.says for meaning in meanings.values())
    styles = styles_by_word(scope)  # type: ignore[arg-type]
    assert set(styles) == {verdict_text(word) for word in meanings}


def test_words_of_json_are_read_with_spaces() -> None:
    assert verdict_text("not_checked") == "not checked"


def test_a_search_that_is_not_of_every_state_says_so_first() -> None:
    assert found_nothing_text("native") != found_nothing_text("walk")
