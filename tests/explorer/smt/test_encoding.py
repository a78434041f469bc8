"""Z3's meaning of a model is plain Python's: steps, states after, errors and properties, in states reachable or not.

Also of: `errors`.
"""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.smt.errors import NotUnboundedError
from tidegate.explorer.smt.simulation import FormulaCheck, StepTaken
from tidegate.explorer.smt.unbounded import unbounded_model
from tidegate.invariants.catalogue import CATALOGUE, find
from tidegate.language.binding import Definition, load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import steps
from tidegate.language.values import ModelError

from ...support.engines import bind_text, reachable_states
from ...support.random_models import texts
from ...support.shipped import tier_parameters, tiered_rows
from ...support.smt import agree, any_state

MODELS: list[tuple[str, dict[str, int]]] = [
    ("replication:truncate_to_hw", {}),
    ("replication:kip101", {"max_leader_epoch": 2}),
    ("replication:kip320_first_try", {}),
    ("replication", {}),
    ("async_isr", {}),
    ("raft", {}),
    ("raft", {"messages": 2, "losses": 1, "duplicates": 1}),
    ("raft:membership", {"spares": 1}),
    ("raft:always_truncate", {"messages": 1}),
    ("kraft", {}),
    ("partition", {}),
    ("catching_up", {"records": 1}),
    ("log", {}),
    ("leadership", {}),
    ("generations", {"partitions": 1, "max_generation": 1}),
    ("znode_election", {}),
    ("znode_election:by_path", {"candidates": 2}),
    ("zk_controller", {"brokers": 2, "updates": 1, "writes": 1}),
    ("isr_notification", {}),
    ("producer_ids", {}),
    ("broker_registration", {}),
    ("classic_group", {"partitions": 1, "max_generation": 1}),
    ("assignors", {"members": 2}),
    ("uniform_assignor", {"members": 2, "topics": 1, "max_partitions": 1}),
    ("uniform_heterogeneous", {"members": 2, "topics": 1, "max_partitions": 1, "max_owned": 1, "rounds": 2}),
    ("sticky_assignors", {"members": 2, "topics": 1, "max_partitions": 1, "max_claims": 1}),
    ("consumer_group_published", {"clients": 1}),
    ("modern_group", {"consumers": 1, "partitions": 1}),
    ("static_members", {"clients": 2, "instances": 1}),
    ("recreated_topic", {}),
    ("topic_deletion", {}),
    ("coordinator_answers", {"writes": 2, "moves": 1}),
    ("share_group", {"members": 1, "records": 1}),
    ("tiered_log", {"records": 2}),
    ("lost_marker", {}),
    ("rebalance_window", {"members": 2, "partitions": 2}),
    ("log_dir_notification", {}),
    ("producer", {"records": 2, "entries": 3, "max_in_flight": 2}),
    ("consumer", {"records": 1, "entries": 1, "partitions": 1}),
    ("end_to_end", {"records": 1, "entries": 1, "partitions": 1}),
    ("offsets_outage", {"brokers": 2, "repaired": 2, "min_isr": 1, "factor": 2}),
    ("transactions", {"clients": 1, "partitions": 1, "transactions": 1}),
    ("transactions_published", {}),
    ("transactions_published_partitions", {}),
    ("transactional_processing", {"partitions": 1, "records": 1, "writes": 1}),
    ("transaction_outcomes", {"clients": 1, "partitions": 1, "transactions": 1}),
    ("kraft_voters", {"voter_changes": 1, "first_voters": 2, "max_records": 0}),
]


@pytest.mark.parametrize(("name", "constants"), tiered_rows(MODELS, lambda row: row in MODELS[::2]), ids=str)
def test_every_model_means_the_same(name: str, constants: dict[str, int]) -> None:
    definition, profile = find(name)
    model = definition.bind(name, profile=profile, constants=constants)
    encoding, chosen = finite_encoding(model), random.Random(name)
    for state in reachable_states(model, 12, seed=1):
        agree(model, encoding, state)
    for _ in range(6):
        agree(model, encoding, any_state(model, chosen))


def test_the_list_has_every_model() -> None:
    assert {name.partition(":")[0] for name, _ in MODELS} == set(CATALOGUE)


@pytest.mark.parametrize("examples", tier_parameters((12, 40), lambda examples: examples == 12))
def test_random_models_mean_the_same(examples: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(text=texts(), seed=st.integers(0, 2**32))
    def try_one(text: str, seed: int) -> None:
        folder: Path = tmp_path_factory.mktemp("random")
        with suppress(ModelErrors):
            model = bind_text(folder, text)
            encoding, chosen = finite_encoding(model), random.Random(seed)
            for state in (*reachable_states(model, 4, seed), *(any_state(model, chosen) for _ in range(4))):
                agree(model, encoding, state)

    try_one()


# --- the unbounded formulas -------------------------------------------------------------------------------------------


def allow(definition: Definition, name: str, constants: dict[str, int], states: int, seed: int) -> int:
    """Puts steps between reachable states into the formulas without bounds, every one that there is, and answers how
    many. DisagreementError when one is left out."""
    model = definition.bind(name, constants=constants, ghosts=True, properties=())
    simulation, steps_taken = FormulaCheck(unbounded_model(definition, model)), 0
    for state in reachable_states(model, states, seed):
        for step in steps(model, state):
            simulation.check_step(StepTaken(state, step.action, step.arguments, step.state_after))
            steps_taken += 1
    return steps_taken


NOT_STATED = {
    "consumer_group_published": "compared, searched or counted as a whole",
    "producer": "the loop goes over something that has no end here",
    "assignors": "the loop goes over something that has no end here",
    "uniform_assignor": "the loop goes over something that has no end here",
    "uniform_heterogeneous": "`sum` goes over something that has no end here",
    "sticky_assignors": "the loop goes over something that has no end here",
    "modern_group": "the loop goes over something that has no end here",
    "leadership": "the loop goes over something that has no end here",
    "log": "the loop goes over something that has no end here",
}
"""Why there are no formulas without bounds of a model."""


@pytest.mark.parametrize(("name", "constants"), tiered_rows(MODELS, lambda row: row in MODELS[1::2]), ids=str)
def test_the_unbounded_formulas_allow_every_step(name: str, constants: dict[str, int]) -> None:
    definition, profile = find(name)
    values = definition.values(constants, profile)
    if name in NOT_STATED:
        with pytest.raises(NotUnboundedError, match=NOT_STATED[name]):
            allow(definition, name, cast("dict[str, int]", values), 4, seed=1)
    else:
        assert allow(definition, name, cast("dict[str, int]", values), 4, seed=1) > 0


@pytest.mark.parametrize("examples", tier_parameters((8, 25), lambda examples: examples == 8))
def test_the_unbounded_formulas_allow_every_step_of_random_models(
    examples: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(text=texts(), seed=st.integers(0, 2**32))
    def try_one(text: str, seed: int) -> None:
        path: Path = tmp_path_factory.mktemp("random") / "model.py"
        path.write_text(text, encoding="utf-8")
        with suppress(ModelErrors, ModelError, NotUnboundedError):
            allow(load(path), "model", {}, 4, seed)

    try_one()


def test_open_constants_have_their_values() -> None:
    definition, profile = find("replication")
    names = ("log_size", "max_records", "max_leader_epoch")
    model = definition.bind("replication", profile=profile, open=names)
    encoding = finite_encoding(model)
    for state in reachable_states(model, 10, seed=2):
        agree(model, encoding, state)
