"""Rules about who writes what, as audit.toml says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.cluster.cluster import Client, Cluster, Topic, TopicUse
from tidegate.audit.cluster.statements import Origin, Setting, StatedValue
from tidegate.audit.rules.uses import use_rules

FILE, MAP = Origin("connect.properties", 5), Origin("audit.toml", 2)


def connector(acks: str | None = "1") -> Client:
    settings = () if acks is None else (Setting("acks", acks, FILE),)
    return Client("sink", "producer", FILE, StatedValue("java", FILE), None, settings, is_embedded=True)


def use(pattern: str, *producers: str, origin: Origin = MAP) -> TopicUse:
    return TopicUse("topic", pattern, origin, producers=producers)


def test_a_program_that_does_not_wait_and_may_write_anything_leaves_all_open() -> None:
    (finding,) = use_rules(Cluster(clients=(connector(),)))
    assert (finding.kind, finding.severity, finding.where) == ("incomplete", "error", FILE)
    assert finding.what == "sink writes with acks=1, and no file says which topics"
    assert finding.to_do == 'name them in audit.toml, each with producer = "sink", or set acks=all'


def producer(name: str, acks: str) -> Client:
    return replace(connector(acks), name=name, origin=Origin(name), is_embedded=False)


@pytest.mark.parametrize(
    ("acks", "uses", "open_"),
    [
        ("1", (use("orders", "one"),), True),
        ("0", (), True),
        ("all", (use("orders", "one"),), False),
        ("1", (use("orders", "one"), use("more", "two")), False),
    ],
)
def test_a_second_producer_that_no_topic_names_leaves_all_open(
    acks: str, uses: tuple[TopicUse, ...], open_: bool
) -> None:
    found = use_rules(Cluster(clients=(producer("one", "all"), producer("two", acks)), uses=uses))
    assert [finding.what for finding in found if finding.kind == "incomplete"] == (
        [f"two writes with acks={acks}, and no file says which topics"] if open_ else []
    )


def test_a_second_producer_whose_default_is_weak_leaves_all_open() -> None:
    """Up to 2.8 Java's producers wait for the leader alone, unless it is set (KIP-679)."""
    old = replace(producer("two", "1"), settings=(), version=StatedValue("2.8", MAP))
    clients = (producer("one", "all"), old)
    (finding,) = use_rules(Cluster(clients=clients, uses=(use("orders", "one"),)))
    assert finding.what == "two writes with acks=1 by default, and no file says which topics"
    new = replace(old, version=StatedValue("3.9", MAP))
    assert use_rules(Cluster(clients=(clients[0], new), uses=(use("orders", "one"),))) == []


@pytest.mark.parametrize(
    "client",
    [
        connector("all"), connector("-1"), connector(None), replace(connector(), is_embedded=False),
        replace(connector(), kind="consumer"), replace(connector(), family=None),
    ],
)  # fmt: skip
def test_who_waits_or_is_no_program_of_others_is_left_alone(client: Client) -> None:
    assert use_rules(Cluster(clients=(client,))) == []


def test_who_is_named_is_asked_about_there() -> None:
    assert use_rules(Cluster(clients=(connector(),), uses=(use("orders", "sink"),))) == []
    assert use_rules(Cluster(clients=(connector(),), uses=(use("orders", "connect.properties"),))) == []


def test_a_producer_that_only_a_pattern_names_counts_for_nothing_beside_the_topics_own_entry() -> None:
    topic, own = Topic("orders", Origin("t.txt")), Origin("audit.toml", 9)
    uses = (use("ord.*", "a"), use("orders", "b", origin=own))
    (finding,) = use_rules(Cluster(topics=(topic,), uses=uses))
    assert (finding.severity, finding.where) == ("note", MAP)
    assert finding.what == (
        "`ord.*` names a as a producer of orders, which counts for nothing: "
        "the entry of its own name, audit.toml:9, does"
    )
    assert use_rules(Cluster(planned_topics=(topic,), uses=uses)) == [finding]
    assert use_rules(Cluster(topics=(topic,), uses=(use("ord.*", "b"), use("orders", "b", origin=own)))) == []
    assert use_rules(Cluster(topics=(topic,), uses=(use("ord.*", "a"), use("o.*", "b")))) == []


def test_a_second_producer_whose_acks_cannot_be_understood_leaves_all_open() -> None:
    """A value in quotes, as HOCON of Akka has it, is no value of Kafka's properties."""
    found = use_rules(Cluster(clients=(producer("one", "all"), producer("two", '"1"'))))
    (text,) = [finding.what for finding in found if finding.kind == "incomplete"]
    assert text.startswith("two writes with acks that are not known (") and text.endswith(
        ", and no file says which topics"
    )


@pytest.mark.parametrize(("where", "open_"), [(Origin("command line"), True), (FILE, False)])
def test_what_an_option_says_of_all_clients_does_not_hide_another_familys_name(where: Origin, open_: bool) -> None:
    java = StatedValue("java", where), StatedValue("3.9", where)
    two = Client("two", "producer", FILE, *java, (Setting("request.required.acks", "1", FILE),))
    found = use_rules(Cluster(clients=(producer("one", "all"), two)))
    assert [finding.what for finding in found if finding.kind == "incomplete"] == (
        ["two writes with acks=1 by default, and no file says which topics"] if open_ else []
    )
