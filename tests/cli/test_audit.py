"""`tidegate audit` as a user meets it: the samples, each with its headline, its faces, and what it must never tell."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tidegate.audit.answers.requirements import PRESETS
from tidegate.audit.answers.scenario import rename_brokers
from tidegate.reports.audit.sarif import audit_sarif

from ..conftest import ROOT, Run, SavedAudit
from ..support.shipped import tiered_rows

CLUSTERS = ROOT / "examples" / "clusters"
ELR = ("--features", "eligible.leader.replicas.version=1")
OLD = ("--kafka-version", "3.9", "--client", "java:3.9", "--distribution", "apache")
NEW = ("--kafka-version", "4.1", *ELR, "--client", "java:3.9", "--distribution", "apache")
SCHEMAS = ROOT / "tests" / "fixtures" / "schemas"

Audit = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def audit(tidegate: Run) -> Audit:
    """Runs an audit with --json; its exit and its document."""

    def run(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
        done = tidegate("audit", str(folder), *options, "--json")
        return done.exit, json.loads(done.out)

    return run


def report_of_topic(document: dict[str, Any], topic: str) -> dict[str, Any]:
    return next(subject for subject in document["subjects"] if topic in subject["topics"])


SAMPLES: Sequence[tuple[str, tuple[str, ...], int, str, str]] = (
    ("good", NEW, 0, "orders", "with one replica left in sync, one lost disk can lose acknowledged records"),
    ("shipped-defaults", OLD, 1, "__consumer_offsets", "writes and reads stop while one broker is down"),
    ("acks-1", OLD, 1, "orders", "moving the leader can lose acknowledged records, though no broker fails"),
    ("last-replica-standing", OLD, 1, "orders", "with one replica left in sync, one power loss can lose acknowledged"),
    ("rack-power-loss", NEW, 0, "orders", "a rack's loss of power can, with all in sync"),
    ("combined", OLD, 1, "orders", "writes stop while one broker is down"),
    ("old-client", (*OLD[:2], "--client", "java:2.8", *OLD[4:]), 1, "payments.card", "can lose acknowledged records"),
    ("strimzi", OLD, 1, "orders", "with the ISR at 1, which min.insync.replicas=1 allows to be written to"),
)  # fmt: skip


LARGE = ("good", "rack-power-loss", "combined", "strimzi")
"""Samples whose audit takes seconds of a processor."""


@pytest.mark.parametrize(
    ("name", "options", "exit_", "topic", "says"), tiered_rows(SAMPLES, lambda row: row[0] not in LARGE)
)
def test_each_sample_has_its_headline(
    name: str, options: tuple[str, ...], exit_: int, topic: str, says: str, audit: Audit
) -> None:
    ended, document = audit(CLUSTERS / name, *options)
    assert ended == exit_ == document["exit"]
    assert says in report_of_topic(document, topic)["headline"]


def test_the_last_replica_standing_is_reported_with_the_users_names(audit: Audit) -> None:
    asked = ("--require", "no-loss=power-loss@one", "--from-current")
    _, document = audit(CLUSTERS / "last-replica-standing", *OLD, *asked)
    found = report_of_topic(document, "orders")
    assert found["failed"] == ["no-loss=power-loss@one"]
    assert "Broker 2's host loses power" in " ".join(found["loss"]["scenario"]) or "broker 2" in str(found["loss"])
    assert found["loss"]["source"].startswith("KIP-966")
    assert found["now"]["headline"].startswith("orders partition 0: the ISR is {2} of 3 replicas; writes are refused")
    assert "one loss of power can lose acknowledged records" in found["now"]["headline"]
    assert any("upgrade --release-version 4.3" in " ".join(step["commands"]) for step in found["repair"]["steps"])


@pytest.mark.parametrize(
    ("name", "asked", "title"),
    [
        ("acks-1", "no-loss=crash@all", "How it is lost"),
        ("acks-1", "no-duplicates=crash@all", "How it goes wrong, duplicates"),
        ("last-replica-standing", "no-unread=two-power-losses@min-isr", "How it is lost"),
    ],
)
def test_the_run_that_is_shown_is_of_the_requirement_that_fails(
    name: str, asked: str, title: str, audit: Audit
) -> None:
    """Also where another cell or question has a loss that is graver, and that is shown where nothing fails."""
    ended, document = audit(CLUSTERS / name, *OLD, "--require", asked)
    found = report_of_topic(document, "orders")
    question, _, cell = asked.partition("=")
    assert ended == 1 and found["failed"] == [asked]
    assert (found["loss"]["question"], found["loss"]["cell"], found["loss"]["title"]) == (question, cell, title)
    graver = "leader-move@all" if name == "acks-1" else "power-loss@one"
    assert found["table"]["no-loss"][graver]["word"] == "can lose"
    (check,) = found["checks"]
    assert check["scenario"] == found["loss"]["scenario"] and len(check["scenario"]) >= len(found["loss"]["steps"]) > 0


def test_the_run_that_is_shown_is_with_the_most_replicas_in_sync(audit: Audit) -> None:
    """What is lost with all in sync is lost with fewer, too, and the sentence says the graver of both."""
    _, document = audit(CLUSTERS / "acks-1", *OLD, "--require", "no-loss=crash@one")
    assert report_of_topic(document, "orders")["loss"]["cell"] == "crash@all"


def test_the_one_producers_file_is_assumed_to_write_what_no_file_maps(audit: Audit, tmp_path: Path) -> None:
    shutil.copytree(CLUSTERS / "acks-1", tmp_path / "c")
    (tmp_path / "c" / "audit.toml").unlink()
    ended, document = audit(tmp_path / "c", *OLD)
    assert ended == 1 and "no-loss=leader-move@min-isr" in report_of_topic(document, "orders")["failed"]
    (assumed,) = document["assumptions"]
    assert assumed.startswith("producer.properties, the only producer's file that was given, writes every topic")
    assert audit(CLUSTERS / "acks-1", *OLD)[1]["assumptions"] == []


def test_a_topic_that_no_file_maps_is_never_failed_on_a_guess(audit: Audit, tmp_path: Path) -> None:
    shutil.copytree(CLUSTERS / "acks-1", tmp_path / "c")
    (tmp_path / "c" / "audit.toml").unlink()
    (tmp_path / "c" / "producer.properties").unlink()
    ended, document = audit(tmp_path / "c", *OLD)
    found = report_of_topic(document, "orders")
    assert ended == 5 and found["failed"] == []
    assert {condition["if"] for condition in found["conditional"]} == {"acks=all", "acks=1"}
    assert found["headline"] == "depends on acks"
    assert found["table"]["no-loss"]["crash@all"]["on"] == ["acks"]


@pytest.mark.long  # what an unstated version leaves open is ordinary where the sample is smaller, in the next test
def test_nothing_is_assumed_of_a_version_that_is_not_stated(audit: Audit, tmp_path: Path) -> None:
    shutil.copytree(CLUSTERS / "good", tmp_path / "c")
    ended, document = audit(tmp_path / "c", "--distribution", "apache", "--require", "no-loss=power-loss@one")
    assert ended == 5
    on = report_of_topic(document, "orders")["table"]["no-loss"]["power-loss@one"]["on"]
    assert on == ["version"], "no release with KRaft elects uncleanly where nobody asks for it"


@pytest.mark.long  # the words of a span are ordinary, in the next test
def test_versions_that_say_the_same_are_one_span(audit: Audit, tmp_path: Path) -> None:
    """A version that is not stated: one line for each answer, in the words of releases, and no other facts."""
    shutil.copytree(CLUSTERS / "last-replica-standing", tmp_path / "c")
    _, document = audit(tmp_path / "c", "--client", "java:3.9", "--distribution", "apache")
    found = report_of_topic(document, "orders")["conditional"]
    assert len({condition["says"] for condition in found}) == len(found)
    assert {condition["if"] for condition in found} == {
        "version 3.3 to 4.0, or 4.1 to 4.2 with eligible.leader.replicas.version=0, or 4.3 to 4.4 with "
        "eligible.leader.replicas.version=0",
        "version 4.1 to 4.2 with eligible.leader.replicas.version=1",
        "version 4.3 to 4.4 with eligible.leader.replicas.version=1",
    }
    assert any(" to " in condition["if"] for condition in found), found


def test_a_page_of_a_loss_has_the_users_brokers_throughout(tidegate: Run, saved_audit: SavedAudit) -> None:
    """In the page, lanes and sentences alike; the trace beside it keeps the model's letters, so that it is replayed."""
    _, out = saved_audit(str(CLUSTERS / "acks-1"), *OLD)
    folder = out / "scenarios"
    assert "Broker 2 becomes leader in epoch 1" in (folder / "01-orders.html").read_text(encoding="utf-8")
    path = folder / "01-orders.trace.json"
    trace = rename_brokers(
        json.loads(path.read_text(encoding="utf-8")), {"A": "broker 1", "B": "broker 2", "C": "broker 3"}
    )
    assert {lane["id"] for lane in trace["lanes"]} == {"broker 1", "broker 2", "broker 3"}
    assert set(trace["states"]["0"]["log"]) == set(trace["frames"]["0"]["lanes"]) == set(trace["view"]["lanes"])
    assert set(trace["view"]["lanes"]) == {lane["id"] for lane in trace["lanes"]}
    reported = [step["sentence"] for step in trace["steps"]] + [sentence["text"] for sentence in trace["argument"]]
    reported += [step["step"] for step in trace["steps"]]
    assert not [
        sentence for sentence in reported if re.search(r"\b[B-E]\b|\bA(?='s| became| lost| committed)", sentence)
    ], reported
    assert "broker" not in trace["replay"].partition("--steps")[2].replace("broker=", "")
    assert tidegate("replay", str(path)).exit == 1


def test_groups_that_differ_by_name_alone_share_pages(tidegate: Run, tmp_path: Path) -> None:
    shutil.copytree(CLUSTERS / "acks-1", tmp_path / "c")
    done = tidegate("audit", str(tmp_path / "c"), *OLD, "--require", "dev", "--json", "--out", str(tmp_path / "out"))
    pages = [one["html"] for subject in json.loads(done.out)["subjects"] for one in subject["scenarios"]]
    assert all((tmp_path / "out" / page).is_file() for page in pages)
    assert len({*pages}) < len(pages)
    shared = next(page for page in pages if pages.count(page) > 1 and "client-" not in page)
    assert "group like it" in (tmp_path / "out" / shared).read_text(encoding="utf-8")


def test_what_is_printed_is_what_is_saved(saved_audit: SavedAudit) -> None:
    done, out = saved_audit(str(CLUSTERS / "acks-1"), *OLD)
    assert json.loads(done.out) == json.loads((out / "audit.json").read_text(encoding="utf-8"))
    (first, *_) = json.loads(done.out)["subjects"]
    assert (out / first["loss"]["html"]).is_file()


@pytest.mark.long
def test_a_row_that_a_producer_breaks_by_itself_opens_its_run(tidegate: Run, tmp_path: Path) -> None:
    shutil.copytree(CLUSTERS / "good", tmp_path / "c")
    one = "acks=all\nenable.idempotence=false\nmax.in.flight.requests.per.connection=1\n"
    (tmp_path / "c" / "producer.properties").write_text(one)
    options = ("--kafka-version", "3.9", "--distribution", "apache", "--client", "java:3.9", "--json")
    done = tidegate("audit", str(tmp_path / "c"), *options, "--out", str(tmp_path / "out"))
    (orders, *_) = json.loads(done.out)["subjects"]
    row = orders["table"]["in-order"]
    assert "of the producer" in row["crash@all"]["why"]
    (shown,) = (one for one in orders["scenarios"] if "in-order=crash@all" in one["cells"])
    assert {f"in-order={cell}" for cell, found in row.items() if found["word"] == "can lose"} == set(shown["cells"])
    assert f'href="{shown["html"]}"' in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    trace = (tmp_path / "out" / shown["html"]).with_suffix(".trace.json")
    assert (tmp_path / "out" / shown["html"]).is_file() and tidegate("replay", str(trace)).exit == 1
    shutil.copy(CLUSTERS / "good" / "producer.properties", tmp_path / "c")
    tidegate("audit", str(tmp_path / "c"), *options, "--out", str(tmp_path / "out"))
    assert not trace.exists()


def test_what_is_accepted_counts_until_its_day(audit: Audit, tmp_path: Path) -> None:
    baseline = tmp_path / "accepted.toml"
    asked = ("--require", "no-loss=crash@all", "--baseline", str(baseline))
    entry = '[[accepted]]\ntopic="orders"\nfinding="no-loss=crash@all"\nbecause="acks=1"\nreason="a cache"\nexpiry={}\n'
    baseline.write_text(entry.format("2999-01-31"))
    ended, document = audit(CLUSTERS / "acks-1", *OLD, *asked)
    assert ended == 0
    assert report_of_topic(document, "orders")["accepted"] == "accepted until 2999-01-31: a cache"
    assert document["summary"]["headline"].endswith(", but for what is accepted")
    baseline.write_text(entry.format("2001-01-31"))
    ended, document = audit(CLUSTERS / "acks-1", *OLD, *asked)
    assert ended == 1 and report_of_topic(document, "orders")["failed"] == ["no-loss=crash@all"]


ENTRY = '[[accepted]]\ntopic="{}"\nfinding="{}"\nreason="{}"\nexpiry={}\n'
LOSS, DAY = "no-loss=crash@one", "2030-01-01"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[[accepted]]\ntopic = 3\n", "write exactly topic, finding, reason and expiry"),
        ("accepted = 3\n", "write [[accepted]]"),
        ("]", "not TOML"),
        (ENTRY.format("(", LOSS, "x", DAY), "not a regular expression"),
        (ENTRY.format("a", "no-loss", "x", DAY), "write QUESTION=FAULT@SITUATION"),
        (ENTRY.format("a", "loss=crash@all", "x", DAY), "there is no question loss"),
        (ENTRY.format("a", LOSS, " ", DAY), "is not empty"),
        (ENTRY.format("a", LOSS, "x", '"2030"'), "a day without quotes"),
        (ENTRY.format("ordrs", LOSS, "x", DAY), "no topic matches 'ordrs'; did you mean orders?"),
        (ENTRY.format("orders", "no-loss=crash@all", "x", DAY), "no-loss=crash@all is not required of orders"),
        ('[[accepted]]\nassumption="none"\nreason="x"\nexpiry=2030-01-01\n', "known: controllers-catch-up"),
    ],
)
def test_a_baseline_that_is_wrong_is_reported(text: str, reported: str, tidegate: Run, tmp_path: Path) -> None:
    (tmp_path / "accepted.toml").write_text(text)
    done = tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--baseline", str(tmp_path / "accepted.toml"))
    assert done.exit == 66 and reported in done.err


def test_two_audits_are_compared(tidegate: Run, audit: Audit, tmp_path: Path) -> None:
    shutil.copytree(CLUSTERS / "acks-1", tmp_path / "c")
    _, old = audit(tmp_path / "c", *OLD)
    (tmp_path / "old.json").write_text(json.dumps(old))
    producer = tmp_path / "c" / "producer.properties"
    producer.write_text(producer.read_text().replace("acks=1", "acks=all"))
    ended, document = audit(tmp_path / "c", *OLD, "--diff", str(tmp_path / "old.json"))
    assert ended == 0
    worse = {(row["question"], row["cell"]) for row in document["diff"]["worse"]}
    assert {question for question, _ in worse} == {"writable"} and ("writable", "crash@min-isr") in worse
    better = {row["cell"] for row in document["diff"]["better"] if row["question"] == "no-loss"}
    assert better >= {"leader-move@all", "crash@all", "power-loss@min-isr", "two-crashes@one"}
    assert document["diff"]["settings"][0] == {"topic": "orders", "key": "acks", "before": "1", "after": "all"}
    (tmp_path / "new.json").write_text(json.dumps(document))
    done = tidegate("audit", str(tmp_path / "new.json"), "--diff", str(tmp_path / "old.json"))
    lines = done.out.splitlines()
    assert done.exit == 0 and len(lines) <= 30 and max(map(len, lines)) <= 80
    assert lines[0].startswith("before: ✗ 1 of 3 topics (2 are Kafka's own) can lose")
    assert "now: ✓ all 3 topics (2 are Kafka's own) meet what is required (standard)" in lines
    assert "changed: orders: acks: 1 → all" in lines
    for begins in ("better: orders: an acknowledged record is lost when", "worse: orders: writes stop when"):
        assert any(line.startswith(begins) for line in lines), begins
    (tmp_path / "old.json").write_text("{}")
    done = tidegate("audit", str(tmp_path / "c"), *OLD, "--diff", str(tmp_path / "old.json"))
    assert done.exit == 66 and "not what `tidegate audit --json` prints" in done.err


def test_every_face_is_written_and_no_secret_is_in_any(tidegate: Run, tmp_path: Path) -> None:
    shutil.copytree(CLUSTERS / "acks-1", tmp_path / "c")
    for path in (tmp_path / "c").glob("*.properties"):
        secrets = 'ssl.keystore.password=hunter2\nsasl.jaas.config=x password="hunter2";\nssl.key.password=hunter2\n'
        path.write_text(path.read_text() + secrets)
    done = tidegate("audit", str(tmp_path / "c"), *OLD, "--out", str(tmp_path / "out"), "--all")
    assert done.exit == 1
    written = {path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*.*")}
    assert {"audit.json", "summary.md", "results.sarif", "junit.xml", "scenarios/01-orders.html"} <= set(written)
    for text in (done.out, done.err, *(path.read_text(encoding="utf-8") for path in written.values())):
        assert "hunter2" not in text
    assert "broker 2" in written["scenarios/01-orders.html"].read_text(encoding="utf-8")
    summary = written["summary.md"].read_text(encoding="utf-8")
    assert summary.startswith("# ✗ 1 of 3 topics (2 are Kafka's own) can lose acknowledged records when the leader")
    assert "| the leader is moved | LOSES | go on | LOSES | go on |" in summary


def test_the_sarif_is_valid_and_stands_at_the_setting(saved_audit: SavedAudit) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    _, out = saved_audit(str(CLUSTERS / "acks-1"), *OLD)
    log = json.loads((out / "results.sarif").read_text(encoding="utf-8"))
    (schema,) = SCHEMAS.glob("*sarif*")
    jsonschema.validate(log, json.loads(schema.read_text(encoding="utf-8")))
    (failure,) = [
        result for result in log["runs"][0]["results"] if result["level"] == "error" and result["ruleId"] == "no-loss"
    ]
    place = failure["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("acks-1/producer.properties")
    assert place["region"] == {"startLine": 1}


def test_the_example_of_the_readme_is_what_is_printed_and_one_line_repairs_it(tidegate: Run, tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    before, _, after = text.partition("` says first:\n\n```\n")
    command = before.rpartition("`tidegate ")[2].split()
    done = tidegate(*(str(ROOT / word) if "/" in word else word for word in command))
    assert done.exit == 1
    assert done.out.startswith(after.partition("```")[0])
    cluster = tmp_path / "cluster"
    shutil.copytree(ROOT / command[1], cluster)
    producer = cluster / "producer.properties"
    assert before.count("\nacks=1\n") == 1
    producer.write_text(producer.read_text().replace("acks=1", "acks=all"))
    assert tidegate("audit", str(cluster), *OLD, "--quiet").exit == 0


UNCLEAN = "unclean.leader.election.enable=true"
TOPICS = f"""\
Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=3
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3
Topic: sessions\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {UNCLEAN},min.insync.replicas=2
\tTopic: sessions\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3
"""


def test_a_finding_stands_at_the_setting_that_decides_it(tidegate: Run, tmp_path: Path) -> None:
    """And never at another one of the topic, such as its producer's `acks=all`, which is right."""
    (tmp_path / "producer.properties").write_text("client.id=a\nacks=all\n", encoding="utf-8")
    (tmp_path / "topics.txt").write_text(TOPICS, encoding="utf-8")
    log = audit_sarif(json.loads(tidegate("audit", str(tmp_path), *OLD, "--json").out))
    errors = [result for result in log["runs"][0]["results"] if result["level"] == "error"]
    places = {
        (result["ruleId"], place["artifactLocation"]["uri"].rpartition("/")[2], place["region"]["startLine"])
        for result in errors
        for place in [result["locations"][0]["physicalLocation"]]
    }
    assert places == {("writable", "topics.txt", 1), ("no-loss", "topics.txt", 3)}


@pytest.mark.parametrize(
    ("arguments", "exit_", "reported"),
    [
        (("nowhere",), 66, "nowhere does not exist"),
        (("--kafka-version", "banana", str(CLUSTERS / "good")), 64, "--kafka-version: `banana` is not a version"),
        (("--distribution", "apach", str(CLUSTERS / "good")), 64, "did you mean apache?"),
        (("--client", "jva:3.9", str(CLUSTERS / "good")), 64, "did you mean java?"),
        (("--require", "no-los=crash@all", "."), 64, "did you mean no-loss or no-skips or no-duplicates?"),
        (("--require", "no-loss=crush@all", "."), 64, "there is no fault crush; did you mean crash"),
        (("--require", "no-loss=crash", "."), 64, "crash happens in a situation: write crash@min-isr"),
        (("--require", "no-loss=crash@two", "."), 64, "no situation two; the situations are all, min-isr, one"),
        (("--require", "standart", "."), 64, "did you mean standard or strict?"),
    ],
)
def test_a_mistake_is_reported(arguments: tuple[str, ...], exit_: int, reported: str, tidegate: Run) -> None:
    done = tidegate("audit", *arguments)
    assert done.exit == exit_ and reported in done.err


@pytest.mark.parametrize("text", ["acks=all\nbatch.size=1\n", "process.roles=controller\nnode.id=1\n"])
def test_silence_is_no_pass(text: str, tidegate: Run, tmp_path: Path) -> None:
    (tmp_path / "some.properties").write_text(text, encoding="utf-8")
    done = tidegate("audit", str(tmp_path))
    assert done.exit == 5
    assert done.out.startswith("? nothing was checked: the given files name no topic and no broker; add")


def test_what_does_not_finish_is_not_checked(tidegate: Run) -> None:
    done = tidegate("audit", str(CLUSTERS / "shipped-defaults"), *OLD, "--time", "0.001", "--no-cache")
    assert done.exit == 5
    text = " ".join(done.out.split())
    assert "time ran out before" in text
    found = re.search(
        r"Note: time ran out before ([\d,]+) of ([\d,]+) explorations had ended: .* a longer --time\.", text
    )
    assert found is not None and found[1] == found[2]


def test_every_preset_can_be_met(tmp_path: Path, audit: Audit) -> None:
    """By the good sample; strict takes one request in flight, for no duplicates, and controllers in racks, too."""
    folder = shutil.copytree(CLUSTERS / "good", tmp_path / "good")
    with (folder / "producer.properties").open("a", encoding="utf-8") as file:
        file.write("max.in.flight.requests.per.connection=1\n")
    with (folder / "audit.toml").open("a", encoding="utf-8") as file:
        file.write('\n[racks]\n"101" = "a"\n"102" = "b"\n"103" = "c"\n')
    every = [word for name in PRESETS for word in ("--require", name)]
    newest = ("--kafka-version", "4.3", *NEW[2:])
    exit_, document = audit(folder, *newest, *every)
    assert (exit_, document["exit"]) == (0, 0)
    without_features = ("--kafka-version", "4.3", "--client", "java:4.1", "--distribution", "apache")
    assert audit(CLUSTERS / "strict", *without_features, *every)[0] == 0, "as shipped"
    assert audit(CLUSTERS / "acks-1", *OLD, "--require", "standard")[0] == 1
