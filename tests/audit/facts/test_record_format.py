"""Records of a format without leader epochs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.questions.subjects import cluster_subjects

from ..joining.test_cluster import OPTIONS, brokers, of, topic, truncations


@pytest.mark.parametrize(
    ("line", "more", "version", "old"),
    [
        ("log.message.format.version=0.10.2\n", "", "2.8.2", True),
        ("", ",message.format.version=0.10.2-IV0", "2.8.2", True),
        ("log.message.format.version=0.10.2\n", ",message.format.version=2.8-IV1", "2.8.2", False),
        ("log.message.format.version=0.11.0\n", "", "2.8.2", False),
        ("log.message.format.version=0.10.2\n", "", "3.4.0", False),
        ("log.message.format.version=0.10.2\ninter.broker.protocol.version=2.8\n", "", "3.4.0", True),
    ],
)
def test_records_without_epochs_are_truncated_by_the_high_watermark(
    line: str, more: str, version: str, *, old: bool
) -> None:
    cluster, _ = of(*brokers(*[line] * 3), ("t.txt", topic(more)), options=replace(OPTIONS, kafka_version=version))
    assert (truncations(cluster) == {"high_watermark"}) is old


def test_a_described_format_that_is_the_asked_brokers_says_nothing_of_the_others() -> None:
    lines = ("log.message.format.version=0.10.2\n", *["log.message.format.version=2.8-IV1\n"] * 2)
    described = ("t.txt", topic(",message.format.version=2.8-IV1"))
    cluster, _ = of(*brokers(*lines), described, options=replace(OPTIONS, kafka_version="2.8.2"))
    assert truncations(cluster) == {"high_watermark"}


@pytest.mark.parametrize(
    ("producer", "client", "says"),
    [
        ("acks=all\nenable.idempotence=true\n", "java:2.8", "writes nothing to orders"),
        ("acks=all\ntransactional.id=t\n", "java:2.8", "writes nothing to orders"),
        ("acks=all\n", "java:3.4", "writes nothing to orders"),  # it is by default
        ("acks=all\n", "java", "is one is not known; give --client java:VERSION"),
        ("acks=all\n", "java:2.8", ""),
        ("acks=all\nenable.idempotence=false\n", "java:3.4", ""),
        ("acks=1\n", "java:3.4", ""),
    ],
)
def test_an_old_format_takes_no_records_of_idempotent_producers(producer: str, client: str, says: str) -> None:
    """LogValidator: UNSUPPORTED_FOR_MESSAGE_FORMAT."""
    line = "log.message.format.version=0.10.2\ninter.broker.protocol.version=2.8\n"
    options = replace(OPTIONS, kafka_version="3.4.0", clients=(client,), acks=None)
    cluster, _ = of(*brokers(*[line] * 3), ("t.txt", topic()), ("producer.properties", producer), options=options)
    orders = next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    assert says in orders.not_checked and bool(says) is bool(orders.not_checked)
