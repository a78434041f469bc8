"""The partition's proof: its lemmas in every state that there is, kept by every step whatever the bounds, and refuted
in the step that has a planted bug."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.prover import FoundCounterexample, OpenObligation, Prover, Task
from tidegate.invariants.catalogue import find
from tidegate.language.proof import Obligation

from ...support.shipped import tiered_rows

PARTITION, PROFILE = find("partition:kafka_3_9")
LEMMAS = PARTITION.names("lemma")
NO_LOSS = {"power_losses": 0, "shutdowns": 1, "crashes": 1, "preferred_elections": 1}
"""No broker loses a part of its log, and every crash is noticed: lag, crashes, fencing and elections go wrong."""

GOALS = (
    "acknowledged_kept",
    "leader_completeness",
    "consistent_read",
    "reads_below_high_watermark",
    "leader_candidate_completeness",
    "true_high_watermark_never_decreases",
    "joins_with_all_committed",
    "one_leader_per_epoch",
    "weak_isr",
    "strong_isr",
    "committed_log_matching",
    "min_isr_copies",
)
"""What is acknowledged and what is read stays, and an election keeps it."""

LOSSES = {**NO_LOSS, "power_losses": 1}
"""And power is lost."""

KEPT = (
    "complete_unless_the_damaged_lead",
    "reads_stay_unless_the_damaged_lead",
    "candidates_are_complete_unless_the_damaged_lead",
)
"""The same until somebody leads who lost a part of its log."""


@pytest.mark.parametrize("faults", [NO_LOSS, pytest.param(LOSSES, marks=pytest.mark.long)], ids=str)
def test_every_lemma_holds_in_every_state(faults: dict[str, Any], cache: Path) -> None:
    sizes = {**faults, "preferred_elections": 0, "shutdowns": 0, "max_leader_epoch": 2}
    model = PARTITION.bind("partition:kafka_3_9", sizes, PROFILE, properties=LEMMAS)
    verdict = ENGINES["native"](model, Search(symmetry=True, cache=cache), None)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    assert {prop.name for prop in verdict.properties} == set(LEMMAS)


@pytest.mark.long
@pytest.mark.parametrize(("faults", "goals"), [(NO_LOSS, GOALS), (LOSSES, KEPT)], ids=["no loss", "losses of power"])
def test_it_is_proved_for_three_brokers_whatever_the_bounds(
    faults: dict[str, Any], goals: tuple[str, ...], tmp_path: Path
) -> None:
    asked = ProofRequest(lemmas=LEMMAS, properties=goals, folder=tmp_path)
    model = PARTITION.bind("partition:kafka_3_9", faults, PROFILE)
    proof = Induction(PARTITION, model, asked).prove(lambda _: None)
    assert [finding.obligation for finding in proof.findings if finding.word != "proved"] == []
    assert (proof.word, proof.sizes["Broker"]) == ("proved", 3)
    assert {*LEMMAS, *goals} == set(proof.goals)
    assert {"max_records", "log_size", "max_leader_epoch", "crashes", "fences"} <= set(proof.boundless)
    assert proof.never == ()


PLANTED = [
    ({"power_losses": 1, "reject_restarted": False}, "restart", "leaders_know_what_was_fetched"),
    ({"unclean": True}, "fence", "an_isr_has_what_is_committed"),
    ({"maximal_isr": False}, "advance_high_watermark", "an_isr_has_what_is_committed"),
    ({"fetch_in_epoch": False}, "learn", "leaders_know_what_was_fetched"),
    ({"await_epoch_start": False}, "propose_expansion", "who_is_let_in_has_what_was_before"),
    ({"fence_fetch": False}, "fetch", "leaders_know_what_was_fetched"),
    ({"reject_fenced": False}, "change_isr", "who_is_fenced_is_not_in_sync"),
]


@pytest.mark.parametrize(("bug", "action", "lemma"), tiered_rows(PLANTED, lambda row: "maximal_isr" in row[0]), ids=str)
def test_a_planted_bug_is_refuted_in_the_step_that_has_it(bug: dict[str, Any], action: str, lemma: str) -> None:
    made = Induction(
        PARTITION, PARTITION.bind("partition:kafka_3_9", {**NO_LOSS, **bug}, PROFILE), ProofRequest(lemmas=(lemma,))
    )
    prover, obligation = Prover(made.prover_inputs()), Obligation("step", lemma, action)
    (found,) = prover.prove_task(Task((obligation,)))
    if isinstance(found, OpenObligation):
        (found,) = prover.prove_task(Task((obligation,), hard=True))
    assert isinstance(found, FoundCounterexample) and found.word == "refuted"
