"""Rules about members of groups: with what a consumer does not start, by client and release."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.joining.options import Options

from ...support.rules import CONSUMER, findings


@pytest.mark.parametrize(
    ("text", "client", "refused"),
    [
        ("group.protocol=consumer\nsession.timeout.ms=45000\n", "java:4.1", True),
        ("group.protocol=consumer\nsession.timeout.ms=45000\n", "java:3.9", False),
        ("auto.offset.reset=by_duration:PT1H\n", "java:3.9", True),
        ("auto.offset.reset=by_duration:PT1H\n", "java:4.0", False),
    ],
)
def test_a_consumer_that_does_not_start(tmp_path: Path, text: str, client: str, refused: bool) -> None:
    found = findings(tmp_path, {"app.properties": CONSUMER + text}, Options(clients=(client,)))
    assert bool([one for one in found if "the consumer does not start" in one.what]) is refused


@pytest.mark.parametrize(
    ("settings", "client", "stops"),
    [
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000", "java:3.9", True),
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000", "librdkafka:2.3.0", False),
        ("heartbeat.interval.ms=45000\nsession.timeout.ms=45000", "sarama:1.40.0", True),
        ("heartbeat.interval.ms=45000\nsession.timeout.ms=45000", "kafka-python:2.2.0", True),
        ("heartbeat.interval.ms=45000\nsession.timeout.ms=45000", "franz-go:1.15.0", False),
        ("heartbeat.interval.ms=46000\nsession.timeout.ms=45000", "franz-go:1.15.0", True),
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000\ngroup.protocol=consumer", "java:3.6", True),
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000\ngroup.protocol=consumer", "java:3.7", False),
        ("session.timeout.ms=400000", "librdkafka:2.3.0", True),
        ("max.poll.interval.ms=30000", "librdkafka:2.12.0", True),
        ("max.poll.interval.ms=30000\ngroup.protocol=consumer", "librdkafka:2.12.0", False),
        ("session.timeout.ms=400000", "java:3.9", False),
        ("group.protocol=consumer\nsession.timeout.ms=45000", "librdkafka:2.12.0", True),
        ("group.protocol=consumer\nheartbeat.interval.ms=3000", "librdkafka:2.16.0", True),
        ("group.protocol=consumer\npartition.assignment.strategy=range", "librdkafka:2.12.0", True),
        ("group.protocol=consumer\nsession.timeout.ms=45000", "librdkafka:2.8.0", False),
        ("group.protocol=consumer", "librdkafka:2.3.0", True),
        ("group.protocol=classic\ngroup.remote.assignor=uniform", "librdkafka:2.12.0", False),
        ("group.protocol=classic\ngroup.remote.assignor=uniform", "java:4.0", True),
        ("group.remote.assignor=uniform", "java:3.9", True),
        ("group.protocol=consumer\ngroup.remote.assignor=uniform", "java:4.0", False),
    ],
)
def test_each_client_refuses_what_its_own_source_says(tmp_path: Path, settings: str, client: str, stops: bool) -> None:
    every = findings(tmp_path, {"app.properties": f"{CONSUMER}{settings}\n"}, Options(clients=(client,)))
    found = [finding for finding in every if finding.kind != "unknown_key"]  # CONSUMER has Java's keys
    assert any("the consumer does not start" in finding.what for finding in found) is stops
    assert all(finding.severity == "error" for finding in found if "does not start" in finding.what)
