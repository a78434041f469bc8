"""Raft's proof: its lemmas in every state that there is, and kept by every step whatever the bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.induction import Asked, Induction
from tidegate.invariants.catalogue import find

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
    ],
    ids=lambda sizes: f"{sizes['servers']} servers",
)
def test_every_lemma_holds_in_every_state(sizes: dict[str, int], cache: Path) -> None:
    model = RAFT.bind("raft:paper", sizes, PROFILE, properties=LEMMAS)
    verdict = ENGINES["native"](model, Search(symmetry=True, cache=cache), None)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    assert {each.name for each in verdict.properties} == set(LEMMAS)


def assert_proved(servers: int, folder: Path) -> None:
    asked = Asked(lemmas=LEMMAS, properties=GOALS, folder=folder)
    proof = Induction(RAFT, RAFT.bind("raft:paper", {"servers": servers}, PROFILE), asked).prove(lambda _: None)
    assert [each.obligation for each in proof.findings if each.word != "proved"] == []
    assert (proof.word, proof.sizes["Server"]) == ("proved", servers)
    assert {*LEMMAS, *GOALS} == set(proof.goals)
    assert {"max_term", "log_size", "client_values", "crashes", "messages"} == set(proof.boundless)
    assert proof.never == ()


@pytest.mark.proof
def test_raft_is_proved_for_three_servers_whatever_the_bounds(tmp_path: Path) -> None:
    assert_proved(3, tmp_path)


@pytest.mark.proof
def test_raft_is_proved_for_five_servers_whatever_the_bounds(tmp_path: Path) -> None:
    assert_proved(5, tmp_path)
