"""Stories of copies that move, of logs that are cut late or not at all, and of what consumers receive."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError

from ...support.partition_story import A, B, C, Story

# --- the copies move --------------------------------------------------------------------------------------------------


def story_without_c(profile: str = "kafka_4_1", **constants: int) -> Story:
    """A and B hold the copies; C had one with a record that is committed, and has deleted it."""
    story = Story(profile, **constants).commit(A, B, C).step("reassign", target={A, B})
    story.step("complete_reassignment", successor=A)
    assert story.isr() == {A, B}
    return story.step("delete_replica", broker=C)


def test_the_new_ones_fetch_before_the_old_ones_go() -> None:
    story = story_without_c().learn(A, B).step("reassign", target={A, C})
    # B is wanted no more, and stays until C is in sync.
    with pytest.raises(StepError, match="may_complete"):
        story.step("complete_reassignment", successor=A)
    story.learn(C).fetch(A, C).take_in(A, C)
    assert story.isr() == {A, B, C}
    story.step("complete_reassignment", successor=A)
    assert (story.isr(), set(story.state.assignment.replicas)) == ({A, C}, {A, C})
    assert story.false() == set()


def test_a_leader_that_holds_no_copy_any_more_hands_over_and_deletes() -> None:
    story = Story().commit(A, B, C).step("produce", leader=A).step("reassign", target={B, C})
    with pytest.raises(StepError, match="is_choice"):
        story.step("complete_reassignment", successor=A)
    story.step("complete_reassignment", successor=B).learn(B, C)
    # A has not heard of it, takes records still, and commits none: B and C fetch from another.
    story.step("produce", leader=A)
    with pytest.raises(StepError, match="end_in_sync"):
        story.step("advance_high_watermark", leader=A)
    with pytest.raises(StepError, match="assignment"):
        story.learn(A)
    story.step("delete_replica", broker=A)
    assert (story.log(A), story.log(B), set(story.state.refused)) == ([], [0], {1, 2})
    assert story.false() == set()


def test_a_broker_that_holds_no_copy_is_not_elected_uncleanly() -> None:
    story = story_without_c().step("crash", broker=B).fence(B, A).step("crash", broker=A).fence(A, A)
    with pytest.raises(StepError, match="unfenced"):
        story.step("elect_uncleanly", broker=C)


def test_a_reassignment_was_complete_with_too_few_until_3_8() -> None:
    def story_until_move(profile: str) -> Story:
        return Story(profile).drop(A, C).step("reassign", target={B, C})

    story = story_until_move("kafka_15665").step("complete_reassignment", successor=B)
    assert story.isr() == {B}
    for profile in ("kafka_4_1", "kafka_4_3"):
        with pytest.raises(StepError, match="may_complete"):
            story_until_move(profile).step("complete_reassignment", successor=B)


def test_since_4_3_who_stays_need_not_be_in_sync_unless_there_are_to_be_fewer_copies() -> None:
    def story_until_c_joins(profile: str) -> Story:
        story = story_without_c(profile).learn(A, B).drop(A, B).step("reassign", target={A, B, C})
        return story.learn(C).fetch(A, C).take_in(A, C)

    story = story_until_c_joins("kafka_4_3").step("complete_reassignment", successor=A)
    assert (story.isr(), set(story.state.assignment.replicas)) == ({A, C}, {A, B, C})
    assert story.state.assignment.adding == set()
    with pytest.raises(StepError, match="may_complete"):
        story_until_c_joins("kafka_4_1").step("complete_reassignment", successor=A)


def test_a_reassignment_is_complete_though_nobody_can_lead() -> None:
    story = Story("kafka_3_9", min_isr=1, directory_losses=1).drop(A, B).drop(A, C)
    story.step("lose_directory", broker=A).fence(A, A).step("restart", broker=A, successor=A)
    assert (story.isr(), story.state.registered.leader) == ({A}, None)
    story.step("reassign", target={A}).step("complete_reassignment", successor=A)
    assert (set(story.state.assignment.replicas), story.state.registered.leader) == ({A}, None)


def story_until_c_has_left(**constants: bool) -> Story:
    """A is alone in sync, C is added and catches up, and that is cancelled, whereupon C deletes what it has."""
    moves = {"reassignments": 3, "cancellations": 1}
    story = story_without_c("kafka_4_1", **moves, **constants).learn(A, B).drop(A, B)
    story.step("reassign", target={A, B, C}).learn(C).fetch(A, C).take_in(A, C)
    story.step("cancel_reassignment", successor=A)
    return story.step("delete_replica", broker=C)


def test_who_leaves_while_few_are_in_sync_is_elected_with_an_empty_copy_once_it_is_back() -> None:
    story = story_until_c_has_left()
    assert (story.isr(), set(story.state.registered.elr), C in story.state.assignment.replicas) == ({A}, {C}, False)
    assert story.false() == set()
    with pytest.raises(StepError, match="is_choice"):
        story.step("fence_alive", broker=A, successor=C)
    story.step("reassign", target={A, B, C}).step("fence_alive", broker=A, successor=C).learn(C)
    assert (story.isr(), story.log(C)) == ({C}, [])
    assert {"leader_completeness", "leader_candidate_completeness", "unclean_exclusion"} <= story.false()


def test_one_that_is_eligible_and_runs_is_not_added_again_while_nobody_is_in_sync() -> None:
    """The controller fails as it looks for the directory of its copy (PartitionRegistration.directory)."""
    story = story_until_c_has_left().step("fence_alive", broker=A, successor=A)
    assert (story.isr(), story.elr()) == (set(), {A, C})
    with pytest.raises(StepError, match="elr"):
        story.step("reassign", target={A, B, C})


def test_an_elr_of_replicas_alone_would_prevent_that() -> None:
    story = story_until_c_has_left(leave_elr=True).step("reassign", target={A, B, C})
    assert set(story.state.registered.elr) == set()
    with pytest.raises(StepError, match="is_choice"):
        story.step("fence_alive", broker=A, successor=C)


def test_where_min_isr_is_set_again_nobody_is_eligible_who_has_left() -> None:
    story = story_until_c_has_left(min_isr_is_set=True).step("clear_elr").step("reassign", target={A, B, C})
    with pytest.raises(StepError, match="is_choice"):
        story.step("fence_alive", broker=A, successor=C)


def test_since_4_3_who_leaves_as_a_reassignment_is_complete_is_eligible_too() -> None:
    story = story_without_c("kafka_4_3").learn(A, B).drop(A, B).step("reassign", target={B, C})
    story.learn(C).fetch(A, C).step("propose_expansion", leader=A, follower=C).step("change_isr", leader=A)
    # In Kafka it is complete in that record: nobody hears of an ISR of two, and B, which nothing was committed without,
    # is eligible still.
    assert (story.isr(), set(story.state.registered.elr), story.false()) == ({A, C}, {B}, set())
    with pytest.raises(StepError, match="passes"):
        story.learn(A)
    story.step("complete_reassignment", successor=C)
    assert (story.isr(), set(story.state.registered.elr)) == ({C}, {A, B})


# --- a copy in a directory that the controller does not know of -------------------------------------------------------


def story_with_b_in_another_directory(profile: str = "kafka_4_1", **constants: bool) -> Story:
    """A leads; B, in sync again, has its copy in another directory, and the controller does not know of it."""
    story = Story(profile, directory_losses=1, **constants).step("lose_directory", broker=B).fence(B, A)
    story.step("restart", broker=B, successor=A).learn(A, B).take_in(A, B)
    assert (story.isr(), set(story.state.relocated)) == ({A, B, C}, {B})
    return story


def test_leadership_is_not_moved_to_a_copy_whose_directory_is_not_known() -> None:
    story = story_with_b_in_another_directory()
    with pytest.raises(StepError, match="unfenced_brokers"):
        story.step("elect_preferred", broker=B)
    story.step("assign_directory", broker=B).step("elect_preferred", broker=B)
    assert story.state.registered.leader == B


def test_who_led_is_noted_whenever_nobody_leads_any_more() -> None:
    def last_known_leader(**constants: bool) -> object:
        story = (
            story_with_b_in_another_directory("kafka_4_1", **constants).drop(A, C).step("crash", broker=A).fence(A, A)
        )
        assert (story.isr(), story.state.registered.leader) == ({B}, None)
        return story.state.registered.last_known_leader

    assert last_known_leader() == A
    assert last_known_leader(check_last_leader=False) is None  # 4.0: once the ISR is empty


def test_of_a_copy_that_is_gone_no_directory_is_looked_for() -> None:
    story = story_with_b_in_another_directory().step("reassign", target={A, C})
    story.step("complete_reassignment", successor=A)
    assert story.state.relocated == set()


def test_one_that_was_added_again_has_to_fetch_before_it_joins() -> None:
    def story_until_added(profile: str) -> Story:
        # A hears of both at once: that C has gone, and that it is back.
        return story_without_c(profile).step("reassign", target={A, B, C}).learn(A, C)

    story = (
        story_until_added("readded_replica")
        .step("propose_expansion", leader=A, follower=C)
        .step("change_isr", leader=A)
    )
    assert (story.log(C), C in story.isr()) == ([], True)
    assert "leader_candidate_completeness" in story.false()
    with pytest.raises(StepError, match="may_join"):
        story_until_added("kafka_4_1").step("propose_expansion", leader=A, follower=C)


def test_without_the_controllers_no_copy_moves() -> None:
    story = Story(controller_losses=2).step("lose_controller").step("lose_controller")
    with pytest.raises(StepError, match="controllers_decide"):
        story.step("reassign", target={A, B})


# --- logs are cut late, or not at all ---------------------------------------------------------------------------------


def test_an_answer_that_comes_late_cuts_the_log_of_a_leader() -> None:
    story = Story("kafka_13207", replicas=2).step("produce", leader=A).step("elect_preferred", broker=B).learn(A, B)
    story.step("answer_late", leader=B, follower=A)
    # A leads again, and what it has is committed, before it acts upon what B has answered.
    story.step("elect_preferred", broker=A).learn(A, B).fetch(A, B).step("advance_high_watermark", leader=A)
    assert story.false() == set()
    story.step("cut_late", follower=A)
    assert story.log(A) == []
    assert {"leader_candidate_completeness", "consistent_read"} <= story.false()


def test_an_answer_is_forgotten_with_the_process_that_asked() -> None:
    story = Story("kafka_13207", replicas=2).step("produce", leader=A).step("elect_preferred", broker=B).learn(A, B)
    story.step("answer_late", leader=B, follower=A).step("crash", broker=A)
    with pytest.raises(StepError, match="answer is not None"):
        story.step("cut_late", follower=A)
    with pytest.raises(StepError, match="fence_truncation"):
        Story().step("cut_late", follower=A)


def test_who_missed_an_epoch_asks_where_to_cut_though_its_leader_stays() -> None:
    def story_until_back(profile: str) -> Story:
        # C alone has fetched A's record; A leads, then B, then A again, and C hears of the last.
        story = Story(profile).step("produce", leader=A).fetch(A, C)
        story.step("elect_preferred", broker=B).learn(A, B).step("truncate", leader=B, follower=A)
        return story.step("elect_preferred", broker=A).learn(A, B, C)

    assert (story_until_back("kafka_7164").log(C), set(story_until_back("kafka_7164").state.truncating)) == ([0], {B})
    assert set(story_until_back("kafka_2_0_1").state.truncating) == {B, C}


def test_a_leader_without_a_record_of_its_epoch_could_not_tell_where_to_cut() -> None:
    def story_until_cut(profile: str) -> Story:
        story = Story(profile, replicas=2).step("produce", leader=A).fetch(A, B)
        story.step("advance_high_watermark", leader=A).step("elect_preferred", broker=B).learn(B)
        # B's record has an epoch of which A, who leads again, has none; B has not heard that the first is committed.
        story.step("produce", leader=B).step("elect_preferred", broker=A).learn(A, B)
        return story.step("truncate", leader=A, follower=B)

    assert story_until_cut("kafka_2_0_1").log(B) == [0]
    story = story_until_cut("kafka_7415")
    assert (story.log(B), "leader_candidate_completeness" in story.false()) == ([], True)


# --- what consumers read and receive --------------------------------------------------------------------------------


def test_a_read_at_the_end_grew_with_what_was_appended() -> None:
    assert Story("kafka_9835").step("produce", leader=A).false() == {"reads_below_high_watermark"}
    assert Story().step("produce", leader=A).false() == set()


def test_a_new_leader_does_not_say_where_the_log_ends_before_it_knows() -> None:
    def story_of_lag(profile: str) -> Story:
        return Story(profile).commit(A, B, C).step("elect_preferred", broker=B).learn(B)

    assert story_of_lag("kafka_2334").false() == {"listed_end_complete"}
    assert story_of_lag("kafka_4_1").false() == set()


@pytest.mark.parametrize(
    ("profile", "broken"),
    [("kafka_14372", "preferred_replica_complete"), ("follower_out_of_range", "offset_in_range")],
)
def test_a_follower_that_lags_misleads_consumers(profile: str, broken: str) -> None:
    def lagging(profile: str, **constants: bool) -> Story:
        return Story(profile, **constants).drop(A, C).commit(A, B)

    assert lagging(profile).false() == {broken}
    assert lagging("kafka_4_1", follower_reads=True).false() == set()


def test_an_old_high_watermark_is_what_a_follower_cut_its_log_at() -> None:
    def story_until_restart(**constants: bool) -> Story:
        story = Story("kafka_0_10", replicas=2, **constants).commit(A, B).fetch(A, B)
        return story.step("crash", broker=B).step("restart_unnoticed", broker=B).learn(B)

    assert story_until_restart().log(B) == [0]
    story = story_until_restart(fresh_checkpoint=False)
    assert (story.log(B), "leader_candidate_completeness" in story.false()) == ([], True)
