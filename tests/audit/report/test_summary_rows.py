"""A row says what can happen, by which setting of which line, and what changes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.answers.baseline import read_baseline
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.report.signals import ALWAYS_AT_MIN, NOTHING, ONE_COPY
from tidegate.audit.report.summary import summarize
from tidegate.audit.report.summary_rows import TOO_LITTLE_TIME, assumable_toml, origin_below_root, setting_at_its_place
from tidegate.explorer.cache import cache_directory

from ...support.audited_topics import audit_combined, audit_topics, topic_text


def test_a_row_says_what_happens_when_and_which_setting_of_which_line_decides_it(five: dict[str, Any]) -> None:
    rows = {row["topics"][0]: row for row in five["summary"]["rows"]}
    assert rows.keys() == {"clickstream", "sessions", "audit-log"}
    assert rows["clickstream"]["records"].startswith("acknowledged records are lost when a host loses power")
    assert rows["clickstream"]["writes"] == "go on"
    assert rows["clickstream"]["decided"] == ["topics.txt:5 min.insync.replicas=1"]
    assert rows["sessions"]["writes"] == "stop while one broker restarts or is down"
    assert rows["sessions"]["decided"] == ["topics.txt:7 min.insync.replicas=3"]
    assert rows["sessions"]["change"] == "min.insync.replicas=2"
    assert five["summary"]["passing"] == 2


def test_one_copy_is_named_before_what_helps_several(five: dict[str, Any]) -> None:
    row = next(row for row in five["summary"]["rows"] if row["topics"] == ["audit-log"])
    assert row["decided"] == ["topics.txt:9 replication factor=1", "topics.txt:9 min.insync.replicas=1"]
    assert row["change"] == "replication factor=3, min.insync.replicas=2"


def test_a_host_that_all_share_is_to_blame_once() -> None:
    summary = audit_combined("localhost", "localhost", "localhost")["summary"]
    assert summary["everywhere"] == (
        "server-1.properties:5 brokers 1, 2, 3 on host localhost: what that host loses, all copies lose; change: "
        "a host for each node"
    )
    rows = {topic: row for row in summary["rows"] for topic in row["topics"]}
    assert not any("localhost" in decided for row in rows.values() for decided in row["decided"])
    assert rows["sessions"]["decided"] == ["topics.txt:3 min.insync.replicas=3"]
    assert rows["orders"]["decided"] == ["the host that they share (above)"]
    assert rows["orders"]["change"].startswith("a host for each node (above); then accept controllers-catch-up")
    assert not any("on one computer" in says for says in summary["also"])


def test_an_assumption_that_a_row_speaks_of_is_said_whole_and_once(three_hosts: dict[str, Any]) -> None:
    summary = three_hosts["summary"]
    (orders,) = (row for row in summary["rows"] if "orders" in row["topics"])
    assert orders["change"] == "accept controllers-catch-up (below), or give controllers hosts of their own"
    assert orders["decided"] == ["server-1.properties:1 process.roles=broker,controller"]
    assert summary["assumable"].startswith("controllers-catch-up: a controller whose disk was replaced starts when")
    assert "describe --replication" in summary["assumable"] and "--baseline" in summary["assumable"]
    assert not any("KAFKA-14077" in says for says in summary["also"])


def test_an_assumption_that_is_accepted_is_asked_for_no_more(three_hosts: dict[str, Any]) -> None:
    (sessions,) = (row for row in three_hosts["summary"]["rows"] if "sessions" in row["topics"])
    assert sessions["change"] == "min.insync.replicas=2; then accept controllers-catch-up (below)"
    accepted = {"result": "accepted", "assumption": "they catch up", "assumable": False, "note": "", "why": ""}
    subjects = [
        {**subject, "checks": [{**check, **(accepted if check["assumable"] else {})} for check in subject["checks"]]}
        for subject in three_hosts["subjects"]
    ]
    summary = summarize({**three_hosts, "subjects": subjects})
    (sessions,) = (row for row in summary["rows"] if "sessions" in row["topics"])
    assert sessions["change"] == "min.insync.replicas=2" and not summary["assumable"]


@pytest.mark.parametrize(
    ("date", "until"), [("2027-03-01", "2028-03-01"), ("2028-02-29", "2029-02-28"), ("", "9999-12-31")]
)
def test_the_line_that_accepts_an_assumption_can_be_pasted(tmp_path: Path, date: str, until: str) -> None:
    file = tmp_path / "accepted.toml"
    file.write_text(assumable_toml(date) + "\n", encoding="utf-8")
    (entry,) = read_baseline(file)
    assert (entry.assumption, entry.expiry.isoformat()) == ("controllers-catch-up", until)


def test_a_row_says_what_shows_it_beforehand(five: dict[str, Any]) -> None:
    """Where all replicas are needed AtMinIsrPartitionCount is above 0 though all are in sync."""
    shown = {row["topics"][0]: row["shown_by"] for row in five["summary"]["rows"]}
    assert shown["clickstream"] == ["AtMinIsrPartitionCount above 0", "the disk's own reports (SMART)"]
    assert shown["sessions"] == [ALWAYS_AT_MIN]
    assert shown["audit-log"] == [ONE_COPY, ALWAYS_AT_MIN]


def test_what_is_lost_with_all_in_sync_is_shown_by_nothing_whatever_is_asked(five: dict[str, Any]) -> None:
    """The question is about an ISR at min.insync.replicas; with all in sync the same fault loses as well."""
    subject = next(subject for subject in five["subjects"] if "clickstream" in subject["topics"])
    table = {**subject["table"]["no-loss"], "power-loss@all": {"word": "can lose"}}
    made = {**subject, "table": {**subject["table"], "no-loss": table}}
    (row,) = summarize({**five, "subjects": [made]})["rows"]
    assert row["shown_by"] == [NOTHING]


def test_a_topic_that_cannot_be_created_says_what_does_not_work() -> None:
    node = "broker.id={}\nlog.dirs=d\nzookeeper.connect=z:2181\n"
    texts = [(f"b{number}.properties", node.format(number), True) for number in (1, 2)]
    options = Options(kafka_version="2.8.0", distribution="apache", clients=("java:2.8",))
    rows = audit(*read_cluster_texts(texts, options, "x"), AuditRequest(seconds=1.0)).document["summary"]["rows"]
    said = {row["topics"][0]: row["records"] for row in rows}
    lost = "not known: cannot be created, and no transactional producer gets past initTransactions"
    assert said["__transaction_state"] == lost
    assert all(row["decided"] for row in rows), "where it is stated, if no setting leaves it open"


def test_what_was_not_decided_is_open_and_no_pass() -> None:
    made = audit_topics(topic_text("orders", 2), seconds=0.0)
    assert made["summary"]["mark"] == "?"
    assert made["summary"]["headline"].startswith("it is not known whether the topic meets what is required")
    (row,) = made["summary"]["rows"]
    assert row["result"] == "open"
    assert row["records"].startswith("not known")
    assert row["decided"] == [TOO_LITTLE_TIME]


def test_a_row_of_what_is_open_names_what_is_not_given() -> None:
    texts = [("c/topics.txt", topic_text("orders", 2), True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    asked = AuditRequest(folder=cache_directory(), repairs=False)
    (row,) = audit(*read_cluster_texts(texts, options, "x"), asked).document["summary"]["rows"]
    assert (row["result"], row["decided"]) == ("open", ["not given: acks"])


def test_a_setting_stands_at_its_place_and_a_default_is_called_so() -> None:
    where = {"path": "cluster/b.properties", "line": 7, "place": ""}
    used = {"key": "acks", "value": "1", "where": where, "source": ""}
    assert setting_at_its_place(used, "cluster") == "b.properties:7 acks=1"
    assert setting_at_its_place({**used, "where": None, "source": "KIP-679"}) == "acks=1 (default)"


def test_of_a_running_cluster_the_resource_is_said_and_where_the_value_comes_from(five: dict[str, Any]) -> None:
    """It has no file and no line, and the addresses at which it was asked are those of its first line."""
    where = {"path": "localhost:9092,b2:9092", "line": None, "place": "topic orders, set on the topic"}
    used = {"key": "min.insync.replicas", "value": "1", "where": where, "source": ""}
    assert origin_below_root(where) == "topic orders, set on the topic"
    assert setting_at_its_place(used) == "min.insync.replicas=1 (topic orders, set on the topic)"
    hosts = {**used, "key": "brokers 1, 2 on host localhost", "value": ""}
    assert setting_at_its_place(hosts) == "brokers 1, 2 on host localhost"
    asked = {"path": "localhost:9092,b2:9092", "format": "a running cluster"}
    assert summarize({**five, "files": [asked]})["read"] == "asked localhost:9092,b2:9092"
    assert summarize({**five, "files": [asked, *five["files"]]})["read"].endswith("b2:9092; read 2 files")


BROKER = (
    "process.roles=broker\nnode.id={id}\ncontroller.quorum.voters=101@c:9093\ncontroller.listener.names=C\n"
    "listeners=PLAINTEXT://b{id}:9092\nlog.dirs=/data\ndefault.replication.factor=3\n{more}\n"
)


def rows_of_brokers(*more: str, files: Sequence[tuple[str, str]] = ()) -> dict[str, dict[str, Any]]:
    """The first screen's rows by their first topic, of three brokers with such lines and of other files."""
    lines = [*more, *["min.insync.replicas=2"] * (3 - len(more))]
    brokers = [(f"c/b{id_}.properties", BROKER.format(id=id_, more=said), True) for id_, said in enumerate(lines, 1)]
    texts = [*brokers, *((f"c/{name}", text, True) for name, text in files)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    asked = AuditRequest(folder=cache_directory(), repairs=False)
    rows = audit(*read_cluster_texts(texts, options, "x"), asked).document["summary"]["rows"]
    return {row["topics"][0]: row for row in rows}


def test_statements_that_contradict_each_other_are_named_with_their_places() -> None:
    of_producer = ("p.properties", "acks=all\n")
    row = rows_of_brokers("min.insync.replicas=2", "min.insync.replicas=1", files=[of_producer])["(new topics)"]
    assert row["result"] == "open"
    assert row["decided"] == [
        "contradict each other: b1.properties:8 min.insync.replicas=2, b2.properties:8 min.insync.replicas=1"
    ]
    row = rows_of_brokers("min.insync.replicas=2", "", files=[of_producer])["(new topics)"]
    assert row["decided"] == [
        "contradict each other: b1.properties:8 min.insync.replicas=2, b2.properties min.insync.replicas=1 (by default)"
    ]


def test_what_a_description_leaves_out_contradicts_the_file_that_sets_it() -> None:
    topics = ("topics.txt", topic_text("orders", 2).replace("min.insync.replicas=2", "retention.ms=1"))
    row = rows_of_brokers("min.insync.replicas=2", files=[topics, ("p.properties", "acks=all\n")])["orders"]
    assert row["decided"] == [
        "contradict each other: b1.properties:8 min.insync.replicas=2, topics.txt:1 min.insync.replicas=1 (by default)"
    ]


def test_what_is_given_of_producers_is_named_where_no_file_says_who_writes() -> None:
    """The weakest is first; it is not said that nothing is given."""
    writers = [("orders.properties", "acks=all\n"), ("logs.properties", "acks=1\nenable.idempotence=false\n")]
    topics = ("topics.txt", topic_text("orders", 2))
    for name, files in (("(new topics)", writers), ("orders", [*writers, topics])):
        row = rows_of_brokers(files=files)[name]
        assert (row["result"], row["change"]) == ("open", "give --acks, or which producers write it, in audit.toml")
        assert row["decided"] == ["no file says who writes it: logs.properties:1 acks=1, orders.properties:1 acks=all"]


def test_a_producer_that_does_not_start_is_decided_by_the_settings_that_it_refuses() -> None:
    files = [("topics.txt", topic_text("orders", 2)), ("p.properties", "acks=1\nenable.idempotence=true\n")]
    row = rows_of_brokers(files=files)["orders"]
    assert row["decided"] == ["p.properties:1 acks=1", "p.properties:2 enable.idempotence=true"]
    assert row["change"].startswith("acks=all")
