"""What the controller is asked for each step of the model: its requests, its own tasks, and sessions that end.

Brokers' own steps are taken by the model alone, and are no call; what a broker asks of the controller then is what the
model has it ask. So is how a broker starts: whether its last stop was a clean one, and which directories it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

from ....language import judge
from ....language.immutable import immutable
from ....language.model import Model
from ....language.values import State
from ....language.verdict import Run, Step
from ..hosting import Step as Call
from .controller import ControllerSettings

DIRECTORIES = 2
"""How many directories a broker has."""
WHY_NOT: Mapping[str, str] = {
    "shrink_isr": "it writes to ZooKeeper",
    "expand_isr": "it writes to ZooKeeper",
    "take_over": "it is of a controller on ZooKeeper",
    "elect_offline": "it is of a controller on ZooKeeper",
    "fence_both": "it is of a controller on ZooKeeper",
    "restart_unnoticed": "brokers in KRaft register anew, so that no restart goes unnoticed",
    "fence_again": "it is of releases before KAFKA-15021",
}
"""Actions that the controller of a release that is hosted cannot be brought to."""
LEFT_OUT: Mapping[str, str] = {
    "lose_disk, lose_directory": "of a broker that is not fenced: the model's controller knows at once that it is "
    "gone, and may move leadership before it can; Kafka's learns of it when the broker is fenced or registers. And of "
    "one that has a new copy",
    "reassign": "where it is complete by what else happens than a change of the ISR: in Kafka then in the partition's "
    "next record, in the model in a step of its own",
    "elect_waiting": "while somebody could be elected and is not yet, its directory having become known, nothing else "
    "of the controller is drawn but unfence: Kafka elects with the next record that it makes of the partition, of a "
    "broker that stops or registers if it is in the ISR alone; the model with each of these, and never as a directory "
    "is assigned",
    "unseat": "and anything else of the controller once a fenced last known leader was elected (KAFKA-19522, 4.0): how "
    "it goes on depends on which request comes next",
    "register_before_fenced": "who registers before it is fenced (KAFKA-18106, before 4.0) leads on, though fenced, "
    "until something else is asked of the partition, which the model has not",
    "register": "of a broker that was in an ELR which has been cleared since: Kafka keeps it in its index of ELRs "
    "(ReplicationControlManager.removeTopicElrs), and may make one leader epoch more",
}
"""What is not drawn, by action, since the model is known to be otherwise there, or, as said last, Kafka is."""
_CHANGES = frozenset(
    {
        "_order",
        "_directories",
        "_copy",
        "_made",
        "_is_current",
        "_is_alive",
        "_lives",
        "_asked",
        "_is_assigned",
        "_forgotten",
    }
)
"""What a writer changes."""
_WAITING = ("elect_waiting", "unfence")
"""Steps of the controller that may come while the partition waits for an election."""
_CHOICES = {"elect_waiting": "broker", "elect_uncleanly": "broker"}
"""The argument that says whom the controller elects, where it is not `successor`."""
_COMPLETES = ("reassign", "change_isr", "drop_followers")
"""Steps by which a reassignment may be complete, which Kafka does in the same record."""


@immutable
class StageCalls:
    """The calls of a step of the model, and the brokers that have registered the directories that they have after it.
    `is_compared`: not where Kafka does the next step in one with this one."""

    calls: tuple[Call, ...]
    registered_brokers: frozenset[int]
    is_compared: bool


class CallWriter:
    """Writes the calls of a run's steps, one after the other. Brokers are numbered from 1 on; they are assigned in this
    order."""

    def __init__(self, model: Model, start: State) -> None:
        self._model = model
        self.numbers: dict[Any, int] = {broker: number for number, broker in enumerate(start.log, 1)}
        self._order = list(start.log)
        self._directories = {broker: tuple(range(1, DIRECTORIES + 1)) for broker in start.log}
        self._copy = dict.fromkeys(start.log, 1)
        self._made = dict.fromkeys(start.log, DIRECTORIES)
        self._is_current = dict.fromkeys(start.log, True)
        """Whether a broker has registered the directories that it has."""
        self._is_alive = dict.fromkeys(start.log, True)
        """Whether a broker has registered since it stopped last."""
        self._lives = dict.fromkeys(start.log, 0)
        self._asked: dict[Any, dict[Any, int]] = {}
        """The lives of all brokers at the time when a leader asked for its change of the ISR."""
        self._completes = False
        self._is_assigned = dict.fromkeys(start.log, True)
        """Whether a broker has said in which directory its copy is: not of one that is new."""
        self._forgotten: dict[Any, bool] = {}
        """Who was in an ELR that was cleared."""

    def settings(self) -> ControllerSettings:
        """What is hosted for the model's settings."""
        values = self._model.values
        numbers = tuple(self.numbers[broker] for broker in self._order)
        min_isr, unclean, elr = int(str(values["min_isr"])), bool(values["unclean"]), bool(values["elr"])
        return ControllerSettings(len(numbers), numbers, DIRECTORIES, min_isr, unclean, elr)

    def next_writer(self, state: State, step: Step) -> tuple[CallWriter, StageCalls] | None:
        """The calls of a step, and who writes those after it; None where Kafka's controller cannot be brought to it."""
        if step.action in WHY_NOT or self._completes != (step.action == "complete_reassignment"):
            return None
        after = self._make_copy()
        calls = after._calls_of(state, step)
        if calls is None or not after._is_choice(state, step):
            return None
        after._completes = after._is_complete(step.state_after) and not self._completes
        if after._completes and step.action not in _COMPLETES and not self._is_complete(state):
            return None
        if self._is_left_out(state, step):
            return None
        registered = frozenset(self.numbers[broker] for broker, is_current in after._is_current.items() if is_current)
        return after, StageCalls(calls, registered, not after._completes)

    def _make_copy(self) -> CallWriter:
        made = copy(self)
        made.__dict__ |= {name: copy(value) for name, value in vars(self).items() if name in _CHANGES}
        return made

    def _is_left_out(self, state: State, step: Step) -> bool:
        """Whether a step is one of `LEFT_OUT`."""
        broker = step.arguments.get("broker")
        is_call = hasattr(self, f"_{step.action}")
        if is_call and state.registered.leader in state.fenced:
            return True
        if (
            is_call
            and step.action not in _WAITING
            and state.registered.leader is None
            and self._possible(state, "elect_waiting", "broker")
        ):
            return True
        if step.action in ("lose_disk", "lose_directory"):
            return broker not in state.fenced or not self._is_assigned[broker]
        return step.action == "register" and broker in self._forgotten

    # --- what the model leaves open and Kafka does not ----------------------------------------------------------------

    def _is_choice(self, state: State, step: Step) -> bool:
        """Whether the controller elects whom the step says: the first in the order of assignment that it may."""
        name = _CHOICES.get(step.action, "successor")
        if step.action == "elect_preferred":
            return step.arguments["broker"] == self._order[0]
        if step.action == "elect_uncleanly" and self._possible(state, "elect_waiting", "broker"):
            return False
        if name not in step.arguments or step.state_after.registered.leader is None:
            return True
        possible = self._possible(state, step.action, name, step.arguments)
        return step.arguments[name] == min(possible, key=self._order.index)

    def _possible(
        self, state: State, action_name: str, argument_name: str, arguments: Mapping[str, Any] | None = None
    ) -> list[Any]:
        """Who may stand for an argument of an action, the others given."""
        action, others = self._model.action(action_name), dict(arguments or {})

        def is_possible(broker: Any) -> bool:
            return isinstance(judge.attempt(self._model, state, action, others | {argument_name: broker}), State)

        return list(filter(is_possible, self._order))

    def _is_complete(self, state: State) -> bool:
        """Whether a reassignment is to be complete."""
        return bool(self._possible(state, "complete_reassignment", "successor"))

    # --- calls --------------------------------------------------------------------------------------------------------

    def _calls_of(self, state: State, step: Step) -> tuple[Call, ...] | None:
        write: Callable[[State, Step], tuple[Call, ...] | None] | None = getattr(self, f"_{step.action}", None)
        return () if write is None else write(state, step)

    def _number(self, step: Step, argument: str = "broker") -> int:
        return self.numbers[step.arguments[argument]]

    def _propose_shrink(self, state: State, step: Step) -> tuple[Call, ...]:
        del state
        self._asked[step.arguments["leader"]] = dict(self._lives)
        return ()

    _propose_expansion = _propose_shrink

    def _change_isr(self, state: State, step: Step) -> tuple[Call, ...]:
        del state
        leader = step.arguments["leader"]
        return (self._altered_isr(leader, step.state_after.registered.isr, self._asked[leader]),)

    def _refuse_isr_change(self, state: State, step: Step) -> tuple[Call, ...]:
        leader = step.arguments["leader"]
        isr = [*state.registered.isr, state.request[leader].broker]
        return (self._altered_isr(leader, isr, self._asked[leader]),)

    def _drop_followers(self, state: State, step: Step) -> tuple[Call, ...]:
        del state
        return (self._altered_isr(step.arguments["leader"], step.state_after.registered.isr, self._lives),)

    def _altered_isr(self, leader: Any, isr: Any, lives: Mapping[Any, int]) -> Call:
        """AlterPartition: each member with how many lives ago the leader knew it."""
        members = [
            number
            for broker in self._order
            if broker in isr
            for number in (self.numbers[broker], 0 if broker == leader else self._lives[broker] - lives[broker])
        ]
        return ("alter_isr", self.numbers[leader], 0, *members)

    def _elect_preferred(self, state: State, step: Step) -> tuple[Call, ...]:
        del state, step
        return (("elect", 0),)

    _unseat = _elect_preferred

    def _elect_uncleanly(self, state: State, step: Step) -> tuple[Call, ...]:
        del state, step
        return (("elect", 1),)

    def _elect_waiting(self, state: State, step: Step) -> tuple[Call, ...]:
        del state, step
        return ("balance",), ("elect_uncleanly",)

    def _clear_elr(self, state: State, step: Step) -> tuple[Call, ...]:
        del step
        self._forgotten |= dict.fromkeys(state.registered.elr, True)
        return (("set_min_isr", 1, int(str(self._model.values["min_isr"]))),)  # of a topic only another value does

    def _fence(self, state: State, step: Step) -> tuple[Call, ...]:
        del state
        return ("silence", self._number(step)), ("fence",)

    _fence_alive = _fence

    def _unfence(self, state: State, step: Step) -> tuple[Call, ...]:
        del state
        return (("heartbeat", self._number(step), 0, 0),)

    def _register(self, state: State, step: Step) -> tuple[Call, ...]:
        broker = step.arguments["broker"]
        self._is_alive[broker] = self._is_current[broker] = True
        self._lives[broker] += 1
        is_clean = int(broker not in state.unclean)
        number = self.numbers[broker]
        return ("silence", number), ("register", number, is_clean, *self._directories[broker])

    _register_before_fenced = _register

    def _restart(self, state: State, step: Step) -> tuple[Call, ...]:
        registers = () if self._is_alive[step.arguments["broker"]] else self._register(state, step)
        return (*registers, ("heartbeat", self._number(step), 0, 0))

    def _assign_directory(self, state: State, step: Step) -> tuple[Call, ...] | None:
        if step.arguments["broker"] not in state.assignment.replicas:
            return None  # nobody says it of a copy that is to go
        self._is_assigned[step.arguments["broker"]] = True
        return (("assign", self._number(step), self._copy[step.arguments["broker"]]),)

    def _move_directory(self, state: State, step: Step) -> tuple[Call, ...] | None:
        broker = step.arguments["broker"]
        self._copy[broker] = next(one for one in self._directories[broker] if one != self._copy[broker])
        return self._assign_directory(state, step)

    def _shut_down(self, state: State, step: Step) -> tuple[Call, ...]:
        self._crash(state, step)
        return ("stop", self._number(step)), *self._end_session(step)

    def _shut_down_fenced(self, state: State, step: Step) -> tuple[Call, ...]:
        self._crash(state, step)
        return ("heartbeat", self._number(step), 0, 1), *self._end_session(step)

    def _end_session(self, step: Step) -> tuple[Call, ...]:
        """From 4.0 on the session of a broker that was shut down ends, too, and it is fenced once more; that may elect
        a leader as a first time does, and comes here before anything else has happened."""
        return ("silence", self._number(step)), ("fence",)

    def _crash(self, state: State, step: Step) -> tuple[Call, ...]:
        del state
        self._is_alive[step.arguments["broker"]] = False
        return ()

    _lose_power = _lose_host = _end_uncleanly = _crash

    def _lose_disk(self, state: State, step: Step) -> tuple[Call, ...]:
        broker, made = step.arguments["broker"], self._made[step.arguments["broker"]]
        self._directories[broker] = tuple(range(made + 1, made + 1 + DIRECTORIES))
        self._copy[broker], self._made[broker] = made + 1, made + DIRECTORIES
        self._is_current[broker] = False
        return self._crash(state, step)

    def _lose_directory(self, state: State, step: Step) -> tuple[Call, ...]:
        broker = step.arguments["broker"]
        left = next(one for one in self._directories[broker] if one != self._copy[broker])
        self._made[broker] += 1
        self._directories[broker], self._copy[broker] = (left, self._made[broker]), left
        self._is_current[broker] = False
        return self._crash(state, step)

    def _restore_controller(self, state: State, step: Step) -> tuple[Call, ...]:
        del state, step
        return (("fail_over",),)

    def _reassign(self, state: State, step: Step) -> tuple[Call, ...]:
        target = step.arguments["target"]
        wanted = [broker for broker in self._brokers_in_order(state) if broker in target]
        leaving = sorted((broker for broker in state.assignment.replicas if broker not in target), key=self._number_of)
        self._order = [*wanted, *leaving, *(broker for broker in self._order if broker not in (*wanted, *leaving))]
        self._is_assigned |= dict.fromkeys(set(target) - set(state.assignment.replicas), False)
        return (("reassign", *(self.numbers[broker] for broker in wanted)),)

    def _cancel_reassignment(self, state: State, step: Step) -> tuple[Call, ...]:
        del state, step
        return (("cancel",),)

    def _number_of(self, broker: Any) -> int:
        return self.numbers[broker]

    def _brokers_in_order(self, state: State) -> Sequence[Any]:
        """Those that hold a copy first, in the order of assignment, and then the others."""
        return sorted(self._order, key=lambda broker: broker not in state.assignment.replicas)


def write_calls(model: Model, run: Run) -> tuple[ControllerSettings, tuple[StageCalls, ...]] | None:
    """The calls of each step of a run; None where Kafka's controller cannot be brought to one of them."""
    writer, stages = CallWriter(model, run.start), list[StageCalls]()
    settings = writer.settings()
    for state, step in zip(run.states(), run.steps, strict=False):
        following = writer.next_writer(state, step)
        if following is None:
            return None
        writer, stage = following
        stages.append(stage)
    return settings, tuple(stages)
