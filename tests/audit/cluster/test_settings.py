"""What a setting is for a broker, a topic or a client: the strongest statement, a default by version, or not known."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.settings import base_family, elr_is_too_early, setting_number, setting_place, setting_value
from tidegate.audit.cluster.statements import Default, StatedValue, Unknown
from tidegate.audit.kafka.keys import declared_key

from ...support.facts import NODE, ORDERS, SOUND, cluster_of, nodes, signatures, subject_of

LEAST = declared_key("min.insync.replicas")
UNCLEAN = declared_key("unclean.leader.election.enable")
ACKS = declared_key("acks")
TOPIC_LEAST = "Dynamic configs for topic orders are:\n  min.insync.replicas=3 sensitive=false synonyms={}\n"


def test_a_topics_own_setting_is_stronger_than_its_brokers() -> None:
    cluster = cluster_of(nodes("min.insync.replicas=1\n", topics__txt=ORDERS))
    (orders,) = [topic for topic in cluster.topics if topic.name == "orders"]
    own, brokers = setting_value(cluster, orders, LEAST), setting_value(cluster, cluster.brokers[0], LEAST)
    assert isinstance(own, StatedValue) and own.value == "2" and own.origin.path == "topics.txt"
    assert isinstance(brokers, StatedValue) and brokers.value == "1"
    assert setting_number(cluster, orders, LEAST) == 2
    assert setting_place(cluster, orders, LEAST).path == "topics.txt"


def test_what_nobody_states_is_the_default_of_the_version() -> None:
    cluster = cluster_of(nodes())
    found = setting_value(cluster, cluster.brokers[0], LEAST)
    assert isinstance(found, Default) and found.value == "1" and found.source
    assert setting_place(cluster, cluster.brokers[0], LEAST) == cluster.brokers[0].origin, "nothing states it"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("min.insync.replicas=two", "at b1.properties:6 is "),
        ("min.insync.replicas=", "is not a whole number"),
        ("min.insync.replicas=${LEAST}", "is filled in later"),
        ("min.insync.replicas=0", "at b1.properties:6 is "),
    ],
)
def test_what_kafka_does_not_take_is_not_known(line: str, why: str) -> None:
    """It is no default either: what starts with it, if anything, nobody says."""
    cluster = cluster_of(nodes(f"{line}\n"))
    found = setting_value(cluster, cluster.brokers[0], LEAST)
    assert isinstance(found, Unknown) and why in found.why
    assert setting_number(cluster, cluster.brokers[0], LEAST) is None


def test_the_last_statement_counts_and_a_boolean_has_one_spelling() -> None:
    cluster = cluster_of(nodes("unclean.leader.election.enable=true\nunclean.leader.election.enable=FALSE\n"))
    found = setting_value(cluster, cluster.brokers[0], UNCLEAN)
    assert isinstance(found, StatedValue) and found.value == "false"


@pytest.mark.parametrize(
    ("client", "family", "acks"),
    [("java:3.9", "java", "all"), ("librdkafka:2.3", "librdkafka", "all"), ("java:2.8", "java", "1")],
)
def test_a_clients_default_is_its_familys_by_its_version(client: str, family: str, acks: str) -> None:
    cluster = cluster_of({**nodes(), "p.properties": "key.serializer=x\n"}, clients=(client,))
    (producer,) = cluster.clients
    found = setting_value(cluster, producer, ACKS)
    assert base_family(producer) == family
    assert isinstance(found, Default) and found.value in (acks, {"all": "-1"}.get(acks))


def test_of_a_client_of_no_stated_family_the_default_is_not_known() -> None:
    cluster = cluster_of({**nodes(), "producer.properties": "linger.ms=5\nretries=3\n"})
    (producer,) = [client for client in cluster.clients if client.kind == "producer"]
    found = setting_value(cluster, producer, ACKS)
    assert base_family(producer) is None and isinstance(found, Unknown)
    assert "1" in {default.value for default in found.possible}, "what it may be is asked about, the worst of it too"


@pytest.mark.parametrize(
    ("version", "early"), [("3.9-IV0", True), ("4.0-IV0", True), ("4.0-IV1", False), ("4.0", False), ("4.1-IV0", False)]
)
def test_eligible_leader_replicas_come_with_a_metadata_version(version: str, early: bool) -> None:
    cluster = cluster_of(nodes(), metadata_version=version)
    assert elr_is_too_early(cluster) is early


DESCRIBED = """\
Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {configs}
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3
"""
OWN = "Dynamic configs for topic orders are:\n"
MIN_ISR = "min.insync.replicas={0} sensitive=false synonyms={{{layer}:min.insync.replicas={0}}}\n"
ALL = (
    "All configs for topic orders are:\n  " + MIN_ISR + "  unclean.leader.election.enable=false sensitive=false {rest}"
)


def nodes_that_differ(one: str, rest: str, topics: str = "min.insync.replicas=2", **more: str) -> dict[str, str]:
    """Broker 1 has one setting, brokers 2 and 3 another one."""
    made = nodes("", "", topics__txt=DESCRIBED.format(configs=topics), **more)
    return {
        name: text + {"b1": one, "b2": rest, "b3": rest}.get(name.partition(".")[0], "") for name, text in made.items()
    }


def test_a_described_min_isr_is_open_where_it_may_be_the_asked_brokers_and_brokers_differ() -> None:
    """TopicCommand prints all but defaults, and ConfigHelper gives what the asked broker's file has."""
    cluster = cluster_of(nodes_that_differ("min.insync.replicas=1\n", "min.insync.replicas=2\n"), "3.9.0")
    assert {signature.min_isr for signature in signatures(cluster, "orders")} == {1, 2}
    asked = subject_of(cluster, "orders").asks["min.insync.replicas"]
    command = "kafka-configs.sh --describe --entity-type topics --entity-name orders"
    assert asked == f"{command} (of 2.5 or later), which says whose it is"
    alike = cluster_of(nodes_that_differ("min.insync.replicas=2\n", "min.insync.replicas=2\n"), "3.9.0")
    assert {signature.min_isr for signature in signatures(alike, "orders")} == {2}
    nobodys = cluster_of(nodes_that_differ("min.insync.replicas=1\n", "min.insync.replicas=3\n"), "3.9.0")
    assert {signature.min_isr for signature in signatures(nobodys, "orders")} == {2}


@pytest.mark.parametrize(("own", "least"), [(MIN_ISR.format(2, layer="DYNAMIC_TOPIC_CONFIG"), {2}), ("", {1, 2})])
def test_what_is_the_topics_own_decides(own: str, least: set[int]) -> None:
    """`kafka-configs.sh --describe` without --all prints the topic's own (DYNAMIC_TOPIC_CONFIG), and nothing else."""
    files = nodes_that_differ(
        "min.insync.replicas=1\n", "min.insync.replicas=2\n", own__txt=OWN + "  " * bool(own) + own
    )
    assert {signature.min_isr for signature in signatures(cluster_of(files, "3.9.0"), "orders")} == least


@pytest.mark.parametrize(
    ("layer", "least"), [("DYNAMIC_TOPIC_CONFIG", {2}), ("STATIC_BROKER_CONFIG", {1, 2}), ("DEFAULT_CONFIG", {1, 2})]
)
def test_of_all_settings_each_says_whose_it_is(layer: str, least: set[int]) -> None:
    own = ALL.format(2, layer=layer, rest="synonyms={DEFAULT_CONFIG:unclean.leader.election.enable=false}\n")
    files = nodes_that_differ("min.insync.replicas=1\n", "min.insync.replicas=2\n", own__txt=own)
    assert {signature.min_isr for signature in signatures(cluster_of(files, "3.9.0"), "orders")} == least


def test_what_the_asked_broker_flushes_is_not_what_the_others_do() -> None:
    shown = "min.insync.replicas=2,flush.messages=1"
    files = nodes_that_differ("", "log.flush.interval.messages=1\n", shown)
    assert {signature.fsync for signature in signatures(cluster_of(files, "3.9.0"), "orders")} == {False, True}
    nobodys = cluster_of(nodes_that_differ("", "", shown), "3.9.0")
    assert {signature.fsync for signature in signatures(nobodys, "orders")} == {True}


ELECTION = "unclean.leader.election.enable="


@pytest.mark.parametrize("described", ["min.insync.replicas=2", f"min.insync.replicas=2,{ELECTION}false"])
def test_with_zookeeper_any_broker_may_be_the_controller(described: str) -> None:
    """Also one that has no replica of the topic."""
    text = "broker.id={id}\nzookeeper.connect=z\nlog.dirs=data\n" + SOUND
    files = {f"b{i}.properties": text.format(id=i) + ELECTION + "false\n" for i in (1, 2, 3)}
    files |= {"b4.properties": text.format(id=4) + ELECTION + "true\n", "t.txt": DESCRIBED.format(configs=described)}
    assert {signature.unclean for signature in signatures(cluster_of(files, "3.9.0"), "orders")} == {False, True}


def test_nodes_in_combined_mode_are_controllers_with_their_own_files() -> None:
    files = {
        f"b{i}.properties": NODE.format(roles="broker,controller", id=i).replace(
            "11@a:1,12@b:1,13@c", "1@a:1,2@b:1,3@c"
        )
        + SOUND
        + ELECTION
        + ("true\n" if i == 1 else "false\n")
        + "controller.listener.names=C\nlisteners=PLAINTEXT://:2,C://:1\n"
        for i in (1, 2, 3)
    }
    files["t.txt"] = DESCRIBED.format(configs=f"min.insync.replicas=2,{ELECTION}false")
    assert {signature.unclean for signature in signatures(cluster_of(files, "3.9.0"), "orders")} == {False, True}


def test_with_elr_what_single_brokers_have_does_not_count() -> None:
    files = nodes_that_differ("min.insync.replicas=1\n", "min.insync.replicas=2\n")
    cluster = cluster_of(files, features=("eligible.leader.replicas.version=1",))
    assert {signature.min_isr for signature in signatures(cluster, "orders")} == {2}
