"""What a family of models is to whoever drives its traces: one shape, whatever the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...language.constants import Value
from ...language.immutable import immutable
from .fitting import DrivenTrace
from .nodes.releases import Release
from .nodes.running import RunningNodes
from .stages import StageDriver, StagePlan

P = TypeVar("P", bound=StagePlan[Any])
N = TypeVar("N", bound=RunningNodes)


@immutable
class PlanRequest:
    """What a plan is wanted for: the trace, on the release `kafka` or the newest that takes it. `anyway`: as the
    trace's own model has it, also where the release's does not take it. `is_repaired`: with settings that are to keep
    what the trace loses, those `constants` among them."""

    trace: DrivenTrace
    kafka: str | None = None
    anyway: bool = False
    is_repaired: bool = False
    constants: Mapping[str, Value | str] = field(default_factory=dict[str, Value | str])


@immutable
class Conditions:
    """What a plan is driven under: the nodes in their order, settings, clocks in milliseconds, and the steps of the
    trace that are left out."""

    order: Sequence[int]
    settings: Mapping[str, Any]
    clocks: Mapping[str, int]
    skipped_steps: Sequence[int] = ()


@immutable
class Family(Generic[P, N]):
    """Models of one name, whose traces are driven in one way. `plan` raises UndrivableError where no release takes a
    trace. `cluster` makes the nodes for a plan, which do not run yet; in a folder that is kept, if one is given.
    `driver` takes the seconds that each step may take. `no_repair` says why no settings repair what a trace shows; None
    where some do."""

    model: str
    plan: Callable[[PlanRequest], P]
    cluster: Callable[[P, Release, Path | None], N]
    driver: Callable[[P, N, float], StageDriver[Any, Any, Any]]
    conditions: Callable[[P], Conditions]
    no_repair: str | None = None
