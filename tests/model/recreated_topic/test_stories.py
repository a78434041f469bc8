"""A topic that is deleted and made again, as stories, and what was recorded of it. The steps are taken by the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.steptext import StepError
from tidegate.language.values import State
from tidegate.model.recreated_topic import Broker

from ...conftest import ROOT
from ...support.shipped import bind_shipped
from ..test_counts import assert_as_recorded, bind_check

A, B = Broker(0), Broker(1)
CHECKS = read_record_file(ROOT / "spec" / "recreated_topic.toml").checks


class Story:
    """A leads the topic in epoch 0, and the consumer knows nothing of it."""

    def __init__(self, profile: str = "kafka_3_1") -> None:
        self.model = bind_shipped(f"recreated_topic:{profile}", {"records": 3}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def learns(self, epoch: int) -> Story:
        """The consumer learns of an epoch."""
        return self.step("refresh_metadata", epoch=epoch)

    def reads(self, records: int) -> Story:
        """So many records are produced and read."""
        for _ in range(records):
            self.step("produce").step("fetch")
        return self

    def made_again(self) -> Story:
        """The topic is deleted, and made again with A as leader."""
        return self.step("delete_topic").step("create_topic", leader=A)

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def test_up_to_3_0_0_a_consumer_asks_the_leader_of_the_deleted_topic_until_the_new_one_has_its_epoch() -> None:
    story = Story("kafka_2_8").step("elect", leader=B).learns(1).made_again().learns(0)
    assert (story.state.seen_leader, story.state.seen_epoch, story.false()) == (B, 1, {"newest_metadata_count"})
    with pytest.raises(StepError, match="is_answered"):
        story.step("produce").step("fetch")
    story.step("elect", leader=B).learns(1).step("fetch")
    assert story.false() == set()


def test_since_3_0_1_another_topic_id_counts_whatever_its_epoch() -> None:
    story = Story().step("elect", leader=B).learns(1).made_again().learns(0).reads(1)
    assert (story.state.seen_epoch, story.state.read, story.false()) == (0, 1, set())


@pytest.mark.parametrize("profile", ["kafka_3_1", "forgets_id"])
def test_who_has_heard_that_there_is_no_topic_takes_the_first_id(profile: str) -> None:
    story = Story(profile).step("elect", leader=B).learns(1).step("delete_topic").step("hear_of_deletion")
    story.step("create_topic", leader=A).learns(0)
    assert story.false() == (set() if profile == "kafka_3_1" else {"newest_metadata_count"})


def test_an_older_answer_about_the_same_topic_does_not_count() -> None:
    story = Story().step("elect", leader=B).learns(1).learns(0)
    assert (story.state.seen_leader, story.state.seen_epoch) == (B, 1)


@pytest.mark.parametrize(("profile", "skips"), [("kafka_3_1", True), ("restarts", False)])
def test_a_position_of_the_old_topic_counts_in_the_new_one(profile: str, *, skips: bool) -> None:
    story = Story(profile).learns(0).reads(1).made_again().step("produce").step("produce").learns(0).step("fetch")
    assert (story.state.skipped, story.state.position) == ((True, 2) if skips else (False, 1))


def test_a_position_that_was_read_in_a_newer_epoch_than_the_new_topics_begins_anew() -> None:
    """The leader knows nothing of that epoch (UNDEFINED_EPOCH)."""
    story = Story().step("elect", leader=B).learns(1).reads(2).made_again().step("produce").learns(0)
    with pytest.raises(StepError, match="validated"):
        story.step("fetch")
    story.step("validate").step("fetch")
    assert (story.state.position, story.state.skipped) == (1, False)


def test_a_position_beyond_the_new_topics_end_begins_anew_and_one_beyond_an_epochs_end_goes_back() -> None:
    story = Story().learns(0).reads(2).made_again().learns(0).step("produce").step("leave_range").step("fetch")
    assert (story.state.position, story.state.skipped) == (1, False)
    story = Story().learns(0).reads(2).made_again().step("produce").step("elect", leader=B).step("produce").learns(1)
    story.step("validate")
    assert story.state.position == 1
    story.step("fetch")
    assert story.state.skipped


def test_the_coordinator_of_kip_848_takes_the_old_topics_partition_before_it_gives_the_new_ones() -> None:
    """The consumer has heard of the new topic alone, and reads on in it until then."""
    story = Story("kip_848").learns(0).step("receive_assignment").reads(1).made_again()
    story.step("produce").step("produce").learns(0).step("fetch")
    assert (story.state.skipped, story.state.position) == (True, 2)
    with pytest.raises(StepError, match="assigned"):
        story.step("receive_assignment")
    story.step("give_up").step("receive_assignment").step("fetch")
    assert (story.state.position, story.state.read) == (1, 1)


@pytest.mark.parametrize(("profile", "begins"), [("kip_848", 0), ("kip_848_commits", 1)])
def test_what_is_committed_before_the_partition_is_given_up_counts_in_the_new_topic(profile: str, begins: int) -> None:
    story = Story(profile).learns(0).step("receive_assignment").reads(1).made_again().learns(0)
    story.step("give_up").step("receive_assignment")
    assert (story.state.position, story.false()) == (
        begins,
        {"assignment_begins_at_the_start"} if begins > 0 else set(),
    )


def test_a_commit_of_a_topic_that_is_not_there_is_refused() -> None:
    story = Story("kip_848_commits").learns(0).step("receive_assignment").reads(1).step("delete_topic").step("give_up")
    story.step("create_topic", leader=A).learns(0).step("receive_assignment")
    assert story.state.position == 0


def test_whoever_has_assigned_itself_keeps_its_position_and_asks_by_the_name() -> None:
    story = Story("assign").learns(0).reads(1).step("delete_topic").step("hear_of_deletion")
    assert story.false() == {"deletion_is_a_new_begin"}
    story.step("create_topic", leader=A).step("produce").step("produce").step("fetch")
    assert (story.state.seen_topic, story.state.position, story.state.skipped) == (None, 2, True)


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(check.properties)}"


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_rule_has_a_profile_without_it_and_what_then_fails() -> None:
    definition = find("recreated_topic")[0]
    fails = {check.profile for check in CHECKS if any(it.verdict == "violated" for it in check.properties.values())}
    assert fails == set(definition.profiles) - {"restarts"}


def test_plain_python_counts_the_same(cache: Path) -> None:
    model = find("recreated_topic")[0].bind("small", {}, "kafka_3_1", properties=["newest_metadata_count"])
    search = Search(symmetry=True, cache=cache)
    native, plain = (ENGINES[name](model, search, None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]
