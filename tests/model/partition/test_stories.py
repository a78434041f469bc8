"""A partition's life as stories: what is promised, how it was lost before, and what each setting is for.

The steps are taken by the judge, in plain Python. What was recorded is counted again by the gate; the smallest of it
here, by both engines.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.steptext import StepError

from ...conftest import ROOT
from ...support.partition_story import A, B, C, Story
from ...support.shipped import gate_parameters, tier_parameters

RECORD = read_record_file(ROOT / "spec" / "partition.toml")


# --- how it should be -------------------------------------------------------------------------------------------------


def test_a_record_is_written_fetched_committed_and_acknowledged() -> None:
    story = Story().step("produce", leader=A)
    # One follower is not enough: the other is in the ISR, too.
    story.fetch(A, B)
    with pytest.raises(StepError, match="end_in_sync"):
        story.step("advance_high_watermark", leader=A)
    story.fetch(A, C).step("advance_high_watermark", leader=A)
    assert (set(story.state.acknowledged), story.state.high_watermark[A]) == ({0}, 1)
    # The follower's high watermark is one fetch behind.
    assert story.state.high_watermark[B] == 0
    story.fetch(A, B)
    assert story.state.high_watermark[B] == 1
    assert story.false() == set()


def test_a_broker_that_dies_is_replaced_and_comes_back() -> None:
    story = Story().commit(A, B, C).step("crash", broker=A).fence(A, B).learn(B, C)
    assert story.isr() == {B, C}
    story.commit(B, C)
    # The old leader finds out where the logs part, fetches, and is in sync again.
    story.step("restart", broker=A, successor=B).learn(A).fetch(B, A).take_in(B, A)
    assert (story.log(A), story.isr()) == ([0, 1], {A, B, C})
    assert story.false() == set()


def test_an_isr_below_the_minimum_refuses_writes_and_commits_nothing() -> None:
    story = Story().step("produce", leader=A).fetch(A, B, C).drop(A, B).drop(A, C)
    with pytest.raises(StepError, match="accepts"):
        story.step("produce", leader=A)
    with pytest.raises(StepError, match="strict_high_watermark"):
        story.step("advance_high_watermark", leader=A)
    # Before 3.7 the record that was there already was committed, on one copy.
    old = Story("kafka_3_5").step("produce", leader=A).drop(A, B)
    old.drop(A, C).step("advance_high_watermark", leader=A)
    assert "min_isr_copies" in old.false()
    assert set(old.state.acknowledged) == set()


def test_a_stale_leader_cannot_change_the_isr_and_cannot_commit() -> None:
    story = Story().step("produce", leader=A).fetch(A, B)
    story.step("fence_alive", broker=A, successor=C).learn(C)
    with pytest.raises(StepError, match="may_propose"):
        story.step("propose_shrink", leader=A, follower=C)
    with pytest.raises(StepError, match="end_in_sync"):
        story.step("advance_high_watermark", leader=A)
    # It hears of its successor, and cuts off what nobody else has.
    story.step("unfence", broker=A, successor=C).learn(A).fetch(C, A)
    assert story.log(A) == []
    assert story.false() == set()


# --- the last replica standing ----------------------------------------------------------------------------------------


def test_the_last_replica_standing_takes_everything_with_it() -> None:
    story = Story("last_replica_standing").commit(A, B, C).drop(A, B).drop(A, C)
    # A is all that is left of the ISR; it loses power, comes back empty, and there is nobody else to be elected.
    story.step("lose_power", broker=A, kept=0).fence(A, A).step("restart", broker=A, successor=A).learn(A)
    assert story.isr() == {A}
    assert {"leader_completeness", "unclean_exclusion"} <= story.false()
    # The others, who had the record, cut it off.
    story.learn(B, C).fetch(A, B, C)
    assert "acked_durable" in story.false()


def test_eligible_leader_replicas_are_elected_instead() -> None:
    story = Story().commit(A, B, C).drop(A, B).drop(A, C)
    assert (story.isr(), story.elr()) == ({A}, {C})
    story.step("lose_power", broker=A, kept=0).fence(A, C).learn(C)
    assert (story.isr(), story.log(C)) == ({C}, [0])
    story.step("restart", broker=A, successor=C)
    assert A not in story.isr() | story.elr()
    assert story.false() == set()


def test_two_unclean_stops_are_one_too_many() -> None:
    story = Story().commit(A, B, C).drop(A, B).step("crash", broker=C).fence(C, A)
    # C's process only died and its log is whole, but Kafka cannot know.
    story.step("restart", broker=C, successor=A)
    assert story.elr() == set()
    story.step("lose_power", broker=A, kept=0).fence(A, A).step("restart", broker=A, successor=A).learn(A)
    assert story.state.registered.leader == A
    assert "leader_completeness" in story.false()


# --- who may join the ISR ---------------------------------------------------------------------------------------------


def test_a_request_to_join_does_not_outlive_the_broker_that_it_is_for() -> None:
    def story_until_restart(profile: str) -> Story:
        story = Story(profile).commit(A, B, C).drop(A, B)
        story.step("propose_expansion", leader=A, follower=B)
        # B's power fails while the request is on its way.
        return story.step("lose_power", broker=B, kept=0).fence(B, A).step("restart", broker=B, successor=A)

    story = story_until_restart("kafka_14139").step("change_isr", leader=A)
    assert {"leader_candidate_completeness", "unclean_exclusion"} <= story.false()
    story = story_until_restart("kafka_4_1")
    with pytest.raises(StepError, match="is_refused"):
        story.step("change_isr", leader=A)
    story.step("refuse_isr_change", leader=A)
    assert story.isr() == {A, C}
    assert story.false() == set()


def test_no_fenced_broker_joins() -> None:
    def story_until_request(profile: str) -> Story:
        story = Story(profile).step("fence_alive", broker=B, successor=A).learn(A)
        return story.step("propose_expansion", leader=A, follower=B)

    assert story_until_request("kafka_13916").step("change_isr", leader=A).false() == {"isr_unfenced"}
    with pytest.raises(StepError, match="is_refused"):
        story_until_request("kafka_4_1").step("change_isr", leader=A)


# --- unclean elections ------------------------------------------------------------------------------------------------


def dark(profile: str, **constants: Any) -> Story:
    """A and B have the record and are down; C has not."""
    story = Story(profile, **constants).step("produce", leader=A).fetch(A, B).drop(A, C)
    story.step("advance_high_watermark", leader=A)
    return story.step("crash", broker=B).fence(B, A).step("crash", broker=A)


def test_an_unclean_election_prefers_a_leader_to_the_records() -> None:
    story = dark("unclean_election").fence(A, C).learn(C)
    assert "leader_completeness" in story.false()


def test_clean_elections_wait() -> None:
    story = dark("kafka_4_1")
    with pytest.raises(StepError, match="is_choice"):
        story.fence(A, C)
    story.fence(A, A)
    assert story.state.registered.leader is None
    assert story.false() == set()


def test_kraft_did_not_heed_the_key_until_3_9_but_the_command() -> None:
    with pytest.raises(StepError, match="is_choice"):
        dark("kafka_3_7", unclean=True).fence(A, C)
    dark("kafka_3_9", unclean=True).fence(A, C)
    story = dark("kafka_3_7").fence(A, A).step("elect_uncleanly", broker=C).learn(C)
    assert "leader_completeness" in story.false()


# --- truncation -------------------------------------------------------------------------------------------------------


def test_kip_101_first_scenario() -> None:
    def story_until_fail_over(profile: str) -> Story:
        story = Story(profile, replicas=2).commit(A, B)
        # B restarts before it has heard that the record is committed, and A fails before B has fetched again.
        story.step("crash", broker=B).step("restart_unnoticed", broker=B).learn(B)
        return story.step("fence_alive", broker=A, successor=B).learn(B)

    story = story_until_fail_over("kafka_0_10")
    assert (story.log(B), "leader_completeness" in story.false()) == ([], True)
    story = story_until_fail_over("kafka_0_11")
    # Nothing is lost; the new leader says that the log ends at its high watermark, which is behind (KAFKA-2334).
    assert (story.log(B), story.false()) == ([0], {"listed_end_complete"})


# --- controllers ------------------------------------------------------------------------------------------------------


def test_with_the_controllers_majority_gone_nothing_is_decided() -> None:
    story = Story(co_located=True).commit(A, B, C).step("produce", leader=A)
    story.step("crash", broker=B).step("crash", broker=C)
    with pytest.raises(StepError, match="controllers_decide"):
        story.fence(B, A)
    # B is in the ISR for ever, and does not have the record.
    with pytest.raises(StepError, match="end_in_sync"):
        story.step("advance_high_watermark", leader=A)
    # One host that comes back is enough to go on.
    story.step("start_controller", broker=B).fence(B, A).step("restart", broker=B, successor=A)
    story.fence(C, A).learn(A, B).fetch(A, B).take_in(A, B).step("advance_high_watermark", leader=A)
    assert set(story.state.acknowledged) == {0, 1}


# --- producers --------------------------------------------------------------------------------------------------------


def test_a_record_that_is_sent_again_is_there_once() -> None:
    story = Story(retries=2).commit(A, B, C)
    with pytest.raises(StepError, match="acknowledged is false"):
        story.step("produce_again", leader=A, id=0)
    twice = Story("not_idempotent", retries=2).commit(A, B, C).step("produce_again", leader=A, id=0)
    assert twice.log(A) == [0, 0]
    assert "no_duplicate" in twice.false()


def test_a_copy_of_what_is_committed_is_answered() -> None:
    """The leader died that would have answered; the next one knows the record."""
    story = Story(retries=1, max_in_flight=1).step("produce", leader=A).fetch(A, B, C).step("crash", broker=A)
    story.fence(A, B).learn(B, C).fetch(B, C).step("advance_high_watermark", leader=B)
    assert 0 not in story.state.acknowledged
    story.step("produce_again", leader=B, id=0)
    assert (story.log(B), set(story.state.acknowledged)) == ([0], {0})


def test_a_second_record_may_come_first_and_be_there_twice() -> None:
    """KAFKA-15591: the first is refused for now, and the second has no answer when the first is out of sequence."""
    story = Story(retries=3).step("fail_to_produce").step("produce", leader=A)
    story.step("produce_again", leader=A, id=0)
    assert (story.log(A), story.false()) == ([1, 0], {"producer_order"})
    story.step("produce_again", leader=A, id=1)
    assert (story.log(A), story.false()) == ([1, 0, 1], {"producer_order", "no_duplicate"})
    with pytest.raises(StepError, match="max_in_flight"):
        Story(retries=3, max_in_flight=1).step("fail_to_produce").step("produce", leader=A)


def test_what_a_producer_has_an_answer_of_is_not_sent_with_another_epoch() -> None:
    """The first record is refused until it is given up."""
    story = Story(retries=3, min_isr=1).step("fail_to_produce").commit(A, B, C)
    assert (story.log(A), set(story.state.acknowledged)) == ([1], {1})
    with pytest.raises(StepError, match="begins_anew"):
        story.step("produce_again", leader=A, id=0)


def test_a_restart_that_nobody_notices_has_a_record_written_twice() -> None:
    """KAFKA-7235, before 2.2: the leader comes back without what its follower has, and the producer sends it again."""
    sizes = {"replicas": 2, "min_isr": 1, "power_losses": 1, "retries": 3, "log_size": 4, "max_records": 2}
    story = Story("kafka_2_1", **sizes).step("fail_to_produce").step("produce", leader=A).fetch(A, B)
    story.step("lose_power", broker=A, kept=0).step("restart_unnoticed", broker=A).learn(A)
    story.step("produce_again", leader=A, id=0).step("produce_again", leader=A, id=1).fetch(A, B)
    assert story.log(B) == [1, 1]
    assert "no_duplicate" in story.false()


# --- what is recorded -------------------------------------------------------------------------------------------------


def test_each_version_has_all_that_the_one_before_had() -> None:
    definition, _ = find("partition")
    versions = ["3_9", "3_7", "3_5", "3_3"]
    missing = [{name for name, value in definition.profiles[f"kafka_{v}"].items() if value is False} for v in versions]
    exempt = {"one_snapshot"}  # KAFKA-15221 came with KIP-903, in 3.5
    assert all(newer - exempt <= older for newer, older in pairwise(missing))
    versions = ["2_2", "2_1", "2_0_1", "2_0"]
    missing = [{name for name, value in definition.profiles[f"kafka_{v}"].items() if value is False} for v in versions]
    assert all(newer < older for newer, older in pairwise(missing))


SMALL = [check for check in RECORD.checks if check.counts and check.counts["distinct_states"] <= 1000]


@pytest.mark.parametrize(
    "check", tier_parameters(SMALL, lambda record: record.counts["distinct_states"] <= 500, lambda record: record.name)
)
def test_plain_python_counts_what_is_recorded(check: CheckRecord) -> None:
    definition, _ = find("partition")
    model = definition.bind(
        check.profile, check.constants, check.profile, ghosts=check.ghosts, properties=tuple(check.properties)
    )
    verdict = ENGINES["python"](model, Search(symmetry=check.symmetry), None)
    assert {name: getattr(verdict, name) for name in check.counts} == check.counts
    found = {prop.name: prop.verdict for prop in verdict.properties}
    assert {name: found[name] for name in check.properties} == {
        name: prop.verdict for name, prop in check.properties.items()
    }


PAIRS = [check for check in RECORD.checks if set(check.properties) == {"leader_completeness"}]


SOME_PAIRS = [check for check in PAIRS if "one_fault" in check.name][::2]


@pytest.mark.parametrize("check", gate_parameters(PAIRS, SOME_PAIRS.__contains__, lambda record: record.name))
def test_the_engine_finds_the_losses_that_are_recorded_and_no_others(check: CheckRecord, cache: Path) -> None:
    # Settings, switches and budgets are open: what differs is the size alone, and one kernel serves each of those.
    definition, _ = find("partition")
    model = definition.bind(
        check.profile, check.constants, check.profile, check.open, check.ghosts, tuple(check.properties)
    )
    verdict = ENGINES["native"](model, Search(symmetry=check.symmetry, recheck=20, cache=cache), None)
    (found,) = verdict.properties
    (wanted,) = check.properties.values()
    assert (found.verdict, len(found.run.steps) if found.run else None) == (wanted.verdict, wanted.steps)
    if check.counts:
        assert {name: getattr(verdict, name) for name in check.counts} == check.counts
