"""Mistakes planted in the models, one at a time, that keep something from happening: each turns the claim red that is
about it, within bounds in which the model's own text keeps it. Mistakes that are switches have profiles, and are
recorded in spec/."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.search import Search

from ..support.mutants import TURNS_RED, Case, Mutant
from ..support.shipped import tier_parameters

ASSIGNMENT = Mutant(
    "classic_group", "classic_group/joining.py", "if (target[p] == member", "if (p in Set() and target[p] == member"
)
ZOMBIE = Mutant(
    "zk_controller",
    "zk_controller/protocol.py",
    "require(one_multi and can_write(s, broker) and",
    "require(one_multi and s.majority and",
)
STAYS = Mutant(
    "zk_controller",
    "zk_controller/protocol.py",
    "if s.controller == broker:",
    "if s.controller == broker and s.held[broker] < 2:",
)
CASES = (
    Case("nobody is given a partition", ASSIGNMENT, "eager", "pause", "partitions_are_consumed", "classic_group_live"),
    Case(
        "a leader that no majority hears resigns only beside a newer one",
        Mutant(
            "kraft",
            "kraft/protocol.py",
            "require(s.election[leader].role == Role.LEADER and s.election[leader].silent)",
            "require(s.election[leader].role == Role.LEADER and s.election[leader].silent)\n"
            "    require(any(s.election[it].role == Role.LEADER and s.election[it].epoch > s.election[leader].epoch "
            "for it in Voter))",
        ),
        "check_quorum",
        "two_epochs",
        "unheard_leaders_resign",
        "kraft_live",
    ),
    Case(
        "a broker whose session is over creates /controller",
        ZOMBIE,
        "kafka_3_9",
        "one_expiry",
        "a_controller_follows",
        "zk_controller_live",
    ),
    Case(
        "the znode of the second controller stays when its session ends",
        STAYS,
        "kafka_2_6",
        "returning",
        "a_controller_follows",
        "zk_controller_live",
    ),
    Case(
        "who asks for its next epoch gets none",
        Mutant(
            "transactions",
            "transactions/coordinator.py",
            "require(s.phase[client] == Phase.BUMPING and may_go_on(s.memory, s.epoch[client]))",
            "require(s.phase[client] == Phase.BUMPING and s.epoch[client] < 0)",
        ),
        "kafka_3_6",
        "late_write",
        "gets_a_new_epoch",
        "transactions_live",
    ),
)


def is_quick(case: Case) -> bool:
    """The quickest one."""
    return case.fails == "gets_a_new_epoch"


@pytest.mark.parametrize("case", tier_parameters(CASES, is_quick, lambda case: f"{case.says} {case.fails}"))
def test_a_mistake_turns_its_claim_red(case: Case, tmp_path: Path, cache: Path) -> None:
    search = Search(deadlocks=False, keep_going=True, cache=cache, bounds_end_runs=True)
    assert case.verdicts(tmp_path, search) == TURNS_RED
