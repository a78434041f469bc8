"""The smallest change of settings, or of where nodes stand, that repairs what failed: looked for by the model, smallest
first, and each single part of it taken back once more to see that it is needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...language.immutable import immutable
from ..answers.acknowledgements import answer_of_log_and_client
from ..answers.answer import LATE, Answer, SubjectVerdict
from ..answers.requirements import RequirementCheck
from ..answers.verdicts import ON_DISK_OF_CONTROLLER
from ..cluster.cluster import Cluster
from ..exploring.explorations import Explorations
from ..kafka.internal_topics import OFFSETS
from ..questions.questions import OF_TOPICS, QUESTION
from ..questions.signature import Signature, Subject
from ..questions.situations import BY_NAME, Name, cell_title
from .changes import (
    SettingChange,
    SubjectRepair,
    possible_placement_changes,
    possible_sending_changes,
    possible_setting_changes,
)
from .kept_cells import Asked, CellQuestion, apply_changes, cells_to_keep_by_signature
from .plans import change_texts, plan_changes, step_document

MOST_CHANGES = 4
IN_TIME = "it fails or is not decided in time"
_HAPPENS = {
    "no-loss": "an acknowledged record can be lost",
    "no-unread": "a record that consumers have read can be gone",
    "no-divergence": "logs can diverge",
    "no-stale-reads": "followers can serve consumers wrongly",
    "writable": "writes can stop",
    "readable": "reads can stop",
    "no-duplicates": "a record can be written twice",
    "in-order": "records can be reordered",
}
"""What can happen where a question is answered with a loss."""


@immutable
class NeededChange:
    """A change with what fails without it: the question, the cell, and whether that is a loss, or not decided."""

    change: SettingChange
    cell: CellQuestion
    loses: bool


@immutable
class Repair:
    """The changes, each of which is needed, in the order of roll-out. `leaves_open`: nothing that failed is lost after
    them, and some of it is not decided then (`cells_left`), for want of what the model does not have. `assumes`: all
    of it is kept, a lost disk on the assumption that a baseline may accept (`ON_DISK_OF_CONTROLLER`)."""

    changes: tuple[NeededChange, ...]
    leaves_open: bool = False
    assumes: bool = False
    cells_left: tuple[CellQuestion, ...] = ()


Tolerance = Callable[[Answer], bool]
"""Whether an answer that does not pass is taken for one that does all the same."""


def _is_loss_refused(answer: Answer) -> bool:
    return False


def _is_assumed(answer: Answer) -> bool:
    """Whether it is kept on the assumption that a baseline may accept."""
    return answer.why == ON_DISK_OF_CONTROLLER


def _is_beyond_model(answer: Answer) -> bool:
    """Whether it is not decided for want of something else than time and memory."""
    return answer.word == "not checked" and not answer.stop_reason


def _is_good(answer: Answer, tolerance: Tolerance) -> bool:
    """Whether a cell is as a repair must leave it."""
    return answer.word == "no loss found" or tolerance(answer)


@dataclass(slots=True)
class RefutedSets:
    """What the search for one subject's repair keeps when it begins anew with more explored (`run_in_rounds`).

    `losing` are sets of changes, by their names, that leave a record lost, or writes stopped: they are not asked about
    again. The cell that refuted the last set is the first that the next one is asked about, since it refutes most.
    """

    losing: set[frozenset[str]] = field(default_factory=set[frozenset[str]])
    _cells: list[tuple[Signature, CellQuestion]] = field(default_factory=list[tuple[Signature, CellQuestion]])
    _signatures: dict[tuple[Signature, frozenset[str]], Signature] = field(
        default_factory=dict[tuple[Signature, frozenset[str]], Signature]
    )

    def is_repaired(
        self, asked_cells: Asked, changes: Sequence[SettingChange], explorations: Explorations, tolerance: Tolerance
    ) -> bool:
        """Whether the changes leave each of the cells as it must be."""
        names = frozenset(change.name for change in changes)
        if names in self.losing:
            return False
        if not self._cells:
            self._cells = [(signature, cell) for signature, cells in asked_cells for cell in cells]
        for at, (signature, (question, cell)) in enumerate(self._cells):
            changed = self._changed_signature(signature, names, changes)
            found = answer_of_log_and_client(changed, QUESTION[question], BY_NAME[cell], explorations)
            if _is_good(found, tolerance):
                continue
            self._cells.insert(0, self._cells.pop(at))
            if found.word == "can lose":
                self.losing.add(names)
            return False
        return True

    def _changed_signature(
        self, signature: Signature, names: frozenset[str], changes: Sequence[SettingChange]
    ) -> Signature:
        """The signature with the changes made, once."""
        if (signature, names) not in self._signatures:
            self._signatures[signature, names] = apply_changes(signature, changes)
        return self._signatures[signature, names]


def repair_subject(
    subject: SubjectVerdict,
    checks: Sequence[RequirementCheck],
    cluster: Cluster,
    explorations: Explorations,
    refuted_sets: RefutedSets,
) -> SubjectRepair:
    """The repair of what failed of a subject, with what to type for it, or why there is none. `refuted_sets`: the
    sets of changes that an earlier search for it found to be none."""
    found = find_repair(subject, checks, explorations, refuted_sets)
    if found is None:
        return SubjectRepair(why_none=why_no_repair(subject, checks, explorations))
    changes = tuple(needed.change for needed in found.changes)
    return SubjectRepair(repair_document(subject.subject, found, cluster), changes)


_LAST = ("release", "newest", "fsync")
"""What is offered after all else: an upgrade, and a flush of each append."""


def _offered_changes(
    subject: Subject, wished_cells: Sequence[CellQuestion], kept_names: Sequence[Name] = ()
) -> list[SettingChange]:
    """Everything that could be changed, each once: settings, where nodes stand, then `_LAST`. What `kept_names` has may
    take that nodes are moved, too: a smaller min.insync.replicas is for brokers on hosts of their own."""
    cells = [*(cell for _, cell in wished_cells), *kept_names]
    of_offsets = subject.topics[0].name == OFFSETS
    signatures = [variant.signature for variant in subject.variants]
    settings = (
        change for signature in signatures for change in possible_setting_changes(signature, of_offsets=of_offsets)
    )
    first = subject.topics[0]
    questions = () if first.is_internal or first.is_made_by_program else {name for name, _ in wished_cells}
    sending = (change for signature in signatures for change in possible_sending_changes(signature, questions))
    moves = (change for signature in signatures for change in possible_placement_changes(signature, cells))
    offered = {change.name: change for change in (*settings, *sending, *moves)}
    return sorted(offered.values(), key=lambda change: change.name in _LAST)


def wanted_cells(checks: Sequence[RequirementCheck]) -> list[CellQuestion]:
    """The cells that must be without a loss for every requirement that failed. What fails of consumers is repaired
    where it comes from: at the offsets topic, at what is lost, or in the consumer."""
    return [
        (check.requirement.question, check.requirement.cell)
        for check in checks
        if check.result == "failed" and QUESTION[check.requirement.question] in OF_TOPICS
    ]


def find_repair(
    subject: SubjectVerdict,
    checks: Sequence[RequirementCheck],
    explorations: Explorations,
    refuted_sets: RefutedSets | None = None,
) -> Repair | None:
    """The smallest set of changes after which all that failed holds, and no everyday event and nothing that is required
    fails that went well before; None where there is none, or time is out."""
    wanted = wanted_cells(checks)
    if not wanted or not subject.tables:
        return None
    asked = [(signature, [*wanted, *kept]) for signature, kept in cells_to_keep_by_signature(subject, checks)]
    offered = _offered_changes(subject.subject, wanted, [cell for _, cells in asked for _, cell in cells])
    refuted_sets = RefutedSets() if refuted_sets is None else refuted_sets
    for some, tolerated in _sets_tried(offered):
        if explorations.is_late:
            return None
        if refuted_sets.is_repaired(asked, some, explorations, tolerated):
            least = _drop_unneeded_changes(asked, some, explorations, tolerated)
            needed = _needed_changes(asked, least, explorations, tolerated)
            left = _cells_left(asked, least, explorations) if tolerated is _is_beyond_model else ()
            return Repair(tuple(needed), tolerated is _is_beyond_model, tolerated is _is_assumed, tuple(left))
    return None


def _cells_left(
    asked_cells: Asked, changes: Sequence[SettingChange], explorations: Explorations
) -> Iterator[CellQuestion]:
    """The cells that are not decided with the changes, each once."""
    signatures = [(apply_changes(signature, changes), cells) for signature, cells in asked_cells]
    for question, cell in dict.fromkeys(cell for _, cells in signatures for cell in cells):
        found = [
            answer_of_log_and_client(changed, QUESTION[question], BY_NAME[cell], explorations)
            for changed, cells in signatures
            if (question, cell) in cells
        ]
        if any(answer.word != "no loss found" for answer in found):
            yield question, cell


def _sets_tried(offered_changes: Sequence[SettingChange]) -> Iterator[tuple[Sequence[SettingChange], Tolerance]]:
    """Sets of changes, the smallest first, each with what it may leave open. All of them, of which what is not needed
    is taken back, come before smaller sets that leave something undecided. Three hosts more for controllers are
    proposed where an assumption does not do instead."""
    without = [change for change in offered_changes if change.name != "controllers"]
    for some, tolerated in (
        (without, _is_loss_refused), (without, _is_assumed),
        (offered_changes, _is_loss_refused), (offered_changes, _is_beyond_model),
    ):  # fmt: skip
        if tolerated is _is_beyond_model and len(offered_changes) > MOST_CHANGES:
            yield offered_changes, _is_loss_refused
        for number in range(1, MOST_CHANGES + 1):
            yield from ((chosen, tolerated) for chosen in itertools.combinations(some, number))


def why_no_repair(subject: SubjectVerdict, checks: Sequence[RequirementCheck], explorations: Explorations) -> str:
    """Why there is no repair where something fails, in a sentence; "" if nothing fails."""
    failed = [check for check in checks if check.result == "failed"]
    if not failed:
        return ""
    signatures = [variant.signature for variant in subject.subject.variants]
    if not signatures:
        return "no repair is looked for: it takes a change of what is said above, and not of these settings"
    if not wanted_cells(checks):
        return "no repair is looked for here: it is at __consumer_offsets, at what is lost, or in the consumer"
    tried = (
        ", ".join(change.setting for change in _offered_changes(subject.subject, wanted_cells(checks))) or "no setting"
    )
    left = _remaining_failures_text(subject.subject, wanted_cells(checks), explorations)
    return f"no repair was found: with up to {MOST_CHANGES} of these, or all, {left}: {tried}"


def _remaining_failures_text(subject: Subject, wished_cells: Sequence[CellQuestion], explorations: Explorations) -> str:
    """What still happens after the changes: the first cell that as many of them as are tried leave as it is."""
    if explorations.is_late:
        return LATE
    signatures = [variant.signature for variant in subject.variants]
    asked = [(signature, wished_cells) for signature in signatures]
    offered = _offered_changes(subject, wished_cells)
    some = list(itertools.combinations(offered, min(MOST_CHANGES, len(offered))))
    cell = _first_failing_cell(asked, some[0], explorations)
    if cell is None or any(_first_failing_cell(asked, chosen, explorations) != cell for chosen in some[1:]):
        return IN_TIME
    what, where = _HAPPENS[cell[0]], f"{cell[0]}={cell[1]}"
    words = [
        {
            answer_of_log_and_client(apply_changes(s, chosen), QUESTION[cell[0]], BY_NAME[cell[1]], explorations).word
            for s in signatures
        }
        for chosen in some
    ]
    lost = all("can lose" in of_them for of_them in words)
    return f"{what} ({where})" if lost else f"it is not decided whether {what} ({where})"


def _drop_unneeded_changes(
    asked_cells: Asked,
    changes: Sequence[SettingChange],
    explorations: Explorations,
    tolerance: Tolerance = _is_loss_refused,
) -> Sequence[SettingChange]:
    """The changes without any that is not needed after all: a smaller set may have been undecided when it was asked
    about, and be decided by what was explored since. The costliest is taken back first."""
    for change in reversed(changes):
        fewer = [other for other in changes if other is not change]
        if fewer and _first_failing_cell(asked_cells, fewer, explorations, tolerance) is None:
            return _drop_unneeded_changes(asked_cells, fewer, explorations, tolerance)
    return changes


def _first_failing_cell(
    asked_cells: Asked,
    changes: Sequence[SettingChange],
    explorations: Explorations,
    tolerance: Tolerance = _is_loss_refused,
) -> CellQuestion | None:
    """The first cell that changes leave as it must not be; None where there is none."""
    for signature, cells in asked_cells:
        changed = apply_changes(signature, changes)
        for question, cell in cells:
            found = answer_of_log_and_client(changed, QUESTION[question], BY_NAME[cell], explorations)
            if not _is_good(found, tolerance):
                return question, cell
    return None


def _needed_changes(
    asked_cells: Asked,
    changes: Sequence[SettingChange],
    explorations: Explorations,
    tolerance: Tolerance = _is_loss_refused,
) -> Iterator[NeededChange]:
    """Each change, with what is bad again without it. No smaller set was good, so that there is something."""
    for change in changes:
        others = [other for other in changes if other is not change]
        bad = _first_failing_cell(asked_cells, others, explorations, tolerance)
        assert bad is not None, f"{change.name} is not needed"
        question, cell = QUESTION[bad[0]], BY_NAME[bad[1]]
        found = [
            answer_of_log_and_client(apply_changes(signature, others), question, cell, explorations).word
            for signature, _ in asked_cells
        ]
        yield NeededChange(change, bad, loses="can lose" in found)


def repair_document(subject: Subject, repair: Repair, cluster: Cluster) -> dict[str, Any]:
    """A repair as the document has it: what to do in which order, and that each part of it is needed."""
    steps = plan_changes(subject, [(change.change.name, change.change.value) for change in repair.changes], cluster)
    names = [change.change.setting for change in repair.changes]
    title = "What repairs what fails, and leaves the rest undecided" if repair.leaves_open else "What repairs it"
    return {
        "headline": f"{title}, checked again by the model ({', '.join(names)}):",
        "leaves_open": repair.leaves_open,
        "left": [f"{_HAPPENS[question]} ({cell_title(BY_NAME[cell])})" for question, cell in repair.cells_left],
        "assumes": repair.assumes,
        "change": change_texts(subject, [change.change for change in repair.changes], cluster),
        "steps": [step_document(step) for step in steps],
        "notes": [
            *(
                f"Without {change.change.setting}, {_words_without(change)} ({cell_title(BY_NAME[change.cell[1]])})."
                for change in repair.changes
            ),
            *([_ASSUMED] if repair.assumes else []),
            *(
                f"Not decided then: whether {_HAPPENS[left[0]]} ({cell_title(BY_NAME[left[1]])})."
                for left in repair.cells_left
            ),
        ],
    }


_ASSUMED = (
    'A lost disk may then be a controller\'s, too (KAFKA-14077): accept the assumption "controllers-catch-up" with '
    "--baseline, or give controllers hosts of their own."
)


def _words_without(needed_change: NeededChange) -> str:
    """What is bad without a change: `an acknowledged record can be lost`, or that nothing decides whether it can."""
    happens = _HAPPENS[needed_change.cell[0]]
    return happens if needed_change.loses else f"nothing decides whether {happens}"
