"""What is reported of a subject is put together: its runs as they are shown, and the loss that is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..answers.answer import Answer, SubjectVerdict, Table
from ..answers.current_state import describe_current_state
from ..answers.outages import find_outages, shrunk_partitions
from ..answers.requirements import RequirementCheck
from ..answers.runs_shown import add_run_to_check, answer_with_shown_run
from ..exploring.explorations import Explorations
from ..questions.questions import QUESTIONS
from ..questions.situations import BY_NAME, GRAVEST, LOST, SITUATIONS, Cell, Name
from ..repairs.changes import SubjectRepair
from .headline import first_loss
from .subject_report import SubjectReport


def report_subject(
    subject: SubjectVerdict,
    checks: Sequence[RequirementCheck],
    repair: SubjectRepair,
    down: frozenset[int],
    explorations: Explorations,
    *,
    from_current: bool,
) -> SubjectReport:
    """What is reported of a subject; `down` are the ids of the nodes that do not answer or do not start, and
    `from_current` asks for its present state, too."""
    present = describe_current_state(subject, explorations) if from_current else None
    shown = [add_run_to_check(check, subject, explorations) for check in checks]
    shrunk = () if present else shrunk_partitions(subject.subject)  # the present state says so itself
    out = (*find_outages(subject.subject, down), *shrunk)
    report = SubjectReport(subject, shown, repair.document, present, out, repair.why_none, changes=repair.changes)
    found = loss_to_report(report)
    if found is None:
        return report
    return replace(
        report, loss=(*found, answer_with_shown_run(subject, found[1], BY_NAME[found[0]], found[2], explorations))
    )


def progress_reporter(
    verdicts: Sequence[SubjectVerdict], report: Callable[[str], None] | None
) -> Callable[[SubjectReport], None]:
    """What is called with each report once it is made, and calls `report` with how far that has come."""
    cells = sum(len(verdict.table) for verdict in verdicts)
    done = 0

    def count_cells(made: SubjectReport) -> None:
        nonlocal done
        done += len(made.verdict.table)
        if report is not None:
            report(f"auditing: {done:,} of {cells:,} cells done; looking for repairs")

    return count_cells


def gravity_order(subject: SubjectReport) -> tuple[int, bool, int, int, str]:
    """Failed requirements first, then what depends, then the gravest loss."""
    results = [check.result for check in subject.checks]
    rank = 0 if "failed" in results else 1 if "depends" in results else 2
    gravest = min((_gravity_of_table(table) for table in subject.verdict.tables), default=len(GRAVEST))
    topics = subject.verdict.subject.topics
    return rank, subject.verdict.subject.is_internal, gravest, -len(topics), topics[0].name


def _gravity_of_table(table: Table) -> int:
    loss = first_loss(table)
    return len(GRAVEST) if loss is None else GRAVEST.index(loss[1])


def loss_to_report(subject: SubjectReport) -> tuple[Name, str, Answer] | None:
    """The loss to report: its cell, question and answer. The gravest of those that must not be; else of all."""
    failed = [
        _loss_with_largest_isr(subject.verdict.table, check.requirement.question, BY_NAME[check.requirement.cell])
        for check in subject.checks
        if check.result == "failed" and check.requirement.question in _LOSSES
    ]
    if found := [loss for loss in failed if loss[2].steps]:
        return min(found, key=lambda loss: (_LOSSES.index(loss[1]), GRAVEST.index(BY_NAME[loss[0]])))
    losses = [(table, loss) for table in subject.verdict.tables if (loss := first_loss(table)) is not None]
    if not losses:
        return None
    table, (question, cell) = min(losses, key=lambda loss: (loss[1][0] != LOST, GRAVEST.index(loss[1][1])))
    return cell.name, question, table[question, cell.name]


def _loss_with_largest_isr(table: Table, question: str, cell: Cell) -> tuple[Name, str, Answer]:
    """The loss of a cell, as it is with the most replicas in sync: that is a loss of the cell as well."""
    names = [f"{cell.fault.name}@{situation.name}" for situation in SITUATIONS[: SITUATIONS.index(cell.situation)]]
    lost = [name for name in names if table[question, name].word == "can lose" and table[question, name].client is None]
    name = lost[0] if lost else cell.name
    return name, question, table[question, name]


_LOSSES = tuple(question.name for question in QUESTIONS if question.kind in ("loss", "reads", "delivery"))
"""The questions about what is lost, read or written wrongly, the gravest first."""
