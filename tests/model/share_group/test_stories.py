"""A share group whose leader moves, or whose state is lost, as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.share_group import Broker, Consumer, Phase

from ...support.znodes import Story

A, B = Broker(0), Broker(1)
ONE = Consumer(0)


def start_group(profile: str, **constants: int) -> Story:
    """A leads, and a member has subscribed; then a record is produced and given to it."""
    story = Story(f"share_group:{profile}", **constants).step("subscribe").step("load", broker=A).step("produce")
    return story.step("acquire", broker=A, member=ONE, index=0)


def test_without_a_start_offset_the_next_leader_begins_at_the_newest_end() -> None:
    """latest: what is produced before a record is finished is skipped when the leader moves."""
    story = start_group("kafka_4_2").step("move_leader").step("load", broker=B)
    assert (story.state.start[B], story.false()) == (1, {"nothing_is_skipped"})
    assert start_group("start_is_written").step("move_leader").step("load", broker=B).state.start[B] == 0


def test_a_former_leader_is_refused_and_forgets() -> None:
    story = start_group("earliest").step("move_leader").step("load", broker=B).step("accept", broker=A, index=0)
    assert (story.state.confirmed, story.state.active[A]) == (set(), False)
    assert story.state.phase[B][0] == Phase.AVAILABLE


def test_since_4_1_a_state_that_is_lost_stops_the_group() -> None:
    story = start_group("earliest", losses=1).step("lose_state").step("accept", broker=A, index=0)
    assert (story.state.confirmed, story.state.phase[A][0]) == (set(), Phase.ACQUIRED)
    with pytest.raises(StepError):
        story.step("move_leader").step("load", broker=B)


def test_in_4_0_a_group_whose_state_is_lost_starts_anew() -> None:
    story = start_group("earliest_4_0", losses=1).step("accept", broker=A, index=0).step("lose_state")
    story.step("move_leader").step("load", broker=B).step("acquire", broker=B, member=ONE, index=0)
    assert story.false() == {"accepted_is_not_given_again", "accepted_is_given_to_nobody"}


def delete_while_a_member_stays(profile: str) -> Story:
    """A has a record at a member that stays connected, and the group is deleted, or its offsets, and begins again."""
    return start_group(profile).step("delete").step("subscribe")


def test_what_a_group_of_the_same_name_has_finished_may_be_of_the_deleted_one() -> None:
    """The share coordinator forgot the epochs, and both groups have the same state epoch."""
    story = delete_while_a_member_stays("group_deleted").step("accept", broker=A, index=0)
    assert (story.state.kept_phase[0], story.state.confirmed) == (Phase.ACKNOWLEDGED, set())
    assert story.false() == {"finished_by_this_group", "nothing_is_skipped"}


def test_the_state_epoch_refuses_what_was_read_before_offsets_were_deleted() -> None:
    story = delete_while_a_member_stays("offsets_deleted").step("accept", broker=A, index=0)
    assert (story.state.kept_phase[0], story.state.active[A]) == (Phase.AVAILABLE, False)
    assert story.false() == set()


def test_a_broker_forgets_what_was_deleted_with_the_last_connection() -> None:
    story = delete_while_a_member_stays("group_deleted").step("disconnect", broker=A).step("load", broker=A)
    assert (story.state.start[A], story.state.phase[A][0], story.false()) == (0, Phase.AVAILABLE, set())
    with pytest.raises(StepError):
        story.step("disconnect", broker=A)
