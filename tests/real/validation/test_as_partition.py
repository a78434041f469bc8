"""Moments of a history as steps of the partition's model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tidegate.real.history.moments import History, Moment

from ...conftest import Run
from ...support.histories import HISTORIES, TWO_RESTART, answer, cluster, model_of
from ...support.metadata_logs import restarts


def test_a_broker_that_registers_anew_was_down_and_one_that_does_not_was_up(tidegate: Run) -> None:
    document = json.loads(tidegate("validate", str(HISTORIES / "kafka_14139.log"), "--json").out)
    steps = [step["action"] for leg in document["partitions"][0]["legs"] for step in leg["steps"]]
    assert (steps.count("restart"), steps.count("unfence")) == (1, 1)


def test_who_restarts_after_an_unclean_stop_registers_first_and_is_unfenced_later(tidegate: Run) -> None:
    """With ELR a broker leaves the ELR when it registers; another one is unfenced in between (4.1.0, offsets 60 to
    64)."""
    document = json.loads(tidegate("validate", str(TWO_RESTART), "--json").out)
    (partition,) = document["partitions"]
    taken = [(leg["to"], step["action"]) for leg in partition["legs"] for step in leg["steps"]]
    assert partition["result"] == "shown"
    assert [step for step in taken if 7 <= step[0] <= 9] == [(7, "register"), (8, "restart"), (9, "restart")]


def test_nobody_leaves_the_elr_without_registering_anew(cache: Path) -> None:
    history = cluster(TWO_RESTART).histories[0]
    assert 1 in history.moments[7].restarted_brokers
    model = model_of("kafka_4_1", min_isr=2, register_apart=True)
    assert answer(history, model, cache).last_observation == len(history.moments) - 1
    quiet = replace(history.moments[7], restarted_brokers=history.moments[7].restarted_brokers - {1})
    found = answer(replace(history, moments=(*history.moments[:7], quiet, *history.moments[8:])), model, cache)
    assert (found.is_exhausted, found.last_observation, found.legs[-1].observation) == (True, 6, 6)


def test_a_moment_passes_only_while_its_batch_goes_on_with_that_partition(tmp_path: Path) -> None:
    path = tmp_path / "metadata.txt"
    path.write_text(restarts(3, 2, 1), "utf-8")
    first, second = cluster(path).histories
    assert [moment.passing for moment in first.moments[:4]] == [False, True, False, False]
    assert [moment.passing for moment in second.moments[:4]] == [False, True, False, False]


def test_a_broker_that_registers_before_it_is_fenced_leaves_the_isr_as_if_it_were(cache: Path) -> None:
    """4.0 without ELR (KAFKA-18106): one batch has the smaller ISR, another leader, and a registration that is
    fenced."""

    def moment(leader: int, isr: str, fenced: str, **more: Any) -> Moment:
        of = {
            "isr": isr,
            "elr": "",
            "last_known": "",
            "fenced_brokers": fenced,
            "restarted_brokers": "",
            "stopping_brokers": "",
            **more,
        }
        sets: dict[str, Any] = {name: frozenset(map(int, members)) for name, members in of.items()}
        return Moment(offset=0, time_ms=0, leader=leader, leader_epoch=leader - 1, **sets)

    moments = (
        moment(1, "123", ""),
        moment(2, "23", "1", restarted_brokers="1"),
        moment(2, "23", "", restarted_brokers="1"),
    )
    history = History("orders", 0, (1, 2, 3), moments, {}, True)
    found = answer(history, model_of("kafka_4_1", elr=False), cache)
    assert [step.action for leg in found.legs for step in leg.run.steps] == ["crash", "fence", "restart"]
