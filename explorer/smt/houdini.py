"""From candidates the lemmas that prove each other: the largest set that holds at first and that every step keeps.

A candidate that is false at first, or that some step does not keep where all candidates hold, is given up; without it
others may fall, so that it is tried again with those that are left, until none falls.
"""

from __future__ import annotations

import time
from dataclasses import replace

from ...language.binding import Definition
from ...language.model import Model
from ...language.proof import FallenCandidate, Proof, ProofFinding
from .finite_instances import lemmas_of
from .induction import Heard, Induction, ProofRequest


def prove_with_candidates(definition: Definition, model: Model, request: ProofRequest, heard: Heard) -> Proof:
    """The proof that rests on the candidates that are left, with those that fell, when and why. Raises what
    `Induction.prove` raises."""
    began = time.monotonic()
    falls = list[FallenCandidate]()
    rounds = 0
    while True:
        rounds += 1
        induction = Induction(definition, model, _remaining_request(request, began), {fall.lemma for fall in falls})
        names = tuple(prop.name for prop in lemmas_of(induction.model))
        if names:
            induction.asked = replace(induction.asked, lemmas=names)
        proof = induction.prove(heard)
        fallen = _fallen_lemmas(proof, rounds)
        if not fallen or proof.stop_reason:
            break
        falls += fallen
    if not proof.stop_reason:
        proof = Induction(definition, model, _remaining_request(request, began), {fall.lemma for fall in falls}).prove(
            heard
        )
    return replace(proof, falls=tuple(falls), seconds=time.monotonic() - began)


def _remaining_request(request: ProofRequest, began: float) -> ProofRequest:
    """What is asked, with the time that is left."""
    if request.seconds is None:
        return request
    return replace(request, seconds=max(0.001, request.seconds - (time.monotonic() - began)))


def _fallen_lemmas(proof: Proof, rounds: int) -> list[FallenCandidate]:
    """The lemmas with a finding that is not a proof: for each the first that refutes it, else the first that does not
    prove it."""
    found = dict[str, ProofFinding]()
    for finding in sorted(proof.findings, key=lambda finding: finding.word != "refuted"):
        if finding.word != "proved" and finding.obligation.goal in proof.lemmas:
            found.setdefault(finding.obligation.goal, finding)
    return [FallenCandidate(name, rounds, finding) for name, finding in found.items()]
