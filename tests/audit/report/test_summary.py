"""What an operator reads first, as a value."""

from __future__ import annotations

from typing import Any

from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.report.summary import summarize

from ...support.audited_topics import audit_topics, topic_text


def test_what_follows_from_the_loss_of_a_topic_is_said_beside_its_row() -> None:
    """The row's line decides that it is lost; what consumers see of that stands in no row."""
    made = audit_topics(topic_text("__remote_log_metadata", 1, 1))["summary"]
    assert [row["topics"] for row in made["rows"]] == [["__remote_log_metadata"]]
    assert [said for said in made["also"] if "all that is tiered is lost to consumers" in said]


def test_what_was_read_and_skipped_is_counted_and_named(five: dict[str, Any]) -> None:
    assert five["summary"]["read"] == "read 2 files"
    unread = [{"path": f"cluster/{name}", "reason": "", "may_be_configuration": False} for name in "abcdef"]
    assert summarize({**five, "unread": unread})["read"] == "read 2 files, skipped 6 (a, b, c, d and 2 more)"
    alike = [{"path": f"{folder}/x.yml", "reason": "", "may_be_configuration": False} for folder in "ab"]
    assert summarize({**five, "unread": alike})["read"] == "read 2 files, skipped 2 (a/x.yml, b/x.yml)"


def test_what_else_was_found_is_said_once_the_gravest_first(five: dict[str, Any]) -> None:
    where = {"path": "cluster/a", "line": 3, "place": ""}

    def finding(severity: str, what: str, kind: str = "advice") -> dict[str, Any]:
        source = "KIP-1; tidegate check lock --property p; KafkaConsumer" if what == "key e" else "a page"
        return {"severity": severity, "what": what, "kind": kind, "where": where, "to_do": "mend it", "source": source}

    found = [
        finding("note", "n"), finding("warning", "key w"), finding("error", "key e"),
        finding("error", "i", "incomplete"), finding("error", "does not start"),
    ]  # fmt: skip
    down = {"topic": "", "nodes": [2], "kind": "does not start", "certain": True, "says": "broker 2 does not start"}
    made = summarize({**five, "findings": found, "outages": [down]})
    assert made["also"] == ["a:3: key e; mend it (KIP-1)", "a:3: key w; mend it"]


COMPOSE = """
services:
  kafka:
    image: confluentinc/cp-kafka:7.9.0
    environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "z:2181", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://k:9092"}
    volumes: ["data:/var/lib/kafka"]
"""


def test_what_has_the_line_of_a_setting_that_decides_and_is_not_about_it_is_said() -> None:
    """All that a service leaves at its default stands at one line, and a hidden volume too."""
    cluster = read_cluster_texts([("docker-compose.yml", COMPOSE, True)], Options(), "x")
    made = audit(*cluster, AuditRequest(seconds=8.0)).document["summary"]
    rows = {row["topics"][0]: row["decided"] for row in made["rows"]}
    assert "docker-compose.yml:4 replication factor=1" in rows["(new topics)"]
    what = "docker-compose.yml:4: the log of service kafka is not on the volume at /var/lib/kafka"
    assert [said for said in made["also"] if said.startswith(what)]
