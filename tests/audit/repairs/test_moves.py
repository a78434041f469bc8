"""Repairs that move nodes: hosts, racks and voters, proposed where the model says that they repair what fails.

Also of: `changes`, `repair`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tidegate.audit.answers.requirements import check_requirements, parse_requirement
from tidegate.audit.answers.verdicts import check_subjects
from tidegate.audit.cluster.cluster import Broker, Cluster, Quorum
from tidegate.audit.cluster.statements import Origin, StatedValue
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.questions.signature import Subject, Variant
from tidegate.audit.repairs.changes import possible_placement_changes
from tidegate.audit.repairs.moves import plan_move
from tidegate.audit.repairs.plans import plan_changes
from tidegate.audit.repairs.repair import find_repair

from ...conftest import NewExplorations
from ..answers.test_verdicts import signature, subject
from .test_plans import cluster_of, subject_of


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


CROWDED: dict[str, Any] = {"replicas_in_rack": 2, "voters": 3, "voters_in_rack": 2, "racks": ((2, 2),)}


@pytest.mark.parametrize(
    ("settings", "required", "expected"),
    [
        ({"one_machine": True, "voters": 3}, "no-loss=disk-loss@min-isr", {"hosts"}),
        ({"hosts": ((2, 0),), "two_hosts": ((3, 0),)}, "writable=power-loss@all", {"hosts"}),
        ({"voters": 1, "shared_voters": 1}, "writable=crash@all", {"controllers"}),
        ({"voters": 2, "shared_voters": 2}, "readable=crash@all", {"controllers"}),
        ({"voters": 3, "racks": ((1, 2),), "replicas_in_rack": 1}, "writable=rack-loss@all", {"voter_racks"}),
        (CROWDED, "writable=rack-cut-off@all", {"each_rack", "voter_racks"}),
    ],
)
def test_a_repair_may_move_nodes(
    settings: dict[str, Any], required: str, expected: set[str], explorations: Explorations
) -> None:
    one = signature(**settings)
    (checked,) = check_subjects([subject(Variant((), one))], explorations)
    checks = check_requirements(checked, parse_requirement(required))
    assert [check.result for check in checks] == ["failed"]
    found = find_repair(checked, checks, explorations)
    assert found is not None and {needed.change.name for needed in found.changes} == expected


def test_no_hosts_of_controllers_alone_are_proposed_where_an_assumption_does(explorations: Explorations) -> None:
    """Three combined nodes on one computer: a host for each of them, and KAFKA-14077 as a named assumption."""
    combined = signature(one_machine=True, voters=3, has_combined_nodes=True, disk_voters=3, enough_emptied=1)
    (checked,) = check_subjects([subject(Variant((), combined))], explorations)
    checks = check_requirements(checked, parse_requirement("no-loss=disk-loss@min-isr"))
    found = find_repair(checked, checks, explorations)
    assert found is not None and [needed.change.name for needed in found.changes] == ["hosts"]
    assert (found.leaves_open, found.assumes) == (False, True)


def test_nodes_are_moved_only_for_what_their_places_decide() -> None:
    """A host has nothing to do with a crash, and a rack nothing with one host's power."""
    crowded = signature(**CROWDED, one_machine=True)
    assert {change.name for change in possible_placement_changes(crowded, ["crash@all"])} == set()
    assert {change.name for change in possible_placement_changes(crowded, ["power-loss@all"])} == {"hosts"}
    assert {change.name for change in possible_placement_changes(crowded, ["rack-loss@all"])} == {
        "each_rack",
        "voter_racks",
    }
    unknown = signature(voters=3, replicas_in_rack=1, racks=((1, 0),), open_voters=3)
    assert {change.name for change in possible_placement_changes(unknown, ["rack-loss@all"])} == {"voter_racks"}
    spread = signature(voters=3, replicas_in_rack=1, racks=((1, 1),), voters_in_rack=1)
    assert {change.name for change in possible_placement_changes(spread, ["rack-loss@all"])} == set()
    for change in possible_placement_changes(
        signature(**CROWDED, hosts=((2, 2),)), ["rack-loss@all", "power-loss@all"]
    ):
        assert change.change_signature(crowded) != crowded, change.name


def test_what_to_do_names_the_nodes() -> None:
    here = Origin("x")
    brokers = tuple(Broker(id_, here, roles=("broker",), machine="kafka1") for id_ in (1, 2))
    quorum = Quorum((11, 12, 13), here)
    says = plan_move("hosts", Cluster(brokers, quorum, control_plane="kraft")).says
    assert says.startswith("Give broker 1, broker 2 a host each") and "controllers too" in says
    says = plan_move("voter_racks", Cluster(brokers, quorum, control_plane="kraft")).says
    assert "(now: 11 in a rack that is not stated, 12 in" in says and "broker.rack in their files" in says
    kraft = Cluster(brokers, quorum, control_plane="kraft")
    step = plan_move("controllers", kraft)
    assert "upgrade to 4.1 or later first" in step.says and "a new cluster" in step.says
    assert [word in line for word, line in zip(("kraft.version=1", "add-controller"), step.commands, strict=True)] == [
        True, True
    ]  # fmt: skip
    old, new = (
        plan_move("controllers", replace(kraft, versions=replace(kraft.versions, kafka=StatedValue(kafka, here))))
        for kafka in ("3.9", "4.1")
    )
    assert (old, "upgrade to 4.1" in new.says, len(new.commands)) == (step, False, 2)
    dynamic = plan_move("controllers", replace(kraft, quorum=replace(quorum, dynamic=True)))
    assert "add-controller" in dynamic.commands[0] and "static" not in dynamic.says
    assert "zookeeper.connect" in plan_move("controllers", Cluster(brokers, control_plane="zookeeper")).says
    pods = tuple(Broker(id_, here, machine="one node, as audit.toml says") for id_ in (1, 2))
    assert any("kubernetes.io/hostname" in line for line in plan_move("hosts", Cluster(pods)).commands)


def test_replicas_are_spread_over_a_rack_each() -> None:
    racks = {1: "a", 2: "a", 3: "b", 4: "c"}
    files = {
        f"b{id_}.properties": f"broker.id={id_}\nzookeeper.connect=z1,z2,z3\nlog.dirs=data\nbroker.rack={rack}\n"
        for id_, rack in racks.items()
    }
    described = (
        "Topic: t\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n"
        "\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    )
    cluster = cluster_of({**files, "topics.txt": described})
    (step,) = plan_changes(subject_of(cluster, "t"), [("each_rack", "replica")], cluster)
    assert step.file is not None
    assert [{racks[id_] for id_ in moved["replicas"]} for moved in step.file[1]["partitions"]] == [{"a", "b", "c"}]
    files.pop("b4.properties")
    two = cluster_of({**files, "topics.txt": described})
    (step,) = plan_changes(subject_of(two, "t"), [("each_rack", "replica")], two)
    assert "Have brokers in 3 racks (2 now)" in step.says
    new: Subject = subject_of(two, "__consumer_offsets")
    (step,) = plan_changes(new, [("each_rack", "replica")], two)
    assert "at most 1 of a new topic's replicas share one" in step.says


@pytest.mark.parametrize(
    ("name", "text", "topic", "says"),
    [
        (
            "connect-distributed.properties",
            "bootstrap.servers=b:9092\ngroup.id=c\nconfig.storage.topic=cc\nconfig.storage.replication.factor=1\n"
            "offset.storage.topic=co\nstatus.storage.topic=cs\nkey.converter=x\nvalue.converter=x\n",
            "cc",
            "Ask for 3 replicas of cc where the program that creates it states the number: connect-distributed",
        ),
        (
            "streams.properties",
            "application.id=app\nbootstrap.servers=b:9092\n",
            "app-(store)-changelog",
            "Write replication.factor=3 into streams.properties, and restart the application.",
        ),
    ],
)
def test_who_creates_its_topics_is_asked_for_more_replicas(name: str, text: str, topic: str, says: str) -> None:
    """The brokers' default decides nothing there."""
    cluster = cluster_of({"b.properties": "broker.id=1\nzookeeper.connect=z1,z2,z3\nlog.dirs=data\n", name: text})
    planned = next(planned for planned in cluster.planned_topics if planned.name == topic)
    (step,) = plan_changes(Subject((planned,), None, (), (), is_planned=True), [("replicas", "3")], cluster)
    assert step.says.startswith(says)
    assert not any("default.replication.factor" in line for line in step.commands)
