"""A partition with tiered storage, as stories. The steps are taken by the judge; spec/tiered_log.toml has more."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.tiered_log.state import Broker

from ...support.znodes import Story

A, B = Broker(0), Broker(1)


def copied_by_a(profile: str, **constants: int) -> Story:
    """B falls out of the ISR with record 0; A commits two records, copies them, and deletes its own."""
    story = Story(f"tiered_log:{profile}", **constants)
    story.step("produce").step("fetch", follower=B).step("cut_off", broker=B).step("produce")
    return story.step("come_back", broker=B).step("roll", broker=A).step("copy").step("delete_local", broker=A)


def test_a_follower_begins_with_the_epochs_of_a_remote_segment() -> None:
    """KIP-405: it ends before the leader's local log, has nothing of what is tiered, and gives it as leader."""
    story = copied_by_a("kafka_4_3", outages=1, elections=1).step("build", follower=B).step("join", follower=B)
    assert (list(story.state.log[B]), story.state.local[B], story.state.isr) == ([0, 0], 2, {A, B})
    story.step("elect", broker=B).step("find_start")
    assert (story.state.start[B], story.false()) == (0, set())


def test_without_its_metadata_what_is_tiered_is_lost_and_nobody_joins() -> None:
    story = copied_by_a("metadata_lost", outages=1).step("lose_metadata")
    assert story.false() == {"what_is_listed_is_readable", "committed_is_kept"}
    with pytest.raises(StepError):
        story.step("build", follower=B)


def test_an_unclean_leader_deletes_what_is_tiered_of_epochs_that_it_lacks() -> None:
    story = Story("tiered_log:unclean").step("cut_off", broker=B).step("produce").step("roll", broker=A).step("copy")
    story.step("come_back", broker=B).step("cut_off", broker=A).step("elect", broker=B)
    assert story.state.deleted == set()
    assert story.step("clean").state.deleted == {0}


def test_in_3_6_an_unclean_leader_takes_its_records_for_copied() -> None:
    """KAFKA-15241: A has copied records 0 and 1 of epoch 0; B has record 0 of it, and 1 of its own."""
    ends = {}
    for profile in ("unclean_3_6", "unclean"):
        story = copied_by_a(profile).step("cut_off", broker=A).step("elect", broker=B)
        story.step("produce").step("roll", broker=B).step("learn_copied", broker=B)
        ends[profile] = story.state.copied[B]
    assert ends == {"unclean_3_6": 2, "unclean": 1}


def test_a_log_that_is_truncated_before_its_first_local_segment_starts_there() -> None:
    """A has copied records 0 and 1; B, elected uncleanly, has record 0, which A lists no more when it leads."""
    starts = {}
    for profile in ("unclean", "repaired"):
        story = copied_by_a(profile, elections=2).step("cut_off", broker=A).step("elect", broker=B)
        story.step("come_back", broker=A).step("follow", broker=A).step("join", follower=A).step("elect", broker=A)
        starts[profile] = (story.state.start[A], story.step("find_start").false())
    assert starts == {"unclean": (1, {"committed_is_kept"}), "repaired": (0, set())}


def overlapping(profile: str) -> Story:
    """A has copied record 0; B, whose segment is longer, copies records 0 and 1, and both are too old."""
    story = Story(f"tiered_log:{profile}").step("produce").step("roll", broker=A).step("produce")
    story.steps("fetch", "fetch", follower=B).step("roll", broker=B).step("copy").step("elect", broker=B)
    story.step("find_start").step("copy")
    assert [(segment.start, len(segment.epochs)) for segment in story.state.remote] == [(0, 1), (0, 2)]
    return story


def test_of_two_segments_that_overlap_the_log_starts_behind_the_longer_one() -> None:
    """KAFKA-16890."""
    starts = {
        p: overlapping(p).steps("grow_old", "grow_old", "clean").state.start[B] for p in ("kafka_3_7", "kafka_4_3")
    }
    assert starts == {"kafka_3_7": 1, "kafka_4_3": 2}


def test_a_segment_that_begins_before_the_logs_start_is_deleted_since_3_8() -> None:
    """KAFKA-16511: A copies records 0 and 1, then B 1 and 2. Once the first segment is gone the log starts at 2."""
    left = {}
    for profile in ("kafka_3_7", "kafka_4_3"):
        story = Story(f"tiered_log:{profile}").step("produce").step("fetch", follower=B).step("roll", broker=B)
        story.step("produce").step("fetch", follower=B).step("roll", broker=A).step("copy").step("produce")
        story.step("fetch", follower=B).step("roll", broker=B).step("elect", broker=B).step("find_start").step("copy")
        assert [(segment.start, len(segment.epochs)) for segment in story.state.remote] == [(0, 2), (1, 3)]
        story.steps("grow_old", "grow_old", "clean", "grow_old")
        assert (story.state.start[B], story.state.deleted) == (2, {0})
        try:
            story.step("clean")
        except StepError:
            left[profile] = "stays"
        else:
            left[profile] = "deleted"
    assert left == {"kafka_3_7": "stays", "kafka_4_3": "deleted"}
