"""A coordinator whose broker ceases to lead, as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.coordinator_answers import Broker

from ...support.znodes import Story

A, B = Broker(0), Broker(1)
GONE = {"answered_is_kept", "what_is_shown_is_kept"}


def written_and_cut_off(profile: str) -> Story:
    """A appends a write that B does not have; B is elected, and A cuts its log."""
    story = Story(f"coordinator_answers:{profile}").step("write", broker=A).step("move_leader", broker=B)
    return story.steps("learn", "load", broker=B).steps("learn", "begin_to_fetch", broker=A)


def with_the_next_record(profile: str) -> Story:
    """And B's coordinator writes, which A copies; B's high watermark passes it, and A learns of that."""
    story = written_and_cut_off(profile).step("write", broker=B).step("fetch", broker=A)
    return story.step("raise_high_watermark").step("fetch_high_watermark", broker=A)


def test_a_coordinator_answers_once_all_replicas_have_a_write() -> None:
    story = Story("coordinator_answers:kafka_4_3_1").step("write", broker=A)
    with pytest.raises(StepError):
        story.step("raise_high_watermark")
    story.step("fetch", broker=B).step("raise_high_watermark")
    assert not story.state.answered
    assert story.step("take_high_watermark", broker=A).state.answered == {0}


@pytest.mark.parametrize("profile", ["kafka_4_3_0", "stops_too_late"])
def test_a_former_coordinator_takes_the_next_ones_record_for_its_own(profile: str) -> None:
    """KAFKA-20634."""
    story = with_the_next_record(profile).step("take_high_watermark", broker=A)
    assert (story.state.answered, [*story.state.log[B]], [*story.state.written[A]]) == ({0}, [1], [0])
    assert story.false() == GONE
    assert story.step("unload", broker=A).false() == {"answered_is_kept"}


@pytest.mark.parametrize("profile", ["kafka_4_3_1", "waits_as_leader"])
def test_one_that_hears_of_nothing_more_refuses(profile: str) -> None:
    story = with_the_next_record(profile)
    with pytest.raises(StepError, match="high"):
        story.step("take_high_watermark", broker=A)
    assert story.step("unload", broker=A).state.refused == {0}
    assert not story.state.answered and not story.false()


def test_what_was_heard_of_as_leader_is_answered_afterwards() -> None:
    """A high watermark of the time before is one of the leader's, and the write below it is everywhere."""
    story = Story("coordinator_answers:kafka_4_3_1").step("write", broker=A).step("fetch", broker=B)
    story.step("raise_high_watermark").step("move_leader", broker=B).step("learn", broker=B).step("learn", broker=A)
    story.step("take_high_watermark", broker=A)
    assert story.state.answered == {0} and not story.false()


def test_a_high_watermark_below_the_last_one_or_beyond_what_was_written_is_dropped() -> None:
    """SnapshottableCoordinator throws, which is logged: "New committed offset ... must be less than or equal to"."""
    story = with_the_next_record("kafka_4_3_0").step("write", broker=B).step("fetch", broker=A)
    story.step("raise_high_watermark").step("fetch_high_watermark", broker=A).step("take_high_watermark", broker=A)
    assert not story.state.answered and story.state.waiting[A] == {0}


def test_a_coordinator_that_leads_again_loads_what_is_in_the_log() -> None:
    story = with_the_next_record("kafka_4_3_1").step("move_leader", broker=A).step("learn", broker=A)
    with pytest.raises(StepError):
        story.step("load", broker=A)
    assert [*story.steps("unload", "load", broker=A).state.written[A]] == [1]
