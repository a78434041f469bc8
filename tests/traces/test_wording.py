"""States and changes in words."""

from __future__ import annotations

import pytest
from tidegate.traces.state_parts import StatePart
from tidegate.traces.wording import Wording, is_number, join_words, name_in_words

from ..support.steps import run_of
from ..support.traces import bind_model


@pytest.mark.parametrize(("name", "words"), [("high_watermark", "high watermark"), ("isr", "ISR"), ("log", "log")])
def test_names_in_words(name: str, words: str) -> None:
    assert name_in_words(name) == words


@pytest.mark.parametrize(("texts", "said"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_lists_in_words(texts: list[str], said: str) -> None:
    assert join_words(texts) == said


def test_a_truth_value_is_no_number() -> None:
    assert is_number(3) and not is_number(True) and not is_number("3")


def test_what_became_of_a_field() -> None:
    model = bind_model("examples/die_hard.py")
    before, after = run_of(model, "fill_big").states()
    words, cell = Wording(model), StatePart("s", "big", ())
    assert words.effect_texts(cell, before, after) == ["`big` went from 0 to 5"]
    assert words.fact_text(cell, after) == "`big` is 5"
    assert words.fact_text(cell, before, is_past=True) == "`big` was 0"
