"""Storage that goes with a process or a pod, and one disk under all brokers: what stops, or dies, takes copies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.auditing import read_cluster
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, CELLS, FAULT, fault_budgets_of_cell
from tidegate.audit.questions.subjects import cluster_subjects

from ....conftest import NewExplorations
from ...answers.test_verdicts import signature


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


def word(one: Signature, cell: str, explorations: Explorations) -> str:
    return answer_question(one, QUESTION["no-loss"], BY_NAME[cell], explorations).word


def test_who_stops_with_ephemeral_storage_comes_back_empty(explorations: Explorations) -> None:
    """A controlled restart of the only replica in sync loses what was written to it; on a disk that lasts it does not,
    and power that is lost is lost either way."""
    for least, cell in ((1, "restart@min-isr"), (1, "crash@min-isr"), (2, "restart@one"), (2, "crash@one")):
        lasting, ephemeral = (signature("kafka_3_9", min_isr=least, ephemeral=loses) for loses in (False, True))
        assert word(lasting, cell, explorations) == "no loss found", cell
        assert word(ephemeral, cell, explorations) == "can lose", cell
    ephemeral = signature("kafka_3_9", ephemeral=True)
    assert word(ephemeral, "crash@min-isr", explorations) == "no loss found"
    assert word(ephemeral, "leader-move@one", explorations) == "no loss found"
    assert (
        word(signature("kafka_3_9", replicas=1, min_isr=1, ephemeral=True), "restart@all", explorations) == "can lose"
    )


def test_every_stop_is_the_loss_of_a_disk() -> None:
    one = signature("kafka_3_9", ephemeral=True)
    for cell in CELLS:
        assert not {"shutdowns", "crashes", "power_losses"} & fault_budgets_of_cell(cell, one).keys(), cell.name
    assert fault_budgets_of_cell(BY_NAME["two-crashes@all"], one)["disk_losses"] == 2
    both = {"isr_shrinks": 0, "fences": 1, "disk_losses": 1, "preferred_elections": 0}
    assert fault_budgets_of_cell(BY_NAME["cut-off-power-loss@all"], one) == both


def test_controllers_that_come_back_empty_have_no_metadata(explorations: Explorations) -> None:
    def finding_text(**own: Any) -> str:
        return word(signature("kafka_3_9", ephemeral=True, **own), "crash@all", explorations)

    assert finding_text(voters=1, shared_voters=1, empty_voters=1) == "not checked"
    assert finding_text(voters=3, shared_voters=3, empty_voters=3) == finding_text(voters=3) == "no loss found"


@pytest.mark.parametrize(
    ("own", "cell", "expected"),
    [
        ({"voters": 1}, "controller-loss@all", "not checked"),
        ({"voters": 3}, "controller-loss@all", "no loss found"),
        ({"voters": 3}, "controllers-loss@all", "not checked"),
        ({"voters": 3, "empty_voters": 1}, "controllers-loss@all", "no loss found"),
        ({"voters": 1}, "power-loss@all", "not checked"),
        ({"voters": 3, "hosts": ((1, 0), (0, 2))}, "power-loss@all", "not checked"),
        ({"voters": 3, "hosts": ((1, 0), (0, 1))}, "power-loss@all", "no loss found"),
        ({"voters": 3, "voters_in_rack": 2}, "rack-power-loss@all", "not checked"),
        ({"voters": 3, "voters_in_rack": 1}, "rack-power-loss@all", "no loss found"),
        ({"voters": 3, "voters_in_rack": 1, "open_voters": 2}, "rack-power-loss@all", "not checked"),
        ({"voters": 1}, "crash@all", "no loss found"),
        ({"voters": 1}, "cut-off@all", "no loss found"),
    ],
)
def test_controllers_on_nodes_of_their_own_that_come_back_empty(
    own: dict[str, Any], cell: str, expected: str, explorations: Explorations
) -> None:
    """A `keeps` is of the records alone: it does not stand where most of those who know the topics forget them."""
    one = signature("kafka_3_9", **({"empty_voters": own["voters"]} | own))
    assert word(one, cell, explorations) == expected


STATIC = {"enough_emptied": 1, "voters": 3}
BOTH = {"has_combined_nodes": True, "shared_voters": 3, "disk_voters": 1}


@pytest.mark.parametrize(
    ("own", "cell", "expected"),
    [
        (STATIC | BOTH, "disk-loss@all", "not checked"),
        (STATIC | BOTH | {"co_located": True}, "disk-loss@min-isr", "not checked"),
        (STATIC | BOTH, "disk-loss@one", "can lose"),
        (STATIC | BOTH, "power-loss@min-isr", "no loss found"),
        (STATIC | BOTH, "crash@all", "no loss found"),
        (STATIC | BOTH | {"voters_in_rack": 1, "racks": ((1, 1),)}, "rack-loss@all", "no loss found"),
        (STATIC, "disk-loss@all", "no loss found"),
        (BOTH | {"voters": 3}, "disk-loss@all", "no loss found"),
        (BOTH | {"voters": 4, "enough_emptied": 2}, "disk-loss@all", "no loss found"),
        (STATIC | {"empty_voters": 3, "ephemeral": True, "shared_voters": 3}, "crash@all", "not checked"),
        (STATIC | {"empty_voters": 1}, "controller-loss@all", "not checked"),
        ({"voters": 3, "empty_voters": 1}, "controller-loss@all", "no loss found"),
    ],
)
def test_one_voter_that_comes_back_empty_and_votes(
    own: dict[str, Any], cell: str, expected: str, explorations: Explorations
) -> None:
    """A `keeps` of one partition's log does not stand where the fault empties a controller, too, which then votes with
    nothing (KAFKA-14077); what loses by itself loses, and one that is gone for good does not vote."""
    assert word(signature("kafka_3_9", **own), cell, explorations) == expected


@pytest.mark.parametrize(("least", "cell"), [(1, "restart@min-isr"), (2, "restart@one")])
def test_a_restart_of_a_host_empties_a_log_in_passing(least: int, cell: str, explorations: Explorations) -> None:
    kept, passing = (signature("kafka_3_9", min_isr=least, passing=passes) for passes in (False, True))
    assert word(kept, cell, explorations) == "no loss found"
    assert word(passing, cell, explorations) == "not checked"
    assert word(passing, "crash@one", explorations) == word(passing, "restart@all", explorations) == "no loss found"


@pytest.mark.parametrize(
    ("place", "passing", "fsync"),
    [("/var/lib/kafka", False, True), ("/dev/shm/kafka", True, False), ("/" + "tmp/kafka-logs", True, False)],
)
def test_a_flush_to_what_passes_keeps_nothing(tmp_path: Path, place: str, passing: bool, fsync: bool) -> None:
    text = f"node.id=1\nprocess.roles=broker\ncontroller.quorum.voters=101@c1:9093\nlog.dirs={place}\n"
    text += "log.flush.interval.messages=1\ndefault.replication.factor=3\n"
    (tmp_path / "server.properties").write_text(text, encoding="utf-8")
    cluster, _ = read_cluster([tmp_path], Options("3.9", distribution="apache", acks="all"))
    found = {(v.signature.passing, v.signature.fsync) for one in cluster_subjects(cluster) for v in one.variants}
    assert found == {(passing, fsync)}


@pytest.mark.parametrize("replicas", [2, 3, 5])
def test_a_lost_disk_of_the_one_computer_takes_all_copies(replicas: int, explorations: Explorations) -> None:
    one = signature("kafka_3_9", replicas=replicas, one_machine=True)
    assert word(one, "disk-loss@all", explorations) == "can lose"
    assert fault_budgets_of_cell(BY_NAME["disk-loss@all"], one)["disk_losses"] == replicas
    assert word(signature("kafka_3_9"), "disk-loss@all", explorations) == "no loss found"
    assert FAULT["disk-loss"].replicas_away == 1


# --- what files say of it ---------------------------------------------------------------------------------------------


def is_ephemeral(folder: Path, text: str) -> bool:
    (folder / "cluster.yaml").write_text(text, encoding="utf-8")
    cluster, _ = read_cluster([folder], Options("3.9", distribution="apache", acks="all"))
    (found,) = {
        variant.signature.ephemeral
        for subject in cluster_subjects(cluster)
        if subject.topics[0].name == "(new topics)"
        for variant in subject.variants
    }
    return found


COMPOSE = """\
services:
  kafka:
    image: apache/kafka:3.9.1
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
      KAFKA_LOG_DIRS: /var/lib/kafka/data
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", False),
        ("    volumes: ['data:/var/lib/kafka/data']\n", False),
        ("    tmpfs: /var/lib/kafka\n", True),
        ("    tmpfs: ['/var/lib/kafka/data:size=1g', /run]\n", True),
        ("    tmpfs: [/run]\n", False),
        ("    volumes: [{type: tmpfs, target: /var/lib/kafka/data}]\n", True),
        ("    volumes: [{type: volume, source: data, target: /var/lib/kafka/data}]\n", False),
        ("    tmpfs: /var/lib\n    volumes: ['./d:/var/lib/kafka/data']\n", False),
        ("    volumes: ['ram:/var/lib/kafka/data']\nvolumes: {ram: {driver_opts: {type: tmpfs}}}\n", True),
        ("    volumes: ['/dev/shm/kafka:/var/lib/kafka/data']\n", True),
    ],
)
def test_memory_under_a_compose_services_log(tmp_path: Path, more: str, expected: bool) -> None:
    assert is_ephemeral(tmp_path, COMPOSE + more) is expected


def test_a_containers_own_memory_goes_with_it(tmp_path: Path) -> None:
    """Each container has a /dev/shm of its own, which is empty again once it has stopped."""
    text = COMPOSE.replace("/var/lib/kafka/data", "/dev/shm/kafka")
    assert is_ephemeral(tmp_path, text) is True
    assert is_ephemeral(tmp_path, text + "    volumes: ['./shared:/dev/shm']\n") is False


RENDERED = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  replicas: 3
  {claims}
  template:
    spec:
      containers:
        - name: kafka
          image: docker.io/bitnami/kafka:3.9.0
          env:
            - {{name: KAFKA_CFG_PROCESS_ROLES, value: "broker,controller"}}
            - {{name: KAFKA_CFG_LOG_DIRS, value: /bitnami/kafka/data}}
          volumeMounts: [{{name: data, mountPath: /bitnami/kafka}}, {{name: logs, mountPath: /opt/logs}}]
      volumes: [{{name: logs, emptyDir: {{}}}}{volume}]
"""


@pytest.mark.parametrize(
    ("claims", "volume", "expected"),
    [
        ("", ", {name: data, emptyDir: {}}", True),
        ("", ", {name: data, ephemeral: {volumeClaimTemplate: {}}}", True),
        ("", ", {name: data, persistentVolumeClaim: {claimName: x}}", False),
        ("volumeClaimTemplates: [{metadata: {name: data}}]", "", False),
    ],
)
def test_an_empty_dir_under_a_pods_log(tmp_path: Path, claims: str, volume: str, expected: bool) -> None:
    text = RENDERED.format(claims=claims, volume=volume)
    if "claimName" in volume:  # which three pods cannot share
        text = text.replace("replicas: 3", "replicas: 1")
    assert is_ephemeral(tmp_path, text) is expected


OF_IMAGE = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  replicas: 3
  volumeClaimTemplates: [{{metadata: {{name: data}}}}]
  template:
    spec:
      containers:
        - name: kafka
          image: {image}
          env: [{{name: KAFKA_PROCESS_ROLES, value: "broker,controller"}}{log}]
          volumeMounts: [{mounts}]
"""
LOG = ", {name: KAFKA_LOG_DIRS, value: '%s'}"
SET = "export KAFKA_LOG_DIRS=/data; run"
AT = "{name: data, mountPath: %s}"


@pytest.mark.parametrize(
    ("image", "log", "mounts", "expected"),
    [
        ("confluentinc/cp-kafka:7.9.0", "", AT % "/var/lib/kafka/data", False),
        ("confluentinc/cp-kafka:7.9.0", "", "", True),
        ("confluentinc/cp-kafka:7.9.0", "", AT % "/data", True),
        ("confluentinc/cp-kafka:7.9.0", LOG % "/data/a", AT % "/data", False),
        ("confluentinc/cp-kafka:7.9.0", LOG % "/data/../a", AT % "/data", True),
        ("confluentinc/cp-kafka:7.9.0", LOG % "/more/../data/./a", AT % "/data/", False),
        ("confluentinc/cp-kafka:7.9.0", LOG % "/data/a,/more", AT % "/data", True),
        ("apache/kafka:3.9.0", "", AT % "/var/lib/kafka/data", True),
        ("apache/kafka:3.9.0", "", AT % ("/" + "tmp/kafka-logs"), False),
        ("apache/kafka:3.9.0", LOG % "/var/lib/kafka/data", AT % "/var/lib/kafka/data", False),
        (f"apache/kafka:3.9.0, command: [sh, -c, '{SET}']", "", AT % "/data", None),
        ("apache/kafka:3.9.0, command: [/opt/run.sh]", "", AT % "/data", True),
        ("confluentinc/cp-kafka:7.9.0, command: [kafka-server-start, x]", "", AT % "/var/lib/kafka/data", True),
        ("example/kafka:3.9.0", "", AT % "/data", None),
        ("example/kafka:3.9.0", LOG % "/data", AT % "/data", False),
        ("example/kafka:3.9.0", LOG % "/var/lib/kafka", AT % "/data", True),
    ],
)
def test_a_log_on_no_volume_goes_with_the_container(
    tmp_path: Path, image: str, log: str, mounts: str, expected: bool | None
) -> None:
    """Whether the process dies or the pod goes; None: nothing says where the log is, and a finding says that."""
    text = OF_IMAGE.format(image=image.replace(", command", "\n          command"), log=log, mounts=mounts)
    (tmp_path / "cluster.yaml").write_text(text, encoding="utf-8")
    cluster, findings = read_cluster([tmp_path], Options("3.9", distribution="apache", acks="all"))
    said = [finding for finding in findings if "nothing says where this one is" in finding.what]
    assert {(broker.ephemeral or False, broker.of_pod) for broker in cluster.brokers} == {
        (expected or False, not expected)
    }
    assert [finding.kind for finding in said] == (["incomplete"] if expected is None else [])


STRIMZI = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {{name: c}}
spec: {{kafka: {{version: 3.9.0, config: {{default.replication.factor: 3, min.insync.replicas: 2}}}}}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {{name: p, labels: {{strimzi.io/cluster: c}}}}
spec: {{replicas: 3, roles: [controller, broker], storage: {storage}}}
"""


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ("{type: ephemeral}", True),
        ("{type: persistent-claim, size: 1Gi}", False),
        ("{type: jbod, volumes: [{id: 0, type: ephemeral}]}", True),
    ],
)
def test_strimzis_storage(tmp_path: Path, storage: str, expected: bool) -> None:
    assert is_ephemeral(tmp_path, STRIMZI.format(storage=storage)) is expected


@pytest.mark.parametrize(
    ("replicas", "storage", "words"),
    [
        (3, "persistent-claim", []),
        (1, "persistent-claim", ["spec.zookeeper has one server"]),
        (3, "ephemeral", ["when most of its pods are replaced, the metadata of every topic is lost"]),
        (1, "ephemeral", ["spec.zookeeper has one server", "when its pod is replaced, the metadata of every topic"]),
    ],
)
def test_strimzis_zookeeper(tmp_path: Path, replicas: int, storage: str, words: list[str]) -> None:
    text = (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: c}\nspec:\n"
        "  kafka:\n    {version: 3.7.0, replicas: 3, storage: {type: persistent-claim}, "
        "config: {default.replication.factor: 3}}\n"
        f"  zookeeper: {{replicas: {replicas}, storage: {{type: {storage}}}}}\n"
    )
    (tmp_path / "kafka.yaml").write_text(text, encoding="utf-8")
    said = [
        finding.what for finding in read_cluster([tmp_path], Options(acks="all"))[1] if "spec.zookeeper" in finding.what
    ]
    assert len(said) == len(words) and all(any(word in what for what in said) for word in words)
    cluster, findings = read_cluster([tmp_path], Options(acks="all"))
    kinds = {finding.kind for finding in findings if "ephemeral" in finding.what}
    assert kinds == ({"incomplete"} if storage == "ephemeral" else set())
    empty = {variant.signature.empty_voters for one in cluster_subjects(cluster) for variant in one.variants}
    assert empty == {replicas if storage == "ephemeral" else 0}


@pytest.mark.parametrize(("storage", "empty"), [("ephemeral", 3), ("persistent-claim", 0)])
def test_strimzis_controllers(tmp_path: Path, storage: str, empty: int) -> None:
    text = STRIMZI.format(storage="{type: persistent-claim}").replace("[controller, broker]", "[broker]")
    text += (
        "---\napiVersion: kafka.strimzi.io/v1\nkind: KafkaNodePool\n"
        "metadata: {name: q, labels: {strimzi.io/cluster: c}}\n"
        f"spec: {{replicas: 3, roles: [controller], storage: {{type: {storage}}}}}\n"
    )
    (tmp_path / "kafka.yaml").write_text(text, encoding="utf-8")
    cluster, findings = read_cluster([tmp_path], Options(acks="all"))
    found = {
        (v.signature.ephemeral, v.signature.empty_voters) for one in cluster_subjects(cluster) for v in one.variants
    }
    assert found == {(False, empty)}
    assert [finding.kind for finding in findings if "metadata of all topics is lost" in finding.what] == (
        ["incomplete"] if empty else []
    )


NODE = """\
process.roles={roles}
node.id={id}
controller.quorum.{quorum}
listeners={listeners}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs=/var/lib/kafka-{id}
default.replication.factor=3
min.insync.replicas=2
"""
VOTERS = "voters=" + ",".join(f"{id_}@h{{}}:9093" for id_ in (1, 2, 3))


@pytest.mark.parametrize(
    ("roles", "features", "hosts", "expected"),
    [
        ("broker,controller", (), (1, 2, 3), (True, 1, 1)),
        ("broker,controller", ("kraft.version=0",), (1, 2, 3), (True, 1, 1)),
        ("controller", (), (11, 12, 13), (False, 0, 1)),
        ("controller", (), (4, 5, 6), (False, 1, 1)),
        ("controller", (), (4, 4, 13), (False, 2, 1)),
    ],
)
def test_whose_disks_are_a_controllers_too(
    tmp_path: Path, roles: str, features: tuple[str, ...], hosts: tuple[int, ...], expected: tuple[bool, int, int]
) -> None:
    """By roles, and by the hosts that addresses name."""
    ports = {"broker": "PLAINTEXT://h{0}:9092", "controller": "CONTROLLER://h{0}:9093"}
    nodes = [(id_, roles, host) for id_, host in zip((1, 2, 3), hosts, strict=True)]
    nodes += [(id_, "broker", id_) for id_ in (4, 5, 6) if roles == "controller"]
    for id_, role, host in nodes:
        at = ",".join(port.format(host) for name, port in ports.items() if name in role)
        text = NODE.format(roles=role, id=id_, quorum=VOTERS.format(*hosts), listeners=at)
        (tmp_path / f"node-{id_}.properties").write_text(text, encoding="utf-8")
    cluster, _ = read_cluster([tmp_path], Options("3.9", distribution="apache", acks="all", features=features))
    signatures = [variant.signature for subject in cluster_subjects(cluster) for variant in subject.variants]
    assert {(one.has_combined_nodes, one.disk_voters, one.enough_emptied) for one in signatures} == {expected}


@pytest.mark.parametrize(("servers", "expected"), [((1, 2, 3), (1, 1)), ((7, 8, 9), (0, 1)), ((1, 2, 3, 9), (1, 2))])
def test_zookeeper_servers_on_the_brokers_hosts(
    tmp_path: Path, servers: tuple[int, ...], expected: tuple[int, int]
) -> None:
    connect = ",".join(f"h{server}:2181" for server in servers)
    for id_ in (1, 2, 3):
        text = f"broker.id={id_}\nzookeeper.connect={connect}\nlisteners=PLAINTEXT://h{id_}:9092\nlog.dirs=/var/k\n"
        text += "default.replication.factor=3\nmin.insync.replicas=2\n"
        (tmp_path / f"server-{id_}.properties").write_text(text, encoding="utf-8")
    cluster, findings = read_cluster([tmp_path], Options("3.5", distribution="apache", acks="all"))
    signatures = [variant.signature for subject in cluster_subjects(cluster) for variant in subject.variants]
    assert {(one.disk_voters, one.enough_emptied) for one in signatures} == {expected}
    said = [finding for finding in findings if "comes back empty votes" in finding.what]
    assert len(said) == (expected == (1, 1))
