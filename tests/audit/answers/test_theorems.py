"""Which cells are proved whatever the bounds: those whose exploration is a run of what the gate proves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.audit.answers.theorems import PROFILE, PROVED_PROPERTIES, UNBOUNDED, is_proved
from tidegate.audit.kafka.profiles import switches_of_brokers
from tidegate.audit.questions.cases import loss_case
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME
from tidegate.explorer.smt.unbounded import boundless_constants
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import find

from ...conftest import ROOT, Run

SIGNATURE = Signature("kafka_3_9", switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=True, elr=False), 3, 2, "all",
                      False, False, False, 1, voters=3, voters_in_rack=1)  # fmt: skip


def test_the_gate_proves_what_is_called_proved() -> None:
    (entry,) = [
        proof
        for proof in read_record_file(ROOT / "spec" / "partition.toml").proofs
        if (proof.profile, proof.constants.get("power_losses")) == (PROFILE, 0)
    ]
    assert (entry.verdict, entry.tier) == ("proved", "commit")
    assert {entry.properties.get(name) for name in PROVED_PROPERTIES} == {"proved"}
    definition, profile = find(entry.target)
    model = definition.bind(entry.target, dict(entry.constants), profile)
    free = {name for name in boundless_constants(definition, model) if model.values[name] or name in entry.constants}
    assert free - {"power_losses"} >= UNBOUNDED


@pytest.mark.parametrize("cell", ["crash@all", "crash@one", "leader-move@all"])
def test_a_cell_without_a_loss_of_a_log_is_proved(cell: str) -> None:
    case = loss_case(SIGNATURE, next(one for name, one in BY_NAME.items() if name == cell))
    assert is_proved(case, QUESTION["no-loss"].properties)
    assert is_proved(case, QUESTION["no-unread"].properties)
    assert not is_proved(case, QUESTION["no-duplicates"].properties)


@pytest.mark.parametrize("cell", ["power-loss@all", "disk-loss@all"])
def test_one_that_loses_a_part_of_a_log_is_not(cell: str) -> None:
    case = loss_case(SIGNATURE, next(one for name, one in BY_NAME.items() if name == cell))
    assert not is_proved(case, QUESTION["no-loss"].properties)


@pytest.mark.parametrize(
    "other",
    [
        replace(SIGNATURE, replicas=5),
        replace(SIGNATURE, min_isr=1),
        replace(SIGNATURE, acks="leader"),
        replace(SIGNATURE, unclean=True),
        replace(SIGNATURE, switches=switches_of_brokers("kafka_4_1", "kafka_4_1", kraft=True, elr=True)),
        replace(SIGNATURE, switches=switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=False, elr=False)),
    ],
    ids=lambda one: f"{one.replicas}, {one.min_isr}, {one.acks}, {one.unclean}",
)
def test_nor_is_one_with_other_settings_or_of_another_release(other: Signature) -> None:
    case = loss_case(other, next(one for name, one in BY_NAME.items() if name == "crash@all"))
    assert not is_proved(case, QUESTION["no-loss"].properties)


TOPIC = """\
Topic: orders PartitionCount: 1 ReplicationFactor: 3 Configs: min.insync.replicas=2,unclean.leader.election.enable=false
\tTopic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1,2,3
"""
BROKER = """\
process.roles=broker
node.id=4
controller.quorum.voters=1@a:9093,2@b:9093,3@c:9093
controller.listener.names=CONTROLLER
log.dirs=/data/kafka
"""


@pytest.mark.long
@pytest.mark.parametrize(("broker", "is_proved_somewhere"), [(BROKER, True), ("", False)], ids=["KRaft", "not stated"])
def test_what_is_proved_of_kraft_alone_is_not_proved_where_no_file_states_it(
    broker: str, is_proved_somewhere: bool, tmp_path: Path, tidegate: Run
) -> None:
    (tmp_path / "topics.txt").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "producer.properties").write_text("acks=all\nenable.idempotence=true\n", encoding="utf-8")
    (tmp_path / "audit.toml").write_text('[topic."orders"]\nproducer = "producer.properties"\n', encoding="utf-8")
    if broker:
        (tmp_path / "server.properties").write_text(broker, encoding="utf-8")
    given = ("--kafka-version", "3.9.0", "--distribution", "apache", "--json")
    (subject, *_) = json.loads(tidegate("audit", str(tmp_path), *given).out)["subjects"]
    cells = subject["table"]["no-loss"].values()
    assert "no loss found" in {cell["word"] for cell in cells}
    assert any(cell["proved"] for cell in cells) is is_proved_somewhere
