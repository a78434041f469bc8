"""A transaction's marker that an unclean election loses, as stories. The steps are taken by the judge."""

from __future__ import annotations

from tidegate.model.studies.lost_marker import Broker, Phase

from ....support.znodes import Story

A, B = Broker(0), Broker(1)


def lost_marker(profile: str, commit: bool, **constants: int) -> Story:
    """Transaction 1 is complete; B, which is elected uncleanly, has its record and not its marker."""
    story = Story(f"lost_marker:{profile}", **constants).steps("begin", "write").step("fetch", follower=B)
    story.step("end", commit=commit).step("fall_behind", follower=B).steps("send_marker", "complete")
    return story.step("elect", broker=B)


def test_readers_stop_before_a_transaction_that_is_complete() -> None:
    """KAFKA-20716."""
    story = lost_marker("unclean", commit=True)
    assert (story.state.phase, story.false()) == (Phase.COMPLETE, {"nothing_hangs"})


def test_the_next_transactions_marker_ends_both() -> None:
    for commit, false in ((True, "committed_is_not_dropped"), (False, "aborted_is_never_delivered")):
        story = lost_marker("unclean", commit).steps("begin", "write").step("end", commit=not commit)
        assert story.step("send_marker").false() == {false}


def test_an_operator_who_aborts_what_hangs_drops_what_was_committed() -> None:
    assert lost_marker("aborted_by_hand", commit=True).step("abort_by_hand").false() == {"committed_is_not_dropped"}
    assert lost_marker("aborted_by_hand", commit=False).step("abort_by_hand").false() == set()


def test_a_marker_that_is_lost_before_it_is_complete_is_sent_again() -> None:
    story = Story("lost_marker:unclean").steps("begin", "write").step("fetch", follower=B).step("end", commit=True)
    story.step("fall_behind", follower=B).step("send_marker").step("elect", broker=B)
    assert story.steps("send_marker", "complete").false() == set()
