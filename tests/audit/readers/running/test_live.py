"""A running cluster, asked: a real broker, with and without TLS and a password, says what a collection of it says.

The broker's jars come from Maven Central and are kept (tests/capture/brokers.py). What asks a real broker is long;
what is made of its answers, and what is said where nobody gives one, is ordinary.
"""

from __future__ import annotations

import datetime
import importlib
import ipaddress
import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import NameOID
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.errors import (
    AuthorizationError,
    IncompatibleBrokerVersion,
    KafkaError,
    KafkaTimeoutError,
)
from kafka.protocol.api_key import ApiKey
from tidegate.audit.auditing import read_cluster
from tidegate.audit.cluster.cluster import Broker, Cluster, Topic
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import Setting, Unknown, UnreadableInputError
from tidegate.audit.kafka.keys import declared_key, settings_table
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.readers.running import live
from tidegate.audit.readers.running.connection import ConnectionSettings, read_security
from tidegate.cli.main import main

from ....capture import brokers as capture
from ....support.commands import run_without

PLANTED = 'hunter2 "planted"'
USER = "auditor"
RELEASE = "4.1.0"
SERVER = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{plain},SECURED://127.0.0.1:{secured},CONTROLLER://127.0.0.1:{controller}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SECURED:SASL_SSL
inter.broker.listener.name=PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.secured.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
  user_{user}="{password}";
listener.name.secured.ssl.keystore.type=PKCS12
listener.name.secured.ssl.keystore.location=server.p12
listener.name.secured.ssl.keystore.password=planted-of-the-store
log.dirs=data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=2
group.initial.rebalance.delay.ms=0
broker.rack=rack-a
my.own.thing=planted-of-a-plug-in
"""
CLIENT = """security.protocol=SASL_SSL
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
  username="{user}" \\
  password="{password}";
ssl.truststore.location={store}
ssl.truststore.password=planted-of-the-store
"""


@dataclass(frozen=True, slots=True)
class SecuredCluster:
    """One real broker: where it listens, and files of client properties for its secured listener."""

    kafka: capture.Kafka
    plain_address: str
    secured_address: str
    client: Path
    wrong: Path


def certificate(folder: Path) -> None:
    """A certificate for 127.0.0.1 that vouches for itself: server.p12 for the broker, ca.pem, and a store of Java's."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "ca.pem").write_bytes(made.public_bytes(Encoding.PEM))
    lock = BestAvailableEncryption(b"planted-of-the-store")
    (folder / "server.p12").write_bytes(serialize_key_and_certificates(b"broker", key, made, None, lock))
    plain = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "client.pem").write_bytes(made.public_bytes(Encoding.PEM) + plain)
    store = ["-keystore", "trust.p12", "-storepass", "planted-of-the-store", "-storetype", "PKCS12", "-noprompt"]
    command = ["keytool", "-importcert", "-alias", "broker", "-file", "ca.pem", *store]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Generator[SecuredCluster, None, None]:
    if not all(shutil.which(program) for program in ("java", "keytool", "mvn")):
        pytest.skip("needs Java 17 and Maven")
    folder = tmp_path_factory.mktemp("broker")
    kafka = capture.release_in(RELEASE, folder)
    certificate(folder)
    plain, behind, controller = capture.free_ports(3)
    password = PLANTED.replace('"', '\\\\"')  # once for JAAS, once for the properties file
    names = {"plain": plain, "secured": behind, "controller": controller, "user": USER, "password": password}
    capture.write(kafka, "server", SERVER.format(**names))
    stored = {"user": USER, "store": folder / "trust.p12"}
    client = capture.write(kafka, "client", CLIENT.format(password=password, **stored))
    wrong = capture.write(kafka, "wrong", CLIENT.format(password="another", **stored))
    capture.format_storage(kafka, "server")
    kafka.start("server", "kafka.Kafka", "server.properties")
    try:
        fill(kafka, f"127.0.0.1:{plain}")
        yield SecuredCluster(kafka, f"127.0.0.1:{plain}", f"127.0.0.1:{behind}", client, wrong)
    finally:
        kafka.kill("server")


def fill(kafka: capture.Kafka, address: str) -> None:
    """Topics and settings of every layer."""
    capture.wait_for_port(address)
    patience = 300_000  # milliseconds: it listens long before it answers
    client: Any = KafkaAdminClient(
        bootstrap_servers=[address], bootstrap_timeout_ms=patience, request_timeout_ms=patience
    )
    orders = {"num_partitions": 3, "configs": {"min.insync.replicas": "2", "retention.ms": "60000"}}
    client.create_topics({"orders": orders, "plain": {"num_partitions": 1}})
    own = {"log.cleaner.threads": "2", "unclean.leader.election.enable": "false"}
    resource: Any = ConfigResource
    client.alter_configs([resource(ConfigResourceType.BROKER, "1", own)])
    client.close()
    wide = ("--entity-default", "--add-config", "unclean.leader.election.enable=true,message.max.bytes=2000000")
    kafka.tool("configs", "--bootstrap-server", address, "--alter", "--entity-type", "brokers", *wide)


def cluster_content(cluster: Cluster) -> dict[str, Any]:
    """Everything that a cluster says, but where it is stated."""
    versions, quorum = cluster.versions, cluster.quorum
    return {
        "plane": cluster.control_plane,
        "kafka": versions.kafka and versions.kafka.value,
        "metadata": versions.metadata_version and versions.metadata_version.value,
        "protocol": versions.inter_broker_protocol and versions.inter_broker_protocol.value,
        "features": ({name: feature.value for name, feature in versions.features.items()}, versions.all_features),
        "quorum": quorum and (quorum.voters, quorum.leader, sorted(quorum.observers), quorum.dynamic),
        "dynamic": pairs(cluster.dynamic),
        "brokers": {broker.id: of_broker(broker) for broker in cluster.brokers},
        "topics": {topic.name: of_topic(topic) for topic in cluster.topics},
        "answers": answers(cluster),
        "signatures": sorted(
            (subject.name, subject.variants, subject.is_planned) for subject in cluster_subjects(cluster)
        ),
    }


def pairs(settings: tuple[Setting, ...]) -> set[tuple[str, str]]:
    return {(setting.key, setting.value) for setting in settings}


def of_broker(broker: Broker) -> object:
    rack = broker.rack and broker.rack.value
    return broker.roles, broker.host, rack, pairs(broker.settings), pairs(broker.dynamic)


def of_topic(topic: Topic) -> object:
    partitions = [
        (p.number, p.leader, p.replicas, set(p.isr), p.elr, p.last_known_elr, p.adding, p.removing)
        for p in topic.partitions
    ]
    count = topic.partition_count, topic.replication_factor
    return partitions, count, pairs(topic.settings), topic.complete


def answers(cluster: Cluster) -> dict[tuple[object, str], str]:
    """What every setting of the table is, for every broker and topic."""
    things: list[tuple[object, Broker | Topic]] = [(broker.id, broker) for broker in cluster.brokers]
    things += [(topic.name, topic) for topic in cluster.topics]
    found = {
        (name, key): setting_value(cluster, thing, declared_key(key))
        for name, thing in things
        for key in settings_table()
    }
    return {where: "unknown" if isinstance(answer, Unknown) else answer.value for where, answer in found.items()}


def ask_cluster(address: str, how: ConnectionSettings | None = None) -> Cluster:
    cluster, _ = read_cluster([], None, [(address, live.read_live_cluster(address, how or ConnectionSettings()))])
    return cluster


@pytest.mark.long  # ten starts of Kafka's own tools; what each of them prints is read in audit/test_reading
def test_it_says_what_a_collection_says(here: SecuredCluster, tmp_path: Path) -> None:
    capture.collect(here.kafka, here.plain_address, tmp_path / "collected")
    collected, findings = read_cluster([tmp_path / "collected"])
    direct, same = read_cluster(
        [], None, [(here.plain_address, live.read_live_cluster(here.plain_address, ConnectionSettings()))]
    )
    one, other = cluster_content(collected), cluster_content(direct)
    for about in one:
        assert other[about] == one[about], about
    assert {finding.what for finding in same} == {finding.what for finding in findings}
    assert dict(other["answers"])["orders", "min.insync.replicas"] == "2"
    assert dict(other["answers"])["plain", "unclean.leader.election.enable"] == "false"
    assert other["dynamic"] >= {("unclean.leader.election.enable", "true"), ("message.max.bytes", "(withheld)")}
    assert other["metadata"] == "4.1-IV1"


@pytest.mark.long
def test_a_secured_listener_says_the_same(here: SecuredCluster) -> None:
    assert cluster_content(ask_cluster(here.secured_address, read_security(here.client))) == cluster_content(
        ask_cluster(here.plain_address)
    )


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of the requests that the client sends, in their order; none makes a topic."""
    connection: Any = importlib.import_module("kafka.net.connection")
    kinds: list[str] = []
    real = cast("Callable[..., object]", vars(connection.KafkaConnection)["_send_request"])

    def note_request(self: object, request: object, *arguments: object, **named: object) -> object:
        kinds.append(type(request).__name__)
        assert not getattr(request, "allow_auto_topic_creation", False) or not getattr(request, "topics", None)
        return real(self, request, *arguments, **named)

    monkeypatch.setattr(connection.KafkaConnection, "_send_request", note_request)
    return kinds


@pytest.mark.long
def test_nothing_but_descriptions_is_asked_for(here: SecuredCluster, requests: list[str]) -> None:
    ask_cluster(here.secured_address, read_security(here.client))
    kinds = set(requests)
    meta = {"ApiVersionsRequest", "MetadataRequest", "SaslHandshakeRequest", "SaslAuthenticateRequest"}
    assert kinds <= meta | {
        "DescribeClusterRequest",
        "DescribeConfigsRequest",
        "DescribeQuorumRequest",
        "DescribeTopicPartitionsRequest",
        "ListPartitionReassignmentsRequest",
    }
    assert "DescribeConfigsRequest" in kinds


@pytest.mark.long
def test_no_secret_is_in_any_output(here: SecuredCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    at = ["--bootstrap-server", here.secured_address, "--command-config", str(here.client)]
    code = main(["audit", *at, "--json", "--out", str(out), "--time", "1"])
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert code in (1, 5) and {name for subject in document["subjects"] for name in subject["topics"]} >= {
        "orders",
        "plain",
    }
    written = "".join(path.read_text(encoding="utf-8") for path in out.rglob("*") if path.is_file())
    for secret in ("hunter2", "planted"):
        assert secret not in said.out + said.err + written


@pytest.mark.long
def test_a_wrong_password_is_one_sentence(
    here: SecuredCluster, requests: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["audit", "--bootstrap-server", here.secured_address, "--command-config", str(here.wrong)])
    assert [request for request in requests if request.startswith("Sasl")] == [
        "SaslHandshakeRequest",
        "SaslAuthenticateRequest",
    ]
    said = capsys.readouterr().err
    assert code == 66
    address = here.secured_address
    assert said in (  # the broker closes the connection after its answer: kafka-python may see the close alone
        f"tidegate: {address} refuses the user or the password of --command-config.\n",
        f"tidegate: {address} closed the connection on which the user of --command-config was authenticated. "
        "A broker does so when it refuses the user or the password, and when it stops. The password was tried once.\n",
    )


@pytest.mark.long
def test_a_listener_of_another_kind_is_reported(here: SecuredCluster, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match=r"no broker answered within 2 s.*--command-config if"):
        live.read_live_cluster(here.secured_address, ConnectionSettings(), 2)
    path = tmp_path / "client.properties"
    path.write_text("security.protocol=SSL\n", encoding="utf-8")
    assert "CERTIFICATE_VERIFY_FAILED" in refusal(here.secured_address, read_security(path))


def refusal(address: str, how: ConnectionSettings) -> str:
    """What is said where nobody answers, and why: a busy machine may need longer than half a second to hear of it."""
    for seconds in (0.5, 5.0, 50.0):
        with pytest.raises(UnreadableInputError) as caught:
            live.read_live_cluster(address, how, seconds)
        said = str(caught.value)
        assert said.startswith(f"{address}: no broker answered within {seconds:g} s")
        if f"{seconds:g} s: " in said:
            return said
    raise AssertionError("no reason was given")


@pytest.mark.brokers
@pytest.mark.parametrize("release", capture.RELEASES)
def test_of_three_brokers_with_some_killed_it_says_what_a_collection_says(release: str, tmp_path: Path) -> None:
    version, mode = release.split("-")
    kafka = capture.release_in(version, tmp_path)
    try:
        address = capture.start_cluster(kafka, mode)
        capture.wait_for_brokers(kafka, address)
        capture.fill(kafka, address)
        capture.settle(kafka, address, 3)
        compare(kafka, address, tmp_path / "healthy")
        kafka.kill("server-3")
        capture.settle(kafka, address, 2)
        compare(kafka, address, tmp_path / "one-dead")
        if mode == "zookeeper" or version.startswith("4"):  # else the second takes the quorum with it
            kafka.kill("server-2")
            capture.settle(kafka, address, 1)
            compare(kafka, address, tmp_path / "two-dead")
    finally:
        for name in list(kafka.running):
            kafka.kill(name)


def compare(kafka: capture.Kafka, address: str, into: Path) -> None:
    capture.collect(kafka, address, into)
    one, other = cluster_content(read_cluster([into])[0]), cluster_content(ask_cluster(address))
    for about in one:
        assert other[about] == one[about], f"{about}, {into.name}"


# --- without a broker -------------------------------------------------------------------------------------------------


class Answers:
    """A cluster of two brokers as the client would describe it, each answer of which can be another one."""

    def __init__(self, **others: Any) -> None:
        self.others = others

    def __call__(self, **_: object) -> Answers:
        return self

    def close(self) -> None:
        pass

    @property
    def silent(self) -> dict[int, str]:
        return self.others.get("silent", {})

    told_by = 1

    def probe(self, seconds: float) -> list[int]:
        assert seconds <= 5
        return [node for node in self.others.get("probed", (1, 2)) if node not in self.silent]

    def _answer(self, name: str, usual: Any) -> Any:
        found = self.others.get(name, usual)
        if isinstance(found, Exception):
            raise found
        return found

    def api_versions(self) -> dict[int, object]:
        return self._answer("api_versions", {})

    def brokers(self) -> object:
        return self._answer("brokers", [1, 2])

    def describe_features(self) -> object:
        return self._answer("describe_features", {})

    def describe_quorum(self) -> object:
        return self._answer("quorum", IncompatibleBrokerVersion())

    def describe_topics(self) -> object:
        ids = {"replica_nodes": [1, 2, 3], "isr_nodes": [1, 2]}
        return self._answer(
            "describe_topics",
            [{"name": "orders", "error_code": 0, "partitions": [{"partition_index": 0, "leader_id": -1, **ids}]}],
        )

    def list_partition_reassignments(self) -> object:
        moving = {"adding_replicas": [3], "removing_replicas": [1]}
        return self._answer("list_partition_reassignments", {("orders", 0): moving})

    def describe_configs(self, resources: list[Any], **_: object) -> object:
        (first,) = resources
        kind = "topic" if first.resource_type == ConfigResourceType.TOPIC else "broker"
        setting: dict[str, Any] = {"value": "x", "is_sensitive": False, "synonyms": []}
        usual = {kind: {first.name: {"zookeeper.connect": setting, "min.insync.replicas": {**setting, "value": "2"}}}}
        return self._answer(f"{kind} {first.name}", usual)


def of_answers(monkeypatch: pytest.MonkeyPatch, **others: Any) -> tuple[Cluster, list[str]]:
    monkeypatch.setattr(live, "Admin", Answers(**others))
    cluster, findings = read_cluster([], None, [("a:9092", live.read_live_cluster("a:9092", ConnectionSettings()))])
    return cluster, [finding.what for finding in findings if finding.kind in ("not_read", "incomplete")]


def test_a_cluster_with_zookeeper_and_a_reassignment_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, unread = of_answers(monkeypatch)
    assert cluster.control_plane == "zookeeper" and cluster.quorum is None and not cluster.versions.all_features
    (partition,) = cluster.topics[0].partitions
    assert (partition.leader, partition.adding, partition.removing, partition.elr) == (None, (3,), (1,), None)
    assert cluster.topics[0].replication_factor == 2
    assert unread == []


UNTOLD: list[tuple[dict[str, Any], str]] = [
    ({"topic orders": {"topic": {"orders": {}}}}, "the brokers do not give the settings of topic orders"),
    ({"broker 2": {"broker": {"2": {}}}}, "the brokers do not give the settings of broker 2"),
    ({"broker 2": KafkaTimeoutError("late")}, "broker 2 does not answer, so that its settings are not known"),
    ({"list_partition_reassignments": KafkaError()}, "whether replicas are being reassigned is not known"),
    (
        {"describe_features": {"metadata.version": {"supported": (1, 99), "finalized": (99, 99)}}},
        "the release of metadata.version level 99, which has no name here, is not known",
    ),
    ({"quorum": KafkaTimeoutError("late")}, "no controller answered who they are"),
    (
        {"describe_topics": [{"name": "orders", "error_code": 29, "partitions": []}]},
        "topic orders is not described (error 29)",
    ),
]


@pytest.mark.parametrize(("others", "unread"), UNTOLD)
def test_what_is_not_reported_is_not_stated(
    monkeypatch: pytest.MonkeyPatch, others: dict[str, Any], unread: str
) -> None:
    cluster, said = of_answers(monkeypatch, **others)
    assert any(unread in text for text in said), said
    if "topic orders" in others:
        assert not cluster.topics[0].complete and cluster.topics[0].settings == ()
    if "describe_features" in others:
        assert cluster.versions.kafka is None and cluster.versions.metadata_version is None
    if "broker 2" in others:
        assert next(broker for broker in cluster.brokers if broker.id == 2).settings == ()


def test_a_user_who_may_describe_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        UnreadableInputError, match=r"may not describe the cluster \(AuthorizationError\); it needs Describe"
    ):
        of_answers(monkeypatch, brokers=AuthorizationError())
    with pytest.raises(UnreadableInputError, match="a:9092 stopped answering"):
        of_answers(monkeypatch, describe_topics=KafkaTimeoutError("late"))
    with pytest.raises(
        UnreadableInputError, match=r"a:9092 answers what kafka-python does not understand \(KeyError\('x'\)\)"
    ):
        of_answers(monkeypatch, describe_topics=KeyError("x"))


def test_partitions_come_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic may go on in the next page; an empty list of eligible replicas is not one that nobody knows."""
    client = Answers(api_versions={ApiKey.DescribeTopicPartitions: 0})

    def page(_: object, cursor: dict[str, Any] | None = None) -> dict[str, Any]:
        number = 0 if cursor is None else cursor["partition_index"]
        partition = {"partition_index": number, "leader_id": 1, "replica_nodes": [1], "isr_nodes": [1]}
        elr = {"eligible_leader_replicas": None, "last_known_elr": None}
        topic = {"name": "orders", "error_code": 0, "partitions": [{**partition, **elr}]}
        following = None if number == 2 else {"topic_name": "orders", "partition_index": number + 1}
        return {"topics": [topic], "next_cursor": following}

    monkeypatch.setattr(client, "describe_topic_partitions", page, raising=False)
    monkeypatch.setattr(live, "Admin", client)
    (topic,) = live.read_live_cluster("a:9092", ConnectionSettings()).topics
    assert [(partition.number, partition.elr, partition.last_known_elr) for partition in topic.partitions] == [
        (n, (), ()) for n in range(3)
    ]


def test_nobody_listens() -> None:
    (port,) = capture.free_ports(1)
    assert "REFUSED" in refusal(f"127.0.0.1:{port}", ConnectionSettings()).upper()


def test_somebody_listens_who_says_nothing() -> None:
    with silent() as address, pytest.raises(UnreadableInputError, match=r"no broker answered within 0\.5 s"):
        live.read_live_cluster(address, ConnectionSettings(), 0.5)


@contextmanager
def silent() -> Generator[str, None, None]:
    """A listener that takes what it is sent and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        thread = threading.Thread(target=take, args=(server,), daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def take(server: socket.socket) -> None:
    kept: list[socket.socket] = []
    while True:
        try:
            kept.append(server.accept()[0])
        except OSError:
            for resource in kept:
                resource.close()
            return


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bootstrap-server", "somewhere"], "--bootstrap-server somewhere: write HOST:PORT"),
        (["--bootstrap-server", "http://a:9092"], "write HOST:PORT"),
        (["--command-config", "x"], "give --bootstrap-server HOST:PORT too"),
    ],
)
def test_mistakes_of_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *arguments]) == 64
    assert message in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install() -> None:
    done = run_without("kafka.admin", ["audit", "--bootstrap-server", "127.0.0.1:9092"])
    assert done.exit == 64
    assert "pip install '.[live]' in the clone" in done.err
