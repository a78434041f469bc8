"""Plans of traces of transactions: which release takes one, and what is not driven."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.transactions.plan import KINDS, WHY_NOT, plan_trace
from tidegate.real.driving.verdict import confirm_trace

from ....support.transactions import BEGUN, ENDED_LATE, HANGING, LATE_WRITE, MARKED_LATE, ONE, TWO, document


@pytest.mark.parametrize(
    ("trace", "constants", "kafka", "version_2"),
    [
        (HANGING, LATE_WRITE, "3.4.1", False),  # from 3.6 on leaders ask the coordinator first
        (ENDED_LATE, {**TWO, "late_ends": 1}, "4.1.0", False),
        (MARKED_LATE, {**TWO, "late_markers": 1}, "4.1.0", True),
    ],
)
def test_the_newest_release_whose_model_takes_a_trace(
    trace: tuple[str, str, str], constants: dict[str, Any], kafka: str, version_2: bool
) -> None:
    plan = plan_trace(trace_of(document(*trace, **constants)), None)
    assert (plan.kafka, plan.version_2, len(plan.stages)) == (kafka, version_2, len(plan.run.steps))


@pytest.mark.parametrize(
    ("trace", "constants", "kafka", "step", "why"),
    [
        (HANGING, LATE_WRITE, "3.6.2", 8, "does not take it: step 8, late_produce_arrives"),
        (MARKED_LATE, {**TWO, "late_markers": 1}, "3.9.1", 0, "version 2, which Kafka 3.9.1 has not"),
        (MARKED_LATE, {**TWO, "late_markers": 1}, "4.2.0", 15, "does not take it: step 15, late_marker_arrives"),
        (HANGING, LATE_WRITE, "3.2.0", 0, "has no KRaft for production"),
    ],
)
def test_what_a_release_does_not_take_says_why(
    trace: tuple[str, str, str], constants: dict[str, Any], kafka: str, step: int, why: str
) -> None:
    with pytest.raises(UndrivableError) as raised:
        plan_trace(trace_of(document(*trace, **constants)), kafka)
    assert (raised.value.step, why in raised.value.why) == (step, True), raised.value.why


def test_a_step_that_no_gate_reaches_is_not_driven() -> None:
    steps = f"{BEGUN}produce(client=A, partition=P); replicate(P); end(client=A, commit=true); write_marker(P)"
    made = document(steps, "replicated_later", "commits_everywhere", **ONE) | {"bounds": {**ONE}}
    made["steps"] = [{"step": "init_producer(A)"}, {"step": "log_commits"}]
    made["bounds"] = {**ONE, "in_one_step": False}
    found = confirm_trace(made, kafka="4.1.0")
    assert found["result"] == "not_driven" and found["steps"] == []


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("transactions")[0].bind("transactions", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() == {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()


def test_no_setting_repairs_a_transaction() -> None:
    found = confirm_trace(document(*HANGING, **LATE_WRITE), with_repair=True)
    assert (found["result"], "another release" in found["why"]) == ("not_driven", True)
