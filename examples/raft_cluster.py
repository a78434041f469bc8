"""A small Raft cluster that runs: a seeded network delivers, loses and repeats its messages, and its leader is killed.

    python examples/raft_cluster.py --servers 3 --seed 7

Every step is a step of the model `raft`, taken by plain Python, and every property is checked after it. What happens to
the cluster is decided by `Weather`, an operator of `tidegate.simulate`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from random import Random
from typing import Any

import tidegate as tg
from tidegate.language.values import State
from tidegate.language.verdict import Step
from tidegate.model.raft.cluster import Message, Role, Server

STEPS_MAX = 600
COMMANDS = 4
COMMANDS_BEFORE_CRASH = 2
BOUNDS = {"max_term": 8, "log_size": 6, "client_values": COMMANDS, "messages": 12, "losses": 2, "duplicates": 2}
LIKELY = {
    "time_out": 1,
    "write": 3,
    "lose": 1,
    "duplicate": 1,
    "send_vote_request": 10,
    "send_append_entries": 10,
    "send_snapshot": 10,
    "advance_commit_index": 20,
    "become_leader": 20,
    "learn_of_term": 20,
    "receive_vote_request": 20,
    "receive_vote_reply": 20,
    "receive_append_entries": 20,
    "receive_append_reply": 20,
    "receive_snapshot": 20,
}


class Weather:
    """What befalls the cluster: timers run out where no leader is heard, and the leader dies after the first commit.

    It stays down until another one leads.
    """

    def __init__(self) -> None:
        self.down: Server | None = None

    def choose(self, random: Random, state: State, possible: Sequence[Step]) -> Step | None:
        """A step, drawn by how likely each is; None when the run is over."""
        weights = [self.weigh(state, step) for step in possible]
        if self.is_over(state) or not any(weights):
            return None
        step = random.choices(possible, weights)[0]
        self.note(step)
        return step

    def weigh(self, state: State, step: Step) -> int:
        """How likely a step is beside the others."""
        cluster: Any = state
        if self.down is not None and self.down in actors(step):
            return 0
        if step.action == "restart":
            return 1000 * self.is_time_to_die(cluster, step)
        if step.action == "time_out":
            return int(leader_of(cluster, self.down) is None)
        if step.action == "write":
            is_early = cluster.crashes_left > 0 and cluster.next_command >= COMMANDS_BEFORE_CRASH
            is_in_office = step.arguments["leader"] == leader_of(cluster, self.down)
            return LIKELY["write"] * (is_in_office and not is_early)
        if step.action == "send_append_entries":
            return LIKELY[step.action] * has_news(cluster, step.arguments["leader"], step.arguments["follower"])
        return LIKELY.get(step.action, 0)

    def is_time_to_die(self, cluster: Any, step: Step) -> bool:
        """Whether a crash is one of the leader, after it committed something; its log is on its disk."""
        leader = step.arguments["server"]
        return (
            leader == leader_of(cluster, None)
            and cluster.commit_index[leader] > 0
            and step.arguments["kept"] == len(cluster.log[leader])
        )

    def note(self, step: Step) -> None:
        """Keeps a server that crashed down until there is a new leader."""
        if step.action == "restart":
            self.down = step.arguments["server"]
        elif self.down is not None and step.action == "become_leader":
            self.down = None

    def is_over(self, state: State) -> bool:
        """Whether, after the crash, no command is to come and every server has applied the same log to its end."""
        cluster: Any = state
        first = cluster.log[Server(0)]
        return (
            cluster.crashes_left == 0
            and cluster.next_command == COMMANDS
            and all(cluster.commit_index[at] == len(log) and log == first for at, log in cluster.log.items())
        )


def actors(step: Step) -> set[Any]:
    """The servers that do something in a step: who is sent a message does nothing yet."""
    message = next((argument for argument in step.arguments.values() if isinstance(argument, Message)), None)
    if message is not None:
        return {message.to} if step.action.startswith("receive") else set()
    return {value for name, value in step.arguments.items() if name in ("server", "candidate", "leader")}


def leader_of(cluster: Any, down: Server | None) -> Server | None:
    """The leader of the newest term, if it has one that is up."""
    newest = max(term for _, term in cluster.current_term.items())
    leads = (at for at, role in cluster.role.items() if role == Role.LEADER and cluster.current_term[at] == newest)
    return next((at for at in leads if at != down), None)


def has_news(cluster: Any, leader: Server, follower: Server) -> bool:
    """Whether a leader has entries for a follower, so that the message is more than a heartbeat."""
    return (
        cluster.match_index[leader][follower] < len(cluster.log[leader])
        or cluster.commit_index[follower] < cluster.commit_index[leader]
        or cluster.current_term[follower] < cluster.current_term[leader]
    )


def simulate(profile: str, servers: int, seed: int) -> tuple[tg.Simulation, bool]:
    """A run of the cluster, and whether every server had applied everything at its end."""
    weather = Weather()
    constants = {"servers": servers, "crashes": 1, **BOUNDS}
    run = tg.simulate(profile, operator=weather, seed=seed, steps=STEPS_MAX, constants=constants)
    return run, weather.is_over(run.run.states()[-1])


def main() -> int:
    """Prints a run: exit 0 when every property held, 1 when one did not, 5 when the bounds ended it too early."""
    parser = argparse.ArgumentParser(description="A small Raft cluster that runs, and loses its leader.")
    parser.add_argument("--profile", default="raft", help="`raft`, or one of its profiles, as in raft:no_fsync")
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    run, over = simulate(options.profile, options.servers, options.seed)
    for number, step in enumerate(run.trace.document["steps"], 1):
        print(f"{number:5}  {step['sentence']}")
    if run.violated is not None:
        return 1
    if not over:
        print("the bounds ended the run before every server had applied everything; try another seed", file=sys.stderr)
    return 0 if over else 5


if __name__ == "__main__":
    sys.exit(main())
