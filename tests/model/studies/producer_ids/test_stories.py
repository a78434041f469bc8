"""Blocks of producer ids as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.studies.producer_ids import Broker

from ....support.znodes import Story

A, B, C = (Broker(i) for i in range(3))


def test_of_two_that_read_the_same_block_one_reads_again() -> None:
    story = Story("producer_ids").step("read_block", broker=A).step("read_block", broker=B).step("take_block", broker=A)
    with pytest.raises(StepError, match="version"):
        story.step("take_block", broker=B)
    story.step("read_again", broker=B).step("take_block", broker=B)
    assert (story.state.held[A], story.state.held[B]) == (1, 2)


def test_kraft_hands_out_the_last_block_again_if_that_is_what_was_copied() -> None:
    for profile, block in (("kafka_15552", 1), ("fenced", 2)):
        story = Story(f"producer_ids:{profile}").steps("read_block", "take_block", broker=A).step("move_to_kraft")
        story.step("take_block_from_kraft", broker=B)
        assert story.state.held[B] == block
        assert story.false() == ({"block_is_handed_out_once"} if block == 1 else set())


def test_a_block_may_be_given_twice_to_the_only_broker() -> None:
    """Once by ZooKeeper and once by KRaft, which is more often than there are brokers."""
    story = Story("producer_ids:kafka_15552", brokers=1).steps("read_block", "take_block", broker=A)
    story.step("move_to_kraft").step("take_block_from_kraft", broker=A)
    assert (story.state.handed_out[1], story.false()) == (2, {"block_is_handed_out_once"})


def test_a_zombie_takes_the_block_that_kraft_hands_out() -> None:
    """The write compares the znode's version, which KRaft has only read, and not /controller_epoch."""
    story = Story("producer_ids:kafka_3_9").step("read_block", broker=A).step("move_to_kraft")
    story.step("take_block_from_kraft", broker=B)
    assert story.step("take_block", broker=A).false() == {"block_is_handed_out_once"}
    story = Story("producer_ids:fenced").step("read_block", broker=A).step("move_to_kraft")
    assert story.state.read[A] is None
    with pytest.raises(StepError, match="is_served"):
        story.step("read_block", broker=A)


def test_a_znode_that_kraft_has_written_stops_no_zombie() -> None:
    """Compare-and-set refuses what was read before; whoever is refused reads again, and takes the same block."""
    story = Story("producer_ids:rewritten").step("read_block", broker=A).step("move_to_kraft")
    with pytest.raises(StepError, match="version"):
        story.step("take_block", broker=A)
    story.step("read_again", broker=A).step("take_block", broker=A).step("take_block_from_kraft", broker=B)
    assert story.state.held[A] == story.state.held[B] == 1 and story.false() == {"block_is_handed_out_once"}


def test_a_broker_whose_write_was_not_answered_recognises_its_block_or_leaves_it_unused() -> None:
    for profile, block in (("kafka_2_6", 1), ("kafka_3_9", 2)):
        story = Story(f"producer_ids:{profile}", lost_answers=1).steps("read_block", "take_block_unheard", broker=A)
        if block == 1:
            with pytest.raises(StepError, match="checks_content"):
                story.step("read_again", broker=A)
            story.step("recognise", broker=A)
        else:
            story.steps("read_again", "take_block", broker=A)
        assert story.state.held[A] == block and story.false() == set()


def test_a_block_that_does_not_say_for_whom_it_is_is_taken_by_two() -> None:
    for profile, taken in (("unnamed", True), ("kafka_2_6", False)):
        story = Story(f"producer_ids:{profile}").step("read_block", broker=A).step("read_block", broker=B)
        story.step("take_block", broker=A)
        if taken:
            assert story.step("recognise", broker=B).false() == {"block_is_handed_out_once"}
        else:
            with pytest.raises(StepError, match="finds_own"):
                story.step("recognise", broker=B)


def test_a_cluster_that_has_handed_out_no_block_moves_without_harm() -> None:
    story = Story("producer_ids:kafka_15552").step("move_to_kraft").step("take_block_from_kraft", broker=C)
    assert story.state.held[C] == 1 and story.false() == set()
