"""KRaft whose voters change: what was recorded, and what operators do. The judge takes the steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import steps
from tidegate.model.kraft.quorum import Role

from ...conftest import ROOT
from ...support.shipped import gate_parameters
from ...support.voter_stories import SIZES, A, B, C, D, Story
from ..test_counts import assert_as_recorded, bind_check

CHECKS = read_record_file(ROOT / "spec" / "kraft_voters.toml").checks
OF_LIVENESS = read_record_file(ROOT / "spec" / "kraft_voters_live.toml").checks
EXACT = {("kafka_3_9", "same_voters"), ("several_at_once", "two_changes"), ("kafka_3_9", "new_disk")}
"""What the ordinary tests make again, beside the gate."""


# --- what operators do ------------------------------------------------------------------------------------------------


def test_a_voter_is_added_once_a_majority_of_the_new_set_has_it() -> None:
    story = Story({A, B, C}).elect(A, B, C).catch_up(A, B, C).follow(A, D).catch_up(A, D)
    story.step("add_voter", leader=A, voter=D).step("fetch", follower=D, leader=A, answered=True)
    assert story.is_committed(A) is False
    assert story.refuses("remove_voter", leader=A, voter=B)  # one change at a time
    story.catch_up(A, B)
    assert story.is_committed(A) is False  # D has fetched the record, and has not said so: two of four
    story.step("fetch", follower=D, leader=A, answered=False)
    assert story.is_committed(A) is True
    assert story.refuses("remove_voter", leader=A, voter=B) is False


def test_a_leader_changes_nothing_before_a_record_of_its_epoch_is_committed() -> None:
    story = Story({A, B, C}).elect(A, B, C)
    assert story.refuses("add_voter", leader=A, voter=D)
    story.catch_up(A, B).step("add_voter", leader=A, voter=D)


def test_one_voter_grows_to_three() -> None:
    """As `kafka-storage.sh format --standalone` begins: one voter, and the others are added one after the other."""
    story = Story({A}).step("election_timeout", voter=A).step("elect_itself", voter=A)
    assert story.is_committed(A)
    for added in (B, C):
        story.follow(A, added).catch_up(A, added).step("add_voter", leader=A, voter=added)
        assert story.is_committed(A) is False
        story.catch_up(A, added)
        assert story.is_committed(A)


def test_the_second_voter_is_needed_as_soon_as_it_is_added() -> None:
    """Of two voters both are a majority: one that does not fetch any more stops the only one that did all alone."""
    story = (
        Story({A}).step("election_timeout", voter=A).step("elect_itself", voter=A).step("add_voter", leader=A, voter=B)
    )
    assert story.is_committed(A) is False
    assert story.refuses("remove_voter", leader=A, voter=B)  # the change is not committed, and never is without B


def test_a_voter_with_a_new_disk_is_removed_first_and_added_then() -> None:
    story = Story({A, B, C}, wipes=1).elect(A, B, C).catch_up(A, B, C).step("replace_disk", voter=C)
    story.follow(A, C)
    assert story.refuses("add_voter", leader=A, voter=C)  # DUPLICATE_VOTER: its number is in the set
    story.step("remove_voter", leader=A, voter=C).catch_up(A, B)
    assert story.is_committed(A)
    story.catch_up(A, C).step("add_voter", leader=A, voter=C).catch_up(A, B, C)
    assert story.is_committed(A)


def test_with_one_disk_lost_of_three_both_others_are_needed_until_the_new_one_has_caught_up() -> None:
    story = Story({A, B, C}, wipes=1).elect(A, B, C).catch_up(A, B, C).step("replace_disk", voter=C)
    story.step("remove_voter", leader=A, voter=C)
    assert story.is_committed(A) is False  # of A and B, both
    story.catch_up(A, B).step("add_voter", leader=A, voter=C)
    assert story.is_committed(A) is False
    story.catch_up(A, B)  # of A, B and C, two
    assert story.is_committed(A)


def test_a_leader_that_removes_itself_and_restarts_before_anybody_has_that_leaves_none_to_elect() -> None:
    """As Kafka's own code does (docs/kafka-findings.md): A is not a voter by its own log, and B needs its vote."""
    story = Story({A, B}, voters=2, voter_changes=1, max_records=0).elect(A, B).catch_up(A, B)
    story.step("remove_voter", leader=A, voter=A).step("restart", voter=A, kept=2)
    seen = waiting = {story.state}
    while waiting:
        waiting = {step.state_after for state in waiting for step in steps(story.model, state)} - seen
        seen = seen | waiting
    assert max(state.election[B].epoch for state in seen) == SIZES["max_epoch"]
    assert {state.election[voter].role for state in seen for voter in (A, B)}.isdisjoint({Role.LEADER})


def test_a_leader_that_removes_itself_leads_until_the_others_have_it() -> None:
    story = Story({A, B, C}).elect(A, B, C).catch_up(A, B, C).step("remove_voter", leader=A, voter=A)
    story.catch_up(A, B)
    assert (story.state.election[A].role, story.is_committed(A)) == (Role.LEADER, False)
    story.catch_up(A, C)
    assert (story.state.election[A].role, story.is_committed(A)) == (Role.RESIGNED, True)
    assert story.refuses("election_timeout", voter=A)
    story.elect(B, C).catch_up(B, C)
    assert story.is_committed(B)


def test_who_is_removed_hears_of_it_by_fetching_and_never_stands_again() -> None:
    story = Story({A, B, C}).elect(A, B, C).catch_up(A, B, C).step("remove_voter", leader=A, voter=C)
    assert story.refuses("fetch_timeout", voter=C) is False  # it does not know yet
    story.catch_up(A, B, C)
    assert story.refuses("fetch_timeout", voter=C)


def test_a_leader_removes_voters_although_nobody_is_left_then() -> None:
    """Neither of the others has a look at whether C has a disk: a set of C alone is never committed."""
    story = Story({A, B, C}, wipes=1, false="somebody_may_stand").elect(A, B, C).catch_up(A, B, C)
    story.step("remove_voter", leader=A, voter=B).catch_up(A, B, C).step("replace_disk", voter=C)
    story.step("remove_voter", leader=A, voter=A).step("resign", leader=A)
    for voter in (A, B, C):
        assert story.refuses("election_timeout", voter=voter)
        assert story.refuses("fetch_timeout", voter=voter)


def test_who_stood_in_its_epoch_and_was_removed_does_not_start_again() -> None:
    """Kafka 4.0 to 4.3 (`QuorumState.initialize`, `CandidateState`); 3.9 forgets the vote of a follower."""
    story = Story({A, B, C}, "keeps_own_vote", false="no_illegal_state")
    story.step("election_timeout", voter=B).step("ask_for_pre_vote", voter=B, peer=C)
    assert story.state.election[B].role == Role.CANDIDATE
    story.step("election_timeout", voter=A).step("ask_for_pre_vote", voter=A, peer=C)
    story.step("vote", candidate=A, voter=C).follow(A, B, C).catch_up(A, B, C)
    story.step("remove_voter", leader=A, voter=B).catch_up(A, C, B)
    story.step("restart", voter=B, kept=len(story.state.log[B]))
    assert story.state.election[B].role == Role.ILLEGAL


def truncated_story(profile: str, **constants: Any) -> Story:
    """A leads epoch 1; its metadata at offsets 1 to 3 nobody fetches. B is elected with the vote of C; A truncates
    its log, has what B has, and B removes C, which hears nothing of it: at offset 2, which A had read up to before."""
    false = "leader_completeness election_safety never_two_leaders_in_same_epoch" if profile == "misses_voters" else ""
    sizes = {"voters": 3, "max_records": 3, "voter_changes": 2, **constants}
    story = Story({A, B, C}, profile, false=false, **sizes)
    story.elect(A, B, C).catch_up(A, B, C)
    for _ in range(3):
        story.step("write", controller=A)
    story.elect(B, C).follow(B, A).step("truncate", follower=A, leader=B).catch_up(B, A)
    return story.step("remove_voter", leader=B, voter=C).catch_up(B, A)


def test_a_replica_goes_by_the_voters_that_its_log_has() -> None:
    story = truncated_story("kafka_3_9")
    story.step("fetch_timeout", voter=A)
    assert story.refuses("vote", candidate=A, voter=C)


def test_one_whose_log_was_truncated_misses_voters_and_two_lead_an_epoch() -> None:
    """`docs/schedules/voters-after-truncation-once.schedule.json` has it of Kafka's own classes."""
    story = truncated_story("misses_voters").step("fetch_timeout", voter=A).step("vote", candidate=A, voter=C)
    story.step("remove_voter", leader=B, voter=A)
    assert story.is_committed(B)  # B is the only voter
    story.step("resign", leader=B).step("election_timeout", voter=B).step("elect_itself", voter=B)
    leaders = [voter for voter in (A, B, C) if story.state.election[voter].role == Role.LEADER]
    assert leaders == [A, B] and story.state.election[A].epoch == story.state.election[B].epoch


def test_a_start_reads_what_was_missed() -> None:
    story = truncated_story("misses_voters")
    story.step("restart", voter=A, kept=len(story.state.log[A])).step("fetch_timeout", voter=A)
    assert story.refuses("vote", candidate=A, voter=C)


def test_a_start_does_not_read_what_a_snapshot_was_taken_of() -> None:
    story = truncated_story("misses_voters", snapshots=1).step("fetch", follower=A, leader=B, answered=True)
    story.step("take_snapshot", voter=A, end=story.state.high_watermark[A])
    story.step("restart", voter=A, kept=len(story.state.log[A]))
    story.step("fetch_timeout", voter=A).step("vote", candidate=A, voter=C)


def test_who_loads_a_snapshot_goes_by_the_voters_that_it_has() -> None:
    """C has nothing of epoch 2 yet, and gets the snapshot of B, which has read all."""
    story = truncated_story("misses_voters", snapshots=1)
    story.step("take_snapshot", voter=B, end=story.state.high_watermark[B])
    story.step("delete_records", voter=B, start=story.state.snapshot[B]).step("load_snapshot", follower=C, leader=B)
    assert story.refuses("fetch_timeout", voter=C)


# --- what was recorded ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", gate_parameters(CHECKS, lambda check: (check.profile, check.bounds) in EXACT))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_mistake_is_recorded_and_every_version_is_exhausted() -> None:
    recorded = {check.profile for check in (*CHECKS, *OF_LIVENESS)}
    assert recorded == set(find("kraft_voters")[0].profiles)
    exhausted = {"kafka_3_9", "kafka_4_0", "kafka_4_1", "kafka_4_2", "checkpoint"}
    assert {check.profile for check in CHECKS if check.counts} == exhausted


def test_without_changes_it_is_kraft() -> None:
    (same,) = (check for check in CHECKS if check.bounds == "same_voters")
    kraft = read_record_file(ROOT / "spec" / "kraft.toml").checks
    (small,) = (c for c in kraft if (c.profile, c.bounds, c.own) == ("kip595", "small", {}) and c.symmetry and c.ghosts)
    assert (same.symmetry, same.ghosts, dict(same.counts)) == (True, True, dict(small.counts))


def test_plain_python_counts_the_same(cache: Path) -> None:
    model = bind_check(next(check for check in CHECKS if check.profile == "kafka_16530"))
    search = Search(symmetry=True, cache=cache)
    verdicts = [ENGINES[name](model, search, None) for name in ("native", "python")]
    runs = [prop.run for verdict in verdicts for prop in verdict.properties if prop.run is not None]
    assert [len(run.steps) for run in runs] == [7, 7]
