"""Configuration that is not a broker's and no plain client's: Connect, Streams, MirrorMaker, Spring; and what is said
where something is set that the model does not have."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects


def read(texts: dict[str, str], **options: Any) -> tuple[Cluster, list[Finding]]:
    files = [(name, text, True) for name, text in texts.items()]
    given: dict[str, Any] = {"kafka_version": "3.9.0", "distribution": "apache"} | options
    cluster, findings = read_cluster_texts(files, Options(**given), "x")
    return cluster, list(findings)


def subjects_by_name(cluster: Cluster) -> dict[str, Subject]:
    return {topic.name: subject for subject in cluster_subjects(cluster) for topic in subject.topics}


BROKER = "process.roles=broker\nnode.id={id}\nlog.dirs=d\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
BROKERS = {f"b{i}.properties": BROKER.format(id=i) for i in (1, 2, 3)}
COMBINED = {name: text.replace("=broker\n", "=broker,controller\n") for name, text in BROKERS.items()}
"""With the files of the controllers, who decide how many replicas a topic has for which nobody says so."""

CONNECT = """\
bootstrap.servers=a:9092
group.id=connect
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
offset.storage.topic=connect-offsets
offset.storage.replication.factor=1
config.storage.topic=connect-configs
config.storage.min.insync.replicas=1
status.storage.topic=connect-status
status.storage.replication.factor=-1
producer.acks=1
producer.override.linger.ms=7
consumer.auto.offset.reset=latest
plugin.path=/x
"""


def test_connects_topics_are_asked_about_with_what_its_worker_sets() -> None:
    cluster, findings = read({**COMBINED, "connect.properties": CONNECT})
    found = subjects_by_name(cluster)
    made = {
        name: {(v.signature.replicas, v.signature.min_isr, v.signature.acks) for v in found[name].variants}
        for name in ("connect-offsets", "connect-configs", "connect-status")
    }
    assert made == {
        "connect-offsets": {(1, 2, "all")},
        "connect-configs": {(3, 1, "all")},
        "connect-status": {(3, 2, "all")},
    }
    assert not [finding for finding in findings if finding.kind in ("unknown_key", "typo", "wrong_value")]


def test_connects_clients_have_its_defaults_and_what_is_overridden() -> None:
    cluster, findings = read({"connect.properties": CONNECT})
    producer, consumer = cluster.clients
    assert {setting.key: setting.value for setting in producer.settings} == {
        "acks": "1",
        "enable.idempotence": "false",
        "max.in.flight.requests.per.connection": "1",
        "linger.ms": "7",
    }
    assert {setting.key: setting.value for setting in consumer.settings} == {
        "auto.offset.reset": "latest",
        "enable.auto.commit": "false",
    }
    assert any("connect.properties has acks=1" in finding.what for finding in findings)
    assert cluster.only_producer is None


def test_a_storage_topic_that_is_there_is_the_one_that_is_asked_about() -> None:
    described = (
        "Topic: connect-offsets\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas=1\n"
        "\tTopic: connect-offsets\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    )
    found = subjects_by_name(read({**BROKERS, "connect.properties": CONNECT, "topics.txt": described})[0])[
        "connect-offsets"
    ]
    assert not found.is_planned
    assert {(v.signature.replicas, v.signature.acks) for v in found.variants} == {(2, "all")}


STREAMS = "application.id=fraud\nbootstrap.servers=a:9092\nprocessing.guarantee=exactly_once_v2\n"


def test_streams_topics_are_written_by_its_producer() -> None:
    cluster, _ = read({**BROKERS, "app.properties": STREAMS + "replication.factor=1\n"})
    found = subjects_by_name(cluster)["fraud-(store)-changelog"]
    signatures = {(v.signature.replicas, v.signature.acks, v.signature.idempotent) for v in found.variants}
    assert signatures == {(1, "all", True)}
    wider, _ = read({**COMBINED, "app.properties": STREAMS + "replication.factor=-1\n"})
    assert {v.signature.replicas for v in subjects_by_name(wider)["fraud-(store)-changelog"].variants} == {3}


@pytest.mark.parametrize("line", ["", "enable.auto.commit=true\n", "consumer.enable.auto.commit=true\n"])
def test_streams_commits_nothing_by_a_clock(line: str) -> None:
    """StreamsConfig, NON_CONFIGURABLE_CONSUMER_DEFAULT_CONFIGS."""
    text = "application.id=app\nbootstrap.servers=a:1\nreplication.factor=3\n" + line
    cluster, findings = read({"streams.properties": text})
    assert not [finding for finding in findings if "committed by a clock" in finding.what]
    (consumer,) = [client for client in cluster.clients if client.kind == "consumer"]
    reported = {setting.key: setting.value for setting in consumer.settings}
    assert (reported["auto.offset.reset"], reported["enable.auto.commit"]) == ("earliest", "false")


def test_streams_without_replication_is_said() -> None:
    """KIP-733: -1 since 3.0, and 1 before."""
    _, findings = read({**BROKERS, "app.properties": STREAMS})
    (found,) = [finding for finding in findings if "replication.factor is not set" in finding.what]
    assert found.what.endswith("the topics of Streams' fraud have one replica")


MIRRORS = """\
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
A->B.enabled = true
A->B.topics = .*
replication.factor = 1
B.producer.acks = 1
"""


def test_mirrormakers_topics_are_asked_about() -> None:
    cluster, findings = read({**BROKERS, "mm2.properties": MIRRORS})
    found = subjects_by_name(cluster)
    replicas = {
        name: {v.signature.replicas for v in subject.variants} for name, subject in found.items() if "irror" in name
    }
    assert replicas["(topics that MirrorMaker mirrors)"] == {1}
    assert replicas["(checkpoints of MirrorMaker)"] == {3}
    assert not [finding for finding in findings if finding.kind in ("unknown_key", "typo", "not_read")]
    assert any("acks=1" in finding.what for finding in findings)
    assert not [subject for subject in found.values() if subject.not_checked]


def test_what_stands_for_topics_of_a_program_has_a_legal_name() -> None:
    """These names are the audit's own words, with those of a connector, and none that Kafka is asked to take."""
    text = "name=Orders-CDC 2\nconnector.class=x\ntopic.creation.default.replication.factor=3\n"
    found = subjects_by_name(read({**BROKERS, "cdc.properties": text})[0])
    assert not found["(topics that Orders-CDC 2 creates)"].not_checked


@pytest.mark.parametrize(
    "text",
    [
        "spring:\n  kafka:\n    producer:\n      acks: 1\n",
        "spring.kafka.producer.acks: 1\n",
        "spring:\n  kafka.producer: {acks: '1'}\n",
        "spring:\n  profiles: {active: prod}\n---\nspring.kafka:\n  producer:\n    properties:\n      '[acks]': 1\n",
    ],
)
def test_springs_application_yml_is_read_in_each_of_its_forms(text: str) -> None:
    cluster, findings = read({"application.yml": text})
    (producer,) = cluster.clients
    assert [(setting.key, setting.value) for setting in producer.settings] == [("acks", "1")]
    assert any("application.yml has acks=1" in finding.what for finding in findings)


def test_springs_camel_case_is_its_dashes() -> None:
    cluster, _ = read({"application.yml": "spring:\n  kafka:\n    consumer:\n      autoOffsetReset: earliest\n"})
    assert [(setting.key, setting.value) for setting in cluster.clients[0].settings] == [
        ("auto.offset.reset", "earliest")
    ]


@pytest.mark.parametrize(
    ("text", "client", "word"),
    [
        ("acks=1\nkey.serializer=x\n", "java:3.9", "has acks=1: records that were acknowledged are lost"),
        ("acks=0\nkey.serializer=x\n", "java:3.9", "has acks=0: a lost request loses its records"),
        ("key.serializer=x\n", "java:2.8", "has acks=1, by default"),
        ("key.serializer=x\nretries=0\n", "java:3.9", "has retries=0"),
    ],
)
def test_a_producer_alone_gets_its_remark(text: str, client: str, word: str) -> None:
    _, findings = read({"producer.properties": text}, clients=(client,))
    assert any(word in finding.what for finding in findings)
    _, sound = read({"producer.properties": "key.serializer=x\n"}, clients=("java:3.9",))
    assert sound == []


def test_a_connect_worker_of_a_compose_file_is_one_too() -> None:
    text = """\
services:
  k:
    image: apache/kafka:3.9.0
    environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: broker}
  connect:
    image: confluentinc/cp-kafka-connect:7.9.0
    environment:
      CONNECT_BOOTSTRAP_SERVERS: k:9092
      CONNECT_OFFSET_STORAGE_TOPIC: offsets
      CONNECT_OFFSET_STORAGE_REPLICATION_FACTOR: 1
      CONNECT_PRODUCER_ACKS: 1
"""
    cluster, findings = read({"docker-compose.yml": text})
    assert {v.signature.replicas for v in subjects_by_name(cluster)["offsets"].variants} == {1}
    assert any(finding.what.startswith("connect has acks=1") for finding in findings)


# --- topics that only some clusters have ------------------------------------------------------------------------------


def test_share_groups_and_remote_logs_topics_are_asked_about_where_they_are_set() -> None:
    assert not {"__share_group_state", "__remote_log_metadata"} & subjects_by_name(read(BROKERS)[0]).keys()
    extra = "share.coordinator.state.topic.replication.factor=1\nshare.coordinator.state.topic.min.isr=1\n"
    extra += "remote.log.storage.system.enable=true\n"
    found = subjects_by_name(read({name: text + extra for name, text in BROKERS.items()})[0])
    share, remote = found["__share_group_state"], found["__remote_log_metadata"]
    assert {(v.signature.replicas, v.signature.min_isr) for v in share.variants} == {(1, 1)}
    assert {(v.signature.replicas, v.signature.min_isr) for v in remote.variants} == {(3, 2)}


# --- what the model does not have -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("remote.log.storage.system.enable=true", "tiered storage is not modelled"),
        ('confluent.placement.constraints={"version":1}', "observers are not modelled"),
    ],
)
def test_what_is_not_modelled_is_said_where_it_is_set(line: str, word: str) -> None:
    _, findings = read({name: text.replace("log.dirs=d\n", "") + line + "\n" for name, text in BROKERS.items()})
    (found,) = [finding for finding in findings if finding.kind == "not_modelled"]
    assert word in found.what and found.where.line is not None
    assert not [finding for finding in read(BROKERS)[1] if finding.kind == "not_modelled"]


@pytest.mark.parametrize(("version", "sources"), [("3.6.0", ["KIP-858"]), ("3.7.0", []), ("", ["KIP-858"])])
def test_a_controller_hears_of_a_failed_log_directory_since_3_7(version: str, sources: list[str]) -> None:
    text = (
        "process.roles=broker,controller\nnode.id=1\nlog.dirs=/d1,/d2\ncontroller.listener.names=C\n"
        "listeners=PLAINTEXT://h:9092,C://h:9093\ncontroller.quorum.voters=1@h:9093\n"
    )
    _, findings = read_cluster_texts([("b.properties", text, True)], Options(kafka_version=version or None), "x")
    assert [finding.source for finding in findings if finding.kind == "not_modelled"] == sources


@pytest.mark.parametrize(
    ("line", "configs", "word"),
    [
        ("zookeeper.metadata.migration.enable=true", "", "a migration from ZooKeeper to KRaft is not modelled"),
        ("remote.log.storage.system.enable=true", ",remote.storage.enable=true", "tiered storage is not modelled"),
    ],
)
def test_what_may_lose_records_that_no_answer_is_about_is_undecided(line: str, configs: str, word: str) -> None:
    topic = (
        f"Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2{configs}\n"
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    )
    brokers = {name: f"{text}{line}\n" for name, text in BROKERS.items()}
    _, findings = read({**brokers, "t.txt": topic})
    assert not [finding for finding in findings if finding.kind == "not_modelled"]
    (found,) = [finding for finding in findings if finding.kind == "incomplete"]
    assert word in found.what and found.severity == "error"


# --- the control plane ------------------------------------------------------------------------------------------------

CONTROLLER = "process.roles=controller\nnode.id={id}\nlog.dirs=d\nbroker.rack={rack}\n"
VOTERS = "controller.quorum.voters=11@a:1,12@b:1,13@c:1\n"


def test_half_of_the_voters_in_one_rack_is_said() -> None:
    def with_racks(racks: str) -> list[str]:
        controllers = {f"c{i}": CONTROLLER.format(id=11 + i, rack=rack) for i, rack in enumerate(racks)}
        texts = {f"{name}.properties": text + VOTERS for name, text in controllers.items()}
        return [finding.what for finding in read({**BROKERS, **texts})[1] if "controllers are in rack" in finding.what]

    assert with_racks("abc") == []
    (found,) = with_racks("aab")
    assert found.startswith("2 of 3 controllers are in rack a: if it is lost there is no majority")


def test_one_zookeeper_is_said() -> None:
    def named_findings(connect: str) -> list[str]:
        text = f"broker.id=1\nlog.dirs=d\nzookeeper.connect={connect}\n"
        return [
            finding.what for finding in read({"s.properties": text})[1] if "zookeeper.connect names" in finding.what
        ]

    assert named_findings("z1:2181,z2:2181,z3:2181/kafka") == []
    assert named_findings("z1:2181/kafka") == [
        "zookeeper.connect names one server, z1:2181: while it is down no leader is replaced"
    ]


@pytest.mark.parametrize(
    ("session", "words"),
    [
        ("", ""),
        ("6000", ""),
        ("18000", ""),
        ("5000", "a pause of a broker that is longer ends its session"),
        ("30000", "no leader is replaced on a broker that is cut off or dead"),
        ("3000", "ZooKeeper grants 4000 to 40000 ms where its tickTime is 2000"),
        ("60000", "ZooKeeper grants 4000 to 40000 ms where its tickTime is 2000"),
    ],
)
def test_a_session_with_zookeeper_is_advice(session: str, words: str) -> None:
    text = "broker.id={}\nlog.dirs=d\nzookeeper.connect=z1:2181,z2:2181,z3:2181\n"
    line = f"zookeeper.session.timeout.ms={session}\n" if session else ""
    _, findings = read({f"{name}.properties": text.format(name) + line for name in (1, 2)})
    found = [finding for finding in findings if "zookeeper.session.timeout.ms" in finding.what]
    assert [finding.kind for finding in found] == (["advice"] if words else [])  # once for all brokers
    assert all(words in finding.what and finding.where.line == 4 for finding in found)


def test_a_setting_of_the_brokers_that_the_controllers_do_not_see_is_said() -> None:
    wanted = "unclean.leader.election.enable=true\n"

    def heard(brokers: str, controllers: str) -> list[str]:
        texts = {name: text + brokers for name, text in BROKERS.items()}
        texts |= {f"c{i}.properties": CONTROLLER.format(id=i, rack=i) + VOTERS + controllers for i in (11, 12, 13)}
        return [finding.what for finding in read(texts)[1] if "has no effect: in KRaft" in finding.what]

    assert heard(wanted, wanted) == [] and heard("", wanted) == []
    (found,) = heard(wanted, "")
    assert found.endswith("the controllers decide, and have false")


# --- what renders to settings -----------------------------------------------------------------------------------------

RENDERED = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: kafka-controller-configuration}
data:
  server.properties: |
    process.roles=controller,broker
    controller.quorum.voters=0@k-0:9093,1@k-1:9093,2@k-2:9093
    log.dir=/bitnami/kafka/data
    default.replication.factor=3
    min.insync.replicas=2
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka-controller}
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: kafka
          image: docker.io/bitnami/kafka:3.9.0-debian-12
          volumeMounts: [{name: configuration, mountPath: /bitnami/kafka/config}]
          env:
            - {name: KAFKA_CFG_OFFSETS_TOPIC_REPLICATION_FACTOR, value: "2"}
            - {name: KAFKA_CFG_TRANSACTION_STATE_LOG_REPLICATION_FACTOR, valueFrom: {fieldRef: {fieldPath: x}}}
      volumes:
        - {name: configuration, configMap: {name: kafka-controller-configuration}}
---
apiVersion: v1
kind: Service
metadata: {name: kafka}
"""


def test_what_helm_renders_is_read() -> None:
    cluster, findings = read({"rendered.yaml": RENDERED}, kafka_version=None, distribution=None)
    assert [broker.id for broker in cluster.brokers] == [0, 1, 2] and cluster.whole
    assert cluster.versions.kafka is not None and cluster.versions.kafka.value == "3.9.0"
    assert cluster.versions.distribution is not None and cluster.versions.distribution.value == "bitnami"
    stated = {setting.key: (setting.value, setting.origin.line) for setting in cluster.brokers[0].settings}
    assert stated["min.insync.replicas"] == ("2", 10)
    assert stated["offsets.topic.replication.factor"] == ("2", 24)
    found = subjects_by_name(cluster)
    assert {(v.signature.replicas, v.signature.voters) for v in found["__consumer_offsets"].variants} == {(2, 3)}
    assert "not stated" in found["__transaction_state"].not_checked
    assert not [finding for finding in findings if finding.kind in ("unknown_key", "typo")]


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("values.yaml", "controller:\n  replicaCount: 3\nextraConfig: |\n  min.insync.replicas=2\n", "helm template"),
        ("values-prod.yml", "kafka: {config: {min.insync.replicas: 1}}\n", "helm template"),
        ("topics.tf", 'resource "kafka_topic" "orders" {\n  replication_factor = 1\n}\n', "kafka-topics.sh --describe"),
        ("prod.tfvars", "min_isr = 1\n", "kafka-topics.sh --describe"),
    ],
)
def test_values_and_terraform_are_not_read_and_it_says_what_to_give(name: str, text: str, word: str) -> None:
    cluster, findings = read({name: text})
    (found,) = findings
    assert found.kind == "incomplete" and found.severity == "error" and word in found.to_do
    assert cluster_subjects(cluster) == []


def test_strimzis_tiers_and_disks_are_said_not_to_be_modelled() -> None:
    text = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: mine}
spec:
  kafka:
    version: 3.9.0
    replicas: 3
    tieredStorage: {type: custom}
    storage: {type: jbod, volumes: [{id: 0, type: persistent-claim}, {id: 1, type: persistent-claim}]}
"""
    _, findings = read({"k.yaml": text})
    said = [finding.what for finding in findings if finding.kind == "not_modelled"]
    assert len(said) == 2 and "tiered storage" in said[0] and "2 volumes" in said[1]
    _, single = read({"k.yaml": text.replace(", {id: 1, type: persistent-claim}", "").replace("    tiered", "    # ")})
    assert not [finding for finding in single if finding.kind == "not_modelled"]
