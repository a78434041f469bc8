"""Sentences that made an operator stumble: no face of an audit of a failing cluster says one of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tidegate.api.auditing import parse_requirements
from tidegate.audit.auditing import AuditRequest, audit, read_cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.report.difference import compare_documents
from tidegate.explorer.cache import cache_directory
from tidegate.reports.audit.html import audit_index
from tidegate.reports.audit.junit import audit_junit
from tidegate.reports.audit.markdown import audit_markdown
from tidegate.reports.audit.overview import audit_headline, audit_overview
from tidegate.reports.audit.sarif import audit_sarif
from tidegate.reports.audit.table import LIMITS
from tidegate.reports.audit.terminal import audit_page, difference_page, topic_page
from tidegate.reports.text_page import TextFormat

from ...conftest import ROOT
from ...support.shipped import tier_parameters

Document = dict[str, Any]

STUMBLING = re.compile(
    r"groups of topics|topics, e\.g\. |fails no-(loss|unread)=|may acknowledge what is not there"
    r"|can lose records in a cell|a cell of a likelier fault|keeps with a larger ISR|or ZooKeeper servers"
    r"|duplicates, reordering: in every cell|none is needed|formatted anew votes|latency as of the slowest member"
    r"|holds within the bounds|[a-z?], stops|stops [?-]"
)
"""What one of them begins with, or what is in each of its kind."""


def faces_of(document: Document, before: Document) -> dict[str, str]:
    """All that is said of an audit, by what says it; `before` is an older one, for what is said of a difference."""
    wide = TextFormat(width=100_000)  # no sentence is broken
    topics = dict.fromkeys(topic for subject in document["subjects"] for topic in subject["topics"])
    difference = compare_documents(before, document)
    return {
        "the first screen": audit_overview(document, wide).text(),
        "--quiet": audit_headline(document, wide).text(),
        "--all": audit_page(document, wide).text(),
        **{f"--topic {topic}": topic_page(document, topic, wide).text() for topic in topics},
        "--diff": difference_page(difference, wide).text(),
        "HTML": audit_index(document),
        "JSON": json.dumps(document, ensure_ascii=False),
        "Markdown": audit_markdown(document),
        "SARIF": json.dumps(audit_sarif(document), ensure_ascii=False),
        "JUnit": audit_junit(document),
    }


def audit_in_place(folder: Path, required: str = "standard") -> Document:
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    asked = AuditRequest(parse_requirements([required]), cache_directory(), seconds=None)
    return audit(*read_cluster([folder], options), asked).document


NAMED = re.compile(r"(\d+) of (\d+) topics(?: \(\d+ (?:is|are) Kafka's own\))? [^;]+: ([^;]+)")
"""How a headline counts what fails, and names it."""

RIGHT = {
    "acks-1": (
        "each write waits for the slowest replica in sync",
        "records can still be lost when a host loses power, with one replica in sync; "
        "eligible.leader.replicas.version=1 keeps them, from Kafka 4.0 on",
        "let the others catch up before you start it: kafka-metadata-quorum.sh --bootstrap-server HOST:9092 describe",
    ),
    "combined": (
        "a rare race",
        "(KAFKA-15591; 4.5 mends it ",
        "controllers-catch-up: a controller whose disk was replaced starts when all others have caught up",
        "whether acknowledged records are lost when a disk is lost: the disk may be that of a controller too,",
    ),
    "five-topics": (
        "acknowledged records are lost when a host loses power while only one replica is in sync",
        "acknowledged records are lost when the leader is moved",
        "writes stop when a broker is restarted in a controlled way",
    ),
}
"""What an operator is to read instead, and in which cluster it is so."""


def assert_operator_reads(document: Document, faces: dict[str, str]) -> None:
    """What is right in every cluster: topics are counted and named, every row has what decides it, the limits are
    said in a clause, brokers have the cluster's own names where it is known which of them have the topic, and the
    control plane is not one that is not there."""
    for count, of, names in NAMED.findall(document["summary"]["headline"]):
        *named, last = names.split(", ")
        more = re.fullmatch(r"(\S+) and (\d+) more", last)
        assert int(count) == len(named) + 1 + (int(more[2]) if more else 0) <= int(of)
    assert [row for row in document["summary"]["rows"] if not row["decided"]] == []
    assert all(LIMITS in faces[face] for face in ("the first screen", "--all", "HTML"))
    placed = [one for one in document["subjects"] if one["loss"] and "which brokers have" not in str(one)]
    runs = [line for subject in placed for line in subject["loss"]["scenario"]]
    assert re.findall(r"[Bb]roker [A-E]\b|⟨", " ".join(runs)) == []
    if document["versions"]["control plane"] == "kraft":
        assert [face for face, text in faces.items() if "ZooKeeper server" in text] == []


CLUSTERS = sorted(folder.name for folder in (ROOT / "examples" / "clusters").iterdir())


@pytest.mark.parametrize("name", tier_parameters(CLUSTERS, lambda name: name in ("acks-1", "shipped-defaults")))
def test_no_face_says_what_made_an_operator_stumble(name: str) -> None:
    folder = ROOT / "examples" / "clusters" / name
    standard = audit_in_place(folder)
    for document in (standard, audit_in_place(folder, "strict")):
        faces = faces_of(document, standard)
        found = {face: STUMBLING.search(text) for face, text in faces.items()}
        assert_operator_reads(document, faces)
        said = {face: at.string[max(0, at.start() - 60) : at.end() + 60] for face, at in found.items() if at}
        assert said == {}
    every = " ".join(" ".join(faces_of(standard, standard).values()).split())
    assert [says for says in RIGHT.get(name, ()) if says not in every] == []


def test_what_is_assumed_of_clients_is_said_as_an_assumption() -> None:
    """No file says which producers write: it is supposed that they are none of those that KIP-360 mended."""
    options = Options(kafka_version="3.9.0", distribution="apache", acks="all")
    asked = AuditRequest(parse_requirements(["no-loss=leader-move@all"]), cache_directory(), seconds=None)
    found = audit(*read_cluster([ROOT / "examples/clusters/good/topics.txt"], options), asked).document
    says = "Assumed: no Java producers of 2.1 to 2.4 among those of which no file was given (KIP-360)"
    assert says in audit_overview(found, TextFormat(width=200)).text()


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
