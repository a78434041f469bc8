"""Where nodes stand, by their names and the line that says so."""

from __future__ import annotations

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.report.deciding_settings import setting_text
from tidegate.audit.report.places import shared_places

BROKER = "broker.id={id}\nlog.dirs=/data\nlisteners=PLAINTEXT://{host}:909{id}\nzookeeper.connect=z1:2181\n{more}"


def cluster_of(*files: str) -> Cluster:
    texts = [(f"b{number}.properties", text, True) for number, text in enumerate(files, 1)]
    return read_cluster_texts(texts, Options(kafka_version="3.9.0", distribution="apache"), "x")[0]


def test_a_host_with_several_nodes_is_named_with_them_at_the_line_of_an_address() -> None:
    cluster = cluster_of(*(BROKER.format(id=id_, host="k1" if id_ < 3 else "k3", more="") for id_ in (1, 2, 3)))
    (used,) = shared_places(cluster).hosts
    assert setting_text(used) == "brokers 1, 2 on host k1"
    assert used.origin is not None and (used.origin.path, used.origin.line) == ("b1.properties", 3)


def test_the_rack_with_most_brokers_is_named_with_them() -> None:
    racks = {1: "a", 2: "b", 3: "b"}
    cluster = cluster_of(
        *(BROKER.format(id=id_, host=f"k{id_}", more=f"broker.rack={rack}\n") for id_, rack in racks.items())
    )
    (used,) = shared_places(cluster).racks
    assert setting_text(used) == "broker.rack=b of brokers 2, 3"
    assert used.origin is not None and (used.origin.path, used.origin.line) == ("b2.properties", 5)
    assert shared_places(cluster).hosts == ()


def test_nodes_that_are_brokers_and_controllers_are_what_takes_both() -> None:
    node = (
        "process.roles=broker,controller\nnode.id={id}\nlog.dirs=/data\ncontroller.quorum.voters=1@h1:9093,2@h2:9093\n"
    )
    (used,) = shared_places(cluster_of(node.format(id=1), node.format(id=2))).hosts
    assert setting_text(used) == "process.roles=broker,controller"
