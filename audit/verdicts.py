"""From explorations to answers: a table, question by level, for every subject, in four words.

*can lose* has a scenario that was replayed; *no loss found* has its bounds; *depends* says on which fact that is not
stated; *not checked* says why. What is arithmetic, and no question to the model, is marked as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .cases import Explorations, Found, Told
from .levels import (
    LEVELS,
    MOST,
    OF_TOPICS,
    ONE_FAULT_FROM,
    Case,
    Level,
    Name,
    Question,
    asks_delivery,
    cases_of,
    delivery_case,
    goes_on_case,
    hosts_lost,
    is_sent_again,
    loss_case,
    racks_of,
)
from .signature import Signature, Subject, Variant

Word = Literal["can lose", "no loss found", "depends", "not checked"]
Basis = Literal["model", "arithmetic", ""]

GRAVITY: tuple[Word, ...] = ("can lose", "depends", "not checked", "no loss found")
"""The words, the gravest first."""

RACK = "broker.rack"
TELL_RACK = "broker.rack of each broker, and kafka-topics.sh --describe"
INCONCLUSIVE = "inconclusive: "
_CONSUMED = ("no-loss", "no-unread")


@dataclass(frozen=True, slots=True)
class Answer:
    """One cell of a table. `why` is what a loss needs, what is within bounds, or why nothing was checked.

    `on` are the facts that it depends on. `case` and `property` have the scenario of a loss, `steps` its length.
    """

    word: Word
    basis: Basis = ""
    why: str = ""
    on: tuple[str, ...] = ()
    steps: tuple[Told, ...] = ()
    case: Case | None = None
    property: str = ""


Table = Mapping[tuple[str, Name], Answer]


@dataclass(frozen=True, slots=True)
class Judged:
    """A subject with its answers: those of each of its variants, and all of them put together."""

    subject: Subject
    tables: tuple[Table, ...]
    table: Table

    def lowest(self, table: Table) -> Level | None:
        """The lowest level at which something that was written is lost, or was read and is gone."""
        found = (level for level in LEVELS if any(table[q, level.name].word == "can lose" for q in _CONSUMED))
        return next(found, None)


def judged(subjects: Sequence[Subject], explorations: Explorations) -> list[Judged]:
    """Every subject's answers. All explorations that they need run together."""
    signatures = dict.fromkeys(variant.signature for each in subjects for variant in each.variants)
    explorations.all([case for signature in signatures for case in cases_of(signature)])
    tables = {signature: table_of(signature, explorations) for signature in signatures}
    return [_judged(each, [tables[variant.signature] for variant in each.variants]) for each in subjects]


def _judged(subject: Subject, tables: Sequence[Table]) -> Judged:
    cells: list[tuple[str, Name]] = [(question.name, level.name) for question in OF_TOPICS for level in LEVELS]
    if not tables:
        nothing = Answer("not checked", "", subject.not_checked)
        never = Answer("can lose", "arithmetic", subject.not_checked) if subject.refused else nothing
        stops = ("writable", "readable")
        return Judged(subject, (), {cell: never if cell[0] in stops else nothing for cell in cells})
    table = {cell: together(subject.variants, [each[cell] for each in tables]) for cell in cells}
    return Judged(subject, tuple(tables), table)


def together(variants: Sequence[Variant], answers: Sequence[Answer]) -> Answer:
    """One answer of several: the same word, or which facts it depends on."""
    words = {each.word for each in answers}
    if len(words) == 1:
        first = answers[0]
        on = tuple(dict.fromkeys(name for each in answers for name in each.on))
        return Answer(first.word, first.basis, first.why, on, first.steps, first.case, first.property)
    deciding = facts_that_matter(variants, [each.word for each in answers])
    on = tuple(dict.fromkeys((*deciding, *(name for each in answers for name in each.on))))
    worst = next((each for each in answers if each.word == "can lose"), answers[0])
    return Answer("depends", worst.basis, worst.why, on, worst.steps, worst.case, worst.property)


def facts_that_matter(variants: Sequence[Variant], values: Sequence[object]) -> tuple[str, ...]:
    """The facts of which a change by itself changes the value; all that differ, if no single one does."""
    names = [name for name, _ in variants[0].given]
    deciding: list[str] = []
    for place, name in enumerate(names):
        groups: dict[object, set[object]] = {}
        for variant, value in zip(variants, values, strict=True):
            rest = tuple(each for at, each in enumerate(variant.given) if at != place)
            groups.setdefault(rest, set()).add(value)
        if any(len(each) > 1 for each in groups.values()):
            deciding.append(name)
    return tuple(deciding or names)


# --- one signature ----------------------------------------------------------------------------------------------------


def table_of(signature: Signature, explorations: Explorations) -> Table:
    """A signature's answers."""
    return {
        (question.name, level.name): answer(signature, question, level.name, explorations)
        for question in OF_TOPICS
        for level in LEVELS
    }


def answer(signature: Signature, question: Question, level: Name, explorations: Explorations) -> Answer:
    """One question at one level."""
    if question.asked == "delivery":
        return _delivery(signature, question, level, explorations)
    if question.asked == "goes_on":
        lost = hosts_lost(signature, level)
        return _over_racks([_goes_on(signature, question, level, number, explorations) for number in lost])
    cases = [loss_case(signature, level, in_rack) for in_rack in racks_of(signature, level)]
    return _over_racks([_loss(question, case, explorations.found(case)) for case in cases])


def _over_racks(answers: Sequence[Answer]) -> Answer:
    """Where racks are not stated: one answer if it is the same with one replica in the rack and with all of them."""
    if len({each.word for each in answers}) == 1:
        return answers[0]
    worst = next((each for each in answers if each.word == "can lose"), answers[-1])
    return Answer("depends", worst.basis, worst.why, (RACK,), worst.steps, worst.case, worst.property)


def _loss(question: Question, case: Case, found: Found) -> Answer:
    hit = [name for name in question.answered_by(case.values["acks"]) if name in found.scenarios]
    if hit:
        shortest = min(hit, key=lambda name: len(found.scenarios[name]))
        steps = found.scenarios[shortest]
        return Answer("can lose", "model", f"{len(steps)} steps", (), steps, case, shortest)
    if found.stopped:
        return Answer("not checked", "", INCONCLUSIVE + found.stopped)
    if not set(question.properties) <= found.judged:
        return Answer("not checked", "", "the exploration ended at the losses that it had found")
    if "record_is_acknowledged" not in found.reached:
        return Answer("not checked", "", "no record is ever acknowledged, so that none can be lost")
    return Answer("no loss found", "model", bounds_of(case, found))


def bounds_of(case: Case, found: Found) -> str:
    """Within which bounds nothing was found."""
    values = case.values
    names = {
        "isr_shrinks": "leave the ISR", "shutdowns": "are shut down", "crashes": "crash", "power_losses": "lose power",
        "disk_losses": "lose a disk", "host_losses": "are lost", "preferred_elections": "take the lead as preferred",
        "retries": "requests fail",
    }  # fmt: skip
    faults = [f"{values[name]} {what}" for name, what in names.items() if values.get(name)]
    records = "1 record" if values["max_records"] == 1 else f"{values['max_records']} records"
    return f"{records}, {', '.join(faults) or 'no fault'}: {found.states:,} states"


_PART_OF: Mapping[Name, Name] = {"L3": "L1", "L4": "L2", "L5": "L2"}
"""The level whose faults a level has too, and more."""

_TOO_MANY = f"with {ONE_FAULT_FROM} replicas or more it is asked with one fault at a time: see L0, L1, L2 and L6"


def _delivery(signature: Signature, question: Question, level: Name, explorations: Explorations) -> Answer:
    if not is_sent_again(signature):
        why = "acks=0" if signature.retries else "retries=0"
        return Answer("no loss found", "arithmetic", f"nothing is sent again with {why}")
    if signature.acks == "all" and signature.least_isr > signature.replicas:
        return Answer("not checked", "", "no record is written with min.insync.replicas above the replicas")
    case = delivery_case(signature)
    calm = _loss(question, case, explorations.found(case))
    if calm.word != "no loss found":  # what needs no fault happens at every level
        return calm
    if asks_delivery(signature, level):
        cases = [delivery_case(signature, level, in_rack) for in_rack in racks_of(signature, level)]
        return _over_racks([_loss(question, each, explorations.found(each)) for each in cases])
    less = _delivery(signature, question, _PART_OF[level], explorations)
    return less if less.word == "can lose" else Answer("not checked", "", _TOO_MANY)


def _goes_on(signature: Signature, question: Question, level: Name, lost: int, explorations: Explorations) -> Answer:
    if level in ("L3", "L4"):
        return _after_shrinking(signature, question, level)
    if signature.acks != "all" or question.name == "readable":
        left = signature.replicas - lost
        return _counted(left > 0, f"{left} of {signature.replicas} replicas are left")
    if lost > MOST:
        return _counted(signature.replicas - lost >= signature.least_isr, f"{lost} replicas are away")
    found = explorations.found(goes_on_case(signature, lost))
    if "writes_go_on" in found.reached:
        return Answer("no loss found", "model", f"a leader has followers enough with {lost} of the hosts lost")
    if found.stopped:
        return Answer("not checked", "", INCONCLUSIVE + found.stopped)
    return Answer("can lose", "model", f"no leader has followers enough with {lost} of the hosts lost")


def _after_shrinking(signature: Signature, question: Question, level: Name) -> Answer:
    """The ISR has shrunk, and a member of it is gone: until another has caught up."""
    left = max(1, min(signature.least_isr, signature.replicas)) - 1 if level == "L3" else 0
    needed = signature.least_isr if question.name == "writable" and signature.acks == "all" else 1
    return _counted(left >= needed, f"{left} in the ISR, {needed} needed, until a follower has caught up")


def _counted(goes_on: bool, why: str) -> Answer:
    return Answer("no loss found" if goes_on else "can lose", "arithmetic", why)


# --- requirements -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must hold of topics: a question, up to a level. `of` is whose topics it is about."""

    question: str
    level: Name
    of: Literal["topics", "internal", "all"] = "all"

    @property
    def text(self) -> str:
        """As `--require` takes it."""
        return f"{self.question}={self.level}"

    def levels(self) -> Iterator[Name]:
        """The levels that it is about."""
        for level in LEVELS:
            yield level.name
            if level.name == self.level:
                return

    def is_about(self, subject: Subject) -> bool:
        """Whether a subject must meet it."""
        return self.of == "all" or (self.of == "internal") == subject.internal


DEFAULT: tuple[Requirement, ...] = (
    Requirement("no-loss", "L2", "topics"),
    Requirement("writable", "L1", "topics"),
    Requirement("writable", "L1", "internal"),
)
"""What must hold where nothing else is asked."""


Result = Literal["met", "failed", "depends", "not checked", "accepted"]

_MEANS: Mapping[Word, Result] = {
    "can lose": "failed", "depends": "depends", "not checked": "not checked", "no loss found": "met"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one requirement for one subject: at which level it failed, or what it depends on. `note` says until
    when it is accepted, and why."""

    requirement: Requirement
    result: Result
    level: Name | None = None
    answer: Answer | None = None
    note: str = ""


def checked(each: Judged, requirements: Iterable[Requirement]) -> list[Check]:
    """Every requirement of a subject."""
    return [_checked(each, requirement) for requirement in requirements if requirement.is_about(each.subject)]


def _checked(each: Judged, requirement: Requirement) -> Check:
    cells: list[tuple[Name, Answer]] = [
        (level, each.table[requirement.question, level]) for level in requirement.levels()
    ]
    level, cell = min(cells, key=lambda each: GRAVITY.index(each[1].word))
    result = _MEANS[cell.word]
    return Check(requirement, result) if result == "met" else Check(requirement, result, level, cell)
