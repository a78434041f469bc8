"""What the settings of a node make of it."""

from __future__ import annotations

from tidegate.audit.readers.broker_properties import broker_of_settings, broker_part
from tidegate.audit.readers.properties import property_entries


def test_a_node_has_its_id_and_its_roles() -> None:
    settings, _ = property_entries("s.properties", "node.id=3\nprocess.roles=broker,controller\nlog.dirs=/d\n")
    part = broker_part("s.properties", settings)
    (node,) = part.brokers
    assert node == broker_of_settings(settings, settings[0].origin) or node.id == 3
    assert node.id == 3 and {"broker", "controller"} <= set(node.roles)


def test_without_roles_it_is_a_broker_of_zookeepers_time() -> None:
    settings, _ = property_entries("s.properties", "broker.id=1\nzookeeper.connect=z:2181\n")
    (node,) = broker_part("s.properties", settings).brokers
    assert node.id == 1 and "controller" not in node.roles
