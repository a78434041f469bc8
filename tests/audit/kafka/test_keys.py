"""The table of settings, and what it answers: precedence, defaults by version and owner, and unknown that stays so.

Also of: `key_names`, `versions`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidegate.audit.cluster.cluster import Broker, Client, Cluster, Partition, Topic, Versions
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import HIDDEN, Default, Origin, Setting, SettingValue, StatedValue, Unknown
from tidegate.audit.kafka.key_names import GUARANTEE, REPLICAS, names_by_scope
from tidegate.audit.kafka.keys import (
    PLAIN,
    UndeclaredKeyError,
    declared_key,
    is_value_kept,
    other_settings,
    settings_by_any_name,
    settings_by_name,
    settings_table,
    settings_uncertain_by_distribution,
    why_illegal,
)
from tidegate.audit.kafka.versions import is_at_least, releases_meant

from ...conftest import ROOT

AUDIT = ROOT / "audit"
HERE = Origin("server.properties", 3)
IN_FLIGHT = "max.in.flight.requests.per.connection"


def setting(key: str, value: str) -> Setting:
    return Setting(key, value, HERE)


def versions(kafka: str | None = None, distribution: str | None = "apache") -> Versions:
    return Versions(
        kafka=StatedValue(kafka, HERE) if kafka else None,
        distribution=StatedValue(distribution, HERE) if distribution else None,
    )


def broker(number: int, *settings: Setting, dynamic: tuple[Setting, ...] = ()) -> Broker:
    return Broker(number, HERE, settings=(setting("broker.id", str(number)), *settings), dynamic=dynamic)


def topic(*settings: Setting, replicas: tuple[int, ...] = (1, 2, 3), complete: bool = False) -> Topic:
    partition = Partition(0, replicas[0], replicas, replicas, HERE)
    return Topic("orders", HERE, (partition,), 1, len(replicas), settings, complete)


def producer(family: str | None, version: str | None, *settings: Setting) -> Client:
    return Client(
        "pay",
        "producer",
        HERE,
        StatedValue(family, HERE) if family else None,
        StatedValue(version, HERE) if version else None,
        settings,
    )


def value_text(answer: SettingValue) -> str | None:
    return None if isinstance(answer, Unknown) else answer.value


def test_every_row_of_the_table_is_whole_and_legal() -> None:
    clients = {"java", "librdkafka", "sarama", "kafka-go", "franz-go", "kafka-python", "kafkajs"}
    owners = {"apache", "msk", "confluent-cloud", *clients}
    for key in settings_table().values():
        assert len(key.broker_names) == len(key.factors)
        for row in key.defaults:
            assert row.of in owners and row.source
            assert not row.value or not why_illegal(key, row.value, row.of), (key.name, row)
            assert not (row.since and row.until) or releases_meant(row.since)[0] < releases_meant(row.until)[0]
    assert all(name in settings_table() for names in settings_uncertain_by_distribution().values() for name in names)


def test_rows_of_one_owner_never_overlap() -> None:
    """But for parts of it that differ."""
    for key in settings_table().values():
        for row in key.defaults:
            part = (row.of, row.where, row.idempotent)
            same = [other for other in key.defaults if (other.of, other.where, other.idempotent) == part]
            later = [other for other in same if other.since > row.since]
            assert row.where or not any(default.where for default in key.defaults if default.of == row.of), key.name
            assert all(
                row.until and releases_meant(row.until)[0] <= releases_meant(other.since)[0] for other in later
            ), key.name


def test_a_topic_is_stronger_than_dynamic_than_cluster_wide_than_the_file() -> None:
    name = "min.insync.replicas"
    file, own = setting(name, "1"), setting(name, "2")
    wide = setting(name, "3")
    static = Cluster(brokers=tuple(broker(i, file) for i in (1, 2, 3)), versions=versions("3.9"))
    assert value_text(setting_value(static, topic(), declared_key(name))) == "1"
    cluster = Cluster(brokers=static.brokers, dynamic=(wide,), versions=versions("3.9"))
    assert value_text(setting_value(cluster, topic(), declared_key(name))) == "3"
    dynamic = Cluster(brokers=tuple(broker(i, file, dynamic=(own,)) for i in (1, 2, 3)), dynamic=(wide,))
    assert value_text(setting_value(dynamic, topic(), declared_key(name))) == "2"
    assert value_text(setting_value(dynamic, topic(setting(name, "4")), declared_key(name))) == "4"


def test_brokers_that_differ_are_no_answer() -> None:
    cluster = Cluster(brokers=(broker(1, setting("min.insync.replicas", "2")), broker(2)), versions=versions("3.9"))
    answer = setting_value(cluster, topic(replicas=(1, 2)), declared_key("min.insync.replicas"))
    assert isinstance(answer, Unknown)
    assert "broker 1: 2; broker 2: 1" in answer.why


def test_one_file_for_three_brokers_is_an_assumption_that_is_reported() -> None:
    cluster = Cluster(brokers=(broker(1, setting("min.insync.replicas", "2")),), versions=versions("3.9"))
    answer = setting_value(cluster, topic(), declared_key("min.insync.replicas"))
    assert isinstance(answer, StatedValue)
    assert answer.assumption == "brokers 2, 3, whose files were not given, are like broker 1"


@pytest.mark.parametrize(
    ("kafka", "distribution", "expected"),
    [
        ("0.10.2.1", "apache", "true"),
        ("0.11.0.0", "apache", "false"),
        ("3.9", "strimzi", "false"),
        (None, "apache", None),
        ("3.9", None, None),
        ("3.9", "msk", None),
    ],
)
def test_defaults_are_of_a_version_and_of_an_owner(
    kafka: str | None, distribution: str | None, expected: str | None
) -> None:
    cluster = Cluster(brokers=(broker(1),), versions=versions(kafka, distribution))
    assert (
        value_text(setting_value(cluster, topic(replicas=(1,)), declared_key("unclean.leader.election.enable")))
        == expected
    )


def test_a_default_that_never_changed_needs_no_version() -> None:
    cluster = Cluster(brokers=(broker(1),), versions=versions())
    answer = setting_value(cluster, topic(replicas=(1,)), declared_key("min.insync.replicas"))
    assert answer == Default("1", "TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG")


def test_without_any_brokers_file_nothing_is_known_unless_the_topic_is_complete() -> None:
    cluster = Cluster(versions=versions("3.9"))
    assert isinstance(setting_value(cluster, topic(), declared_key("min.insync.replicas")), Unknown)
    assert value_text(setting_value(cluster, topic(complete=True), declared_key("min.insync.replicas"))) == "1"


@pytest.mark.parametrize(
    ("family", "version", "key", "expected"),
    [
        ("java", "2.8.2", "acks", "1"),
        ("java", "3.0", "acks", "all"),
        ("java", "3.0", "enable.idempotence", None),  # 3.0.0 does not apply its own default, 3.0.1 does
        ("java", "3.0.0", "enable.idempotence", "false"),
        ("java", "3.0.1", "enable.idempotence", "true"),
        ("java", "3.1.0", "enable.idempotence", "false"),
        ("java", None, "acks", None),
        (None, None, "acks", None),
        ("librdkafka", "0.11.6", "acks", "1"),
        ("librdkafka", "2.3", "acks", "all"),
        ("librdkafka", "2.3", "isolation.level", "read_committed"),
        ("librdkafka", "1.5.0", "retries", "2"),
        ("librdkafka", "1.5.2", "retries", "2147483647"),
        ("librdkafka", "1.1.0", "linger.ms", "0"),
        ("librdkafka", "1.4.4", "linger.ms", "0.5"),
        ("librdkafka", "1.5.0", "linger.ms", "5"),
        ("librdkafka", "1.6.2", "session.timeout.ms", "10000"),
        ("librdkafka", "1.7.0", "session.timeout.ms", "45000"),
        ("sarama", "1.40", "acks", "1"),
        ("kafka-go", "0.4.47", "acks", None),
        ("kafka-go", "0.3", "acks", "all"),
        ("kafka-python", "2.0.2", "acks", "1"),
        ("kafka-python", "3.0.1", "acks", "all"),
        ("franz-go", "1.18.0", "acks", "all"),
        ("kafkajs", "2.2.4", "acks", "all"),
        ("kafkajs", "1.3", "acks", None),
        ("spring", "3.9", "acks", "all"),
        ("spring", "3.9", "enable.auto.commit", None),
    ],
)
def test_a_clients_default_is_its_familys(
    family: str | None, version: str | None, key: str, expected: str | None
) -> None:
    assert value_text(setting_value(Cluster(), producer(family, version), declared_key(key))) == expected


@pytest.mark.parametrize(
    ("family", "version", "own", "key", "expected"),
    [
        ("franz-go", "1.15.0", {}, IN_FLIGHT, "5"),
        ("franz-go", "1.15.0", {IN_FLIGHT: "1"}, IN_FLIGHT, "5"),  # without effect
        ("franz-go", "1.15.0", {"enable.idempotence": "false"}, IN_FLIGHT, "1"),
        ("franz-go", "1.15.0", {"enable.idempotence": "false", IN_FLIGHT: "3"}, IN_FLIGHT, "3"),
        ("java", "2.0", {"enable.idempotence": "true"}, "retries", "2147483647"),
        ("java", "2.0", {"transactional.id": "t"}, "retries", "2147483647"),
        ("java", "2.0", {}, "retries", "0"),
        ("java", "2.0", {"enable.idempotence": "true", "retries": "0"}, "retries", "0"),
        ("java", "0.11.0.0", {"enable.idempotence": "true"}, IN_FLIGHT, "1"),
        ("java", "0.11.0.0", {}, IN_FLIGHT, "5"),
        ("java", "1.0.0", {"enable.idempotence": "true"}, IN_FLIGHT, "5"),
        ("java", None, {}, IN_FLIGHT, None),
        ("java", "0.10.2", {"enable.idempotence": "true"}, "enable.idempotence", "false"),  # it has none yet
        ("java", "0.11.0.0", {"enable.idempotence": "true"}, "enable.idempotence", "true"),
        ("kafka-go", "0.4.47", {"enable.idempotence": "true"}, "enable.idempotence", "false"),
        ("kafka-python", "2.1.5", {"enable.idempotence": "true"}, "enable.idempotence", "false"),
        ("kafka-python", "2.2.0", {"enable.idempotence": "true"}, "enable.idempotence", "true"),
        ("librdkafka", "1.3.0", {"enable.idempotence": "true"}, "retries", "2147483647"),
        ("librdkafka", "1.3.0", {}, "retries", "2"),
        ("librdkafka", "2.3.0", {"enable.idempotence": "true"}, IN_FLIGHT, "5"),
        ("librdkafka", "2.3.0", {}, IN_FLIGHT, "1000000"),
        ("librdkafka", "2.3.0", {"enable.idempotence": "1"}, "enable.idempotence", "true"),
        ("librdkafka", "2.3.0", {"acks": "ALL"}, "acks", "all"),
        ("java", "3.9.0", {"acks": "ALL"}, "acks", None),  # which Java refuses
    ],
)
def test_a_default_may_turn_on_idempotence(
    family: str, version: str | None, own: dict[str, str], key: str, expected: str | None
) -> None:
    client = producer(family, version, *(setting(name, value) for name, value in own.items()))
    assert value_text(setting_value(Cluster(), client, declared_key(key))) == expected


def test_an_unknown_says_what_to_give_and_what_it_may_be() -> None:
    answer = setting_value(Cluster(), producer("java", None), declared_key("acks"))
    assert isinstance(answer, Unknown)
    assert answer.ask.startswith("--client")
    assert [default.value for default in answer.possible] == ["1", "all"]


def test_hours_and_minutes_of_retention_are_milliseconds() -> None:
    cluster = Cluster(brokers=(broker(1, setting("log.retention.hours", "2")),), versions=versions("3.9"))
    assert value_text(setting_value(cluster, topic(replicas=(1,)), declared_key("retention.ms"))) == "7200000"


@pytest.mark.parametrize(
    ("version", "release", "expected"),
    [
        ("3.9.1", "3.7", True),
        ("3.7-IV4", "3.7", True),
        ("3", "3.7", None),
        ("2.8", "3.0", False),
        ("v4.1.0", "4.1", True),
    ],
)
def test_versions_compare(version: str, release: str, expected: bool | None) -> None:
    assert is_at_least(version, release) is expected


@pytest.mark.parametrize("text", ["", "latest", "x.1", "3.9.1.0.5", "3.9!"])
def test_what_is_no_version_says_so(text: str) -> None:
    with pytest.raises(ValueError, match="not a version"):
        releases_meant(text)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("min.insync.replicas", "0", "below 1"),
        ("min.insync.replicas", "two", "not a whole number"),
        ("min.insync.replicas", "99999999999", "above 2147483647"),
        ("acks", "2", "is not one of all, -1, 0, 1"),
        ("enable.idempotence", "yes", "neither true nor false"),
        ("process.roles", "broker,controler", "is not one of broker, controller"),
        ("auto.offset.reset", "by_duration:PT1H", ""),
        ("acks", "${env:ACKS}", ""),
    ],
)
def test_wrong_values_are_reported(key: str, value: str, message: str) -> None:
    assert message in why_illegal(
        settings_by_name()[key] if key in settings_by_name() else settings_table()[key], value
    )
    assert bool(message) == bool(why_illegal(settings_table()[key], value))


@pytest.mark.parametrize("key", ["ssl.keystore.password", "sasl.jaas.config", "sasl.oauth.TOKEN", "my.Secret"])
def test_a_secrets_value_is_never_held(key: str) -> None:
    assert setting(key, "hunter2").value == HIDDEN
    assert "hunter2" not in repr(setting(key, "hunter2"))


def test_what_a_described_topic_leaves_out_is_a_default_that_its_brokers_may_show() -> None:
    """Without a distribution the table does not tell, but a running broker does; a stale file does not."""
    key = "unclean.leader.election.enable"
    shown = Cluster(brokers=(broker(1, setting(key, "false")),), versions=versions(None, None))
    assert setting_value(shown, topic(complete=True, replicas=(1,)), declared_key(key)) == StatedValue("false", HERE)
    name = "min.insync.replicas"
    stale = Cluster(brokers=(broker(1, setting(name, "2")),), versions=versions(None, None))
    assert isinstance(setting_value(stale, topic(complete=True, replicas=(1,)), declared_key(name)), Unknown)


def test_a_rule_about_a_setting_that_is_not_declared_is_an_error_when_it_is_imported() -> None:
    assert declared_key("log.dir") == "log.dir"
    with pytest.raises(
        UndeclaredKeyError, match=r"`log\.flush\.interval` is asked for and not in audit/kafka/keys\.toml"
    ):
        declared_key("log.flush.interval")


def test_a_setting_has_one_place_in_the_table() -> None:
    assert (
        not other_settings().keys() & settings_by_name().keys()
        and not other_settings().keys() & settings_table().keys()
    )
    names = frozenset[str]().union(*names_by_scope().values())
    streams = {GUARANTEE, REPLICAS}
    assert {name for name in other_settings() if not name.startswith("confluent.")} - streams <= names
    for key in other_settings().values():
        assert all(not why_illegal(key, row.value) and is_value_kept(key.name, row.value) for row in key.defaults), key
        assert key.stored_as in PLAIN


@pytest.mark.parametrize(
    ("name", "plain", "secret"),
    [
        ("log.roll.ms", "-1", "1 2"),
        ("num.io.threads", "eight", "${THREADS}"),
        ("metadata.log.dir", "/var/lib", "/var/lib?user=me"),
        ("host.name", "[::1]:9092", "a@b"),
        ("early.start.listeners", "A, B", "A/B"),
        ("confluent.placement.constraints", "3 replicas, 2 observers", "{}"),
    ],
)
def test_what_is_kept_of_a_value_is_plain(name: str, plain: str, secret: str) -> None:
    assert (
        is_value_kept(name, plain) and not is_value_kept(name, secret) and not is_value_kept("producer.of.mine", plain)
    )
    assert not is_value_kept("max.connections.per.ip.overrides", "10.0.0.1:5") and is_value_kept("acks", secret)


RULES = ("startup", "facts", "questions", "answers", "rules", "cluster/settings.py", "cluster/addresses.py")


def asked_for(path: Path) -> Iterator[str]:
    """The texts in a module that are names of settings with dots."""
    names = frozenset[str]().union(*names_by_scope().values())
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value and node.value in names:
            yield node.value


def test_every_setting_that_a_rule_names_is_declared() -> None:
    """Its value would be withheld, and the rule would say nothing."""
    places = [AUDIT / name for name in RULES]
    files = [path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*.py")))]
    found = [(path.name, name) for path in files for name in asked_for(path)]
    assert len(found) > 100
    assert [pair for pair in found if pair[1] not in settings_by_any_name() and pair[1] not in NO_SETTINGS] == []


NO_SETTINGS = {"metadata.version"}
"""Features that are named as settings are."""
