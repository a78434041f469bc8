"""The headline counts topics, names those that fail and at what; what else can be lost."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.questions.situations import BY_NAME, cell_title
from tidegate.audit.report.summary import summarize
from tidegate.audit.report.summary_headline import headline_text

from ...support.audited_topics import audit_topics, topic_text


def test_the_headline_counts_topics_and_names_those_that_fail_at_what(five: dict[str, Any]) -> None:
    assert five["summary"]["mark"] == "✗"
    headline = headline_text(five)
    assert headline == five["summary"]["headline"]
    assert headline.startswith("3 of 5 topics can lose acknowledged records when a host loses power, or stop while one")
    assert {"clickstream", "sessions", "audit-log"} == set(headline.rpartition(": ")[2].split(", "))


def test_kafkas_own_topics_are_counted_as_such(three_hosts: dict[str, Any]) -> None:
    assert " of 4 topics (2 are Kafka's own) " in three_hosts["summary"]["headline"]


def of_losses(five: dict[str, Any], cell: str, settings: list[dict[str, Any]], also: str = "keeps") -> list[str]:
    """What is said of a topic that passes and has this loss, where `also` is the answer about a lost directory."""
    subject = next(subject for subject in five["subjects"] if "orders" in subject["topics"])
    directory = f"directory-loss@{cell.partition('@')[2]}"
    loss = {"cell": cell, "says": cell_title(BY_NAME[cell]), "question": "no-loss"}
    table = {"no-loss": {**subject["table"]["no-loss"], directory: {"word": also}}}
    made = {**subject, "topics": ["orders"], "loss": loss, "settings": settings, "table": table}
    return summarize({**five, "subjects": [made]})["beyond"]


def test_a_restart_that_empties_the_disk_is_not_said_to_be_mended_by_4_0(five: dict[str, Any]) -> None:
    """A directory that is reported takes brokers out of the ELR up to 4.2: an ephemeral disk is a lost disk."""
    ephemeral = {"key": "storage", "value": "ephemeral", "where": None, "source": ""}
    said = "orders: passes; records can still be lost when a broker is restarted in a controlled way, with one replica"
    mended = " in sync; Kafka 4.3 with eligible.leader.replicas.version=1 keeps them"
    assert of_losses(five, "restart@one", [ephemeral]) == [said + mended]


@pytest.mark.parametrize(
    ("directory", "what"), [("can lose", "a disk or a directory is lost"), ("keeps", "a disk is lost")]
)
def test_a_lost_directory_is_named_where_it_loses_what_a_disk_does(
    five: dict[str, Any], directory: str, what: str
) -> None:
    said = f"orders: passes; records can still be lost when {what}, with one replica in sync; Kafka 4.3 with "
    assert of_losses(five, "disk-loss@one", [], directory) == [f"{said}eligible.leader.replicas.version=1 keeps them"]


def test_nodes_that_do_not_start_are_the_answer(five: dict[str, Any]) -> None:
    down = {
        "topic": "", "partitions": [], "nodes": [2], "kind": "does not start", "certain": True, "where": None,
        "says": "broker 2 does not start: no",
    }  # fmt: skip
    summary = summarize({**five, "outages": [down]})
    assert summary["headline"] == "node 2 does not start"
    assert summary["stops_all"]


def test_a_producer_that_does_not_start_is_said_and_not_that_writes_stop() -> None:
    """Nothing is wrong with the brokers, and the change names what is refused alone."""
    made = audit_topics(topic_text("orders", 2), "acks=1\nenable.idempotence=true\n")["summary"]
    assert made["headline"] == "1 of 1 topics get no records (producer.properties writes nothing): orders"
    (row,) = made["rows"]
    assert (row["writes"], row["change"]) == ("none: producer.properties writes nothing", "acks=all")
    assert row["writes_word"] == "silent"
