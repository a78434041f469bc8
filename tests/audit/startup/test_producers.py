"""A producer that does not start writes nothing: one answer, whichever setting it refuses."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import AuditOutcome, AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

TOPIC = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)


def not_checked(producer: str, client: str) -> tuple[str, tuple[str, ...]]:
    texts = [("t.txt", TOPIC, True), ("producer.properties", producer, True)]
    cluster, _ = read_cluster_texts(
        texts, Options(kafka_version="3.9.0", distribution="apache", clients=(client,)), "x"
    )
    (orders,) = cluster_subjects(cluster)
    return orders.not_checked, orders.stops


def audit_producer(producer: str) -> AuditOutcome:
    texts = [("t.txt", TOPIC, True), ("producer.properties", producer, True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    return audit(*read_cluster_texts(texts, options, "x"), AuditRequest())


@pytest.mark.parametrize(
    ("producer", "client"),
    [
        ("enable.idempotence=true\nmax.in.flight.requests.per.connection=6\n", "java:3.9"),
        ("enable.idempotence=true\nmax.in.flight.requests.per.connection=5\nacks=all\n", "java:0.11.0.2"),
        ("enable.idempotence=true\nacks=1\n", "java:2.8"),
        ("enable.idempotence=true\nretries=0\n", "librdkafka:2.3"),
        ("transactional.id=t\nacks=1\n", "java:3.9"),
        ("acks=all\ntransactional.id=\n", "java:3.9"),
        ("transactional.id=t\nenable.idempotence=false\n", "java:3.9"),
        ("acks=all\nmax.in.flight.requests.per.connection=6\n", "java:4.0"),
        ("acks=ALL\n", "java:3.9"),
        ("transactional.id=t\ntransaction.timeout.ms=0\n", "java:3.9"),  # refused by InitProducerId
        ("acks=\n", "java:3.9"),
        ("acks=2\n", "java:3.9"),
        ("acks=all\nretries=-1\n", "java:3.9"),
        ("acks=all\nretries=99999999999\n", "java:3.9"),
        ("acks=all\nenable.idempotence=yes\n", "java:3.9"),
        ("acks=all\nenable.idempotence=\n", "java:3.9"),
        ("acks=all\ndelivery.timeout.ms=1000\nlinger.ms=5\nrequest.timeout.ms=30000\n", "java:3.9"),
        ("message.timeout.ms=3\nlinger.ms=5\nacks=all\n", "librdkafka:2.3.0"),
        ("message.timeout.ms=3\nlinger.ms=5\nacks=all\n", "librdkafka:1.4.4"),
        ("message.timeout.ms=0\nacks=all\n", "librdkafka:1.1.0"),
        ("transactional.id=t\nmessage.timeout.ms=70000\n", "librdkafka:2.3.0"),
        ("enable.idempotence=T\nacks=1\n", "librdkafka:2.3.0"),
        ("message.timeout.ms=3\nlinger.ms=3.5\nacks=all\n", "librdkafka:2.3.0"),
        ("enable.idempotence=true\nacks=1\n", "kafka-python:3.0.12"),
        ("enable.idempotence=true\nacks=all\nmax.in.flight.requests.per.connection=5\n", "kafka-python:2.3.0"),
        ("delivery.timeout.ms=10000\nlinger.ms=5\nrequest.timeout.ms=30000\nacks=all\n", "kafka-python:3.0.12"),
        ("enable.idempotence=true\nacks=all\n", "sarama:1.40.0"),  # five requests in flight by default
        ("enable.idempotence=true\nmax.in.flight.requests.per.connection=1\n", "sarama:1.40.0"),  # acks=1 by default
        ("transactional.id=t\nacks=all\n", "sarama:1.40.0"),
        ("Producer.Idempotent=true\nProducer.RequiredAcks=WaitForAll\nNet.MaxOpenRequests=5\n", "sarama:1.43.0"),
        ("acks=1\n", "franz-go:1.15.0"),
        ("acks=all\nmax.in.flight.requests.per.connection=5\n", "franz-go:1.15.0"),
        ("acks=all\ntransactional.id=t\nenable.idempotence=false\n", "franz-go:1.15.0"),
    ],
)
def test_a_producer_that_does_not_start_has_one_answer(producer: str, client: str) -> None:
    why, stops = not_checked(producer, client)
    assert why.startswith("producer.properties writes nothing: `") or ".timeout.ms" in why
    assert why.endswith("does not start") and stops == ("writable",)


@pytest.mark.parametrize(
    ("producer", "client"),
    [
        ("acks=all\nmax.in.flight.requests.per.connection=6\n", "java:3.9"),  # idempotence is switched off
        ("enable.idempotence=true\nmax.in.flight.requests.per.connection=5\nacks=all\n", "java:1.0.0"),
        ("acks=1\n", "java:3.9"),
        ("acks=all\ntransaction.timeout.ms=-1\n", "java:3.9"),  # nobody asks for transactions
        ("enable.idempotence=true\nacks=-1\n", "java:3.9"),
        ("enable.idempotence=TRUE\nmax.in.flight.requests.per.connection=5\n", "java:3.9"),
        ("transactional.id=t\n", "java:3.9"),
        ("acks=all\nretries=${RETRIES}\n", "java:3.9"),
        ("message.timeout.ms=10000\nrequest.timeout.ms=30000\nacks=all\n", "librdkafka:2.3.0"),
        ("message.timeout.ms=0\nlinger.ms=5\nacks=all\n", "librdkafka:2.3.0"),
        ("message.timeout.ms=3\nacks=all\n", "librdkafka:2.3.0"),  # linger.ms is lowered
        ("message.timeout.ms=3\nlinger.ms=5\nacks=all\n", "librdkafka:1.5.3"),  # and there one that is set, too
        ("message.timeout.ms=0\nacks=all\n", "librdkafka:1.2.0"),
        ("enable.idempotence=1\ntransactional.id=t\nacks=All\n", "librdkafka:2.3.0"),
        ("linger.ms=0.5\nacks=all\n", "librdkafka:2.3.0"),
        ("message.timeout.ms=1\nlinger.ms=0.5\nacks=all\n", "librdkafka:2.3.0"),
        ("acks=all\ndelivery.timeout.ms=1000\n", "java:2.0"),  # it has no such key
        ("acks=all\ndelivery.timeout.ms=2147483647\nlinger.ms=5\nrequest.timeout.ms=2147483647\n", "java:3.9"),
        ("acks=1\n", "kafka-python:3.0.12"),
        ("acks=all\nenable.idempotence=true\nmax.in.flight.requests.per.connection=1\n", "sarama:1.40.0"),
        ("Producer.Idempotent=true\nProducer.RequiredAcks=WaitForAll\nNet.MaxOpenRequests=1\n", "sarama:1.43.0"),
        ("acks=1\nenable.idempotence=false\nmax.in.flight.requests.per.connection=5\n", "franz-go:1.15.0"),
    ],
)
def test_a_producer_that_starts_is_asked_about(producer: str, client: str) -> None:
    assert not_checked(producer, client) == ("", ())


@pytest.mark.parametrize(
    "producer", ["acks=ALL\n", "enable.idempotence=true\nmax.in.flight.requests.per.connection=6\n"]
)
def test_it_fails_what_is_required_of_writes(producer: str) -> None:
    found = audit_producer(producer)
    (subject,) = found.document["subjects"]
    assert found.exit == 1 and "writable=leader-move@all" in subject["failed"]
    assert subject["headline"].startswith("producer.properties writes nothing")


@pytest.mark.parametrize("line", ["acks=1", "retries=0", "max.in.flight.requests.per.connection=6"])
def test_idempotence_that_is_switched_off_is_nothing_that_an_answer_rests_on(line: str) -> None:
    texts = [("t.txt", TOPIC, True), ("producer.properties", f"{line}\nlinger.ms=5\n", True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    (orders,) = cluster_subjects(read_cluster_texts(texts, options, "x")[0])
    (used,) = (use for use in orders.used_settings if use.key == "enable.idempotence")
    assert (used.value, used.source) == ("false", f"{line} switches it off")


@pytest.mark.parametrize(
    ("client", "value", "wrong"),
    [
        ("librdkafka:2.3.0", "0.5", 0),
        ("librdkafka:2.3.0", "-1.5", 1),
        ("librdkafka:2.3.0", "0.x", 1),
        ("librdkafka:2.3.0", ".", 1),
        ("java:3.9", "0.5", 1),
    ],
)
def test_linger_may_have_a_fraction_for_librdkafka_alone(client: str, value: str, wrong: int) -> None:
    texts = [("t.txt", TOPIC, True), ("producer.properties", f"acks=all\nlinger.ms={value}\n", True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=(client,))
    found = [finding for finding in read_cluster_texts(texts, options, "x")[1] if finding.kind == "wrong_value"]
    assert len(found) == wrong


def test_acks_without_a_value_is_a_finding_at_its_line() -> None:
    texts = [("t.txt", TOPIC, True), ("producer.properties", "linger.ms=1\nacks=\n", True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    found = [finding for finding in read_cluster_texts(texts, options, "x")[1] if finding.kind == "wrong_value"]
    assert [(finding.what, str(finding.where)) for finding in found] == [
        ("`acks=` has no value", "producer.properties:2")
    ]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("2\u00a0", "is not a whole number: it has no-break space (U+00A0)"),
        ("\u200b2", "is not a whole number: it has zero width space (U+200B)"),
        ("two", "is not a whole number"),
    ],
)
def test_what_nobody_sees_in_a_value_is_named(value: str, says: str) -> None:
    broker = f"process.roles=broker\nnode.id=1\nlog.dirs=d\nmin.insync.replicas={value}\n"
    _, findings = read_cluster_texts([("b.properties", broker, True)], Options(kafka_version="3.9.0"), "x")
    assert [finding.what for finding in findings if finding.kind == "wrong_value"] == [
        f"`min.insync.replicas={value}` {says}"
    ]


@pytest.mark.parametrize(
    ("ids", "milliseconds", "most", "starts"),
    [
        ("transactional.id=t\n", "1000000", ("",), False),
        ("transactional.id=t\n", "60000", ("", "transaction.max.timeout.ms=50000\n"), True),  # one of them takes it
        ("transactional.id=t\n", "60000", ("transaction.max.timeout.ms=50000\n",), False),
        ("", "1000000", ("",), True),
    ],
)
def test_a_transaction_longer_than_the_brokers_allow_never_starts(
    ids: str, milliseconds: str, most: tuple[str, ...], starts: bool
) -> None:
    producer = f"acks=all\n{ids}transaction.timeout.ms={milliseconds}\n"
    brokers = [(f"b{i}.properties", f"broker.id={i}\nzookeeper.connect=z\n{text}", True) for i, text in enumerate(most)]
    texts = [("t.txt", TOPIC, True), ("producer.properties", producer, True), *brokers]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    orders = next(
        s for s in cluster_subjects(read_cluster_texts(texts, options, "x")[0]) if s.topics[0].name == "orders"
    )
    assert ("the producer does not start" in orders.not_checked) is not starts


@pytest.mark.parametrize(
    ("producer", "client", "said"),
    [
        ("linger.ms=400000\nacks=all\n", "librdkafka", True),
        ("linger.ms=300000\nacks=all\n", "librdkafka", True),
        ("linger.ms=299999.5\nacks=all\n", "librdkafka", False),
        ("linger.ms=400000\nmessage.timeout.ms=500000\nacks=all\n", "librdkafka", False),
        ("linger.ms=400000\nacks=all\n", "librdkafka:1.6.0", False),
        ("linger.ms=400000\nacks=all\n", "java", False),
    ],
)
def test_a_librdkafka_of_no_stated_version_that_lingers_longer_than_its_records_live(
    producer: str, client: str, said: bool
) -> None:
    files = [("producer.properties", f"bootstrap.servers=a:1\n{producer}", True)]
    _, findings = read_cluster_texts(files, Options("3.9.0", distribution="apache", clients=(client,)), "x")
    assert (
        any("=300000 is not above linger.ms=" in found.what for found in findings if found.kind == "incomplete") == said
    )
