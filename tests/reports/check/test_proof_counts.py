"""The first line of a proof counts every property once, whatever became of it.

Also of: `proof`.
"""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as some
from tidegate.language.proof import (
    Answer,
    Obligation,
    Proof,
    ProofFinding,
    UnclaimedProperty,
    UnstatedProperty,
    VacuousPart,
)
from tidegate.reports.check.proof import proof_headline

NAMES = ["p1", "p2", "p3", "p4", "p5", "p6"]
LEMMAS = ("l1", "l2")
ANSWERS: list[Answer] = ["proved", "proved", "proved", "refuted", "not proved"]


@some.composite
def proofs(draw: some.DrawFn) -> Proof:
    """Any result about six properties and two lemmas: each property is looked at, or apart for some reasons, and what
    was named may be both."""
    kinds = ("goal", "not asked", "unstated", "left out", "known false", "goal and known false", "goal and vacuous")
    kind = {name: draw(some.sampled_from(kinds)) for name in NAMES}
    asked = [lemma for lemma in LEMMAS if draw(some.booleans())]
    goals = [*asked, *(name for name in NAMES if kind[name].startswith("goal"))]
    answers: dict[str, Answer] = {goal: draw(some.sampled_from(ANSWERS)) for goal in goals}
    empty = [VacuousPart(name, "its antecedent is never true") for name in NAMES if kind[name] == "goal and vacuous"]
    if draw(some.booleans()):
        empty.append(VacuousPart("", "said of nothing", of_all=draw(some.booleans())))
    return Proof(
        model="any",
        constants={},
        boundless=(),
        sizes={},
        lemmas=LEMMAS,
        actions=("step",),
        goals=dict.fromkeys(goals, ""),
        findings=tuple(ProofFinding(Obligation("step", goal, "step"), answers[goal], 0.0) for goal in goals),
        never=(),
        unstated_properties=tuple(UnstatedProperty(name, "", "", 1) for name in NAMES if kind[name] == "unstated"),
        symmetric=(),
        witnesses=1,
        seconds=0.0,
        workers=1,
        stop_reason=draw(some.sampled_from(["", "the time was up"])),
        empty=tuple(empty),
        left_out=tuple(UnclaimedProperty(name, "") for name in NAMES if kind[name] == "left out"),
        known_false=tuple(UnclaimedProperty(name, "") for name in NAMES if kind[name].endswith("known false")),
        not_asked=tuple(name for name in NAMES if kind[name] == "not asked"),
    )


@given(proofs())
def test_the_first_line_counts_every_property_once(proof: Proof) -> None:
    said = proof_headline(proof)
    found = re.search(r"; of (\d+) properties (.*)$", said)
    if found is None:
        assert set(proof.standing().values()) == {proof.word}
        return
    counted = [int(number) for number in re.findall(r"(\d+) (?:is|are) ", found[2])]
    assert (int(found[1]), sum(counted)) == (len(NAMES), len(NAMES))
    assert sorted(proof.standing()) == NAMES


@given(proofs())
def test_a_result_is_no_milder_than_what_it_says_of_a_property(proof: Proof) -> None:
    """Of the worst property, from refuted down; of what it is not said, nothing."""
    order = ["refuted", "not proved", "vacuous", "conditional", "proved"]
    words = [proof.word_of(goal) for goal in proof.goals]
    assert order.index(proof.word) <= min(map(order.index, words), default=len(order))
