"""Replicas on nodes that are controllers alone are found, and leave the audit undecided."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options

NODE = "node.id={id}\nprocess.roles={roles}\ncontroller.quorum.voters=1@a:9093\nlog.dirs=d\n"
HEAD = "Topic: t\tPartitionCount: {}\tReplicationFactor: 3\tConfigs: \n"
LINE = "\tTopic: t\tPartition: {}\tLeader: 3\tReplicas: {}\tIsr: 3\n"


def replica_findings(roles: str, *replicas: str) -> list[tuple[str, str]]:
    files = [(f"{id}.properties", NODE.format(id=id, roles=roles if id < 3 else "broker"), True) for id in (1, 2, 3, 4)]
    lines = [LINE.format(number, text) for number, text in enumerate(replicas)]
    files.append(("t.txt", HEAD.format(len(replicas)) + "".join(lines), True))
    found = read_cluster_texts(files, Options("3.9"), "x")[1]
    return [(finding.kind, finding.what) for finding in found if "never come back" in finding.what]


def test_replicas_on_controllers_alone_are_found() -> None:
    then = "these never come back, and of t-0 there are 2 copies until they are moved"
    what = f"t-0 has replicas on node 1, which is a controller alone: {then}"
    assert replica_findings("controller", "3,1,4") == [("incomplete", what)]
    (found,) = replica_findings("controller", "3,1,2", "4,2,3")
    assert found[1].startswith(
        "2 partitions, such as t-0, have replicas on nodes 1 and 2, which are controllers alone: "
    )
    assert found[1].endswith("of t-0 there is one copy until they are moved")


@pytest.mark.parametrize(
    ("elr", "said"),
    [
        (["4"], "the eligible leader replicas of t-0 name 4, where no copy is: added again, "),
        (["2,4", "4"], "the eligible leader replicas of 2 partitions, such as t-0, name 4, where no copy is: "),
        (["2"], ""),
    ],
)
def test_who_is_eligible_and_no_replica_is_said(elr: list[str], said: str) -> None:
    lines = [LINE.format(number, "1,2,3").rstrip("\n") + f"\tElr: {who}\n" for number, who in enumerate(elr)]
    files = [("t.txt", HEAD.format(len(elr)) + "".join(lines), True)]
    found = read_cluster_texts(files, Options("4.1"), "x")[1]
    what = [finding.what for finding in found if "where no copy is" in finding.what]
    assert len(what) == bool(said)
    assert "".join(what).startswith(said)


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (["Adding Replicas: 4\tRemoving Replicas: 1"], "replicas of t-0 are being moved to 4 and off 1: "),
        (
            ["Adding Replicas: 3,4\tRemoving Replicas: "] * 2,
            "replicas of 2 partitions, such as t-0, are being moved to 3 and 4: ",
        ),
        (["Adding Replicas: \tRemoving Replicas: "], ""),
    ],
)
def test_a_running_reassignment_is_said(moves: list[str], said: str) -> None:
    lines = [LINE.format(number, "1,2,3,4").rstrip("\n") + f"\t{text}\n" for number, text in enumerate(moves)]
    files = [("t.txt", HEAD.format(len(moves)) + "".join(lines), True)]
    found = [finding.what for finding in read_cluster_texts(files, Options("3.9"), "x")[1] if "moved" in finding.what]
    assert [what.startswith(said) for what in found] == [True] * bool(said)


def test_nodes_of_both_roles_and_brokers_alone_keep_theirs() -> None:
    assert replica_findings("broker,controller", "3,1,2") == []
    assert replica_findings("broker", "3,1,2") == []
    assert replica_findings("controller", "3,4") == []


@pytest.mark.parametrize(
    ("version", "directories", "found"),
    [("4.1.0", "d,e", True), ("2.7.0", "d,e", True), ("2.6.0", "d,e", False), ("4.1.0", "d", False)],
)
def test_logs_that_are_moved_between_directories_may_keep_followers_out(
    version: str, directories: str, found: bool
) -> None:
    """KAFKA-20961: since a fetch names its last epoch, and where there is another directory."""
    text = f"broker.id=1\nzookeeper.connect=z:2181\nlog.dirs={directories}\n"
    findings = read_cluster_texts([("b.properties", text, True)], Options(version, distribution="apache"), "x")[1]
    what = (
        "where a leader's log is moved to another directory of its broker, and nobody writes to that partition, a "
        "follower may stay out of the ISR until somebody does, or another leader is elected"
    )
    said = [finding for finding in findings if finding.what == what]
    assert bool(said) is found
    assert all("tidegate check catching_up:kafka_20961" in finding.source for finding in said)
