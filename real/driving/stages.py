"""What is one thing on real nodes: a stage of a trace, how it is taken, and what came of it, whatever model the trace
is of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run
from ...traces.sentences import action_sentence
from .nodes.running import BY_THE_CLOCK, NodesError, wait_for

Document = dict[str, Any]
Kind: TypeAlias = Literal["commanded", "permitted", "awaited"]
STEP_SECONDS = 60.0
"""How long each thing that is to be seen may take. It is seconds; a busy machine takes tens."""


def describe_differences(wanted_words: Mapping[str, str], seen_words: Mapping[str, str]) -> str:
    """What differs of two that are shown, by what it is about, in words; "" where nothing does."""
    return "; ".join(
        f"{name}: {seen_words[name]} in place of {was}" for name, was in wanted_words.items() if seen_words[name] != was
    )


class DivergenceError(Exception):
    """Real nodes did something else than the run, or did not do what it says."""


class NoEffectError(DivergenceError):
    """What was permitted or awaited did not come at all. Where nothing else happened either, nothing contradicts the
    run: it could not be driven."""


@immutable
class Stage:
    """One thing that a driver does, and what is to be seen after it. `last` is the last of the trace's steps that are
    one thing on real nodes."""

    first: int
    last: int
    action: str
    kind: Kind
    arguments: Mapping[str, Any]
    says: str
    state_before: State
    state_after: State


@immutable
class StageResult:
    """A stage that was taken: what was done, in words, how long it took, what was to be seen and what was seen."""

    stage: Stage
    did: str
    seconds: float
    expected_observation: Any
    observation: Any
    divergence: str | None = None


def diverging_stage(results: Sequence[StageResult]) -> StageResult | None:
    """The stage from which on real nodes did otherwise; None where they did not."""
    return results[-1] if results and results[-1].divergence is not None else None


S = TypeVar("S", bound=Stage)
S_co = TypeVar("S_co", bound=Stage, covariant=True)
Expected = TypeVar("Expected")
Observed = TypeVar("Observed")


class StagePlan(Protocol[S_co]):
    """A trace as stages, on a release of Kafka; `shows` is what it shows in the end, in words."""

    @property
    def kafka(self) -> str: ...
    @property
    def stages(self) -> Sequence[S_co]: ...
    @property
    def shows(self) -> str: ...


@immutable
class Outcome:
    """What came of a trace: its stages up to the one from which on real nodes did otherwise, whether it is confirmed,
    and why, in words. Of traces of a partition also the records that the producer has good answers for, those that a
    consumer reads in the end, None where nothing can be read, and who leads then."""

    stages: tuple[StageResult, ...]
    is_confirmed: bool
    why: str
    acknowledged_records: frozenset[int] = frozenset()
    read: tuple[int, ...] | None = None
    leader: int | None = None


class StageDriver(Generic[S, Expected, Observed]):
    """Takes the stages of a plan, and compares what is wanted with what is found after each. `limit` is the seconds
    that each thing that is to be seen may take. What is done for an action is in a method with its name. `nodes` is who
    takes them, in words."""

    nodes: ClassVar[str] = "brokers"

    def __init__(self, plan: StagePlan[S], limit: float = STEP_SECONDS) -> None:
        self.stages, self.shows, self.limit = plan.stages, plan.shows, limit
        self.patience = BY_THE_CLOCK

    def outcome(self, report: Callable[[S], None] = lambda stage: None) -> Outcome:
        """Drives the trace: it is confirmed where every step came about, and with it what the trace's property says.
        NodesError where a stage could not be had, and nothing contradicts it."""
        taken = self.drive(report)
        parted = diverging_stage(taken)
        if parted is None:
            return Outcome(taken, True, f"every step came about: {self.shows}")
        return Outcome(taken, False, f"at step {parted.stage.first} the {self.nodes} did otherwise")

    def drive(self, report: Callable[[S], None] = lambda stage: None) -> tuple[StageResult, ...]:
        """All stages, until one goes otherwise. NodesError where one could not be had, and nothing contradicts it."""
        return tuple(self.taken_stages(report))

    def taken_stages(self, report: Callable[[S], None] = lambda stage: None) -> Iterator[StageResult]:
        """The same, one after the other."""
        for stage in self.stages:
            report(stage)
            taken = self._take(stage)
            yield taken
            if taken.divergence is not None:
                return

    def expected_observation(self, stage: S) -> Expected:
        """What is to be seen after a stage."""
        return self._expect(stage)

    def show(self, seen_observation: Any) -> Document:
        """What is to be seen, or is seen, as results have it."""
        raise NotImplementedError

    def _take(self, stage: S) -> StageResult:
        began, wanted = time.monotonic(), self._expect(stage)
        did, otherwise = "", None
        try:
            did = self._do(stage)
        except DivergenceError as error:
            otherwise = str(error)
            if isinstance(error, NoEffectError) and self._is_as_before(stage):
                raise NodesError(f"step {stage.first}: {error}, and nothing else happened") from None
        if otherwise is None:
            wait_for(lambda: not self._parting(wanted, self._observe(wanted)), self.limit, self.patience)
        seen = self._observe(wanted)
        if otherwise is None and (differs := self._parting(wanted, seen)):
            otherwise = f"{differs}, after {self.limit:g} s"
        return StageResult(stage, did, time.monotonic() - began, wanted, seen, otherwise)

    def _is_as_before(self, stage: S) -> bool:
        """Whether all that is to be seen is as it was before the stage."""
        wanted = self._expect(replace(stage, state_after=stage.state_before))
        return not self._parting(wanted, self._observe(wanted))

    def _do(self, stage: S) -> str:
        """Does what the stage says; what that was, in words. DivergenceError where real nodes do something else."""
        return getattr(self, f"_{stage.action}")(stage)

    def _expect(self, stage: S) -> Expected:
        """What is to be seen after the stage."""
        raise NotImplementedError

    def _observe(self, wanted_observation: Expected) -> Observed:
        """What is seen now."""
        raise NotImplementedError

    def _parting(self, wanted_observation: Expected, seen_observation: Observed) -> str:
        """What differs, in words; "" where nothing does."""
        raise NotImplementedError


def stage_fields(model: Model, run: Run, begin: int, end: int, kind: Kind, numbers: tuple[int, ...] = ()) -> Document:
    """What every stage has, of the steps `begin` to `end` of a run; `numbers` are those that its steps have in the
    trace."""
    states, step = run.states(), run.steps[begin]
    action = next(one for one in model.actions if one.name == step.action)
    return {
        "first": numbers[begin] if numbers else begin + 1,
        "last": numbers[end] if numbers else end + 1,
        "action": step.action,
        "kind": kind,
        "arguments": step.arguments,
        "says": action_sentence(model, action, states[begin], step.arguments),
        "state_before": states[begin],
        "state_after": states[end + 1],
    }
