"""What the page says in few lines: why there is no repair, which words its legend needs, how many cells it names."""

from __future__ import annotations

from typing import Any

from tidegate.audit.auditing import AuditRequest, audit
from tidegate.audit.readers import Options, of_texts
from tidegate.audit.requirements import PRESETS
from tidegate.reports.audit.page import asks_of, audit_page, unmet
from tidegate.reports.audit.table import LEGEND, legend_of
from tidegate.reports.paper import Paper

TOPIC = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)


def document(producer: str) -> dict[str, Any]:
    texts = [("t.txt", TOPIC, True), ("producer.properties", producer, True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    return audit(*of_texts(texts, options, "x"), AuditRequest(seconds=0.0)).document


def test_where_there_is_no_repair_the_page_says_why() -> None:
    found = document("acks=ALL\n")
    (subject,) = found["subjects"]
    assert subject["failed"] and subject["repair"] is None
    assert subject["no_repair"].startswith("no repair is looked for: it takes a change of what is said above")
    assert "no repair is looked for" in audit_page(found, Paper()).text()


def test_what_fails_in_many_cells_names_the_first_of_them() -> None:
    (subject,) = document("acks=ALL\n")["subjects"]
    short, whole = (" ".join(unmet(subject, most)) for most in (3, None))
    assert "no-loss=leader-move@min-isr, restart@min-isr, crash@min-isr and 5 more was not decided" in short
    assert "disk-loss@min-isr" in whole and "disk-loss@min-isr" not in short and "more" not in whole


def test_a_legend_has_the_words_of_its_table() -> None:
    few = legend_of({"keeps", "offline"})
    assert "LOSES" not in few and "hidden" not in few and "writes and reads stop while it lasts" in few
    assert all(f"{word}: " in LEGEND for word in ("keeps", "LOSES", "UNREADS", "stops", "offline", "hidden", "?", "-"))


def test_what_to_give_is_named_once() -> None:
    """Two facts that one option decides: the version, and a default that changed with it."""
    given = {
        "version": "--kafka-version, and kafka-features.sh describe",
        "unclean": "--kafka-version",
        "acks": "--acks",
    }
    check = {"result": "depends", "on": ["version", "unclean"]}
    decided = {"result": "met", "on": ["acks"]}
    subject = {"checks": [check, decided], "not_given": given}
    assert asks_of([subject, subject]) == [given["version"]]


def test_help_says_what_is_required_of_kafkas_own_topics() -> None:
    assert "of Kafka's own topics only" in PRESETS["standard"].says
