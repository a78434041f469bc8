"""What to type for a repair: every command is there, a page shows the first of many, and what restarts is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.tools import is_command_supported
from tidegate.audit.kafka.versions import RELEASES, is_at_least
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.repairs.plans import plan_changes

from ...conftest import ROOT, Run

BROKER = "broker.id={id}\nzookeeper.connect=z1,z2,z3\nlog.dirs=data\nbroker.rack=r{id}\n"
TOPIC = "Topic: t{n}\tTopicId: x\tPartitionCount: 6\tReplicationFactor: 1\tConfigs: \n"
PARTITION = "\tTopic: t{n}\tPartition: {p}\tLeader: {b}\tReplicas: {b}\tIsr: {b}\n"
MANY = "".join(
    TOPIC.format(n=n) + "".join(PARTITION.format(n=n, p=p, b=1 + (n + p) % 3) for p in range(6)) for n in range(5)
)
FILES = {"topics.txt": MANY} | {f"b{i}.properties": BROKER.format(id=i) for i in (1, 2, 3)}


def cluster_of(files: dict[str, str], version: str = "3.9.1") -> Cluster:
    read = [(name, text, True) for name, text in files.items()]
    return read_cluster_texts(read, Options(kafka_version=version, distribution="apache"), "x")[0]


def subject_of(cluster: Cluster, name: str) -> Subject:
    return next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == name)


def test_every_topic_has_its_command_and_three_are_shown() -> None:
    cluster = cluster_of(FILES)
    (step,) = plan_changes(subject_of(cluster, "t0"), [("unclean", "false")], cluster)
    assert [f"--entity-name t{n} " in line for n, line in enumerate(step.commands)] == [True] * 5
    assert step.shown_commands == 3 and "It is done to 5 topics." in step.says and not step.restart


def test_a_reassignment_has_every_partition() -> None:
    cluster = cluster_of(FILES)
    (step,) = plan_changes(subject_of(cluster, "t0"), [("replicas", "3")], cluster)
    assert step.file is not None and step.file[0] == "reassignment.json"
    moves = step.file[1]["partitions"]
    assert {(move["topic"], move["partition"]) for move in moves} == {(f"t{n}", p) for n in range(5) for p in range(6)}
    for move in moves:
        n, p = int(move["topic"][1:]), move["partition"]
        assert move["replicas"][0] == 1 + (n + p) % 3 and sorted(move["replicas"]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("topic", "change", "version", "restart", "line"),
    [
        ("(new topics)", "min_isr", "3.9", False, "--entity-default --add-config min.insync.replicas=2"),
        ("(new topics)", "fsync", "3.9", False, "--add-config log.flush.interval.messages=2"),
        ("(new topics)", "min_isr", "1.0", True, "min.insync.replicas=2"),
        ("__transaction_state", "min_isr", "3.9", True, "transaction.state.log.min.isr=2"),
        ("__consumer_offsets", "replicas", "3.9", True, "offsets.topic.replication.factor=2"),
    ],
)
def test_what_brokers_take_while_they_run(topic: str, change: str, version: str, restart: bool, line: str) -> None:
    """KIP-226: settings of the log are dynamic, cluster-wide too; those with which a topic is made are not."""
    cluster = cluster_of({name: text for name, text in FILES.items() if name != "topics.txt"}, version)
    (step,) = plan_changes(subject_of(cluster, topic), [(change, "2")], cluster)
    assert step.restart is restart and step.commands[0].endswith(line)
    assert ("dynamic" in step.says) is not restart


@pytest.mark.parametrize(
    ("version", "file", "says", "restart"),
    [
        (
            "3.9",
            "zookeeper.connect=z1,z2,z3\n",
            "Upgrade to 3.9 and migrate to KRaft there, with three controllers, each on a host without a broker",
            True,
        ),
        ("2.8", "", "Upgrade to 3.9 and migrate to KRaft there, with three controllers, each on a host", True),
        ("3.9", "process.roles=broker\n", "Upgrade to 4.3 and turn on eligible leader replicas (KIP-966);", True),
        ("4.1", "process.roles=broker\n", "Turn on eligible leader replicas (KIP-966); set min.insync.replicas", False),
    ],
)
def test_the_way_to_eligible_leader_replicas_begins_where_the_cluster_is(
    version: str, file: str, says: str, restart: bool
) -> None:
    cluster = cluster_of({"topics.txt": MANY, "b.properties": f"broker.id=1\nlog.dirs=d\n{file}"}, version)
    (step,) = plan_changes(subject_of(cluster, "t0"), [("newest", "4.3") if restart else ("elr", "1")], cluster)
    assert step.says.startswith(says) and step.restart is restart
    on = "--feature eligible.leader.replicas.version=1" if version == "4.1" else "--release-version 4.3"
    assert step.commands[-1].endswith(f"upgrade {on}")


def test_a_binary_of_4_1_with_an_older_metadata_version_raises_that() -> None:
    """EligibleLeaderReplicasVersion.ELRV_1 depends on metadata.version 4.0-IV1: the feature alone is refused."""
    files = {"topics.txt": MANY, "b.properties": "node.id=1\nlog.dirs=d\nprocess.roles=broker\n"}
    read = [(name, text, True) for name, text in files.items()]
    options = Options(kafka_version="4.1.0", distribution="apache", metadata_version="3.9-IV0")
    cluster = read_cluster_texts(read, options, "x")[0]
    (step,) = plan_changes(subject_of(cluster, "t0"), [("elr", "1")], cluster)
    assert step.commands == ("kafka-features.sh --bootstrap-server HOST:9092 upgrade --release-version 4.1",)


def test_who_leaves_zookeeper_builds_no_ensemble_before() -> None:
    cluster = cluster_of(FILES)
    steps = plan_changes(subject_of(cluster, "t0"), [("controllers", "3"), ("newest", "4.3")], cluster)
    assert len(steps) == 1 and "three controllers" in steps[0].says and "zookeeper.connect" not in steps[0].says
    (alone,) = plan_changes(subject_of(cluster, "t0"), [("controllers", "3")], cluster)
    assert "Dynamic Reconfiguration, which ZooKeeper has since 3.5" in alone.says


CHANGES = (
    "hosts",
    "controllers",
    "release",
    "newest",
    "replicas",
    "min_isr",
    "lower_min_isr",
    "unclean",
    "fsync",
    "acks",
)


@pytest.mark.parametrize("release", [f"{major}.{minor}" for major, minor in RELEASES])
def test_every_command_of_a_plan_is_one_of_the_clusters_release(release: str) -> None:
    """ConfigCommand takes --bootstrap-server for topics since 2.5, ReassignPartitionsCommand since 2.6, and no
    --zookeeper since 3.0."""
    line = (
        BROKER
        if release < "3.3" or release.startswith("0")
        else BROKER.replace("zookeeper.connect", "process.roles=broker\n#")
    )
    files = {"topics.txt": MANY} | {f"b{i}.properties": line.format(id=i) for i in (1, 2, 3)}
    there = cluster_of(files, release)
    planned = cluster_of({name: text for name, text in files.items() if name != "topics.txt"}, release)
    for cluster, topic in ((there, "t0"), (planned, "(new topics)")):
        for name in CHANGES:
            later = is_at_least(release, "4.1") is False and name in ("newest", "controllers")
            for step in plan_changes(subject_of(cluster, topic), [(name, "4.3" if name == "newest" else "3")], cluster):
                commands = [command for command in step.commands if command.startswith("kafka-")]
                assert all(is_command_supported(command, "4.3" if later else release) for command in commands), (
                    name,
                    commands,
                )


@pytest.mark.long
def test_a_page_is_cut_and_the_files_are_whole(tidegate: Run, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    mapping = '[topic."t.*"]\nproducer = "p.properties"\n'
    (tmp_path / "audit.toml").write_text(mapping, encoding="utf-8")
    (tmp_path / "p.properties").write_text("acks=all\nlinger.ms=1\n", encoding="utf-8")
    options = ("--kafka-version", "3.9", "--distribution", "apache", "--client", "java:3.9")
    done = tidegate("audit", str(tmp_path), *options, "--all", "--out", str(tmp_path / "out"))
    assert done.exit == 1
    assert "# the first 20 of 30 partitions; --out DIR writes them all" in done.out
    (folder,) = (path for path in (tmp_path / "out" / "repairs").iterdir() if path.name.endswith("-t0"))
    saved = json.loads((folder / "reassignment.json").read_text(encoding="utf-8"))
    assert len(saved["partitions"]) == 30
    steps = (folder / "steps.txt").read_text(encoding="utf-8")
    assert steps.startswith("# t0 and 4 like it (producer p.properties)\n# What repairs it")
    (tmp_path / "topics.txt").write_text(MANY.replace("t0", "other"), encoding="utf-8")
    tidegate("audit", str(tmp_path), *options, "--time", "0.001", "--out", str(tmp_path / "out"))
    assert not list((tmp_path / "out").glob("*/*-t0*")), "what an earlier audit wrote is gone"
    assert "\n# 1. Save this as reassignment.json" in steps and "--out DIR" not in steps


def test_what_a_producer_sends_twice_is_repaired_in_the_producer(tidegate: Run, tmp_path: Path) -> None:
    """KAFKA-15591 needs two requests in flight. Kafka's own topics are written by the brokers that lead them."""
    for file in (ROOT / "examples" / "clusters" / "good").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    options = ("--kafka-version", "3.9", "--distribution", "apache", "--client", "java:3.9", "--json")
    wanted = ("--require", "no-duplicates=crash@all", "--require", "in-order=crash@all")

    def repairs_of(sent: str) -> tuple[dict[str, Any], ...]:
        (tmp_path / "producer.properties").write_text(f"acks=all\n{sent}\n", encoding="utf-8")
        done = json.loads(tidegate("audit", str(tmp_path), *options, *wanted).out)
        assert all(subject["checks"] == [] for subject in done["subjects"] if subject["internal"])
        return tuple(subject for subject in done["subjects"] if subject["failed"])

    in_flight, idempotent = "max.in.flight.requests.per.connection=1", "enable.idempotence=true"
    for sent, repairs in (("", [in_flight]), ("max.in.flight.requests.per.connection=6", [in_flight, idempotent])):
        (orders,) = repairs_of(sent)
        assert orders["failed"] == ["no-duplicates=crash@all", "in-order=crash@all"]
        assert [line for step in orders["repair"]["steps"] for line in step["commands"]] == repairs
        assert {f"{one['key']}={one['becomes']}" for one in orders["deciding"]} == {*repairs}
    assert not repairs_of("\n".join(repairs))


@pytest.mark.parametrize(("brokers", "first"), [(1, False), (2, True), (3, False)])
def test_more_replicas_than_brokers_need_brokers_first(brokers: int, first: bool) -> None:
    """Of two brokers that run by themselves too; one broker's file may stand for any number of them."""
    files = dict(list(FILES.items())[1 : 1 + brokers])
    cluster = cluster_of(files)
    said = [step.says for step in plan_changes(subject_of(cluster, "(new topics)"), [("replicas", "3")], cluster)]
    assert len(said) == 1 + first and "default.replication.factor=3" in said[-1]
    assert said[0].startswith(f"Have 3 brokers first ({brokers} now)") is first
