"""What the tests of Kafka's uses of znodes share: a story of steps."""

from __future__ import annotations

from typing import Any

from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.values import State

from .shipped import bind_shipped


class Story:
    """A run of one of the models."""

    def __init__(self, model: str, **constants: Any) -> None:
        self.model = bind_shipped(model, constants, called=model)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def steps(self, *actions: str, **arguments: Any) -> Story:
        """Takes several, each with the same arguments."""
        for action in actions:
            self.step(action, **arguments)
        return self

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}
