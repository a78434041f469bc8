"""Numbers of releases that are not Kafka's own."""

from __future__ import annotations

import pytest
from tidegate.audit.kafka.releases import (
    is_metadata_version,
    kafka_release,
    known_release,
    newest_level,
    why_release_not_known,
)


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


KNOWN = "Kafka 0.9 to 4.4 are known here"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *((known, "") for known in ("0.9", "0.10.2.1", "2.8.2", "3.9", "4", "4.4.0", "4.1.7", "4.4.0-rc1")),
        *((text, KNOWN) for text in ("0.8.2", "0.7", "2.9", "3.99", "4.5", "4.9.1", "9.9", "12.0")),
        ("5.0", f"{KNOWN}; Confluent Platform 5.0 is Kafka 2.0"),
        ("7.6.1", f"{KNOWN}; Confluent Platform 7.6 is Kafka 3.6"),
        ("8.0", f"{KNOWN}; Confluent Platform 8.0 is Kafka 4.0"),
    ],
)
def test_a_release_that_is_in_no_table_is_not_known(text: str, why: str) -> None:
    assert why_release_not_known(text) == why
    assert kafka_release("--kafka-version", text) == (text, "")


def test_where_only_a_known_release_will_do_another_is_refused() -> None:
    assert known_release("--kafka-version", "3.9.1") == "3.9.1"
    with pytest.raises(ValueError, match=r"--kafka-version 4\.9: this release is not known: Kafka 0\.9 to 4\.4"):
        known_release("--kafka-version", "4.9")


def test_levels_of_metadata_and_of_features_by_release() -> None:
    assert all(map(is_metadata_version, ("3.7-IV4", "4.4-IV2", "3.9", "4.4")))
    assert not any(map(is_metadata_version, ("4.4-IV3", "4.5-IV0", "3.7-IV9", "5.0")))
    assert [newest_level("share.version", release) for release in ("4.0.1", "4.1", "4.3.0", "4.4")] == [0, 1, 1, 2]
    assert newest_level("kraft.version", "3.8") == 0 and newest_level("other.version", "4.1") is None
