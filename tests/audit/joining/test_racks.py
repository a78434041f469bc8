"""The racks that audit.toml states: of nodes by id or host, of ZooKeeper's servers, and of nobody."""

from __future__ import annotations

from tidegate.audit.cluster.cluster import Broker
from tidegate.audit.cluster.statements import Origin, StatedValue
from tidegate.audit.joining.racks import place_in_racks
from tidegate.audit.readers.parsed_file import Part

FILE, NODE = Origin("audit.toml", 2), Origin("b.properties", 1)


def stated_racks(racks: dict[str, str]) -> Part:
    return Part("audit.toml", racks={name: StatedValue(rack, FILE) for name, rack in racks.items()})


def test_a_node_is_placed_by_its_id_or_its_host_and_a_server_by_its_host() -> None:
    part = stated_racks({"1": "a", "two": "b", "Z.x": "c"})
    brokers = (Broker(1, NODE), Broker(2, NODE, host="two"), Broker(3, NODE))
    nodes, servers, findings = place_in_racks([part], brokers, [("z.x:2181", None), ("y:2181", None)], None)
    assert [node.rack.value if node.rack else None for node in nodes] == ["a", "b", None]
    assert {server: rack.value for server, rack in servers.items()} == {"z.x:2181": "c"} and findings == []


def test_a_nodes_own_rack_counts_and_a_difference_is_said() -> None:
    own = Broker(1, NODE, rack=StatedValue("x", NODE))
    (node,), _, (finding,) = place_in_racks([stated_racks({"1": "a"})], [own], [], None)
    assert node is own or node == own
    assert (finding.what, finding.where) == ("node 1 is in rack x by its file, b.properties:1, which counts", FILE)
    assert place_in_racks([stated_racks({"1": "x"})], [own], [], None)[2] == []


def test_a_rack_of_nobody_is_an_error() -> None:
    _, _, (finding,) = place_in_racks([stated_racks({"nine": "a"})], [Broker(1, NODE)], [], None)
    assert finding.severity == "error"
    assert finding.what == "`nine` is the host or the id of no node and no ZooKeeper server that was read"


def test_without_racks_nodes_are_as_they_were() -> None:
    brokers = (Broker(1, NODE), Broker(2, NODE))
    assert place_in_racks([Part("x")], brokers, [("z:2181", None)], None) == (brokers, {}, [])
