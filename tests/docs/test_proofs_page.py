"""The table of docs/proofs.md that says what is proved for each model is that of the models."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

import pytest
from tidegate.api.models import find_definition
from tidegate.explorer.smt.encoding import unbounded_encoding
from tidegate.explorer.smt.errors import UnsayableError
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.states import fresh_state
from tidegate.explorer.smt.transition import symbolic_instances
from tidegate.explorer.smt.unbounded import boundless_constants, unbounded_model
from tidegate.gates.records import known_violations
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.proof import UnstatedProperty

from ..support.pages import page_with_appendix
from ..support.shipped import tier_parameters

TWO_PHASE = "examples/two_phase.py"
NOT_STATED = ("replication_as_log", "raft_as_log", "kraft_as_log", "raft_as_leadership", "kraft_as_leadership")
PAGE = page_with_appendix("proofs.md")


def row(name: str) -> str:
    """The model's row, as the page has it."""
    definition, profile = find_definition(name)
    model = definition.bind(name, {}, profile)
    known = known_violations(definition, model, boundless_constants(definition, model))
    made = Induction(definition, model, ProofRequest(known_violations=known))
    lemmas = {lemma.name for lemma in made.lemmas}
    sizes = ", ".join(f"{domain.size} {domain.name}" for domain in model.domains)
    bounds = _names(constant for constant in made.model.constants if constant in made.boundless)
    proved = ", ".join(f"`{goal.name}`" for goal in made.goals() if goal.name not in lemmas)
    apart = [name for name, why in made.properties_not_claimed.items() if isinstance(why, UnstatedProperty)]
    left = [name for name in made.properties_not_claimed if name not in apart]
    cells = [
        f"`{name}`",
        sizes,
        bounds,
        str(len(lemmas)),
        str(len(made.obligations())),
        proved,
        *(_names(words) for words in (apart, left, known)),
    ]
    return "| " + " | ".join(cells) + " |"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


@pytest.mark.parametrize(
    "name",
    tier_parameters(
        ["replication:kip320", "kraft:kip595", "kraft:kip996", "raft:paper"], lambda name: not name.startswith("kraft")
    ),
)
def test_the_page_says_what_there_is_to_prove_of_each_model(name: str) -> None:
    assert row(name) in PAGE.splitlines()


@pytest.mark.parametrize("name", NOT_STATED)
def test_the_refinements_of_the_built_in_models_have_no_meaning_without_bounds(name: str) -> None:
    """Beside the lemmas of their models: in their own text there are none."""
    model, _, refinement = name.partition("_")
    package = import_module("tidegate.invariants").__name__
    text, lemmas = (import_module(f"{package}.{model}.{module}") for module in (refinement, "proof"))
    definition = load(text, (lemmas,))
    with pytest.raises(
        (UnsayableError, ModelErrors), match=r"is bound to values of its constants|a value of another type"
    ):
        _ = Induction(definition, definition.bind(name), ProofRequest(properties=(refinement,))).properties_not_claimed
    assert f"`{name}`" in PAGE


def test_every_action_of_the_partition_has_a_meaning_without_bounds() -> None:
    definition, profile = find_definition("partition:kafka_3_9")
    model = unbounded_model(definition, definition.bind(profile=profile))
    encoding = unbounded_encoding(model)
    before = fresh_state(model, encoding, "0")
    for action in model.actions:
        symbolic_instances(model, encoding, before, "c", action.name)


def test_what_is_proved_of_the_partition_is_what_the_page_says() -> None:
    definition, profile = find_definition("partition:kafka_3_9")
    set_ = {"power_losses": 0, "crashes": 1, "shutdowns": 1, "preferred_elections": 1}
    made = Induction(definition, definition.bind("partition:kafka_3_9", set_, profile), ProofRequest())
    asked = [goal for goal in made.goals() if goal.name not in made.properties_not_claimed]
    apart = [isinstance(why, UnstatedProperty) for why in made.properties_not_claimed.values()]
    lemmas, properties = len(made.lemmas), len(asked) - len(made.lemmas)
    assert (lemmas, properties + len(apart), properties, apart.count(True), apart.count(False)) == (38, 41, 32, 3, 6)
    assert "three brokers with 38 lemmas" in PAGE and "Of 41 properties 31 are proved" in PAGE
