"""Ids of the nodes of Strimzi's pools come from their status or annotation, never from the order in a file."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options

KAFKA = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: c, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}
spec: {kafka: {version: 3.9.0}}
"""
POOL = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {{name: {name}, labels: {{strimzi.io/cluster: c}}{notes}}}
spec: {{replicas: {count}, roles: [{roles}], storage: {{type: persistent-claim}}}}
{status}
"""
HEAD = "Topic: t\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: \n"
TOPIC = f"{HEAD}\tTopic: t\tPartition: 0\tLeader: 0\tReplicas: 0,1\tIsr: 0,1\n"


NO_CONTROLLERS = "no node pool has the role controller: who elects leaders is not described"


def pool(
    name: str, roles: str, count: int = 2, ids: str = "", notes: str = "", storage: str = "persistent-claim"
) -> str:
    status = f"status: {{nodeIds: [{ids}]}}" if ids else ""
    noted = f", annotations: {{strimzi.io/next-node-ids: '{notes}'}}" if notes else ""
    return POOL.format(name=name, roles=roles, count=count, status=status, notes=noted)


def read(*pools: str, topic: str = TOPIC) -> tuple[dict[int | None, str], list[str]]:
    text = "---\n".join([*pools, KAFKA])
    cluster, found = read_cluster_texts([("k.yaml", text, True), ("t.txt", topic, True)], Options(), "x")
    undecided = [finding.what for finding in found if finding.kind == "incomplete"]
    return {node.id: node.roles[0] for node in cluster.brokers}, undecided


@pytest.mark.parametrize(("ids", "notes"), [(("3, 4", "0, 1"), ("", "")), (("", ""), ("[3-4]", "[0, 1]"))])
def test_ids_are_those_of_the_status_or_of_the_annotation(ids: tuple[str, str], notes: tuple[str, str]) -> None:
    pools = [pool("c", "controller", ids=ids[0], notes=notes[0]), pool("b", "broker", ids=ids[1], notes=notes[1])]
    for order in itertools.permutations(pools):
        assert read(*order) == ({0: "broker", 1: "broker", 3: "controller", 4: "controller"}, [])


def test_ids_that_nobody_states_leave_the_audit_undecided_where_a_description_names_them() -> None:
    pools = [pool("c", "controller"), pool("b", "broker")]
    why = "no file says which ids the nodes of KafkaNodePool {} have, and a description names them so"
    assert read(*pools)[1][:1] == [why.format("c")]
    assert read(*reversed(pools))[1][:1] == [why.format("b")]
    assert read(*pools)[0] == read(*reversed(pools))[0]
    assert read(*pools, topic=HEAD)[1] == []
    assert read(pool("a", "broker"), pool("b", "broker"))[1] == [NO_CONTROLLERS]


def test_a_pool_that_has_other_nodes_than_it_asks_for_is_not_settled() -> None:
    assert read(pool("b", "broker", count=3, ids="0, 1"))[1] == [
        "KafkaNodePool b asks for 3 nodes, and 2 have ids",
        NO_CONTROLLERS,
    ]


POOLS = [("a", "broker", "5, 6"), ("b", "controller", "0, 1"), ("c", "broker", "2, 3"), ("d", "broker", "")]


@settings(max_examples=30)
@given(st.permutations(POOLS))
def test_the_order_of_pools_changes_nothing(order: list[tuple[str, str, str]]) -> None:
    found = read(*(pool(name, roles, ids=ids) for name, roles, ids in order))
    expected = {id_: "controller" if id_ < 2 else "broker" for id_ in range(8)}  # d gets 4 and 7
    assert found[0] == expected and len(found[1]) == 2
