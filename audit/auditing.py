"""An audit from beginning to end: read, check, compare with what is required, report as one document."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..language.immutable import immutable
from . import reading
from .answers.acknowledgements import add_client_losses
from .answers.answer import SubjectVerdict
from .answers.baseline import check_baseline
from .answers.consumers import add_consumer_rows
from .answers.current_state import describe_current_state
from .answers.outages import find_outages
from .answers.request import AuditRequest, check_subject
from .answers.requirements import UNDECIDED, check_stated_requirements, exit_code
from .answers.runs_shown import add_run_shown, run_shown
from .answers.verdicts import check_subjects
from .cluster.cluster import Cluster
from .cluster.findings import Finding
from .cluster.statements import UnreadableInputError
from .exploring.explorations import Explorations
from .exploring.garbage_collection import seldom_collected
from .exploring.search_rounds import run_in_rounds
from .exploring.small_models import kept_in
from .joining.options import Options
from .questions.situations import BY_NAME
from .questions.subjects import Subject, subjects
from .readers.parsed_file import Part
from .repairs.repair import find_repair, repair_document, why_no_repair
from .report.document import Document, SubjectReport, document, gravity_order, loss_of, timeout_message
from .rules.advice import advise
from .rules.invalid_settings import invalid_settings
from .rules.uses import use_rules
from .startup.nodes import ids_of_down_nodes


@immutable
class AuditOutcome:
    """What came of it: the document, the exit, the explorations, to be asked for more, and the findings, in the
    document's order."""

    document: Document
    exit: int
    reports: Sequence[SubjectReport]
    explorations: Explorations
    findings: Sequence[Finding] = ()


ReadCluster = tuple[Cluster, tuple[Finding, ...]]
"""A cluster, and what readers and rules find in it."""


def read_cluster(
    paths: Sequence[Path], options: Options | None = None, running: Sequence[tuple[str, Part]] = ()
) -> tuple[Cluster, tuple[Finding, ...]]:
    """The cluster that files state (`reading.read_files`), with what readers and rules find in it, each once. Rules
    ask small models: within `kept_in` their answers are kept. Raises UnreadableInputError, also for an entry of
    audit.toml that requires what there is not."""
    return _with_rules(*reading.read_files(paths, options, running))


def read_clusters(
    paths: Sequence[Path], options: Options | None = None, running: Sequence[tuple[str, Part]] = ()
) -> list[tuple[str, ReadCluster | UnreadableInputError]]:
    """The same of each cluster, where files are of several that never run together (`reading.read_clusters`)."""
    return [
        (name, found if isinstance(found, UnreadableInputError) else _with_rules(*found))
        for name, found in reading.read_clusters(paths, options, running)
    ]


def read_cluster_texts(
    texts: Iterable[tuple[str, str, bool]], options: Options, whole: str, running: Sequence[tuple[str, Part]] = ()
) -> tuple[Cluster, tuple[Finding, ...]]:
    """The same of texts (`reading.read_texts`)."""
    return _with_rules(*reading.read_texts(texts, options, whole, running))


def _with_rules(cluster: Cluster, findings: Sequence[Finding]) -> tuple[Cluster, tuple[Finding, ...]]:
    check_stated_requirements(cluster.uses)
    return cluster, tuple(dict.fromkeys([*findings, *use_rules(cluster), *invalid_settings(cluster), *advise(cluster)]))


def audit(cluster: Cluster, findings: Sequence[Finding], asked: AuditRequest) -> AuditOutcome:
    """Checks every topic of a cluster. Raises UnreadableInputError for an accepted finding that is about nothing."""
    with kept_in(asked.folder), seldom_collected():
        return _audit_cluster(cluster, findings, asked)


def _audit_cluster(cluster: Cluster, findings: Sequence[Finding], asked: AuditRequest) -> AuditOutcome:
    about = subjects(cluster)
    check_baseline(asked.accepted_findings, about, asked.requirements)
    explorations = Explorations(asked.folder, asked.seconds, asked.workers, asked.report)
    try:
        reports = _report_subjects(about, cluster, asked, explorations)
    except KeyboardInterrupt:  # what is known by now is reported; another one ends it
        explorations.interrupt()
        reports = _report_subjects(about, cluster, asked, explorations)
    finally:
        explorations.close()
    exit_ = exit_code([check for report in reports for check in report.checks])
    if exit_ == 0 and any(finding.kind == "incomplete" for finding in findings):
        exit_ = UNDECIDED
    date = "" if asked.today == datetime.date.max else asked.today.isoformat()
    late = timeout_message(explorations, reports)
    made = document(cluster, findings, reports, asked.requirements, exit_, late, date)
    return AuditOutcome(made, made["exit"], reports, explorations, findings)


def _report_subjects(
    about: Sequence[Subject], cluster: Cluster, asked: AuditRequest, explorations: Explorations
) -> list[SubjectReport]:
    """The report of each subject, the worst first."""
    every = add_client_losses(add_consumer_rows(check_subjects(about, explorations), cluster))
    silent = cluster.answering.down if cluster.answering is not None else ()
    out = ids_of_down_nodes(cluster) | {id_ for id_, _ in silent}
    searches = _reporting(every, cluster, asked, explorations, out)
    return sorted(run_in_rounds(searches, explorations), key=gravity_order)


def _reporting(
    every: Sequence[SubjectVerdict],
    cluster: Cluster,
    asked: AuditRequest,
    explorations: Explorations,
    down: frozenset[int],
) -> Iterator[Callable[[], SubjectReport]]:
    """What makes the report of each subject, and says how far that has come."""
    cells = sum(len(subject.table) for subject in every)
    done = 0

    def report_subject(subject: SubjectVerdict) -> SubjectReport:
        nonlocal done
        made = _report(subject, cluster, asked, explorations, down)
        done += len(subject.table)
        if asked.report is not None:
            asked.report(f"auditing: {done:,} of {cells:,} cells done; looking for repairs")
        return made

    return (partial(report_subject, subject) for subject in every)


def _report(
    verdict: SubjectVerdict, cluster: Cluster, asked: AuditRequest, explorations: Explorations, down: frozenset[int]
) -> SubjectReport:
    """What is reported of a subject; `down` are the ids of the nodes that do not start."""
    subject, checks = check_subject(verdict, cluster, asked)
    change = find_repair(subject, checks, explorations) if asked.repairs else None
    present = describe_current_state(subject, explorations) if asked.from_current else None
    repaired = None if change is None else repair_document(subject.subject, change, cluster)
    none = why_no_repair(subject, checks, explorations) if asked.repairs and repaired is None else ""
    shown = [add_run_shown(check, subject, explorations) for check in checks]
    out = tuple(find_outages(subject.subject, down))
    changes = () if change is None else tuple(needed.change for needed in change.changes)
    report = SubjectReport(subject, shown, repaired, present, out, none, changes=changes)
    found = loss_of(report)
    if found is None:
        return report
    return replace(report, loss=(*found, run_shown(subject, found[1], BY_NAME[found[0]], found[2], explorations)))
