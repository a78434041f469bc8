"""The present state of every partition: each kind of it is judged, also of more replicas than the model has.

Also of: `outages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tidegate.audit.answers.answer import SubjectVerdict
from tidegate.audit.answers.current_state import cases_of_partition, describe_current_state
from tidegate.audit.answers.outages import find_outages
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.cases import cases_of_loss
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.situations import BY_NAME
from tidegate.audit.questions.subjects import cluster_subjects

from ...conftest import NewExplorations


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


DURABLE = "min.insync.replicas=2,unclean.leader.election.enable=false"


def subject_of_lines(lines: str, replicas: int = 3, configs: str = DURABLE, version: str = "3.9.0") -> Subject:
    text = f"Topic: orders\tPartitionCount: 9\tReplicationFactor: {replicas}\tConfigs: {configs}\n{lines}"
    options = Options(version, distribution="apache", acks="all")
    cluster = read_cluster_texts([("topics.txt", text, True)], options, "x")[0]
    return next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")


def line(number: int, leader: str, replicas: str, isr: str, more: str = "") -> str:
    return f"\tTopic: orders\tPartition: {number}\tLeader: {leader}\tReplicas: {replicas}\tIsr: {isr}{more}\n"


def state_findings(subject: Subject, explorations: Explorations) -> list[str]:
    found: Any = describe_current_state(SubjectVerdict(subject, (), {}), explorations)
    return [group["headline"] for group in found["groups"]]


def test_every_kind_of_partition_is_judged_and_not_the_smallest_alone(explorations: Explorations) -> None:
    rows = [
        line(0, "none", "1,2,3", "1"),
        line(1, "2", "2,3,1", "2"),
        line(2, "3", "3,1,2", "3,1"),
        line(3, "3", "3,1,2", "3,2"),
        line(4, "1", "1,2,3", "1,2,3"),
    ]
    offline, alone, two = state_findings(subject_of_lines("".join(rows)), explorations)
    assert offline == (
        "orders partition 0: the ISR is {1} of 3 replicas, and it has no leader; it is neither written nor read until "
        "one of its in-sync replicas {1} is back"
    )
    assert "partition 1" in alone and "writes are refused: 2 in sync are needed" in alone
    assert "one loss of power can lose acknowledged records" in alone
    assert "partition 2" in two and "(and 1 more like it)" in two and "one more broker down stops writes" in two
    assert "can lose" not in two


@pytest.mark.parametrize(
    "changed", [{}, {"acks": "none"}, {"ephemeral": True}, {"unclean": True}, {"one_machine": True}]
)
def test_what_is_asked_of_a_small_isr_is_what_its_cell_asks(changed: Mapping[str, Any]) -> None:
    """The same explorations: with acks=0 a request is lost too, and what does not last is empty after a stop."""
    subject = subject_of_lines(line(1, "2", "2,3,1", "2"))
    one = subject.topics[0].partitions[0]
    for variant in subject.variants:
        signature = replace(variant.signature, **changed)
        for fault in ("crash", "power-loss"):
            asked = cases_of_partition(signature, one, f"{fault}@all")
            assert asked == cases_of_loss(signature, BY_NAME[f"{fault}@one"]), fault


def test_more_replicas_than_the_model_has_have_their_present_state(explorations: Explorations) -> None:
    """Six replicas: nothing is explored, and what is refused now is said all the same."""
    rows = line(0, "1", "1,2,3,4,5,6", "1") + line(1, "none", "2,3,4,5,6,1", "2")
    six = subject_of_lines(rows, replicas=6)
    assert six.not_checked == "orders has 6 replicas, and the model has 1 to 5" and six.variants == ()
    assert {(outage.kind, outage.certain) for outage in find_outages(six)} == {("refused", True), ("offline", True)}
    offline, refused = state_findings(six, explorations)
    assert "neither written nor read" in offline and "writes are refused: 2 in sync are needed" in refused


@pytest.mark.parametrize(
    ("isr", "more", "expected"),
    [
        ("", "\tElr: 2,3\tLastKnownElr: ", "the ISR is empty, of 3 replicas, {2,3} may be elected (ELR), and it has"),
        ("", "\tElr: 2,3\tLastKnownElr: ", "until one of its eligible leader replicas {2,3} is back"),
        ("", "\tElr: 2,4\tLastKnownElr: ", "until one of its eligible leader replicas {2} is back"),
        ("", "\tElr: 4\tLastKnownElr: 3", "until a replica is elected uncleanly, by hand"),
        ("", "\tElr: \tLastKnownElr: 3", "until its last known leader, of {3}, is back"),
        ("", "\tElr: \tLastKnownElr: ", "until a replica is elected uncleanly, by hand"),
        ("", "", "which kafka-topics.sh of 4.0 and later shows"),
        ("1", "", "one of its in-sync replicas {1} is back"),
    ],
)  # fmt: skip
def test_an_empty_isr_names_who_may_be_elected(isr: str, more: str, expected: str, explorations: Explorations) -> None:
    (offline,) = state_findings(subject_of_lines(line(0, "none", "1,2,3", isr, more), version="4.1.0"), explorations)
    assert expected in offline


def test_the_only_one_in_sync_loses_power_while_the_others_are_down(explorations: Explorations) -> None:
    configs = "min.insync.replicas=3,unclean.leader.election.enable=true"
    (found,) = state_findings(subject_of_lines(line(0, "1", "1,2,3", "1"), configs=configs), explorations)
    assert "one loss of power" in found
