"""What was found with many steps, found again with fewer; and so a schedule with which a property fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...language import judge
from ...language.model import Model
from ...language.values import State
from ...language.verdict import Run, Step
from .hosting import FailedProperty, Host, Schedule, Settings

Found = TypeVar("Found")


def leave_out_steps(
    case: Found, length_of: Callable[[Found], int], found_without: Callable[[Found, int], Found | None]
) -> Found:
    """What was found, with steps of which none can be left out. `found_without` is the same without the step at a
    place, or None where it is not found then; after each that is left out the search begins anew."""
    at = 0
    while at < length_of(case):
        again = found_without(case, at)
        if again is None:
            at += 1
        else:
            case, at = again, 0
    return case


def leave_out_many_steps(
    case: Found, length_of: Callable[[Found], int], found_without: Callable[[Found, int, int], Found | None]
) -> Found:
    """The same with fewer tries where most can be left out: many in a row at once, then half as many, down to single
    ones. `found_without` is the same without the steps from one place to before another."""
    size = max(1, length_of(case) // 2)
    while True:
        at, before = 0, length_of(case)
        while at < length_of(case):
            again = found_without(case, at, at + size)
            if again is None:
                at += size
            else:
                case = again
        if size == 1 and length_of(case) == before:
            return case
        size = max(1, size // 2)


def run_without(model: Model, run: Run, index: int) -> Run | None:
    """A run without one of its steps; None where the others cannot be taken then."""
    state, steps = run.start, list[Step]()
    actions = {action.name: action for action in model.actions}
    for step in (*run.steps[:index], *run.steps[index + 1 :]):
        after = judge.attempt(model, state, actions[step.action], step.arguments)
        if not isinstance(after, State):
            return None
        steps.append(Step(step.action, step.arguments, after))
        state = after
    return Run(run.start, tuple(steps))


def failing(
    host: Host, settings: Settings, seed: int, steps: Schedule, like: FailedProperty, recover: bool
) -> Schedule | None:
    """The steps of a schedule that did something, where with them the same fails as `like`, or, with `recover`, once
    nothing is lost any more; None where it does not."""
    host.open(settings, seed)
    done = host.take(steps, recover=recover)
    if all(found.signature != like.signature for found in done.findings):
        return None
    return tuple(step for step, taken in zip(steps, done.steps_taken, strict=True) if taken)


def shrink_schedule(
    host: Host, settings: Settings, seed: int, steps: Schedule, failure: FailedProperty, report: Callable[[int], None]
) -> tuple[Schedule, bool] | None:
    """The steps of a schedule without which the same does not fail: none of them can be left out. And whether it
    fails only once nothing is lost any more. None where it does not fail a second time. `report` is told
    how many are left."""
    recover = False
    kept = failing(host, settings, seed, steps, failure, recover)
    if kept is None:
        recover = True
        kept = failing(host, settings, seed, steps, failure, recover)
    if kept is None:
        return None

    def failing_without(kept: Schedule, first: int, end: int) -> Schedule | None:
        shorter = failing(host, settings, seed, kept[:first] + kept[end:], failure, recover)
        if shorter is not None:
            report(len(shorter))
        return shorter

    return leave_out_many_steps(kept, len, failing_without), recover
