"""Compose files that never run together are told apart, and the user is asked which one it is."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.joining.options import Options

SERVICE = """\
  {name}:
    image: confluentinc/cp-kafka:7.8.0
    container_name: {name}{suffix}
    ports: ["909{id}:909{id}"]
    environment: {{KAFKA_BROKER_ID: {id}, KAFKA_ZOOKEEPER_CONNECT: "{meets}"}}
"""
ZOO = "  zoo1: {image: 'confluentinc/cp-zookeeper:7.8.0'}\n"


def stack(*ids: int, meets: str = "zoo1:2181", zoo: str = ZOO, suffix: str = "") -> str:
    services = (SERVICE.format(name=f"kafka{id_}", id=id_, meets=meets, suffix=suffix) for id_ in ids)
    return f"services:\n{zoo}{''.join(services)}"


def read(*texts: str) -> list[int | None]:
    files = [(f"c/{number}.yml", text, False) for number, text in enumerate(texts, 1)]
    return [broker.id for broker in read_cluster_texts(files, Options(), "c")[0].brokers]


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ((stack(1), stack(1, 2, 3)), "c/1.yml and c/2.yml both have a container kafka1"),
        ((stack(1, suffix="-dev"), stack(1, suffix="-prod")), "c/1.yml and c/2.yml both have a node with id 1"),
        ((stack(1), stack(2)), "c/1.yml and c/2.yml each name only servers of their own to meet at"),
        (
            (stack(1), "services:\n  kafka1: {environment: {KAFKA_BROKER_ID: 1}}\n"),
            "c/1.yml and c/2.yml are merged: one changes service kafka1 of the other",
        ),
    ],
)
def test_whole_stacks_are_asked_about(texts: tuple[str, ...], why: str) -> None:
    with pytest.raises(UnreadableInputError) as refused:
        read(*texts)
    assert why in str(refused.value) and "which one is it? Give one of c/1.yml, c/2.yml by its name" in str(
        refused.value
    )


def test_files_of_several_hosts_are_one_cluster() -> None:
    shared = "zoo1.example:2181,zoo2.example:2181"
    assert read(*(stack(number, meets=shared, zoo="") for number in (1, 2, 3))) == [1, 2, 3]


def test_a_file_of_brokers_and_one_of_what_they_meet_at_are_one_cluster() -> None:
    assert read(f"services:\n{ZOO}", stack(1, 2, zoo="")) == [1, 2]
