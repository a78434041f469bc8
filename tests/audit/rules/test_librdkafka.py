"""What old librdkafka reports as written and has lost leaves a verdict open."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.rules.clients import client_rules

BROKER = "node.id=1\nprocess.roles=broker\ncontroller.quorum.voters=101@c:9093\nlog.dirs=/data\n"
TRANSACTIONAL, IDEMPOTENT = "transactional.id=t\n", "enable.idempotence=true\n"


@pytest.mark.parametrize(
    ("client", "settings", "effect"),
    [
        (
            "librdkafka:1.6.1",
            TRANSACTIONAL,
            "before 1.7.0, if the cluster is down when records are sent, they time out",
        ),
        ("librdkafka:1.7.0", TRANSACTIONAL, "before 1.8.2, after quick changes of leaders a commit succeeds"),
        ("librdkafka:1.8.2", TRANSACTIONAL, "before 1.9.0, a topic that a restarting broker does not know yet"),
        ("librdkafka:1.6.1", IDEMPOTENT, "before 1.9.0, a topic that a restarting broker does not know yet"),
        ("librdkafka:1.9.0", TRANSACTIONAL, ""),
        ("librdkafka:1.6.1", "acks=all\n", ""),
        ("java:2.8", TRANSACTIONAL, ""),
    ],
)
def test_what_a_release_mends_those_before_it_did(client: str, settings: str, effect: str) -> None:
    texts = [("producer.properties", settings, True), ("broker.properties", BROKER, True)]
    cluster, _ = read_cluster_texts(texts, Options(kafka_version="3.9", distribution="apache", clients=(client,)), "x")
    found = [
        finding.what
        for finding in client_rules(cluster)
        if finding.kind == "incomplete" and finding.source == "its CHANGELOG"
    ]
    assert len(found) == bool(effect) and all(effect in what for what in found)
    assert all(what.endswith("; this is not modelled") for what in found)
