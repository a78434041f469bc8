"""What is said at the end of a run is true of that run.

Also of: `runs_shown`.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.audit.answers.answer import Answer
from tidegate.audit.answers.runs_shown import answer_in_own_fault, run_of_answer
from tidegate.audit.answers.scenario import loss_scenario_sentences
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.exploring.case_results import ScenarioStep
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.profiles import switches_of_brokers
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature, Subject, Variant
from tidegate.audit.questions.situations import BY_NAME, CELLS
from tidegate.language.verdict import DisagreementError

SIGNATURE = Signature("kafka_3_9", switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=True, elr=False), 3, 2, "all",
                      False, False, False, 1, voters=3, voters_in_rack=1)  # fmt: skip
SUBJECT = Subject((Topic("orders", Origin("topics.txt", 1)),), None, (Variant((), SIGNATURE),), ())


def end_of(*steps: tuple[str, str]) -> str:
    made = tuple(ScenarioStep(step, says, False) for step, says in steps)
    return loss_scenario_sentences(SUBJECT, Answer("can lose", "model", "", (), made, None, "acknowledged_kept"))[-1]


@pytest.mark.parametrize(
    ("step", "says", "leader"),
    [
        ("fail_to_produce", "Record 0 is sent, and reaches no leader.", ""),
        (
            "fence(broker=A, successor=B)",
            "The controller notices that \u27e8A\u27e9 is down.",
            "broker B",
        ),
        ("learn(broker=C)", "\u27e8C\u27e9 follows \u27e8B\u27e9, the leader of epoch 2.", "broker B"),
        ("elect_preferred(broker=C)", "The controller moves leadership to \u27e8C\u27e9.", "broker C"),
    ],
)
def test_another_broker_leads_only_if_one_was_elected(step: str, says: str, leader: str) -> None:
    expected = (
        f"Now {leader} leads, and a record" if leader else "Now a record that was acknowledged is not in the leader"
    )
    assert end_of((step, says)).startswith(expected)


def test_who_is_missing_while_a_process_is_dead_has_not_lost_its_host_for_good(cache: Path) -> None:
    one = replace(SIGNATURE, replicas=1, min_isr=1)
    crash = answer_question(one, QUESTION["writable"], BY_NAME["crash@all"], Explorations(cache, workers=1))
    said = loss_scenario_sentences(replace(SUBJECT, variants=(Variant((), one),)), crash)
    assert "Broker A is unavailable while the fault lasts." in said and not [
        text for text in said if "for good" in text
    ]
    assert said[-1] == "Now no write is taken until what is missing is back, or an operator acts."


OF_POWER = [cell for cell in CELLS if "power" in cell.fault.name]
STANDS_IN = ("crash", "lose_disk", "lose_host")


@pytest.mark.parametrize(
    ("step", "cell"),
    [
        ("crash", "crash@one"),
        pytest.param("lose_disk", "disk-loss@one", marks=pytest.mark.long),
        pytest.param("lose_host", "rack-loss@one", marks=pytest.mark.long),
    ],
)
def test_a_run_is_of_the_fault_that_its_cell_names(step: str, cell: str, cache: Path) -> None:
    """A loss of power that a crash or a lost disk answers for is shown as one, step by step, and loses the same."""
    steps_of = set[str]()
    for one in several():
        explorations = Explorations(cache, workers=1)
        answer_question(
            one, QUESTION["no-loss"], BY_NAME[cell], explorations
        )  # what is known first answers for the others
        for power, question in itertools.product(OF_POWER, ("no-loss", "no-unread")):
            shown = answer_question(one, QUESTION[question], power, explorations)
            own = answer_in_own_fault(shown, one, power, explorations)
            steps_of |= {step_.step.partition("(")[0] for step_ in shown.steps}
            assert (own.word, own.property, len(own.steps)) == (shown.word, shown.property, len(shown.steps))
            assert not [step_.step for step_ in own.steps if step_.step.startswith(STANDS_IN)]
            if own.case is not None:
                assert not any(own.case.values[name] for name in ("crashes", "disk_losses", "host_losses"))
                run_of_answer(explorations, own)  # it is a run, step by step
    assert step in steps_of, "it stands for a loss of power somewhere"


def several() -> list[Signature]:
    """Signatures that lose in many cells: acks=1, an ISR of 1, unclean elections, and every append on the disk. On
    ZooKeeper, where a lost disk is a loss of power."""
    one = replace(SIGNATURE, switches=switches_of_brokers("kafka_3_9", "kafka_3_9", kraft=False, elr=False))
    return [
        replace(one, acks="leader"),
        replace(one, acks="none"),
        replace(one, min_isr=1),
        replace(one, unclean=True),
        replace(one, acks="leader", fsync=True),
        replace(one, replicas=2, min_isr=1, replicas_in_rack=2),
    ]


def test_a_loss_that_is_none_with_losses_of_power_is_a_disagreement(cache: Path) -> None:
    explorations = Explorations(cache, workers=1)
    one, power, disk = replace(SIGNATURE, acks="leader"), BY_NAME["power-loss@all"], BY_NAME["disk-loss@all"]
    shown = answer_question(one, QUESTION["no-loss"], disk, explorations)
    with pytest.raises(DisagreementError, match="holds at the end of what violates it"):
        answer_in_own_fault(
            replace(shown, steps=shown.steps[:1], property="acknowledged_kept"), one, power, explorations
        )
    with pytest.raises(DisagreementError, match="does not replay with losses of power alone"):
        answer_in_own_fault(replace(shown, steps=(*shown.steps, *shown.steps)), one, power, explorations)


def test_with_storage_that_goes_with_the_process_an_empty_disk_is_the_fault(cache: Path) -> None:
    explorations, one = Explorations(cache, workers=1), replace(SIGNATURE, acks="leader", ephemeral=True)
    shown = answer_question(one, QUESTION["no-loss"], BY_NAME["power-loss@all"], explorations)
    assert answer_in_own_fault(shown, one, BY_NAME["power-loss@all"], explorations) is shown
    assert any(step.step.startswith("lose_disk") for step in shown.steps)


def test_what_acks_0_loses_needs_no_fault(cache: Path) -> None:
    """Its headline blames no leader that moves, its run has a request that fails and nothing else."""
    topic = (
        "Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    )
    options = Options(kafka_version="3.9.0", distribution="apache", acks="0", clients=("java:3.9",))
    asked = AuditRequest(folder=cache, workers=1, repairs=False)
    (orders,) = audit(*read_cluster_texts([("t.txt", topic, True)], options, "x"), asked).document["subjects"]
    assert orders["headline"].startswith(
        "with acks=0 the producer is not informed of failures: a request that does not arrive"
    )
    assert orders["loss"]["says"] == "a request fails, and nothing else"
    assert orders["loss"]["scenario"] == [
        "Record 0 is sent, and reaches no leader.",
        "Now no leader's log has a record that the producer, with acks=0, takes for written.",
    ]
    assert orders["loss"]["source"].startswith("KIP-679")


def test_committed_offsets_that_wait_for_the_leader_alone_fail_and_are_repaired_at_the_brokers(cache: Path) -> None:
    """No producer's acks are about them: that of the brokers is, up to 3.9."""
    topic = (
        "Topic: __consumer_offsets\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
        "\tTopic: __consumer_offsets\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    )
    node = (
        "process.roles=broker\nnode.id={0}\ncontroller.quorum.voters=4@c4:9093,5@c5:9093,6@c6:9093\n"
        "listeners=PLAINTEXT://h{0}:9092\ncontroller.listener.names=CONTROLLER\nlog.dirs=/data\n"
        "min.insync.replicas=2\noffsets.topic.replication.factor=3\noffsets.commit.required.acks=1\n"
    )
    nodes = [(f"{number}.properties", node.format(number), True) for number in (1, 2, 3)]
    options = Options(kafka_version="3.9.1", distribution="apache", acks="all")
    asked = AuditRequest(folder=cache, workers=1)
    found = audit(*read_cluster_texts([*nodes, ("t.txt", topic, True)], options, "x"), asked).document["subjects"]
    (offsets,) = (subject for subject in found if subject["topics"] == ["__consumer_offsets"])
    assert "no-loss=leader-move@all" in offsets["failed"] and offsets["loss"]["source"].startswith("KIP-1041")
    (step,) = offsets["repair"]["steps"]
    assert step["commands"] == ["offsets.commit.required.acks=-1"] and step["restart"]
    assert [setting["key"] for setting in offsets["deciding"]] == ["offsets.commit.required.acks"]


@pytest.mark.long
def test_who_starts_unnoticed_has_lost_its_session_and_leads_with_the_next_leaderandisr(cache: Path) -> None:
    """KAFKA-7235: up to 2.1 a broker cannot start while its session goes on, and BrokerChange alone sends nothing."""
    topic = (
        "Topic: orders\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas=2\n"
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    )
    options = Options(kafka_version="2.1.1", distribution="apache", acks="all", clients=("java:2.1.1",))
    asked = AuditRequest(folder=cache, workers=1, repairs=False)
    (orders,) = audit(*read_cluster_texts([("t.txt", topic, True)], options, "x"), asked).document["subjects"]
    assert any(step.startswith("restart_unnoticed") for step in orders["loss"]["steps"])
    told = [line for line in orders["loss"]["scenario"] if "becomes leader" in line]
    assert told == ["Broker 1 becomes leader in epoch 0, as the next LeaderAndIsr says; ISR = {broker 1, broker 2}."]
    for said in ("KAFKA-7235", "whose session ends", "registers anew", "LeaderAndIsr", "takes over"):
        assert said in orders["loss"]["source"]
