"""A case with fewer faults is within one with more, of the same settings."""

from __future__ import annotations

from tidegate.audit.questions.case_order import is_case_within
from tidegate.audit.questions.questions import CALM, Case, ExplorationKind

CALM_VALUES = {**CALM, "fsync": False, "voters": 3, "assign_directories": False}


def case(kind: ExplorationKind = "loss", **values: int | bool) -> Case:
    return Case(kind, tuple(sorted({**CALM_VALUES, **values}.items())))


def test_fewer_faults_are_within_more_and_not_the_other_way_round() -> None:
    assert is_case_within(case(crashes=1), case(crashes=2))
    assert not is_case_within(case(crashes=2), case(crashes=1))
    assert is_case_within(case(crashes=1), case(crashes=1))


def test_a_crash_is_a_loss_of_power_in_which_everything_was_on_the_disk() -> None:
    assert is_case_within(case(crashes=1), case(power_losses=1))
    assert not is_case_within(case(power_losses=1), case(crashes=1))


def test_other_settings_or_another_kind_say_nothing() -> None:
    assert not is_case_within(case(), case(replicas=5)) and not is_case_within(case(), case("goes_on"))
