"""The smallest change that repairs all that fails, and what it leaves undecided where there is none such."""

from __future__ import annotations

from typing import Any

from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.repairs.repair import MOST_CHANGES
from tidegate.explorer.cache import cache_directory

COMPOSE = """
services:
  kafka:
    image: apache/kafka:4.1.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@localhost:9093
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
    volumes: ["data:/var/lib/kafka/data"]
"""


def repair_of_new_topics(*texts: tuple[str, str, bool]) -> dict[str, Any]:
    asked = AuditRequest(folder=cache_directory(), seconds=600.0)
    made = audit(*read_cluster_texts(texts, Options(), "x"), asked).document
    return next(subject["repair"] for subject in made["subjects"] if subject["name"] == "(new topics)")


def test_more_changes_that_repair_all_come_before_fewer_that_leave_something_undecided() -> None:
    """One broker needs more of them than are tried at once, and with the fewer ones it was not green after all."""
    repair = repair_of_new_topics(("docker-compose.yml", COMPOSE, True))
    assert not repair["leaves_open"] and repair["left"] == []
    assert repair["change"] == [
        "3 brokers", "default.replication.factor=3", "min.insync.replicas=2", "acks=all", "a host for each node",
        "three controllers on hosts without brokers",
    ]  # fmt: skip
    assert len(repair["change"]) > MOST_CHANGES
