"""What files state, merged: which entry of audit.toml is about a topic, which names are legal, who answers."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.cluster import (
    SILENT,
    Client,
    Cluster,
    Partition,
    RespondingBrokers,
    Topic,
    TopicUse,
    is_called,
)
from tidegate.audit.cluster.statements import Origin, Setting

HERE = Origin("audit.toml", 3)


def use(pattern: str, *producers: str, required: tuple[str, ...] = (), critical: bool = False) -> TopicUse:
    return TopicUse("topic", pattern, HERE, producers, (), critical, required)


def test_an_entry_of_a_topics_own_name_is_stronger_in_what_it_states_and_in_no_more() -> None:
    own, all_, some = use("orders", "a"), use(".*", "b", required=("strict",)), use("o.*", "c", critical=True)
    found = Cluster(uses=(all_, own, some)).use_of("orders")
    assert found is not None
    assert found.producers == ("a",), "patterns name no more writers of it"
    assert found.requirements == ("strict",) and found.critical, "what it does not state, patterns do"
    both = Cluster(uses=(all_, some)).use_of("orders")
    assert both is not None and both.producers == ("b", "c"), "of patterns each counts"
    assert Cluster(uses=(use("orders"),)).use_of("orders-2") is None, "a pattern is matched whole"


@pytest.mark.parametrize("pattern", ["a.b", "a\\.b"])
def test_a_name_with_a_dot_is_that_name_however_it_is_written(pattern: str) -> None:
    assert use(pattern).is_exactly("a.b") and not use("a.*").is_exactly("a.b")


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("orders", True), ("a.b_c-D9", True), ("", False), (".", False), ("..", False), ("a b", False),
        ("ä", False), ("x" * 249, True), ("x" * 250, False), ("${topic}", True), ("(new topics)", True),
        ("(app)-store-changelog", True),
    ],
)  # fmt: skip
def test_kafka_takes_these_names_and_no_others(name: str, legal: bool) -> None:
    assert Topic(name, HERE).has_legal_name is legal


def partition(number: int) -> Partition:
    return Partition(number, 1, (1,), (1,), HERE)


def test_a_topic_of_which_not_all_partitions_are_described_is_cut_short() -> None:
    described = (partition(0), partition(0), partition(1))
    assert Topic("t", HERE, described, partition_count=3).is_cut_short
    assert not Topic("t", HERE, described, partition_count=2).is_cut_short
    assert not Topic("t", HERE, (), partition_count=3).is_cut_short, "none is described, which is another matter"


def client(name: str, *, is_embedded: bool = False) -> Client:
    return Client(name, "producer", Origin(f"files/{name}"), is_embedded=is_embedded)


def test_the_only_producer_is_no_client_of_a_program() -> None:
    one, other, of_connect = client("a"), client("b"), client("c", is_embedded=True)
    assert Cluster(clients=(one, of_connect)).only_producer is one
    assert Cluster(clients=(one, other)).only_producer is None
    assert Cluster(clients=(of_connect,)).only_producer is None


def test_a_file_is_meant_by_its_path_or_by_the_end_of_it() -> None:
    assert is_called("a/b.properties", "b.properties") and is_called("b.properties", "b.properties")
    assert not is_called("a/ab.properties", "b.properties"), "half of a name is none"
    assert Cluster(clients=(client("a"),)).client("files/a") == client("a")
    assert Cluster(clients=(client("a"),)).client("a", "consumer") is None


def test_an_empty_value_is_null_where_brokers_describe_themselves() -> None:
    described = Setting("broker.rack", "", Origin("c.txt", 1))
    cluster = Cluster(files=(("c.txt", "kafka-configs.sh --describe"), ("b.properties", "server.properties")))
    assert not cluster.is_value_empty(described)
    assert cluster.is_value_empty(Setting("broker.rack", "", Origin("b.properties", 1)))


def test_who_is_down_and_who_only_does_not_answer_are_told_apart() -> None:
    down = ((2, "nothing listens"), (3, f"{SILENT} in time"), (4, f"{SILENT} in time"))
    says = RespondingBrokers(HERE, (1,), down, told_by=1).to_sentence
    assert says == (
        "broker 2 is down (nothing listens); brokers 3, 4 do not answer (no answer in time); 1 of 4 answered, and "
        "partitions are as broker 1 knows them"
    )
    assert RespondingBrokers(HERE, (1, 2, 3)).to_sentence == ""


def test_a_file_is_called_by_its_path_from_here_too() -> None:
    assert is_called("folder/p.properties", "./p.properties")
    assert is_called("./p.properties", "p.properties")
    assert not is_called("folder/xp.properties", "./p.properties")
