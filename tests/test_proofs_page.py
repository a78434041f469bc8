"""The table of docs/proofs.md that says what is proved for each model is that of the models."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from tidegate.explorer.smt.encoding import boundless_constants
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.gates.records import known_violations
from tidegate.invariants.catalogue import find
from tidegate.language.proof import Unstated

from .shipped import tiered

PAGE = Path(__file__).resolve().parent.parent / "docs" / "proofs.md"


def row(name: str) -> str:
    """The model's row, as the page has it."""
    definition, profile = find(name)
    model = definition.bind(name, {}, profile)
    known = known_violations(definition, model, boundless_constants(definition, model))
    made = Induction(definition, model, ProofRequest(known=known))
    lemmas = {lemma.name for lemma in made.lemmas}
    sizes = ", ".join(f"{domain.size} {domain.name}" for domain in model.domains)
    bounds = ", ".join(f"`{constant}`" for constant in made.model.constants if constant in made.boundless)
    proved = ", ".join(f"`{goal.name}`" for goal in made.goals() if goal.name not in lemmas)
    apart = [name for name, why in made.apart.items() if isinstance(why, Unstated)]
    left = [name for name in made.apart if name not in apart]
    cells = [
        f"`{name}`",
        sizes,
        bounds,
        str(len(lemmas)),
        str(len(made.obligations())),
        proved,
        *(_names(each) for each in (apart, left, known)),
    ]
    return "| " + " | ".join(cells) + " |"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


@pytest.mark.parametrize(
    "name",
    tiered(
        ["replication:kip320", "kraft:kip595", "kraft:kip996", "raft:paper"], lambda name: not name.startswith("kraft")
    ),
)
def test_the_page_says_what_there_is_to_prove_of_each_model(name: str) -> None:
    assert row(name) in PAGE.read_text(encoding="utf-8").splitlines()
