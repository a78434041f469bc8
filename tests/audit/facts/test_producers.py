"""What a signature rests on of a producer: acks, idempotence, requests in flight, and who writes a topic."""

from __future__ import annotations

import pytest
from tidegate.audit.questions.subjects import cluster_subjects

from ...support.facts import ORDERS, USES, cluster_of, nodes, signatures, signatures_of_settings, subject_of


@pytest.mark.parametrize(
    ("settings", "idempotent"),
    [
        ("", True),
        ("acks=all\n", True),
        ("max.in.flight.requests.per.connection=6\n", False),
        ("retries=0\n", False),
        ("acks=1\n", False),
        ("acks=0\n", False),
        ("enable.idempotence=false\n", False),
        ("transactional.id=t\n", True),
    ],
)
def test_idempotence_that_is_silently_off_is_off(settings: str, idempotent: bool) -> None:
    """ProducerConfig.postProcessAndValidateIdempotenceConfigs."""
    assert {signature.idempotent for signature in signatures_of_settings(settings)} == {idempotent}


def test_an_idempotent_producer_of_before_3_0_waits_for_all() -> None:
    """ProducerConfig.maybeOverrideAcksAndRetries of 2.8."""
    assert {signature.acks for signature in signatures_of_settings("enable.idempotence=true\n", "java:2.8")} == {"all"}
    assert {signature.acks for signature in signatures_of_settings("", "java:2.8")} == {"leader"}


def test_whether_a_producer_that_is_not_stated_is_idempotent_is_not_stated() -> None:
    found = signatures(cluster_of({"topics.txt": ORDERS}, "3.9.0"), "orders")
    assert {(signature.acks, signature.idempotent) for signature in found} >= {
        ("all", True),
        ("all", False),
        ("leader", False),
    }
    assert ("leader", True) not in {(signature.acks, signature.idempotent) for signature in found}


def test_the_one_producers_file_is_taken_and_it_is_said() -> None:
    texts = {"topics.txt": ORDERS, "p.properties": "key.serializer=x\nacks=1\n"}
    found = subject_of(cluster_of(texts, "3.9.0", clients=("java:3.9",)), "orders")
    assert {variant.signature.acks for variant in found.variants} == {"leader"}
    (used,) = [use for use in found.used_settings if use.key == "producer"]
    assert used.value == "p.properties" and "assumed" in used.source
    two = cluster_of(texts | {"q.properties": "key.serializer=x\nacks=all\n"}, "3.9.0")
    assert {signature.acks for signature in signatures(two, "orders")} == {"all", "leader"}


@pytest.mark.parametrize(("acks", "model"), [("all", "all"), ("1", "leader"), ("0", "none")])
def test_acks_as_an_option_answers_for_all_that_audit_toml_does_not_name(acks: str, model: str) -> None:
    texts = {"topics.txt": ORDERS, "p.properties": "key.serializer=x\nacks=1\n"}
    assert {signature.acks for signature in signatures(cluster_of(texts, "3.9.0", acks=acks), "orders")} == {model}
    named = cluster_of(texts | {"audit.toml": USES}, "3.9.0", acks=acks)
    assert {signature.acks for signature in signatures(named, "orders")} == {"leader"}


def test_a_writer_of_kafka_go_may_wait_for_nothing() -> None:
    """kafka.Writer has RequireNone, what NewWriter makes has RequireAll."""
    assert {signature.acks for signature in signatures_of_settings("", "kafka-go:0.4.47")} == {"none", "all"}
    assert {signature.idempotent for signature in signatures_of_settings("", "kafka-go:0.4.47")} == {False}


def test_a_named_producer_whose_file_is_missing_leaves_acks_open() -> None:
    topics = "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n"
    named = '[topic."orders"]\nproducer = ["p1.properties", "p2.properties"]\n'
    cluster = cluster_of({"topics.txt": topics, "p1.properties": "acks=all\n", "audit.toml": named})
    found = [subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders"]
    assert {subject.producer.name if subject.producer else None for subject in found} == {"p1.properties", None}
    unknown = next(subject for subject in found if subject.producer is None)
    assert {variant.signature.acks for variant in unknown.variants} == {"all", "leader"}


@pytest.mark.parametrize(("version", "acks"), [("3.9.0", "leader"), ("4.1.0", "all")])
def test_before_4_0_a_brokers_setting_says_what_a_commit_waits_for(version: str, acks: str) -> None:
    cluster = cluster_of(nodes("offsets.commit.required.acks=1\n"), version)
    assert {signature.acks for signature in signatures(cluster, "__consumer_offsets")} == {acks}
    assert {signature.acks for signature in signatures(cluster, "__transaction_state")} == {"all"}


def test_a_commit_with_acks_0_is_appended_by_the_leader_itself_and_other_numbers_are_refused() -> None:
    cluster = cluster_of(nodes("offsets.commit.required.acks=0\n"), "3.9.0")
    assert {signature.acks for signature in signatures(cluster, "__consumer_offsets")} == {"leader"}
    found = subject_of(cluster_of(nodes("offsets.commit.required.acks=2\n"), "3.9.0"), "__consumer_offsets")
    assert found.stops == ("writable", "groups") and "INVALID_REQUIRED_ACKS" in found.not_checked
    assert not subject_of(cluster_of(nodes("offsets.commit.required.acks=-1\n"), "3.9.0"), "__consumer_offsets").stops
