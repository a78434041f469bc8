"""An audit from end to end of clusters that are out of service, or that cannot be what their files say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tidegate.audit.auditing import AuditRequest, audit, read_cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.report.summary import summarize
from tidegate.reports.audit.table import cell_texts

from ..conftest import Run

OFFLINE = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
    "\tTopic: orders\tPartition: 0\tLeader: none\tReplicas: 1\tIsr: 1\n"
)


def test_a_partition_without_a_leader_fails_whatever_is_required(tidegate: Run, tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text(OFFLINE, encoding="utf-8")
    done = tidegate("audit", str(tmp_path), "--kafka-version", "3.9", "--distribution", "apache", "--acks", "all")
    assert done.exit == 1
    assert "partitions of orders refuse writes or reads now; " in " ".join(done.out.split())
    assert "now: orders partition 0: no leader, so that nothing is written or read" in done.out
    cluster, findings = read_cluster([tmp_path], Options(kafka_version="3.9", distribution="apache", acks="all"))
    nothing = AuditRequest(requirements=(), folder=None, repairs=False)
    assert audit(cluster, findings, nothing).exit == 1
    whole = replace(cluster.topics[0], partitions=(replace(cluster.topics[0].partitions[0], leader=1),))
    assert audit(replace(cluster, topics=(whole,)), findings, nothing).exit == 5


def test_an_outage_is_not_said_to_fail_requirements_that_hold() -> None:
    outage: dict[str, Any] = {
        "certain": True,
        "kind": "offline",
        "topic": "orders",
        "nodes": [],
        "says": "orders has no leader",
    }
    document: dict[str, Any] = {
        "exit": 1, "outages": [outage], "files": [], "unread": [], "findings": [], "required": "standard",
        "unknown_release": "", "not_asked": "", "date": "", "versions": {"upgraded from": ""},
        "subjects": [{"topics": ["orders"], "checks": [], "loss": None, "accepted": "", "now": None}],
    }  # fmt: skip
    said = "partitions of orders refuse writes or reads now; the topic meets what is required (standard)"
    assert summarize(document)["headline"] == said


def test_a_topic_that_cannot_be_created_fails(tidegate: Run, tmp_path: Path) -> None:
    node = "process.roles=broker\nnode.id={}\nlog.dirs=d\ndefault.replication.factor=3\n"
    for number in (1, 2):
        (tmp_path / f"b{number}.properties").write_text(node.format(number), encoding="utf-8")
    refused = tidegate("audit", str(tmp_path), "--kafka-version", "3.9", "--distribution", "apache", "--json")
    document = json.loads(refused.out)
    assert refused.exit == 1 and all(subject["failed"] for subject in document["subjects"])
    found = next(subject for subject in document["subjects"] if subject["topics"] == ["(new topics)"])
    assert found["headline"].startswith("cannot be created: 3 replicas are asked for")


def test_a_service_that_was_not_decided_is_not_shown_as_going_on() -> None:
    table = {name: {"crash@all": {"word": "no loss found"}} for name in ("no-loss", "no-unread", "readable")}
    not_known = cell_texts({**table, "writable": {"crash@all": {"word": "not checked"}}}, "crash@all")
    assert not_known == ("keeps", "-")
    going_on = cell_texts({**table, "writable": {"crash@all": {"word": "no loss found"}}}, "crash@all")
    assert going_on == ("keeps", "go on")
