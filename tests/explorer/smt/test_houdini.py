"""Of candidates those that prove each other are left; what falls says when and why."""

from __future__ import annotations

from pathlib import Path

from tidegate.explorer.smt.houdini import prove_with_candidates
from tidegate.explorer.smt.induction import ProofRequest
from tidegate.language.binding import load
from tidegate.language.proof import Proof

from ...conftest import ROOT

FOLLOWER = ROOT / "tests" / "fixtures" / "models" / "follower.py"
CANDIDATES = {
    "always_zero": ("False after a step.", "s.high == 0"),
    "never_seven": ("True only while `always_zero` is.", "s.low != 7"),
    "not_negative": ("True by itself.", "s.low + s.high >= 0"),
}


def proof_with(folder: Path, *names: str, seconds: float | None = None) -> Proof:
    """The proof of the model with these candidates beside its own lemma."""
    text = FOLLOWER.read_text(encoding="utf-8")
    for name in names:
        says, formula = CANDIDATES[name]
        text += f'\n\n@lemma\ndef {name}(s: Pair) -> bool:\n    """{says}"""\n    return {formula}\n'
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    definition = load(path)
    return prove_with_candidates(definition, definition.bind("mine"), ProofRequest(seconds=seconds), lambda _: None)


def test_of_candidates_those_that_prove_each_other_are_left(tmp_path: Path) -> None:
    proof = proof_with(tmp_path, *CANDIDATES)
    assert proof.lemmas == ("in_order", "not_negative")
    assert [(fall.lemma, fall.round, fall.finding.obligation.action) for fall in proof.falls] == [
        ("always_zero", 1, "lead"),
        ("never_seven", 2, "follow"),
    ]
    assert proof.word == "proved"
    assert proof.word_of("not_ahead_by_two") == "proved"


def test_where_all_hold_none_falls(tmp_path: Path) -> None:
    proof = proof_with(tmp_path, "not_negative")
    assert (proof.lemmas, proof.falls, proof.word) == (("in_order", "not_negative"), (), "proved")


def test_where_time_is_out_nothing_is_proved_by_what_is_left(tmp_path: Path) -> None:
    """A candidate that was not asked about is no lemma that holds."""
    assert proof_with(tmp_path, *CANDIDATES, seconds=0.0).word != "proved"
