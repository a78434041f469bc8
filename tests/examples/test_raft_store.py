"""The calls of raft-java's example on the model of Raft: what was answered stays, and servers apply one order."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from ..conftest import ROOT
from ..support.shipped import tier_parameters


@pytest.fixture(scope="module")
def raft_store() -> ModuleType:
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        return importlib.import_module("raft_store")
    finally:
        sys.path.remove(str(ROOT / "examples"))


@pytest.mark.parametrize("seed", tier_parameters(range(12), lambda seed: seed < 3))
def test_what_was_set_is_on_every_server_though_the_leader_dies(raft_store: ModuleType, seed: int) -> None:
    store = raft_store.RaftStore(seed=seed)
    first = store.get_leader()
    assert first in store.get_configuration()
    assert store.set("a", "1") and store.get("a", at=first) == "1"
    store.kill(first)
    second = store.get_leader()
    assert second is not None  # another one, or the same again after another one
    assert store.set("a", "2") and store.set("b", "3")
    assert (store.get("a", at=second), store.get("b", at=second)) == ("2", "3")
    store.settle()
    assert [one.values for one in store.stores.values()] == [{"a": "2", "b": "3"}] * 3
    assert [one.applied for one in store.stores.values()] == [3] * 3


def test_a_follower_that_is_behind_has_an_old_value_and_never_a_strange_one(raft_store: ModuleType) -> None:
    store = raft_store.RaftStore(seed=1)
    assert store.set("a", "1") and store.set("a", "2")
    assert {store.get("a", at=server) for server in store.get_configuration()} <= {None, "1", "2"}
    store.settle()
    assert {store.get("a", at=server) for server in store.get_configuration()} == {"2"}


def test_a_command_beyond_the_bounds_is_not_answered_with_success(raft_store: ModuleType) -> None:
    store = raft_store.RaftStore(seed=2, client_values=1)
    assert store.set("a", "1")
    assert not store.set("a", "2")


def test_a_snapshot_stands_for_the_commands_that_it_has_applied(raft_store: ModuleType) -> None:
    store = raft_store.RaftStore(seed=3)
    assert store.set("a", "1")
    leader = store.get_leader()
    restored = raft_store.KeyValueStore.read_snapshot(store.stores[leader].write_snapshot())
    assert (restored.values, restored.applied) == ({"a": "1"}, 1)
    assert store.set("b", "2")
    restored.apply(*store.commands[restored.applied])
    assert restored.values == store.stores[store.get_leader()].values


WITH_A_SPARE = {"servers": 4, "spares": 1, "snapshots": 2, "membership_changes": 2}


@pytest.mark.parametrize("seed", tier_parameters(range(12), lambda seed: seed < 2))
def test_who_joins_after_a_snapshot_is_sent_it_and_has_what_all_have(raft_store: ModuleType, seed: int) -> None:
    store = raft_store.RaftStore(seed=seed, **WITH_A_SPARE)
    members, leader = store.get_configuration(), store.get_leader()
    (spare,) = store.stores.keys() - set(members)
    assert store.set("a", "1") and store.set("b", "2")
    assert store.take_snapshot(leader) and not store.take_snapshot(leader)  # nothing is new
    assert store.add_peers(spare) and set(store.get_configuration()) == {*members, spare}
    assert store.set("c", "3")
    store.settle()
    assert store.disks[spare] == store.disks[leader]  # it was sent the snapshot: the entries are gone
    assert {str(store.stores[at].values) for at in store.get_configuration()} == {str({"a": "1", "b": "2", "c": "3"})}
    (gone, *_) = [one for one in members if one != store.get_leader()]
    assert store.remove_peers(gone) and gone not in store.get_configuration()


def test_a_server_that_starts_again_begins_with_its_snapshot(raft_store: ModuleType) -> None:
    store = raft_store.RaftStore(seed=3, snapshots=1)
    assert store.set("a", "1")
    leader = store.get_leader()
    assert store.take_snapshot(leader)
    store.kill(leader)
    assert store.stores[leader].values == {"a": "1"}
    assert store.set("a", "2")
    store.settle()
    assert [one.values for one in store.stores.values()] == [{"a": "2"}] * 3


def test_a_change_of_members_waits_for_an_entry_of_the_leaders_term(raft_store: ModuleType) -> None:
    """The flaw of 2015: a leader that has committed nothing in its term changes nothing."""
    store = raft_store.RaftStore(seed=5, **WITH_A_SPARE)
    (spare,) = store.stores.keys() - set(store.get_configuration())
    assert not store.add_peers(spare)
    assert store.set("a", "1") and store.add_peers(spare)
