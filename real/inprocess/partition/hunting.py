"""Random schedules of calls on a release's controller of partitions, and what they find.

Seeds, worlds and lengths are the same for every release and every defect that is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ....language.errors import UsageError
from ....language.immutable import immutable
from ....language.verdict import DisagreementError
from ...driving.nodes.releases import Release
from ..hosting import FailedProperty, Host, Schedule, findings_of
from ..hunting import SCHEMA, HuntReach, finding_document, hunt_worlds, schedule_of
from ..program import CONTROLLER
from ..shrinking import leave_out_steps
from .controller import ControllerSettings, call_words
from .known import ticket_of

LENGTH = 40
"""About how many calls a run has."""


@immutable
class ControllerCase:
    """A finding with the shortest schedule that shows it, in which world; and how many runs had been taken."""

    kafka: str
    settings: ControllerSettings
    steps: Schedule
    finding: FailedProperty
    runs: int

    @property
    def known_as(self) -> str:
        """The ticket of the defect that this is; "" where none is known."""
        return ticket_of(self.finding.signature, tuple(map(int, self.kafka.split("."))))

    def document(self) -> dict[str, Any]:
        """As it is saved, and shown."""
        settings = self.settings
        elr, unclean = "with" if settings.elr else "without", ", unclean elections" if settings.unclean else ""
        world = f"{settings.brokers} brokers, copies on {', '.join(map(str, settings.replicas))}"
        return {
            "schema": SCHEMA,
            "kafka": self.kafka,
            "model": "partition",
            "world": settings.document(),
            "steps": [list(step) for step in self.steps],
            "recovers": False,
            "finding": finding_document(self.finding),
            "lines": [],
            "known_as": self.known_as,
            "world_in_words": f"{world}, min.insync.replicas {settings.min_isr}, {elr} ELR{unclean}",
            "steps_in_words": list(map(call_words, self.steps)),
            "after_runs": self.runs,
        }


def worlds_of(release: Release) -> tuple[ControllerSettings, ...]:
    """The worlds that schedules are tried in: four brokers with two directories each, copies on three of them; without
    ELR, the same with unclean elections, and from 4.0 on with ELR."""
    usual = ControllerSettings(brokers=4, directories=2)
    with_elr = (replace(usual, elr=True),) if release.parts >= (4, 0) else ()
    return (usual, replace(usual, unclean=True), *with_elr)


def hunt_controller(
    release: Release,
    seed: int,
    *,
    runs: int | None,
    seconds: float | None,
    report: Callable[[HuntReach], None] = lambda so_far: None,
) -> Iterator[ControllerCase | HuntReach]:
    """Takes runs until there were enough, or the time is over, and yields each finding once, shrunk; and in the end, or
    where somebody interrupts, how far it has looked."""
    start, worlds = partial(Host, release, CONTROLLER), worlds_of(release)
    yield from hunt_worlds(start, worlds, seed, LENGTH, _shortest_case, runs=runs, seconds=seconds, report=report)


def finding_of(host: Host, settings: ControllerSettings, steps: Schedule, signature: str) -> FailedProperty | None:
    """What fails with that signature when a schedule is taken on a new controller; None where nothing does."""
    host.ask({"do": "open", "settings": settings.document()})
    answer = host.ask({"do": "take", "steps": [list(step) for step in steps], "judge": True})
    return next((found for found in findings_of(answer) if found.signature == signature), None)


def _shortest_case(
    host: Host, settings: ControllerSettings, answer: Mapping[str, Any], finding: FailedProperty, so_far: HuntReach
) -> ControllerCase:
    """The finding with a schedule of which no call can be left out. DisagreementError where it does not come about a
    second time."""

    def case_with(steps: Schedule) -> ControllerCase | None:
        found = finding_of(host, settings, steps, finding.signature)
        return None if found is None else ControllerCase(host.release.version, settings, steps, found, so_far.runs)

    def case_without(case: ControllerCase, at: int) -> ControllerCase | None:
        return case_with((*case.steps[:at], *case.steps[at + 1 :]))

    whole = case_with(schedule_of(answer))
    if whole is None:
        raise DisagreementError(f"{finding.why}: it does not come about a second time")
    return leave_out_steps(whole, lambda case: len(case.steps), case_without)


def saved_controller_case(document: Mapping[str, Any]) -> ControllerCase:
    """A case that was saved. UsageError where it is none."""
    try:
        world: dict[str, Any] = dict(document["world"])
        found = document["finding"]
        world["replicas"] = tuple(world["replicas"])
        settings = ControllerSettings(**world)
        finding = FailedProperty(found["property"], found["signature"], 0, found["why"], tuple(found["stack"]))
        steps = tuple(tuple(step) for step in document["steps"])
        return ControllerCase(document["kafka"], settings, steps, finding, 0)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"it is no schedule that `hunt` has saved: {error!r}") from None


def replay_controller_case(host: Host, case: ControllerCase) -> ControllerCase:
    """A case as it is when its schedule is taken again. UsageError where nothing is found."""
    found = finding_of(host, case.settings, case.steps, case.finding.signature)
    if found is None:
        raise UsageError(f"on Kafka {host.release.version} this schedule does not show it: {case.finding.why}")
    return replace(case, kafka=host.release.version, finding=found)
