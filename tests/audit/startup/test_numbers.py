"""Numbers of a broker that Kafka refuses together, and what KRaft's model says of a controller's disk."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.facts.placement import has_dynamic_quorum
from tidegate.audit.joining.options import Options
from tidegate.audit.rules.controllers import loses_with_one_emptied
from tidegate.audit.startup.nodes import why_node_is_down
from tidegate.explorer.native.search import check
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find

BROKER = "broker.id=1\nzookeeper.connect=z\noffsets.topic.replication.factor=3\n"

REFUSED = {
    "log.roll.ms=0": True,
    "log.roll.hours=0": True,
    "log.roll.ms=1\nlog.roll.hours=0": False,
    "log.roll.jitter.hours=-1": True,
    "log.roll.jitter.ms=0": False,
    "log.cleaner.dedupe.buffer.size=1048576": True,
    "log.cleaner.threads=200": True,
    "log.cleaner.threads=0": True,
    "log.cleaner.threads=4\nlog.cleaner.dedupe.buffer.size=268435456": False,
    "replica.socket.timeout.ms=400": True,
    "replica.socket.timeout.ms=500": False,
    "queued.max.request.bytes=1000": True,
    "queued.max.request.bytes=1000\nsocket.request.max.bytes=1000": False,
    "queued.max.request.bytes=-1": False,
    "connections.max.idle.ms=100": True,
    "connections.max.idle.ms=-1": False,
    "connection.failed.authentication.delay.ms=600000": True,
    "max.connections.per.ip=0": True,
    "max.connections.per.ip=0\nmax.connections.per.ip.overrides=h:1": False,
    "offsets.commit.required.acks=4": True,
    "offsets.commit.required.acks=3": False,
}
"""What a broker's file states, and whether 3.9 refuses it."""


def of(version: str = "3.9", **texts: str) -> tuple[Cluster, tuple[Finding, ...]]:
    files = [(f"{name}.properties", text, True) for name, text in texts.items()]
    return read_cluster_texts(files, Options(kafka_version=version), "x")


@pytest.mark.parametrize("text", REFUSED)
def test_a_broker_with_such_numbers_does_not_start(text: str) -> None:
    cluster, _ = of(server=BROKER + text + "\n")
    why, where = why_node_is_down(cluster, cluster.brokers[0])
    assert bool(why) is REFUSED[text], why
    assert not why or (where.path, where.line) == ("server.properties", 4)


def test_commits_are_no_reason_since_4_0() -> None:
    text = "node.id=1\nprocess.roles=broker,controller\ncontroller.quorum.voters=1@a:1\n"
    text += "listeners=PLAINTEXT://:9092,CONTROLLER://:9093\ncontroller.listener.names=CONTROLLER\nlog.dirs=/d\n"
    cluster, _ = of("4.0", server=text + "offsets.commit.required.acks=4\noffsets.topic.replication.factor=3\n")
    assert why_node_is_down(cluster, cluster.brokers[0])[0] == ""


def test_a_number_that_is_no_number_is_withheld() -> None:
    cluster, _ = of(server=BROKER + "log.roll.ms=hunter2\n")
    assert not any("hunter2" in setting.value for setting in cluster.brokers[0].settings)


VOTER = "process.roles=controller\nnode.id={}\ncontroller.quorum.voters={}\n"


@pytest.mark.parametrize(
    ("dynamic", "voters", "said"), [(False, 3, True), (True, 3, False), (False, 1, False), (False, 2, False)]
)
def test_the_disk_of_one_of_several_controllers_has_a_finding_of_its_own(
    dynamic: bool, voters: int, said: bool
) -> None:
    listed = ",".join(("1@a:1", "2@b:1", "3@c:1")[:voters])
    texts = [(f"c{i}.properties", VOTER.format(i, listed), True) for i in range(1, voters + 1)]
    options = Options(kafka_version="3.9", features=(f"kraft.version={int(dynamic)}",))
    _, findings = read_cluster_texts(texts, options, "x")
    mine = [finding for finding in findings if "starts with an empty disk" in finding.what]
    assert [(finding.kind, finding.severity) for finding in mine] == [("not_modelled", "note")] * said
    assert all("--bounds empty_disk --set voters=3 " in finding.source for finding in mine)


@pytest.mark.parametrize(
    ("directory", "features", "dynamic"),
    [
        ('"bbbbbbbbbbbbbbbbbbbbbb"', (), True),
        ('"bbbbbbbbbbbbbbbbbbbbbb"', ("kraft.version=0",), False),
        ("null", (), False),
        ("null", ("kraft.version=1",), True),
    ],
)
def test_voters_that_are_described_with_directory_ids_vote_by_them(
    directory: str, features: tuple[str, ...], dynamic: bool
) -> None:
    """Of voters that are in files alone `describe --status` prints null; a feature that is stated is stronger."""
    voters = ", ".join(f'{{"id": {i}, "directoryId": {directory}, "endpoints": ["C://c{i}:1"]}}' for i in (1, 2, 3))
    observers = '[{"id": 4, "directoryId": "cccccccccccccccccccccc"}]'
    status = f"ClusterId: x\nLeaderId: 1\nCurrentVoters: [{voters}]\nCurrentObservers: {observers}\n"
    cluster, findings = read_cluster_texts(
        [("quorum.txt", status, True)], Options(kafka_version="3.9", features=features), "x"
    )
    assert has_dynamic_quorum(cluster) is dynamic
    assert any("starts with an empty disk" in finding.what for finding in findings) is not dynamic


def test_a_broker_that_is_a_controller_too_is_warned_of_its_disk() -> None:
    both = VOTER.replace("process.roles=controller", "process.roles=broker,controller")
    texts = [(f"c{i}.properties", both.format(i, "1@a:1,2@b:1,3@c:1"), True) for i in range(1, 4)]
    _, findings = read_cluster_texts(texts, Options(kafka_version="3.9"), "x")
    (mine,) = [finding for finding in findings if "starts with an empty disk" in finding.what]
    assert mine.severity == "warning" and "a broker's disk may be a controller's here" in mine.what


@pytest.mark.parametrize(
    "voters", [2, 3, pytest.param(4, marks=pytest.mark.long), pytest.param(5, marks=pytest.mark.long)]
)
def test_the_model_of_kraft_says_which_numbers_of_voters_lose_metadata_with_one_emptied_disk(voters: int) -> None:
    bounds = {"voters": voters, "max_epoch": 2, "max_records": 0, "crashes": 0, "wipes": 1}
    asked = find("kraft")[0].bind("kraft", bounds, "kip595", properties=["acked_value_not_lost"])
    verdict = check(asked, Search(symmetry=True, deadlocks=False))
    assert any(action.name == "replace_disk" and action.firings for action in verdict.actions)
    (said,) = {prop.verdict for prop in verdict.properties}
    assert said == ("violated" if loses_with_one_emptied(voters) else "holds")
