"""Files to a cluster: what real brokers of several releases print, and the files that people write."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster
from tidegate.audit.cluster.cluster import Broker, Client, Cluster, Topic, Versions
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import HIDDEN, Origin, Setting, StatedValue, Unknown, UnreadableInputError
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka import key_names as names
from tidegate.audit.kafka.keys import declared_key, settings_by_name, settings_table

from ..conftest import ROOT
from ..support.reading import finding_texts, of
from .readers.containers.test_strimzi import STRIMZI

FIXTURES = ROOT / "tests" / "fixtures" / "audit"


RELEASES = sorted(path.name for path in FIXTURES.iterdir())


STATES = [(release, state) for release in RELEASES for state in ("healthy", "one-dead", "two-dead")]


CAPTURED = [pair for pair in STATES if (FIXTURES.joinpath(*pair)).is_dir()]


def read_capture(release: str, state: str) -> tuple[Cluster, tuple[Finding, ...]]:
    return read_cluster([FIXTURES / release / state])


def topic(cluster: Cluster, name: str) -> Topic:
    return next(described for described in cluster.topics if described.name == name)


@pytest.mark.parametrize(("release", "state"), CAPTURED)
def test_every_captured_topic_and_partition_is_read(release: str, state: str) -> None:
    cluster, findings = read_capture(release, state)
    text = (FIXTURES / release / state / "topics.txt").read_text(encoding="utf-8")
    assert text.count("PartitionCount:") == len(cluster.topics) >= 5
    assert text.count("\tPartition:") == sum(len(described.partitions) for described in cluster.topics)
    assert not [finding for finding in findings if finding.kind == "not_read"]
    orders = topic(cluster, "orders")
    dead = {"healthy": 0, "one-dead": 1, "two-dead": 2}[state]
    assert [sorted(partition.replicas) for partition in orders.partitions] == [[1, 2, 3]] * 3
    assert [len(partition.isr) for partition in orders.partitions] == [3 - dead] * 3
    assert {b.id for b in cluster.brokers if "broker" in b.roles} == {1, 2, 3}


@pytest.mark.parametrize("release", RELEASES)
def test_what_runs_is_reported_by_the_features_and_the_quorum(release: str) -> None:
    cluster, _ = read_capture(release, "healthy")
    version, mode = release.split("-")
    assert cluster.control_plane == mode
    if mode == "kraft":
        assert cluster.versions.kafka is not None and version.startswith(cluster.versions.kafka.value)
        assert cluster.versions.metadata_version is not None
        assert cluster.quorum is not None and cluster.quorum.leader in cluster.quorum.voters


def test_eligible_leader_replicas_of_a_real_cluster() -> None:
    cluster, _ = read_capture("4.1.0-kraft", "two-dead")
    (partition,) = topic(cluster, "audit.log").partitions
    assert partition.leader is None and partition.isr == () and partition.replicas == (2, 3)
    assert partition.elr == (2,) and partition.last_known_elr == (2,)
    assert cluster.versions.features["eligible.leader.replicas.version"].value == "1"
    assert cluster.quorum is not None and cluster.quorum.dynamic


def test_below_min_isr_the_last_to_leave_is_eligible() -> None:
    """min.insync.replicas=2 and two brokers dead: one replica in sync, and the one that left second is in the ELR."""
    cluster, _ = read_capture("4.1.0-kraft", "two-dead")
    (partition,) = topic(cluster, "ledger").partitions
    assert (partition.leader, partition.isr, partition.elr) == (1, (1,), (2,))


COLLECTED = [release for release in RELEASES if (FIXTURES / release / "collected").is_dir()]


@pytest.mark.parametrize("release", COLLECTED)
def test_what_the_script_collected_of_real_clusters(release: str) -> None:
    """A collection names every effective setting, so that nothing depends on a distribution that is not stated."""
    assert "planted" not in "".join(path.read_text() for path in (FIXTURES / release / "collected").iterdir())
    cluster, findings = read_cluster([FIXTURES / release / "collected"])
    assert not [finding for finding in findings if finding.kind in ("not_read", "typo", "wrong_value", "unknown_key")]
    assert cluster.control_plane == release.split("-")[1]
    assert cluster.versions.kafka is not None and release.startswith(cluster.versions.kafka.value)
    assert [b.rack.value for b in cluster.brokers if b.rack] == ["rack-b", "rack-a", "rack-b"]
    for name in ("orders", "scratch", "__consumer_offsets"):
        for key in (
            "min.insync.replicas",
            "unclean.leader.election.enable",
            "flush.messages",
            "replica.lag.time.max.ms",
        ):
            assert not isinstance(setting_value(cluster, topic(cluster, name), declared_key(key)), Unknown), (name, key)


def test_brokers_without_elr_have_none_not_an_empty_one() -> None:
    cluster, _ = read_capture("2.8.2-zookeeper", "one-dead")
    assert {partition.elr for partition in topic(cluster, "orders").partitions} == {None}


@pytest.mark.parametrize("release", RELEASES)
def test_a_topic_described_by_brokers_shows_every_layer(release: str) -> None:
    """The brokers' files say min.insync.replicas=2, and `Configs:` of a topic that says nothing has it."""
    cluster, _ = read_capture(release, "healthy")
    for name, expected in (("orders", "1" if release.startswith("4") else "2"), ("payments", "1")):
        answer = setting_value(cluster, topic(cluster, name), declared_key("min.insync.replicas"))
        assert isinstance(answer, StatedValue) and answer.value == expected, name
    assert topic(cluster, "orders").complete


@pytest.mark.parametrize("release", RELEASES)
def test_names_and_defaults_are_those_of_the_releases_own_classes(release: str) -> None:
    version = release.split("-")[0]
    rows = [line.split("\t") for line in (FIXTURES / release / "settings.tsv").read_text().splitlines()]
    assert {name for scope, name, _, _ in rows if name not in names.names_by_scope()[scope]} == set()
    checked = 0
    for scope, name, kind, default in rows:
        key = settings_by_name().get(name) if scope in ("broker", "topic") else settings_table().get(name)
        if key is None or scope not in key.scopes or name not in (key.name, key.broker_names[0]):
            continue
        assert kind.lower() in (key.type, "string", "int" if key.type == "short" else ""), name
        from_table = own_default(version, scope, name)
        if not isinstance(from_table, Unknown) and not default.startswith("("):
            checked += 1
            assert same(from_table, default), f"{scope} {name}: {from_table} here, {default} in {version}"
    assert checked > 40


def same(one: str, other: str) -> bool:
    return one == other or {one, other} == {"-1", "all"} or one == other.strip("[]").replace(", ", ",")


def own_default(version: str, scope: str, name: str) -> str | Unknown:
    """What the table answers for a thing that states nothing."""
    here = Origin("x")
    cluster = Cluster(versions=Versions(kafka=StatedValue(version, here), distribution=StatedValue("apache", here)))
    if scope in ("producer", "consumer"):
        kind = "producer" if scope == "producer" else "consumer"
        answer = setting_value(
            cluster, Client("c", kind, here, StatedValue("java", here), StatedValue(version, here)), declared_key(name)
        )
    elif scope == "topic":
        answer = setting_value(cluster, Topic("t", here, complete=True), declared_key(name))
    else:
        answer = setting_value(
            cluster, Broker(1, here, settings=(Setting("num.io.threads", "8", here),)), declared_key(name)
        )
    return answer if isinstance(answer, Unknown) else answer.value


@pytest.mark.parametrize(
    ("text", "kind", "family"),
    [
        ("acks=all\nbatch.size=1\nvalue.serializer=x\n", "producer", "java"),
        ("group.id=g\nauto.offset.reset=earliest\nvalue.deserializer=x\n", "consumer", "java"),
        ("bootstrap.servers=a:1\nacks=1\n", "producer", None),
        (
            "metadata.broker.list=a\nmessage.send.max.retries=3\nsocket.keepalive.enable=true\n",
            "producer",
            "librdkafka",
        ),
        ("enable.auto.offset.store=false\ngroup.id=g\n", "consumer", "librdkafka"),
    ],
)
def test_clients_are_reported_apart_by_keys_that_only_they_have(
    tmp_path: Path, text: str, kind: str, family: str | None
) -> None:
    cluster, _ = of(tmp_path, app__properties=text)
    (client,) = cluster.clients
    assert client.kind == kind
    assert (client.family.value if client.family else None) == family


def test_librdkafkas_names_are_read_as_kafkas(tmp_path: Path) -> None:
    text = "socket.keepalive.enable=true\nrequest.required.acks=1\n"
    cluster, _ = of(tmp_path, app__properties=text)
    answer = setting_value(cluster, cluster.clients[0], declared_key("acks"))
    assert isinstance(answer, StatedValue) and answer.value == "1" and answer.origin.line == 2


@pytest.mark.parametrize("family", ["librdkafka", "confluent-kafka-python"])
def test_librdkafkas_names_are_read_as_kafkas_where_an_option_says_that_it_is_librdkafka(
    tmp_path: Path, family: str
) -> None:
    (tmp_path / "app.properties").write_text("bootstrap.servers=a:1\nrequest.required.acks=1\n", encoding="utf-8")
    cluster, findings = read_cluster([tmp_path], Options(clients=(f"{family}:2.3",)))
    answer = setting_value(cluster, cluster.clients[0], declared_key("acks"))
    assert isinstance(answer, StatedValue) and answer.value == "1"
    assert ["acks=1" in finding.what for finding in findings] == [True]


@pytest.mark.parametrize("said", [("java:3.9", "b.conf=librdkafka"), ("b.conf=librdkafka", "java:3.9")])
def test_what_is_said_of_one_client_is_stronger_than_what_is_said_of_all(tmp_path: Path, said: tuple[str, ...]) -> None:
    for name in ("a.properties", "b.conf"):
        (tmp_path / name).write_text("bootstrap.servers=x:1\nacks=1\nretries=3\n", encoding="utf-8")
    cluster, _ = read_cluster([tmp_path], Options(clients=said))
    found = {c.name: (c.family and c.family.value, c.version and c.version.value) for c in cluster.clients}
    assert found == {"a.properties": ("java", "3.9"), "b.conf": ("librdkafka", None)}


def test_an_option_about_a_client_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.properties").write_text("bootstrap.servers=x:1\nacks=1\n", encoding="utf-8")
    expected = r"^--client b=java: no client's file is called so; those that were read: \S+/a.properties\.$"
    with pytest.raises(UnreadableInputError, match=expected):
        read_cluster([tmp_path], Options(clients=("b=java:3.9",)))


def test_a_file_that_only_the_mapping_says_to_be_a_clients(tmp_path: Path) -> None:
    """All that matters in it is left to its default."""
    mapping = '[topic.orders]\nproducer = "app.properties"\nconsumer = "app.properties"\n'
    cluster, findings = of(tmp_path, audit__toml=mapping, app__properties="bootstrap.servers=a:1\nclient.id=x\n")
    assert [client.kind for client in cluster.clients] == ["producer", "consumer"] and not findings
    (tmp_path / "app.properties").unlink()
    _, findings = of(tmp_path, audit__toml=mapping)
    assert [finding.what for finding in findings] == [
        "topic orders is said to use app.properties, which is not among the client files that were read"
    ]


def test_a_file_of_producers_that_consumers_have_too(tmp_path: Path) -> None:
    mapping = '[topic.orders]\nproducer = "app.properties"\nconsumer = "app.properties"\n'
    cluster, _ = of(tmp_path, audit__toml=mapping, app__properties="acks=1\nlinger.ms=5\n")
    assert [client.kind for client in cluster.clients] == ["producer", "consumer"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_a_tool_prints_on_windows_is_read(tmp_path: Path, encoding: str) -> None:
    """PowerShell makes UTF-16 of `kafka-topics.bat > topics.txt`."""
    plain = FIXTURES / "3.9.1-kraft" / "healthy" / "topics.txt"
    (tmp_path / "topics.txt").write_bytes(plain.read_text(encoding="utf-8").replace("\n", "\r\n").encode(encoding))
    found, expected = (
        [
            (
                t.name,
                [(setting.key, setting.value) for setting in t.settings],
                [partition.isr for partition in t.partitions],
            )
            for t in topics
        ]
        for topics in (read_cluster([tmp_path])[0].topics, read_cluster([plain])[0].topics)
    )
    assert found == expected and len(found) >= 5


def test_a_pattern_that_no_topic_has_is_reported(tmp_path: Path) -> None:
    mapping = '[topic."paymnts.*"]\nproducer = "p.properties"\n[topic.orders]\nproducer = "p.properties"\n'
    topics = "Topic: orders\tTopicId: x\tPartitionCount: 0\tReplicationFactor: 3\tConfigs: \n"
    _, findings = of(tmp_path, audit__toml=mapping, p__properties="acks=1\nlinger.ms=1\n", topics__txt=topics)
    (found,) = [finding for finding in findings if "paymnts" in finding.what]
    assert found.what == "`paymnts.*` is the name of no topic among the 1 that were read" and found.where.line == 1


def test_a_client_of_no_stated_family_may_mean_what_librdkafka_reads(tmp_path: Path) -> None:
    cluster, _ = of(tmp_path, app__properties="bootstrap.servers=a:1\nrequest.required.acks=0\n")
    answer = setting_value(cluster, cluster.clients[0], declared_key("acks"))
    assert isinstance(answer, Unknown) and {default.value for default in answer.possible} == {"0", "1", "all"}


SPRING = """\
spring.kafka.bootstrap-servers=a:9092
spring.kafka.producer.acks=all
spring.kafka.producer.properties[enable.idempotence]=false
spring.kafka.consumer.auto-offset-reset=earliest
spring.kafka.consumer.auto-commit-interval=5s
spring.kafka.properties.request.timeout.ms=7000
"""


SPRING_YAML = """\
spring:
  kafka:
    producer:
      acks: all
      properties:
        enable.idempotence: false
    consumer:
      auto-offset-reset: earliest
      auto-commit-interval: 5s
    properties:
      request.timeout.ms: 7000
"""


@pytest.mark.parametrize(("name", "text"), [("application__properties", SPRING), ("application__yml", SPRING_YAML)])
def test_springs_names_are_read_as_kafkas(tmp_path: Path, name: str, text: str) -> None:
    cluster, findings = of(tmp_path, **{name: text})
    producer, consumer = cluster.clients
    stated = {
        (client.kind, setting.key): setting.value for client in (producer, consumer) for setting in client.settings
    }
    assert stated[("producer", "acks")] == "all"
    assert stated[("producer", "enable.idempotence")] == "false"
    assert stated[("producer", "request.timeout.ms")] == stated[("consumer", "request.timeout.ms")] == "7000"
    assert stated[("consumer", "auto.offset.reset")] == "earliest"
    assert stated[("consumer", "auto.commit.interval.ms")] == "5000"
    assert not findings
    assert isinstance(setting_value(cluster, consumer, declared_key("enable.auto.commit")), Unknown), (
        "Spring has its own default"
    )


COMPOSE = """\
x-common: &common
  KAFKA_PROCESS_ROLES: broker,controller
  KAFKA_MIN_INSYNC_REPLICAS: 2
services:
  one:
    image: apache/kafka:4.1.0
    environment:
      <<: *common
      KAFKA_NODE_ID: 1
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
  two:
    image: apache/kafka:4.1.0
    environment:
      - KAFKA_NODE_ID=2
      - KAFKA_PROCESS_ROLES=broker
      - KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=3
  app:
    image: example/app
    environment: {KAFKA_BROKERS: "one:9092"}
"""


def test_compose_services(tmp_path: Path) -> None:
    cluster, _ = of(tmp_path, compose__yml=COMPOSE)
    assert [(b.id, b.roles) for b in cluster.brokers] == [(1, ("broker", "controller")), (2, ("broker",))]
    assert cluster.versions.kafka is not None and cluster.versions.kafka.value == "4.1.0"
    one, two = (
        setting_value(cluster, broker, declared_key("offsets.topic.replication.factor")) for broker in cluster.brokers
    )
    assert isinstance(one, StatedValue) and (one.value, one.origin.line) == ("1", 10)
    assert isinstance(two, StatedValue) and (two.value, two.origin.line) == ("3", 16)
    shared = setting_value(cluster, cluster.brokers[0], declared_key("min.insync.replicas"))
    assert isinstance(shared, StatedValue) and shared.value == "2", "settings that are merged in count"


def test_bitnamis_prefix(tmp_path: Path) -> None:
    text = "services:\n  k:\n    image: bitnami/kafka:3.6\n    environment:\n      - KAFKA_CFG_NODE_ID=7\n"
    cluster, _ = of(tmp_path, compose__yml=text)
    (broker,) = cluster.brokers
    assert broker.id == 7
    assert isinstance(setting_value(cluster, broker, declared_key("offsets.topic.replication.factor")), Unknown), (
        "the image sets it"
    )


MAPPING = """\
[topic."pay.*"]
producer = "pay.properties"
critical = true

[group.billing]
consumers = ["gone.properties"]
"""


def test_the_mapping_names_clients_and_a_name_that_is_none_is_reported(tmp_path: Path) -> None:
    cluster, findings = of(tmp_path, audit__toml=MAPPING, pay__properties="acks=1\nlinger.ms=1\n")
    use = cluster.use_of("payments")
    assert use is not None and use.critical and use.producers == ("pay.properties",)
    assert cluster.client("pay.properties", "producer") is not None
    assert cluster.use_of("orders") is None
    (missing,) = [finding for finding in findings if finding.severity == "error"]
    assert "gone.properties" in missing.what and missing.where.line == 5


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("audit.toml", "[topic", "audit.toml: "),
        ("audit.toml", '[topic."("]\n', "not a regular expression"),
        ("audit.toml", "[topic.x]\nproducer = 3\n", "a file's name"),
        ("audit.toml", "[topic]\nx = 1\n", "is not a table"),
        ("audit.toml", '[topic.x]\ncritical = "yes"\n', "true or false"),
        ("picture.png", "\0\1\2", "not a configuration that Tidegate knows"),
        ("notes.txt", "nothing here", "not a configuration that Tidegate knows"),
    ],
)
def test_what_cannot_be_read_says_which_and_why(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableInputError, match=message) as caught:
        read_cluster([path])
    assert str(path) in str(caught.value)


def test_an_audits_own_document_is_for_diff(tmp_path: Path) -> None:
    saved = tmp_path / "before.json"
    saved.write_text('{\n  "schema": "tidegate.audit/1",\n  "cluster": "good"\n}\n')
    with pytest.raises(UnreadableInputError) as refused:
        read_cluster([saved])
    assert str(refused.value) == f"{saved} is what `audit --json` printed: --diff {saved} compares with it"


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="does not exist"):
        read_cluster([tmp_path / "none"])
    with pytest.raises(UnreadableInputError, match="nothing in it"):
        read_cluster([tmp_path])


def test_a_broken_yaml_is_reported_with_its_line(tmp_path: Path) -> None:
    _, findings = of(tmp_path, a__yaml="kafka: [1\nb: }\n", server__properties="broker.id=1\n")
    assert any("its YAML is broken at line 2" in text for text in finding_texts(findings, "incomplete"))


def test_options_are_stronger_than_files(tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(COMPOSE, encoding="utf-8")
    (tmp_path / "pay.properties").write_text("acks=1\nlinger.ms=1\n", encoding="utf-8")
    options = Options("3.9.1", "3.9-IV0", None, ("eligible.leader.replicas.version=1",), ("java:2.8",), "msk")
    cluster, _ = read_cluster([tmp_path], options)
    assert cluster.versions.kafka == StatedValue("3.9.1", Origin("command line"))
    assert cluster.versions.distribution == StatedValue("msk", Origin("command line"))
    assert cluster.versions.features["eligible.leader.replicas.version"].value == "1"
    (client,) = cluster.clients
    assert client.family == StatedValue("java", Origin("command line")) and client.version is not None


@pytest.mark.parametrize(
    "options",
    [Options(kafka_version="new"), Options(clients=("java=",)), Options(clients=("3.9",)), Options(features=("elr",))],
)
def test_options_that_say_nothing_are_refused(tmp_path: Path, options: Options) -> None:
    (tmp_path / "server.properties").write_text("broker.id=1\n", encoding="utf-8")
    with pytest.raises(UnreadableInputError, match="--"):
        read_cluster([tmp_path], options)


def test_files_that_disagree_about_the_version_state_none(tmp_path: Path) -> None:
    cluster, findings = of(tmp_path, a__yml=COMPOSE, b__yaml=STRIMZI)
    assert cluster.versions.kafka is None and cluster.versions.distribution is None
    assert any("the kafka is" in text for text in finding_texts(findings, "incomplete"))


@pytest.mark.parametrize(("release", "state"), CAPTURED)
def test_the_brokers_own_files_agree_with_what_they_say_of_themselves(release: str, state: str) -> None:
    cluster, findings = read_capture(release, state)
    assert "planted" not in repr((cluster, findings))
    if state == "healthy":
        # Hidden by what 4.1 writes when it is formatted; its controllers' files have no default.replication.factor.
        differ = ["error", "warning"] if release.startswith("4") else []
        of_kinds = [one.severity for one in findings if one.kind in ("contradiction", "typo", "wrong_value")]
        assert sorted(of_kinds) == differ
        assert {b.rack.value for b in cluster.brokers if b.rack} == {"rack-a", "rack-b"}


def test_the_withheld_value_says_that_it_is(tmp_path: Path) -> None:
    cluster, _ = of(tmp_path, server__properties="broker.id=1\nssl.key.password=hunter2\n")
    (setting,) = [stated for stated in cluster.brokers[0].settings if stated.key == "ssl.key.password"]
    assert setting.value == HIDDEN


def test_compose_services_that_only_have_kafka_in_their_names_are_no_brokers(tmp_path: Path) -> None:
    """A user interface, an exporter, a REST proxy, and a tool that runs in Kafka's own image."""
    others = {
        "provectuslabs/kafka-ui:latest": "KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka1:9092",
        "danielqsj/kafka-exporter": "KAFKA_SERVER: kafka1:9092",
        "confluentinc/cp-kafka-rest:7.9.0": "KAFKA_REST_BOOTSTRAP_SERVERS: kafka1:9092",
        "confluentinc/cp-kafka:7.9.0": "KAFKA_BROKER_ID: ignored",
        "apache/kafka:4.1.0": "KAFKA_OPTS: -Xmx1g",
    }
    for image, variable in others.items():
        text = COMPOSE + f"  other:\n    image: {image}\n    environment:\n      {variable}\n"
        cluster, _ = of(tmp_path, compose__yml=text)
        assert len(cluster.brokers) == len(of(tmp_path, compose__yml=COMPOSE)[0].brokers), image


@pytest.mark.parametrize(
    "environment", ["KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://k:9092", "KAFKA_CFG_NODE_ID: 3", "KAFKA_LOG_DIRS: /data"]
)
def test_a_compose_service_with_a_brokers_settings_is_one_whatever_its_image(tmp_path: Path, environment: str) -> None:
    text = COMPOSE + f"  k9:\n    image: registry.example:5000/ours@sha256:0\n    environment:\n      {environment}\n"
    cluster, _ = of(tmp_path, compose__yml=text)
    assert len(cluster.brokers) == len(of(tmp_path, compose__yml=COMPOSE)[0].brokers) + 1


@pytest.mark.parametrize(
    ("name", "raw", "reason"),
    [
        (
            "reassign.json",
            b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1]}]}',
            "it is a plan of kafka-reassign-partitions.sh, and whether that has been carried out is not in it",
        ),
        (
            "broker.properties",
            "node.id=1\nmin.insync.replicas=1\ndefault.replication.factor=1\n".encode("cp500"),
            "it is in an encoding that is not known, such as EBCDIC",
        ),
        (
            "topics.txt",
            "Topic: t PartitionCount: 1".encode("cp037"),
            "it is in an encoding that is not known, such as EBCDIC",
        ),
    ],
)
def test_what_is_no_statement_of_what_runs_is_named(tmp_path: Path, name: str, raw: bytes, reason: str) -> None:
    (tmp_path / "server.properties").write_text("broker.id=1\nzookeeper.connect=z\n")
    (tmp_path / name).write_bytes(raw)
    _, findings = read_cluster([tmp_path])
    found = [finding.what for finding in findings if finding.kind == "incomplete"]
    assert found == [f"{tmp_path / name} was not read: {reason}"]


def test_a_large_text_of_no_form_is_looked_at_once(tmp_path: Path) -> None:
    """A pattern that looks ahead from each place took minutes for what an office program had saved."""
    (tmp_path / "server.properties").write_text("broker.id=1\nzookeeper.connect=z\n")
    (tmp_path / "drawing.graffle").write_text('{"topic": [{"partitions": 1, ' * 60_000)
    assert len(read_cluster([tmp_path])[0].brokers) == 1
