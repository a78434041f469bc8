"""What audit.toml requires of topics counts for these, and what is asked of all for all others."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from tidegate.audit.answers.baseline import AcceptedFinding
from tidegate.audit.answers.requirements import PRESETS
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.joining.options import Options

from ..report.test_summary import topic_text

TOPICS = topic_text("orders", 2) + topic_text("logs.a", 2) + topic_text("logs.b", 2)
ASKED = PRESETS["standard"].requirements


def audit_required(mapping: str, accepted: tuple[AcceptedFinding, ...] = ()) -> dict[str, Any]:
    texts = [("topics.txt", TOPICS, True), ("audit.toml", mapping, True)]
    options = Options(kafka_version="3.9.0", distribution="apache", acks="all", clients=("java:3.9",))
    cluster, findings = read_cluster_texts(texts, options, "x")
    return audit(cluster, findings, AuditRequest(requirements=ASKED, seconds=0.0, accepted_findings=accepted)).document


def requirements_by_topic(document: dict[str, Any]) -> dict[str, set[str]]:
    return {
        name: {check["require"] for check in subject["checks"]}
        for subject in document["subjects"]
        for name in subject["topics"]
    }


def test_alike_topics_of_which_different_things_are_required_are_asked_apart() -> None:
    asked = requirements_by_topic(audit_required('[topic."logs.*"]\nrequire = "dev"\n'))
    assert asked["logs.a"] == asked["logs.b"] == {"writable=leader-move@all", "readable=leader-move@all"}
    assert "no-loss=crash@min-isr" in asked["orders"]


def test_a_topics_own_name_is_stronger_and_of_patterns_all_count() -> None:
    mapping = (
        '[topic."logs.*"]\nrequire = "no-loss=crash@all"\n[topic.".*"]\nrequire = ["writable=crash@all"]\n'
        '[topic."logs.b"]\nrequire = "no-loss=power-loss@one"\n'
    )
    document = audit_required(mapping)
    asked = requirements_by_topic(document)
    assert asked["logs.a"] == {"no-loss=crash@all", "writable=crash@all"}
    assert asked["logs.b"] == {"no-loss=power-loss@one"}
    assert asked["orders"] == {"writable=crash@all"}
    assert document["required"].split("; ") == sorted(
        ["of orders: writable=crash@all", "of logs.b: no-loss=power-loss@one",
         "of logs.a: no-loss=crash@all, writable=crash@all"], key=document["required"].index,
    )  # fmt: skip


def test_the_headline_says_what_is_required_of_which() -> None:
    assert audit_required('[topic."logs.*"]\nrequire = "strict"\n')["required"] == "standard; of logs.a, logs.b: strict"
    assert audit_required("")["required"] == "standard"


def test_what_there_is_not_is_refused_with_its_place() -> None:
    with pytest.raises(UnreadableInputError) as refused:
        audit_required('[topic.orders]\nrequire = "stict"\n')
    assert str(refused.value) == (
        "audit.toml:1: require is 'stict': write a preset or QUESTION=FAULT@SITUATION, such as "
        "no-loss=power-loss@min-isr; did you mean strict?"
    )


def test_a_baseline_is_held_against_what_is_required_of_its_topics() -> None:
    entry = AcceptedFinding("orders", ("no-loss=power-loss@one",), (), "known", datetime.date.max, place="b")
    with pytest.raises(UnreadableInputError, match="is not required of orders"):
        audit_required("", (entry,))
    assert audit_required('[topic.orders]\nrequire = "strict"\n', (entry,))["subjects"]
