"""Plans of traces of the topic of offsets: what is one on real brokers, and what is not driven."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.offsets.driver import OffsetsDriver
from tidegate.real.driving.offsets.plan import KINDS, WHY_NOT, OffsetsPlan, plan_trace
from tidegate.real.driving.verdict import confirm_trace

from ....capture.confirmed_outages import ALONE, EVERYWHERE, NOT_DRIVEN, ONCE, QUESTIONS, UP
from ....support.confirming import document_of
from ....support.offsets import LOST, REPAIRED, document, plan_of


def of_steps(steps: str, name: str = LOST, **constants: Any) -> OffsetsPlan:
    """The plan of some steps that are about nothing."""
    made = document(name)
    size = {"homes": 2, "groups": 2, "crashes": 2, "entries": 4, **constants}
    made = made | {"bounds": made["bounds"] | size, "property": None}
    return plan_trace(trace_of(made | {"steps": [{"step": one} for one in steps.split("; ")]}), "4.1.0")


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("offsets_outage")[0].bind("offsets_outage", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() == {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()
    assert all(hasattr(OffsetsDriver, f"_{name}") for name in KINDS.keys() - {"finish_reassignment"})


def test_each_profile_has_a_question_or_says_why_not() -> None:
    profiles = find("offsets_outage")[0].profiles.keys()
    assert {one.profile for one in QUESTIONS} | NOT_DRIVEN.keys() == set(profiles)


def test_what_releases_with_kraft_have_not_is_not_driven() -> None:
    """The topic with as many replicas as brokers ran is of 0.10, and so is what stops every group."""
    steps = "start_broker(A); first_use({P: {A}, Q: {A}}); kill(A)"
    old = document_of("offsets_outage", "kafka_0_10", "group_available", steps)
    for anyway in (False, True):
        found = confirm_trace(old, kafka="4.1.0", anyway=anyway)
        assert (found["result"], found["step"]) == ("not_driven", 2), found["why"]
    logs = document_of("offsets_outage", "log_stops", "group_available", "log_goes_down(P)")
    assert "logs without brokers" in confirm_trace(logs, kafka="4.1.0")["why"]
    assert "no KRaft for production" in confirm_trace(document(LOST), kafka="3.2.0")["why"]
    assert "KAFKA-15665" in confirm_trace(document(REPAIRED), kafka="3.6.2")["why"]


def test_what_a_client_is_given_is_not_driven() -> None:
    """The driver reads in its place: that it does so confirms nothing."""
    steps = f"{UP}{ALONE}{ONCE}produce; kill(A); process(G)"
    made = document_of("offsets_outage", "shipped", "processes_without_coordinator", steps, homes=1, groups=1)
    assert "the driver reads in its place" in confirm_trace(made, kafka="4.1.0")["why"]
    with pytest.raises(UndrivableError, match="whose topic keeps its leader"):
        of_steps(f"{UP}{ALONE}{ONCE}kill(A); move_leader", homes=1, groups=1)


def test_a_reassignment_ends_with_the_copy_that_it_waits_for() -> None:
    stages = plan_of(REPAIRED).stages
    assert [(one.first, one.last) for one in stages if one.action in ("reassign", "copy")] == [(7, 7), (8, 8), (9, 10)]
    with pytest.raises(UndrivableError, match="as soon as all are in sync"):
        of_steps(
            f"{UP}{ALONE}reassign(home=P, target={{A, B}}); copy(home=P, broker=B); kill(C)",
            homes=1, groups=1, reassignments=1, repaired=2,
        )  # fmt: skip
    at_once = of_steps(
        f"{UP}first_use({{P: {{A, B, C}}}}); reassign(home=P, target={{B, C}}); produce; finish_reassignment(P)",
        homes=1, groups=1, reassignments=1, repaired=2, factor=3,
    )  # fmt: skip
    assert [(one.first, one.action) for one in at_once.stages[-2:]] == [(5, "reassign"), (6, "produce")]
    assert at_once.stages[-2].stands.leaders == {0: 2}, "the one that leads has to go, and the next one follows"


def test_what_a_broker_copies_of_one_leader_is_one_stage() -> None:
    away = f"{UP}{EVERYWHERE}kill(A); start_broker(A); "
    both = of_steps(f"{away}copy(home=P, broker=A); produce; copy(home=Q, broker=A)", factor=3)
    assert [one.action for one in both.stages[-2:]] == ["copy", "produce"]
    assert (both.stages[-3].stands.held_fetches, both.stages[-2].stands.held_fetches) == (
        frozenset({(1, 2)}),
        frozenset(),
    )
    with pytest.raises(UndrivableError, match="copies all that it has of a leader"):
        of_steps(f"{away}copy(home=P, broker=A)", factor=3)


def test_who_is_in_sync_in_one_partition_and_not_in_another_can_fetch_neither() -> None:
    with pytest.raises(UndrivableError, match="and not what it lacks of the same leader's other partition"):
        of_steps(
            f"{UP}first_use({{P: {{A, B}}, Q: {{B, C}}}}); reassign(home=P, target={{B, C}}); kill(A); "
            "produce; consume(group=H, home=Q)",
            factor=2, reassignments=1, repaired=2,
        )  # fmt: skip


def test_brokers_that_die_at_once_leave_the_last_alone_in_sync() -> None:
    with pytest.raises(UndrivableError, match="fences one broker after the other"):
        of_steps(f"{UP}{EVERYWHERE}kill_at_once({{A, B, C}})", factor=3, kills_at_once=1)
    plan = of_steps(f"{UP}{EVERYWHERE}kill_at_once({{A, B}})", factor=3, kills_at_once=1)
    assert plan.stages[-1].stands.leaders == {0: 3, 1: 3}


def test_settings_that_repair_it_are_a_step_of_the_trace() -> None:
    found = confirm_trace(document(LOST), with_repair=True)
    assert (found["result"], "`reassign`" in found["why"]) == ("not_driven", True)
