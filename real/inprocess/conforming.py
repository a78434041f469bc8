"""Does Kafka's code do what the model does? Runs of the model, taken on Kafka's own classes, with states compared after
each step.

A run is drawn so that actions, and pairs of actions one after the other, that were not taken yet come first. Where the
two differ, steps are left out while they still do.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...language import judge
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run, Step
from ..driving.controllers.driver import ControllersDriver
from ..driving.controllers.plan import KINDS, MODEL, ControllersPlan, model_of, why_not_driven
from ..driving.controllers.world import ControllerObservation
from ..driving.fitting import Trace
from ..driving.nodes.releases import Release
from ..driving.nodes.running import NodesError
from ..driving.stages import Stage, StageResult, diverging_stage, stage_fields
from .controllers import HostedControllers, NodeEndedError
from .hosting import Host

BOUNDS = {"max_epoch": 4, "max_records": 2, "crashes": 2, "wipes": 0}
"""What runs are drawn within."""
LENGTH = 40
STEP_SECONDS = 0.2
COMPARED = ("role", "epoch", "leader", "voted_for", "log", "high_watermark")
"""What is compared of each voter: its role, epoch, leader and vote, the records of its log with their epochs, and where
it leads, its high watermark."""


@immutable
class Difference:
    """Where Kafka's code does otherwise than the model: the run of the model up to there, what the model has and what
    Kafka has of each voter, the fields that differ, and which release it is."""

    kafka: str
    run: Run
    says: tuple[str, ...]
    model_observations: dict[int, ControllerObservation]
    kafka_observations: dict[int, ControllerObservation | None]
    fields: tuple[str, ...]
    why: str

    @property
    def signature(self) -> str:
        """What differences of one kind have in common: the last action and the fields that differ."""
        return f"{self.run.steps[-1].action}: {', '.join(self.fields)}"


@immutable
class ComparisonReach:
    """How far was looked: runs, steps with states compared, actions and pairs of actions that were taken, those of the
    model's actions that never were, and seconds."""

    runs: int
    steps: int
    pairs: int
    actions: tuple[str, ...]
    never: tuple[str, ...]
    seconds: float
    cut: bool = False


def hosted_model(kafka: str) -> Model:
    """The model with the switches of a release, within the bounds that runs are drawn in."""
    return model_of(Trace(BOUNDS, (), "", "", MODEL), kafka)


def conform(
    release: Release,
    seed: int,
    *,
    runs: int | None,
    seconds: float | None,
    defect: str = "",
    report: Callable[[ComparisonReach], None] = lambda so_far: None,
) -> Iterator[Difference | ComparisonReach]:
    """Takes runs of the model on a release's code until there were enough, or the time is over. Yields each kind of
    difference once, shrunk; and in the end, or where somebody interrupts, how far it has looked."""
    kafka = ".".join(map(str, release.parts[:2]))
    model, drawn = hosted_model(kafka), random.Random(seed)
    counted: Counter[tuple[str, str]] = Counter()
    known, steps, number, began = set[str](), 0, 0, time.monotonic()

    def so_far(*, cut: bool = False) -> ComparisonReach:
        taken = tuple(sorted({after for _, after in counted}))
        never = tuple(action.name for action in model.actions if action.name not in taken)
        return ComparisonReach(number, steps, len(counted), taken, never, time.monotonic() - began, cut)

    try:
        with Host(release) as host:
            while (runs is None or number < runs) and (seconds is None or time.monotonic() - began < seconds):
                run = draw_run(model, kafka, drawn, counted)
                taken = taken_on(host, model, kafka, run, defect)
                number, steps = number + 1, steps + len(taken)
                before = ""
                for one in taken:
                    counted[before, one.stage.action] += 1
                    before = one.stage.action
                report(so_far())
                found = difference_of(release.version, run, taken)
                if found is not None and found.signature not in known:
                    known.add(found.signature)
                    yield shrunk(host, model, kafka, found, defect)
    except KeyboardInterrupt:
        yield so_far(cut=True)
        return
    yield so_far()


def draw_run(model: Model, kafka: str, drawn: random.Random, counted: Counter[tuple[str, str]]) -> Run:
    """A run of steps that Kafka's code can be brought to; pairs of actions that were taken seldom come first."""
    state = next(judge.initial_states(model))
    states, steps, before = [state], list[Step](), ""
    while len(steps) < LENGTH:
        possible: dict[str, list[Step]] = {}
        for step in judge.steps(model, states[-1]):
            if is_driven(kafka, states, [*steps, step]) and not is_abstracted(model, states[-1], step):
                possible.setdefault(step.action, []).append(step)
        if not possible:
            break
        least = min(counted[before, action] for action in possible)
        seldom = [action for action in possible if counted[before, action] <= least + drawn.randrange(4)]
        step = drawn.choice(possible[drawn.choice(sorted(seldom))])
        steps.append(step)
        states.append(step.after)
        before = step.action
    return Run(state, tuple(steps))


ABSTRACTED: Mapping[str, str] = {
    "give_up": "from 4.0 on a voter that knows no leader, and whose pre-vote comes to nothing in time, asks again at "
    "once: it is unattached for no time at all",
    "vote": "from 4.0 on a voter that asks for pre-votes and gives its vote goes on asking; in the model it has voted, "
    "and asks again when its time is up",
    "truncate": "Kafka takes as many fetches as the two logs have epochs that differ (KIP-279), the model one step",
}
"""Where the model is known to be coarser than Kafka, by action. Such steps are not drawn, but for `truncate`, for which
as many fetches are let through as it takes."""


def is_abstracted(model: Model, before: State, step: Step) -> bool:
    """Whether a step is one of those of `ABSTRACTED` that are not drawn."""
    if not model.values["pre_vote"]:
        return False
    after, voter = step.after, step.arguments.get("voter")
    match step.action:
        case "give_up":
            return after.election[voter].role.name != "FOLLOWER"
        case "vote":
            return before.election[voter].role.name == "PROSPECTIVE"
        case _:
            return False


class HostedDriver(ControllersDriver):
    """Drives a run of the model on hosted controllers."""

    def _truncate(self, stage: Stage) -> str:
        voter, did = self._of(stage, "follower"), ""
        wanted = len(self.expected_observation(stage)[voter].log)
        while not did or self._end(voter) > wanted:
            before = self._end(voter)
            did = super()._truncate(stage)
            if self._end(voter) >= before:
                break
        return did

    def _end(self, voter: int) -> int:
        seen = self.world.observe()[voter]
        return 0 if seen is None else len(seen.log)


def is_driven(kafka: str, states: Sequence[State], steps: Sequence[Step]) -> bool:
    """Whether Kafka's code can be brought to the last of some steps, and others may follow."""
    if steps[-1].action not in KINDS:
        return False
    followed = [*steps, steps[-1]]  # a candidate whom all refuse goes on by itself, whether a step follows or not
    return why_not_driven(kafka, states, followed, len(steps) - 1) is None


def taken_on(host: Host, model: Model, kafka: str, run: Run, defect: str = "") -> tuple[StageResult, ...]:
    """What comes of a run on new nodes, step by step, up to where they do otherwise."""
    stages = tuple(Stage(**stage_fields(model, run, at, at, KINDS[step.action])) for at, step in enumerate(run.steps))
    controllers = HostedControllers(host, len(list(run.start.log)), batches=1, defect=defect)
    driver = HostedDriver(ControllersPlan(kafka, model, run, stages, ""), controllers, STEP_SECONDS)
    taken = list[StageResult]()
    try:
        for one in driver.taken_stages():
            taken.append(one)
    except NodeEndedError as error:
        stage = stages[len(taken)]
        taken.append(StageResult(stage, "", 0.0, driver.expected_observation(stage), controllers.observe(), str(error)))
    except NodesError:
        pass  # a step could not be had, and nothing contradicts the model: what was taken before is compared
    return tuple(taken)


def difference_of(kafka: str, run: Run, taken: Sequence[StageResult]) -> Difference | None:
    """The difference that steps which were taken end with; None where they end with none."""
    parted = diverging_stage(taken)
    if parted is None:
        return None
    seen: dict[int, ControllerObservation | None] = dict(parted.observation)
    return Difference(
        kafka,
        Run(run.start, run.steps[: len(taken)]),
        tuple(one.stage.says for one in taken),
        dict(parted.expected_observation),
        seen,
        differing_fields(parted.expected_observation, seen) or ("it does not come about",),
        str(parted.divergence),
    )


def differing_fields(
    wanted: dict[int, ControllerObservation], seen: dict[int, ControllerObservation | None]
) -> tuple[str, ...]:
    """The fields in which a voter differs."""
    return tuple(
        field
        for field in COMPARED
        if any(_field(one, field) != _field(seen[voter], field) for voter, one in wanted.items())
    )


def _field(seen: ControllerObservation | None, field: str) -> Any:
    return None if seen is None else getattr(seen, field)


def shrunk(host: Host, model: Model, kafka: str, found: Difference, defect: str) -> Difference:
    """The difference with a run out of which no step can be left."""
    at = 0
    while at < len(found.run.steps):
        shorter = _drop_step(model, kafka, found.run, at)
        again = None
        if shorter is not None:
            again = difference_of(found.kafka, shorter, taken_on(host, model, kafka, shorter, defect))
        if again is not None and again.signature == found.signature:
            found, at = again, 0
        else:
            at += 1
    return found


def _drop_step(model: Model, kafka: str, run: Run, at: int) -> Run | None:
    """A run without one of its steps; None where the others cannot be taken then."""
    states, steps = [run.start], list[Step]()
    actions = {action.name: action for action in model.actions}
    for place, step in enumerate(run.steps):
        if place == at:
            continue
        after = judge.attempt(model, states[-1], actions[step.action], step.arguments)
        if not isinstance(after, State):
            return None
        steps.append(Step(step.action, step.arguments, after))
        if not is_driven(kafka, states, steps) or is_abstracted(model, states[-1], steps[-1]):
            return None
        states.append(after)
    return Run(run.start, tuple(steps))
