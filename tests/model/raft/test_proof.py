"""Raft's proof: its lemmas in every state that there is, kept by every step whatever the bounds, and refuted in the
step that has a planted bug."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.finite_instances import confirm_counterexample
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.prover import FoundCounterexample, OpenObligation, Prover, Task
from tidegate.invariants.catalogue import find
from tidegate.language.proof import Obligation
from tidegate.model.raft.cluster import CommitRule

from ...support.shipped import tiered_rows

RAFT, PROFILE = find("raft:paper")
LEMMAS = RAFT.names("lemma")

GOALS = (
    "election_safety",
    "leader_append_only",
    "log_matching",
    "leader_completeness",
    "state_machine_safety",
)
"""The five of the paper's figure 3."""


@pytest.mark.parametrize(
    "sizes",
    [
        {"servers": 2, "max_term": 2, "log_size": 2, "client_values": 2, "crashes": 1},
        {"servers": 3, "max_term": 2, "log_size": 1, "client_values": 1, "crashes": 0, "messages": 1},
        {"servers": 2, "max_term": 2, "log_size": 2, "client_values": 2, "crashes": 1, "lossy_restart": True},
        {
            "servers": 3,
            "max_term": 2,
            "log_size": 1,
            "client_values": 1,
            "crashes": 1,
            "lossy_restart": True,
            "messages": 0,
        },
        {
            "servers": 3,
            "max_term": 2,
            "log_size": 1,
            "client_values": 1,
            "crashes": 1,
            "lossy_restart": True,
            "count_fsync": False,
            "messages": 0,
        },
    ],
    ids=lambda sizes: f"{sizes['servers']} servers, {'lossy' if 'lossy_restart' in sizes else 'paper'}",
)
def test_every_lemma_holds_in_every_state(sizes: dict[str, int], cache: Path) -> None:
    model = RAFT.bind("raft:paper", sizes, PROFILE, properties=LEMMAS)
    verdict = ENGINES["native"](model, Search(symmetry=True, cache=cache), None)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    assert {prop.name for prop in verdict.properties} == set(LEMMAS)


def assert_proved(servers: int, folder: Path) -> None:
    asked = ProofRequest(lemmas=LEMMAS, properties=GOALS, folder=folder)
    proof = Induction(RAFT, RAFT.bind("raft:paper", {"servers": servers}, PROFILE), asked).prove(lambda _: None)
    assert [finding.obligation for finding in proof.findings if finding.word != "proved"] == []
    assert (proof.word, proof.sizes["Server"]) == ("proved", servers)
    assert {*LEMMAS, *GOALS} == set(proof.goals)
    assert {"max_term", "log_size", "client_values", "crashes", "messages"} == set(proof.boundless)
    assert proof.never == ()


@pytest.mark.long  # its lemmas, the steps with a planted bug, and kip320's whole proof are ordinary
def test_raft_is_proved_for_three_servers_whatever_the_bounds(tmp_path: Path) -> None:
    assert_proved(3, tmp_path)


@pytest.mark.proof
def test_raft_is_proved_for_five_servers_whatever_the_bounds(tmp_path: Path) -> None:
    assert_proved(5, tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("profile", "messages"),
    [(profile, n) for profile in ("lossy_restart", "no_send_fsync", "no_count_fsync") for n in (0, 1)],
)
def test_raft_is_proved_where_a_crash_loses_what_is_not_on_the_disk(
    profile: str, messages: int, tmp_path: Path
) -> None:
    """With either of the leader's two fsyncs the other is not needed."""
    model = RAFT.bind(f"raft:{profile}", {"messages": messages}, profile)
    proof = Induction(RAFT, model, ProofRequest(folder=tmp_path)).prove(lambda _: None)
    assert [finding.obligation for finding in proof.findings if finding.word != "proved"] == []
    assert (proof.word, {*LEMMAS, *GOALS} - {*proof.goals}) == ("proved", set())


DURABLE = (
    "who_acknowledged_in_its_term_has_it",
    "logs_are_as_long_as_acknowledged",
    "who_acknowledged_has_what_is_choosable",
    "servers_have_what_they_take_for_committed",
    "committed_entries_stay",
)


ON_DISK = (
    "a_majority_acknowledged_what_was_counted",
    "servers_have_what_they_take_for_committed",
    "leaders_have_on_disk_what_others_have",
)


@pytest.mark.parametrize("profile", ["no_send_fsync", "no_count_fsync"])
def test_a_leader_counts_what_is_on_its_disk_by_either_of_its_fsyncs(profile: str) -> None:
    made = Induction(RAFT, RAFT.bind(f"raft:{profile}", {}, profile), ProofRequest(lemmas=ON_DISK))
    questions = Prover(made.prover_inputs()).questions
    some = [Obligation("step", name, "advance_commit_index") for name in ON_DISK]
    assert [obligation.goal for obligation in some if not questions.ask_solver(obligation, hard=False).is_proved] == []


def test_a_restart_keeps_what_is_on_the_disk() -> None:
    made = Induction(RAFT, RAFT.bind("raft:lossy_restart", {}, "lossy_restart"), ProofRequest())
    questions = Prover(made.prover_inputs()).questions
    some = {
        obligation.goal: obligation
        for obligation in made.obligations()
        if obligation.action == "restart" and obligation.goal in DURABLE
    }
    questions.prepare_action("restart")
    assert {goal for goal, obligation in some.items() if questions.ask_solver(obligation, hard=True).is_proved} == set(
        DURABLE
    )


PLANTED = [
    ({"persist_vote": False}, "restart", "votes_are_remembered"),
    ({"keep_disk": False}, "restart", "who_acknowledged_has_what_is_choosable"),
    ({"check_up_to_date": False}, "receive_vote_request", "votes_are_for_logs_with_what_is_choosable"),
    ({"commit_rule": CommitRule.COUNT_REPLICAS}, "advance_commit_index", "a_majority_acknowledged_what_was_counted"),
    ({"check_previous": False}, "receive_append_entries", "an_entry_comes_with_all_before_it"),
    ({"keep_matching_entries": False}, "receive_append_entries", "who_acknowledged_in_its_term_has_it"),
    ({"lossy_restart": True, "follower_fsync": False}, "receive_append_entries", "logs_are_as_long_as_acknowledged"),
    (
        {"lossy_restart": True, "send_fsync": False, "count_fsync": False},
        "advance_commit_index",
        "a_majority_acknowledged_what_was_counted",
    ),
]


@pytest.mark.parametrize(
    ("bug", "action", "lemma"),
    tiered_rows(PLANTED, lambda row: bool(row[0].keys() & {"persist_vote", "keep_matching_entries"})),
    ids=lambda planted: str(planted),
)
def test_a_planted_bug_is_refuted_in_the_step_that_has_it(bug: dict[str, Any], action: str, lemma: str) -> None:
    """Just this step and this lemma, and plain Python agrees with what is found."""
    asked = ProofRequest(lemmas=(lemma,))
    made = Induction(RAFT, RAFT.bind("raft:paper", bug, PROFILE), asked)
    obligation = Obligation("step", lemma, action)
    prover = Prover(made.prover_inputs())
    (found,) = prover.prove_task(Task((obligation,)))
    if isinstance(found, OpenObligation):
        (found,) = prover.prove_task(Task((obligation,), hard=True))
    assert isinstance(found, FoundCounterexample) and found.word == "refuted" and found.sketch is not None
    against = confirm_counterexample(made.instances, obligation, found.sketch)
    assert [step.action for step in against.run.steps] == [action]
    assert not against.reachable
