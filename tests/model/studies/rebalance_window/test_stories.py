"""What stands still in a rebalance, as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.language.values import Map
from tidegate.model.studies.rebalance_window import Consumer, Partition

from ....support.znodes import Story

A, B, C = Consumer(0), Consumer(1), Consumer(2)
P, Q, R = Partition(0), Partition(1), Partition(2)
DEALT = Map({P: B, Q: B, R: C})
MOVED = Map({P: A, Q: B, R: C})


def with_two_members(profile: str) -> Story:
    """B has two partitions, C one, and A joins."""
    story = Story(f"rebalance_window:{profile}")
    if profile == "kip_848":
        story.step("compute_target", target=DEALT)
        for member, partition in ((B, P), (B, Q), (C, R)):
            story.step("take", member=member, partition=partition)
        return story.step("join", member=A)
    for member in (B, C):
        story.step("join_again", member=member)
    story.step("assign", target=DEALT)
    for member in (B, C):
        story.step("sync", member=member)
    return story.step("join", member=A)


def test_eager_members_all_stand_still_until_the_last_has_joined() -> None:
    story = with_two_members("eager")
    for member in (B, C):
        story.step("join_again", member=member)
    assert [story.state.owner[p] for p in (P, Q, R)] == [None] * 3
    with pytest.raises(StepError, match="joined"):
        story.step("assign", target=MOVED)
    story.step("join_again", member=A).step("assign", target=MOVED)
    for member in (A, B, C):
        story.step("sync", member=member)
    assert story.state.owner == MOVED


def test_cooperative_members_go_on_with_all_but_what_moves_and_need_two_rebalances() -> None:
    story = with_two_members("kip_429")
    for member in (A, B, C):
        story.step("join_again", member=member)
    story.step("assign", target=MOVED)
    assert story.state.given[P] is None  # B still has it
    story.step("sync", member=B)
    assert story.state.owner == Map({P: None, Q: B, R: C}) and story.state.changed
    for member in (A, B, C):
        story.step("join_again", member=member)
    story.step("assign", target=MOVED).step("sync", member=A)
    assert story.state.owner == MOVED and story.false() == set()


def test_with_kip_848_one_partition_moves_and_nobody_joins_again() -> None:
    story = with_two_members("kip_848").step("compute_target", target=MOVED)
    with pytest.raises(StepError, match="owner"):
        story.step("take", member=A, partition=P)
    story.step("give_up", member=B, partition=P).step("take", member=A, partition=P)
    assert story.state.owner == MOVED and story.false() == set()


@pytest.mark.parametrize("profile", ["kip_429", "kip_848"])
def test_nobody_gives_up_what_it_need_not(profile: str) -> None:
    story = with_two_members(profile)
    needless = Map({P: A, Q: C, R: B})
    if profile == "kip_429":
        for member in (A, B, C):
            story.step("join_again", member=member)
    with pytest.raises(StepError, match="is_target"):
        story.step("assign" if profile == "kip_429" else "compute_target", target=needless)


def of_two(profile: str) -> Story:
    """A has P and Q, B has R, and both subscribe to the three topics."""
    story = Story(f"rebalance_window:{profile}", members=2, joins=0, changes=1, deletions=1)
    return deal(story, profile, Map({P: A, Q: A, R: B}))


def deal(story: Story, profile: str, target: Map[Partition, Consumer]) -> Story:
    """A rebalance of A and B, to its end if nobody gives anything up."""
    if profile == "kip_848":
        story.step("compute_target", target=target)
        for partition, member in target.items():
            if story.state.owner[partition] is None and partition in story.state.exists:
                story.step("take", member=member, partition=partition)
        return story
    for member in (A, B):
        story.step("join_again", member=member)
    story.step("assign", target=target)
    for member in (A, B):
        story.step("sync", member=member)
    return story


@pytest.mark.parametrize("profile", ["kip_429", "kip_848"])
def test_what_a_member_subscribes_to_no_more_another_one_consumes(profile: str) -> None:
    story = of_two(profile).step("change_subscription", member=A, partition=P)
    if profile == "kip_429":
        story.step("join_again", member=A)
        assert story.state.owner == Map({P: None, Q: A, R: B})  # given up before it joins
        story.step("join_again", member=B)
    with pytest.raises(StepError, match="is_target"):  # P is not for A
        story.step("assign" if profile == "kip_429" else "compute_target", target=Map({P: A, Q: A, R: B}))
    target = Map({P: B, Q: A, R: B})
    if profile == "kip_429":
        story.step("assign", target=target).step("sync", member=A).step("sync", member=B)
    else:
        story.step("compute_target", target=target)
        story.step("give_up", member=A, partition=P).step("take", member=B, partition=P)
    assert story.state.owner == target and story.false() == set() and not story.state.changed


@pytest.mark.parametrize("profile", ["kip_429", "kip_848"])
def test_a_topic_that_is_deleted_leaves_the_others_where_they_are_if_that_is_fair(profile: str) -> None:
    story = of_two(profile).step("delete_topic", partition=P)
    assert story.state.owner == Map({P: None, Q: A, R: B})
    with pytest.raises(StepError, match="is_target"):
        deal(story, profile, Map({P: A, Q: B, R: A}))


def test_a_member_that_may_have_one_is_not_left_without() -> None:
    """B does not subscribe to R any more. Two for A and none for B, who may have P, would not be fair."""
    story = Story("rebalance_window:kip_848", members=2, joins=0, changes=1)
    deal(story, "kip_848", Map({P: A, Q: A, R: B})).step("change_subscription", member=B, partition=R)
    with pytest.raises(StepError, match="is_target"):
        story.step("compute_target", target=Map({P: A, Q: A, R: A}))
    story.step("compute_target", target=Map({P: A, Q: B, R: A}))
