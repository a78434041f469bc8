"""What must hold of topics: a question in a cell, and presets that say what they mean. `--require`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from ...language.errors import suggest_name
from ...language.immutable import immutable
from ..cluster.cluster import TopicUse
from ..cluster.statements import UnreadableInputError
from ..kafka.internal_topics import OFFSETS, REMOTE, SHARE, TRANSACTIONS
from ..questions.questions import OF_DELIVERY, QUESTION
from ..questions.signature import Subject
from ..questions.situations import (
    BY_NAME,
    DIRECTORY,
    FAULT,
    SITUATIONS,
    Name,
)
from .answer import Answer, SubjectVerdict, Word

Whose = Literal["topics", "internal", "transactions", "offsets", "share", "remote", "all"]
"""Topics of users, all of Kafka's own, or all of them; of Kafka's own the one of transactions, of groups' offsets, of
the state of share groups, or of what is in remote storage."""


@immutable
class Requirement:
    """A question that must be answered without a loss in a cell. `of` is whose topics it is about. `uncleanly`: only
    those whose leaders may be elected uncleanly."""

    question: str
    cell: Name
    of: Whose = "all"
    uncleanly: bool = False

    @property
    def to_text(self) -> str:
        """As `--require` takes it."""
        return f"{self.question}={self.cell}"

    def is_about(self, subject: Subject) -> bool:
        """Whether a subject must meet it. What is asked of groups is asked of the log of their offsets and of topics
        that they read, and what is asked of consumers only of these, as what is asked of producers is of what they
        write."""
        if subject.is_internal and self.question in OF_DELIVERY:
            return False
        if subject.is_internal and self.question in _OF_READERS and not self._is_of_offsets(subject):
            return False
        if self.uncleanly and not any(variant.signature.elects_uncleanly for variant in subject.variants):
            return False
        if self.of in _NAMED:
            return subject.topics[0].name == _NAMED[self.of]
        return self.of == "all" or (self.of == "internal") == subject.is_internal

    def _is_of_offsets(self, subject: Subject) -> bool:
        return self.question == "groups" and subject.topics[0].name == OFFSETS


_NAMED: Mapping[Whose, str] = {"transactions": TRANSACTIONS, "offsets": OFFSETS, "share": SHARE, "remote": REMOTE}

_OF_READERS = ("groups", "no-skips")
"""Questions about consumers, which read no other topic of Kafka's own."""


@immutable
class Preset:
    """Requirements with a name, and what they mean together."""

    name: str
    says: str
    requirements: tuple[Requirement, ...]


def _requirements_of_cells(question: str, *cells: Name, of: Whose = "topics") -> Iterator[Requirement]:
    for cell in cells:
        yield Requirement(question, cell, of)


def _storage_loss_cells(situation: str) -> tuple[Name, Name]:
    return f"disk-loss@{situation}", f"directory-loss@{situation}"


_FAILOVER = (
    *_requirements_of_cells("writable", "leader-move@all", "restart@all", "crash@all"),
    *_requirements_of_cells("writable", "leader-move@all", "restart@all", "crash@all", of="internal"),
)

_STANDARD = (
    *_requirements_of_cells(
        "no-loss", "leader-move@min-isr", "restart@min-isr", "crash@min-isr", "crash@one", "two-crashes@min-isr"
    ),
    *_requirements_of_cells("no-loss", "cut-off@min-isr", "power-loss@min-isr", *_storage_loss_cells("min-isr")),
    # With min.insync.replicas above 2 and eligible leader replicas it takes more than two crashes.
    Requirement("no-loss", "all-crashes@min-isr", "topics", uncleanly=True),
    # What takes no disk takes back nothing that was read, but for KAFKA-9835.
    *_requirements_of_cells("no-unread", "leader-move@all", "restart@all", "crash@all", "cut-off@all"),
    *_FAILOVER,
    *_requirements_of_cells("no-loss", "leader-move@min-isr", "restart@min-isr", "crash@min-isr", of="transactions"),
    *_requirements_of_cells(
        "no-loss",
        "cut-off@min-isr",
        "power-loss@min-isr",
        *_storage_loss_cells("min-isr"),
        of="transactions",
    ),
    *_requirements_of_cells("no-loss", "leader-move@all", "restart@all", "crash@all", of="offsets"),
    *_requirements_of_cells("no-loss", "cut-off@all", "power-loss@all", *_storage_loss_cells("all"), of="offsets"),
    *_requirements_of_cells("no-loss", "leader-move@min-isr", "restart@min-isr", "crash@min-isr", of="share"),
    *_requirements_of_cells(
        "no-loss", "cut-off@min-isr", "power-loss@min-isr", *_storage_loss_cells("min-isr"), of="share"
    ),
    *_requirements_of_cells("no-loss", "leader-move@all", "restart@all", "crash@all", of="remote"),
    *_requirements_of_cells("no-loss", "cut-off@all", "power-loss@all", *_storage_loss_cells("all"), of="remote"),
)

PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "standard",
            "what three replicas with min.insync.replicas=2, clean elections and acks=all give: nothing acknowledged "
            "is lost by one fault while the ISR is at min.insync.replicas, nor by two crashes there or one with one "
            "in sync, nor, where leaders are elected uncleanly, by a crash of every broker; nothing that was read is "
            "taken back by a moved leader, a restart, a crash or a broker that is cut off while all replicas are in "
            "sync (KAFKA-9835, mended in 2.5.1); writes go on without one broker; of Kafka's own topics only that "
            "writes go on without one broker, that no committed offset is lost by one fault while all replicas are in "
            "sync, nor what is known of tiered data, and that nothing in the log of transactions is lost by one fault, "
            "where a producer is transactional, nor in the state of share groups",
            _STANDARD,
        ),
        Preset(
            "strict",
            "standard, and nothing acknowledged is lost by one fault with one replica in sync (which takes eligible "
            "leader replicas, and for a lost disk Kafka 4.3), by two power losses, or by a rack; a rack that is gone "
            "stops no writes; retries write nothing twice",
            (
                *_STANDARD,
                *_requirements_of_cells(
                    "no-loss",
                    "leader-move@one",
                    "restart@one",
                    "cut-off@one",
                    "power-loss@one",
                    *_storage_loss_cells("one"),
                ),
                *_requirements_of_cells("no-loss", "two-power-losses@all", "cut-off-power-loss@all"),
                *_requirements_of_cells("no-loss", "rack-power-loss@all", "rack-cut-off@all", "rack-loss@all"),
                *_requirements_of_cells("writable", "rack-loss@all"),
                *_requirements_of_cells("no-duplicates", "crash@all", "power-loss@all"),
                *_requirements_of_cells("in-order", "crash@all", "power-loss@all"),
            ),
        ),
        Preset(
            "dev",
            "for development: writes and reads go on while nothing fails; what fails may lose everything",
            (
                *_requirements_of_cells("writable", "leader-move@all"),
                *_requirements_of_cells("readable", "leader-move@all"),
            ),
        ),
    )
}

DEFAULT: Sequence[Requirement] = PRESETS["standard"].requirements
"""What must hold where nothing else is asked."""


class UnknownRequirementError(ValueError):
    """A text that is not a requirement; the message says what is wrong and what there is."""


EXAMPLE = "no-loss=power-loss@min-isr"


def parse_requirement(text: str) -> Sequence[Requirement]:
    """The requirements of a preset's name, or the one that a text such as `no-loss=power-loss@min-isr` asks for.

    Raises UnknownRequirementError.
    """
    if text in PRESETS:
        return PRESETS[text].requirements
    question, equals, cell = text.partition("=")
    if not equals:
        raise UnknownRequirementError(
            f"write a preset or QUESTION=FAULT@SITUATION, such as {EXAMPLE}; {suggest_name(text, PRESETS)}"
        )
    if question not in QUESTION:
        raise UnknownRequirementError(f"there is no question {question}; {suggest_name(question, QUESTION)}")
    fault, at, situation = cell.partition("@")
    if fault not in FAULT:
        raise UnknownRequirementError(f"there is no fault {fault}; {suggest_name(fault, FAULT)}")
    if cell not in BY_NAME:
        names = ", ".join(known.name for known in SITUATIONS)
        what = f"there is no situation {situation}" if at else f"{fault} happens in a situation: write {fault}@min-isr"
        raise UnknownRequirementError(f"{what}; the situations are {names}")
    return (Requirement(question, cell),)


def check_stated_requirements(uses: Iterable[TopicUse]) -> None:
    """Raises UnreadableInputError for an entry of audit.toml that asks for what there is not."""
    for use in uses:
        for text in use.requirements:
            try:
                parse_requirement(text)
            except UnknownRequirementError as error:
                raise UnreadableInputError(f"{use.origin}: require is {text!r}: {error}") from None


def requirements_of_subject(subject: Subject, otherwise: Sequence[Requirement]) -> Sequence[Requirement]:
    """What must hold of topics: what audit.toml asks of them, else what is asked of all others."""
    stated = tuple(requirement for text in subject.requirements for requirement in parse_requirement(text))
    return stated or otherwise


def requirements_text(requirements: Sequence[Requirement]) -> str:
    """What is required, in a few words: a preset's name if it is one, else every requirement."""
    found = next((preset.name for preset in PRESETS.values() if preset.requirements == tuple(requirements)), None)
    return found or ", ".join(dict.fromkeys(requirement.to_text for requirement in requirements))


_MEANS: Mapping[Word, Result] = {
    "can lose": "failed", "depends": "depends", "not checked": "not checked", "no loss found": "met"
}  # fmt: skip


def check_requirements(subject: SubjectVerdict, requirements: Iterable[Requirement]) -> list[RequirementCheck]:
    """Every requirement of a subject."""
    return [
        _check_requirement(subject, requirement)
        for requirement in requirements
        if requirement.is_about(subject.subject) and not _asks_disk_for_directory(subject, requirement)
    ]


def _asks_disk_for_directory(subject: SubjectVerdict, requirement: Requirement) -> bool:
    """Whether a requirement is about one of several directories, and each broker has one: its disk is asked about."""
    return BY_NAME[requirement.cell].fault.name == DIRECTORY and not any(
        variant.signature.directories for variant in subject.subject.variants
    )


def _check_requirement(subject: SubjectVerdict, requirement: Requirement) -> RequirementCheck:
    answer = subject.table[requirement.question, requirement.cell]
    result = _MEANS[answer.word]
    return RequirementCheck(requirement, result, None if result == "met" else answer)


Result = Literal["met", "failed", "depends", "not checked", "accepted"]


@immutable
class RequirementCheck:
    """What came of one requirement for one subject, and its answer where it is not met. `note` says until when it is
    accepted, and why; where that rests on an assumption, `assumption` says on which."""

    requirement: Requirement
    result: Result
    answer: Answer | None = None
    note: str = ""
    assumption: str = ""


FAILED, UNDECIDED = 1, 5
"""What an audit exits with besides 0."""


def exit_code(checks: Sequence[RequirementCheck]) -> int:
    """1 if a requirement failed, 5 if one is not decided or if there was nothing to ask of, else 0."""
    results = {check.result for check in checks}
    return FAILED if "failed" in results else UNDECIDED if results - {"met", "accepted"} or not results else 0
