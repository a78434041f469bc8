"""A trace of a group's consumers: which release takes it, in which order its steps can be had, and what each is with
Kafka's own client and a broker.

A real consumer does several things in one poll: it joins a rebalance that it was told of, looks for its offsets as soon
as it has partitions, and begins there. Where the trace has other steps between, those are taken in an order in which
they can be had, if the model takes them in that order and ends in the same state. They keep the numbers of the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....audit.kafka.versions import releases_meant
from ....invariants.catalogue import find
from ....language import judge
from ....language.constants import Value
from ....language.containers import ModelError
from ....language.immutable import immutable
from ....language.model import Model
from ....language.steptext import StepError, parse_steps
from ....language.values import State
from ....language.verdict import Run
from ..fitting import DrivenTrace, UndrivableError, constant_texts, describe_end, model_refusal, plan_newest
from ..stages import Kind, Stage, stage_fields

MODEL = "consumer"
KINDS: Mapping[str, Kind] = {
    "produce": "commanded",
    "delete_records": "commanded",
    "add_partition": "commanded",
    "discover_partition": "awaited",
    "start_member": "commanded",
    "rejoin": "commanded",
    "notice": "commanded",
    "begin_generation": "awaited",
    "crash": "commanded",
    "session_times_out": "awaited",
    "pause": "commanded",
    "fail": "commanded",
    "begin_at_offset": "awaited",
    "reset_position": "awaited",
    "poll": "commanded",
    "process": "commanded",
    "commit": "commanded",
    "lose_commit": "commanded",
    "delay_commit": "commanded",
    "commit_again": "commanded",
    "lose_offset": "commanded",
    "truncate": "commanded",
    "detect_truncation": "permitted",
    "fail_commit": "awaited",
    "retry_commit": "commanded",
}
"""The actions that consumers and a broker can be brought to, and how."""
_ANYHOW = "no coordinator of Kafka gives and takes partitions without a generation"
WHY_NOT: Mapping[str, str] = {
    "be_given": _ANYHOW,
    "be_taken": _ANYHOW,
    "come_back": "the driver keeps no copy of a log that it cuts",
}
JOINS = ("start_member", "rejoin", "notice")
_OF_RELEASES: Mapping[str, Value | str] = {
    "any_coordinator": False,
    "fences_commits": True,
    "detects_truncation": True,
}
"""What the model's switches are in every release with KRaft."""
KIP_848, KAFKA_18641 = (3, 9), (4, 0)
"""Since when the driver has consumers of KIP-848, and since when they commit in polls alone."""
_OF_CLASSIC = (
    "pause",
    "notice",
    "rejoin",
    "fail",
    "lose_commit",
    "delay_commit",
    "commit_again",
    "discover_partition",
    "truncate",
)
"""What is driven with the classic consumer alone."""
_RETRIED: Mapping[str, Value | str] = {
    "any_coordinator": True,
    "fences_commits": False,
    "detects_truncation": True,
    "background_commit": False,
}
"""The same, where a commit of KIP-848's consumer before a rebalance is sent again, which has no generation."""
_OF_RETRIES = (
    "produce",
    "start_member",
    "begin_generation",
    "begin_at_offset",
    "poll",
    "process",
    "fail_commit",
    "retry_commit",
    "crash",
    "session_times_out",
)
"""What is driven there."""
BY_DURATION = (4, 0)
"""Since when `auto.offset.reset` may be a duration (KIP-1106)."""
DURATION, OLDER = "by_duration:PT1H", 2 * 3600
"""The duration; and the age in seconds of a record that is older, as its producer says."""


@dataclass(frozen=True)
class ConsumersStage(Stage):
    """One thing that the driver of consumers does; of a member that joins, `owners` are who is to have which partition
    when the next generation begins."""

    owners: Mapping[Any, Any] = field(default_factory=dict[Any, Any])


@immutable
class ConsumersPlan:
    """A run as stages, on a release; `shows` is what it shows in the end, in words. `oldest` is the partition that the
    topic begins with."""

    kafka: str
    model: Model
    run: Run
    stages: tuple[ConsumersStage, ...]
    shows: str
    oldest: Any

    def has(self, *actions: str) -> bool:
        """Whether one of these is in the run."""
        return any(step.action in actions for step in self.run.steps)

    @property
    def uses_kip_848(self) -> bool:
        """Whether its consumers have `group.protocol=consumer`: the trace is about what those do."""
        return bool(self.model.values["background_commit"]) or self.retries

    @property
    def retries(self) -> bool:
        """Whether a commit before a rebalance is to be sent again."""
        return bool(self.model.values["retried_commits"])

    def is_committed_in_hand(self, stage: Stage) -> bool:
        """Whether what a poll returns is committed, in the background, before all of it is processed."""
        member = stage.arguments["member"]
        later = (
            one
            for one in self.stages
            if one.first > stage.first and one.action in ("poll", "commit") and one.arguments["member"] == member
        )
        following = next(later, None)
        return following is not None and following.action == "commit" and self.is_in_background(following)

    def is_in_background(self, stage: Stage) -> bool:
        """Whether a commit is the background thread's, by KAFKA-18641: its member has something to process yet."""
        in_hand = stage.state_before.in_hand[stage.arguments["member"]]
        return self.uses_kip_848 and any(len(in_hand[partition]) > 0 for partition in stage.state_before.present)

    def is_old(self, stage: Stage) -> bool:
        """Whether a record that is written is to be older than the duration: a consumer is to begin after it."""
        written = len(stage.state_before.logs[stage.arguments["partition"]].committed)
        return any(written < since for since in self._first_offsets(stage.arguments["partition"]))

    def is_passed_over(self, stage: Stage) -> bool:
        """Whether the record at which a consumer is to begin is older than the duration, for another one's sake."""
        return any(stage.arguments["since"] < since for since in self._first_offsets(stage.arguments["partition"]))

    def _first_offsets(self, partition: Any) -> list[int]:
        """Where consumers are to begin in a partition, if a duration says where."""
        resets = [stage.arguments for stage in self.stages if stage.action == "reset_position"]
        return [
            given["since"]
            for given in resets
            if given["partition"] == partition and self.name("reset") == "BY_DURATION"
        ]

    def name(self, constant: str) -> str:
        """The name of a value of an enumeration that the model has."""
        return _constant_name(self.model, constant)


def _constant_name(model: Model, constant: str) -> str:
    return str(getattr(model.values[constant], "name", model.values[constant]))


def plan_trace(trace: DrivenTrace, asked_release: str | None, *, anyway: bool = False) -> ConsumersPlan:
    """A trace on the release that is given, or on the newest known one that takes it. UndrivableError where none
    does. `anyway`: as the trace's own model has it, on the release that is given, to see where that does otherwise."""
    return plan_newest(
        asked_release,
        lambda kafka: _plan_of_model(trace, kafka, _bind_trace_model(trace, _switches_of_release(trace, kafka))),
        (lambda kafka: _plan_of_model(trace, kafka, _bind_trace_model(trace, {}))) if anyway else None,
    )


def _switches_of_release(trace: DrivenTrace, kafka: str) -> Mapping[str, Value | str]:
    """What the model's switches are in a release, with the consumer that the trace is about."""
    before = releases_meant(kafka)[0][:2] < KAFKA_18641
    if int(str(trace.bounds.get("retried_commits", 0))):
        return _RETRIED
    return _OF_RELEASES if before else {**_OF_RELEASES, "background_commit": False}


def _bind_trace_model(trace: DrivenTrace, constants: Mapping[str, Value | str]) -> Model:
    names = (trace.property,) if trace.property else ()
    texts = constant_texts({**trace.bounds, **constants})
    return find(MODEL)[0].bind(MODEL, constants=texts, profile=None, ghosts=True, properties=names)


def _plan_of_model(trace: DrivenTrace, kafka: str, model: Model) -> ConsumersPlan:
    if releases_meant(kafka)[0][:2] < (3, 3):
        raise UndrivableError(f"Kafka {kafka} has no KRaft for production; 3.3 and later can be driven")
    _refuse_settings(model, kafka)
    oldest, numbers, run = _arrange_steps(model, trace, kafka)
    says = describe_end(model, run, kafka)
    stages = tuple(_stages_of_run(model, run, numbers))
    plan = ConsumersPlan(kafka, model, run, stages, says, oldest)
    for at, stage in enumerate(stages):
        if why := _why_stage_is_impossible(plan, at):
            raise UndrivableError(f"{stage.action}: {why}", stage.first)
    return plan


def _refuse_settings(model: Model, kafka: str) -> None:
    """What no consumer of the release has."""
    if _constant_name(model, "commits") == "TOGETHER":
        raise UndrivableError("offsets are in a database with the effects, and what that keeps is nothing of Kafka's")
    if model.values["background_commit"] and releases_meant(kafka)[0][:2] < KIP_848:
        raise UndrivableError(f"the driver has consumers of KIP-848 from 3.9 on, and not in Kafka {kafka}")
    if model.values["retried_commits"] and releases_meant(kafka)[0][:2] < KAFKA_18641:
        raise UndrivableError(f"consumers that send a commit before a rebalance again are driven from 4.0 on: {kafka}")
    if model.values["truncations"]:
        _refuse_epochs(model)
    if _constant_name(model, "reset") == "BY_DURATION" and releases_meant(kafka)[0][:2] < BY_DURATION:
        raise UndrivableError(f"auto.offset.reset is a duration from 4.0 on (KIP-1106), and not in Kafka {kafka}")


def _refuse_epochs(model: Model) -> None:
    """What is committed has a leader epoch where the consumer commits by itself, and none where the driver does."""
    auto = _constant_name(model, "commits") == "AUTO"
    if bool(model.values["commits_epochs"]) != auto or model.values["commits_on_revoke"]:
        raise UndrivableError(
            "the driver commits offsets alone, and a consumer commits its positions with their leader epochs: the "
            "trace has the one with what the other does"
        )


def compares_positions(model: Model, state: State, member: Any) -> bool:
    """Whether a member is yet to compare its positions with a log that was cut: until it has, it says none of them."""
    if not (model.values["truncations"] and model.values["detects_truncation"]):
        return False
    known = ((one, state.position[member][one], state.position_epoch[member][one]) for one in state.position[member])
    begins = ((one, state.offset[one], state.offset_epoch[one]) for one in state.owned[member])
    return any(
        _is_parted(state, *place)
        for place in (*known, *(place for place in begins if state.position[member][place[0]] is None))
    )


def _is_parted(state: State, partition: Any, offset: int | None, epoch: int | None) -> bool:
    """Whether an offset is beyond where its leader epoch ends in the log."""
    if offset is None or epoch is None:
        return False
    older = sum(state.written_in[partition][entry] <= epoch for entry in state.logs[partition].committed)
    return offset > max(state.first[partition], older)


# --- the order of steps -----------------------------------------------------------------------------------------------


Numbered = tuple[int, str]
"""A step as text, and its number in the trace."""


def _arrange_steps(model: Model, trace: DrivenTrace, kafka: str) -> tuple[Any, tuple[int, ...], Run]:
    """The run of a trace, in an order in which its steps can be had: the first partition, the steps' numbers, the
    run. UndrivableError, with the step, where the model of the release does not take the trace."""
    refused: StepError | None = None
    for _, arguments, start in judge.initial_choices(model):
        steps = list(enumerate(trace.steps, 1))
        try:
            run = _replay_steps(model, start, steps)
        except StepError as error:
            refused = refused or error
            continue
        for move in (_begin_at_once, _start_later, _lose_before):
            steps, run = move(model, steps, run)
        return arguments["oldest"], tuple(number for number, _ in steps), run
    said = str(refused).partition("; enabled here")[0]
    raise model_refusal(kafka, said) from None


def _replay_steps(model: Model, start: State, steps: Sequence[Numbered]) -> Run:
    try:
        return judge.replay(model, start, parse_steps(model, "; ".join(text for _, text in steps)))
    except ModelError as error:
        raise StepError(f"{error.action}: {error.message}") from None


def _move_step(
    model: Model, steps: list[Numbered], run: Run, index: int, places: Iterable[int]
) -> tuple[list[Numbered], Run]:
    """With a step at the first of some places at which the model takes it, and comes to the same end; else as it is."""
    for place in places:
        tried = [*steps[:index], *steps[index + 1 :]]
        tried.insert(place, steps[index])
        try:
            found = _replay_steps(model, run.start, tried)
        except StepError:
            continue
        if found.states()[-1] == run.states()[-1]:
            return tried, found
    return steps, run


def _begin_at_once(model: Model, steps: list[Numbered], run: Run) -> tuple[list[Numbered], Run]:
    """A consumer has its positions as soon as it has partitions."""
    for at in range(len(steps)):
        step = run.steps[at]
        if step.action in ("begin_at_offset", "reset_position") and _is_first_position(run, at):
            steps, run = _move_step(model, steps, run, at, range(_assigning_step(run, at) + 1, at))
    return steps, run


def _assigning_step(run: Run, index: int) -> int:
    """The step by which a member was given what it has before another step of it."""
    member, begun = run.steps[index].arguments["member"], _indexes_of_actions(run, 0, "begin_generation")
    return max(place for place in begun if place < index and member in run.steps[place].state_after.group)


def _indexes_of_actions(run: Run, since: int, *actions: str) -> list[int]:
    """Where in a run these actions are, from a step on."""
    return [place for place, step in enumerate(run.steps) if place >= since and step.action in actions]


def _is_first_position(run: Run, index: int) -> bool:
    """Whether a step that gives a member a position is the first that does."""
    given = run.steps[index].arguments
    return run.states()[index].position[given["member"]][given["partition"]] is None


def _start_later(model: Model, steps: list[Numbered], run: Run) -> tuple[list[Numbered], Run]:
    """Who starts while others run starts when they are to learn of it: they do so in their next poll."""
    for at in reversed(range(len(steps))):
        if run.steps[at].action == "start_member" and not model.values["retried_commits"]:
            later = _indexes_of_actions(run, at, "rejoin", "begin_generation")
            steps, run = _move_step(model, steps, run, at, [later[0] - 1 if later else len(steps) - 2])
    return steps, run


def _lose_before(model: Model, steps: list[Numbered], run: Run) -> tuple[list[Numbered], Run]:
    """Kafka deletes no offset of a group that has members: it is lost before there are any, where that is the same."""
    for at in range(len(steps)):
        if run.steps[at].action == "lose_offset" and run.states()[at].group:
            empty = [place for place in range(at) if not run.states()[place].group]
            steps, run = _move_step(model, steps, run, at, reversed(empty))
    return steps, run


# --- stages -----------------------------------------------------------------------------------------------------------


def _stages_of_run(model: Model, run: Run, numbers: tuple[int, ...]) -> Iterator[ConsumersStage]:
    for at, step in enumerate(run.steps):
        if step.action not in KINDS:
            why = WHY_NOT.get(step.action, "the driver has no such step")
            raise UndrivableError(f"{step.action}: {why}", numbers[at])
        later = _indexes_of_actions(run, at, "begin_generation") if step.action in JOINS else []
        owners: Mapping[Any, Any] = run.steps[later[0]].arguments["owner"] if later else {}
        yield ConsumersStage(**stage_fields(model, run, at, at, KINDS[step.action], numbers), owners=owners)


def _why_stage_is_impossible(plan: ConsumersPlan, index: int) -> str | None:
    """Why a stage cannot be had; None where it can."""
    stage = plan.stages[index]
    before, given, auto = stage.state_before, stage.arguments, plan.name("commits") == "AUTO"
    if stage.action == "reset_position" and plan.is_passed_over(stage):
        return (
            "another consumer is to pass over this record, which would have to be older and younger than the duration"
        )
    if auto and stage.action in ("commit", "rejoin", "fail") and _lacks_position(before, given["member"]):
        return "an automatic commit is of all partitions that a consumer has, and of one the trace has no position"
    if plan.uses_kip_848 and stage.action in _OF_CLASSIC:
        return "the driver does it with the classic consumer, and the trace is about that of KIP-848"
    if plan.retries:
        return _why_retry_is_impossible(stage)
    if plan.uses_kip_848 and len(stage.state_after.group) > 1:
        return "the coordinator of KIP-848 shares partitions out, and the driver does not choose how"
    uses = ("poll", "commit", "rejoin", "fail") if auto else ("poll",)
    if stage.action in uses and compares_positions(plan.model, before, given["member"]):
        return "a consumer that is to compare its positions with the log has none that it could use"
    match stage.action:
        case "truncate":
            return _why_cut_is_impossible(plan, index)
        case "detect_truncation" if plan.name("reset") == "NONE":
            return "the driver's consumers go on where a log was cut, and do not stop with `none`"
        case "poll" | "commit" if stage.action == "poll" or auto:
            return _why_poll_differs(before, given["member"])
        case "begin_at_offset" | "reset_position" if before.position[given["member"]][given["partition"]] is None:
            out_of_range = stage.action == "reset_position" and before.offset[given["partition"]] is not None
            return _why_begins_late(plan, index) or (
                _why_poll_differs(before, given["member"]) if out_of_range else None
            )
        case "reset_position":
            return _why_poll_differs(before, given["member"])
        case "lose_offset" if before.group:
            return "Kafka deletes no offset of a topic to which members of the group subscribe"
        case "delete_records":
            return _why_fetched_before(plan, index)
        case "discover_partition" if len(before.group) > 1:
            return "only the member that leads the group learns of a partition, and the driver does not choose it"
        case "lose_commit" if auto:
            return "before a rebalance a consumer sends an automatic commit again until it is answered"
        case _:
            return None


def _why_poll_differs(state: State, member: Any) -> str | None:
    """Why a member that polls would do something else."""
    if member in state.group and state.rebalancing:
        return "a member that polls joins the rebalance"
    unknown = [one for one in state.present if all(one not in state.owned[other] for other in state.owned)]
    if member in state.group and unknown:
        return "a member that polls learns of the partition that nobody has"
    return None


def _lacks_position(state: State, member: Any) -> bool:
    """Whether a member is to begin in a partition of which the group has no offset."""
    owned = state.owned[member]
    return any(state.position[member][one] is None and state.offset[one] is None for one in owned)


def _why_begins_late(plan: ConsumersPlan, index: int) -> str | None:
    """A consumer asks for its offsets when it is assigned: what it finds there must be what is there later."""
    stage, partition = plan.stages[index], plan.stages[index].arguments["partition"]
    then, now = plan.run.steps[_assigning_step(plan.run, index)].state_after, stage.state_before
    if any(
        _partition_field(then, partition, name) != _partition_field(now, partition, name)
        for name in ("offset", "first", "logs")
    ):
        return "a consumer looks where to begin as soon as it has partitions, and then it was another place"
    return None


def _partition_field(state: State, partition: Any, name: str) -> Any:
    found = getattr(state, name)[partition]
    return len(found.committed) if name == "logs" else found


def _why_retry_is_impossible(stage: ConsumersStage) -> str | None:
    """Why a stage cannot be had where a commit before a rebalance is to be sent again. A member that joins brings
    the rebalance about; what the other one may keep, it can go on reading until its commit is answered."""
    before, given = stage.state_before, stage.arguments
    match stage.action:
        case "fail_commit" if not before.rebalancing or len(before.group) < 2:
            return "a consumer commits before a rebalance, and nobody else joins the group"
        case "fail_commit" if any(before.position[given["member"]][one] is None for one in before.present):
            return "an automatic commit is of all partitions that a consumer has, and of one the trace has no position"
        case "poll" if given["member"] not in before.retrying:
            return _why_poll_differs(before, given["member"])
        case "begin_generation" if len(stage.state_after.group) > 1:
            return "the coordinator of KIP-848 shares partitions out, and the driver does not choose how"
        case action if action not in _OF_RETRIES:
            return "the driver does not do it where a commit before a rebalance is to be sent again"
        case _:
            return None


def _why_cut_is_impossible(plan: ConsumersPlan, index: int) -> str | None:
    """Why a log cannot be cut at a stage: the broker, which coordinates the group, too, starts again."""
    stage, partition = plan.stages[index], plan.stages[index].arguments["partition"]
    before = stage.state_before
    if before.rebalancing:
        return "the coordinator starts again with it, and forgets a rebalance that is under way"
    if any(before.first[one] for one in before.first):
        return "a broker that loses power may not know any more which records were deleted"
    end = len(before.logs[partition].committed)
    positions = (before.position[one][partition] for one in before.position)
    behind = any(position is not None and position < end for position in positions)
    return _why_fetched_before(plan, index) if behind else None


def _why_fetched_before(plan: ConsumersPlan, index: int) -> str | None:
    """A consumer that has polled has more in its buffer than it was given."""
    partition = plan.stages[index].arguments["partition"]
    reads = {one for one, owned in plan.stages[index].state_before.owned.items() if partition in owned}
    for stage in plan.stages[:index]:
        given = stage.arguments
        if stage.action == "poll" and given["partition"] == partition and given["member"] in reads:
            return "a member that has polled may have fetched these records already"
    return None
