"""The one word of a proof: the worst of what it rests on, and of what was to be proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tidegate.language.proof import Obligation, Proof, ProofFinding, UnclaimedProperty, VacuousPart

INITIAL = ProofFinding(Obligation("initial", "safe"), "proved", 0.0)
KEPT = ProofFinding(Obligation("step", "safe", "grow"), "proved", 0.0)
PROOF = Proof(
    "m", {}, (), {}, ("safe",), ("grow",), {"safe": "It is safe."}, (INITIAL, KEPT), (), (), (), 1, 0.0, 1,
)  # fmt: skip


def with_word(finding: ProofFinding, word: Any) -> ProofFinding:
    return replace(finding, word=word)


@pytest.mark.parametrize(
    ("proof", "word"),
    [
        (PROOF, "proved"),
        (replace(PROOF, findings=(INITIAL, with_word(KEPT, "refuted"))), "refuted"),
        (replace(PROOF, findings=(INITIAL, with_word(KEPT, "not proved"))), "not proved"),
        (replace(PROOF, stop_reason="Ctrl-C"), "not proved"),
        (replace(PROOF, empty=(VacuousPart("", "nothing happens"),)), "vacuous"),
        (replace(PROOF, known_false=(UnclaimedProperty("safe", "recorded"),)), "refuted"),
    ],
)
def test_the_worst_counts(proof: Proof, word: str) -> None:
    assert proof.word == word


def test_a_lemma_that_was_not_to_be_proved_is_assumed() -> None:
    assert PROOF.assumed_lemmas() == ()
    other = replace(PROOF, lemmas=("safe", "typed"))
    assert other.assumed_lemmas() == ("typed",)
    assert other.word == "conditional"
    assert replace(PROOF, findings=(INITIAL, with_word(KEPT, "not proved"))).assumed_lemmas() == ("safe",)


def test_an_action_that_may_break_the_types_is_named() -> None:
    defined = ProofFinding(Obligation("defined", "", "grow"), "not proved", 0.0)
    assert replace(PROOF, findings=(INITIAL, KEPT, defined)).breaking() == ("grow",)
