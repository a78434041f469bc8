"""The topics of a Streams application that states no number of replicas: one before 3.0, the brokers' default since."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

BROKER = (
    "process.roles=broker,controller\nnode.id={}\nlog.dirs=d\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
)


@pytest.mark.parametrize(
    ("clients", "replicas", "warned"),
    [(("java:2.8",), {1}, True), (("java:3.0",), {3}, False), (("java:3.9",), {3}, False), ((), {1, 3}, True)],
)
def test_the_version_of_streams_says_how_many_replicas(
    clients: tuple[str, ...], replicas: set[int], warned: bool
) -> None:
    texts = [(f"b{number}.properties", BROKER.format(number), True) for number in (1, 2, 3)]
    texts.append(("streams.properties", "application.id=app\nbootstrap.servers=a:1\nproducer.acks=all\n", True))
    cluster, findings = read_cluster_texts(
        texts, Options(kafka_version="3.9.0", distribution="apache", clients=clients), "x"
    )
    (found,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "app-(store)-changelog")
    assert {variant.signature.replicas for variant in found.variants} == replicas
    said = [finding for finding in findings if "replication.factor is not set" in finding.what]
    assert bool(said) is warned
    if len(replicas) == 2:
        assert found.asks["replication factor"] == "--client java:VERSION"
