"""The smallest change of settings, or of where nodes stand, that repairs what failed: looked for by the model, smallest
first, and each single part of it taken back once more to see that it is needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ...language.immutable import immutable
from ..answers.acknowledgements import answer_of_log_and_client
from ..answers.answer import INCONCLUSIVE, Answer, SubjectVerdict
from ..answers.requirements import RequirementCheck
from ..cluster.cluster import Cluster
from ..exploring.explorations import Explorations
from ..kafka.internal_topics import OFFSETS
from ..questions.questions import OF_TOPICS, QUESTION
from ..questions.signature import Signature, Subject
from ..questions.situations import BY_NAME, Name, cell_title
from .changes import SettingChange, changes_of, moves_of, sending_of
from .plans import PlanStep, plan_changes

MOST_CHANGES = 4
IN_TIME = "it fails or is not decided in time"
CellQuestion = tuple[str, Name]


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
    them, and some of it is not decided then, for want of what the model does not have."""

    changes: tuple[NeededChange, ...]
    leaves_open: bool = False


def _offered_changes(subject: Subject, wanted: Sequence[CellQuestion]) -> list[SettingChange]:
    """Everything that could be changed, settings first, each once."""
    cells = [cell for _, cell in wanted]
    of_offsets = subject.topics[0].name == OFFSETS
    signatures = [variant.signature for variant in subject.variants]
    settings = (change for signature in signatures for change in changes_of(signature, of_offsets=of_offsets))
    first = subject.topics[0]
    questions = () if first.internal or first.is_made_by_program else {name for name, _ in wanted}
    sending = (change for signature in signatures for change in sending_of(signature, questions))
    moves = (change for signature in signatures for change in moves_of(signature, cells))
    return list({change.name: change for change in (*settings, *sending, *moves)}.values())


def wanted_of(checks: Sequence[RequirementCheck]) -> list[CellQuestion]:
    """The cells that must be without a loss for every requirement that failed. What fails of consumers is repaired
    where it comes from: at the offsets topic, at what is lost, or in the consumer."""
    return [
        (check.requirement.question, check.requirement.cell)
        for check in checks
        if check.result == "failed" and QUESTION[check.requirement.question] in OF_TOPICS
    ]


def find_repair(
    subject: SubjectVerdict, checks: Sequence[RequirementCheck], explorations: Explorations
) -> Repair | None:
    """The smallest set of changes after which all that failed holds, and nothing stops that went on before; None where
    there is none, or time is out."""
    wanted = wanted_of(checks)
    signatures = [variant.signature for variant in subject.subject.variants]
    if not wanted or not signatures:
        return None
    offered = _offered_changes(subject.subject, wanted)
    kept = [cell for cell in _going(subject) if cell not in wanted]
    every = [*wanted, *kept]
    for leaves_open in (False, True):
        for number in range(1, MOST_CHANGES + 1):
            for some in itertools.combinations(offered, number):
                if explorations.late:
                    return None
                if _first_bad(signatures, some, every, explorations, leaves_open) is None:
                    least = _least(signatures, some, every, explorations, leaves_open)
                    needed = _needed_changes(signatures, least, every, explorations, leaves_open)
                    return Repair(tuple(needed), leaves_open)
    return None


def why_no_repair(subject: SubjectVerdict, checks: Sequence[RequirementCheck], explorations: Explorations) -> str:
    """Why there is no repair where something fails, in a sentence; "" if nothing fails."""
    failed = [check for check in checks if check.result == "failed"]
    if not failed:
        return ""
    signatures = [variant.signature for variant in subject.subject.variants]
    if not signatures:
        return "no repair is looked for: it takes a change of what is said above, and not of these settings"
    if not wanted_of(checks):
        return "no repair is looked for here: it is at __consumer_offsets, at what is lost, or in the consumer"
    tried = ", ".join(change.setting for change in _offered_changes(subject.subject, wanted_of(checks))) or "no setting"
    left = _what_is_left(subject.subject, wanted_of(checks), explorations)
    return f"no repair was found: with up to {MOST_CHANGES} of these {left}: {tried}"


def _what_is_left(subject: Subject, wanted: Sequence[CellQuestion], explorations: Explorations) -> str:
    """What still happens after the changes: the first cell that as many of them as are tried leave as it is."""
    if explorations.late:
        return IN_TIME
    signatures = [variant.signature for variant in subject.variants]
    offered = _offered_changes(subject, wanted)
    some = list(itertools.combinations(offered, min(MOST_CHANGES, len(offered))))
    cell = _first_bad(signatures, some[0], wanted, explorations)
    if cell is None or any(_first_bad(signatures, chosen, wanted, explorations) != cell for chosen in some[1:]):
        return IN_TIME
    what, where = _HAPPENS[cell[0]], f"{cell[0]}={cell[1]}"
    words = [
        {
            answer_of_log_and_client(_apply_changes(s, chosen), QUESTION[cell[0]], BY_NAME[cell[1]], explorations).word
            for s in signatures
        }
        for chosen in some
    ]
    lost = all("can lose" in of_them for of_them in words)
    return f"{what} ({where})" if lost else f"it is not decided whether {what} ({where})"


def _apply_changes(signature: Signature, changes: Sequence[SettingChange]) -> Signature:
    for change in changes:
        signature = change.change_signature(signature)
    return signature


def _least(
    signatures: Sequence[Signature],
    changes: Sequence[SettingChange],
    cells: Sequence[CellQuestion],
    explorations: Explorations,
    leaves_open: bool = False,
) -> Sequence[SettingChange]:
    """The changes without any that is not needed after all: a smaller set may have been undecided when it was asked
    about, and be decided by what was explored since."""
    for change in changes:
        fewer = [other for other in changes if other is not change]
        if fewer and _first_bad(signatures, fewer, cells, explorations, leaves_open) is None:
            return _least(signatures, fewer, cells, explorations, leaves_open)
    return changes


def _going(subject: SubjectVerdict) -> list[CellQuestion]:
    """What went on before, while all is well and with one broker down."""
    cells: list[CellQuestion] = [
        (name, at) for name in ("writable", "readable") for at in ("leader-move@all", "crash@all")
    ]
    return [cell for cell in cells if subject.table[cell].word == "no loss found"]


def _first_bad(
    signatures: Sequence[Signature],
    changes: Sequence[SettingChange],
    cells: Sequence[CellQuestion],
    explorations: Explorations,
    leaves_open: bool = False,
) -> CellQuestion | None:
    for signature in signatures:
        changed = _apply_changes(signature, changes)
        for question, cell in cells:
            found = answer_of_log_and_client(changed, QUESTION[question], BY_NAME[cell], explorations)
            if found.word != "no loss found" and not (leaves_open and _is_beyond_model(found)):
                return question, cell
    return None


def _is_beyond_model(answer: Answer) -> bool:
    """Whether it is not decided for want of something else than time and memory."""
    return answer.word == "not checked" and not answer.why.startswith(INCONCLUSIVE)


def _needed_changes(
    signatures: Sequence[Signature],
    changes: Sequence[SettingChange],
    cells: Sequence[CellQuestion],
    explorations: Explorations,
    leaves_open: bool = False,
) -> Iterator[NeededChange]:
    """Each change, with what is bad again without it. No smaller set was good, so that there is something."""
    for change in changes:
        others = [other for other in changes if other is not change]
        bad = _first_bad(signatures, others, cells, explorations, leaves_open)
        assert bad is not None, f"{change.name} is not needed"
        question, cell = QUESTION[bad[0]], BY_NAME[bad[1]]
        found = [
            answer_of_log_and_client(_apply_changes(signature, others), question, cell, explorations).word
            for signature in signatures
        ]
        yield NeededChange(change, bad, loses="can lose" in found)


def repair_document(subject: Subject, found: Repair, cluster: Cluster) -> dict[str, Any]:
    """A repair as the document has it: what to do in which order, and that each part of it is needed."""
    steps = plan_changes(subject, [(change.change.name, change.change.value) for change in found.changes], cluster)
    names = [change.change.setting for change in found.changes]
    title = "What repairs what fails, and leaves the rest undecided" if found.leaves_open else "What repairs it"
    return {
        "headline": f"{title}, checked again by the model ({', '.join(names)}):",
        "leaves_open": found.leaves_open,
        "steps": [_step(step) for step in steps],
        "notes": [
            f"Without {change.change.setting}, {_words_without(change)} ({cell_title(BY_NAME[change.cell[1]])})."
            for change in found.changes
        ],
    }


def _words_without(needed: NeededChange) -> str:
    """What is bad without a change: `an acknowledged record can be lost`, or that nothing decides whether it can."""
    happens = _HAPPENS[needed.cell[0]]
    return happens if needed.loses else f"nothing decides whether {happens}"


def _step(step: PlanStep) -> dict[str, Any]:
    """`shown` of the commands are for a reader, the others are alike; `file` is what they read, by its name."""
    file = None if step.file is None else {"name": step.file[0], "document": step.file[1]}
    return {
        "says": step.says,
        "commands": list(step.commands),
        "shown": len(step.commands) if step.shown_commands is None else step.shown_commands,
        "file": file,
        "restart": step.restart,
        "cost": step.cost,
    }
