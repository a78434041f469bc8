"""Random schedules on Kafka's own code alone, and what they find.

Seeds, worlds and lengths are the same for every release and every defect that is looked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from ...language.errors import UsageError
from ...language.immutable import immutable
from ...language.verdict import DisagreementError
from ..driving.nodes.releases import Release
from .hosting import FailedProperty, Host, Schedule, Settings, findings_of, step_words
from .known import ticket_of
from .program import HostError
from .properties import JUDGED, Seen, failing_properties
from .shrinking import shrink_schedule

SCHEMA = "tidegate.schedule/1"
RELEASES = ("4.4.0", "4.3.1", "4.2.0", "4.1.1", "4.0.0", "3.9.1", "3.7.2", "3.6.2", "3.5.2")
"""Releases that are known to be hosted, newest first."""
RECONFIGURES = (3, 9)
"""Since when voters may change (KIP-853)."""
LENGTH = 300
"""The most steps that a run has of its own; many have fewer."""
RUNS_AT_ONCE = 20


@immutable
class HuntReach:
    """How far was looked: runs, steps, different states, seconds by the clock and of processor time, and whether it
    ended before it was to, and why where it was not interrupted."""

    runs: int
    steps: int
    states: int
    seconds: float
    processor_seconds: float = 0.0
    cut: bool = False
    why: str = ""


@immutable
class HuntCase:
    """A finding with the shortest schedule that shows it: in which world, with which seed; `recovers` where it shows
    only once nothing is lost any more. `lines` is what Kafka logged in its last step and before, `runs` how many runs
    had been taken, and `seconds` how long it took, by the clock and of processor time."""

    kafka: str
    settings: Settings
    seed: int
    steps: Schedule
    recovers: bool
    finding: FailedProperty
    lines: tuple[str, ...]
    runs: int
    seconds: float
    processor_seconds: float

    @property
    def known_as(self) -> str:
        """The ticket of the defect that this is; "" where none is known."""
        return ticket_of(self.finding.signature, tuple(map(int, self.kafka.split("."))))

    def world_in_words(self) -> str:
        """`3 voters and 1 observer, which may change, seed 7`: in words."""
        settings = self.settings
        more = f" and {settings.observers} more" if settings.observers else ""
        change = ", which may change" if settings.dynamic else ""
        batches = ", one batch a fetch" if settings.batches_a_read == 1 else ""
        defect = f", the host's own defect {settings.defect}" if settings.defect else ""
        return f"{settings.voters} voters{more}{change}{batches}{defect}, seed {self.seed}"

    def document(self) -> dict[str, Any]:
        """As it is saved."""
        return {
            "schema": SCHEMA,
            "kafka": self.kafka,
            "world": self.settings.document(),
            "seed": self.seed,
            "steps": [list(step) for step in self.steps],
            "recovers": self.recovers,
            "finding": finding_document(self.finding),
            "lines": list(self.lines),
            "known_as": self.known_as,
            "world_in_words": self.world_in_words(),
            "steps_in_words": list(map(step_words, self.steps)),
            "after_runs": self.runs,
            "after_seconds": round(self.seconds, 1),
            "after_processor_seconds": round(self.processor_seconds, 1),
        }


def finding_document(finding: FailedProperty) -> dict[str, Any]:
    """A finding as it is saved."""
    return {name: getattr(finding, name) for name in ("property", "signature", "node", "why", "stack")}


def worlds_of(release: Release, defect: str = "") -> tuple[Settings, ...]:
    """The worlds that schedules are tried in: three voters, the same with one batch in each fetch, five voters, and
    from 3.9 on voters that change, beside one more node."""
    static = (Settings(defect=defect), Settings(batches_a_read=1, defect=defect), Settings(voters=5, defect=defect))
    changing = (Settings(observers=1, dynamic=True, defect=defect),)
    return static + (changing if release.parts[:2] >= RECONFIGURES else ())


def hunt(
    release: Release,
    seed: int,
    *,
    runs: int | None,
    seconds: float | None,
    defect: str = "",
    report: Callable[[HuntReach], None] = lambda so_far: None,
) -> Iterator[HuntCase | HuntReach]:
    """Takes runs until there were enough, or the time is over, and yields each finding once, shrunk; and in the end, or
    where somebody interrupts, how far it has looked."""
    worlds = worlds_of(release, defect)
    start = partial(Host, release)
    yield from hunt_worlds(start, worlds, seed, LENGTH, _case, runs=runs, seconds=seconds, report=report)


class HuntedWorld(Protocol):
    """The settings of a world that schedules are tried in; equal ones are one world."""

    def document(self) -> dict[str, Any]:
        """As the process takes them."""
        ...


World = TypeVar("World", bound=HuntedWorld)
Case = TypeVar("Case")
CaseShrinker: TypeAlias = Callable[[Host, World, Mapping[str, Any], FailedProperty, "HuntReach"], Case]
"""What makes a case of a finding: of a process, in which world, from its answer, and how far was looked by then."""


def hunt_worlds(
    start_host: Callable[[], Host],
    worlds: Sequence[World],
    seed: int,
    length: int,
    case_of_finding: CaseShrinker[World, Case],
    *,
    runs: int | None,
    seconds: float | None,
    report: Callable[[HuntReach], None],
) -> Iterator[Case | HuntReach]:
    """The same for any worlds of a process that is started, with runs of up to `length` steps."""
    began, so_far = time.monotonic(), HuntReach(0, 0, 0, 0.0)
    states: dict[World, int] = {}
    known = set[str]()
    try:
        with start_host() as host:
            while (runs is None or so_far.runs < runs) and (seconds is None or so_far.seconds < seconds):
                for settings in worlds:
                    command = {"settings": settings.document(), "seed": seed, "length": length, "runs": RUNS_AT_ONCE}
                    answer = host.ask({"do": "hunt", **command})
                    states[settings] = answer["states"]
                    so_far = HuntReach(
                        so_far.runs + answer["runs"],
                        so_far.steps + answer["steps"],
                        sum(states.values()),
                        time.monotonic() - began,
                        host.processor_seconds(),
                    )
                    report(so_far)
                    for finding in findings_of(answer):
                        if finding.signature not in known:
                            known.add(finding.signature)
                            yield case_of_finding(host, settings, answer, finding, so_far)
    except KeyboardInterrupt:
        so_far = replace(so_far, seconds=time.monotonic() - began, cut=True)
    except HostError as error:
        so_far = replace(so_far, seconds=time.monotonic() - began, cut=True, why=str(error))
    yield so_far


def schedule_of(answer: Mapping[str, Any]) -> Schedule:
    """The steps of the schedule in an answer of the process."""
    return tuple(tuple(step) for step in answer["schedule"])


def _case(
    host: Host, settings: Settings, answer: Mapping[str, Any], finding: FailedProperty, so_far: HuntReach
) -> HuntCase:
    seed, steps = int(answer["world"]), schedule_of(answer)
    made = shrink_schedule(host, settings, seed, steps, finding, lambda left: None)
    if made is None:
        raise DisagreementError(f"{finding.why}: it does not come about a second time, with seed {seed}")
    taken = so_far.runs, so_far.seconds, so_far.processor_seconds
    case = HuntCase(host.release.version, settings, seed, made[0], made[1], finding, (), *taken)
    return replay_case(host, case)[0]


def replay_case(host: Host, case: HuntCase) -> tuple[HuntCase, tuple[Seen, ...]]:
    """A case as it is when its schedule is taken again, and what is seen after each step. DisagreementError where the
    host finds what the judge in Python does not; UsageError where nothing is found."""
    host.open(case.settings, case.seed, log=True)
    done = host.take(case.steps, look_at_each=True, recover=case.recovers)
    same = [found for found in done.findings if found.signature == case.finding.signature]
    if not same:
        raise UsageError(f"on Kafka {host.release.version} this schedule does not show it: {case.finding.why}")
    if same[0].property in JUDGED and same[0].property not in failing_properties(done.states):
        raise DisagreementError(f"the host says of {same[0].property}: {same[0].why}, and Python sees nothing of it")
    again = replace(case, kafka=host.release.version, finding=same[0], lines=done.lines[-12:])
    return again, done.states


NUMBERS_OF_STEPS = {
    **dict.fromkeys(("deliver", "lose", "cut"), (2, 5)), "exchange": (2, 6), "append": (1, 2), "ahead": (1, 2),
    "prepare": (1, 2), "crash": (1, 2), **dict.fromkeys(("add_voter", "remove_voter"), (2, 2)), "look": (0, 0),
    **dict.fromkeys(
        ("tick", "schedule", "start", "resign", "stop", "register", "snapshot", "clean", "replace_disk"), (1, 1)
    ),
}  # fmt: skip
"""Of each step how many nodes it names first, and how many numbers it has at least: host/raft/Verb.java says which."""


def refuse_wrong_steps(steps: Sequence[Sequence[Any]], settings: Settings) -> None:
    """UsageError where a step is none that the host of so many nodes can take."""
    count = settings.voters + settings.observers
    if not 0 < settings.voters <= count < 100:
        raise UsageError(f"its world has {settings.voters} voters and {settings.observers} observers")
    for place, step in enumerate(steps, start=1):
        verb, *numbers = step or [""]
        if verb not in NUMBERS_OF_STEPS:
            raise UsageError(f"step {place}: there is no step {verb!r}")
        nodes, least = NUMBERS_OF_STEPS[verb]
        if len(numbers) < least or not all(type(number) is int and 0 <= number < 2**31 for number in numbers):
            raise UsageError(f"step {place}: {verb} has whole numbers from 0 on, {least} or more, and here {numbers}")
        if not all(1 <= node <= count for node in numbers[:nodes]):
            raise UsageError(f"step {place}: {verb} is of nodes 1 to {count}, and here of {numbers[:nodes]}")


def case_of(document: Mapping[str, Any]) -> HuntCase:
    """A case that was saved. UsageError where it is none."""
    try:
        if document["schema"] != SCHEMA:
            raise UsageError(f"its schema is {document['schema']}, and not {SCHEMA}")
        found, settings = document["finding"], Settings(**document["world"])
        refuse_wrong_steps(document["steps"], settings)
        return HuntCase(
            document["kafka"],
            settings,
            int(document["seed"]),
            tuple(tuple(step) for step in document["steps"]),
            bool(document["recovers"]),
            FailedProperty(found["property"], found["signature"], found["node"], found["why"], tuple(found["stack"])),
            tuple(document["lines"]),
            0,
            0.0,
            0.0,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"it is no schedule that `hunt` has saved: {error!r}") from None
