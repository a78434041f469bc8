"""Lists that Kafka 4.2 and later refuse: with an empty item, with one item twice, and where none is taken, empty ones
(KIP-1161: `ConfigDef.ValidList`, 4.2.0, 4.3.0)."""

from __future__ import annotations

from collections import Counter

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import readable_settings
from ..kafka.keys import declared_key
from ..kafka.versions import is_at_least
from .listeners import Reasons

FIRST_STRICT = "4.2"

NEVER_EMPTY_LISTS = (
    declared_key("process.roles"), declared_key("controller.listener.names"), declared_key("listeners"),
    declared_key("advertised.listeners"), declared_key("log.dirs"), declared_key("log.dir"),
    declared_key("group.coordinator.rebalance.protocols"), declared_key("sasl.enabled.mechanisms"),
)  # fmt: skip
EMPTY_LISTS = (declared_key("early.start.listeners"),)
"""These may be empty."""


def list_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """Why a node does not start, and where that is set."""
    kafka, stated = cluster.versions.kafka, readable_settings(node)
    if kafka is None or is_at_least(kafka.value, FIRST_STRICT) is not True:
        return
    for key in (*NEVER_EMPTY_LISTS, *EMPTY_LISTS):
        if key not in stated:
            continue
        items = [item.strip() for item in stated[key].value.split(",")]
        if items == [""]:
            if key in NEVER_EMPTY_LISTS and cluster.is_value_empty(stated[key]):
                yield f"`{key}=` is empty, which {FIRST_STRICT} and later refuse", stated[key].origin
        elif "" in items:
            yield f"`{key}={stated[key].value}` has an empty item: remove a comma", stated[key].origin
        elif twice := next((item for item, times in Counter(items).items() if times > 1), ""):
            yield f"`{key}={stated[key].value}` has {twice} twice", stated[key].origin
