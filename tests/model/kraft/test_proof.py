"""KRaft's proof: its lemmas in every state that there is, kept by every step whatever the bounds, and refuted in the
step that has a planted bug."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.invariants.catalogue import find

KRAFT, PROFILE = find("kraft:kip595")
LEMMAS = KRAFT.names("lemma")


@pytest.mark.parametrize("profile", ["kip595", pytest.param("kip996", marks=pytest.mark.long)])
def test_every_lemma_holds_in_every_state(profile: str, cache: Path) -> None:
    sizes = {"max_epoch": 2, "max_records": 1, "crashes": 1}
    model = KRAFT.bind(f"kraft:{profile}", sizes, profile, properties=LEMMAS)
    verdict = ENGINES["native"](model, Search(symmetry=True, cache=cache), None)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    assert {prop.name for prop in verdict.properties} == set(LEMMAS)


def test_what_only_lemmas_read_is_folded_away_without_them() -> None:
    remembered = {"ballots", "asked", "elected", "leader_log", "acknowledged", "counted", "counted_in"}
    with_lemmas = KRAFT.bind("kraft:kip595", {}, PROFILE, lemmas=True)
    without = KRAFT.bind("kraft:kip595", {}, PROFILE)
    assert {field.name for field in with_lemmas.fields} - {field.name for field in without.fields} == remembered


GOALS = (
    "election_safety",
    "never_two_leaders_in_same_epoch",
    "log_matching",
    "no_log_divergence",
    "leader_completeness",
    "state_machine_safety",
    "acked_value_not_lost",
    "high_watermark_is_in_own_epoch",
    "high_watermark_is_monotonic",
    "high_watermark_never_decreases",
    "committed_records_stay",
    "no_truncation_below_high_watermark",
    "leader_append_only",
    "one_vote_in_an_epoch",
)


def assert_proved(voters: int, folder: Path, profile: str = "kip595", goals: tuple[str, ...] = GOALS) -> None:
    asked = ProofRequest(lemmas=LEMMAS, properties=goals, folder=folder)
    model = KRAFT.bind(f"kraft:{profile}", {"voters": voters}, profile)
    proof = Induction(KRAFT, model, asked).prove(lambda _: None)
    assert [finding.obligation for finding in proof.findings if finding.word != "proved"] == []
    assert (proof.word, proof.sizes["Voter"]) == ("proved", voters)
    assert {"max_epoch", "max_records", "crashes"} == set(proof.boundless)
    assert {*LEMMAS, *goals} == set(proof.goals)
    assert proof.never == ()


@pytest.mark.long  # its lemmas, the steps with a planted bug, and kip320's whole proof are ordinary
def test_kraft_is_proved_for_three_voters_whatever_the_bounds(tmp_path: Path) -> None:
    assert_proved(3, tmp_path)


@pytest.mark.proof
def test_kraft_with_pre_votes_is_proved_for_three_voters_whatever_the_bounds(tmp_path: Path) -> None:
    """Of three, one that gets a pre-vote has a majority at once, so that none is counted that is out of date."""
    assert_proved(3, tmp_path, "kip996", (*GOALS, "no_disruption_after_fetch"))


@pytest.mark.proof
@pytest.mark.parametrize("profile", ["kip595", "kip996"])
def test_kraft_is_proved_for_five_voters_whatever_the_bounds(profile: str, tmp_path: Path) -> None:
    """A disruption is known of both, and `assert_proved` does not ask about it."""
    assert_proved(5, tmp_path, profile)


@pytest.mark.parametrize(
    ("profile", "action", "lemma"),
    [
        pytest.param("kafka_12619", "fetch", "a_majority_acknowledged_what_was_counted", marks=pytest.mark.long),
        ("lost_votes", "restart", "ballots_are_remembered"),
        pytest.param("kafka_10533", "restart", "who_acknowledged_in_its_epoch_has_it", marks=pytest.mark.long),
    ],
)
def test_a_planted_bug_is_refuted_in_the_step_that_has_it(
    profile: str, action: str, lemma: str, tmp_path: Path
) -> None:
    asked = ProofRequest(lemmas=(lemma,), folder=tmp_path)
    proof = Induction(KRAFT, KRAFT.bind(f"kraft:{profile}", {}, profile), asked).prove(lambda _: None)
    assert proof.word == "refuted"
    refuted = {
        (finding.obligation.action, finding.obligation.goal) for finding in proof.findings if finding.word == "refuted"
    }
    assert refuted == {(action, lemma)}
    assert all(finding.word == "proved" for finding in proof.findings if finding.obligation.action != action)
