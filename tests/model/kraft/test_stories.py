"""KRaft as stories: its elections, its published mistakes, and how the fixed protocol ends the same story.

The stories are run by the judge, in plain Python. At the end the engines count what spec/kraft.toml records.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search, Walks
from tidegate.explorer.symmetry import symmetry_of
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import is_deadlock
from tidegate.language.model import Model
from tidegate.language.steptext import StepError

from ...conftest import ROOT
from ...support.kraft_story import A, B, C, D, E, Story, X
from ...support.shipped import gate_parameters, tier_parameters
from ..test_counts import assert_as_recorded, bind_check

# --- how it should be -------------------------------------------------------------------------------------------------


def test_a_leader_is_elected_and_its_first_record_makes_it_the_active_controller() -> None:
    story = Story("kip595").elect(A, B, epoch=1).step("begin_quorum_epoch", leader=A, voter=C)
    # The LeaderChange record is in A's log. Until a majority has it, A leads but does not act.
    assert (story.role(A), story.log(A), story.high_watermark(A)) == ("LEADER", "1", 0)
    with pytest.raises(StepError, match="is_active"):
        story.write(A)
    # B fetches it, and with its next fetch it acknowledges it.
    story.fetch(B, A)
    assert (story.log(B), story.high_watermark(A)) == ("1", 0)
    story.fetch(B, A).write(A)
    assert (story.log(A), story.high_watermark(A)) == ("1x", 1)
    assert story.broken == set()


def test_brokers_and_standby_controllers_apply_what_is_committed() -> None:
    story = Story("kip595").elect(A, B, epoch=1).catch_up(B, A).write(A).fetch(B, A)
    # Both have x, and A does not know it yet. The broker may apply the LeaderChange record, and not x.
    story.step("apply", broker=X, leader=A)
    with pytest.raises(StepError, match="high_watermark"):
        story.step("apply", broker=X, leader=A)
    story.fetch(B, A).step("apply", broker=X, leader=A)
    assert (story.applied_records(), story.high_watermark(A), story.high_watermark(B)) == ("1x", 2, 2)
    assert story.broken == set()


def test_three_things_trigger_an_election() -> None:
    story = Story("kip595")
    # A finds no leader: its election timeout.
    story.step("election_timeout", voter=A).step("vote", candidate=A, voter=B)
    story.step("begin_quorum_epoch", leader=A, voter=B).step("begin_quorum_epoch", leader=A, voter=C)
    # B gets no answer to its fetches: the fetch timeout.
    story.step("fetch_timeout", voter=B)
    assert (story.role(B), story.state.election[B].epoch) == ("CANDIDATE", 2)
    # A shuts down, and asks C to stand at once: EndQuorumEpoch.
    story.step("resign", leader=A).step("end_quorum_epoch", leader=A, voter=C)
    assert (story.role(A), story.role(C), story.state.election[C].epoch) == ("RESIGNED", "CANDIDATE", 2)
    # B and C stand in one epoch; neither votes for the other, and a timeout opens the next.
    with pytest.raises(StepError, match="may_vote"):
        story.step("vote", candidate=C, voter=B)
    story.time_out(C).step("vote", candidate=C, voter=B)
    assert story.role(C) == "LEADER"
    assert story.broken == set()


def test_a_follower_cuts_its_log_where_it_leaves_the_leaders() -> None:
    story = Story("kip595").elect(A, B, epoch=1).catch_up(B, A).write(A).write(A)
    # x and y are only in A's log when C is elected by B, which has no more than C.
    story.step("begin_quorum_epoch", leader=A, voter=C).fetch(C, A).elect(C, B, epoch=2)
    assert [story.log(voter) for voter in (A, B, C)] == ["1xy", "1", "12"]
    # A's fetch says that its log ends at offset 3 in epoch 1. In C's log that epoch ended at offset 1.
    story.step("begin_quorum_epoch", leader=C, voter=A).truncate(A, C).catch_up(A, C)
    assert (story.log(A), story.committed_records()) == ("12", "12")
    assert story.broken == set()


def test_an_answer_that_is_late_is_taken_only_where_it_was_asked_for() -> None:
    story = Story("kip595", late_answers=True).elect(A, B, epoch=1).step("fetch", follower=B, leader=A, answered=True)
    # The answer is under way, and B has nothing yet.
    assert story.log(B) == ""
    story.step("receive_fetched", follower=B).step("fetch", follower=B, leader=A, answered=True)
    assert (story.log(B), story.high_watermark(A)) == ("1", 1)
    # B stands for election by the time the second answer arrives: it is ignored, with the high watermark it brings.
    story.time_out(B).step("receive_fetched", follower=B)
    assert (story.high_watermark(B), story.state.awaited[B], story.broken) == (0, None, set())


def test_two_lead_at_once_and_only_one_can_commit() -> None:
    story = Story("kip595").elect(A, B, epoch=1).catch_up(B, A).elect(B, C, epoch=2)
    assert (story.role(A), story.role(B)) == ("LEADER", "LEADER")
    # A still writes, since it is active, but nobody follows it any more.
    story.write(A)
    with pytest.raises(StepError, match="is_answered"):
        story.fetch(B, A)
    assert story.broken == set()


def test_the_bound_is_no_deadlock() -> None:
    story = Story("kip595", max_epoch=1, max_records=0, crashes=0, wipes=0).stand(A, 1).stand(B, 1).stand(C, 1)
    with pytest.raises(StepError, match="blocked by the model's bound"):
        story.time_out(A)
    assert not is_deadlock(story.model, story.state)


# --- Figure 8 of the Raft paper, as articles tell it of Kafka ---------------------------------------------------------


def run_up_to_c(profile: str) -> Story:
    """S1 to S5 are A to E. (a) A leads epoch 2 and x is on A and B. (b) E leads epoch 3. (c) A leads epoch 4, and C
    gets x: a majority has it."""
    story = Story(profile, voters=5).elect(A, B, C, epoch=2)
    story.step("begin_quorum_epoch", leader=A, voter=D).step("begin_quorum_epoch", leader=A, voter=E)
    for follower in (B, C, D, E):
        story.fetch(follower, A)
    story.catch_up(B, A).catch_up(C, A).write(A).fetch(B, A)
    assert [story.log(voter) for voter in (A, B, C, D, E)] == ["2x", "2x", "2", "2", "2"]
    story.elect(E, C, D, epoch=3)
    # E has its LeaderChange record where the others have x. It is not committed: E is not active and writes nothing.
    with pytest.raises(StepError, match="is_active"):
        story.write(E)
    story.step("hear_from", voter=A, peer=E).elect(A, B, C, epoch=4).fetch(C, A)
    assert [story.log(voter) for voter in (A, B, C, D, E)] == ["2x4", "2x", "2x", "2", "23"]
    assert story.broken == set()
    return story


def test_figure_8_d1_what_was_never_committed_is_overwritten() -> None:
    story = run_up_to_c("kip595")
    # State (c) does happen. B and C acknowledge x, but x is before the start of epoch 4, and so not committed.
    story.fetch(B, A, answered=False).fetch(C, A, answered=False)
    assert story.committed_records() == "2"
    # (d1) E is elected for epoch 5, since its log ends in epoch 3. It overwrites x, which nobody was informed of.
    story.step("hear_from", voter=E, peer=A).elect(E, C, D, epoch=5).truncate(C, E).catch_up(C, E).catch_up(D, E)
    assert [story.log(voter) for voter in (C, D, E)] == ["235", "235", "235"]
    assert story.committed_records() == "235"
    assert story.broken == set()


def test_figure_8_d2_the_leader_change_record_commits_what_is_before_it() -> None:
    story = run_up_to_c("kip595")
    # (d2) A's LeaderChange record reaches a majority. Now x is committed, and E cannot be elected any more.
    story.catch_up(B, A).catch_up(C, A)
    assert story.committed_records() == "2x4"
    story.step("hear_from", voter=E, peer=A).stand(E, 5).step("vote", candidate=E, voter=D)
    for voter in (B, C):
        with pytest.raises(StepError, match="is_up_to_date"):
            story.step("vote", candidate=E, voter=voter)
    assert story.broken == set()


def test_figure_8_as_kafka_had_it_in_2_7() -> None:
    story = run_up_to_c("kafka_12619")
    # KAFKA-12619: B and C acknowledge x; a majority has everything up to the start of epoch 4, and that is taken for
    # enough. The answers, with A's LeaderChange record, are lost. A broker applies x.
    story.fetch(B, A, answered=False).fetch(C, A, answered=False)
    assert story.committed_records() == "2x"
    story.step("apply", broker=X, leader=A).step("apply", broker=X, leader=A)
    assert "leader_completeness" not in story.broken
    # (d1) E is elected all the same, x is gone, and another record is committed in its place.
    story.step("hear_from", voter=E, peer=A).elect(E, C, D, epoch=5)
    assert "leader_completeness" in story.broken
    # The broker has applied what no controller will ever have again.
    with pytest.raises(StepError, match="truncat"):
        story.step("truncate", follower=B, leader=E)
    assert story.applied_records() == "2x"


# --- what must be on disk ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["kafka_10533", "kip595"])
def test_what_is_acknowledged_must_be_on_disk(profile: str) -> None:
    story = Story(profile).elect(A, B, epoch=1).catch_up(B, A).write(A).catch_up(B, A)
    assert story.committed_records() == "1x"
    # B loses power. KAFKA-10533: what it had acknowledged was in memory only.
    if profile == "kip595":
        with pytest.raises(StepError, match="flush_log"):
            story.restart(B, kept=1)
    else:
        story.restart(B, kept=0).elect(C, B, epoch=2)
        assert "leader_completeness" in story.broken


@pytest.mark.parametrize("profile", ["kafka_10527", "kafka_10533"])
def test_a_leader_starts_as_resigned(profile: str) -> None:
    story = Story(profile).elect(A, B, epoch=1).catch_up(B, A).write(A).catch_up(B, A)
    # A loses power, and x with it, which was not flushed; B has it.
    story.restart(A, kept=1)
    if profile == "kafka_10533":
        assert story.role(A) == "RESIGNED"
        with pytest.raises(StepError, match="is_active"):
            story.write(A)
        assert "log_matching" not in story.broken
    else:
        # KAFKA-10527: A leads epoch 1 again, and writes y where x was: two records of epoch 1 at offset 1.
        story.step("begin_quorum_epoch", leader=A, voter=C).catch_up(C, A).write(A)
        assert (story.log(A), story.log(B)) == ("1y", "1x")
        assert "log_matching" in story.broken


@pytest.mark.parametrize("profile", ["lost_votes", "kip595"])
def test_a_vote_must_be_remembered(profile: str) -> None:
    story = Story(profile).stand(A, 1).stand(B, 1).step("vote", candidate=A, voter=C).restart(C)
    if profile == "kip595":
        assert story.role(C) == "VOTED"
        with pytest.raises(StepError, match="may_vote"):
            story.step("vote", candidate=B, voter=C)
    else:
        story.step("vote", candidate=B, voter=C)
        assert {"election_safety", "never_two_leaders_in_same_epoch"} <= story.broken


# --- a voter with another disk ----------------------------------------------------------------------------------------


def told_up_to_the_empty_disk(profile: str) -> Story:
    """x is committed on A and B. B gets an empty disk; A is cut off; C has never had anything."""
    story = Story(profile).elect(A, B, epoch=1).catch_up(B, A).write(A).catch_up(B, A)
    assert (story.committed_records(), story.log(C)) == ("1x", "")
    story.step("replace_disk", voter=B)
    assert story.log(B) == ""
    return story


def test_a_static_quorum_elects_two_that_know_nothing() -> None:
    # KIP-853's reason: B is still known as a voter, and with C it is a majority.
    story = told_up_to_the_empty_disk("kip595").elect(C, B, epoch=2)
    assert {"leader_completeness", "voter_key_matches"} <= story.broken
    # A, which knows better, fails rather than cut its log below the high watermark (KAFKA-12460).
    story.step("begin_quorum_epoch", leader=C, voter=A)
    with pytest.raises(StepError, match="guard_truncation"):
        story.truncate(A, C)


def test_without_the_guard_the_last_copy_goes() -> None:
    story = told_up_to_the_empty_disk("kafka_12460").elect(C, B, epoch=2)
    # C's log has nothing in common with A's, which has the only copy of x. A follows C, and cuts it.
    story.step("begin_quorum_epoch", leader=C, voter=A).truncate(A, C)
    assert story.log(A) == ""
    assert {"no_truncation_below_high_watermark", "acked_value_not_lost"} <= story.broken


def test_a_directory_id_makes_it_another_voter() -> None:
    story = told_up_to_the_empty_disk("kip853").stand(C, 2)
    with pytest.raises(StepError, match="is_counted"):
        story.step("vote", candidate=C, voter=B)
    # As an observer it may fetch, and is not counted: A's next record waits for C.
    story.step("begin_quorum_epoch", leader=A, voter=B).catch_up(B, A).write(A).catch_up(B, A)
    assert (story.log(B), story.committed_records()) == ("1xy", "1x")
    assert story.broken == set()


# --- what a controller learns ---------------------------------------------------------------------------------------


def test_on_an_empty_log_a_controller_acted_too_early() -> None:
    # KAFKA-15345. The log is empty, so that the start of epoch 1 is offset 0, and nothing was waited for.
    story = Story("kafka_15345").elect(A, B, epoch=1).write(A)
    assert story.broken == {"active_controller_knows_all_before_its_epoch"}
    # On a log that is not empty it waited.
    story.catch_up(B, A).elect(B, C, epoch=2)
    with pytest.raises(StepError, match="is_active"):
        story.write(B)


@pytest.mark.parametrize("profile", ["illegal_state", "kip595"])
def test_one_that_resigned_hears_that_it_leads(profile: str) -> None:
    story = Story(profile).elect(A, B, epoch=1).restart(A)
    assert story.role(A) == "RESIGNED"
    # B still follows A, and says so in its answers.
    if profile == "kip595":
        with pytest.raises(StepError, match="resigned_knows_itself"):
            story.step("hear_that_it_leads", voter=A, peer=B)
    else:
        assert story.step("hear_that_it_leads", voter=A, peer=B).broken == {"no_illegal_state"}


@pytest.mark.parametrize("named", [False, True])
def test_a_voter_hears_of_a_leader_that_has_resigned(named: bool) -> None:
    """With `peers_name_leader` it follows that leader, as if it had heard before; without it, it knows of none."""
    story = Story("kip595", peers_name_leader=named).stand(A, 1).step("vote", candidate=A, voter=B)
    early = Story("kip595").stand(A, 1).step("vote", candidate=A, voter=B)
    early.step("begin_quorum_epoch", leader=A, voter=B).step("resign", leader=A)
    story.step("resign", leader=A)
    assert story.state.election[B].leader is None
    if named:
        assert story.step("hear_who_leads", voter=B, peer=A).state.election == early.state.election
        assert not story.broken
    else:
        with pytest.raises(StepError, match="peers_name_leader"):
            story.step("hear_who_leads", voter=B, peer=A)


def test_a_voter_that_was_cut_off_disturbs() -> None:
    # C hears from nobody and counts epochs. When it is back, A has to go, though B is content with it.
    story = Story("kip595").elect(A, B, epoch=1).stand(C, 3).step("hear_from", voter=A, peer=C)
    assert story.role(A) == "UNATTACHED"
    assert (story.disturbed, story.broken) == (True, set())


def test_with_pre_vote_it_asks_first() -> None:
    story = Story("kip996").step("election_timeout", voter=A).step("ask_for_pre_vote", voter=A, peer=B)
    assert (story.role(A), story.state.election[A].epoch) == ("CANDIDATE", 1)
    story.step("vote", candidate=A, voter=B).step("begin_quorum_epoch", leader=A, voter=B)
    # C asks. B has fetched from its leader, and A leads: neither grants a pre-vote, and no epoch begins.
    story.fetch(B, A).step("hear_from", voter=C, peer=B).step("fetch_timeout", voter=C)
    for peer in (A, B):
        with pytest.raises(StepError, match="ask_for_pre_vote"):
            story.step("ask_for_pre_vote", voter=C, peer=peer)
    story.step("give_up", voter=C)
    assert (story.role(C), story.role(A)) == ("FOLLOWER", "LEADER")
    assert (story.disturbed, story.broken) == (False, set())


def followed_but_not_fetched_from(**constants: Any) -> Story:
    """A leads epoch 1 and B follows it; C, whose log is no shorter than B's, knows both and asks for pre-votes."""
    story = Story("kip996", **constants).step("election_timeout", voter=A).step("ask_for_pre_vote", voter=A, peer=B)
    story.step("vote", candidate=A, voter=B).step("begin_quorum_epoch", leader=A, voter=B)
    return story.step("hear_from", voter=C, peer=A).step("fetch_timeout", voter=C)


def test_a_follower_grants_a_pre_vote_until_it_has_fetched() -> None:
    """As in Kafka: B follows A, and a pre-vote of B makes C a candidate beside a leader whom a majority follows."""
    story = followed_but_not_fetched_from().step("ask_for_pre_vote", voter=C, peer=B)
    assert (story.role(B), story.role(C), story.state.election[C].epoch) == ("FOLLOWER", "CANDIDATE", 2)
    assert (story.disturbed, story.broken) == (True, set())
    with pytest.raises(StepError, match="ask_for_pre_vote"):
        followed_but_not_fetched_from(grants_until_fetch=False).step("ask_for_pre_vote", voter=C, peer=B)


def test_who_is_granted_a_pre_vote_and_hears_who_leads_follows_that_one() -> None:
    """B voted for A and asks C, which follows A: C grants it, and names A."""
    story = Story("kip996").step("election_timeout", voter=A).step("ask_for_pre_vote", voter=A, peer=B)
    story.step("vote", candidate=A, voter=B).step("election_timeout", voter=B)
    story.step("begin_quorum_epoch", leader=A, voter=C).step("ask_for_pre_vote", voter=B, peer=C)
    assert (story.role(B), story.state.election[B].leader, story.disturbed) == ("FOLLOWER", A, False)


def test_who_resigned_asks_for_pre_votes_in_the_next_epoch() -> None:
    story = Story("kip996").step("election_timeout", voter=A).step("ask_for_pre_vote", voter=A, peer=B)
    story.step("vote", candidate=A, voter=B).step("resign", leader=A).step("election_timeout", voter=A)
    known = story.state.election[A]
    assert (known.role.name, known.epoch, known.leader, known.voted_for) == ("PROSPECTIVE", 2, None, None)
    story.step("ask_for_pre_vote", voter=A, peer=B)
    assert (story.role(A), story.state.election[A].epoch, story.state.election[B].epoch) == ("CANDIDATE", 3, 2)


@pytest.mark.parametrize(("keeps", "role"), [(True, "CANDIDATE"), (False, "FOLLOWER")])
def test_who_gives_up_beside_a_leader_keeps_the_vote_that_it_gave_itself(keeps: bool, role: str) -> None:
    """`transitionToFollower` of QuorumState, 4.0 to 4.4: a step within an epoch keeps the vote."""
    story = Story("kip996", keeps_own_vote=keeps).step("election_timeout", voter=C).step("election_timeout", voter=B)
    story.step("ask_for_pre_vote", voter=C, peer=A).step("ask_for_pre_vote", voter=B, peer=A)
    story.step("vote", candidate=B, voter=A).step("begin_quorum_epoch", leader=B, voter=C)
    story.step("fetch_timeout", voter=C).step("give_up", voter=C)
    assert (story.role(C), story.state.election[C].leader) == ("FOLLOWER", B)
    story.step("fetch_timeout", voter=C).restart(C)
    assert (story.role(C), story.state.election[C].epoch, story.broken) == (role, 1, set())


def test_only_an_answer_counts_and_only_since_the_voter_is_a_follower() -> None:
    """After a restart and after a pre-vote a voter is a follower that has not fetched yet (`FollowerState`'s
    constructor), and a fetch without an answer does not change that."""
    story = followed_but_not_fetched_from().fetch(B, A)
    assert story.state.election[B].has_fetched
    story.restart(B)
    assert (story.role(B), story.state.election[B].has_fetched) == ("FOLLOWER", False)
    story.fetch(B, A, answered=False)
    assert (story.high_watermark(A), story.state.election[B].has_fetched) == (1, False)
    story.fetch(B, A).step("fetch_timeout", voter=B).step("give_up", voter=B)
    assert (story.role(B), story.state.election[B].has_fetched) == ("FOLLOWER", False)


def test_of_five_voters_a_pre_vote_may_be_older_than_the_votes_it_is_counted_with() -> None:
    """C grants B a pre-vote and then finds the leader, A. So does E, both fetch, and D makes B a candidate."""
    story = Story("kip996", voters=5).step("election_timeout", voter=A)
    story.step("ask_for_pre_vote", voter=A, peer=B).step("ask_for_pre_vote", voter=A, peer=C)
    story.step("vote", candidate=A, voter=B).step("election_timeout", voter=B)
    story.step("ask_for_pre_vote", voter=B, peer=C).step("vote", candidate=A, voter=D)
    for voter in (C, E):
        story.step("begin_quorum_epoch", leader=A, voter=voter).fetch(voter, A)
    assert story.broken == set()
    story.step("ask_for_pre_vote", voter=B, peer=D)
    assert (story.role(A), story.role(B)) == ("LEADER", "CANDIDATE")
    assert story.broken == {"no_disruption_after_fetch"}


def test_an_answer_in_flight_counts_when_it_arrives() -> None:
    story = followed_but_not_fetched_from(late_answers=True).fetch(B, A)
    assert not story.state.election[B].has_fetched
    assert story.step("receive_fetched", follower=B).state.election[B].has_fetched


# --- the record -------------------------------------------------------------------------------------------------------

RECORDED = read_record_file(ROOT / "spec" / "kraft.toml").checks
GOAL = {"max_epoch": 4, "max_records": 2, "crashes": 1}


OF_PRE_VOTES = {"no_disruption", "no_disruption_after_fetch", "voter_asks_beside_a_leader"}
"""What is said of a leader that is disturbed: false without pre-votes, or about nothing."""


def test_the_goal_is_recorded() -> None:
    """Three voters, four epochs, two records, one crash: all that must hold of KRaft does, in every reachable state."""
    here = [record for record in RECORDED if record.profile == "kip595" and GOAL.items() <= record.constants.items()]
    assert [record.constants.get("late_answers", False) for record in here] == [False, True]
    for check in here:
        definition, profile = find("kraft:kip595")
        names = {prop.name for prop in definition.bind(profile=profile).properties} - OF_PRE_VOTES
        assert (check.ghosts, set(check.properties)) == (True, names)
        assert {prop.verdict for prop in check.properties.values()} == {"holds", "reached"}


@pytest.mark.parametrize("profile", find("kraft")[0].profiles)
def test_every_mistake_has_a_counterexample_and_every_version_an_exhaustive_run(profile: str) -> None:
    checks = [record for record in RECORDED if record.profile == profile]
    exhaustive = any(check.counts for check in checks)
    violated = any(one.verdict == "violated" for check in checks for one in check.properties.values())
    assert exhaustive if profile.startswith(("kip", "check")) else violated


@pytest.mark.parametrize(
    "profile", tier_parameters(find("kraft")[0].profiles, [*find("kraft")[0].profiles][::2].__contains__)
)
def test_voters_and_brokers_are_symmetric(profile: str) -> None:
    definition, _ = find(f"kraft:{profile}")
    symmetry = symmetry_of(definition.bind(profile, {"brokers": 2, "brokers_apply": True}, profile))
    assert ([domain.name for domain in symmetry.domains], list(symmetry.refusals)) == (["Voter", "Broker"], [])


SIZES = {"max_epoch": 2, "wipes": 1, "brokers_apply": True, "brokers_register": True, "snapshots": 1}


def of_type_ok(profile: str) -> Model:
    definition, _ = find(f"kraft:{profile}")
    return definition.bind(profile, SIZES, profile, ghosts=False, properties=["type_ok"])


DIFFERENT = ("kip595", "kip996", "check_quorum", "illegal_state")
"""Profiles that do not have the same actions."""


@pytest.mark.parametrize("profile", tier_parameters(find("kraft")[0].profiles, lambda profile: profile in DIFFERENT))
def test_every_action_happens_within_small_bounds(profile: str, cache: Path) -> None:
    model = of_type_ok(profile)
    verdict = ENGINES["walk"](model, Search(cache=cache, walks=Walks(number=20_000, depth=60)), None)
    assert [action.name for action in verdict.actions if not action.firings and not action.switched_off] == []
    off = {action.name for action in model.actions if action.switched_off}
    timed = profile in ("check_quorum", "kafka_15489")
    expected = {"receive_fetched", "lose", "duplicate", "hear_of_epoch"}
    expected |= {text for text in (action.name for action in model.actions) if text.startswith(("send_", "receive_"))}
    expected |= {"let_time_pass", "resign_unheard"} if not timed else set[str]()
    expected |= {"resign_unheard"} if profile == "kafka_15489" else set[str]()
    expected |= {"ask_for_pre_vote", "give_up"} if profile != "kip996" else set[str]()
    expected |= {"hear_who_leads"}
    expected |= {"hear_that_it_leads"} if profile != "illegal_state" else set[str]()
    assert off == expected


@pytest.mark.long
@pytest.mark.parametrize("profile", DIFFERENT)
def test_every_state_within_small_bounds_has_the_declared_types(profile: str, cache: Path) -> None:
    """The other profiles have the same actions: walks look at their types, in the test before this one."""
    verdict = ENGINES["native"](of_type_ok(profile), Search(symmetry=True, cache=cache), None)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")


COMMIT = [record for record in RECORDED if record.tier == "commit"]


@pytest.mark.parametrize("check", gate_parameters(COMMIT, lambda check: False, lambda check: check.name))
def test_native_engine(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


SMALL = [record for record in COMMIT if sum(one.steps or 99 for one in record.properties.values()) <= 8]


def steps_of(check: CheckRecord) -> int:
    """The steps of its counterexamples."""
    return sum(prop.steps or 0 for prop in check.properties.values())


@pytest.mark.parametrize("check", tier_parameters(SMALL, lambda check: steps_of(check) <= 5, lambda check: check.name))
def test_python_engine(check: CheckRecord) -> None:
    assert_as_recorded(check, ENGINES["python"](bind_check(check), Search(symmetry=check.symmetry), None))
