"""Kafka's own commands, by the release whose tool takes them."""

from __future__ import annotations

import pytest
from tidegate.audit.kafka.tools import (
    BOOTSTRAP,
    OPTIONS,
    is_command_supported,
    put_address_into,
    reassignment_command,
    topic_alteration_command,
)
from tidegate.audit.kafka.versions import RELEASES, releases_meant


@pytest.mark.parametrize(
    ("command", "first", "last"),
    [
        (topic_alteration_command("t", "a=b", "2.4.1"), "0.9", "2.8"),
        (topic_alteration_command("t", "a=b", "2.5.0"), "2.5", "4.4"),
        (topic_alteration_command("t", "a=b", None), "2.5", "4.4"),
        (reassignment_command("x.json", "2.5.1"), "0.9", "2.8"),
        (reassignment_command("x.json", "2.6.0"), "2.6", "4.4"),
        ("kafka-metadata-quorum.sh --bootstrap-server HOST:9092 describe --replication", "3.3", "4.4"),
        ("kafka-metadata-quorum.sh --bootstrap-controller HOST:9093 describe --replication", "3.7", "4.4"),
        ("kafka-features.sh --bootstrap-server HOST:9092 upgrade --release-version 4.1", "4.0", "4.4"),
    ],
)
def test_a_command_is_of_the_releases_that_take_it(command: str, first: str, last: str) -> None:
    names = [f"{major}.{minor}" for major, minor in RELEASES]
    expected = [
        name for name in names if releases_meant(first)[0] <= releases_meant(name)[0] <= releases_meant(last)[1]
    ]
    assert [name for name in names if is_command_supported(command, name)] == expected


def test_a_name_that_a_shell_would_read_is_quoted() -> None:
    assert "--entity-name 'a b' " in topic_alteration_command("a b", "a=b", None)


def test_a_command_without_a_row_is_an_error() -> None:
    with pytest.raises(KeyError):
        is_command_supported("kafka-acls.sh --list", "3.9")
    assert all(option.since and option.words for option in OPTIONS)


def test_commands_of_a_running_cluster_have_its_address() -> None:
    said = {"steps": [{"run": f"kafka-topics.sh {BOOTSTRAP} --describe"}, 3], "where": None}
    assert put_address_into(said, "k1:9092") == {
        "steps": [{"run": "kafka-topics.sh --bootstrap-server k1:9092 --describe"}, 3],
        "where": None,
    }
