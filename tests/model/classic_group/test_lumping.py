"""A classic group that forgets what makes no difference (`lumped`) keeps what a fence is for: each mistake shows there,
too. That each step of the group is one of it is a refinement, of the profiles in spec/; here are all the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord
from tidegate.invariants.catalogue import find
from tidegate.language import STUTTERS
from tidegate.language.judge import initial_states, state_shape, steps
from tidegate.language.model import Refinement
from tidegate.language.refinement import abstract_step, step_between_images
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Set, State
from tidegate.model.classic_group.state import Consumer, GroupState, Phase

from ...support.shipped import tiered_rows
from .test_stories import CHECKS, A, B, P, Story, owned_partitions


class ForgetfulStory(Story):
    """As Story, of a group that forgets: consumers have sent their first JoinGroup."""

    def __init__(self, profile: str, **constants: object) -> None:
        super().__init__(profile, lumped=True, **constants)

    def join(self, *members: Consumer) -> Story:
        """The coordinator hears of them."""
        return self.each("receive_join", *members)


def test_a_member_that_does_not_forget_what_it_owned_keeps_it_while_it_joins_again() -> None:
    for profile, kept in (("cooperative", set[object]()), ("kafka_12983", {P})):
        story = ForgetfulStory(profile).both().step("leave", member=B).step("hear_of_rebalance", member=A)
        story.step("pause", member=A).step("session_times_out", coordinator=0, member=A).step("refuse_join", member=A)
        assert (owned_partitions(story)[0], story.state.phase[A]) == (kept, Phase.JOINING), profile


def test_who_has_left_in_a_pause_owns_nothing() -> None:
    for profile in ("cooperative", "kafka_12983"):
        story = ForgetfulStory(profile).both().step("pause", member=A).step("poll_times_out", member=A)
        assert (owned_partitions(story)[0], story.state.phase[A]) == (set(), Phase.JOINING), profile


@pytest.mark.parametrize("profile", ["kafka_5600", "kafka_3_9_load", "offsets_lost", "unfenced_appends"])
def test_when_a_coordinator_loads_is_a_step_where_it_makes_a_difference(profile: str) -> None:
    story = ForgetfulStory(profile, failed_loads=1).both().step("fail_over", survives=False)
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
    story = ForgetfulStory("eager").both().step("fail_over", survives=False)
    assert story.state.groups[1].members == Set({A, B})
    with pytest.raises(StepError, match="lumped"):
        story.step("load")


def test_a_consumer_that_joins_anew_is_thrown_out_as_one_that_is_out() -> None:
    """KAFKA-9752 is about one whose JoinGroup was answered."""
    story = ForgetfulStory("kafka_9752").join(A).step("begin_generation", coordinator=0, leader=A)
    with pytest.raises(StepError, match="is_unwatched"):
        story.step("pause", member=A).step("session_times_out", coordinator=0, member=A)
    anew = state_shape(story.model).replace(story.state, answers=Map({A: None, B: None}))
    story.state = anew
    story.step("session_times_out", coordinator=0, member=A)
    assert A not in story.state.groups[0].members


def violations(check: CheckRecord) -> list[str]:
    """What a recorded check says is violated."""
    return [name for name, it in check.properties.items() if it.verdict == "violated"]


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(violations(check))}"


@pytest.mark.nightly
@pytest.mark.parametrize(
    "check", [check for check in CHECKS if check.tier == "commit" and violations(check)], ids=check_name
)
def test_what_fails_fails_where_the_group_forgets(check: CheckRecord, cache: Path) -> None:
    (name,) = violations(check)
    values = {**check.constants, "lumped": True}
    model = find("classic_group")[0].bind("lumped", values, check.profile, properties=[name])
    (found,) = ENGINES["native"](model, Search(symmetry=check.symmetry, cache=cache), None).properties
    assert (found.verdict, found.run is not None) == ("violated", True)


LIVE, _ = find("classic_group_live")
ASKED = [asked.name for asked in LIVE.bind("asked").liveness]


def test_what_must_happen_is_not_asked_of_a_group_that_forgets() -> None:
    """It has no step for a JoinGroup that is sent, and none for a load: what is fair of them would be so for lack."""
    sizes = {"consumers": 1, "partitions": 1, "max_generation": 1, "pauses": 0, "failovers": 0, "records": 0}
    for name in ASKED:
        model = LIVE.bind("lumped", {**sizes, "commits": 0, "lumped": True}, "eager", properties=[name])
        verdict = ENGINES["python"](model, Search(deadlocks=False), None)
        assert verdict.failure is not None and "assert not lumped" in verdict.failure.message, name
    assert len(ASKED) > 10


TWO_FAIL_OVERS = {"partitions": 1, "max_generation": 1, "records": 0, "commits": 0, "failovers": 2, "pauses": 0}
SIZES = (
    ("eager", {"consumers": 1, "pauses": 1, "entries": 2}),
    ("eager", {"consumers": 1, "records": 1, "commits": 1, "entries": 3}),
)


def resigns_at_once(refinement: Refinement, before: State, after: State) -> bool:
    """Whether a step is a fail-over of the group that forgets, whose coordinator of before resigns right after."""
    wanted = refinement.image(after)
    return any(
        step_between_images(refinement, step.state_after, wanted, "resign") not in (None, STUTTERS)
        for step in steps(refinement.abstract, refinement.image(before))
        if step.action == "fail_over"
    )


@pytest.mark.parametrize(
    ("profile", "sizes"), tiered_rows(SIZES, lambda row: "commits" in row[1]), ids=["pause", "commit"]
)
def test_with_two_fail_overs_each_step_is_one_or_two_of_the_group_that_forgets(
    profile: str, sizes: dict[str, int]
) -> None:
    """A coordinator that fails before it has loaded the log is one there that has, and that resigns at once."""
    model = find("classic_group_as_lumped")[0].bind("two", {**TWO_FAIL_OVERS, **sizes}, profile)
    (refinement,) = (prop.refinement for prop in model.properties if prop.refinement is not None)
    todo = list(initial_states(model))
    seen, twice = set(todo), 0
    while todo:
        before = todo.pop()
        for step in steps(model, before):
            if abstract_step(refinement, before, step.state_after, step.action) is None:
                assert step.action == "fail_over" and resigns_at_once(refinement, before, step.state_after), step
                twice += 1
            if step.state_after not in seen:
                seen.add(step.state_after)
                todo.append(step.state_after)
    assert twice > 0
