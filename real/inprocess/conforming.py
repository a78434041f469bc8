"""Does Kafka's code do what the model does, and the model what Kafka's code does? Runs of the model, taken on Kafka's
own classes, with states compared after each step; and histories of these classes, followed in the model.

The first runs are those with all pairs of actions that one can follow the other. The others are drawn so that what was
seldom taken comes first. Where the two differ, steps are left out while they still do.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import Literal, TypeAlias

from ...language import judge
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run, Step
from ..driving.controllers.driver import ControllersDriver, normalize_observation
from ..driving.controllers.plan import KINDS, MODEL, WHY_NOT, ControllersPlan, model_of, why_not_driven
from ..driving.controllers.world import ControllerObservation
from ..driving.fitting import DrivenTrace
from ..driving.nodes.releases import Release
from ..driving.nodes.running import CountedPatience, NodesError
from ..driving.stages import Stage, StageResult, diverging_stage, stage_fields
from .compared import differing_fields
from .controllers import HostedControllers, NodeEndedError
from .covering import BOUNDS as COVERED_WITHIN
from .covering import Coverage, Pair, covering_runs, pairs_of
from .following import HistoryDifference, HistoryFollower, HistoryReach
from .hosting import Host, HostedWorld
from .lanes import LANES, do_in_lanes
from .program import HostError
from .shrinking import leave_out_steps, run_without

Direction: TypeAlias = Literal["model-to-code", "code-to-model"]
DIRECTIONS: tuple[Direction, ...] = ("model-to-code", "code-to-model")
BOUNDS = {"max_epoch": 4, "max_records": 2, "crashes": 2, "wipes": 0}
"""What runs are drawn within."""
WHY_NOT_TAKEN: Mapping[str, str] = {
    **WHY_NOT,
    "replace_disk": "no disk is lost in these runs",
    **dict.fromkeys(("let_time_pass", "resign_unheard"), "check-quorum has no clock in these runs"),
}
"""The actions that no run has, and why."""
LENGTH = 40
STEP_SECONDS = 0.2


@immutable
class Difference:
    """Where Kafka's code does otherwise than the model: the model and its run up to there, what the model has and what
    Kafka has of each voter, the fields that differ, and which release it is."""

    kafka: str
    model: Model
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
    """How far was looked. From the model to the code: runs, steps with states compared, pairs of actions that were
    taken, those that the model has within small bounds and that were not, of these those of which no run can be taken
    on Kafka's code, the actions that were taken, those of the model that never were, each with why ("" where none of
    them was come to yet); `idle_runs`, of actions, how many runs ended at such a step since nothing came of it on
    Kafka's code. From the code to the model: `code`. And seconds, whether it ended before it was to, and why where it
    was not interrupted."""

    runs: int
    steps: int
    pairs: int
    missing: tuple[Pair, ...]
    not_driven: tuple[Pair, ...]
    actions: tuple[str, ...]
    never: Mapping[str, str]
    idle_runs: Mapping[str, int]
    code: HistoryReach
    seconds: float
    cut: bool = False
    why: str = ""

    @property
    def compared_states(self) -> int:
        """How many states were compared, either way."""
        return self.steps + self.code.observations


def hosted_model(kafka: str) -> Model:
    """The model with the switches of a release, within the bounds that runs are drawn in."""
    return model_of(DrivenTrace(BOUNDS, (), "", "", MODEL), kafka)


class ModelRuns:
    """Runs of the model on a release's code: first those that cover all pairs of actions, if it `covers`, then such as
    are drawn."""

    def __init__(self, host: Host, seed: int, defect: str, kafka: str, *, covers: bool = True) -> None:
        self._host, self._drawn, self._defect, self._kafka = host, random.Random(seed), defect, kafka
        self.model = hosted_model(kafka)
        self._small, self.coverage = _covered_model(kafka)
        self._planned = iter(self.coverage.runs if covers else ())
        self._counted = Counter[Pair]()
        self._known = set[str]()
        self._without_effect = Counter[str]()
        self.runs = self.steps = 0

    def next_differences(self, count: int) -> Iterator[Difference]:
        """Takes so many other runs at once; the differences of kinds that were not found yet, shrunk."""
        runs = self._next_runs(count)
        works = [partial(taken_on, model=model, kafka=self._kafka, run=run, defect=self._defect) for model, run in runs]
        for (model, run), taken in zip(runs, do_in_lanes(self._host, works), strict=True):
            self.runs, self.steps = self.runs + 1, self.steps + len(taken)
            self._counted.update(pairs_of([one.stage.action for one in taken]))
            if (action := action_without_effect(run, taken)) is not None:
                self._without_effect[action] += 1
            found = difference_of(self._host.release.version, model, run, taken)
            if found is not None and found.signature not in self._known:
                self._known.add(found.signature)
                yield shrink_difference(self._host, model, self._kafka, found, self._defect)

    def _next_runs(self, count: int) -> list[tuple[Model, Run]]:
        """The next runs that are planned, and then such as are drawn, each as if those before it had been taken."""
        runs = [(self._small, run) for run in islice(self._planned, count)]
        counted = Counter(self._counted)
        while len(runs) < count:
            counted.update(pair for _, run in runs[-1:] for pair in pairs_of([step.action for step in run.steps]))
            runs.append((self.model, draw_run(self.model, self._kafka, self._drawn, counted)))
        return runs

    def reach(self, code: HistoryReach, seconds: float, cut: bool) -> ComparisonReach:
        """How far was looked."""
        taken = {after for _, after in self._counted}
        missing = {pair for pair in (self.coverage.pairs | self.coverage.not_driven) if not self._counted[pair]}
        return ComparisonReach(
            self.runs,
            self.steps,
            sum(count > 0 for count in self._counted.values()),
            tuple(sorted(missing)),
            tuple(sorted(self.coverage.not_driven & missing)),
            tuple(sorted(taken)),
            {
                action.name: WHY_NOT_TAKEN.get(action.name, "")
                for action in self.model.actions
                if action.name not in taken
            },
            dict(sorted(self._without_effect.items())),
            code,
            seconds,
            cut,
        )


@cache
def _covered_model(kafka: str) -> tuple[Model, Coverage]:
    """The model of a release within small bounds, and the runs that cover all pairs of actions."""
    small = model_of(DrivenTrace(COVERED_WITHIN, (), "", "", MODEL), kafka, ghosts=False)
    return small, covering_runs(small, partial(_is_taken, kafka))


def _is_taken(kafka: str, states: Sequence[State], steps: Sequence[Step]) -> bool:
    return is_driven(kafka, states, steps) and not is_abstracted(steps[-1])


def conform(
    release: Release,
    seed: int,
    *,
    runs: int | None,
    seconds: float | None,
    directions: Collection[Direction] = DIRECTIONS,
    held_against: str | None = None,
    defect: str = "",
    report: Callable[[ComparisonReach, int], None] = lambda so_far, found: None,
) -> Iterator[Difference | HistoryDifference | ComparisonReach]:
    """Takes runs of the model on a release's code, and follows histories of the code in the model, some at once and in
    turn, until there were enough of each, or the time is over. Yields each kind of difference once, shrunk; and in the
    end, or where somebody interrupts, how far it has looked. The model is that of the release, or of
    another one (`held_against`)."""
    kafka = ".".join((held_against or release.version).split(".")[:2])
    began, found = time.monotonic(), 0
    of_model: ModelRuns | None = None
    of_code: HistoryFollower | None = None

    def so_far(*, cut: bool = False) -> ComparisonReach:
        return _reach(of_model, of_code, time.monotonic() - began, cut)

    try:
        with Host(release) as host:
            of_model = ModelRuns(host, seed, defect, kafka) if "model-to-code" in directions else None
            of_code = HistoryFollower(host, seed, kafka, defect) if "code-to-model" in directions else None
            while _goes_on(so_far(), runs, seconds):
                count = LANES if runs is None else min(LANES, runs - _taken_runs(so_far()))
                for taker in filter(None, (of_model, of_code)):
                    for difference in taker.next_differences(count):
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


def _reach(of_model: ModelRuns | None, of_code: HistoryFollower | None, seconds: float, cut: bool) -> ComparisonReach:
    code = HistoryReach() if of_code is None else of_code.reach
    if of_model is None:
        return ComparisonReach(0, 0, 0, (), (), (), {}, {}, code, seconds, cut)
    return of_model.reach(code, seconds, cut)


def _goes_on(so_far: ComparisonReach, runs: int | None, seconds: float | None) -> bool:
    return (runs is None or _taken_runs(so_far) < runs) and (seconds is None or so_far.seconds < seconds)


def _taken_runs(so_far: ComparisonReach) -> int:
    return max(so_far.runs, so_far.code.histories)


def draw_run(model: Model, kafka: str, generator: random.Random, counts: Counter[tuple[str, str]]) -> Run:
    """A run of steps that Kafka's code can be brought to; pairs of actions that were taken seldom come first."""
    state = next(judge.initial_states(model))
    states, steps, before = [state], list[Step](), ""
    while len(steps) < LENGTH:
        possible: dict[str, list[Step]] = {}
        for step in judge.steps(model, states[-1]):
            if is_driven(kafka, states, [*steps, step]) and not is_abstracted(step):
                possible.setdefault(step.action, []).append(step)
        if not possible:
            break
        least = min(counts[before, action] for action in possible)
        seldom = [action for action in possible if counts[before, action] <= least + generator.randrange(4)]
        step = generator.choice(possible[generator.choice(sorted(seldom))])
        steps.append(step)
        states.append(step.state_after)
        before = step.action
    return Run(state, tuple(steps))


ABSTRACTED: Mapping[str, str] = {
    "give_up": "from 4.0 on a voter that knows no leader, and whose pre-vote comes to nothing in time, asks again at "
    "once: it is unattached for no time at all",
    "write": "before 3.6 a controller hears that it leads once it has applied all before its epoch's start "
    "(KAFKA-15345); the model has that of a log that was empty, and elsewhere no record is asked for so early",
    "truncate": "Kafka takes as many fetches as the two logs have epochs that differ (KIP-279), the model one step",
}
"""Where the model is known to be coarser than Kafka, by action: `give_up` is not drawn, for `truncate` as many fetches
are let through as it takes, and of `write` what it names is not asked of Kafka's code."""


def is_abstracted(step: Step) -> bool:
    """Whether a step is one of those of `ABSTRACTED` that are not drawn."""
    return step.action == "give_up" and step.state_after.election[step.arguments["voter"]].role.name != "FOLLOWER"


class HostedDriver(ControllersDriver):
    """Drives a run of the model on hosted controllers."""

    def __init__(self, plan: ControllersPlan, world: HostedControllers, limit: float) -> None:
        super().__init__(plan, world, limit)
        self._hosted, self.patience = world, CountedPatience()

    def _observe(
        self, wanted_observation: Mapping[int, ControllerObservation]
    ) -> Mapping[int, ControllerObservation | None]:
        seen = self._hosted.check_clocks()[-1]
        return {voter: None if one is None else normalize_observation(one) for voter, one in seen.items()}

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


def taken_on(host: HostedWorld, model: Model, kafka: str, run: Run, defect: str = "") -> tuple[StageResult, ...]:
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


def action_without_effect(run: Run, results: Sequence[StageResult]) -> str | None:
    """The action of the step at which a run ended since nothing came of it on Kafka's code; None of one that was taken
    to its end, or to where the two differ."""
    ended = len(results) == len(run.steps) or diverging_stage(results) is not None
    return None if ended else run.steps[len(results)].action


def difference_of(kafka: str, model: Model, run: Run, results: Sequence[StageResult]) -> Difference | None:
    """The difference that steps which were taken end with; None where they end with none."""
    parted = diverging_stage(results)
    if parted is None:
        return None
    seen: dict[int, ControllerObservation | None] = dict(parted.observation)
    return Difference(
        kafka,
        model,
        Run(run.start, run.steps[: len(results)]),
        tuple(one.stage.says for one in results),
        dict(parted.expected_observation),
        seen,
        differing_fields(parted.expected_observation, seen) or ("it does not come about",),
        str(parted.divergence),
    )


def shrink_difference(host: HostedWorld, model: Model, kafka: str, difference: Difference, defect: str) -> Difference:
    """The difference with a run out of which no step can be left."""

    def found_without(found: Difference, at: int) -> Difference | None:
        shorter = run_without(model, found.run, at)
        if shorter is None or not _is_driven_whole(kafka, shorter):
            return None
        again = difference_of(found.kafka, model, shorter, taken_on(host, model, kafka, shorter, defect))
        return again if again is not None and again.signature == found.signature else None

    return leave_out_steps(difference, lambda found: len(found.run.steps), found_without)


def _is_driven_whole(kafka: str, run: Run) -> bool:
    """Whether Kafka's code can be brought to each step of a run."""
    states, steps = list(run.states()), run.steps
    return all(
        is_driven(kafka, states[:end], steps[:end]) and not is_abstracted(steps[end - 1])
        for end in range(1, len(steps) + 1)
    )
