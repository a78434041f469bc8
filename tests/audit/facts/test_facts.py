"""Facts that decide what is lost and stand where one does not look: in the controllers' files, in the producer's other
settings, in the number of brokers and machines. Each of them once reassured falsely."""

from __future__ import annotations

import re

import pytest
from tidegate.audit.answers.outages import find_outages
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import Unknown, UnreadableInputError
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.reports.audit.terminal import audit_verdict_line

from ...support.facts import NODE, ORDERS, SOUND, cluster_of, nodes, signatures, signatures_of_settings, subject_of


def test_the_transaction_log_has_what_the_brokers_state_though_a_controller_is_the_first_node() -> None:
    brokers = "transaction.state.log.min.isr=1\n"
    texts = {name.replace("c1", "c0"): text for name, text in nodes(brokers).items()}
    texts = {name: text.replace("node.id=11", "node.id=0") for name, text in texts.items()}
    cluster = cluster_of(texts)
    assert cluster.brokers[0].roles == ("controller",)
    assert {signature.min_isr for signature in signatures(cluster, "__transaction_state")} == {1}


def test_what_a_platform_sets_itself_is_its_own_or_not_known() -> None:
    """docs.aws.amazon.com/msk, docs.confluent.io/cloud: never Apache's default for what they change."""
    text = nodes()["b1.properties"].replace(SOUND, "")
    for owner, factors in (("msk", {2, 3}), ("confluent-cloud", {3}), ("apache", {1}), ("other", None)):
        cluster = read_cluster_texts(
            [("s.properties", text, True)], Options(kafka_version="3.9.0", distribution=owner), "x"
        )[0]
        found = setting_value(cluster, cluster.brokers[0], declared_key("default.replication.factor"))
        possible = found.possible if isinstance(found, Unknown) else [found]
        assert {int(default.value) for default in possible} == (factors or set()), owner
        least = setting_value(cluster, cluster.brokers[0], declared_key("min.insync.replicas"))
        assert isinstance(least, Unknown) == (owner != "apache")
        if isinstance(least, Unknown):
            assert {default.value for default in least.possible} == ({"1", "2"} if owner == "msk" else set())
        assert isinstance(
            setting_value(cluster, cluster.brokers[0], declared_key("unclean.leader.election.enable")), Unknown
        ) == (owner != "apache")


# --- brokers and machines ---------------------------------------------------------------------------------------------
WITHOUT = {
    "__consumer_offsets": ", and no consumer of a group can join it or commit an offset",
    "__transaction_state": ", and no transactional producer gets past initTransactions",
}
REPAIRS = {
    "__consumer_offsets": "; offsets.topic.replication.factor=2 on every broker repairs it",
    "__transaction_state": "; transaction.state.log.replication.factor=2 on every broker repairs it",
}


def test_a_topic_that_asks_for_more_replicas_than_there_are_brokers_cannot_be_created() -> None:
    texts = {name: text for name, text in nodes().items() if name != "b3.properties"}
    cluster = cluster_of(texts)
    for name in ("(new topics)", "__consumer_offsets", "__transaction_state"):
        found = subject_of(cluster, name)
        assert found.stops == ("writable", "readable") and not found.variants
        said, _, repair = found.not_checked.partition("; give the files of the others, if there are more")
        assert said == f"cannot be created{WITHOUT.get(name, '')}: 3 replicas are asked for, and there are 2 brokers"
        assert repair == REPAIRS.get(name, "")


def test_before_0_11_the_offsets_topic_is_created_with_fewer() -> None:
    """KIP-115: offsets.topic.replication.factor is enforced since 0.11; before, as many are made as are alive."""
    text = "broker.id={id}\nzookeeper.connect=z\nlog.dirs=data\n"
    cluster = cluster_of({f"b{i}.properties": text.format(id=i) for i in (1, 2)}, "0.10.2")
    assert {signature.replicas for signature in signatures(cluster, "__consumer_offsets")} == {1, 2}


def test_one_brokers_file_may_stand_for_many_and_it_is_said() -> None:
    found = subject_of(cluster_of({"b1.properties": nodes()["b1.properties"]}), "__consumer_offsets")
    assert not found.stops and any(use.key == "brokers" and "assumed" in use.source for use in found.used_settings)


COMPOSE = """\
services:
  kafka-{id}:
    image: apache/kafka:3.9.0
    environment:
      KAFKA_NODE_ID: {id}
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka-1:9093,2@kafka-2:9093,3@kafka-3:9093
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
"""


def compose_cluster(extra: str = "") -> Cluster:
    services = [COMPOSE.format(id=i).partition("services:\n")[2] + extra for i in (1, 2, 3)]
    return cluster_of({"docker-compose.yml": "services:\n" + "".join(services)}, "3.9.0")


def test_the_brokers_of_a_compose_file_share_one_machine() -> None:
    assert {signature.one_machine for signature in signatures(compose_cluster())} == {True}
    files = [("c.yml", "services:\n" + "".join(COMPOSE.format(id=i).partition("services:\n")[2] for i in (1, 2)), True)]
    found = read_cluster_texts(files, Options(kafka_version="3.9.0"), "x")[1]
    assert any("2 brokers run on one computer" in finding.what for finding in found)
    assert {signature.one_machine for signature in signatures(cluster_of(nodes()))} == {False}


@pytest.mark.parametrize(
    "deploy",
    ["{replicas: 1}", "{resources: {limits: {memory: 2g}}}", "{placement: {constraints: [node.role==worker]}}"],
)
def test_a_deploy_section_of_a_compose_file_moves_no_service_to_another_machine(deploy: str) -> None:
    cluster = compose_cluster(f"    deploy: {deploy}\n")
    assert {signature.one_machine for signature in signatures(cluster)} == {True}
    assert any("run on one computer" in assumption and "swarm" in assumption for assumption in cluster.assumptions)
    assert not compose_cluster().assumptions


# --- controllers ------------------------------------------------------------------------------------------------------
def test_where_voters_stand_is_a_fact() -> None:
    racks = {11: "a", 12: "a", 13: "b"}
    texts = {
        name: text + (f"broker.rack={racks[int(name[1:3])]}\n" if name.startswith("c") else "")
        for name, text in nodes().items()
    }
    (found,) = {
        (signature.voters, signature.voters_in_rack, signature.shared_voters)
        for signature in signatures(cluster_of(texts))
    }
    assert found == (3, 2, 0)
    (bare,) = {(signature.voters, signature.voters_in_rack) for signature in signatures(cluster_of(nodes()))}
    assert bare == (3, 0)
    (combined,) = {
        (signature.voters, signature.shared_voters, signature.co_located) for signature in signatures(compose_cluster())
    }
    assert combined == (3, 3, True)


HEAD = "Topic: orders\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"


def shared_places(brokers: str, controllers: str) -> set[tuple[tuple[int, int], ...]]:
    """What is found of brokers 1 to 3 and controllers 11 to 13 in these racks, with a topic on all brokers."""
    racks = {**dict(enumerate(brokers, 1)), **dict(enumerate(controllers, 11))}
    texts = {
        name: text + f"broker.rack={racks[int(re.findall('[0-9]+', name)[0])]}\n" for name, text in nodes().items()
    }
    lines = "".join(f"\tTopic: orders\tPartition: {n}\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n" for n in (0, 1))
    return {signature.racks for signature in signatures(cluster_of({**texts, "topics.txt": HEAD + lines}), "orders")}


def test_a_rack_takes_what_stands_in_it_and_nothing_of_the_others() -> None:
    """Two voters in a rack without a replica, and a replica in each of three others."""
    assert shared_places("abc", "abc") == {((1, 1),)}
    assert shared_places("abc", "ddc") == {((0, 2), (1, 1))}
    assert shared_places("aab", "bbc") == {((1, 2), (2, 0))}
    assert shared_places("abc", "abx") == {((1, 1),)}


POOLS = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: mine}
spec: {kafka: {version: 3.9.0, config: {default.replication.factor: 3}}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {name: controller, labels: {strimzi.io/cluster: mine}}
spec: {replicas: 1, roles: [controller]}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {name: broker, labels: {strimzi.io/cluster: mine}}
spec: {replicas: 3, roles: [broker]}
"""


def test_strimzis_controllers_are_counted_without_a_list_of_voters() -> None:
    cluster = read_cluster_texts([("k.yaml", POOLS, True)], Options(), "x")[0]
    assert cluster.quorum is not None and cluster.quorum.voters == (3,) and cluster.whole
    assert {signature.voters for signature in signatures(cluster)} == {1}


def test_a_dynamic_quorum_of_which_more_are_named_than_given_is_not_counted() -> None:
    text = "process.roles=broker,controller\nnode.id=1\nlog.dirs=d\ncontroller.quorum.bootstrap.servers={}\n"
    one = cluster_of({"s.properties": text.format("a:9093")})
    assert one.quorum is not None and one.quorum.voters == (1,)
    assert cluster_of({"s.properties": text.format("a:9093,b:9093,c:9093")}).quorum is None


def test_the_voters_of_a_dynamic_quorum_are_those_that_are_described() -> None:
    """KIP-853: one controller is formatted as standalone, and the others are observers until they are added."""
    text = "process.roles=broker,controller\nnode.id={0}\ncontroller.quorum.bootstrap.servers=a:1,b:1,c:1\n"
    files = [(f"{node}.properties", text.format(node), True) for node in (1, 2, 3)]
    cluster, findings = read_cluster_texts(files, Options(), "x")
    assert cluster.quorum is None
    (said,) = [finding for finding in findings if "not which controllers vote" in finding.what]
    assert said.kind == "incomplete" and "describe --status" in said.to_do
    status = "ClusterId: x\nLeaderId: 1\nCurrentVoters: [1]\nCurrentObservers: [2,3]\n"
    cluster, findings = read_cluster_texts([*files, ("quorum.txt", status, True)], Options(), "x")
    assert cluster.quorum is not None and cluster.quorum.voters == (1,)
    assert not any("not which controllers vote" in finding.what for finding in findings)


# --- versions ---------------------------------------------------------------------------------------------------------
def test_confluents_number_is_mapped_where_the_brokers_are_confluents() -> None:
    files = [("topics.txt", ORDERS, True)]
    mapped = read_cluster_texts(files, Options(kafka_version="7.6.1", distribution="cp-kafka"), "x")[0]
    assert mapped.versions.kafka is not None and mapped.versions.kafka.value == "3.6"
    assert {signature.profile for signature in signatures(mapped, "orders")} == {"kafka_3_5"}


UNKNOWN = {
    "4.9": "Kafka 4.9 is not known: Kafka 0.9 to 4.4 are known here",
    "3.99": "Kafka 3.99 is not known: Kafka 0.9 to 4.4 are known here",
    "7.6": "Kafka 7.6 is not known: Kafka 0.9 to 4.4 are known here; Confluent Platform 7.6 is Kafka 3.6",
    "0.8.2": "Kafka 0.8.2 is not known: Kafka 0.9 to 4.4 are known here",
}


@pytest.mark.parametrize("version", UNKNOWN)
def test_of_a_release_that_is_not_known_nothing_is_answered(version: str) -> None:
    files = [("topics.txt", ORDERS, True)]
    cluster, findings = read_cluster_texts(files, Options(kafka_version=version, distribution="apache"), "x")
    assert cluster.versions.kafka is None
    assert all(
        not subject.variants and subject.not_checked == UNKNOWN[version] for subject in cluster_subjects(cluster)
    )
    done = audit(cluster, findings, AuditRequest(seconds=1.0, repairs=False))
    assert done.exit == 5 and audit_verdict_line(done.document) == f"? {UNKNOWN[version]}"


@pytest.mark.parametrize(
    ("image", "why"),
    [
        ("apache/kafka:4.9.0", "Kafka 4.9.0 is not known: Kafka 0.9 to 4.4 are known here"),
        ("confluentinc/cp-kafka:9.1.0", "Confluent Platform 9.1 is not known"),
        ("confluentinc/cp-kafka:4.1.0", "Confluent Platform 4.1 is not known"),
    ],
)
def test_an_image_of_a_release_that_is_not_known(image: str, why: str) -> None:
    text = f"services:\n  kafka:\n    image: {image}\n    environment:\n      KAFKA_BROKER_ID: 1\n"
    cluster, findings = read_cluster_texts([("compose.yml", text, True)], Options(), "x")
    assert cluster.versions.unknown is not None and cluster.versions.unknown.value == why
    assert any(finding.kind == "incomplete" and finding.what == why for finding in findings)


def test_features_that_no_broker_of_the_release_has() -> None:
    line = "Feature: {}\tSupportedMinVersion: 0\tSupportedMaxVersion: 9\tFinalizedVersionLevel: {}\tEpoch: 1\n"
    text = line.format("metadata.version", "4.1-IV1") + line.format("share.version", 2)
    _, findings = read_cluster_texts([("features.txt", text, True)], Options(kafka_version="4.1"), "x")
    assert "share.version 2 is above Kafka 4.1, whose newest level is 1" in [finding.what for finding in findings]
    text = text.replace("4.1-IV1", "4.6-IV0")
    cluster, _ = read_cluster_texts([("features.txt", text, True)], Options(kafka_version="4.1"), "x")
    assert cluster.versions.unknown is not None
    assert cluster.versions.unknown.value == "metadata.version 4.6-IV0 is not known: 4.4-IV2 is the newest one here"


def test_confluents_number_of_a_java_client_is_mapped_or_refused() -> None:
    """6.2.0-ccs is Kafka 2.8, whose producers do not wait for all."""
    assert {signature.acks for signature in signatures_of_settings("", "java:6.2.0-ccs")} == {"leader"}
    with pytest.raises(
        UnreadableInputError, match=r"--client java:6\.2: this release is not known: .* Platform 6\.2 is Kafka 2\.8"
    ):
        signatures_of_settings("", "java:6.2")
    assert {signature.acks for signature in signatures_of_settings("", "librdkafka:2.3.0")} == {"all"}


# --- now --------------------------------------------------------------------------------------------------------------
SHRUNK = """\
Topic: orders\tTopicId: x\tPartitionCount: 3\tReplicationFactor: 3\tConfigs: min.insync.replicas=2
\tTopic: orders\tPartition: 0\tLeader: none\tReplicas: 1,2,3\tIsr: 1
\tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 2,3,1\tIsr: 2
\tTopic: orders\tPartition: 2\tLeader: 3\tReplicas: 3,1,2\tIsr: 3,1
"""


@pytest.mark.parametrize(
    ("options", "version", "kinds"),
    [
        ({"acks": "all"}, "3.9.0", {0: ("offline", True), 1: ("refused", True)}),
        ({}, "3.9.0", {0: ("offline", True), 1: ("refused", False)}),
        ({"acks": "1"}, "3.9.0", {0: ("offline", True), 1: ("unreadable", True)}),
        ({"acks": "1"}, "3.6.0", {0: ("offline", True)}),
    ],
)
def test_what_is_out_of_service_now_is_said(
    options: dict[str, str], version: str, kinds: dict[int, tuple[str, bool]]
) -> None:
    found = find_outages(subject_of(cluster_of({"topics.txt": SHRUNK}, version, **options), "orders"))
    assert {n.number: (outage.kind, outage.certain) for outage in found for n in outage.partitions} == kinds


def test_the_words_for_what_is_out_of_service() -> None:
    first, second = find_outages(subject_of(cluster_of({"topics.txt": SHRUNK}, "3.9.0"), "orders"))
    assert first.to_sentence == "orders partition 0: no leader, so that nothing is written or read"
    assert second.to_sentence == "orders partition 1: acks=all is refused (the ISR is {2} of 3 replicas)"


def test_a_resource_that_asks_for_more_replicas_than_there_are_brokers_cannot_be_created() -> None:
    topic = """\
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: orders, labels: {strimzi.io/cluster: mine}}
spec: {partitions: 1, replicas: 5}
"""
    found = subject_of(read_cluster_texts([("k.yaml", POOLS + topic, True)], Options(), "x")[0], "orders")
    assert found.stops == ("writable", "readable")
    assert found.not_checked == "cannot be created: 5 replicas are asked for, and there are 3 brokers"


VENDORS = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1\tOffline: 2,3\tLiveObservers: 4\tObservers: 4\n"
)


def test_brokers_of_a_vendors_further_columns_are_not_in_sync() -> None:
    """Confluent's kafka-topics prints `Offline:` and observers after the ISR."""
    (topic,) = cluster_of({"topics.txt": VENDORS}).topics
    assert topic.partitions[0].isr == (1,) and topic.partitions[0].replicas == (1, 2, 3)


def test_a_partition_of_few_replicas_lowers_no_other_partitions_min_isr() -> None:
    topics = (
        "Topic: orders\tTopicId: x\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: min.insync.replicas=2\n"
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
        "\tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 2,3,1\tIsr: 2\n"
    )
    (found,) = find_outages(subject_of(cluster_of({"topics.txt": topics}, "3.9.0", acks="all"), "orders"))
    assert (found.kind, found.certain, [partition.number for partition in found.partitions]) == ("refused", True, [1])


@pytest.mark.parametrize(
    ("version", "ask"),
    [
        ("4.1", "--features eligible.leader.replicas.version=LEVEL, as kafka-features.sh describe says"),
        ("3", "--kafka-version, and kafka-features.sh describe"),
    ],
)
def test_what_is_asked_for_is_what_is_missing(version: str, ask: str) -> None:
    """A version that is given is not asked for again, where only eligible leader replicas are open."""
    described = (
        "Topic: o\tPartitionCount: 1\tReplicationFactor: 3\t"
        "Configs: min.insync.replicas=2,unclean.leader.election.enable=false\n"
    )
    topic = described + "\tTopic: o\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    options = Options(kafka_version=version, distribution="apache", acks="all")
    one, producer = (NODE.format(roles="broker", id=1), True), ("acks=all\nenable.idempotence=true\n", True)
    texts = [("t.txt", topic, True), ("b.properties", *one), ("producer.properties", *producer)]
    subject = next(
        audited for audited in cluster_subjects(read_cluster_texts(texts, options, "x")[0]) if not audited.is_internal
    )
    assert subject.asks["version"] == ask


def test_a_release_that_is_given_is_not_asked_for_where_only_the_control_plane_is_open() -> None:
    described = "Topic: o\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    topic = described + "\tTopic: o\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    options = Options(kafka_version="3.7.0", distribution="apache", acks="all")
    cluster = read_cluster_texts([("t.txt", topic, True)], options, "x")[0]
    (subject,) = (audited for audited in cluster_subjects(cluster) if not audited.is_internal)
    asked = "a broker's server.properties: process.roles is KRaft, and zookeeper.connect is ZooKeeper"
    assert subject.asks["version"] == asked


def test_with_elr_one_value_of_min_insync_replicas_is_in_force() -> None:
    """The controllers' is written for the cluster, and the brokers' files do not count (KIP-966); a metadata.version
    says since when the brokers may be, whatever their own release is."""
    node = (
        "process.roles={role}\nnode.id={id}\ncontroller.quorum.voters=101@c:9093\nlog.dirs=d\nmin.insync.replicas={n}\n"
    )
    files = [(f"b{id}.properties", node.format(role="broker", id=id, n=1), True) for id in (1, 2, 3)]
    listens = "controller.listener.names=C\nlisteners=C://:9093\n"
    files.append(("c.properties", node.format(role="controller", id=101, n=2) + listens, True))
    levels = {"metadata.version": "4.1-IV1", "eligible.leader.replicas.version": "1"}
    line = "Feature: {}\tSupportedMinVersion: 0\tSupportedMaxVersion: ?\tFinalizedVersionLevel: {}\n"
    files.append(("features.txt", "".join(line.format(*level) for level in levels.items()), True))
    files.append(("t.txt", "Topic: t\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n", True))
    subject = subject_of(read_cluster_texts(files, Options(distribution="apache", acks="all"), "x")[0], "t")
    stated = [
        (used.value, str(used.origin)) for used in subject.used_settings if used.key.startswith("min.insync.replicas")
    ]
    assert stated == [("2", "c.properties:5")]
    assert {variant.signature.min_isr for variant in subject.variants} == {2}
    assert all("3." not in dict(variant.supposed_facts)["version"] for variant in subject.variants)
