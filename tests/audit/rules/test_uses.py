"""Rules about who writes what, as audit.toml says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.audit.cluster.cluster import Client, Cluster, Topic, Use
from tidegate.audit.cluster.statements import Origin, Setting, StatedValue
from tidegate.audit.rules.uses import use_rules

FILE, MAP = Origin("connect.properties", 5), Origin("audit.toml", 2)


def connector(acks: str | None = "1") -> Client:
    settings = () if acks is None else (Setting("acks", acks, FILE),)
    return Client("sink", "producer", FILE, StatedValue("java", FILE), None, settings, is_embedded=True)


def use(pattern: str, *producers: str, origin: Origin = MAP) -> Use:
    return Use("topic", pattern, origin, producers=producers)


def test_a_program_that_does_not_wait_and_may_write_anything_leaves_all_open() -> None:
    (finding,) = use_rules(Cluster(clients=(connector(),)))
    assert (finding.kind, finding.severity, finding.where) == ("incomplete", "error", FILE)
    assert finding.what == "sink writes with acks=1, and no file says which topics"
    assert finding.to_do == 'name them in audit.toml, each with producer = "sink", or set acks=all'


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
