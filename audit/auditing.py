"""An audit on one page: files -> cluster -> rules; facts -> questions -> exploring -> answers -> repairs -> report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from . import reading
from .answers.acknowledgements import add_client_losses
from .answers.answer import SubjectVerdict
from .answers.baseline import check_baseline, split_subjects
from .answers.consumers import add_consumer_rows
from .answers.request import AuditRequest, check_subject
from .answers.verdicts import check_subjects
from .cluster.cluster import Cluster
from .cluster.findings import Finding
from .cluster.statements import UnreadableInputError
from .exploring.explorations import Explorations
from .exploring.garbage_collection import rare_collection
from .exploring.search_rounds import run_in_rounds
from .exploring.small_models import results_kept_in
from .joining.options import Options
from .questions.subjects import cluster_subjects
from .readers.parsed_file import Part
from .repairs.changes import NO_REPAIR
from .repairs.repair import RefutedSets, repair_subject
from .repairs.side_effects import RepairedSubject, find_side_effects, repair_with_side_effects
from .report.document import AuditOutcome, audit_outcome
from .report.reporting import gravity_order, progress_reporter, report_subject
from .report.subject_report import SubjectReport
from .rules.advice import ReadCluster, apply_rules
from .startup.nodes import ids_of_absent_nodes

Running = Sequence[tuple[str, Part]]
"""What was asked of running clusters, beside files."""


def read_cluster(paths: Sequence[Path], options: Options | None = None, running: Running = ()) -> ReadCluster:
    """The cluster that files state, with what readers and rules find. Raises UnreadableInputError."""
    return apply_rules(*reading.read_files(paths, options, running))


def read_clusters(
    paths: Sequence[Path], options: Options | None = None, running: Running = ()
) -> list[tuple[str, ReadCluster | UnreadableInputError]]:
    """The same of each cluster, where files are of several that never run together (`reading.read_clusters`)."""
    every = reading.read_clusters(paths, options, running)
    return [(name, of if isinstance(of, UnreadableInputError) else apply_rules(*of)) for name, of in every]


def read_cluster_texts(
    texts: Iterable[tuple[str, str, bool]], options: Options, whole: str, running: Running = ()
) -> ReadCluster:
    """The same of texts (`reading.read_texts`)."""
    return apply_rules(*reading.read_texts(texts, options, whole, running))


def audit(cluster: Cluster, findings: Sequence[Finding], request: AuditRequest) -> AuditOutcome:
    """Checks every topic of a cluster. Raises UnreadableInputError for an accepted finding that is about nothing."""
    with results_kept_in(request.folder), rare_collection():
        explorations = Explorations(request.folder, request.seconds, request.workers, request.report)
        reports = explorations.run_to_completion(partial(_report_subjects, cluster, request, explorations))
        return audit_outcome(cluster, findings, reports, request.requirements, request.today, explorations)


def _report_subjects(cluster: Cluster, request: AuditRequest, explorations: Explorations) -> list[SubjectReport]:
    """The report of each subject, the worst first."""
    questions = split_subjects(cluster_subjects(cluster), request.accepted_findings)
    check_baseline(request.accepted_findings, questions, request.requirements)
    answers = add_client_losses(add_consumer_rows(check_subjects(questions, explorations), cluster))
    down = ids_of_absent_nodes(cluster)

    def report_one(answer: SubjectVerdict, refuted_sets: RefutedSets) -> SubjectReport:
        subject, checks = check_subject(answer, cluster, request)
        repair = repair_subject(subject, checks, cluster, explorations, refuted_sets) if request.repairs else NO_REPAIR
        return report_subject(subject, checks, repair, down, explorations, from_current=request.from_current)

    searches = [partial(report_one, answer, RefutedSets()) for answer in answers]
    reports = run_in_rounds(searches, explorations, progress_reporter(answers, request.report))
    whole = [partial(_add_side_effects, report, reports, cluster, explorations) for report in reports]
    return sorted(run_in_rounds(whole, explorations), key=gravity_order)


def _add_side_effects(
    report: SubjectReport, every: Sequence[SubjectReport], cluster: Cluster, explorations: Explorations
) -> SubjectReport:
    """A report whose repair says what it does to the topics of the others."""
    if report.repair is None:
        return report
    repaired, *others = (
        RepairedSubject(one.verdict, one.checks, one.changes)
        for one in (report, *(other for other in every if other is not report))
    )
    effects = list(find_side_effects(repaired, others, explorations))
    repair = repair_with_side_effects(report.repair, effects, cluster) if effects else report.repair
    if explorations.is_late:
        repair = {**repair, "notes": [*repair["notes"], NO_TIME_FOR_OTHERS]}
    return replace(report, repair=repair)


NO_TIME_FOR_OTHERS = "Time did not suffice to see what it does to other topics: audit again with a longer --time."
"""What is said of a repair where time ran out."""
