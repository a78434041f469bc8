"""A schedule with which a property fails, made shorter while it still does."""

from __future__ import annotations

from collections.abc import Callable

from .hosting import FailedProperty, Host, Schedule, Settings


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
    size = max(1, len(kept) // 2)
    while True:
        at, before = 0, len(kept)
        while at < len(kept):
            shorter = failing(host, settings, seed, kept[:at] + kept[at + size :], failure, recover)
            if shorter is None:
                at += size
            else:
                kept = shorter
                report(len(kept))
        if size == 1 and len(kept) == before:
            return kept, recover
        size = max(1, size // 2)
