"""What the page says in few lines: why there is no repair, which words its legend needs, how many cells it names.

Also of: `table`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tidegate.audit.answers.answer import Answer, SubjectVerdict
from tidegate.audit.answers.requirements import PRESETS, Requirement, RequirementCheck
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.questions import Question
from tidegate.audit.questions.signature import Signature, Subject, Variant
from tidegate.audit.questions.situations import Cell
from tidegate.audit.repairs import repair
from tidegate.reports.audit.table import LEGEND, PROVED, align_columns, legend_text, other_question_lines, proved_lines
from tidegate.reports.audit.terminal import (
    audit_page,
    deciding_inputs,
    difference_page,
    subject_mark,
    topic_page,
    unmet_lines,
)
from tidegate.reports.text_page import TextFormat

from ...audit.answers.test_verdicts import signature

TOPIC = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)


def document(producer: str) -> dict[str, Any]:
    texts = [("t.txt", TOPIC, True), ("producer.properties", producer, True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    return audit(*read_cluster_texts(texts, options, "x"), AuditRequest(seconds=0.0)).document


def test_where_there_is_no_repair_the_page_says_why() -> None:
    found = document("acks=ALL\n")
    (subject,) = found["subjects"]
    assert subject["failed"] and subject["repair"] is None
    assert subject["no_repair"].startswith("no repair is looked for: it takes a change of what is said above")
    assert "no repair is looked for" in audit_page(found, TextFormat()).text()


def test_what_is_not_met_is_said_of_each_fault() -> None:
    (subject,) = document("acks=ALL\n")["subjects"]
    said = " ".join(unmet_lines(subject))
    assert said.startswith("not decided: whether acknowledged records are lost when the leader is moved while only ")
    for when in ("; when a process dies while only one replica is in sync", "; when a disk is lost while only "):
        assert when in said
    assert "no-loss" not in said and "@" not in said


def test_a_topic_alone_is_shown_in_full() -> None:
    text = topic_page(document("acks=1\n"), "orders", TextFormat()).text()
    assert "? orders (producer producer.properties): nothing was decided" in text
    assert "  It rests on:" in text
    assert "  a process dies " not in text, "a table in which nothing is decided says nothing"


def test_a_legend_has_the_words_of_its_table() -> None:
    few = legend_text({"keeps", "offline"})
    assert "LOSES" not in few and "hidden" not in few and "writes and reads stop while it lasts" in few
    words = ("keeps", "LOSES", "UNREADS", "go on", "stop", "offline", "hidden", "?", "-")
    assert all(f"{word}: " in LEGEND for word in words)


def test_what_to_give_is_named_once() -> None:
    """Two facts that one option decides: the version, and a default that changed with it."""
    given = {
        "version": "--kafka-version, and kafka-features.sh describe",
        "unclean": "--kafka-version",
        "acks": "--acks",
    }
    check = {"result": "depends", "on": ["version", "unclean"]}
    decided = {"result": "met", "on": ["acks"]}
    subject = {"checks": [check, decided], "not_given": given, "depends": []}
    assert deciding_inputs([subject, subject]) == [given["version"]]


def test_what_to_give_decides_the_headings_too() -> None:
    """A heading may depend on what no requirement depends on: a rack that is lost."""
    given = {"acks": "--acks", "broker.rack": "broker.rack of every broker"}
    check = {"result": "depends", "on": ["acks"]}
    subject = {"checks": [check], "not_given": given, "depends": ["broker.rack", "acks"]}
    assert deciding_inputs([subject]) == [given["acks"], given["broker.rack"]]


def test_what_is_not_required_is_said_to_be_so() -> None:
    cell: dict[str, Any] = {"word": "can lose", "on": [], "race": ""}
    subject: dict[str, Any] = {
        "checks": [{"question": "in-order"}],
        "table": {"groups": {"a": cell, "b": cell}, "in-order": {"a": cell}},
    }
    questions = [{"name": "groups", "title": "groups stuck"}, {"name": "in-order", "title": "reordering"}]
    said = list(other_question_lines(subject, {"questions": questions}))
    assert said == ["groups stuck (not required): in every cell", "reordering: in every cell"]


Answers = Callable[[Signature, Question], str]


def no_repair(monkeypatch: pytest.MonkeyPatch, one: Signature, word: Answers) -> str:
    """Why a subject of one signature has no repair, if the model answered so."""

    def answer_bad(of: Signature, question: Question, cell: Cell, explorations: Explorations) -> Answer:
        said = word(of, question)
        return Answer("can lose" if said == "can lose" else "not checked" if said == "open" else "no loss found")

    monkeypatch.setattr(repair, "answer_of_log_and_client", answer_bad)
    subject = Subject((Topic("t", Origin("x")),), None, (Variant((), one),), ())
    failed = Answer("can lose")
    checks = [RequirementCheck(Requirement("writable", "crash@all"), "failed", failed)]
    return repair.why_no_repair(SubjectVerdict(subject, (), {}), checks, Explorations(None, workers=1))


def test_no_repair_names_what_still_happens_and_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = signature(replicas=1, min_isr=1, voters=1, shared_voters=1)
    says = no_repair(monkeypatch, alone, lambda of, question: "can lose")
    assert "with up to 4 of these, or all, writes can stop (writable=crash@all): min.insync.replicas=2" in says
    assert ", 3 voters on hosts without brokers" in says
    three = no_repair(monkeypatch, signature(replicas=1, min_isr=1, voters=3), lambda of, question: "can lose")
    assert "writable=crash@all" in three and "voters" not in three
    open_ = no_repair(monkeypatch, alone, lambda of, question: "open")
    assert "it is not decided whether writes can stop (writable=crash@all)" in open_


def test_help_says_what_is_required_of_kafkas_own_topics() -> None:
    assert "of Kafka's own topics only" in PRESETS["standard"].says


def test_cells_of_a_table_never_touch() -> None:
    """A title stands above the two answers of its state, and every cell below its answer's heading."""
    titles = ["all in sync", "at min.isr, whatever it is (2)", "one"]
    row = ("a process dies", "UNREADS", "offline", "LOSES", "hidden", "keeps", "go on")
    head, answers, line = align_columns(titles, [row])
    assert answers.split() == ["records", "writes"] * 3
    assert re.split(r" {2,}", line) == list(row)
    for at, title in enumerate(titles):
        assert head.index(title) == [found.start() for found in re.finditer("records", answers)][at]
    assert [line.index(cell) for cell in row[1::2]] == [found.start() for found in re.finditer("records", answers)]
    narrow = align_columns(
        ["all in sync", "at min.isr (2)", "one in sync"], [("a process dies, then another one", *row[1:])]
    )
    assert max(map(len, narrow)) <= 100


def test_what_was_not_asked_is_no_tick() -> None:
    """Where nothing of the table is decided, nothing was found in it; where a cell is open, it may lose a record."""

    def subject(*words: str, result: str = "met") -> dict[str, Any]:
        cells = {str(at): {"word": word} for at, word in enumerate(words)}
        table = {"no-loss": cells, "no-unread": cells}
        return {"failed": [], "checks": [{"result": result}], "loss": None, "table": table}

    assert subject_mark(subject("no loss found", "no loss found")) == "✓"
    assert (
        subject_mark(subject("no loss found", "not checked"))
        == subject_mark(subject("no loss found", "depends"))
        == "•"
    )
    assert subject_mark(subject("not checked", "not checked")) == "?"
    assert subject_mark({**subject("not checked"), "checks": []}) == "?"
    assert subject_mark(subject("no loss found", result="depends")) == "?"


def test_a_rare_race_is_called_so_with_the_releases_that_have_it() -> None:
    why = ": a new producer's first batch is refused for now (KAFKA-15591; 4.5 mends it)"
    race: dict[str, Any] = {"word": "can lose", "on": [], "why": why, "race": "KAFKA-15591"}
    subject: dict[str, Any] = {"checks": [], "table": {"no-duplicates": {"a": race, "b": race}}}
    questions = [{"name": "no-duplicates", "title": "duplicates"}]
    assert list(other_question_lines(subject, {"questions": questions})) == [
        "duplicates (not required): a rare race, in every cell: a new producer's first batch is refused for now "
        "(KAFKA-15591; 4.5 mends it)"
    ]


def test_a_difference_is_said_whole_where_there_is_room_and_its_end_is_cut_else() -> None:
    long = "worse: orders: an acknowledged record is lost when a host loses power, with the ISR at min.insync.replicas"
    found = {"headlines": ["✗ one", "✓ two"], "says": [long, "better: sessions: writes go on"]}
    lines = difference_page(found, TextFormat(width=60)).text().splitlines()
    assert lines[:2] == ["before: ✗ one", "now: ✓ two"]
    assert " ".join(line.strip() for line in lines[2:4]) == long and lines[4] == "better: sessions: writes go on"
    many = {**found, "says": [long] * 28}
    lines = difference_page(many, TextFormat(width=60)).text().splitlines()
    assert len(lines) == 30 and lines[-1].endswith("…")


def test_all_names_what_was_skipped_with_the_reason_of_each() -> None:
    unread = [
        {"path": "c/README.md", "reason": "it is prose", "may_be_configuration": False},
        {"path": "c/x.bin", "reason": "it is no text", "may_be_configuration": True},
    ]
    said = audit_page({**document("acks=ALL\n"), "unread": unread}, TextFormat()).text()
    assert "2 skipped files, which no answer rests on\n  c/README.md: it is prose\n  c/x.bin: it is no text\n" in said


def test_cells_that_are_proved_are_told_from_those_within_bounds() -> None:
    proved, explored = (
        {"word": "no loss found", "proved": is_proved, "why": f"{PROVED}: this is what it says; 3 states"}
        for is_proved in (True, False)
    )
    subject = {
        "table": {
            "no-loss": {"crash@all": proved, "power-loss@all": explored},
            "no-unread": {"crash@all": proved, "power-loss@all": proved},
        }
    }
    (line,) = proved_lines(subject)
    assert line == f"keeps is {PROVED} (crash@all); elsewhere within bounds"
    assert [*proved_lines({"table": {question: {"crash@all": explored} for question in subject["table"]}})] == []
