"""Does Kafka's controller do what the model's does? Runs of the model, with the steps of its controller taken on a
release's own classes, and what is on record compared after each step.

Of drawn runs what was seldom taken comes first. Where the two differ, steps are left out while they still do.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, product

from ....audit.kafka.profiles import FIRST_ELR
from ....language import judge
from ....language.immutable import immutable
from ....language.model import Model
from ....language.values import State
from ....language.verdict import Run, Step
from ....traces.sentences import action_sentence
from ...driving.fitting import DrivenTrace
from ...driving.nodes.releases import Release
from ...driving.partition.fitting import MODEL, bind_to_release
from ..hosting import Host, HostedWorld
from ..program import CONTROLLER, HostError
from ..shrinking import leave_out_steps, run_without
from .calls import WHY_NOT, CallWriter, StageCalls, write_calls
from .compared import PartitionRecord, differing_fields, record_of_kafka, record_of_model
from .controller import CallResult, ControllerSettings, HostedPartition

RELEASES = ("4.4.0", "4.3.1", "4.2.0", "4.1.1", "4.0.0", "3.9.1", "3.7.2")
"""Releases that are known to be hosted, newest first."""
LENGTH = 40
"""The most steps of a run."""
BOUNDS: Mapping[str, int | str] = {
    "replicas": 3,
    "max_records": 1,
    "log_size": 1,
    "max_leader_epoch": 14,
    "host_losses": 0,
    "power_losses": 0,
    **dict.fromkeys(("isr_shrinks", "fences", "shutdowns", "crashes"), 4),
    **dict.fromkeys(("disk_losses", "directory_losses", "directory_moves"), 2),
    **dict.fromkeys(("preferred_elections", "unclean_elections"), 2),
    **dict.fromkeys(("reassignments", "cancellations"), 4),
    "controller_losses": 1,
    **dict.fromkeys(("register_apart", "stop_fenced", "drop_together"), "true"),
}
"""What runs are drawn within. Steps that are "in fact so" are taken apart, as Kafka takes them."""
PERIODIC: Mapping[str, int] = {"learn": 3, "fetch": 3, "propose_expansion": 3, "change_isr": 12}
"""Steps that come more often than what was seldom taken would have it: without them nobody comes back into the ISR."""
_NEWS = ("learn",) * 3
MOVES = (
    *("reassign", "complete_reassignment", *_NEWS, "propose_shrink", "change_isr", *_NEWS),
    *("reassign", *_NEWS, "propose_expansion", "change_isr", "complete_reassignment", "cancel_reassignment"),
    *("delete_replica", "reassign", "fence_alive"),
)
"""Actions that every third run begins with, each where it is possible, with min.insync.replicas=2: a replica leaves the
ISR, in which fewer stay, and is added again. Drawn runs seldom come to that."""


@immutable
class RecordDifference:
    """Where Kafka's controller does otherwise than the model: the model, of which release it is, its run up to there,
    in words, what was asked of Kafka and answered, what the model has on record and what Kafka has, the fields that
    differ, and why it is one where that is not the record."""

    kafka: str
    model: Model
    model_of: str
    run: Run
    says: tuple[str, ...]
    calls: tuple[str, ...]
    of_model: PartitionRecord
    of_kafka: PartitionRecord
    fields: tuple[str, ...]
    why: str

    @property
    def signature(self) -> str:
        """What differences of one kind have in common: the last action and the fields that differ."""
        return f"{self.run.steps[-1].action}: {', '.join(self.fields)}"


@immutable
class ControllerReach:
    """How far was looked: runs, steps with what is on record compared, calls of Kafka's code, pairs of actions that
    were taken in a row, the actions that were taken, and those of the model that never were. And seconds, whether it
    ended before it was to, and why where it was not interrupted."""

    runs: int
    steps: int
    calls: int
    pairs: int
    actions: tuple[str, ...]
    never: tuple[str, ...]
    seconds: float
    cut: bool = False
    why: str = ""


@cache
def hosted_model(kafka: str, elr: bool, min_isr: int, unclean: bool) -> Model:
    """The model of a partition with the switches of a release, and the settings that are given."""
    asked = {"min_isr_is_set": str(elr).lower(), "min_isr": min_isr, "unclean": str(unclean).lower()}
    return bind_to_release(DrivenTrace(BOUNDS, (), "", "", MODEL), kafka, elr, asked)


def _parts(kafka: str) -> tuple[int, ...]:
    return tuple(map(int, kafka.split(".")))[:2]


def hosted_models(kafka: str) -> list[Model]:
    """The models that runs are drawn of: with ELR, where a release has it, and without; min.insync.replicas of 2, 1 and
    3; clean elections, and unclean ones."""
    elr = (True, False) if _parts(kafka) >= FIRST_ELR else (False,)
    return [hosted_model(kafka, *settings) for settings in product(elr, (2, 1, 3), (False, True))]


class ControllerRuns:
    """Runs of the model, taken on a release's controller."""

    def __init__(self, host: HostedWorld, seed: int, kafka: str, defect: str = "") -> None:
        self._host, self._kafka, self._defect = host, kafka, defect
        self._drawn = random.Random(seed)
        self._counted = Counter[tuple[str, str]]()
        self._known = set[str]()
        self.runs = self.steps = self.calls = 0

    def next_differences(self) -> Iterator[RecordDifference]:
        """Takes another run; its difference, if it is of a kind that was not found yet, shrunk."""
        models = hosted_models(self._kafka)
        rounds, place = divmod(self.runs, 3)
        moves = place == 2
        model = models[rounds % 2 if moves else (self.runs - rounds) % len(models)]
        run = draw_run(model, self._drawn, self._counted, MOVES if moves else ())
        self.runs += 1
        taken = taken_on(self._host, model, self._kafka, run, self._defect)
        self.steps, self.calls = self.steps + taken.compared_steps, self.calls + taken.calls
        found = taken.difference
        if found is not None and found.signature not in self._known:
            self._known.add(found.signature)
            yield shrink_difference(self._host, found, self._defect)

    def reach(self, seconds: float, cut: bool) -> ControllerReach:
        """How far was looked."""
        taken = {after for _, after in self._counted}
        model = hosted_models(self._kafka)[0]
        never = tuple(action.name for action in model.actions if action.name not in taken)
        return ControllerReach(
            self.runs,
            self.steps,
            self.calls,
            len(self._counted),
            tuple(sorted(taken)),
            never,
            seconds,
            cut,
        )


def conform(
    release: Release,
    seed: int,
    *,
    runs: int | None,
    seconds: float | None,
    held_against: str | None = None,
    defect: str = "",
    report: Callable[[ControllerReach, int], None] = lambda so_far, found: None,
) -> Iterator[RecordDifference | ControllerReach]:
    """Takes runs of the model on a release's controller until there were enough, or the time is over. Yields each kind
    of difference once, shrunk; and in the end, or where somebody interrupts, how far it has looked. The model is that
    of the release, or of another one (`held_against`)."""
    kafka = ".".join((held_against or release.version).split(".")[:2])
    began, found, taker = time.monotonic(), 0, None
    nothing = ControllerReach(0, 0, 0, 0, (), (), 0.0)

    def so_far(*, cut: bool = False) -> ControllerReach:
        seconds = time.monotonic() - began
        return replace(nothing, seconds=seconds, cut=cut) if taker is None else taker.reach(seconds, cut)

    try:
        with Host(release, CONTROLLER) as host:
            taker = ControllerRuns(host, seed, kafka, defect)
            while (runs is None or taker.runs < runs) and (seconds is None or time.monotonic() - began < seconds):
                for difference in taker.next_differences():
                    found += 1
                    yield difference
                report(so_far(), found)
    except KeyboardInterrupt:
        yield so_far(cut=True)
        return
    except HostError as error:
        yield replace(so_far(cut=True), why=str(error))
        return
    yield so_far()


def draw_run(
    model: Model, generator: random.Random, counts: Counter[tuple[str, str]], begins: Sequence[str] = ()
) -> Run:
    """A run of steps that Kafka's controller can be brought to: at first of the actions that it `begins` with, then
    pairs of actions that were taken seldom come first."""
    state = start = next(judge.initial_states(model))
    writer, steps, before, wanted = CallWriter(model, start), list[Step](), "", iter(begins)
    while len(steps) < LENGTH:
        possible: dict[str, list[Step]] = {}
        for step in judge.steps(model, state):
            if step.action not in WHY_NOT:
                possible.setdefault(step.action, []).append(step)
        first = {name: list(possible[name]) for name in islice((name for name in wanted if name in possible), 1)}
        chosen = _next_step(writer, state, first, generator, before, counts) or _next_step(
            writer, state, possible, generator, before, counts
        )
        if chosen is None:
            break
        step, writer = chosen
        counts[before, step.action] += 1
        steps.append(step)
        state, before = step.state_after, step.action
    return Run(start, tuple(steps))


def _next_step(
    writer: CallWriter,
    state: State,
    possible: dict[str, list[Step]],
    generator: random.Random,
    last_action: str,
    counts: Counter[tuple[str, str]],
) -> tuple[Step, CallWriter] | None:
    """A step that Kafka's controller can be brought to, of those that are possible, by action; None where there is
    none."""
    while possible:
        weight = {action: counts[last_action, action] / PERIODIC.get(action, 1) for action in possible}
        least = min(weight.values()) + generator.randrange(4)
        action = generator.choice(sorted(name for name in possible if weight[name] <= least))
        steps = possible[action]
        step = steps.pop(generator.randrange(len(steps)))
        if not steps:
            del possible[action]
        following = writer.next_writer(state, step)
        if following is not None:
            return step, following[0]
    return None


@immutable
class TakenRun:
    """A run that was taken: with which difference it ends, if it does, how many of its steps were compared, and how
    many calls there were."""

    difference: RecordDifference | None
    compared_steps: int
    calls: int


def taken_on(host: HostedWorld, model: Model, kafka: str, run: Run, defect: str = "") -> TakenRun:
    """What comes of a run on a new controller, step by step, up to where it does otherwise."""
    written = write_calls(model, run)
    assert written is not None, "a run is drawn of steps that Kafka's controller can be brought to"
    settings, stages = written
    controller = HostedPartition(host, replace(settings, defect=defect))
    at_first = controller.state
    calls = [call for stage in stages for call in stage.calls]
    results, done, compared = controller.take(*calls), 0, 0
    numbers = {broker: number for number, broker in enumerate(run.start.log, 1)}
    for place, (step, stage) in enumerate(zip(run.steps, stages, strict=True)):
        of_stage = results[done : done + len(stage.calls)]
        done += len(stage.calls)
        seen = results[done - 1].state if done else at_first
        wanted = record_of_model(step.state_after, numbers, stage.registered_brokers)
        found = record_of_kafka(seen, stage.registered_brokers)
        refused = _refusal_words(step, of_stage)
        fields = differing_fields(wanted, found) if stage.is_compared else ()
        compared += stage.is_compared
        if fields or refused:
            parted = Run(run.start, run.steps[: place + 1])
            says, asked = _run_words(model, parted, stages, results)
            of = (host.release.version, model, kafka)
            parting = RecordDifference(*of, parted, says, asked, wanted, found, fields or ("answer",), refused)
            return TakenRun(parting, compared, done)
    return TakenRun(None, compared, done)


def _refusal_words(step: Step, results: Sequence[CallResult]) -> str:
    """What Kafka answers otherwise than the model: it refuses what the model takes, or the other way round."""
    errors = [result.error for result in results if result.error not in ("NONE", "NEW_LEADER_ELECTED")]
    if step.action == "refuse_isr_change":
        return "" if errors == ["INELIGIBLE_REPLICA"] else f"Kafka answers {errors or 'that it is done'}"
    return f"Kafka answers {', '.join(errors)}" if errors else ""


def _run_words(
    model: Model, run: Run, stages: Sequence[StageCalls], results: Sequence[CallResult]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Each step of a run, and each call with its answer."""
    actions = {action.name: action for action in model.actions}
    says = tuple(
        action_sentence(model, actions[step.action], before, step.arguments)
        for before, step in zip(run.states(), run.steps, strict=False)
    )
    calls = [call for stage in stages[: len(run.steps)] for call in stage.calls]
    asked = tuple(
        f"{call[0]}({', '.join(map(str, call[1:]))}){'' if result.error == 'NONE' else f' -> {result.error}'}"
        for call, result in zip(calls, results, strict=False)
    )
    return says, asked


def shrink_difference(host: HostedWorld, difference: RecordDifference, defect: str = "") -> RecordDifference:
    """The difference with a run out of which no step can be left."""

    def found_without(found: RecordDifference, at: int) -> RecordDifference | None:
        model, kafka = found.model, found.model_of
        shorter = run_without(model, found.run, at)
        if shorter is None or not shorter.steps or write_calls(model, shorter) is None:
            return None
        again = taken_on(host, model, kafka, shorter, defect).difference
        return again if again is not None and again.signature == found.signature else None

    return leave_out_steps(difference, lambda found: len(found.run.steps), found_without)


def settings_words(settings: ControllerSettings) -> str:
    """`min.insync.replicas=2, unclean elections, with ELR`: in words."""
    unclean = ", unclean.leader.election.enable=true" if settings.unclean else ""
    return f"min.insync.replicas={settings.min_isr}{unclean}, {'with' if settings.elr else 'without'} ELR"
