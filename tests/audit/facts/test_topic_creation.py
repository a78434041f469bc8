"""Who makes a topic decides how many replicas it has: where brokers differ, or were few, the number is open."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tidegate.audit.answers.requirements import Requirement
from tidegate.audit.answers.scenario import broker_names_after_steps, broker_names_of_subject, step_sentences
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.exploring.case_results import ScenarioStep
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.internal_topics import OFFSETS, REMOTE, TRANSACTIONS
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.rules.advice import creators_that_differ, lag_time_below_fetch_wait

BROKER = "broker.id={}\nzookeeper.connect=z1,z2,z3\nlog.dirs=/data\nmin.insync.replicas=2\n"
DESCRIBED = (
    "Topic: {0}\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
    "\tTopic: {0}\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
)


def cluster_of(key: str, *values: int | None, version: str | None = "2.8.2", **more: str) -> Cluster:
    """Brokers whose files have these values of a setting; of None, no value."""
    lines = ["" if value is None else f"{key}={value}\n" for value in values]
    files = [(f"server-{at}.properties", BROKER.format(at) + line, True) for at, line in enumerate(lines, 1)]
    files += [(name.replace("__", "."), text, True) for name, text in more.items()]
    return read_cluster_texts(files, Options(kafka_version=version, distribution="apache", acks="all"), "x")[0]


def subject_of(cluster: Cluster, name: str) -> Subject:
    return next(subject for subject in cluster_subjects(cluster) if name in [topic.name for topic in subject.topics])


def replicas_of(cluster: Cluster, name: str) -> list[int]:
    return sorted({variant.signature.replicas for variant in subject_of(cluster, name).variants})


FACTORS: Mapping[str, str] = {
    OFFSETS: "offsets.topic.replication.factor",
    TRANSACTIONS: "transaction.state.log.replication.factor",
    "(new topics)": "default.replication.factor",
}


@pytest.mark.parametrize("name", FACTORS)
@pytest.mark.parametrize("values", [(3, 1, 3), (1, 3, 3), (3, 3, 1), (3, 1, 1)])
def test_brokers_that_differ_leave_the_replicas_open(name: str, values: tuple[int, ...]) -> None:
    """Whichever broker is asked first creates it as its own file says; the order of the files changes nothing."""
    cluster = cluster_of(FACTORS[name], *values)
    assert replicas_of(cluster, name) == [1, 3]
    assert "--describe" in subject_of(cluster, name).asks["replication factor"]
    (finding,) = creators_that_differ(cluster)
    assert (finding.kind, finding.severity) == ("contradiction", "error")
    assert FACTORS[name] in finding.what and f"broker 1 has {values[0]}, broker 2 has {values[1]}" in finding.what


def test_a_default_may_differ_from_what_another_broker_states() -> None:
    assert replicas_of(cluster_of(FACTORS["(new topics)"], 3, None, 3), "(new topics)") == [1, 3]  # the default is 1
    assert replicas_of(cluster_of(FACTORS[OFFSETS], 3, None, 3), OFFSETS) == [3]  # the default is 3


def test_brokers_that_agree_leave_nothing_open() -> None:
    cluster = cluster_of(FACTORS[OFFSETS], 3, 3, 3)
    assert replicas_of(cluster, OFFSETS) == [3] and not list(creators_that_differ(cluster))
    assert "replication factor" not in subject_of(cluster, OFFSETS).asks


def test_a_description_decides_it() -> None:
    cluster = cluster_of(FACTORS[OFFSETS], 3, 1, 3, topics__txt=DESCRIBED.format(OFFSETS))
    assert replicas_of(cluster, OFFSETS) == [1]
    assert "it has been made by one of them" in next(creators_that_differ(cluster)).what


def test_a_topic_that_one_of_the_brokers_cannot_create() -> None:
    """Two brokers of which one asks for three replicas: where it is asked, there is no topic."""
    found = subject_of(cluster_of(FACTORS[OFFSETS], 1, 3), OFFSETS)
    assert found.stops == ("writable", "readable") and "3 replicas are asked for" in found.not_checked


KRAFT = "process.roles={}\nnode.id={}\nlog.dirs=/data\nmin.insync.replicas=2\ncontroller.quorum.voters=4@c:9093\n"
LISTENS = "controller.listener.names=C\nlisteners=C://:9093\n"
RESOURCE = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: orders, labels: {strimzi.io/cluster: c}}
spec: {partitions: 1}
"""
"""A topic that is created without a number of replicas."""


def kraft_cluster(brokers: str, controller: str | None, **more: str) -> Cluster:
    """Three brokers and a controller, each with these lines; None where its file is not given."""
    files = [(f"broker-{at}.properties", KRAFT.format("broker", at) + brokers, True) for at in (1, 2, 3)]
    if controller is not None:
        files.append(("controller.properties", KRAFT.format("controller", 4) + LISTENS + controller, True))
    files += [(name.replace("__", "."), text, True) for name, text in more.items()]
    return read_cluster_texts(files, Options(kafka_version="4.1.0", distribution="apache", acks="all"), "x")[0]


THREE, NO_AUTO = "default.replication.factor=3\n", "auto.create.topics.enable=false\n"


@pytest.mark.parametrize(
    ("brokers", "controller", "created", "new"),
    [
        (THREE, "", [1], [1, 3]),  # only brokers that make it on first use have it made with three
        (THREE + NO_AUTO, "", [1], [1]),
        ("", THREE, [3], [1, 3]),
        (NO_AUTO, THREE, [3], [3]),
        (THREE, THREE, [3], [3]),
        (THREE, None, [1, 3], [3]),  # what the controllers have is open
        ("", None, [1], [1]),
    ],
)
def test_in_kraft_the_controllers_decide_where_nobody_says_how_many(
    brokers: str, controller: str | None, created: list[int], new: list[int]
) -> None:
    assert replicas_of(kraft_cluster(brokers, controller, topic__yaml=RESOURCE), "orders") == created
    cluster = kraft_cluster(brokers, controller)
    assert replicas_of(cluster, "(new topics)") == new
    found = [finding.what for finding in creators_that_differ(cluster)]
    assert len(found) == (len(new) > 1) and all("controller 4 has" in what and "(-1)" in what for what in found)


def test_controllers_whose_files_were_not_given_are_asked_for() -> None:
    cluster = kraft_cluster(THREE, None, topic__yaml=RESOURCE)
    assert subject_of(cluster, "orders").asks["replication factor"] == "server.properties of the controllers"


def test_with_zookeeper_the_controller_is_one_of_the_brokers() -> None:
    cluster = cluster_of(FACTORS["(new topics)"], 3, 1, 3, topic__yaml=RESOURCE)
    assert replicas_of(cluster, "orders") == [1, 3]


def test_the_least_isr_of_transactions_is_its_makers() -> None:
    cluster = cluster_of("transaction.state.log.min.isr", 2, 1, 2)
    found = subject_of(cluster, TRANSACTIONS)
    assert {variant.signature.min_isr for variant in found.variants} == {1, 2}
    assert "transaction.state.log.min.isr is not the same" in next(creators_that_differ(cluster)).what


@pytest.mark.parametrize(
    ("version", "line", "least"),
    [("4.2.0", "", 1), ("4.3.0", "", 2), ("4.3.0", "rlmm.config.remote.log.metadata.topic.min.isr=1\n", 1)],
)
def test_the_metadata_of_tiered_storage_is_created_with_two_since_4_3(version: str, line: str, least: int) -> None:
    """KIP-1235: before, it has the brokers' min.insync.replicas, and nothing reads the setting."""
    node = (
        "process.roles=broker,controller\nnode.id={0}\ncontroller.quorum.voters=1@a:9093,2@b:9093,3@c:9093\n"
        "log.dirs=/data\nremote.log.storage.system.enable=true\nmin.insync.replicas=1\n"
        "controller.listener.names=C\nlisteners=C://:9093,PLAINTEXT://:9092\n"
        "listener.security.protocol.map=C:PLAINTEXT,PLAINTEXT:PLAINTEXT\n"
    )
    files = [(f"s{number}.properties", node.format(number) + line, True) for number in (1, 2, 3)]
    levels = Options(
        kafka_version=version, distribution="apache", acks="all", features=("eligible.leader.replicas.version=0",)
    )
    cluster = read_cluster_texts(files, levels, "x")[0]
    assert {variant.signature.min_isr for variant in subject_of(cluster, REMOTE).variants} == {least}


@pytest.mark.parametrize("version", ["0.9.0.1", "0.10.2.1"])
def test_before_kip_115_the_offsets_topic_has_as_many_as_were_alive(version: str) -> None:
    cluster = cluster_of(FACTORS[OFFSETS], 3, 3, 3, version=version)
    assert replicas_of(cluster, OFFSETS) == [1, 2, 3]
    assert replicas_of(cluster_of(FACTORS[OFFSETS], 3, 3, version=version), OFFSETS) == [1, 2]
    found = subject_of(cluster, OFFSETS)
    assert found.asks["replication factor"] == f"kafka-topics.sh --describe --topic {OFFSETS}"
    assert any(used.value == "1 to 3" and "KIP-115" in used.source for used in found.used_settings)


def test_an_open_version_has_that_in_its_oldest_part_alone() -> None:
    found = subject_of(cluster_of(FACTORS[OFFSETS], 3, 3, 3, version=None), OFFSETS)
    few = {dict(variant.supposed_facts)["version"] for variant in found.variants if variant.signature.replicas < 3}
    assert few and all("of its brokers alive" in version for version in few)
    assert {variant.signature.replicas for variant in found.variants} == {1, 2, 3}


def test_there_are_no_transactions_before_0_11() -> None:
    names = [
        topic.name
        for subject in cluster_subjects(cluster_of("x", None, version="0.10.2.1"))
        for topic in subject.topics
    ]
    assert TRANSACTIONS not in names and OFFSETS in names


@pytest.mark.parametrize(
    ("question", "name", "is_about"),
    [
        ("groups", OFFSETS, True),
        ("groups", TRANSACTIONS, False),
        ("groups", "(new topics)", True),
        ("no-skips", OFFSETS, False),
        ("no-skips", TRANSACTIONS, False),
        ("no-skips", "(new topics)", True),
        ("writable", TRANSACTIONS, True),
    ],
)
def test_what_is_asked_of_consumers_is_asked_of_what_they_read(question: str, name: str, is_about: bool) -> None:
    subject = subject_of(cluster_of(FACTORS[OFFSETS], 3, 3, 3), name)
    assert Requirement(question, "crash@all").is_about(subject) is is_about


@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_wait_that_makes_the_isr_flap_is_found_in_any_file(first: int) -> None:
    values: list[int | None] = [None, None, None]
    values[first] = 30_000
    (finding,) = lag_time_below_fetch_wait(cluster_of("replica.fetch.wait.max.ms", *values))
    assert finding.where.path == f"server-{first + 1}.properties"


@pytest.mark.long
def test_groups_that_stop_are_a_requirement_that_fails_with_the_run_of_the_offsets_topic() -> None:
    """It has no variants of its own: what is shown of the offsets topic is its run, of others what it rests on."""
    lines = BROKER.replace("min.insync.replicas=2", "min.insync.replicas=1") + f"{FACTORS[OFFSETS]}=1\n"
    files = [(f"server-{at}.properties", lines.format(at), True) for at in (1, 2, 3)]
    cluster = read_cluster_texts(files, Options(kafka_version="2.8.2", distribution="apache", acks="all"), "x")[0]
    asked = AuditRequest(requirements=(Requirement("groups", "crash@all"),), seconds=60, workers=1, repairs=False)
    checks = {report.verdict.subject.topics[0].name: report.checks for report in audit(cluster, (), asked).reports}
    (own,), (others,) = (checks[name] for name in (OFFSETS, "(new topics)"))
    assert own.result == others.result == "failed" and own.answer is not None and others.answer is not None
    assert own.answer.steps and own.answer.property == "writes_resume" and not others.answer.steps
    assert own.answer.why == others.answer.why and OFFSETS in others.answer.why


CONNECT = "group.id=c\nkey.converter=x\nvalue.converter=y\nconfig.storage.topic={}\n"


@pytest.mark.parametrize(
    ("name", "legal"),
    [("connect-configs", True), ("my topic", False), ("..", False), ("a" * 250, False), ("${ENV}-configs", True)],
)
def test_a_name_that_kafka_does_not_take_is_no_topic(name: str, legal: bool) -> None:
    """Topic.validate: no such topic is created, with however many brokers; of a variable nobody knows."""
    cluster = cluster_of(FACTORS["(new topics)"], 3, 3, 3, worker__properties=CONNECT.format(name))
    subject = subject_of(cluster, name)
    assert ("is not a legal name of a topic" in subject.not_checked) == (not legal)
    assert subject.stops == (() if legal else ("writable", "readable"))
    assert not subject_of(cluster, "(new topics)").not_checked


SERVICE = (
    "  {name}: {{image: 'apache/kafka:3.9.0', environment: {{KAFKA_NODE_ID: {id}, "
    "KAFKA_PROCESS_ROLES: broker{more}}}}}\n"
)


def test_brokers_have_their_own_names_where_each_has_a_replica() -> None:
    """Of a topic that is not described: services of a compose file by these, others by their ids."""
    three = cluster_of(FACTORS["(new topics)"], 3, 3, 3)
    assert subject_of(three, "(new topics)").hosts == ("broker 1", "broker 2", "broker 3")
    fewer = subject_of(cluster_of(FACTORS["(new topics)"], 2, 2, 2), "(new topics)")
    assert fewer.hosts == ("broker 1", "broker 2"), "any two of them may have a replica"
    more = ", KAFKA_CONTROLLER_QUORUM_VOTERS: '9@c:9093', KAFKA_DEFAULT_REPLICATION_FACTOR: 2"
    services = "services:\n" + "".join(
        SERVICE.format(name=name, id=at, more=more) for at, name in ((1, "red"), (2, "blue"))
    )
    options = Options(kafka_version="3.9.0", distribution="apache", acks="all")
    cluster, _ = read_cluster_texts([("compose.yaml", services, True)], options, "x")
    subject = subject_of(cluster, "(new topics)")
    assert subject.hosts == ("broker red", "broker blue")
    steps = [ScenarioStep("produce(leader=B)", "⟨B⟩ appends record 0, and ⟨A⟩ fetches it", fault=False)]
    assert step_sentences(steps, broker_names_of_subject(subject, steps)) == [
        "Broker red appends record 0, and broker blue fetches it"
    ]
    assert broker_names_after_steps(subject, steps, 3)["C"] == "added broker"
