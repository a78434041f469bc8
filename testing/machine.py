"""A model as a Hypothesis state machine: it drives an implementation beside the model, and the model knows the answer.

    from tidegate.language.binding import load
    from tidegate.testing import state_machine

    model = load("replica_log.py").bind()
    TestReplicaLog = state_machine(model, lambda start: SegmentedLog(), agree).TestCase

Each action of the model is a rule: where the model says that a step can happen, the step is taken in the model and the
method of the action's name is called on the implementation, with the same arguments. After every step `agree(state,
system)` compares the two. Hypothesis looks for steps after which they differ, and shrinks what it finds.

It needs `pip install '.[test]'` in the clone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from ..language.judge import initial_states, steps
from ..language.model import Model
from ..language.values import State
from ..language.verdict import Step
from ..traces.sentences import action_sentence

Agreement = Callable[[State, Any], None]


def state_machine(
    model: Model, sut: Callable[[State], Any], agree: Agreement, *, inner: Iterable[str] = ()
) -> type[RuleBasedStateMachine]:
    """A state machine class for a bound model and a system under test; its `TestCase` is what pytest runs.

    `sut(start)` makes a fresh system that corresponds to an initial state. It needs a method for every action that is
    not switched off, taking the action's parameters by name (members of domains and records as the model has them),
    except for those named in `inner`: steps of the model that the system takes by itself, or that it cannot see.
    `agree(state, system)` raises AssertionError where the system is not in the model's state; it is asked at the
    beginning and after every step.

    Raises TypeError when a system lacks a method, when the first one is made, and ValueError for an unknown name in
    `inner`.
    """
    hidden = frozenset(inner)
    unknown = sorted(hidden - {action.name for action in model.actions})
    if unknown:
        raise ValueError(f"{model.name} has no action {', '.join(unknown)}")
    names = [action.name for action in model.actions if not action.switched_off]
    body: dict[str, Any] = {
        "_model": model,
        "_sut": staticmethod(sut),
        "_agree": staticmethod(agree),
        "_called_actions": tuple(name for name in names if name not in hidden),
        **{name: _action_rule(name) for name in names},
    }
    return type(f"{model.state_name}Machine", (_Machine,), body)


class _Machine(RuleBasedStateMachine):
    """The model's state and the system, side by side."""

    _model: Model
    _sut: Callable[[State], Any]
    _agree: Agreement
    _called_actions: tuple[str, ...]

    def __init__(self) -> None:
        super().__init__()
        self.state: State | None = None
        self.system: Any = None
        self.enabled: Mapping[str, list[Step]] = {}

    @initialize(data=st.data())
    def start(self, data: st.DataObject) -> None:
        """An initial state, and the system that corresponds to it."""
        states = list(initial_states(self._model))
        state = states[0] if len(states) == 1 else data.draw(st.sampled_from(states))
        self.system = self._sut(state)
        for name in self._called_actions:
            if not callable(getattr(self.system, name, None)):
                message = (
                    f"{type(self.system).__name__} has no method {name}, which {self._model.name} has as an action"
                )
                raise TypeError(f"{message}; write one, or name it in inner=")
        self._arrive(state)

    def _arrive(self, state: State) -> None:
        self.state = state
        self.enabled = {}
        self._agree(state, self.system)
        for step in steps(self._model, state):
            self.enabled.setdefault(step.action, []).append(step)

    def take(self, name: str, data: st.DataObject) -> None:
        """A step of the model, and the same in the system."""
        choices = self.enabled[name]
        step = choices[0] if len(choices) == 1 else data.draw(st.sampled_from(choices).map(_printed_step))
        assert self.state is not None
        note(f"  {action_sentence(self._model, self._model.action(name), self.state, step.arguments)}")
        if name in self._called_actions:
            getattr(self.system, name)(**step.arguments)
        self._arrive(step.state_after)

    @precondition(lambda self: not self.enabled)
    @rule()
    def nothing_can_happen(self) -> None:
        """The model's run is over: Hypothesis needs a rule all the same."""


class _PrintedStep(Step):
    """A step that prints as its arguments, where Hypothesis reports what it drew."""

    __slots__ = ()

    def __repr__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())


def _printed_step(step: Step) -> Step:
    return _PrintedStep(step.action, step.arguments, step.state_after)


def _action_rule(name: str) -> Any:
    """The rule that takes steps of one action, enabled where the model has such a step."""

    def take(self: _Machine, data: st.DataObject) -> None:
        self.take(name, data)

    def is_enabled(self: _Machine) -> bool:  # Hypothesis writes out a partial with all that its arguments hold
        return name in self.enabled

    take.__name__ = take.__qualname__ = name
    return precondition(is_enabled)(rule(data=st.data())(take))
