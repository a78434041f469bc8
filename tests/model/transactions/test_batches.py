"""Transactions of several batches, of records and offsets at once, and of writes that are verified before they are
appended, as stories."""

from __future__ import annotations

import pytest
from tidegate.language.judge import holds
from tidegate.language.steptext import StepError
from tidegate.model.transactions.state import Kind

from .test_stories import A, P, Q, Story


def test_a_batch_that_is_sent_ahead_is_refused_until_the_one_before_is_there() -> None:
    story = Story("pipelined", batches=2, late_produces=2).step("init_producer", client=A).step("begin", client=A)
    story.step("add_partition", client=A, partition=P)
    story.step("give_up_produce", client=A, partition=P).step("give_up_produce", client=A, partition=P)
    first, second = sorted(story.state.late, key=lambda request: request.batch)
    assert [(request.batch, request.sequence) for request in (first, second)] == [(0, 0), (1, 1)]
    with pytest.raises(StepError):
        story.step("late_produce_arrives", request=second)
    story.step("late_produce_arrives", request=first).step("late_produce_arrives", request=second)
    story.ends(A, P, commit=False)
    assert (story.records_of(P), story.false()) == ([(1, "aborted"), (1, "aborted")], set())


def sends_ahead(profile: str) -> Story:
    """A has sent two batches to P, of which neither is answered."""
    story = Story(profile, batches=2, late_produces=2).step("init_producer", client=A).step("begin", client=A)
    story.step("add_partition", client=A, partition=P)
    return story.step("give_up_produce", client=A, partition=P).step("give_up_produce", client=A, partition=P)


@pytest.mark.parametrize("profile", ["pipelined_3_6", "pipelined_4_0"])
def test_a_leader_that_took_the_second_batch_refuses_the_first_one(profile: str) -> None:
    """It remembers the numbers of the batches that it has, and no copy is among them: the client aborts."""
    story = sends_ahead(profile)
    second = max(story.state.late, key=lambda request: request.batch)
    story.step("late_produce_arrives", request=second)
    with pytest.raises(StepError):
        story.step("produce", client=A, partition=P)
    assert story.ends(A, P, commit=False).records_of(P) == [(1, "aborted")]


def test_a_client_does_not_commit_while_a_batch_that_it_sent_ahead_is_not_answered() -> None:
    story = sends_ahead("pipelined").step("produce", client=A, partition=P)
    with pytest.raises(StepError):
        story.step("end", client=A, commit=True)
    story.step("produce", client=A, partition=P).ends(A, P)
    assert (story.records_of(P), story.false()) == ([(1, "committed"), (1, "committed")], set())


def test_a_marker_leaves_a_verified_write_of_the_next_transaction_in_version_2() -> None:
    """Its epoch is the one that the marker says (isV2NextTransactionStarted of UnifiedLog)."""
    story = Story("two_steps_4_2").step("init_producer", client=A).opens(A, P).step("end", client=A, commit=True)
    story.step("repeat_marker", partition=P).marks(P).step("begin", client=A)
    story.step("add_partition", client=A, partition=P).step("give_up_produce", client=A, partition=P)
    write, copy = sorted(story.state.late, key=lambda request: request.kind == Kind.MARKER)
    story.step("verify_late_produce", request=write).step("late_marker_arrives", request=copy)
    story.step("append_verified", request=write)
    assert (story.records_of(P), story.false()) == ([(1, "committed"), (2, "open")], set())


def test_a_write_that_was_verified_is_appended_after_its_end_is_decided() -> None:
    """It is of an epoch that is over, and the marker that comes then ends it with its transaction."""
    story = Story("two_steps_4_2").step("init_producer", client=A).step("begin", client=A)
    story.step("add_partition", client=A, partition=P).step("give_up_produce", client=A, partition=P)
    story.arrives("verify_late_produce").step("end", client=A, commit=False)
    story.step("append_verified", request=next(iter(story.state.verified))).marks(P)
    assert (story.state.epoch[A], story.records_of(P), story.false()) == (2, [(1, "aborted")], set())


def test_records_and_offsets_of_one_transaction_go_to_partitions_of_their_own() -> None:
    for profile, false in (
        ("both_3_7", {"appended_once", "aborted_is_never_delivered", "atomic_visibility"}),
        ("both_4_2", set[str]()),
    ):
        story = Story(profile)
        (offsets,) = story.state.of_offsets
        (records,) = {P, Q} - {offsets}
        story.step("init_producer", client=A).step("begin", client=A)
        story.step("add_partition", client=A, partition=offsets)
        story.step("give_up_produce", client=A, partition=offsets).step("produce", client=A, partition=offsets)
        story.ends(A, offsets, commit=False).opens(A, records, offsets)
        if false:
            story.arrives("late_produce_arrives")
        else:
            with pytest.raises(StepError):
                story.arrives("late_produce_arrives")
        assert story.ends(A, records, offsets).false() == false


def test_a_partition_has_room_for_each_batch_and_for_each_copy_that_is_late() -> None:
    """Commits of offsets have no numbers, so that both copies are appended, beside two batches of each transaction."""
    story = Story("offsets_4_2", transactions=1, batches=2, late_produces=2).step("init_producer", client=A)
    story.step("begin", client=A).step("add_partition", client=A, partition=P)
    story.step("give_up_produce", client=A, partition=P).step("produce", client=A, partition=P)
    story.step("give_up_produce", client=A, partition=P).step("produce", client=A, partition=P)
    for request in sorted(story.state.late, key=lambda request: request.batch):
        story.step("late_produce_arrives", request=request)
    assert [cell.batch for cell in story.state.logs[P]] == [0, 1, 0, 1]
    assert {"appended_once", "type_ok"} & story.false() == {"appended_once"}


@pytest.mark.parametrize("profile", ["both_3_7", "both_4_2"])
def test_a_commit_of_offsets_that_was_sent_twice_is_there_twice_in_its_own_transaction(profile: str) -> None:
    """T4 fails, and T5 in the step of the second one: a leader looks at no number of what a coordinator appends."""
    story = Story(profile)
    (offsets,) = story.state.of_offsets
    story.step("init_producer", client=A).step("begin", client=A).step("add_partition", client=A, partition=offsets)
    story.step("give_up_produce", client=A, partition=offsets).step("produce", client=A, partition=offsets)
    before = story.state
    story.arrives("late_produce_arrives")
    (gap,) = (prop for prop in story.model.properties if prop.name == "sequences_have_no_gap")
    assert (story.false(), holds(story.model, gap, before, story.state)) == ({"appended_once"}, False)
