"""The document of an audit: versions as spans, and what is said of where time was short."""

from __future__ import annotations

import datetime
from typing import Any

from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.report.document import NOTHING, SCHEMA, version_spans_text

from ...support.facts import ORDERS, nodes


def test_neighbouring_versions_are_a_span() -> None:
    every = ["0.10", "0.11", "2.0", "3.9 with kraft", "4.1 with kraft", "2.7 with zookeeper"]
    assert version_spans_text(["0.10", "0.11", "2.0"], every) == "0.10 to 2.0"
    whole = ["3.3 to 3.4", "3.5 to 3.6", "3.7 to 3.8", "3.9 to 4.0", "4.1 with x"]
    assert version_spans_text(whole, whole) == "3.3 to 4.0, or 4.1 with x"
    assert version_spans_text(whole[1:2], whole) == "3.5 to 3.6"
    assert version_spans_text(["0.10", "2.0"], every) == "0.10 or 2.0"
    assert version_spans_text(["3.9 with kraft", "4.1 with kraft", "2.7 with zookeeper"], every) == (
        "3.9 to 4.1 with kraft, or 2.7 with zookeeper"
    )
    assert version_spans_text(["1", "all"], ["1", "all"]) == "1 or all"


def document_of(texts: dict[str, str], **asked: Any) -> dict[str, Any]:
    """The document of an audit that has no time: what it says of files, and of what is open."""
    files = [(name, text, True) for name, text in texts.items()]
    options = Options(kafka_version="4.1.0", distribution="apache")
    return audit(*read_cluster_texts(files, options, "x"), AuditRequest(seconds=0.0, **asked)).document


def test_it_says_what_was_read_what_was_required_and_when() -> None:
    made = document_of(nodes(topics__txt=ORDERS), today=datetime.date(2026, 1, 2))
    assert (made["schema"], made["date"], made["required"]) == (SCHEMA, "2026-01-02", "standard")
    assert {file["path"] for file in made["files"]} >= {"b1.properties", "c11.properties", "topics.txt"}
    assert made["versions"]["kafka"] == "4.1.0" and made["versions"]["control plane"] == "kraft"
    assert "orders" in [name for subject in made["subjects"] for name in subject["topics"]]
    assert document_of(nodes())["date"] == "", "an audit that was given no day has none"


def test_what_time_did_not_suffice_for_is_open_and_the_audit_does_not_pass() -> None:
    made = document_of(nodes(topics__txt=ORDERS))
    assert made["exit"] == 5 and made["out_of_time"].startswith("time ran out before ")
    assert "nothing is kept for the next audit" in made["out_of_time"]
    orders = next(subject for subject in made["subjects"] if subject["topics"] == ["orders"])
    assert {check["result"] for check in orders["checks"]} == {"not checked"}


def test_where_nothing_was_read_nothing_was_checked_and_that_is_no_pass() -> None:
    made = document_of({"p.properties": "key.serializer=x\nacks=all\n"})
    assert made["exit"] == 5 and made["headline"] == NOTHING == made["not_asked"]


def test_what_is_required_of_some_topics_alone_is_said_of_these() -> None:
    made = document_of({**nodes(topics__txt=ORDERS), "audit.toml": '[topic."orders"]\nrequire = ["strict"]\n'})
    assert made["required"] == "standard; of orders: strict"
    by_name = {subject["topics"][0]: subject["required"] for subject in made["subjects"]}
    assert (by_name["orders"], by_name["__consumer_offsets"]) == ("strict", "standard")


def test_what_is_out_of_service_fails_whatever_else_is_open() -> None:
    offline = ORDERS.replace("Leader: 1", "Leader: none").replace("Isr: 1,2,3", "Isr: ")
    made = document_of(nodes(topics__txt=offline))
    assert made["exit"] == 1
    assert [(out["topic"], out["certain"]) for out in made["outages"]] == [("orders", True)]
