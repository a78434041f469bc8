"""Changes as a diff of the user's own YAML, where a cluster is run by Strimzi: its operator owns what its resources
state, and takes back what anybody changes behind them.

A diff has the keys that lead to the setting, a line with `-` for what is stated now, and one with `+`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..cluster.cluster import Broker, Cluster, Topic, strimzi_pool_of
from ..cluster.statements import Origin, Setting

CONFIG = ("spec", "kafka", "config")
ZONE = "topology.kubernetes.io/zone"
"""The label of a Kubernetes node that says in which zone it is."""

Lines = tuple[str, ...]


def kafka_config_diff(cluster: Cluster, key: str, value: str) -> Lines:
    """The diff that sets one setting of the brokers in `spec.kafka.config`."""
    given = [setting for broker in cluster.brokers for setting in broker.settings if _stands_at(setting, CONFIG)]
    old = next((setting for setting in given if setting.key == key), None)
    where = old.origin if old else (given[0].origin if given else _first_strimzi_broker(cluster).origin)
    return _diff_lines(Origin(where.path, where.line if old else None), "Kafka", CONFIG, key, old and old.value, value)


def topic_config_diff(topic: Topic, key: str, value: str) -> Lines:
    """The diff that sets one setting in a KafkaTopic (`Topic.resource`)."""
    path = ("spec", "config")
    old = next((setting for setting in topic.settings if setting.key == key), None)
    where = old.origin if old else topic.origin
    return _diff_lines(where, topic.origin.place, path, key, old and old.value, value)


def topic_replicas_diff(topic: Topic, value: int) -> Lines:
    """The diff that raises the replicas of a KafkaTopic (`Topic.resource`)."""
    now = None if topic.replication_factor is None else str(topic.replication_factor)
    return _diff_lines(topic.origin, topic.origin.place, ("spec",), "replicas", now, str(value))


def broker_count_diff(cluster: Cluster, broker_count: int) -> Lines | None:
    """The diff after which there are as many brokers as replicas are needed, nothing if there are, and None if only
    nodes that vote as well could be added: the number of controllers is not changed on the way.
    """
    brokers = [broker for broker in cluster.brokers if broker.keeps_topics]
    if len(brokers) >= broker_count:
        return ()
    alone = [broker for broker in brokers if "controller" not in broker.roles and strimzi_pool_of(broker) is not None]
    if not alone:
        return None
    first = alone[0]
    now = sum(1 for broker in alone if broker.origin == first.origin)
    pooled = first.origin.place.startswith("KafkaNodePool")
    path = ("spec",) if pooled else ("spec", "kafka")
    what = first.origin.place if pooled else "Kafka"
    return _diff_lines(first.origin, what, path, "replicas", str(now), str(now + broker_count - len(brokers)))


def rack_diff(cluster: Cluster) -> Lines:
    """The diff that gives each broker the zone of its node as its rack; nothing if the resource does so."""
    if any(
        setting.key == "broker.rack" and setting.origin.place == "spec.kafka.rack"
        for setting in _settings_of_brokers(cluster)
    ):
        return ()
    where = Origin(_first_strimzi_broker(cluster).origin.path)
    return _diff_lines(where, "Kafka", ("spec", "kafka", "rack"), "topologyKey", None, ZONE)


def version_diff(cluster: Cluster, kafka: str) -> Lines:
    """The diff that upgrades the brokers; nothing if they have this release, and it says which that is."""
    stated = cluster.versions.kafka
    if stated is None or stated.origin.place != "spec.kafka.version":
        return _diff_lines(
            Origin(_first_strimzi_broker(cluster).origin.path), "Kafka", ("spec", "kafka"), "version", None, kafka
        )
    return _diff_lines(stated.origin, "Kafka", ("spec", "kafka"), "version", stated.value, kafka)


def _first_strimzi_broker(cluster: Cluster) -> Broker:
    return next(broker for broker in cluster.brokers if strimzi_pool_of(broker) is not None)


def _settings_of_brokers(cluster: Cluster) -> list[Setting]:
    return [setting for broker in cluster.brokers for setting in broker.settings]


def _stands_at(setting: Setting, path: Sequence[str]) -> bool:
    return setting.origin.place == ".".join((*path, setting.key))


def _diff_lines(where: Origin, resource: str, path: Sequence[str], key: str, old: str | None, new: str) -> Lines:
    head = [f"# {where}, {resource}", *(f"  {'  ' * depth}{name}:" for depth, name in enumerate(path))]
    inner = "  " * len(path)
    removed = [] if old is None else [f"- {inner}{key}: {old}"]
    return (*head, *removed, f"+ {inner}{key}: {new}")
