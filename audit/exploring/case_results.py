"""What the exploration of a case finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from ...language.immutable import immutable
from ...language.model import Model
from ...language.steptext import format_step
from ...language.verdict import PropertyVerdict, Run
from ..questions.questions import WITH_ALL, Case
from .step_sentences import step_sentence

NO_TIME = "out of time"


@immutable
class ScenarioStep:
    """A step of a scenario: as `replay` takes it, and in words, a broker being `⟨A⟩`. `fault`: something failed."""

    step: str
    says: str
    fault: bool


@immutable
class CaseResult:
    """What a case found: the shortest scenario of each property that is violated, the witnesses that were reached.

    `held_invariants` are the invariants that hold everywhere. `stop_reason` says why it did not end, and is "" if it
    did, or if what it was for was found before; `for_good` is whether it would stop there again, or had only no time.
    """

    scenarios: Mapping[str, tuple[ScenarioStep, ...]] = field(default_factory=dict[str, "tuple[ScenarioStep, ...]"])
    reached_witnesses: frozenset[str] = frozenset()
    held_invariants: frozenset[str] = frozenset()
    states: int = 0
    depth: int = 0
    stop_reason: str = ""
    for_good: bool = True


def seen_by(case: Case, result: CaseResult) -> CaseResult:
    """What an exploration that answers for a case says of it: of service, what holds with its acks."""
    if case.kind != "goes_on":
        return result
    names = {WITH_ALL[name] if case.values["acks"] == "all" else name: name for name in WITH_ALL}
    lost = {names[name]: steps for name, steps in result.scenarios.items() if name in names}
    return replace(
        result,
        scenarios=lost,
        held_invariants=frozenset(names[name] for name in result.held_invariants if name in names),
    )


def is_violated(prop: PropertyVerdict) -> bool:
    """Whether something that must hold does not."""
    return prop.verdict == "violated"


def scenario_steps(model: Model, run: Run) -> tuple[ScenarioStep, ...]:
    """A run's steps in words, the names of brokers marked."""
    return tuple(
        ScenarioStep(
            format_step(step.action, step.arguments),
            step_sentence(model, before, step.action, step.arguments),
            model.action(step.action).kind == "fault",
        )
        for before, step in zip(run.states(), run.steps, strict=False)
    )
