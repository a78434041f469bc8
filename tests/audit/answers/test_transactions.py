"""Whether anybody writes transactions decides what must hold of their log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.answers.answer import Answer
from tidegate.audit.answers.requirements import DEFAULT, Requirement, RequirementCheck
from tidegate.audit.answers.transactions import (
    WRITERS,
    add_transactions,
    assumption_about_transactions,
    writes_transactions,
)
from tidegate.audit.cluster.cluster import Cluster, Partition, RespondingBrokers, Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects

from ..rules.test_transactions import PLAIN, cluster_of

WORKER = "bootstrap.servers=b:1\ngroup.id=g\nconfig.storage.topic=c\noffset.storage.topic=o\nstatus.storage.topic=s\n"


CLIENTS: dict[str, tuple[dict[str, str], str, str | None]] = {
    "nobody": ({}, "unknown", "depends"),
    "plain": ({"producer": PLAIN}, "no", None),
    "transactional": ({"producer": PLAIN + "transactional.id=t\n"}, "yes", "failed"),
    "one of two": ({"producer": PLAIN, "producer2": PLAIN + "transactional.id=t\n"}, "yes", "failed"),
    "consumer": ({"consumer": "group.id=g\nauto.offset.reset=latest\n"}, "unknown", "depends"),
    "worker": ({"connect-distributed": WORKER}, "unknown", "depends"),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_the_log_of_transactions_counts_where_transactions_are_written(name: str) -> None:
    clients, expected, result = CLIENTS[name]
    cluster = cluster_of(**clients)
    assert writes_transactions(cluster) == expected
    required = next(requirement for requirement in DEFAULT if requirement.of == "transactions")
    failed = RequirementCheck(required, "failed", Answer("can lose"))
    log = subject(cluster, "__transaction_state")
    checks, asks = add_transactions([failed], log, cluster)
    assert [check.result for check in checks] == ([] if result is None else [result])
    assert (WRITERS in asks) is (result == "depends")


def test_the_log_itself_says_whether_somebody_wrote_transactions() -> None:
    """It is created for the first transactional producer: a running cluster that has none has had no such producer."""
    nobody = cluster_of()
    asked = replace(nobody, answering=RespondingBrokers(Origin("b:9092"), (1, 2, 3)))
    assert writes_transactions(asked) == "no" and assumption_about_transactions(nobody) == ""
    assert assumption_about_transactions(asked).startswith("no producer is transactional, since __transaction_state")
    here = Origin("topics.txt", 1)
    there = Topic("__transaction_state", here, (Partition(0, 1, (1, 2, 3), (1, 2, 3), here),))
    for cluster in (nobody, asked):
        assert writes_transactions(replace(cluster, topics=(there,))) == "yes"
        assert assumption_about_transactions(replace(cluster, topics=(there,))) == ""
    named = replace(cluster_of(producer=PLAIN), answering=asked.answering)
    assert writes_transactions(named) == "no" and assumption_about_transactions(named) == "", "its files say so"


def subject(cluster: Cluster, name: str) -> Subject:
    return next(candidate for candidate in cluster_subjects(cluster) if candidate.topics[0].name == name)


def test_the_default_asks_what_one_fault_loses_of_transactions_and_of_offsets_while_all_are_in_sync() -> None:
    cluster = cluster_of()
    of_log, of_offsets = (
        {requirement.to_text for requirement in DEFAULT if requirement.is_about(subject(cluster, name))}
        for name in ("__transaction_state", "__consumer_offsets")
    )
    assert "no-loss=power-loss@min-isr" in of_log and "no-loss=disk-loss@min-isr" in of_log
    losses = {offset for offset in of_offsets if offset.startswith("no-loss")}
    assert losses and all(loss.endswith("@all") for loss in losses)


def test_other_checks_and_other_topics_are_left_as_they_are() -> None:
    cluster = cluster_of()
    check = RequirementCheck(Requirement("writable", "crash@all", "internal"), "failed", Answer("can lose"))
    for name in ("__transaction_state", "__consumer_offsets"):
        assert add_transactions([check], subject(cluster, name), cluster) == ([check], {})
