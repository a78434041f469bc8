"""Topics that nobody serves, since the nodes that would do not start."""

from __future__ import annotations

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.questions.subjects import cluster_subjects

from ...support.startup import CONTROLLER, OPTIONS, TOPIC, cluster_with


def test_topics_none_of_whose_brokers_starts_are_never_written() -> None:
    cluster = cluster_with(*["min.insync.replicas=x"] * 3)
    (orders,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    assert orders.stops == ("writable", "readable") and "none of its brokers starts" in orders.not_checked


def test_without_a_majority_of_controllers_nothing_has_a_leader() -> None:
    texts = [(f"c{id_}.properties", CONTROLLER.format(id=id_) + "min.insync.replicas=x\n", True) for id_ in (7, 8)]
    voters = "controller.quorum.voters=7@a:1,8@a:1,9@a:1\n"
    listens = "controller.listener.names=C\nlisteners=C://:1\n"
    nine = ("c9.properties", CONTROLLER.format(id=9) + voters + listens, True)
    cluster, _ = read_cluster_texts([*texts, nine, ("t.txt", TOPIC, True)], OPTIONS, "x")
    assert [subject.not_checked for subject in cluster_subjects(cluster)] == [
        "most controllers do not start (7, 8 of 3), so that no partition has a leader"
    ]
