"""What a confirmation shows: what is wrong though no record is lost, and a trace beside what real brokers did."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest
from tidegate.cli.confirm import annotate_trace
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.nodes.running import NodesError
from tidegate.real.driving.partition.driver import expected_observation, node_ids
from tidegate.real.driving.partition.plan import PartitionPlan
from tidegate.real.driving.partition.world import PartitionObservation
from tidegate.reports.confirm import comparison_section
from tidegate.reports.trace.html import trace_html

from ..capture.confirmed import BUGS, profiles_that_lack, record_text, table_of_not_driven
from ..conftest import ROOT
from ..support.partitions import STANDING, Model, driven, outcome, plan, trace

COVERED = "produce(A); fence_alive(broker=B, successor=A); learn(A); advance_high_watermark(A)"
FENCED_LEADS = (
    "lose_power(broker=A, kept=0); fence(broker=A, successor=B); lose_power(broker=B, kept=0); "
    "fence(broker=B, successor=B); restart(broker=B, successor=B); fence_alive(broker=B, successor=B); "
    "restart(broker=A, successor=B)"
)


@pytest.mark.parametrize(
    ("steps", "property_", "constants", "why"),
    [
        (COVERED, "min_isr_copies", {"strict_high_watermark": False}, "the high watermark is past what"),
        (FENCED_LEADS, "leader_unfenced", {"check_last_leader": False, "elr": True}, "a broker that is fenced leads"),
    ],
    ids=["KAFKA-15583", "KAFKA-19522"],
)
def test_what_is_wrong_and_no_lost_record_is_confirmed_where_brokers_show_it(
    steps: str, property_: str, constants: dict[str, Any], why: str
) -> None:
    document = trace(steps, property_, replicas=2, **constants)
    made = plan(document, "4.1.0", anyway=True)
    found = outcome(made, Model(made))
    assert found["result"] == "confirmed"
    assert found["why"].startswith(f"every step came about: {why}")
    otherwise = expected_observation(made.stages[-1].state_before, node_ids(made))
    if property_ == "leader_unfenced":
        parted = outcome(made, Model(made, {len(made.stages): otherwise}))
        assert (parted["result"], parted["step"]) == ("not_confirmed", len(made.stages))
    with pytest.raises(UndrivableError, match=r"the model of Kafka 4\.1\.0 does not take it"):
        plan(document, "4.1.0")


class UnusedPermitModel(Model):
    """A cluster in which nothing uses what permits at a step: `seen` is what is seen then."""

    def __init__(self, made: PartitionPlan, step: int, seen: PartitionObservation) -> None:
        super().__init__(made, {step: seen})
        self.step = step

    def pass_fetch(self, *given: object) -> bool:
        return self.stage.first != self.step

    pass_alter_partition = pass_fetch


@pytest.mark.parametrize("step", [2, 6], ids=["fetch", "change_isr"])
def test_a_permit_that_nothing_uses_contradicts_nothing(step: int) -> None:
    """Where all is as it was before, the driver has not managed; where it is not, brokers did otherwise."""
    document = trace(STANDING)
    made = plan(document)
    stage = made.stages[step - 1]
    before = expected_observation(stage.state_before, node_ids(made))
    with pytest.raises(NodesError, match=rf"step {stage.first}: .*, and nothing else happened"):
        driven(made, UnusedPermitModel(made, stage.first, before))
    found = outcome(made, UnusedPermitModel(made, stage.first, replace(before, leader_epoch=7)))
    assert (found["result"], found["step"]) == ("not_confirmed", stage.first)


def test_the_page_shows_the_trace_beside_what_brokers_did() -> None:
    document = trace(STANDING)
    made = plan(document)
    held = expected_observation(made.stages[8].state_before, node_ids(made))
    good, parted = outcome(made, Model(made)), outcome(made, Model(made, {9: held}))
    section = comparison_section([good, parted])
    text = trace_html([annotate_trace(document, [good])], section=section)
    assert text.count("<th>Kafka 3.9.1</th>") == 2
    assert section.count("<tr><th>") == len(made.stages) + 9 + 2
    assert section.count('class="otherwise"') == 2
    assert "Confirmed on Kafka 3.9.1: acknowledged, and gone: record 0." in section
    assert "ISR [1, 3] in place of [1]" in section
    assert comparison_section([good | {"steps": []}]) == ""
    assert "<script" not in comparison_section([good | {"why": "<script>"}])


def test_a_leader_that_is_fenced_is_of_4_0_and_not_of_4_1() -> None:
    document = trace(FENCED_LEADS, "leader_unfenced", replicas=2, check_last_leader=False, elr=True)
    assert plan(document, "4.0.0").fitted_trace.visible_fault == "a broker that is fenced leads"
    with pytest.raises(UndrivableError, match="is disabled"):
        plan(document, "4.1.0")


def test_every_profile_is_on_the_page_of_what_was_confirmed() -> None:
    assert profiles_that_lack() == set()
    record = tomllib.loads((ROOT / "bench" / "confirmed.toml").read_text("utf-8"))
    assert {row[0].strip("`") for row in record["bugs"]["rows"]} - {""} == {bug.profile for bug in BUGS}
    assert record["not_driven"] == table_of_not_driven()
    assert record_text(record) == (ROOT / "bench" / "confirmed.toml").read_text("utf-8")
