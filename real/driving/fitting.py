"""Which release can take a trace: its steps are taken again by the model of that release, before anything starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TypeVar

from ...language import judge
from ...language.constants import Value
from ...language.containers import ModelError
from ...language.immutable import immutable
from ...language.model import Model
from ...language.steptext import StepError, parse_steps
from ...language.values import State
from ...language.verdict import Run
from .nodes.releases import KNOWN_RELEASES

P = TypeVar("P")


class UndrivableError(Exception):
    """Why a trace cannot be taken by real brokers; `step` is its first step that cannot, 0 for all of it."""

    def __init__(self, why: str, step: int = 0) -> None:
        super().__init__(why)
        self.why, self.step = why, step


class ModelRefusesError(UndrivableError):
    """The model of a release does not take a step of the trace, or does not have what it is about."""

    def __init__(self, why: str, step: int = 0, step_count: int = 0) -> None:
        super().__init__(why, step)
        self.taken = step_count


@immutable
class DrivenTrace:
    """What is driven: the constants of the model, the steps as text, and the property that fails."""

    bounds: Mapping[str, Value | str]
    steps: tuple[str, ...]
    property: str
    leader: str
    model: str = "partition"


def replay_trace(model: Model, start: State, trace: DrivenTrace, kafka: str) -> Run:
    """A trace's steps in the model of a release. UndrivableError, with the step, where it does not take one."""
    try:
        return judge.replay(model, start, parse_steps(model, "; ".join(trace.steps)))
    except StepError as error:
        raise model_refusal(kafka, str(error).partition("; enabled here")[0]) from None
    except ModelError as error:
        raise ModelRefusesError(
            f"the model of Kafka {kafka} does not take it: {error.action}: {error.message}"
        ) from None


def model_refusal(kafka: str, message: str) -> ModelRefusesError:
    """What an error of a step says, of the model of a release."""
    step = step_number(message)
    return ModelRefusesError(f"the model of Kafka {kafka} does not take it: {message}", step, step)


def plan_newest(asked_release: str | None, plan: Callable[[str], P], anyway: Callable[[str], P] | None = None) -> P:
    """The plan for the release that is given, or for the newest known one that has one; `anyway`: another one for the
    release that is given, where that has none. UndrivableError where none has, as `plan_first` says why."""
    try:
        return plan_first(KNOWN_RELEASES if asked_release is None else (asked_release,), plan)
    except UndrivableError:
        if anyway is not None and asked_release is not None:
            return anyway(asked_release)
        raise


def plan_first(releases: Iterable[str], plan: Callable[[str], P]) -> P:
    """The plan for the first release that has one. UndrivableError where none has: why it is so of the release that
    comes furthest, since what one lacks that comes less far is often another thing."""
    why: UndrivableError | None = None
    for kafka in releases:
        try:
            return plan(kafka)
        except UndrivableError as error:
            why = error if why is None or release_progress(error) > release_progress(why) else why
    assert why is not None
    raise why


def release_progress(error: UndrivableError) -> tuple[bool, int]:
    """How far a release has come: not to the end of the trace in the model, and to which step, or further."""
    return not isinstance(error, ModelRefusesError), error.taken if isinstance(error, ModelRefusesError) else 0


def constant_texts(constants: Mapping[str, Value | str]) -> dict[str, Value | str]:
    """Constants as one gives them."""

    def text(value: Value | str) -> Value | str:
        if isinstance(value, bool):
            return str(value).lower()
        return str(value.value) if isinstance(value, Enum) else value

    return {name: text(value) for name, value in constants.items()}


def step_number(message: str) -> int:
    """The step that an error begins with: `step 5, fence(...), is disabled`."""
    word = message.removeprefix("step ").partition(",")[0]
    return int(word) if word.isdigit() else 0


def describe_end(model: Model, run: Run, kafka: str) -> str:
    """What the run shows in the end of its property. UndrivableError where that is nothing."""
    if not model.properties:
        return "they did as the model does"
    prop = model.properties[0]
    if judge.holds_at_end(model, prop, run, len(run.steps)) is not (prop.kind == "reachable"):
        raise UndrivableError(f"in the model of Kafka {kafka} {prop.name} does not show in the end")
    return f"{prop.name} {'is met' if prop.kind == 'reachable' else 'fails'}"
