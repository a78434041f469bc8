"""Traces on real brokers: what is planned, compared and said; and, with the mark `brokers`, that Kafka does it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.partition.driver import judge_run
from tidegate.real.driving.partition.fitting import fit_with_repair

from ....support.partitions import BOTH_LAG, MOVED, OLD, RESTARTED_3_4, STANDING, Model, driven, outcome, plan, trace


def test_a_record_that_is_gone_without_the_repair_is_to_be_acknowledged_with_it() -> None:
    with pytest.raises(UndrivableError, match=r"record 1 is not acknowledged before the last fault"):
        fit_with_repair(trace_of(trace(MOVED, acks="leader")), "3.9.1", {}, frozenset({1}))


def test_a_record_that_is_not_acknowledged_is_no_record_that_stays() -> None:
    document = trace(MOVED, acks="leader")
    made = plan(document, with_repair=True)
    unanswered = replace(driven(made, Model(made)), acknowledged_records=frozenset())
    assert judge_run(made, unanswered) == (False, "every step came about, but not acknowledged: record 0")


@pytest.mark.parametrize(
    ("steps", "constants"),
    [
        (MOVED, {"acks": "leader"}),
        (STANDING, {}),
        (BOTH_LAG, {"property_": "acked_durable", "min_isr": 1}),
        (RESTARTED_3_4, OLD),
        ("elect_preferred(B); learn(B); produce(A); learn(A)", {"acks": "leader"}),
    ],
)
def test_a_cluster_that_does_what_the_trace_says_confirms_it(steps: str, constants: dict[str, Any]) -> None:
    document = trace(steps, **constants)
    made = plan(document)
    found = outcome(made, Model(made))
    assert (found["result"], found["why"]) == ("confirmed", "acknowledged, and gone: record 0")
    assert [step["otherwise"] for step in found["steps"]] == [None] * len(made.stages)
    json.dumps(found)


def test_what_is_done_for_each_step() -> None:
    made = plan(trace(STANDING))
    world = Model(made)
    driven(made, world)
    assert world.did == [
        "produce_record(1, 0, -1, 0.2)", "pass_fetch(2, 1, 0.2)", "pass_fetch(2, 1, 0.2)", "pass_fetch(3, 1, 0.2)",
        "pass_fetch(3, 1, 0.2)", "gate_fetches([3], 1, True)", "write_filler(1,)", "gate_fetches([3], 1, False)",
        "pass_alter_partition(1, 0.2)", "gate_metadata(1, True)", "gate_fetches([], 1, True)", "write_filler(1,)",
        "gate_fetches([], 1, False)", "pass_alter_partition(1, 0.2)", "lose_power(1, 0)", "start(1,)",
        "gate_metadata(1, True)", "open_gates()", "set_controller_running(True,)",
    ]  # fmt: skip
