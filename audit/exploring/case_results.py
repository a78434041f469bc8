"""What the exploration of a case finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from ...language.immutable import immutable
from ...language.model import Model
from ...language.steptext import format_step
from ...language.verdict import PropertyVerdict, Run
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
