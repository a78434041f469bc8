"""Nodes that do not start, ids that two of them have, and files that cannot be read: one answer, and never a ✓."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import AuditOutcome, AuditRequest, audit, read_cluster, read_cluster_texts
from tidegate.audit.cluster.cluster import Broker, Cluster
from tidegate.audit.cluster.statements import Origin, UnreadableInputError
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.startup.nodes import ids_of_down_nodes, nodes_down
from tidegate.reports.audit.sarif import audit_sarif
from tidegate.reports.audit.terminal import audit_verdict_line

from ...conftest import ROOT
from ...support.startup import BROKER, CONTROLLER, OPTIONS, TOPIC, cluster_with


def audit_texts(*texts: tuple[str, str]) -> AuditOutcome:
    """Without time for the model: what is out of service needs none."""
    asked = AuditRequest(repairs=False, seconds=0.0)
    return audit(*read_cluster_texts([(path, text, True) for path, text in texts], OPTIONS, "x"), asked)


@pytest.mark.parametrize(
    "line",
    [
        "unclean.leader.election.enable=",
        "unclean.leader.election.enable=yes",
        "min.insync.replicas=",
        "min.insync.replicas=0",
        "min.insync.replicas=two",
        "num.partitions=0",
        "default.replication.factor=",
        "log.flush.interval.messages=0",
        "offsets.topic.replication.factor=3 # three",
        "log.cleanup.policy=remove",
        "inter.broker.protocol.version=newest",
        "inter.broker.protocol.version=",
        "log.message.format.version=",
        "log.message.format.version=4.9-IV77",
        "replica.lag.time.max.ms=400",
        "replica.fetch.wait.max.ms=40000",
        "controller.quorum.voters=1@a:9093",
    ],
)
def test_a_broker_does_not_start_with_what_kafka_refuses(line: str) -> None:
    (found,) = nodes_down(cluster_with(line))
    assert found.to_sentence.startswith("broker 1 does not start: ") and found.where.path == "b1.properties"


@pytest.mark.parametrize(
    "line",
    [
        "unclean.leader.election.enable= TRUE ",
        "min.insync.replicas=${MIN}",
        "default.replication.factor=0",  # no validator: what is created with it is refused
        "broker.rack=",
        "min.insync.replicas=0\nmin.insync.replicas=2",  # the last one counts
        "controller.quorum.voters=101@a:9093",
        "retention.ms=never",  # no setting of a broker's: it is not read
        "log.message.format.version=3.8-IV0",
        "inter.broker.protocol.version=${PROTOCOL}",
    ],
)
def test_a_broker_starts_with_what_kafka_takes(line: str) -> None:
    assert not nodes_down(cluster_with(line))


def test_a_controller_without_a_vote_of_its_own() -> None:
    node = CONTROLLER.format(id=7) + "controller.quorum.voters=1@a:1,2@b:1\n"
    cluster, _ = read_cluster_texts([("c.properties", node, True), ("t.txt", TOPIC, True)], OPTIONS, "x")
    assert [node.to_sentence for node in nodes_down(cluster)] == [
        "controller 7 does not start: it is a controller, and `controller.quorum.voters` has no voter 7 "
        "(c.properties:4)"
    ]


def test_one_that_does_not_start_is_an_outage_with_its_line_in_every_report() -> None:
    texts = [(f"b{id_}.properties", BROKER.format(id=id_)) for id_ in (2, 3)]
    bad = ("b1.properties", BROKER.format(id=1) + "unclean.leader.election.enable=\n")
    found = audit_texts(bad, *texts, ("t.txt", TOPIC))
    says = "broker 1 does not start: `unclean.leader.election.enable=` has no value (b1.properties:5)"
    assert found.exit == found.document["exit"] == 1 and found.document["outages"][0]["says"] == says
    assert audit_verdict_line(found.document).startswith("✗ node 1 does not start")
    results = audit_sarif(found.document)["runs"][0]["results"]
    assert [result["message"]["text"] for result in results if result["ruleId"] == "out-of-service"] == [says]
    wrong = [finding for finding in found.document["findings"] if finding["kind"] == "wrong_value"]
    assert [outage["what"] for outage in wrong] == ["`unclean.leader.election.enable=` has no value"]


def test_partitions_are_served_without_the_brokers_that_do_not_start() -> None:
    texts = [(f"b{id_}.properties", BROKER.format(id=id_) + "num.partitions=0\n") for id_ in (1, 2)]
    found = audit_texts(*texts, ("b3.properties", BROKER.format(id=3)), ("t.txt", TOPIC))
    says = "orders partition 0: acks=all is refused (the ISR is {3} of 3 replicas)"
    assert [outage["says"] for outage in found.document["outages"][1:]] == [
        f"{says}, without brokers 1, 2, which are down"
    ]


@pytest.mark.parametrize("other", ["log.dirs=d2\n", "log.dirs=d1\n"])
@pytest.mark.parametrize("key", ["node.id", "broker.id"])
def test_of_two_nodes_with_one_id_only_one_starts(other: str, key: str) -> None:
    first = f"{key}=1\nlog.dirs=d1\n"
    found = audit_texts(("a.properties", first), ("b.properties", f"{key}=1\n{other}"), ("t.txt", TOPIC))
    (outage,) = found.document["outages"]
    assert outage["says"].startswith("broker 1 does not start: a.properties has the same id") and found.exit == 1
    assert any(f"`{key}=1` is of another node already" in finding["what"] for finding in found.document["findings"])


def test_copies_of_one_file_are_not_one_broker_that_stands_for_all() -> None:
    copies = [(f"b{number}.properties", "broker.id=1\ndefault.replication.factor=3\n", True) for number in (1, 2, 3)]
    cluster, _ = read_cluster_texts(copies, OPTIONS, "x")
    (topics, *_) = cluster_subjects(cluster)
    assert "cannot be created: 3 replicas are asked for, and of the two nodes with id 1" in topics.not_checked


@pytest.mark.parametrize("content", [bytes(range(256)) * 40, b"node.id=4\n\0", bytes(range(1, 9)) * 9])
@pytest.mark.parametrize("name", ["b4.properties", "kafka.yaml", "topics.txt"])
def test_a_file_in_a_folder_that_is_no_text_is_not_passed_over(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / "b1.properties").write_text(BROKER.format(id=1))
    (tmp_path / name).write_bytes(content)
    _, findings = read_cluster([tmp_path])
    left = [finding.what for finding in findings if finding.kind == "incomplete"]
    assert [what.startswith(f"{tmp_path / name} was not read: it is not a text") for what in left] == [True]
    with pytest.raises(UnreadableInputError, match=f"{name} is not a text file"):
        read_cluster([tmp_path / name])


def test_a_segment_of_a_log_in_a_folder_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "b1.properties").write_text(BROKER.format(id=1))
    (tmp_path / "00000000000000000000.log").write_bytes(bytes(100))
    assert [path for path, _ in read_cluster([tmp_path])[0].files] == [str(tmp_path / "b1.properties")]


def test_a_variable_that_compose_passes_on_is_not_empty() -> None:
    compose = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment:\n      KAFKA_NODE_ID: 1\n"
        "      KAFKA_PROCESS_ROLES: broker,controller\n      KAFKA_MIN_INSYNC_REPLICAS:{value}\n"
    )
    passed, _ = read_cluster_texts([("c.yml", compose.replace("{value}", ""), True)], Options(), "x")
    empty, _ = read_cluster_texts([("c.yml", compose.replace("{value}", ' ""'), True)], Options(), "x")
    assert not nodes_down(passed) and nodes_down(empty)


def test_each_node_is_looked_at_once_for_all_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster of a thousand topics and eleven brokers took ten seconds of a processor where it takes one."""
    topics = "".join(TOPIC.replace("orders", f"orders-{number}") for number in range(20))
    cluster, looked = cluster_with(topic=topics), list[int | None]()

    def look(cluster: Cluster, node: Broker) -> tuple[str, Origin]:
        looked.append(node.id)
        return "", node.origin

    monkeypatch.setattr("tidegate.audit.startup.nodes.why_node_is_down", look)
    assert sum(len(subject.topics) for subject in cluster_subjects(cluster) if not subject.is_internal) == 20
    assert looked == [1, 2, 3]


RUNNING = sorted((ROOT / "tests" / "fixtures" / "audit").glob("*/*/topics.txt"))
"""What tools have printed of real clusters."""


@pytest.mark.parametrize("printed", RUNNING, ids=lambda path: "-".join(path.parts[-3:-1]))
def test_a_broker_that_runs_is_not_said_not_to_start(printed: Path) -> None:
    """Defaults that it describes, such as `node.id=-1` beside ZooKeeper, are nothing that a file states."""
    cluster, _ = read_cluster([printed.parent])
    assert not nodes_down(cluster)
    assert not ids_of_down_nodes(cluster)


def test_all_values_that_a_node_refuses_are_said_at_once() -> None:
    text = "node.id=1\nprocess.roles=broker\nlog.dirs=/d\nmin.insync.replicas=0\nnum.network.threads=x\n"
    cluster, _ = read_cluster_texts([("b.properties", text, True)], Options(kafka_version="3.9.0"), "x")
    assert [down.where.line for down in nodes_down(cluster)] == [4, 5]


# --- log directories that containers share ----------------------------------------------------------------------------


def _services(*more: str, end: str = "") -> list[str]:
    """Why services do not start that have these lines more, of one compose file."""
    voters = ",".join(f"{id_}@k{id_}:9093" for id_ in range(1, len(more) + 1))
    texts = [
        f"  k{id_}:\n    image: apache/kafka:3.9.1\n    environment:\n      KAFKA_NODE_ID: {id_}\n"
        "      KAFKA_PROCESS_ROLES: broker,controller\n      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER\n"
        "      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093\n"
        f"      KAFKA_CONTROLLER_QUORUM_VOTERS: {voters}\n      KAFKA_LOG_DIRS: /data/log\n{own}\n"
        for id_, own in enumerate(more, 1)
    ]
    text = f"services:\n{''.join(texts)}{end}"
    return [down.to_sentence for down in nodes_down(read_cluster_texts([("c.yml", text, True)], OPTIONS, "x")[0])]


def _mounts(*volumes: str) -> list[str]:
    return [f"    volumes: [{volume}]" for volume in volumes]


TO_ONE_FOLDER = "volumes: {a: {driver_opts: {o: bind, device: /d}}, b: {driver_opts: {o: bind, device: /d}}}\n"


@pytest.mark.parametrize(
    ("volumes", "end", "place"),
    [
        (("'shared:/data'", "'shared:/data'"), "volumes: {shared: }\n", "volume shared/log"),
        (("'./data:/data'", "'./data/:/data:rw'"), "", "folder data/log"),
        (("'/srv:/data'", "{type: bind, source: /srv, target: /data}"), "", "folder /srv/log"),
        (("'/srv:/data'", "'/srv/log:/data/log'"), "", "folder /srv/log"),
        (("'a:/data'", "'b:/data'"), "volumes: {a: {name: one}, b: {name: one}}\n", "volume one/log"),
        (("'a:/data'", "'b:/data'"), TO_ONE_FOLDER, "folder /d/log"),
    ],
)
def test_of_containers_with_one_log_directory_the_first_locks_it(
    volumes: tuple[str, str], end: str, place: str
) -> None:
    assert _services(*_mounts(*volumes), end=end) == [
        f"broker 2 does not start: its log directory /data/log is the {place}, as is that of services.k1, which locks "
        "it (c.yml:20)"
    ]


@pytest.mark.parametrize(
    "volumes",
    [
        ("'a:/data'", "'b:/data'"),
        ("'data:/data'", "'./data:/data'"),
        ("'/srv/1:/data'", "'/srv/2:/data'"),
        ("'/data'", "'/data'"),
        ("'shared:/other'", "'shared:/other'"),
        ("'shared:/data'", "'shared:/data', 'own:/data/log'"),
        tuple(f"{{type: volume, source: a, target: /data, volume: {{subpath: k{id_}}}}}" for id_ in (1, 2)),
    ],
)
def test_containers_whose_log_directories_differ_start(volumes: tuple[str, ...]) -> None:
    assert _services(*_mounts(*volumes)) == []


def test_where_a_container_stands_or_what_it_runs_may_part_the_directories() -> None:
    shared = _mounts("'shared:/data'")[0]
    for more in (
        "\n    deploy: {placement: {constraints: [node.hostname == n]}}",
        "\n    volumes_from: [other]",
        "\n    command: [sh, -c, 'export KAFKA_LOG_DIRS=/data/$$HOSTNAME; exec /etc/kafka/docker/run']",
    ):
        assert _services(shared, shared + more) == []


CLAIM = "      volumes:\n      - {name: data, persistentVolumeClaim: {claimName: c}}\n"


def _pods(kind: str, replicas: int, mount: str, volumes: str = CLAIM, name: str = "k") -> str:
    values = {
        "PROCESS_ROLES": "broker", "CONTROLLER_QUORUM_VOTERS": "9@c:9093", "CONTROLLER_LISTENER_NAMES": "CONTROLLER",
        "LISTENERS": "PLAINTEXT://:9092", "LOG_DIRS": "/data/log",
    }  # fmt: skip
    variables = "".join(f"        - {{name: KAFKA_{key}, value: '{value}'}}\n" for key, value in values.items())
    return (
        f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n  replicas: {replicas}\n"
        "  template:\n    spec:\n      containers:\n      - name: kafka\n        image: apache/kafka:4.1.0\n"
        f"        env:\n{variables}"
        f"        volumeMounts:\n        - {{name: data, mountPath: /data{mount}}}\n{volumes}"
    )


def _down_pods(text: str) -> list[str]:
    return [down.to_sentence for down in nodes_down(read_cluster_texts([("k.yml", text, True)], OPTIONS, "x")[0])]


def test_pods_with_one_claim_have_one_log_directory() -> None:
    (said,) = _down_pods(_pods("StatefulSet", 3, ""))
    assert said.startswith("brokers 1, 2 do not start: its log directory /data/log is the claim c/log, as is that of")
    two = _pods("Deployment", 1, "") + "---\n" + _pods("Deployment", 1, "", name="l")
    (said,) = _down_pods(two)
    assert "is the claim c/log, as is that of Deployment k, which locks it" in said


def test_pods_with_claims_or_paths_of_their_own_start() -> None:
    template = "  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {accessModes: [ReadWriteOnce]}\n"
    assert _down_pods(_pods("StatefulSet", 3, "", template)) == []
    assert _down_pods(_pods("StatefulSet", 3, ", subPathExpr: $(POD_NAME)")) == []
    two = _pods("Deployment", 1, ", subPath: a") + "---\n" + _pods("Deployment", 1, ", subPath: b", name="l")
    assert _down_pods(two) == []
