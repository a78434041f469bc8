"""Which pod has which id is decided as it starts: a number of the reader's, unless a set of one pod states it."""

from __future__ import annotations

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.startup.nodes import nodes_down

SETTINGS = """apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}-configuration}}
data:
  server.properties: |-
    process.roles={role}
    controller.quorum.voters={voters}
    controller.listener.names=CONTROLLER
    listeners={listeners}
    listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT
    log.dirs=/bitnami/kafka/data
    {more}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: {name}}}
spec:
  replicas: {count}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      initContainers:
      - {{name: prepare-config, image: "docker.io/bitnami/kafka:3.9.0", command: [/scripts/init.sh]}}
      containers:
      - name: kafka
        image: docker.io/bitnami/kafka:3.9.0
        volumeMounts:
        - {{name: data, mountPath: /bitnami/kafka}}
        - {{name: cfg, mountPath: /opt/bitnami/kafka/config/server.properties, subPath: server.properties}}
      volumes:
      - {{name: cfg, configMap: {{name: {name}-configuration}}}}
  volumeClaimTemplates:
  - {{metadata: {{name: data}}}}
"""
LISTENERS = {"broker": "CLIENT://:9092", "controller": "CONTROLLER://:9093"}
THREE = "0@c-0:9093,1@c-1:9093,2@c-2:9093"


def text(name: str, role: str, count: int, voters: str = THREE, more: str = "") -> str:
    """What a chart renders of one set of nodes."""
    return SETTINGS.format(name=name, role=role, count=count, voters=voters, listeners=LISTENERS[role], more=more)


def read(*texts: str) -> tuple[Cluster, tuple[Finding, ...]]:
    """The cluster of rendered files."""
    return read_cluster_texts([(f"{number}.yaml", one, True) for number, one in enumerate(texts)], Options(), "x")


def ids(cluster: Cluster, role: str) -> list[int | None]:
    """The ids of the nodes that have files, by role."""
    return [node.id for node in cluster.brokers if node.settings and role in node.roles]


def test_brokers_that_get_their_ids_from_an_init_container_are_no_voters() -> None:
    """Bitnami's chart gives brokers 100 and more; the voters are the controllers', 0 to 2."""
    cluster, findings = read(text("kafka-broker", "broker", 3))
    assert not nodes_down(cluster)
    assert any(finding.kind == "incomplete" and "init container" in finding.what for finding in findings)


def test_sets_of_several_files_are_nodes_of_their_own() -> None:
    """`helm template --output-dir` writes a file for each."""
    cluster, findings = read(text("kafka-broker", "broker", 3), text("kafka-controller", "controller", 3))
    assert ids(cluster, "controller") == [0, 1, 2] and ids(cluster, "broker") == [3, 4, 5]
    assert not nodes_down(cluster) and not any(finding.kind == "contradiction" for finding in findings)


def test_a_set_of_one_pod_has_the_id_that_it_states() -> None:
    voters = "1@c-1:9093,2@c-2:9093,7@c-7:9093"
    states = [text(f"c-{id_}", "controller", 1, voters, f"node.id={id_}") for id_ in (7, 1, 2)]
    cluster, _ = read(*states, text("kafka-broker", "broker", 2, voters))
    assert ids(cluster, "controller") == [1, 2, 7] and ids(cluster, "broker") == [0, 3]
    assert not nodes_down(cluster)


def test_an_id_that_is_stated_and_no_voters_keeps_a_controller_from_starting() -> None:
    cluster, _ = read(text("c-9", "controller", 1, more="node.id=9"))
    assert ["has no voter 9" in node.to_sentence for node in nodes_down(cluster)] == [True]
