"""Random schedules of calls on a release's controller of partitions, and what they find.

Seeds, worlds and lengths are the same for every release and every defect that is looked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....language.errors import UsageError
from ....language.immutable import immutable
from ....language.verdict import DisagreementError
from ...driving.nodes.releases import Release
from ..hosting import FailedProperty, Host, Schedule, findings_of
from ..hunting import HuntReach
from ..program import CONTROLLER, HostError
from .controller import ControllerSettings, call_words
from .known import ticket_of

LENGTH = 40
"""About how many calls a run has."""
RUNS_AT_ONCE = 20
SCHEMA = "tidegate.schedule/1"


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
            "finding": {
                name: getattr(self.finding, name) for name in ("property", "signature", "node", "why", "stack")
            },
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
    began, so_far = time.monotonic(), HuntReach(0, 0, 0, 0.0)
    states: dict[ControllerSettings, int] = {}
    known = set[str]()
    try:
        with Host(release, CONTROLLER) as host:
            while (runs is None or so_far.runs < runs) and (seconds is None or so_far.seconds < seconds):
                for settings in worlds_of(release):
                    command = {"settings": settings.document(), "seed": seed, "length": LENGTH, "runs": RUNS_AT_ONCE}
                    answer = host.ask({"do": "hunt", **command})
                    states[settings] = answer["states"]
                    taken, steps = so_far.runs + answer["runs"], so_far.steps + answer["steps"]
                    elapsed, used = time.monotonic() - began, host.processor_seconds()
                    so_far = HuntReach(taken, steps, sum(states.values()), elapsed, used)
                    report(so_far)
                    for finding in findings_of(answer):
                        if finding.signature not in known:
                            known.add(finding.signature)
                            schedule = tuple(tuple(step) for step in answer["schedule"])
                            yield _shortest_case(host, settings, schedule, finding, so_far.runs)
    except KeyboardInterrupt:
        so_far = replace(so_far, seconds=time.monotonic() - began, cut=True)
    except HostError as error:
        so_far = replace(so_far, seconds=time.monotonic() - began, cut=True, why=str(error))
    yield so_far


def finding_of(host: Host, settings: ControllerSettings, steps: Schedule, signature: str) -> FailedProperty | None:
    """What fails with that signature when a schedule is taken on a new controller; None where nothing does."""
    host.ask({"do": "open", "settings": settings.document()})
    answer = host.ask({"do": "take", "steps": [list(step) for step in steps], "judge": True})
    return next((found for found in findings_of(answer) if found.signature == signature), None)


def _shortest_case(
    host: Host, settings: ControllerSettings, steps: Schedule, finding: FailedProperty, runs: int
) -> ControllerCase:
    """The finding with a schedule of which no call can be left out. DisagreementError where it does not come about a
    second time."""
    found = finding_of(host, settings, steps, finding.signature)
    if found is None:
        raise DisagreementError(f"{finding.why}: it does not come about a second time")
    at = 0
    while at < len(steps):
        shorter = (*steps[:at], *steps[at + 1 :])
        again = finding_of(host, settings, shorter, finding.signature)
        if again is None:
            at += 1
        else:
            steps, found, at = shorter, again, 0
    return ControllerCase(host.release.version, settings, steps, found, runs)


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
