"""What is set and not modelled is said where it is set, and leaves open what may lose records."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.cluster import Broker, Cluster, Topic, Versions
from tidegate.audit.cluster.statements import Origin, Setting, StatedValue
from tidegate.audit.rules.limits import limit_rules

PLACE = Origin("b.properties", 4)
TIERED, TOPIC = (
    Setting("remote.log.storage.system.enable", "true", PLACE),
    Setting("remote.storage.enable", "TRUE", PLACE),
)
DISKS = Setting("log.dirs", "/a,/b", PLACE)


def findings_of(
    *settings: Setting, topic: tuple[Setting, ...] = (), kafka: str | None = None, kraft: bool = True
) -> list[str]:
    versions = Versions(kafka=None if kafka is None else StatedValue(kafka, PLACE))
    cluster = Cluster(
        brokers=(Broker(1, PLACE, settings=settings), Broker(2, PLACE, dynamic=settings)),
        topics=(Topic("orders", PLACE, settings=topic),),
        versions=versions,
        control_plane="kraft" if kraft else "zookeeper",
    )
    rules = list(limit_rules(cluster))
    assert all(finding.where == PLACE and finding.to_do for finding in rules)
    return [f"{finding.kind}: {finding.what.partition(':')[0]}" for finding in rules]


def test_what_is_not_set_is_not_said() -> None:
    off = [Setting(setting.key, "false", PLACE) for setting in (TIERED, TOPIC)]
    assert findings_of(*off, Setting("zookeeper.metadata.migration.enable", "false", PLACE), topic=(off[1],)) == []


@pytest.mark.parametrize(
    ("setting", "kind"),
    [
        (TIERED, "not_modelled"),
        (Setting("zookeeper.metadata.migration.enable", "true", PLACE), "incomplete"),
        (Setting("confluent.log.placement.constraints", "3 replicas, 1 observers", PLACE), "not_modelled"),
    ],
)
def test_each_is_said_once_though_all_brokers_have_it(setting: Setting, kind: str) -> None:
    assert findings_of(setting) == [f"{kind}: `{setting.key}`"]


def test_a_topic_in_tiered_storage_leaves_the_audit_undecided_and_says_it_for_the_brokers() -> None:
    assert findings_of(TIERED, topic=(TOPIC,)) == ["incomplete: `remote.storage.enable`"]


@pytest.mark.parametrize(
    ("kafka", "kraft", "said"),
    [("3.6.2", True, True), (None, True, True), ("3.7.0", True, False), ("3.6.2", False, False)],
)
def test_before_3_7_a_controller_of_kraft_learns_of_no_failed_directory(
    kafka: str | None, kraft: bool, said: bool
) -> None:
    assert findings_of(DISKS, kafka=kafka, kraft=kraft) == (["not_modelled: `log.dirs`"] if said else [])
    assert findings_of(Setting("log.dirs", "/a,", PLACE), kafka=kafka, kraft=kraft) == [], "one directory"


@pytest.mark.parametrize(
    ("kafka", "level", "said"),
    [("3.7.0", "3.7-IV1", True), ("3.7", "3.6", True), ("3.7.0", "3.7-IV2", False), ("3.8.0", "3.7-IV1", False)],
)
def test_3_7_0_hides_them_below_a_metadata_version(kafka: str, level: str, said: bool) -> None:
    """ClusterControlManager of 3.7.0; from 3.7.1 on such a broker does not start."""
    versions = Versions(kafka=StatedValue(kafka, PLACE), metadata_version=StatedValue(level, PLACE))
    brokers = (Broker(1, PLACE, settings=(DISKS,)),)
    found = list(limit_rules(Cluster(brokers=brokers, versions=versions, control_plane="kraft")))
    assert [finding.kind for finding in found] == (["not_modelled"] if said else [])
