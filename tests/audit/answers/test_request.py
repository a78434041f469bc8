"""What an audit asks unless it is told otherwise, and what comes of it for a topic."""

from __future__ import annotations

import datetime

from tidegate.audit.answers.request import AuditRequest, check_subject
from tidegate.audit.answers.requirements import DEFAULT
from tidegate.audit.answers.verdicts import check_subjects
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

from ..report.test_summary import topic_text


def test_what_is_asked_by_default_accepts_nothing() -> None:
    asked = AuditRequest()
    assert asked.requirements == DEFAULT and asked.repairs and not asked.from_current
    assert asked.accepted_findings == () and asked.today == datetime.date.max, "no finding is accepted by its day"


def test_each_requirement_is_checked_of_a_topic_and_without_time_none_is_met() -> None:
    options = Options(kafka_version="3.9.0", distribution="apache", acks="all", clients=("java:3.9",))
    cluster, _ = read_cluster_texts([("topics.txt", topic_text("orders", 2), True)], options, "x")
    (verdict,) = check_subjects(cluster_subjects(cluster), Explorations(None, 0.0))
    subject, checks = check_subject(verdict, cluster, AuditRequest())
    assert checks and {check.requirement for check in checks} <= set(DEFAULT)
    assert "met" not in {check.result for check in checks} and subject.table == verdict.table
