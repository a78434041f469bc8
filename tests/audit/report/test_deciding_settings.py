"""The setting that decides a loss: what the repair changes, or what its run comes from."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.questions.signature import Subject, UsedSetting
from tidegate.audit.repairs.changes import SettingChange
from tidegate.audit.report.deciding_settings import PLACING, deciding_setting, setting_text
from tidegate.audit.report.places import Places

STATED = UsedSetting("min.insync.replicas", "1", Origin("b.properties", 3))
SHARED = Places(hosts=(UsedSetting("brokers 1, 2 on host a", "", Origin("b.properties", 1)),))
KEEPS = {"acks": "all", "unclean": False, "heed_unclean": True, "min_isr": 2, "isr_shrinks": 0, "elr": False}


def deciding_rows(
    cell: str = "crash@one", topic: str = "orders", *changes: SettingChange, **constants: Any
) -> list[str]:
    subject = Subject((Topic(topic, Origin("t.txt")),), None, (), (STATED,))
    of_run = {**KEEPS, **constants} if constants else {}
    return [f"{setting_text(used)} → {then}" for used, then in deciding_setting(subject, changes, cell, of_run, SHARED)]


def change(name: str, value: str) -> SettingChange:
    return SettingChange(name, value, lambda one: one)


def test_what_the_repair_changes_decides_what_the_loss_comes_from_first_stated_or_by_default() -> None:
    found = deciding_rows(
        "crash@one", "orders", change("min_isr", "2"), change("elr", "1"), change("acks", "all"), min_isr=1
    )
    assert found == [
        "min.insync.replicas=1 → 2", "acks not given → all", "eligible.leader.replicas.version=0 → 1",
    ]  # fmt: skip


def test_where_there_is_one_copy_it_decides_before_all_that_helps_several() -> None:
    changes = change("min_isr", "2"), change("acks", "all"), change("replicas", "3")
    assert deciding_rows("crash@all", "orders", *changes, replicas=1, acks="leader", min_isr=1) == [
        "replication factor not given → 3", "acks not given → all", "min.insync.replicas=1 → 2",
    ]  # fmt: skip


def test_nodes_that_are_moved_have_no_setting_but_their_places() -> None:
    subject = Subject((Topic("orders", Origin("t.txt")),), None, (), ())
    ((used, then),) = deciding_setting(subject, [change("hosts", "replica")], "crash@one", {}, Places())
    assert used is PLACING and setting_text(used) == "where the nodes run" and then == "a host for each replica"


@pytest.mark.parametrize(
    ("cell", "constants", "key"),
    [
        ("crash@one", {"acks": "leader", "unclean": True, "min_isr": 1}, "acks not given"),
        ("crash@all", {"acks": "leader", "replicas": 1, "min_isr": 1}, "replication factor not given"),
        ("leader-move@all", {"acks": "none", "replicas": 1}, "acks not given"),
        ("power-loss@min-isr", {"power_losses": 2, "min_isr": 2}, "brokers 1, 2 on host a"),
        ("crash@one", {"unclean": True, "min_isr": 1}, "unclean.leader.election.enable not given"),
        ("rack-power-loss@one", {"min_isr": 1}, "broker.rack=as placed"),
        ("crash@one", {"min_isr": 1, "isr_shrinks": 1}, "min.insync.replicas=1"),
        ("crash@one", {"isr_shrinks": 1}, "eligible.leader.replicas.version=0"),
    ],
)
def test_without_a_repair_it_is_what_the_run_comes_from_the_gravest_first(
    cell: str, constants: dict[str, Any], key: str
) -> None:
    assert deciding_rows(cell, **constants) == [f"{key} → "]


def test_a_commit_waits_by_a_setting_of_the_brokers() -> None:
    assert deciding_rows(topic="__consumer_offsets", acks="leader") == ["offsets.commit.required.acks not given → "]


def test_where_no_setting_is_to_blame_none_is_named() -> None:
    assert (
        deciding_rows(isr_shrinks=1, elr=True) == []
        and deciding_rows(unclean=True, heed_unclean=False) == []
        and deciding_rows() == []
    )
