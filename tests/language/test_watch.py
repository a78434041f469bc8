"""Expressions that are watched: what each is in a state, and what is refused."""

from __future__ import annotations

import pytest
from tidegate.language.errors import UsageError
from tidegate.language.judge import initial_states
from tidegate.language.watch import parse_watch

from ..support.steps import run_of
from ..support.traces import bind_model


def test_a_field_is_named_without_its_state() -> None:
    model = bind_model("examples/die_hard.py")
    state = run_of(model, "fill_big; big_to_small").states()[-1]
    assert parse_watch(model, " small - big ").value(state) == 1
    assert parse_watch(model, "small - big").value_words(state) == "1"
    assert parse_watch(model, "big == 4").is_condition and not parse_watch(model, "big").is_condition


def test_a_value_that_there_is_none_of_says_why() -> None:
    model = bind_model("examples/die_hard.py")
    (start,) = initial_states(model)
    assert parse_watch(model, "4 // small").value_words(start).startswith("no value: ")
    assert parse_watch(model, "big").shown_in([start, start]) == ["0", "0"]


@pytest.mark.parametrize("text", ["", "big +", "bigg", "__import__('os')", "big.real", "[x for x in (1, 2)]"])
def test_what_is_no_expression_of_the_model_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_watch(bind_model("examples/die_hard.py"), text)
