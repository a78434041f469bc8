"""What is asked of a signature in each cell: questions as properties of the model `partition`, cells as its budgets.

Each question is a row of properties, each cell (`situations.py`) a row of budgets, and a `Case` is what both come to:
one exploration. Whether writes and reads go on is asked of a model in which what is missing stays missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from ...language.constants import PlainValue
from ...language.immutable import immutable

ExplorationKind = Literal["loss", "reads", "goes_on", "delivery"]
"""Kinds of explorations: of losses; of losses where consumers read from followers too; of service; of retries."""

MEMBERS_LOST = (
    "isr_shrinks", "fences", "shutdowns", "crashes", "power_losses", "disk_losses", "directory_losses",
    "host_losses",
)  # fmt: skip
"""Faults after each of which the ISR may have a member less."""


@immutable
class Question:
    """A question: its name in JSON and on the command line, and its row's title.

    `properties` are the invariants that answer it in an exploration of kind `kind`. `with_all` answer it as well with
    acks=all. What is asked of "consumers" follows from other rows, in `consumers`.
    """

    name: str
    title: str
    kind: ExplorationKind | Literal["consumers"]
    properties: tuple[str, ...] = ()
    with_all: tuple[str, ...] = ()

    def invariants_for(self, acks: PlainValue) -> tuple[str, ...]:
        """The invariants that answer it, as a producer waits."""
        return (*self.properties, *(self.with_all if acks == "all" else ()))

    def __hash__(self) -> int:
        """The name is enough."""
        return hash(self.name)


QUESTIONS: tuple[Question, ...] = (
    Question("no-loss", "acknowledged record lost", "loss", ("acknowledged_kept", "acked_durable")),
    # With acks=all what is acknowledged is below the high watermark, and may have been read.
    Question("no-unread", "committed record read, then gone", "loss", ("consistent_read",), ("acked_durable",)),
    Question("no-divergence", "logs diverge", "loss", ("committed_log_matching",)),
    # Consumers that read from followers: sent to one that lags, or served by one what was never committed.
    Question(
        "no-stale-reads",
        "followers serve consumers wrongly",
        "reads",
        ("preferred_replica_complete", "reads_below_high_watermark"),
    ),
    Question("writable", "writes stop", "goes_on", ("writes_resume",)),
    Question("readable", "reads stop", "goes_on", ("reads_resume",)),
    Question("no-duplicates", "duplicates", "delivery", ("no_duplicate",)),
    Question("in-order", "reordering", "delivery", ("producer_order",)),
    Question("groups", "consumer groups stuck", "consumers"),
    Question("no-skips", "consumers skip records", "consumers"),
)

OF_TOPICS: tuple[Question, ...] = tuple(question for question in QUESTIONS if question.kind != "consumers")
"""Those that a topic's signature answers by itself."""

OF_DELIVERY = frozenset(question.name for question in QUESTIONS if question.kind == "delivery")
"""Those about what a producer sends again."""

QUESTION: Mapping[str, Question] = {question.name: question for question in QUESTIONS}

WITNESS = "record_is_acknowledged"
"""Without it a pass says nothing: nothing was written that could be lost."""

SETTLES = "settles"
"""Without it nothing is said of what goes on for good."""

KEPT_READS = ("consistent_read", "read_durable", "committed_log_matching")
"""With acks=all all that is acknowledged may be read: where these hold, nothing acknowledged is lost."""

WITH_ALL: Mapping[str, str] = {
    "writes_resume": "writes_resume_with_all",
    "reads_resume": "reads_resume_with_all",
}
"""Properties of service, and what they are with acks=all in an exploration of another `acks`."""

_LOSS = ("acknowledged_kept", "acked_durable", "consistent_read", "committed_log_matching", WITNESS)

PROPERTIES: Mapping[ExplorationKind, tuple[str, ...]] = {
    "loss": (*_LOSS, "read_durable"),
    "reads": (*_LOSS, "preferred_replica_complete", "reads_below_high_watermark"),
    "goes_on": (*WITH_ALL, *WITH_ALL.values(), SETTLES),
    "delivery": ("no_duplicate", "producer_order", WITNESS),
}
"""What one exploration of each kind checks."""

ENOUGH: Mapping[ExplorationKind, tuple[str, ...]] = {
    "loss": ("no-loss", "no-unread"),
    "reads": ("no-loss", "no-unread", "no-stale-reads"),
    "goes_on": ("writable", "readable"),
    "delivery": ("no-duplicates", "in-order"),
}
"""Once all of these are answered against the settings, an exploration of many states ends."""


@dataclass(frozen=True, eq=False)
class Case:
    """One exploration: what it is for, and the constants of the model. Equal cases are explored once.

    `brief`: its main questions are answered, against the settings, and it is for the others alone; it ends at the
    losses that it would end at, so that few states are enough. An audit compares cases millions of times, so that what
    follows from the constants is computed once.
    """

    kind: ExplorationKind
    constants: tuple[tuple[str, PlainValue], ...]
    brief: bool = False

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Case)
            and self._number_of_case == other._number_of_case
            and (self.kind, self.constants, self.brief) == (other.kind, other.constants, other.brief)
        )

    def __hash__(self) -> int:
        return self._number_of_case

    def __reduce__(self) -> tuple[type[Case], tuple[ExplorationKind, tuple[tuple[str, PlainValue], ...], bool]]:
        """Another process has other hashes: nothing that was computed goes along."""
        return Case, (self.kind, self.constants, self.brief)

    @cached_property
    def _number_of_case(self) -> int:
        return hash((self.kind, self.constants, self.brief))

    @cached_property
    def brief_case(self) -> Case:
        """The brief one of the same faults and settings."""
        return shared_case(Case(self.kind, self.constants, brief=True))

    @cached_property
    def values(self) -> Mapping[str, PlainValue]:
        """The constants by name."""
        return dict(self.constants)

    @property
    def kernel_size(self) -> tuple[str, int]:
        """What a compiled kernel is made for."""
        return self.kind, int(self.values["replicas"])

    @property
    def weight(self) -> int:
        """A measure of how many states there are: replicas times faults, and more where requests fail."""
        values = self.values
        replicas = int(values["replicas"])
        faults = sum(int(values[name]) for name in (*MEMBERS_LOST, "preferred_elections", "controller_losses"))
        return replicas * (faults + (replicas if values["retries"] else 0))

    @property
    def least_isr_left(self) -> int:
        """How many members of the ISR no fault can reach, at least; 0 or less if faults can reach them all."""
        return int(self.values["replicas"]) - sum(int(self.values[name]) for name in MEMBERS_LOST)

    @property
    def is_taking_all_in_sync(self) -> bool:
        """Whether the ISR can be without any member that runs."""
        return self.least_isr_left < 1

    @cached_property
    def explored_case(self) -> Case:
        """The case whose exploration is this one's too, step by step, with settings that cannot matter as by default.

        Each fault takes one member out of the ISR, and nothing else does. Those that no fault can reach stay: with one
        of them nobody is elected uncleanly, and as long as they are as many as min.insync.replicas asks for, any lesser
        number is the same to every step and property. Of service, which is asked about without a record, no step
        depends on acks, and both ways to wait have their properties (`WITH_ALL`).
        tests/audit/exploring/test_explorations.py explores both.
        """
        values, left = self.values, self.least_isr_left
        if values["unclean_elections"]:
            return self
        made = {
            **values,
            "unclean": bool(values["unclean"]) and self.is_taking_all_in_sync,
            "min_isr": 1 if int(values["min_isr"]) <= left else values["min_isr"],
            "acks": "leader" if self.kind == "goes_on" else values["acks"],
        }
        return shared_case(Case(self.kind, tuple(sorted(made.items())), self.brief))

    @cached_property
    def main_questions(self) -> tuple[str, ...]:
        """The questions that it is for; others are answered where they can be."""
        return ("no-loss",) if self.kind == "loss" and self.values["acks"] == "none" else ENOUGH[self.kind]

    def is_enough(self, decided_names: frozenset[str]) -> bool:
        """Whether what was violated, by name, answers all that it is for: of service with any acks."""
        if self.kind == "goes_on":
            return {*WITH_ALL, *WITH_ALL.values()} <= decided_names
        acks = self.values["acks"]
        return all(decided_names & set(QUESTION[name].invariants_for(acks)) for name in self.main_questions)

    @property
    def is_of_one_question(self) -> bool:
        """Whether it is for one question and no other, so that it ends with its answer however few states it has."""
        return len(self.main_questions) == 1


@lru_cache(maxsize=100_000)
def shared_case(case: Case) -> Case:
    """The same object for equal cases, so that they compare at once."""
    return case


# --- what is asked, and what there are too many states for ------------------------------------------------------------


CALM: Mapping[str, PlainValue] = {
    "isr_shrinks": 0,
    "fences": 0,
    "shutdowns": 0,
    "crashes": 0,
    "power_losses": 0,
    "disk_losses": 0,
    "directory_losses": 0,
    "host_losses": 0,
    "controller_losses": 0,
    "preferred_elections": 0,
    "unclean_elections": 0,
    "retries": 0,
}
"""No fault but those that a cell asks for."""
