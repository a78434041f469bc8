"""A trace of the topic of offsets whose partitions have replicas on brokers: which release takes it, and what each of
its steps is on real brokers.

A broker copies from a leader all partitions that it follows there, and the controller completes a reassignment as soon
as all that are to stay are in sync. Steps that are one so are taken together, where the model takes them one after the
other and ends in the same state. They keep the numbers of the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....audit.kafka.versions import releases_meant
from ....invariants.catalogue import find
from ....language import judge
from ....language.constants import Value
from ....language.immutable import immutable
from ....language.model import Model
from ....language.steptext import StepError
from ....language.values import State
from ....language.verdict import Run, Step
from ..fitting import DrivenTrace, UndrivableError, constant_texts, describe_end, plan_newest, replay_trace
from ..stages import Kind, Stage, stage_fields

MODEL = "offsets_outage"
KINDS: Mapping[str, Kind] = {
    "start_broker": "commanded",
    "first_use": "commanded",
    "copy": "permitted",
    "kill": "commanded",
    "kill_at_once": "commanded",
    "lose_disk": "commanded",
    "reassign": "commanded",
    "finish_reassignment": "awaited",
    "delete_logs": "commanded",
    "produce": "commanded",
    "consume": "commanded",
    "process": "commanded",
    "commit": "commanded",
    "restart": "commanded",
    "begin_again": "awaited",
}
"""The actions that brokers, and the driver as a consumer, can be brought to, and how."""
_NO_BROKERS = "the trace has logs without brokers, which do what Kafka's may do, and no cluster does that by itself"
WHY_NOT: Mapping[str, str] = {
    "change_setting": "brokers count the partitions that the topic has, in every release with KRaft",
    "move_leader": "the driver reads as a consumer does whose topic keeps its leader",
    "log_goes_down": _NO_BROKERS,
    "log_loses": _NO_BROKERS,
    "log_comes_back": _NO_BROKERS,
}
_OF_CLIENTS = ("consumers_read_on", "processes_without_coordinator")
"""Properties of what a client is given without a coordinator, which the driver reads in its place."""
_OF_RELEASES: Mapping[str, Value | str] = {
    "shrinks_to_alive": False,
    "count_by_setting": False,
    "reads_without_coordinator": True,
}
"""What the model's switches are in every release with KRaft."""
KAFKA_15665 = (3, 8)
"""Since when a reassignment is complete only once all that are to stay are in sync."""
_WRITES = ("consume", "commit", "begin_again")
Replicas = Mapping[int, tuple[int, ...]]
"""The brokers of each partition, in the order of assignment."""
Leaders = Mapping[int, int | None]


@immutable
class Placement:
    """What the controller has of each partition in a state: its brokers in the order of assignment, and who leads; and
    the fetches that are held then, as `(follower, leader)`."""

    places: Replicas
    leaders: Leaders
    held_fetches: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class OffsetsStage(Stage):
    """One thing that the driver does, and how partitions stand before and after it."""

    was: Placement
    stands: Placement


@immutable
class OffsetsPlan:
    """A run as stages, on a release; `shows` is what it shows in the end, in words."""

    kafka: str
    model: Model
    run: Run
    stages: tuple[OffsetsStage, ...]
    shows: str

    @property
    def brokers(self) -> dict[Any, int]:
        """The node id of each broker of the model: A is 1."""
        return node_ids(self.run.start)


def node_ids(state: State) -> dict[Any, int]:
    """The node id of each broker of the model."""
    copies = next(iter(state.copies[home] for home in state.copies))
    return {broker: number for number, broker in enumerate(copies, 1)}


def homes_of(state: State) -> dict[Any, int]:
    """The number of each partition of the model."""
    return {home: number for number, home in enumerate(state.copies)}


def home_of(state: State, group: Any) -> Any:
    """The partition that a group's offsets are in."""
    homes = list(state.copies)
    return homes[list(state.position).index(group) % len(homes)]


def is_led(state: State, home: Any) -> bool:
    """Whether a broker in sync runs, which leads."""
    return len(state.in_sync[home] & state.alive) > 0


def takes_commits(state: State, group: Any) -> bool:
    """Whether a group has a coordinator that takes its commits."""
    return bool(state.made and state.logs[home_of(state, group)].available)


def committed_of(state: State, group: Any) -> int | None:
    """What a group's coordinator knows; None for no offset."""
    home = home_of(state, group)
    lines = [state.lines[home][entry] for entry in state.logs[home].committed if entry not in state.logs[home].lost]
    return next((line.offset for line in reversed(lines) if line.group == group), None)


def copy_of(state: State, home: Any, broker: Any) -> tuple[tuple[str, int], ...]:
    """What a broker has of a partition: groups and their offsets, in the order of the log."""
    lines = (state.lines[home][entry] for entry in sorted(state.copies[home][broker]))
    return tuple((str(line.group), line.offset) for line in lines)


def plan_trace(trace: DrivenTrace, asked_release: str | None, *, anyway: bool = False) -> OffsetsPlan:
    """A trace on the release that is given, or on the newest known one that takes it. UndrivableError where none
    does. `anyway` makes no difference: the driver makes the topic, and what it made in the way of an older release
    would say nothing of the one that is driven."""
    del anyway
    return plan_newest(asked_release, lambda kafka: _plan_of_model(trace, kafka, _bind_trace_model(trace)))


def _bind_trace_model(trace: DrivenTrace) -> Model:
    names = (trace.property,) if trace.property else ()
    texts = constant_texts({**trace.bounds, **_OF_RELEASES})
    return find(MODEL)[0].bind(MODEL, constants=texts, profile=None, ghosts=True, properties=names)


def _plan_of_model(trace: DrivenTrace, kafka: str, model: Model) -> OffsetsPlan:
    release = releases_meant(kafka)[0][:2]
    if release < (3, 3):
        raise UndrivableError(f"Kafka {kafka} has no KRaft for production; 3.3 and later can be driven")
    if not model.values["on_brokers"]:
        raise UndrivableError(_NO_BROKERS)
    if trace.property in _OF_CLIENTS:
        raise UndrivableError(f"{trace.property} is about what a client is given, and the driver reads in its place")
    if model.values["reassignments"] and release < KAFKA_15665 and any(one.startswith("reass") for one in trace.steps):
        raise UndrivableError(f"before 3.8 a reassignment may end without who is to stay (KAFKA-15665): Kafka {kafka}")
    run = replay_trace(model, next(iter(judge.initial_states(model))), trace, kafka)
    numbers, run = _arrange_steps(model, run)
    says = describe_end(model, run, kafka)
    return OffsetsPlan(kafka, model, run, tuple(_stages_of_run(model, run, numbers)), says)


# --- who leads --------------------------------------------------------------------------------------------------------


def _placements_of_run(run: Run) -> list[Placement]:
    """How partitions stand in each state: who leads goes on as long as it runs in sync, and the first one in the order
    of assignment that does follows it."""
    of, homes = node_ids(run.start), homes_of(run.start)
    found = [Placement({}, dict.fromkeys(homes.values()), frozenset())]
    for step in run.steps:
        places, leaders = _replica_orders(step, found[-1].places, of, homes), dict[int, int | None]()
        for home, number in homes.items():
            may = {of[one] for one in step.state_after.in_sync[home] & step.state_after.alive}
            before, order = found[-1].leaders[number], places.get(number, ())
            leaders[number] = before if before in may else next((one for one in order if one in may), None)
        found.append(Placement(places, leaders, _held_fetches(step.state_after, leaders)))
    return found


def _replica_orders(step: Step, previous_orders: Replicas, of: Mapping[Any, int], homes: Mapping[Any, int]) -> Replicas:
    """The order of assignment after a step: of a new topic, each partition begins with the next broker."""
    found = dict[int, tuple[int, ...]]()
    for home, number in homes.items():
        replicas = [of[one] for one in step.state_after.replicas[home]]
        if step.action == "first_use":
            found[number] = tuple(sorted(replicas, key=lambda one: (one - 1 - number) % len(of)))
        elif replicas:
            leaving = sorted(of[one] for one in step.state_after.removing[home])
            stay = [one for one in previous_orders[number] if one in replicas and one not in leaving]
            new = [one for one in replicas if one not in previous_orders[number]]
            found[number] = (*stay, *new, *leaving)
    return found


def _held_fetches(state: State, leaders: Leaders) -> frozenset[tuple[int, int]]:
    """The fetches that are to be held in a state: of who is not in sync, from who leads."""
    of = node_ids(state)
    return frozenset(
        (of[follower], leader)
        for home, number in homes_of(state).items()
        for follower in state.replicas[home] - state.in_sync[home]
        if (leader := leaders[number]) is not None
    )


# --- the order of steps -----------------------------------------------------------------------------------------------


def _arrange_steps(model: Model, run: Run) -> tuple[tuple[int, ...], Run]:
    """With what real brokers do in one step beside each other: the steps' numbers in the trace, and the run."""
    numbers = list(range(1, len(run.steps) + 1))
    for at in range(len(numbers)):
        if run.steps[at].action == "copy":
            numbers, run = _join_copying_steps(model, numbers, run, at)
    for at in range(len(numbers)):
        if run.steps[at].action == "finish_reassignment":
            since = next(place for place in range(at) if _ends_reassignment(run.states()[place + 1], run.steps[at]))
            numbers, run = _move_step(model, numbers, run, at, since + 1)
    return tuple(numbers), run


def _join_copying_steps(model: Model, numbers: list[int], run: Run, index: int) -> tuple[list[int], Run]:
    """With all that a broker copies of a leader at a step behind each other."""
    for place in range(index + 1, len(numbers)):
        step, first = run.steps[place], run.steps[index]
        same = step.action == "copy" and step.arguments["broker"] == first.arguments["broker"]
        if same and homes_of(run.start)[step.arguments["home"]] in _copied_partitions(run, index):
            numbers, run = _move_step(model, numbers, run, place, index + 1)
    return numbers, run


def _copied_partitions(run: Run, index: int) -> frozenset[int]:
    """The partitions that a broker copies where it may fetch from the leader of one."""
    state, given = run.states()[index], run.steps[index].arguments
    homes, leaders, broker = homes_of(state), _placements_of_run(run)[index].leaders, given["broker"]
    leader = leaders[homes[given["home"]]]
    return frozenset(
        number
        for home, number in homes.items()
        if leaders[number] == leader and broker in state.replicas[home] - state.in_sync[home]
    )


def _move_step(model: Model, numbers: list[int], run: Run, index: int, to: int) -> tuple[list[int], Run]:
    """With a step at an earlier place, if the model takes it there and comes to the same end; else as it is."""
    order = list(range(len(numbers)))
    order.insert(to, order.pop(index))
    steps = [(run.steps[place].action, run.steps[place].arguments) for place in order]
    try:
        found = judge.replay(model, run.start, steps)
    except StepError:
        return numbers, run
    if to == index or found.states()[-1] != run.states()[-1]:
        return numbers, run
    return [numbers[place] for place in order], found


def _ends_reassignment(state: State, finish: Step) -> bool:
    """Whether a reassignment can end in a state."""
    return _is_complete(state, finish.arguments["home"])


def _is_complete(state: State, home: Any) -> bool:
    under_way = len(state.adding[home]) > 0 or len(state.removing[home]) > 0
    return under_way and state.replicas[home] - state.removing[home] <= state.in_sync[home]


# --- stages -----------------------------------------------------------------------------------------------------------


def _stages_of_run(model: Model, run: Run, numbers: tuple[int, ...]) -> Iterator[OffsetsStage]:
    standings, at = _placements_of_run(run), 0
    while at < len(run.steps):
        step = run.steps[at]
        if step.action not in KINDS:
            raise UndrivableError(f"{step.action}: {WHY_NOT[step.action]}", numbers[at])
        end = _end_of_stage(run, at)
        if why := _why_stage_is_impossible(run, at, end, standings[at]):
            raise UndrivableError(f"{step.action}: {why}", numbers[at])
        parts = stage_fields(model, run, at, end, KINDS[step.action], numbers)
        yield OffsetsStage(**parts, was=standings[at], stands=standings[end + 1])
        at = end + 1


def _end_of_stage(run: Run, index: int) -> int:
    """The last of the steps that are one with a step: what else is copied with it, and reassignments that end so."""
    first, end = run.steps[index], index
    if first.action not in ("copy", "reassign"):
        return index
    left = set(_copied_partitions(run, index)) if first.action == "copy" else set[int]()
    for place in range(index + 1, len(run.steps)):
        step = run.steps[place]
        number = homes_of(run.start).get(step.arguments.get("home"), -1)
        copies = step.action == "copy" and step.arguments["broker"] == first.arguments.get("broker") and number in left
        if not copies and step.action != "finish_reassignment":
            break
        end = place
    return end


def _why_stage_is_impossible(run: Run, index: int, end: int, stands: Placement) -> str | None:
    """Why a stage cannot be had; None where it can."""
    step, before, after = run.steps[index], run.states()[index], run.states()[end + 1]
    if step.action == "copy":
        copied = {homes_of(before)[one.arguments["home"]] for one in run.steps[index : end + 1] if one.action == "copy"}
        if not _copied_partitions(run, index) <= copied:
            return "a broker copies all that it has of a leader, and the trace has one partition alone"
    if any(_is_complete(after, home) for home in after.replicas):
        return "the controller ends a reassignment as soon as all are in sync, and the trace goes on before"
    if step.action == "kill_at_once" and any(
        len(before.in_sync[home]) > 1 and not is_led(after, home) for home in before.in_sync
    ):
        return "a controller in KRaft fences one broker after the other, so that the last of them alone stays in sync"
    if step.action in _WRITES:
        return _why_write_is_impossible(before, step, stands)
    return None


def _why_write_is_impossible(state: State, step: Step, stands: Placement) -> str | None:
    """Why nothing can be written to a group's partition: who is in sync there may not fetch another one."""
    of, homes = node_ids(state), homes_of(state)
    home = home_of(state, step.arguments["group"])
    followers = (of[one] for one in state.in_sync[home] & state.alive)
    if any((follower, stands.leaders[homes[home]]) in stands.held_fetches for follower in followers):
        return "a broker is to fetch what is written there, and not what it lacks of the same leader's other partition"
    return None
