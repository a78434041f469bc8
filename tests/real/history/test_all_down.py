"""A cluster of which all nodes were down at once: who registers first, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.kafka.profiles import audited_model_definition
from tidegate.explorer.native.observation_search import search
from tidegate.real.history.partitions import recorded_cluster
from tidegate.real.logs.metadata_log import read_metadata_log
from tidegate.real.validation.as_partition import BOUNDS, Moments

from ...conftest import ROOT

Run = Callable[..., Any]
HISTORIES = ROOT / "tests" / "fixtures" / "histories"


@pytest.mark.parametrize(
    ("name", "steps"), [("all_die_3_9", 1), ("leader_first_3_9", 1), ("all_die_4_1", 0), ("two_restart_at_once", 0)]
)
def test_who_registers_first_after_all_nodes_were_down_stays_in_sync_up_to_3_9(
    tidegate: Run, name: str, steps: int
) -> None:
    """KAFKA-18106: nobody has fenced it, and its registration takes nobody out of the ISR. From 4.0 on it does."""
    path = str(HISTORIES / f"{name}.log")
    (partition,) = json.loads(tidegate("validate", path, "--json").out)["partitions"]
    taken = [step["action"] for leg in partition["legs"] for step in leg["steps"]]
    assert (partition["result"], taken.count("register_before_fenced")) == ("shown", steps)
    if steps:
        assert tidegate("validate", path, "--kafka-version", "4.0").exit == 1
        assert tidegate("validate", path, "--set", "register_unseen=false").exit == 1


def test_who_is_fenced_and_stays_in_sync_has_registered(cache: Path) -> None:
    history = recorded_cluster(read_metadata_log(HISTORIES / "all_die_3_9.log")).histories[0]
    place = next(n for n, one in enumerate(history.moments) if one.fenced_brokers)
    assert history.moments[place].restarted_brokers == {3} and history.moments[place].isr == {1, 2, 3}
    still = replace(history.moments[place], restarted_brokers=frozenset[int]())
    after = tuple(replace(one, restarted_brokers=one.restarted_brokers - {3}) for one in history.moments[place + 1 :])
    silent = replace(history, moments=(*history.moments[:place], still, *after))
    model = audited_model_definition().bind(
        None, {**BOUNDS, "register_unseen": True, "register_apart": True}, "kafka_3_9", ghosts=False, properties=()
    )
    answer = search([model], Moments(model, silent), cache, 200_000)
    assert (answer.is_exhausted, answer.last_observation) == (True, place - 1)
