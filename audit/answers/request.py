"""What is asked of an audit, and what comes of it for a topic."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ...language.immutable import immutable
from ..cluster.cluster import Cluster
from .answer import SubjectVerdict
from .baseline import AcceptedFinding, mark_accepted
from .requirements import DEFAULT, Requirement, RequirementCheck, check_requirements, requirements_of_subject
from .transactions import add_transactions


@immutable
class AuditRequest:
    """What to do. `folder` keeps kernels and answers, `seconds` bounds the explorations. `from_current` asks
    about the present state too; `accepted_findings` is what counts as met until its day, `today` deciding. `report` is
    called with how far it has come."""

    requirements: Sequence[Requirement] = DEFAULT
    folder: Path | None = None
    seconds: float | None = 120.0
    workers: int = 2
    from_current: bool = False
    repairs: bool = True
    accepted_findings: Sequence[AcceptedFinding] = ()
    today: datetime.date = datetime.date.max
    report: Callable[[str], None] | None = None


def check_subject(
    subject: SubjectVerdict, cluster: Cluster, request: AuditRequest
) -> tuple[SubjectVerdict, list[RequirementCheck]]:
    """What comes of the requirements on a topic, accepted findings met; with the verdict, which then has what
    transactions asked besides."""
    required = check_requirements(subject, requirements_of_subject(subject.subject, request.requirements))
    decided, more = add_transactions(required, subject.subject, cluster)
    checks = mark_accepted(decided, subject.subject, request.accepted_findings, request.today)
    return replace(subject, subject=replace(subject.subject, asks={**subject.subject.asks, **more})), checks
