"""Advice is followed and audited again: what it names is repaired, and nothing that went well goes wrong by it.

Also of: `kept_cells`.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidegate.api.auditing import parse_requirements
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.repairs.changes import SettingChange
from tidegate.audit.repairs.kept_cells import EVERYDAY
from tidegate.audit.repairs.plans import change_texts
from tidegate.audit.repairs.side_effects import SideEffect, repair_with_side_effects
from tidegate.explorer.cache import cache_directory

from ...support.advised_clusters import AdvisedCluster, follow_advice, follow_cause, wrong_advice
from .test_plans import cluster_of, subject_of


def audit_described(cluster: AdvisedCluster, required: str, *, repairs: bool = True) -> dict[str, Any]:
    """The document of a cluster; without `repairs` in a fraction of the time."""
    features = (f"eligible.leader.replicas.version={int(cluster.elr)}",) if cluster.release >= "4" else ()
    options = Options(kafka_version=cluster.release, distribution="apache", clients=("java:3.9",), features=features)
    asked = AuditRequest(parse_requirements([required]), cache_directory(), seconds=None, workers=1, repairs=repairs)
    return audit(*read_cluster_texts(list(cluster.texts()), options, "x"), asked).document


def assert_advice_is_right(cluster: AdvisedCluster, required: str = "standard") -> dict[str, Any]:
    before = audit_described(cluster, required)
    then = follow_advice(cluster, before)
    if then != cluster:
        after = audit_described(then, required, repairs=False)
        assert list(wrong_advice(before, after)) == [], before["summary"]["rows"]
    return before


def assert_causes_are_right(cluster: AdvisedCluster, required: str = "standard") -> None:
    """What a row names first as what decides is no bystander: its change alone alters what is said of the topics."""
    before = audit_described(cluster, required)
    for row in before["summary"]["rows"]:
        if row["result"] != "failed" or row["change"] == "none found":
            continue
        then = follow_cause(cluster, row)
        assert then != cluster, row
        after = audit_described(then, required, repairs=False)
        assert said_of(row["topics"], after) != said_of(row["topics"], before), row


def said_of(topics: list[str], document: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables of these topics."""
    return [subject["table"] for subject in document["subjects"] if {*subject["topics"]} & {*topics}]


def changes_of(document: dict[str, Any]) -> dict[str, str]:
    return {topic: row["change"] for row in document["summary"]["rows"] for topic in row["topics"]}


@pytest.mark.long
def test_as_many_in_sync_as_replicas_is_never_answered_with_acks_all_alone() -> None:
    """With acks=all writes stop as soon as one replica is away: it comes with a smaller min.insync.replicas."""
    of_leader = assert_advice_is_right(AdvisedCluster(least=3, acks="1"))
    assert changes_of(of_leader)["orders"] == "min.insync.replicas=2, acks=all"
    strict = assert_advice_is_right(AdvisedCluster(least=3, acks=None), "strict")
    assert {"min.insync.replicas=2", "acks=all"} < {*changes_of(strict)["orders"].split(", ")}


def test_the_brokers_value_is_not_raised_for_a_topic_that_it_stops() -> None:
    found = assert_advice_is_right(AdvisedCluster(is_described=False, of_brokers=1, offsets=2))
    assert changes_of(found)["(new topics)"] == (
        "offsets.topic.replication.factor=3 (or writes to __consumer_offsets stop), min.insync.replicas=2"
    )


@pytest.mark.parametrize(
    ("cluster", "change"),
    [
        (AdvisedCluster(brokers=2, replicas=2, offsets=3), "3 brokers, replication factor=3"),
        (AdvisedCluster(replicas=2, least=1), "replication factor=3, min.insync.replicas=2"),
        (AdvisedCluster(unclean=True), "unclean.leader.election.enable=false"),
    ],
)
def test_an_advice_says_all_that_it_takes(cluster: AdvisedCluster, change: str) -> None:
    assert changes_of(assert_advice_is_right(cluster))["orders"] == change


@pytest.mark.parametrize(
    "cluster", [AdvisedCluster(replicas=1, least=1), AdvisedCluster(replicas=2, least=1, acks="1")]
)
def test_the_setting_that_is_named_first_alters_the_verdict_by_itself(cluster: AdvisedCluster) -> None:
    assert_causes_are_right(cluster)


def test_eligible_leader_replicas_keep_what_the_brokers_files_ask_for() -> None:
    """The controllers write their own min.insync.replicas for the whole cluster when these are switched on."""
    cluster = AdvisedCluster(release="4.1", of_controllers=False)
    found = assert_advice_is_right(cluster, "no-loss=power-loss@one")
    assert changes_of(found)["orders"] == (
        "min.insync.replicas=2 for the whole cluster, eligible.leader.replicas.version=1"
    )


def texts_of(cluster: AdvisedCluster, topic: str, *changes: tuple[str, str]) -> list[str]:
    read = cluster_of({path: text for path, text, _ in cluster.texts()}, cluster.release)
    made = [SettingChange(name, value, lambda signature: signature) for name, value in changes]
    return change_texts(subject_of(read, topic), made, read)


def test_a_change_is_said_as_it_is_typed_for_the_topic_and_with_what_it_needs() -> None:
    three, two = AdvisedCluster(is_described=False), AdvisedCluster(brokers=2, is_described=False)
    more, least = ("replicas", "3"), ("min_isr", "2")
    assert texts_of(three, "(new topics)", more, least) == [
        "default.replication.factor=3 on brokers and controllers", "min.insync.replicas=2",
    ]  # fmt: skip
    assert texts_of(two, "__consumer_offsets", least, more) == [
        "3 brokers", "offsets.topic.replication.factor=3", "min.insync.replicas=2",
    ]  # fmt: skip
    assert texts_of(three, "__transaction_state", least) == ["transaction.state.log.min.isr=2"]
    assert texts_of(AdvisedCluster(), "orders", more, ("fsync", "1")) == ["replication factor=3", "flush.messages=1"]
    assert texts_of(three, "(new topics)", ("controllers", "3")) == ["three controllers on hosts without brokers"]


def test_what_cannot_be_had_for_another_topic_is_said() -> None:
    cluster = AdvisedCluster()
    read = cluster_of({path: text for path, text, _ in cluster.texts()})
    effect = SideEffect(subject_of(read, "orders"), ("writable", "restart@all"), None)
    found = repair_with_side_effects({"change": ["acks=all"], "steps": [], "notes": []}, [effect], read)
    says = "writes to orders stop when a broker is restarted in a controlled way"
    assert found["change"] == [f"not for {effect.other.name}: {says}", "acks=all"]
    assert found["notes"] == [f"It is for these topics alone: with it {says}."]


def test_everyday_events_are_with_all_replicas_in_sync() -> None:
    assert {cell.partition("@")[2] for _, cell in EVERYDAY} == {"all"}
    assert ("writable", "restart@all") in EVERYDAY and ("no-loss", "power-loss@all") in EVERYDAY


CLUSTERS = st.builds(
    AdvisedCluster,
    release=st.sampled_from(["3.5", "3.9", "4.1", "4.3"]),
    brokers=st.integers(3, 4),
    replicas=st.integers(1, 3),
    least=st.integers(1, 3),
    acks=st.sampled_from([None, "all", "1", "0"]),
    unclean=st.booleans(),
    elr=st.booleans(),
    is_described=st.booleans(),
    offsets=st.integers(1, 3),
    transactions=st.integers(1, 3),
    of_brokers=st.integers(1, 2),
    of_controllers=st.booleans(),
)


@pytest.mark.long
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(CLUSTERS, st.sampled_from(["standard", "standard", "strict"]))
def test_advice_is_right_for_whatever_cluster(cluster: AdvisedCluster, required: str) -> None:
    assert_advice_is_right(cluster, required)


@pytest.mark.long
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(CLUSTERS, st.sampled_from(["standard", "standard", "strict"]))
def test_causes_are_right_for_whatever_cluster(cluster: AdvisedCluster, required: str) -> None:
    assert_causes_are_right(cluster, required)
