"""Plans of traces of controllers: which release takes one, and what is not driven."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.real.driving.controllers.driver import ControllersDriver
from tidegate.real.driving.controllers.plan import KINDS, WHY_NOT, plan_trace
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.verdict import confirm_trace

from ....capture.confirmed_controllers import NOT_DRIVEN, QUESTIONS
from ....support.controllers import BOTH_LEAD, COMMITTED, EMPTY_DISK, WIPED, document, plan_steps


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("kraft")[0].bind("kraft", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() == {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()
    assert all(hasattr(ControllersDriver, f"_{name}") for name in KINDS)


DEPOSED = "election_timeout(A); vote(candidate=A, voter=B); begin_quorum_epoch(leader=A, voter=C); fetch_timeout(C)"


@pytest.mark.parametrize(
    ("steps", "property_", "constants", "kafka"),
    [
        (EMPTY_DISK, "leader_completeness", WIPED, "3.9.1"),  # 4.1 asks for pre-votes first
        (DEPOSED, "no_disruption", {}, "3.9.1"),
        (BOTH_LEAD, "old_leader_resigns", {"check_quorum": "missing"}, "3.6.2"),  # KAFKA-15489 is mended in 3.7
        (COMMITTED, "record_is_committed", {}, "3.9.1"),
    ],
)
def test_the_newest_release_whose_model_takes_a_trace(
    steps: str, property_: str, constants: dict[str, Any], kafka: str
) -> None:
    plan = plan_steps(steps, property_, **constants)
    assert (plan.kafka, plan.stages[-1].last) == (kafka, len(plan.run.steps))


ELECTED = "election_timeout(A); vote(candidate=A, voter=B); begin_quorum_epoch(leader=A, voter=C)"


@pytest.mark.parametrize(
    ("steps", "kafka", "step", "why"),
    [
        (BOTH_LEAD, "3.9.1", 5, "does not take it: step 5, let_time_pass, is disabled"),
        (COMMITTED, "3.2.0", 0, "has no KRaft for production"),
        (ELECTED, "3.9.1", 0, "record_is_committed does not show in the end"),
        (
            f"{COMMITTED}; begin_quorum_epoch(leader=A, voter=B); fetch(follower=B, leader=A, answered=true)",
            "3.9.1",
            10,
            "it brings all that the leader has, and the trace has less of it",
        ),
        (f"{ELECTED}; resign(A)", "3.6.2", 4, "leaders resign only as they end, before 3.7"),
        (f"{ELECTED}; fetch_timeout(C); hear_from(B, C)", "3.9.1", 5, "B sends no request to C then"),
        (
            f"{ELECTED}; fetch(follower=C, leader=A, answered=true); election_timeout(B); refuse_vote(B, C); "
            "refuse_vote(B, A); election_timeout(C)",
            "3.9.1",
            7,
            "a candidate that cannot win any more goes on by itself",
        ),
    ],
)
def test_what_cannot_be_driven_says_why(steps: str, kafka: str, step: int, why: str) -> None:
    made = document(COMMITTED, "record_is_committed") | {"steps": [{"step": one.strip()} for one in steps.split(";")]}
    with pytest.raises(UndrivableError) as raised:
        plan_trace(trace_of(made), kafka)
    assert (raised.value.step, why in raised.value.why) == (step, True), raised.value.why


def test_each_profile_of_controllers_is_driven_or_says_why_not() -> None:
    listed = {question.profile for question in QUESTIONS} | NOT_DRIVEN.keys()
    assert listed == set(find("kraft")[0].profiles)


def test_no_setting_repairs_a_quorum() -> None:
    found = confirm_trace(document(EMPTY_DISK, "leader_completeness", **WIPED), with_repair=True)
    assert (found["result"], found["steps"]) == ("not_driven", [])
    assert "another release, and no setting" in found["why"]
