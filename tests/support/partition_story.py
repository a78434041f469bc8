"""A partition's life as a story: three brokers, and what happens to them, step by step, in plain Python."""

from __future__ import annotations

from typing import Any

from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.values import State
from tidegate.model.partition.state import Broker

from .shipped import bind_shipped

A, B, C = (Broker(i) for i in range(3))
PLENTY = {
    "max_records": 3,
    "log_size": 3,
    "isr_shrinks": 2,
    "fences": 2,
    "crashes": 2,
    "power_losses": 2,
    "host_losses": 1,
    "shutdowns": 1,
    "unclean_elections": 1,
    "preferred_elections": 3,
    "reassignments": 2,
}


class Story:
    """Brokers A, B, C and what happens to them; A leads."""

    def __init__(self, profile: str = "kafka_4_1", *, replicas: int = 3, **constants: Any) -> None:
        given = {**PLENTY, "replicas": replicas, **constants}
        self.model = bind_shipped(f"partition:{profile}", given, called=profile)
        self.state: State = next(s for s in initial_states(self.model) if s.registered.leader == A)

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def fetch(self, leader: Broker, *followers: Broker) -> Story:
        for follower in followers:
            self.step("fetch", leader=leader, follower=follower)
        return self

    def commit(self, leader: Broker, *followers: Broker) -> Story:
        """One record is written, fetched by these, and committed."""
        self.step("produce", leader=leader).fetch(leader, *followers)
        return self.step("advance_high_watermark", leader=leader)

    def learn(self, *brokers: Broker) -> Story:
        for broker in brokers:
            self.step("learn", broker=broker)
        return self

    def drop(self, leader: Broker, follower: Broker) -> Story:
        """The leader takes a follower out of the ISR, and hears that it is out."""
        self.step("propose_shrink", leader=leader, follower=follower).step("change_isr", leader=leader)
        return self.learn(leader)

    def take_in(self, leader: Broker, follower: Broker) -> Story:
        """The leader takes a follower into the ISR, and hears that it is in."""
        self.step("propose_expansion", leader=leader, follower=follower).step("change_isr", leader=leader)
        return self.learn(leader)

    def fence(self, broker: Broker, successor: Broker) -> Story:
        return self.step("fence", broker=broker, successor=successor)

    def log(self, broker: Broker) -> list[int]:
        return [record.id for record in self.state.log[broker]]

    def isr(self) -> set[Broker]:
        return set(self.state.registered.isr)

    def elr(self) -> set[Broker]:
        return set(self.state.registered.elr)

    def false(self) -> set[str]:
        """The invariants that are false now."""
        properties = [prop for prop in self.model.properties if prop.kind == "invariant"]
        return {prop.name for prop in properties if not holds(self.model, prop, self.state)}
