"""The run of a loss, taken again with the repair: what is left out of it, and why."""

from __future__ import annotations

import re

import pytest
from tidegate.audit.answers.answer import Answer
from tidegate.audit.exploring.case_results import ScenarioStep
from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.audit.repairs.after_repair import take_steps


def test_what_cannot_happen_with_the_repair_is_left_out_with_its_guard() -> None:
    """With more replicas the leader waits for fetches, which are added; without unclean elections one is left out."""
    model = audited_model_definition().bind(
        "partition", {"replicas": 2, "power_losses": 1, "min_isr": 2, "acks": "all"}, None
    )
    steps = ("produce(A)", "advance_high_watermark(A)", "elect_uncleanly(B)", "lose_power(broker=A, kept=2)")
    lost = tuple(ScenarioStep(step, step, fault=False) for step in steps)
    made = take_steps(model, Answer("can lose", steps=lost, property="acknowledged_kept"))
    assert [step.step.partition("(")[0] for step in made.steps] == [
        "produce", "fetch", "advance_high_watermark", "lose_power"
    ]  # fmt: skip
    assert made.aligned_states == (0, 1, 3, 3, 4)
    assert list(made.left_out) == [3]
    assert re.match(r"(blocked by the model's bound: )?.* is false", made.left_out[3].why)


@pytest.mark.parametrize(("shrinks", "left_out"), [(0, [1, 2, 3, 4]), (1, [4])])
def test_a_step_beyond_the_faults_of_a_cell_is_not_said_to_be_impossible(shrinks: int, left_out: list[int]) -> None:
    """Kafka drops a follower from the ISR whatever min.insync.replicas is; only the cell has no such fault left."""
    settings = {"replicas": 3, "isr_shrinks": shrinks, "power_losses": 0, "min_isr": 2, "acks": "all"}
    model = audited_model_definition().bind("partition", settings, None)
    steps = (
        "propose_shrink(leader=A, follower=B)",
        "change_isr(A)",
        "learn(A)",
        "propose_shrink(leader=A, follower=C)",
    )
    lost = tuple(ScenarioStep(step, step, fault=False) for step in steps)
    made = take_steps(model, Answer("can lose", steps=lost, property="acknowledged_kept"))
    assert list(made.left_out) == left_out
    assert made.left_out[4].is_beyond_faults
