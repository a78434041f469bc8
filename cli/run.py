"""`tidegate run raft`: a small cluster that runs: a seeded network delivers its messages, and its leader is killed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..explorer.scheduler import scheduled
from ..language.values import State
from ..language.verdict import Step
from ..model.raft.cluster import Message, Role, Server
from ..reports.exits import Exit
from ..reports.files import write_trace
from ..reports.trace.page import trace_page
from ..traces.document import run_document
from .models import bound
from .options import Chosen, Parser, Verbs, Wrong, add_print_options, add_verb, paper_of
from .output import prepared, print_json
from .replay import exit_of

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
    "advance_commit_index": 20,
    "become_leader": 20,
    "learn_of_term": 20,
    "receive_vote_request": 20,
    "receive_vote_reply": 20,
    "receive_append_entries": 20,
    "receive_append_reply": 20,
}

EXAMPLES = """\
  tidegate run raft --servers 3 --seed 7
  tidegate run raft --servers 5 --seed 1 --out report; tidegate show report/run.trace.json

exit: 0 every property held at every step, 1 one did not, 5 the bounds ended the run before it was over
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Runs a cluster in this process: clients send commands, a seeded network delivers, loses and repeats messages, "
        "and the leader is killed on the way. Every step is a step of the model, taken by plain Python, and every "
        "property is judged after it. The same seed gives the same run."
    )
    parser = add_verb(verbs, "run", "a small cluster that runs, and loses its leader", about, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="`raft`, or one of its profiles, `raft:no_fsync`")
    parser.add_argument("--servers", metavar="N", type=int, default=3, help="how many servers (default: 3)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="draws what happens (default: 0)")
    parser.add_argument("--out", metavar="DIR", type=Path, help="write run.trace.json there")
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Runs, prints the trace and saves it."""
    if options.model.partition(":")[0] != "raft":
        raise Wrong(f"{options.model} cannot be run; raft can: tidegate run raft")
    sizes = {**BOUNDS, "servers": options.servers, "crashes": 1}
    assignments = tuple((name, str(value)) for name, value in sizes.items())
    model = bound(Chosen(options.model, assignments=assignments, ghosts=True))
    weather = Weather()
    taken = scheduled(model, weather, seed=options.seed, steps_max=STEPS_MAX)
    document = run_document(model, taken)
    if options.out is not None:
        write_trace(prepared(options.out) / "run.trace.json", document)
    if options.json:
        print_json(document)
    else:
        print(trace_page(document, paper_of(options)).text(), end="")
    if exit_of(document) == Exit.HOLDS and not weather.is_over(taken.states()[-1]):
        print(
            "tidegate: the bounds ended the run before every server had applied all; try another seed", file=sys.stderr
        )
        return Exit.INCONCLUSIVE
    return exit_of(document)


class Weather:
    """What befalls the cluster: timers run out where no leader is heard, and the leader dies after the first commit.

    It stays down until another one leads.
    """

    def __init__(self) -> None:
        self.down: Server | None = None

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

    def saw(self, state: State, step: Step) -> None:
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
    message = next((each for each in step.arguments.values() if isinstance(each, Message)), None)
    if message is not None:
        return {message.to} if step.action.startswith("receive") else set()
    return {value for name, value in step.arguments.items() if name in ("server", "candidate", "leader")}


def leader_of(cluster: Any, down: Server | None) -> Server | None:
    """The leader of the newest term, if it has one that is up."""
    newest = max(term for _, term in cluster.current_term.items())
    leads = (at for at, role in cluster.role.items() if role == Role.LEADER and cluster.current_term[at] == newest)
    return next((at for at in leads if at != down), None)


def has_news(cluster: Any, leader: Server, follower: Server) -> bool:
    """Whether a leader has something to tell a follower, so that it is more than a heartbeat."""
    return (
        cluster.match_index[leader][follower] < len(cluster.log[leader])
        or cluster.commit_index[follower] < cluster.commit_index[leader]
        or cluster.current_term[follower] < cluster.current_term[leader]
    )
