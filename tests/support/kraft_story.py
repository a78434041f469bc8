"""Tells of a quorum, step by step, in plain Python: the verbs of the stories of KRaft."""

from __future__ import annotations

from typing import Any, Self

from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.model import Model
from tidegate.language.values import State
from tidegate.model.kraft.quorum import Broker, Voter
from tidegate.traces.document import Run

from .shipped import bind_shipped

A, B, C, D, E = (Voter(index) for index in range(5))
X = Broker(0)
LETTERS = "_xyz"


class Story:
    """A quorum, and what happens to it. Metadata records are called x, y, z in the order in which they are written; a
    LeaderChange record is the number of its epoch."""

    def __init__(self, profile: str, **constants: Any) -> None:
        sizes = {"max_epoch": 5, "max_records": 3, "crashes": 2, "wipes": 1, "brokers_apply": True}
        self.model: Model = bind_shipped(f"kraft:{profile}", {**sizes, **constants}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))
        self.broken: set[str] = set()
        self.disturbed = False

    def step(self, action: str, **arguments: Any) -> Self:
        """Takes one step, and notes what it breaks; StepError when it is disabled. Disturbing a leader is noted apart:
        before pre-vote it is allowed."""
        run: Run = replay(self.model, self.state, [(action, arguments)])
        before, self.state = self.state, run.steps[-1].state_after
        for prop in self.model.properties:
            states = (before, self.state) if prop.kind == "transition" else (self.state,)
            if prop.kind in ("invariant", "transition") and not holds(self.model, prop, *states):
                self.broken.add(prop.name)
        self.disturbed |= "no_disruption" in self.broken
        self.broken.discard("no_disruption")
        return self

    def time_out(self, voter: Voter) -> Self:
        """Whatever timer the voter runs expires: that of its fetches, or that of an election."""
        following = self.state.election[voter].role.name == "FOLLOWER"
        return self.step("fetch_timeout" if following else "election_timeout", voter=voter)

    def stand(self, candidate: Voter, epoch: int) -> Self:
        """The voter times out until it stands in that epoch."""
        while self.state.election[candidate].epoch < epoch:
            self.time_out(candidate)
        return self

    def elect(self, candidate: Voter, *voters: Voter, epoch: int) -> Self:
        """The candidate stands in that epoch and gets these votes; who voted learns that it leads."""
        self.stand(candidate, epoch)
        for voter in voters:
            self.step("vote", candidate=candidate, voter=voter)
        assert self.role(candidate) == "LEADER"
        for voter in voters:
            self.step("begin_quorum_epoch", leader=candidate, voter=voter)
        return self

    def fetch(self, follower: Voter, leader: Voter, *, answered: bool = True) -> Self:
        return self.step("fetch", follower=follower, leader=leader, answered=answered)

    def catch_up(self, follower: Voter, leader: Voter) -> Self:
        """The follower fetches until it has all that the leader has, and has acknowledged it."""
        while self.log(follower) != self.log(leader):
            self.fetch(follower, leader)
        return self.fetch(follower, leader)

    def write(self, controller: Voter) -> Self:
        return self.step("write", controller=controller)

    def truncate(self, follower: Voter, leader: Voter) -> Self:
        return self.step("truncate", follower=follower, leader=leader)

    def restart(self, voter: Voter, kept: int | None = None) -> Self:
        """The voter crashes and starts again, with its whole log or the first `kept` records."""
        return self.step("restart", voter=voter, kept=len(self.state.log[voter]) if kept is None else kept)

    def log(self, voter: Voter) -> str:
        return records(self.state.log[voter])

    def applied_records(self) -> str:
        """What the broker has applied."""
        return records(self.state.applied[X])

    def committed_records(self) -> str:
        """All that was ever committed."""
        return records(self.state.committed)

    def high_watermark(self, voter: Voter) -> int:
        return self.state.high_watermark[voter]

    def role(self, voter: Voter) -> str:
        return self.state.election[voter].role.name


def records(log: Any) -> str:
    return "".join(LETTERS[entry.number] if entry.number else str(entry.epoch) for entry in log)
