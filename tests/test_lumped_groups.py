"""A classic group that forgets what makes no difference (`lumped`) keeps what a fence is for: each mistake shows there,
too. That each step of the group is one of it is a refinement, of the profiles in spec/; here are all the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import Recorded
from tidegate.invariants.catalogue import find
from tidegate.language.judge import shape_of
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Set
from tidegate.model.groups.classic.state import Consumer, GroupState, Phase

from .test_classic_group import CHECKS, A, B, P, Story, owned


class Lumped(Story):
    """As Story, of a group that forgets: consumers have sent their first JoinGroup."""

    def __init__(self, profile: str, **constants: object) -> None:
        super().__init__(profile, lumped=True, **constants)

    def join(self, *members: Consumer) -> Story:
        """The coordinator hears of them."""
        return self.each("receive_join", *members)


def test_a_member_that_does_not_forget_what_it_owned_keeps_it_while_it_joins_again() -> None:
    for profile, kept in (("cooperative", set[object]()), ("kafka_12983", {P})):
        story = Lumped(profile).both().step("leave", member=B).step("hear_of_rebalance", member=A)
        story.step("pause", member=A).step("session_times_out", coordinator=0, member=A).step("refuse_join", member=A)
        assert (owned(story)[0], story.state.phase[A]) == (kept, Phase.JOINING), profile


def test_who_has_left_in_a_pause_owns_nothing() -> None:
    for profile in ("cooperative", "kafka_12983"):
        story = Lumped(profile).both().step("pause", member=A).step("poll_times_out", member=A)
        assert (owned(story)[0], story.state.phase[A]) == (set(), Phase.JOINING), profile


@pytest.mark.parametrize("profile", ["kafka_5600", "kafka_3_9_load", "offsets_lost", "unfenced_appends"])
def test_when_a_coordinator_loads_is_a_step_where_it_makes_a_difference(profile: str) -> None:
    story = Lumped(profile, failed_loads=1).both().step("fail_over", survives=False)
    assert story.state.groups[1].state == GroupState.NOT_HERE
    if profile == "kafka_5600":
        story.step("load_first_buffer", end=0)
    elif profile == "kafka_3_9_load":
        story.step("load_fails")
        assert story.state.groups[1].state == GroupState.DEAD
        return
    elif profile == "offsets_lost":
        story.step("lose_records", gone=Set({0})).step("load")
        assert story.state.groups[1].state == GroupState.DEAD
        return
    else:
        story.step("load")
    assert story.state.groups[1].members == Set({A, B})


def test_a_coordinator_has_loaded_where_it_makes_none() -> None:
    story = Lumped("eager").both().step("fail_over", survives=False)
    assert story.state.groups[1].members == Set({A, B})
    with pytest.raises(StepError, match="lumped"):
        story.step("load")


def test_a_consumer_that_joins_anew_is_thrown_out_as_one_that_is_out() -> None:
    """KAFKA-9752 is about one whose JoinGroup was answered."""
    story = Lumped("kafka_9752").join(A).step("begin_generation", coordinator=0, leader=A)
    with pytest.raises(StepError, match="is_unwatched"):
        story.step("pause", member=A).step("session_times_out", coordinator=0, member=A)
    anew = shape_of(story.model).replace(story.state, answers=Map({A: None, B: None}))
    story.state = anew
    story.step("session_times_out", coordinator=0, member=A)
    assert A not in story.state.groups[0].members


def violations(check: Recorded) -> list[str]:
    """What a recorded check says is violated."""
    return [name for name, it in check.properties.items() if it.verdict == "violated"]


def named(check: Recorded) -> str:
    return f"{check.profile} {check.bounds} {' '.join(violations(check))}"


@pytest.mark.nightly
@pytest.mark.parametrize(
    "check", [check for check in CHECKS if check.tier == "commit" and violations(check)], ids=named
)
def test_what_fails_fails_where_the_group_forgets(check: Recorded, cache: Path) -> None:
    (name,) = violations(check)
    values = {**check.constants, "lumped": True}
    model = find("classic_group")[0].bind("lumped", values, check.profile, properties=[name])
    (found,) = ENGINES["native"](model, Search(symmetry=check.symmetry, cache=cache), None).properties
    assert (found.verdict, found.run is not None) == ("violated", True)
