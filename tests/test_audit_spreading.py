"""Whether the pods of brokers are on nodes of their own: what a manifest requires, prefers, or leaves open."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster import CannotRead, Cluster
from tidegate.audit.placing import NODES
from tidegate.audit.readers import Options, of_texts
from tidegate.audit.signature import Subject, subjects

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def affinity(when: str, key: str) -> str:
    return f"affinity: {{podAntiAffinity: {{{when}DuringSchedulingIgnoredDuringExecution: [{{topologyKey: {key}}}]}}}}"


def spread(skew: int, otherwise: str) -> str:
    constraint = f"{{maxSkew: {skew}, topologyKey: {HOST}, whenUnsatisfiable: {otherwise}}}"
    return f"topologySpreadConstraints: [{constraint}]"


RULES = {
    "": False,
    affinity("required", HOST): True,
    affinity("required", ZONE): True,
    affinity("required", "other"): False,
    affinity("preferred", HOST): False,
    spread(1, "DoNotSchedule"): True,
    spread(1, "ScheduleAnyway"): False,
    spread(2, "DoNotSchedule"): False,
}
"""What a pod's specification says, and whether that keeps its pods apart."""

PODS = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  replicas: 3
  template:
    spec:
      {rule}
      containers:
        - name: kafka
          image: apache/kafka:3.9.0
          env: [{{name: KAFKA_ZOOKEEPER_CONNECT, value: z}}, {{name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: "3"}}]
"""
KAFKA = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {{name: c}}
spec:
  kafka:
    version: 3.9.0
    {more}
    config: {{default.replication.factor: 3}}
    template: {{pod: {{{rule}}}}}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {{name: p, labels: {{strimzi.io/cluster: c}}}}
spec:
  replicas: 3
  roles: [broker, controller]
  {pool}
"""


def of(text: str, mapping: str = "") -> Cluster:
    files = [("k.yaml", text, True)] + ([("audit.toml", mapping, True)] if mapping else [])
    return of_texts(files, Options(kafka_version="3.9.0", acks="all"), "x")[0]


def new_topics(cluster: Cluster) -> Subject:
    return next(each for each in subjects(cluster) if each.topics[0].name == "(new topics)")


def shared(cluster: Cluster) -> set[bool]:
    """Whether a loss of power takes all brokers, as far as that is known."""
    return {each.signature.one_machine for each in new_topics(cluster).variants}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("text", [PODS, KAFKA])
def test_pods_that_nothing_keeps_apart_may_share_a_node(text: str, rule: str) -> None:
    cluster = of(text.format(rule=rule, more="", pool=""))
    assert shared(cluster) == ({False} if RULES[rule] else {False, True})
    spreads = RULES[rule] and rule.startswith("topology")
    assert any("at least 3 nodes" in each for each in cluster.assumptions) is spreads


def test_what_to_give_is_said_where_it_is_open() -> None:
    found = new_topics(of(PODS.format(rule="")))
    assert NODES in found.asks and "podAntiAffinity" in found.asks[NODES]


def test_a_preference_that_a_rack_brings_is_no_rule() -> None:
    rack = "rack: {topologyKey: topology.kubernetes.io/zone}"
    assert shared(of(KAFKA.format(rule="", more=rack, pool=""))) == {False, True}


def test_a_pools_own_template_replaces_that_of_the_cluster() -> None:
    rule = next(rule for rule, apart in RULES.items() if apart)
    assert shared(of(KAFKA.format(rule=rule, more="", pool="template: {pod: {metadata: {}}}"))) == {False, True}
    assert shared(of(KAFKA.format(rule="", more="", pool=f"template: {{pod: {{{rule}}}}}"))) == {False}


@pytest.mark.parametrize(("nodes", "expected"), [("apart", {False}), ("shared", {True})])
def test_the_users_word_decides(nodes: str, expected: set[bool]) -> None:
    assert shared(of(PODS.format(rule=""), f'[pods]\nnodes = "{nodes}"\n')) == expected


@pytest.mark.parametrize("line", ['nodes = "far"', "nodes = true", 'node = "apart"', ""])
def test_another_word_is_refused(line: str) -> None:
    with pytest.raises(CannotRead, match=r"\[pods\] has one line"):
        of(PODS.format(rule=""), f"[pods]\n{line}\n")


def test_one_pod_shares_no_node() -> None:
    cluster = of(PODS.format(rule="").replace("replicas: 3", "replicas: 1").replace('value: "3"', 'value: "1"'))
    assert shared(cluster) == {False}
