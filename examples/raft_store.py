"""A store of keys on three servers with the calls of raft-java's example: get_leader, get_configuration, set, get,
snapshots, add_peers and remove_peers; and a leader that dies.

    python examples/raft_store.py --seed 7

Under the calls is the model `raft`: every step is one of the model, taken by plain Python, and what the network and the
timers do is drawn with a seed (`Weather` of `raft_cluster.py`). A state machine applies committed commands. A server
writes it as a snapshot, begins with that when it starts again, and sends it to who needs an entry that it discarded.

The calls are raft-java's and the answers Raft's. There `getLeader` says whom the asked server believes, a snapshot is
taken by a timer, and `addPeers` takes an even number of servers in one entry; docs/raft.md has where else they differ.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from random import Random
from typing import Any

import tidegate as tg
from raft_cluster import BOUNDS, Weather, leader_of
from tidegate.language.judge import initial_states, steps
from tidegate.language.verdict import Step
from tidegate.model.raft.cluster import Role, Server

STEPS_MAX = 2000
ASKED_FOR = ("write", "restart", "take_snapshot", "change_membership")
"""Steps that come of calls alone."""


class KeyValueStore:
    """The state machine of one server. What it has applied is a prefix of the log's commands."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.applied = 0

    def apply(self, key: str, value: str) -> None:
        """Applies the next command."""
        self.values[key] = value
        self.applied += 1

    def write_snapshot(self) -> str:
        """What is needed to go on without the entries that were applied."""
        return json.dumps({"values": self.values, "applied": self.applied})

    @classmethod
    def read_snapshot(cls, text: str) -> KeyValueStore:
        """A store as it was when the snapshot was written."""
        store, read = cls(), json.loads(text)
        store.values, store.applied = read["values"], read["applied"]
        return store


class RaftStore:
    """The cluster. A call takes steps until it is answered, and is False or None if that does not come to pass."""

    def __init__(self, servers: int = 3, seed: int = 0, **bounds: int) -> None:
        self.model = tg.load("raft", constants={"servers": servers, "crashes": 1, **BOUNDS, **bounds})
        self.state: Any = next(iter(initial_states(self.model)))
        self.random, self.weather = Random(seed), Weather()
        self.commands: list[tuple[str, str]] = []  # by number, as the model counts them
        self.stores = {server: KeyValueStore() for server in self.state.log}
        self.disks: dict[Server, str] = {}  # the snapshot on each server's disk
        self.taken: dict[int, str] = {}  # each snapshot that was taken, by where it ends: it is the same on all servers

    def get_configuration(self) -> list[Server]:
        """The members, as the leader knows them."""
        leader = self.get_leader()
        log: Any = () if leader is None else self.state.log[leader]
        newest: Any = next((entry.members for entry in reversed(list(log)) if len(entry.members)), None)
        members: Any = self.state.first_members if newest is None else newest
        return [server for server in self.stores if server in members]

    def get_leader(self) -> Server | None:
        """Who leads, once somebody does."""
        self.run_until(lambda: leader_of(self.state, self.weather.down) is not None)
        return leader_of(self.state, self.weather.down)

    def set(self, key: str, value: str) -> bool:
        """Whether the leader has applied a command and leads on; if not, it may be applied later, as with any Raft."""
        leader = self.get_leader()
        if leader is None or not self.take("write", leader=leader):
            return False
        self.commands.append((key, value))
        return self.wait(leader)

    def get(self, key: str, at: Server) -> str | None:
        """What a server has applied of a key: of one that is behind, an old value."""
        return self.stores[at].values.get(key)

    def kill(self, server: Server) -> None:
        """The process of a server dies; its log is on its disk, and it stays down until there is another leader."""
        self.take("restart", server=server, kept=len(self.state.log[server]))

    def take_snapshot(self, server: Server) -> bool:
        """Whether a server has written what it applied, and discarded the entries; False where nothing is new."""
        return self.take("take_snapshot", server=server, end=self.state.commit_index[server])

    def add_peers(self, *servers: Server) -> bool:
        """Whether servers are members, one after the other, each once the one before it is committed.

        Not all in one entry: majorities before and after would not need to have a server in common.
        """
        return all(self.change(server, is_member=True) for server in servers)

    def remove_peers(self, *servers: Server) -> bool:
        """Whether servers are members no more. A leader does not remove itself."""
        return all(self.change(server, is_member=False) for server in servers)

    def settle(self) -> None:
        """Runs until every member has applied the leader's log to its end."""
        members = self.get_configuration()
        self.run_until(
            lambda: all(
                self.state.commit_index[at] == len(self.state.log[at])
                and self.state.log[at] == self.state.log[members[0]]
                for at in members
            )
        )

    def change(self, server: Server, *, is_member: bool) -> bool:
        """Whether the leader has committed a change of the members; True where it is so already."""
        if (server in self.get_configuration()) == is_member:
            return True
        leader = self.get_leader()
        return leader is not None and self.take("change_membership", leader=leader, server=server) and self.wait(leader)

    def wait(self, leader: Server) -> bool:
        """Whether the newest entry of a leader is committed, and it leads on."""
        index, term = len(self.state.log[leader]), self.state.current_term[leader]
        self.run_until(lambda: self.state.commit_index[leader] >= index or self.has_lost(leader, term))
        return self.state.commit_index[leader] >= index and not self.has_lost(leader, term)

    # --- the model's steps ---------------------------------------------------------------------------------------

    def has_lost(self, leader: Server, term: int) -> bool:
        """Whether a server does not lead any more in a term."""
        return self.state.role[leader] != Role.LEADER or self.state.current_term[leader] != term

    def run_until(self, is_over: Any) -> None:
        """Takes steps as the weather has it, until something is so or nothing more can happen."""
        for _ in range(STEPS_MAX):
            if is_over():
                return
            possible = [step for step in steps(self.model, self.state) if step.action not in ASKED_FOR]
            weights = [self.weather.weigh(self.state, step) for step in possible]
            if not any(weights):
                return
            self.note(self.random.choices(possible, weights)[0])

    def take(self, action: str, **arguments: Any) -> bool:
        """Takes a step that is asked for; False where the bounds do not allow it."""
        asked = (step for step in steps(self.model, self.state) if step.action == action)
        step = next((step for step in asked if matches(step, arguments)), None)
        if step is not None:
            self.note(step)
        return step is not None

    def note(self, step: Step) -> None:
        """Goes to the state after a step, and has each server apply what it knows to be committed."""
        before = self.state.snapshot
        self.weather.note(step)
        self.state = step.state_after
        if step.action == "restart":
            self.start_again(step.arguments["server"])
        elif step.action == "take_snapshot":
            server = step.arguments["server"]
            self.disks[server] = self.taken[step.arguments["end"]] = self.stores[server].write_snapshot()
        for server in self.stores:
            if step.action == "receive_snapshot" and self.state.snapshot[server] > before[server]:
                self.read_snapshot(server, self.taken[self.state.snapshot[server]])
            self.apply_committed(server)

    def start_again(self, server: Server) -> None:
        """A server begins with the snapshot on its disk, or with nothing."""
        text = self.disks.get(server)
        self.stores[server] = KeyValueStore() if text is None else KeyValueStore.read_snapshot(text)

    def read_snapshot(self, server: Server, text: str) -> None:
        """A server has got a snapshot, and takes it for its state, unless it has applied more."""
        self.disks[server] = text
        read = KeyValueStore.read_snapshot(text)
        if read.applied > self.stores[server].applied:
            self.stores[server] = read

    def apply_committed(self, server: Server) -> None:
        """A server applies what it knows to be committed and has not applied; of what it discarded it reads nothing."""
        store, first = self.stores[server], self.state.snapshot[server]
        entries = list(self.state.log[server])[first : self.state.commit_index[server]]
        numbers: list[int] = [entry.command for entry in entries if entry.command is not None]
        known = 0 if server not in self.disks else KeyValueStore.read_snapshot(self.disks[server]).applied
        for number in numbers[store.applied - known :]:
            store.apply(*self.commands[number])


def matches(step: Step, arguments: Mapping[str, Any]) -> bool:
    """Whether a step has these arguments."""
    return all(step.arguments[name] == value for name, value in arguments.items())


def main() -> None:
    """Sets keys, kills a leader, takes a snapshot, adds a server, removes one, and prints what each member has."""
    parser = argparse.ArgumentParser(description="A store of keys on three servers that run Raft, and a fourth.")
    parser.add_argument("--seed", type=int, default=0)
    bounds = {"spares": 1, "snapshots": 1, "membership_changes": 2}
    store = RaftStore(servers=4, seed=parser.parse_args().seed, **bounds)
    members = store.get_configuration()
    (spare,) = store.stores.keys() - set(members)
    print("members:", *members, "leader:", leader := store.get_leader())
    print("set a=1:", store.set("a", "1"))
    if leader is not None:
        store.kill(leader)
    print("leader:", leader := store.get_leader())
    print("set b=2:", store.set("b", "2"))
    if leader is not None:
        print("snapshot:", store.take_snapshot(leader))
    print("add", spare, store.add_peers(spare))
    print("remove", gone := next(one for one in members if one != leader), store.remove_peers(gone))
    store.settle()
    for server in store.get_configuration():
        print(server, {key: store.get(key, at=server) for key in ("a", "b")})


if __name__ == "__main__":
    main()
