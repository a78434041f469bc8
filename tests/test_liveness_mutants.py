"""Mistakes planted in the models, one at a time, that keep something from happening: each turns the claim red that is
about it, within bounds in which the model's own text keeps it. Mistakes that are switches have profiles, and are
recorded in spec/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import read
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.model import Model

from .conftest import ROOT
from .mutants import Mutant, plant
from .shipped import tiered


@dataclass(frozen=True)
class Case:
    """A mistake, the file of claims, the profile and bounds in which it shows, and the claim that fails."""

    says: str
    mutant: Mutant
    claims: str
    profile: str
    bounds: str
    fails: str


ASSIGNMENT = Mutant(
    "groups.classic", "groups/classic/joining.py", "if (target[p] == member", "if (p in Set() and target[p] == member"
)
ZOMBIE = Mutant(
    "zk_controller",
    "zk_controller/controller.py",
    "require(one_multi and can_write(s, broker) and",
    "require(one_multi and s.majority and",
)
STAYS = Mutant(
    "zk_controller",
    "zk_controller/sessions.py",
    "if s.controller == broker:",
    "if s.controller == broker and s.held[broker] < 2:",
)
CASES = (
    Case("nobody is given a partition", ASSIGNMENT, "groups.classic_live", "eager", "pause", "partitions_are_consumed"),
    Case(
        "a leader that no majority hears resigns only beside a newer one",
        Mutant(
            "kraft",
            "kraft/time.py",
            "require(s.election[leader].role == Role.LEADER and s.election[leader].silent)",
            "require(s.election[leader].role == Role.LEADER and s.election[leader].silent)\n"
            "    require(any(s.election[it].role == Role.LEADER and s.election[it].epoch > s.election[leader].epoch "
            "for it in Voter))",
        ),
        "kraft.live",
        "check_quorum",
        "two_epochs",
        "unheard_leaders_resign",
    ),
    Case(
        "a broker whose session is over creates /controller",
        ZOMBIE,
        "zk_controller_live",
        "kafka_3_9",
        "one_expiry",
        "a_controller_follows",
    ),
    Case(
        "the znode of the second controller stays when its session ends",
        STAYS,
        "zk_controller_live",
        "kafka_2_6",
        "returning",
        "a_controller_follows",
    ),
    Case(
        "who asks for its next epoch gets none",
        Mutant(
            "transactions",
            "transactions/protocol/coordinator.py",
            "require(s.phase[client] == Phase.BUMPING and may_go_on(s.memory, s.epoch[client]))",
            "require(s.phase[client] == Phase.BUMPING and s.epoch[client] < 0)",
        ),
        "transactions.live",
        "kafka_3_6",
        "late_write",
        "gets_a_new_epoch",
    ),
)
MODULES = {
    "groups.classic_live": ("classic_group_live", "groups.classic"),
    "kraft.live": ("kraft_live", "kraft"),
    "zk_controller_live": ("zk_controller_live", "zk_controller"),
    "transactions.live": ("transactions_live", "transactions.protocol"),
}


def model_of(case: Case, folder: Path | None) -> Model:
    """The model with the mistake, planted in a folder; without one, as it is."""
    name, module = MODULES[case.claims]
    definition = find(name)[0]
    if folder is not None:
        planted = plant(folder, case.mutant)
        definition = load(planted(f"model.{module}"), (planted(f"invariants.{case.claims}"),))
    bounds = read(ROOT / "spec" / f"{name}.toml").bounds[case.bounds]
    values = {constant: str(value) for constant, value in bounds.items()}
    return definition.bind(name, values, case.profile, properties=[case.fails])


def is_quick(case: Case) -> bool:
    """The quickest one."""
    return case.fails == "gets_a_new_epoch"


@pytest.mark.parametrize("case", tiered(CASES, is_quick, lambda case: f"{case.says} {case.fails}"))
def test_a_mistake_turns_its_claim_red(case: Case, tmp_path: Path, cache: Path) -> None:
    found = dict[str, str]()
    for what, folder in (("as it is", None), ("with the mistake", tmp_path)):
        search = Search(deadlocks=False, keep_going=True, cache=cache)
        (prop,) = ENGINES["native"](model_of(case, folder), search, None).properties
        found[what] = prop.verdict
    assert found == {"as it is": "holds", "with the mistake": "violated"}
