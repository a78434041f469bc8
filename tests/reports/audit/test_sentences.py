"""Sentences that made an operator stumble: no face of an audit of a failing cluster says one of them."""

from __future__ import annotations

import json
import re

import pytest
from tidegate.audit.auditing import AuditRequest, audit, read_cluster
from tidegate.audit.joining.options import Options
from tidegate.reports.audit.html import audit_index
from tidegate.reports.audit.junit import audit_junit
from tidegate.reports.audit.markdown import audit_markdown
from tidegate.reports.audit.overview import audit_overview
from tidegate.reports.audit.sarif import audit_sarif
from tidegate.reports.audit.terminal import audit_page
from tidegate.reports.text_page import TextFormat

from ...conftest import ROOT

STUMBLING = re.compile(
    r"groups of topics|topics, e\.g\. |fails no-(loss|unread)=|may acknowledge what is not there"
    r"|can lose records in a cell|a cell of a likelier fault|keeps with a larger ISR|or ZooKeeper servers"
    r"|duplicates, reordering: in every cell|none is needed|formatted anew votes|latency as of the slowest member"
    r"|holds within the bounds|[a-z?], stops|stops [?-]"
)
"""What one of them begins with, or what is in each of its kind."""


@pytest.mark.parametrize("name", ["acks-1"])
def test_no_face_says_what_made_an_operator_stumble(name: str) -> None:
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    found = audit(*read_cluster([ROOT / "examples" / "clusters" / name], options), AuditRequest())
    document = found.document
    wide = TextFormat(width=100_000)  # no sentence is broken
    faces = {
        "the first screen": audit_overview(document, wide).text(),
        "--all": audit_page(document, wide).text(),
        "HTML": audit_index(document),
        "JSON": json.dumps(document, ensure_ascii=False),
        "Markdown": audit_markdown(document),
        "SARIF": json.dumps(audit_sarif(document), ensure_ascii=False),
        "JUnit": audit_junit(document),
    }
    said = {face: text[max(0, at.start() - 60) : at.end() + 60] for face, text in faces.items()
            if (at := STUMBLING.search(text))}  # fmt: skip
    assert said == {}


@pytest.mark.parametrize(
    "says",
    [
        "3 of 6 groups of topics fail (standard)", "2 topics, e.g. orders, audit-log", "keeps, stops ?", "?, stops ?",
        "fails no-loss=crash@one, two-crashes@min-isr", "most controllers, or ZooKeeper servers, may come back empty",
        "a controller whose disk is lost and formatted anew votes", "it holds within the bounds",
    ],
)  # fmt: skip
def test_such_a_sentence_is_found(says: str) -> None:
    assert STUMBLING.search(says)
