"""What each step of a trace is on real brokers: commanded, permitted or awaited, and in which order brokers are
assigned, so that the controller elects whom the trace says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....language import judge
from ....language.immutable import immutable
from ....language.model import Model
from ....language.values import State
from ....language.verdict import Step
from ..family import PlanRequest
from ..fitting import UndrivableError, plan_first
from ..nodes.releases import KNOWN_RELEASES
from ..stages import Kind, Stage, stage_fields
from .fitting import FittedTrace, fit_to_release, fit_with_repair

KINDS: Mapping[str, Kind] = {
    "produce": "commanded",
    "fail_to_produce": "commanded",
    "fetch": "permitted",
    "advance_high_watermark": "awaited",
    "propose_shrink": "commanded",
    "propose_expansion": "awaited",
    "change_isr": "permitted",
    "refuse_isr_change": "permitted",
    "learn": "awaited",
    "elect_preferred": "commanded",
    "elect_uncleanly": "commanded",
    "fence": "awaited",
    "fence_alive": "commanded",
    "unfence": "permitted",
    "restart": "commanded",
    "assign_directory": "awaited",
    "elect_waiting": "commanded",
    "shut_down": "commanded",
    "crash": "commanded",
    "lose_power": "commanded",
    "lose_disk": "commanded",
    "lose_directory": "commanded",
    "lose_host": "commanded",
    "lose_controller": "commanded",
    "restore_controller": "commanded",
    "start_controller": "commanded",
    "reassign": "commanded",
    "complete_reassignment": "awaited",
    "delete_replica": "awaited",
}
"""The actions that real brokers can be brought to, and how."""
WHY_NOT: Mapping[str, str] = {
    "produce_again": "the driver sends each record once",
    "answer_late": "it is a race within a broker, which no gate between brokers reaches",
    "cut_late": "it is a race within a broker, which no gate between brokers reaches",
    "truncate": "brokers since 2.7 truncate when they fetch",
    "shrink_isr": "it writes to ZooKeeper, and only clusters in KRaft are driven",
    "expand_isr": "it writes to ZooKeeper, and only clusters in KRaft are driven",
    "register": "a broker that starts is unfenced at once: `restart` is both",
    "cancel_reassignment": "a reassignment is driven that is complete at once",
    "drop_followers": "each follower that lags is driven out of the ISR by a request of its own",
    "register_before_fenced": "a broker that starts was fenced before, which is awaited",
    "clear_elr": "the driver sets no min.insync.replicas while it drives",
    "fence_again": "a broker that is shut down is fenced by itself: `shut_down` is both",
    "unseat": "the driver asks for no election while a broker that is fenced leads",
    "end_uncleanly": "a broker dies while it is up: `crash`",
    "shut_down_fenced": "a broker that is fenced is shut down at random (--random) only",
    "restart_unnoticed": "brokers in KRaft register anew, so that no restart goes unnoticed",
}
STOPS = ("crash", "lose_power", "lose_disk", "lose_host")
CONTROLLERS = ("lose_controller", "restore_controller", "start_controller")
QUICK = frozenset({*STOPS, *CONTROLLERS, "produce", "learn", "advance_high_watermark", "fetch"})
"""Steps that take less than a short session, so that a broker that stops may be fenced after them. Where controllers
come back, sessions begin anew."""


@dataclass(frozen=True)
class PartitionStage(Stage):
    """One thing that the driver of brokers does. `isr` is what a leader is to ask for; `bait`: a record is written
    first that the follower lacks; `abreast` are followers that go on fetching meanwhile. `unaware` hear nothing of the
    controller from here on, until they are to learn. `majority_before` and `majority_after`: whether a majority of the
    controllers is up before, and after."""

    isr: frozenset[Any] = frozenset()
    bait: bool = False
    abreast: frozenset[Any] = frozenset()
    unaware: frozenset[Any] = frozenset()
    majority_before: bool = True
    majority_after: bool = True


@immutable
class PartitionPlan:
    """A run as stages. `order` is the order of assignment, the first one leads. Clocks in milliseconds: `session`
    after which a silent broker is fenced, `lag` after which a follower is out of sync. `is_repaired`: its settings
    are to keep what the trace loses."""

    fitted_trace: FittedTrace
    order: tuple[Any, ...]
    stages: tuple[PartitionStage, ...]
    session: int
    lag: int
    is_repaired: bool = False

    @property
    def kafka(self) -> str:
        """The release."""
        return self.fitted_trace.kafka

    @property
    def shows(self) -> str:
        """What it shows in the end beside what is lost; "" where that is nothing."""
        return self.fitted_trace.visible_fault or ""


def plan_trace(request: PlanRequest) -> PartitionPlan:
    """The plan of a trace, with its own settings or with the repair's; where no release is given, on the first that
    keeps the record with these. UndrivableError, with why, where there is none."""
    trace, kafka = request.trace, request.kafka
    fitted = fit_to_release(trace, kafka, anyway=request.anyway)
    if not request.is_repaired:
        return plan_run(fitted)
    releases = dict.fromkeys([kafka] if kafka is not None else [fitted.kafka, *KNOWN_RELEASES])

    def plan(release: str) -> PartitionPlan:
        return replace(
            plan_run(fit_with_repair(trace, release, request.constants, fitted.lost_records_of)), is_repaired=True
        )

    return plan_first(releases, plan)


def plan_run(fitted_trace: FittedTrace) -> PartitionPlan:
    """How a run is driven. UndrivableError, with the step, where that cannot be."""
    steps = fitted_trace.run.steps
    for number, step in zip(fitted_trace.numbers, steps, strict=True):
        if step.action not in KINDS:
            why = WHY_NOT.get(step.action, "the driver has no such step")
            raise UndrivableError(f"{step.action}: {why}", number)
    _refuse_running(fitted_trace)
    _refuse_stale(fitted_trace)
    stages = tuple(_stages_of_trace(fitted_trace))
    _refuse_fenced_together(stages)
    shrinks = any(step.action == "propose_shrink" for step in steps)
    lag = 3_000 if shrinks else 600_000
    return PartitionPlan(
        fitted_trace, _replica_order(fitted_trace), stages, 3_000 if _fenced_at_once(steps) else 12_000, lag
    )


def _refuse_running(fitted_trace: FittedTrace) -> None:
    """A directory is taken from a broker that is down: one that runs finds out in its own time that it is gone."""
    for number, before, step in zip(
        fitted_trace.numbers, fitted_trace.run.states(), fitted_trace.run.steps, strict=False
    ):
        if step.action == "lose_directory" and step.arguments["broker"] in before.up:
            raise UndrivableError("lose_directory: the broker runs, and finds out when it next uses the disk", number)


def _refuse_stale(fitted_trace: FittedTrace) -> None:
    """A leader asks for a follower as that one fetches. What it goes by is what the follower has, but in a race within
    the leader, between a fetch from before the follower's restart and the registration from after it."""
    for number, before, step in zip(
        fitted_trace.numbers, fitted_trace.run.states(), fitted_trace.run.steps, strict=False
    ):
        if step.action == "propose_expansion":
            leader, follower = step.arguments["leader"], step.arguments["follower"]
            if before.fetch_offset[leader][follower] > len(before.log[follower]):
                why = "the leader goes by more than the follower has, which is a race within a broker (KAFKA-15221)"
                raise UndrivableError(f"propose_expansion: {why}, and no gate between brokers reaches it", number)


def _has_controller_majority(model: Model, state: State) -> bool:
    """Whether a majority of the controllers is up."""
    if model.values["co_located"]:
        return 2 * len(state.voters_down) < len(list(state.log))
    return 2 * state.controllers_down < int(str(model.values["voters"]))


def _refuse_fenced_together(stages: Sequence[PartitionStage]) -> None:
    """Where controllers come back sessions begin anew, and those of brokers that are down end at the same time."""
    for stage in stages:
        down = [
            one
            for one in stage.state_after.log
            if one not in stage.state_after.up and one not in stage.state_after.fenced
        ]
        if stage.majority_after and not stage.majority_before and len(down) > 1:
            names = " and ".join(map(str, down))
            raise UndrivableError(f"{names} are down when controllers are back, and are fenced together", stage.first)


def _fenced_at_once(steps: Sequence[Step]) -> bool:
    """Whether every broker that stops is fenced after nothing but quick steps, so that a short session will do."""
    for at, step in enumerate(steps):
        if step.action in STOPS:
            rest = itertools.takewhile(lambda one: one.action != "fence", steps[at:])
            if not all(one.action in QUICK for one in rest):
                return False
    return True


# --- stages -----------------------------------------------------------------------------------------------------------


def _stages_of_trace(fitted_trace: FittedTrace) -> Iterator[PartitionStage]:
    states, steps, at = fitted_trace.run.states(), fitted_trace.run.steps, 0
    unaware = _unaware_brokers(states, steps)
    while at < len(steps):
        end = at
        more: dict[str, Any] = {}
        if steps[at].action == "propose_shrink":
            end, more = _shrink_stage(fitted_trace, at)
        leave = frozenset[Any]()
        if steps[at].action == "assign_directory" and steps[at].arguments["broker"] not in states[at].up:
            end = _end_of_start(fitted_trace, at)
        if steps[at].action == "reassign":
            end, leave = _end_of_reassignment(fitted_trace, at)
        yield PartitionStage(
            **stage_fields(
                fitted_trace.model, fitted_trace.run, at, end, KINDS[steps[at].action], fitted_trace.numbers
            ),
            unaware=leave | frozenset(unaware.get(at, ())),
            majority_before=_has_controller_majority(fitted_trace.model, states[at]),
            majority_after=_has_controller_majority(fitted_trace.model, states[end + 1]),
            **more,
        )
        at = end + 1


def _shrink_stage(fitted_trace: FittedTrace, index: int) -> tuple[int, dict[str, Any]]:
    """A follower lags. A leader asks for all that lag to be taken out, in one request: where several do, the trace's
    steps until all of them are out are one thing."""
    states, steps = fitted_trace.run.states(), fitted_trace.run.steps
    state, leader, follower = states[index], steps[index].arguments["leader"], steps[index].arguments["follower"]
    isr = frozenset(state.view[leader].isr)
    bait = state.log[follower] == state.log[leader]
    others = isr - {leader, follower}
    lagging = {one for one in others if state.log[one] != state.log[leader] or (bait and one not in state.up)}
    if not lagging:
        return index, {"isr": isr - {follower}, "bait": bait, "abreast": others if bait else frozenset[Any]()}
    end = _step_after_all_are_out(steps, index, leader, {follower, *lagging})
    if end is None or not fitted_trace.model.values["keep_epoch"]:
        names = " and ".join(sorted(map(str, {follower, *lagging})))
        why = f"{names} lag at the same time, and Kafka takes all that lag out of the ISR in one request"
        raise UndrivableError(why, fitted_trace.numbers[index])
    return end, {"isr": isr - {follower} - lagging, "bait": bait, "abreast": others - lagging if bait else frozenset()}


def _end_of_reassignment(fitted_trace: FittedTrace, index: int) -> tuple[int, frozenset[Any]]:
    """A reassignment to brokers that are all in sync is complete in the request that asks for it
    (PartitionChangeBuilder.completeReassignmentIfNeeded). Who leaves has its copy until it learns of that."""
    states, steps = fitted_trace.run.states(), fitted_trace.run.steps
    if index + 1 == len(steps) or steps[index + 1].action != "complete_reassignment":
        why = "the driver reassigns to brokers that are all in sync, which is complete at once"
        raise UndrivableError(f"reassign: {why}", fitted_trace.numbers[index])
    return index + 1, frozenset(states[index].assignment.replicas - states[index + 2].assignment.replicas)


def _step_after_all_are_out(steps: Sequence[Step], index: int, leader: Any, who: set[Any]) -> int | None:
    """The step at which the controller has taken all of these out of the ISR; None where something else happens
    first."""
    left, asked = set(who), None
    for number in range(index, len(steps)):
        step = steps[number]
        if step.action == "propose_shrink" and step.arguments["follower"] in left:
            asked = step.arguments["follower"]
        elif step.action == "change_isr" and step.arguments["leader"] == leader:
            left.discard(asked)
            if not left:
                return number
        elif step.action != "learn":
            return None
    return None


def _end_of_start(fitted_trace: FittedTrace, index: int) -> int:
    """The step in which a broker starts that has said before where its copy is: both are one start."""
    after = index + 1
    steps = fitted_trace.run.steps
    if after == len(steps) or (steps[after].action, steps[after].arguments["broker"]) != (
        "restart",
        steps[index].arguments["broker"],
    ):
        raise UndrivableError(
            "assign_directory: a broker that is down says it as it starts", fitted_trace.numbers[index]
        )
    return after


def _unaware_brokers(states: Sequence[State], steps: Sequence[Step]) -> dict[int, set[Any]]:
    """Who must hear nothing of the controller, from which step on: brokers that act while they have not learned."""
    found = dict[int, set[Any]]()
    for at, step in enumerate(steps):
        for broker in _acting_brokers(step):
            since = at
            while since > 0 and _is_behind(states[since], broker):
                since -= 1
            if since < at:
                found.setdefault(since, set()).add(broker)
    return found


def _acting_brokers(step: Step) -> list[Any]:
    """The brokers that act on what they know of the partition."""
    if step.action not in ("produce", "fetch", "propose_shrink", "propose_expansion", "advance_high_watermark"):
        return []
    return [step.arguments["leader"], *([step.arguments["follower"]] if step.action == "fetch" else [])]


def _is_behind(state: State, broker: Any) -> bool:
    """Whether a broker that is up has not learned of the newest leader."""
    view, registered = state.view[broker], state.registered
    known = view.leader == registered.leader and view.leader_epoch == registered.leader_epoch
    return broker in state.up and not known


# --- the order of assignment ------------------------------------------------------------------------------------------


def _replica_order(fitted_trace: FittedTrace) -> tuple[Any, ...]:
    """An order of the replicas in which the controller, which goes by it, elects whom the run says."""
    brokers = tuple(fitted_trace.run.start.log)
    choices = list(_controller_choices(fitted_trace))
    leader = fitted_trace.run.start.registered.leader
    for order in itertools.permutations(brokers):
        if order[0] == leader and all(
            _preferred_replica(order, moved, who) == chosen for moved, who, chosen in choices
        ):
            return order
    raise UndrivableError("no order of the replicas makes the controller elect whom the trace says")


def _preferred_replica(order: Sequence[Any], moved_replicas: Sequence[Any], who: frozenset[Any]) -> Any:
    """Whom the controller prefers of some, once some were moved to the front of the order."""
    now = list(order)
    for broker in moved_replicas:
        now.remove(broker)
        now.insert(0, broker)
    return next(one for one in now if one in who)


def _controller_choices(fitted_trace: FittedTrace) -> Iterator[tuple[tuple[Any, ...], frozenset[Any], Any]]:
    """Each choice of the controller: who was moved to the front before, among whom it chooses, and whom it takes."""
    moved = tuple[Any, ...]()
    for before, step in zip(fitted_trace.run.states(), fitted_trace.run.steps, strict=False):
        if step.action == "elect_preferred":
            moved = (*moved, step.arguments["broker"])
        if step.action == "complete_reassignment":  # the driver asks for an order in which it is the first
            moved = (*moved, step.arguments["successor"])
            continue
        if step.action == "elect_uncleanly":
            alive = frozenset(before.assignment.replicas - before.fenced)
            yield moved, alive, step.arguments["broker"]
        elif "successor" in step.arguments and step.state_after.registered.leader is not None:
            fixed = {name: value for name, value in step.arguments.items() if name != "successor"}
            possible = [
                other.arguments["successor"]
                for other in judge.steps(fitted_trace.model, before)
                if other.action == step.action and fixed.items() <= other.arguments.items()
            ]
            if len(possible) > 1:
                yield moved, frozenset(possible), step.arguments["successor"]
