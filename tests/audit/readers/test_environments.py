"""Clusters that lie in one folder and never run together: what tells them apart, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster, read_clusters
from tidegate.audit.cluster.statements import Unread, UnreadableInputError
from tidegate.audit.readers.environments import split_environments

BROKER = "node.id=1\nprocess.roles=broker,controller\ncontroller.quorum.voters=1@{name}:9093\nlog.dirs=/d\n"
STRIMZI = "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: k}\nspec: {}\n"
COMPOSE = "services: {k: {environment: {KAFKA_NODE_ID: 1}}}\n"


def split(*paths: str, text: str = BROKER) -> dict[str, list[str]]:
    found = split_environments([(path, text, False) for path in paths], [])
    return {one.name: [path for path, _, _ in one.texts] for one in found}


@pytest.mark.parametrize("text", [BROKER, STRIMZI, COMPOSE, "Topic: orders\tPartitionCount: 1\n"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("c/dev/server.properties", "c/prod/server.properties"),
        ("c/overlays/development/k.yaml", "c/overlays/production/k.yaml"),
        ("c/kafka-dev/a/b.properties", "c/kafka-prod/z.properties"),
        ("docker-compose.dev.yml", "docker-compose.prod.yml"),
        ("inventories/dev/group_vars/all.yml", "inventories/prod1/group_vars/all.yml"),
    ],
)
def test_environments_are_apart_by_the_words_for_them(one: str, other: str, text: str) -> None:
    found = split(one, other, "shared.properties", text=text)
    if "prod1" in other:
        assert found == {"": [one, other, "shared.properties"]}, "another place: nothing says that these are of a kind"
    else:
        assert found == {"dev": [one, "shared.properties"], "prod": [other, "shared.properties"]}


@pytest.mark.parametrize(
    "paths",
    [
        ("c/dev/server.properties", "c/more/server.properties"),
        ("application-dev.yml", "application-prod.yml"),
        ("c/broker1/server.properties", "c/broker2/server.properties"),
        ("dev/server.properties", "x/prod/server.properties"),
        ("products/dev.properties", "developers/prod.properties"),
    ],
)
def test_what_is_not_clearly_apart_is_one(paths: tuple[str, ...]) -> None:
    assert split(*paths) == {"": [*paths]}


def test_environments_without_a_cluster_are_none() -> None:
    assert split("dev/producer.properties", "prod/producer.properties", text="acks=all\n").keys() == {""}
    texts = [("dev/b.properties", BROKER, False), ("prod/producer.properties", "acks=all\n", False)]
    assert [one.name for one in split_environments(texts, [])] == [""]


def test_what_was_not_read_is_of_its_environment() -> None:
    texts = [(f"{name}/b.properties", BROKER, False) for name in ("dev", "prod")]
    left = Unread("prod/x.gpg", "it is encrypted", may_be_configuration=True)
    assert [one.unread for one in split_environments(texts, [left])] == [(), (left,)]


def test_each_is_read_by_itself_and_who_asks_for_one_is_asked(tmp_path: Path) -> None:
    for name, least in (("dev", 1), ("prod", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "b.properties").write_text(BROKER.format(name=name) + f"min.insync.replicas={least}\n")
    found = dict(read_clusters([tmp_path]))
    assert found.keys() == {"dev", "prod"}
    for name, least in (("dev", "1"), ("prod", "2")):
        read = found[name]
        assert not isinstance(read, UnreadableInputError)
        values = [s.value for node in read[0].brokers for s in node.settings if s.key == "min.insync.replicas"]
        assert values == [least]
        assert not any("only one starts" in finding.what for finding in read[1])
    with pytest.raises(UnreadableInputError, match=r"2 clusters that never run together are in .*: dev, prod"):
        read_cluster([tmp_path])


def test_stacks_and_kafka_resources_of_several_files_are_read_one_by_one(tmp_path: Path) -> None:
    stack = "services: {k: {container_name: k, image: 'apache/kafka:4.1.0', environment: {KAFKA_NODE_ID: %d}}}\n"
    for number, name in enumerate(("one.yml", "three.yml")):
        (tmp_path / name).write_text(stack % number)
    assert [name for name, _ in read_clusters([tmp_path])] == [f"{tmp_path}/one.yml", f"{tmp_path}/three.yml"]
    other = tmp_path / "strimzi"
    other.mkdir()
    for name in ("a", "b"):
        (other / f"{name}.yaml").write_text(STRIMZI.replace("name: k", f"name: {name}"))
    assert [name for name, _ in read_clusters([other])] == ["a", "b"]


def test_one_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    for name in ("dev", "prod"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "b.properties").write_text(BROKER)
    (tmp_path / "prod" / "audit.toml").write_text("[[")
    (_, dev), (_, prod) = read_clusters([tmp_path])
    assert not isinstance(dev, UnreadableInputError) and isinstance(prod, UnreadableInputError)
