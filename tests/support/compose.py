"""Compose files that tests read."""

from __future__ import annotations

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options


def incomplete(findings: tuple[Finding, ...]) -> list[str]:
    """What leaves the audit undecided."""
    return [finding.what for finding in findings if finding.kind == "incomplete"]


SERVICE = """\
services:
  k1:
    image: apache/kafka:3.9.0
    environment: {{KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller", KAFKA_MIN_INSYNC_REPLICAS: 2}}
    {more}
  setup:
    image: apache/kafka:3.9.0
    command: {command}
"""


def services(more: str = "", command: str = "[sleep]") -> tuple[Cluster, tuple[Finding, ...]]:
    return read_cluster_texts([("compose.yml", SERVICE.format(more=more, command=command), True)], Options(), "x")
