"""Sentences that are chosen by what a step does: of each there is one here, from a state that has it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tidegate.audit.exploring.step_sentences import mark_brokers, step_sentence
from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.language.judge import attempt, initial_states
from tidegate.language.model import Model
from tidegate.language.steptext import parse_steps
from tidegate.language.values import State


def bind_model(profile: str = "kafka_3_7", **values: Any) -> Model:
    more = {"power_losses": 2, "controller_losses": 2, "max_records": 2, "log_size": 2, "crashes": 1, **values}
    return audited_model_definition().bind(profile, more)


def sentence(model: Model, *steps: str) -> str:
    """What the last of these steps says, after the others."""
    state: Any = next(initial_states(model))
    *before, ((action, arguments),) = (parse_steps(model, step) for step in steps)
    for ((taken, its_arguments),) in before:
        state = attempt(model, state, taken, its_arguments)
        assert isinstance(state, State), taken.name
    return step_sentence(model, state, action.name, arguments)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (("lose_power(A, 0)",), "⟨A⟩'s host loses power: its log was empty."),
        (("produce(A)", "lose_power(A, 0)"), "⟨A⟩'s host loses power: the record had not been flushed."),
        (("produce(A)", "lose_power(A, 1)"), "⟨A⟩'s host loses power: its log was on the disk."),
        (
            ("produce(A)", "produce(A)", "lose_power(A, 1)"),
            "⟨A⟩'s host loses power: the last 1 of 2 records had not been flushed.",
        ),
        (("lose_controller",), "A controller goes down: 1 of 3 is down now."),
        (("lose_controller", "lose_controller"), "A controller goes down: 2 of 3 are down now."),
    ],
)
def test_what_a_fault_takes_is_said_from_the_state_before(steps: tuple[str, ...], said: str) -> None:
    assert sentence(bind_model(), *steps) == said


@given(some.lists(some.sampled_from(["A", "E", "F", "AB", "{", ", ", "xA", "1", " "]), max_size=12))
def test_only_a_brokers_letter_by_itself_is_marked(words: list[str]) -> None:
    text = " ".join(words)
    assert mark_brokers(text) == " ".join({"A": "⟨A⟩", "E": "⟨E⟩"}.get(word, word) for word in text.split(" "))
