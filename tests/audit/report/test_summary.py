"""What an operator reads first: which topics fail, at what, decided by what."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.situations import BY_NAME, cell_title
from tidegate.audit.report.signals import ALWAYS_AT_MIN, NOTHING, ONE_COPY
from tidegate.audit.report.summary import TOO_LITTLE_TIME, place_text, setting_at_its_place, summarize
from tidegate.explorer.cache import cache_directory

TOPICS = (
    "Topic: {name}\tTopicId: x\tPartitionCount: 1\tReplicationFactor: {replicas}\t"
    "Configs: min.insync.replicas={least}\n"
    "\tTopic: {name}\tPartition: 0\tLeader: 1\tReplicas: {hosts}\tIsr: {hosts}\n"
)


def topic_text(name: str, least: int, replicas: int = 3) -> str:
    """A topic as kafka-topics.sh describes it."""
    hosts = ",".join(map(str, range(1, replicas + 1)))
    return TOPICS.format(name=name, least=least, replicas=replicas, hosts=hosts)


def audit_topics(topics: str, producer: str = "acks=all\n", seconds: float = 600.0) -> dict[str, Any]:
    """The document of an audit of topics and their producer, on Kafka 3.9."""
    texts = [("cluster/topics.txt", topics, True), ("cluster/producer.properties", producer, True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    return audit(*read_cluster_texts(texts, options, "x"), AuditRequest(seconds=seconds)).document


@pytest.fixture(scope="module")
def five() -> dict[str, Any]:
    """Five topics, three of which are wrong, each in its own way."""
    return audit_topics(
        topic_text("orders", 2) + topic_text("payments", 2) + topic_text("clickstream", 1) + topic_text("sessions", 3)
        + topic_text("audit-log", 1, 1)
    )  # fmt: skip


def test_the_headline_counts_topics_and_names_those_that_fail_at_what(five: dict[str, Any]) -> None:
    assert five["summary"]["mark"] == "✗"
    headline = five["summary"]["headline"]
    assert headline.startswith("3 of 5 topics can lose acknowledged records when a host loses power, or stop while one")
    assert {"clickstream", "sessions", "audit-log"} == set(headline.rpartition(": ")[2].split(", "))


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


def combined_nodes(*hosts: str) -> list[tuple[str, str, bool]]:
    """The files of nodes that are brokers and controllers, on these hosts."""
    voters = ",".join(f"{id_}@{host}:{19090 + id_}" for id_, host in enumerate(hosts, 1))
    return [
        (
            f"c/server-{id_}.properties",
            f"process.roles=broker,controller\nnode.id={id_}\ncontroller.quorum.voters={voters}\n"
            f"controller.listener.names=C\nlisteners=PLAINTEXT://{host}:{9090 + id_},C://{host}:{19090 + id_}\n"
            f"log.dirs=/data/{id_}\ndefault.replication.factor=3\nmin.insync.replicas=2\n",
            True,
        )
        for id_, host in enumerate(hosts, 1)
    ]


def audit_combined(*hosts: str) -> dict[str, Any]:
    topics = topic_text("orders", 2) + topic_text("sessions", 3)
    texts = [*combined_nodes(*hosts), ("c/topics.txt", topics, True), ("c/p.properties", "acks=all\n", True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    asked = AuditRequest(folder=cache_directory(), seconds=600.0)
    return audit(*read_cluster_texts(texts, options, "x"), asked).document


@pytest.fixture(scope="module")
def three_hosts() -> dict[str, Any]:
    """Three combined nodes on hosts of their own: the most common small cluster."""
    return audit_combined("a", "b", "c")


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
    assert "describe --replication" in summary["assumable"] and "[[accepted]]" in summary["assumable"]
    assert not any("KAFKA-14077" in says for says in summary["also"])


def test_kafkas_own_topics_are_counted_as_such(three_hosts: dict[str, Any]) -> None:
    assert " of 4 topics (2 are Kafka's own) " in three_hosts["summary"]["headline"]


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


def test_what_follows_from_the_loss_of_a_topic_is_said_beside_its_row() -> None:
    """The row's line decides that it is lost; what consumers see of that stands in no row."""
    made = audit_topics(topic_text("__remote_log_metadata", 1, 1))["summary"]
    assert [row["topics"] for row in made["rows"]] == [["__remote_log_metadata"]]
    assert [said for said in made["also"] if "all that is tiered is lost to consumers" in said]


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
    assert made["summary"]["headline"].startswith("of 1 of 1 topics it is not known whether they meet")
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


def test_nodes_that_do_not_start_are_the_answer(five: dict[str, Any]) -> None:
    down = {
        "topic": "", "partitions": [], "nodes": [2], "kind": "does not start", "certain": True, "where": None,
        "says": "broker 2 does not start: no",
    }  # fmt: skip
    summary = summarize({**five, "outages": [down]})
    assert summary["headline"] == "node 2 does not start"
    assert summary["stops_all"]


def test_what_was_read_and_skipped_is_counted_and_named(five: dict[str, Any]) -> None:
    assert five["summary"]["read"] == "read 2 files"
    unread = [{"path": f"cluster/{name}", "reason": "", "may_be_configuration": False} for name in "abcdef"]
    assert summarize({**five, "unread": unread})["read"] == "read 2 files, skipped 6 (a, b, c, d and 2 more)"


def test_what_else_was_found_is_said_once_the_gravest_first(five: dict[str, Any]) -> None:
    where = {"path": "cluster/a", "line": 3, "place": ""}

    def finding(severity: str, what: str, kind: str = "advice") -> dict[str, Any]:
        source = "KIP-1" if what == "key e" else "a page"
        return {"severity": severity, "what": what, "kind": kind, "where": where, "to_do": "mend it", "source": source}

    found = [
        finding("note", "n"), finding("warning", "key w"), finding("error", "key e"),
        finding("error", "i", "incomplete"), finding("error", "does not start"),
    ]  # fmt: skip
    down = {"topic": "", "nodes": [2], "kind": "does not start", "certain": True, "says": "broker 2 does not start"}
    made = summarize({**five, "findings": found, "outages": [down]})
    assert made["also"] == ["a:3: key e; mend it (KIP-1)", "a:3: key w; mend it"]


COMPOSE = """
services:
  kafka:
    image: confluentinc/cp-kafka:7.9.0
    environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "z:2181", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://k:9092"}
    volumes: ["data:/var/lib/kafka"]
"""


def test_what_has_the_line_of_a_setting_that_decides_and_is_not_about_it_is_said() -> None:
    """All that a service leaves at its default stands at one line, and a hidden volume too."""
    cluster = read_cluster_texts([("docker-compose.yml", COMPOSE, True)], Options(), "x")
    made = audit(*cluster, AuditRequest(seconds=8.0)).document["summary"]
    rows = {row["topics"][0]: row["decided"] for row in made["rows"]}
    assert "docker-compose.yml:4 replication factor=1" in rows["(new topics)"]
    what = "docker-compose.yml:4: the log of service kafka is not on the volume at /var/lib/kafka"
    assert [said for said in made["also"] if said.startswith(what)]


def test_a_setting_stands_at_its_place_and_a_default_is_called_so() -> None:
    where = {"path": "cluster/b.properties", "line": 7, "place": ""}
    used = {"key": "acks", "value": "1", "where": where, "source": ""}
    assert setting_at_its_place(used, "cluster") == "b.properties:7 acks=1"
    assert setting_at_its_place({**used, "where": None, "source": "KIP-679"}) == "acks=1 (default)"


def test_of_a_running_cluster_the_resource_is_said_and_where_the_value_comes_from(five: dict[str, Any]) -> None:
    """It has no file and no line, and the addresses at which it was asked are those of its first line."""
    where = {"path": "localhost:9092,b2:9092", "line": None, "place": "topic orders, set on the topic"}
    used = {"key": "min.insync.replicas", "value": "1", "where": where, "source": ""}
    assert place_text(where) == "topic orders, set on the topic"
    assert setting_at_its_place(used) == "min.insync.replicas=1 (topic orders, set on the topic)"
    hosts = {**used, "key": "brokers 1, 2 on host localhost", "value": ""}
    assert setting_at_its_place(hosts) == "brokers 1, 2 on host localhost"
    asked = {"path": "localhost:9092,b2:9092", "format": "a running cluster"}
    assert summarize({**five, "files": [asked]})["read"] == "asked localhost:9092,b2:9092"
    assert summarize({**five, "files": [asked, *five["files"]]})["read"].endswith("b2:9092; read 2 files")
