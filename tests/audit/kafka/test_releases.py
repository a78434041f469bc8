"""Numbers of releases that are not Kafka's own."""

from __future__ import annotations

import pytest
from tidegate.audit.kafka.releases import kafka_release


@pytest.mark.parametrize(
    ("text", "confluent", "release"),
    [("3.9.1", False, "3.9.1"), ("7.6", True, "3.6"), ("5.0", True, "2.0"), ("8.1", True, "4.1")],
)
def test_a_version_as_kafka_counts(text: str, confluent: bool, release: str) -> None:
    found, assumed = kafka_release("--kafka-version", text, confluent=confluent)
    assert found.startswith(release) and (bool(assumed) or not confluent)


def test_what_is_no_release_is_refused() -> None:
    with pytest.raises(Exception, match="nonsense"):
        kafka_release("--kafka-version", "nonsense")
