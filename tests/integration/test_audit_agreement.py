"""The headline, the marks, JSON, SARIF, JUnit, Markdown and the exit say the same, whatever came of the cells.

Clusters are put together of good, bad and broken files, and cells are answered at random with a seed, without the
model: what is tested is what the reports make of the answers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema
from tidegate.api.auditing import parse_requirements
from tidegate.audit.answers import verdicts
from tidegate.audit.answers.answer import Answer, Table, Word
from tidegate.audit.answers.requirements import PRESETS
from tidegate.audit.auditing import AuditOutcome, AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.questions import OF_TOPICS
from tidegate.audit.questions.situations import CELLS
from tidegate.audit.report import document
from tidegate.reports.audit.junit import audit_junit
from tidegate.reports.audit.markdown import audit_markdown
from tidegate.reports.audit.sarif import audit_sarif
from tidegate.reports.audit.terminal import audit_page, audit_verdict_line, subject_mark
from tidegate.reports.text_page import TextFormat

from ..conftest import ROOT

SCHEMA = ROOT / "tests" / "fixtures" / "schemas" / "junit-10.xsd"
BROKER = "process.roles=broker\nnode.id={id}\nlog.dirs=d\nmin.insync.replicas=2\ndefault.replication.factor=3\n{more}"
HEAD = "Topic: {name}\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas={least}\n"
PARTITION = "\tTopic: {name}\tPartition: 0\tLeader: {leader}\tReplicas: 1,2,3\tIsr: {isr}\n"
MIXES: tuple[tuple[Word, ...], ...] = (
    ("no loss found",),
    ("no loss found",),
    ("no loss found", "depends"),
    ("no loss found", "not checked"),
    ("no loss found", "can lose"),
    ("no loss found", "can lose", "depends", "not checked"),
)


def texts(rng: random.Random) -> Iterator[tuple[str, str, bool]]:
    """A cluster: good for the most part, and sometimes one thing of it broken."""
    broken = rng.choice(("", "", "", "value", "id", "isr", "leader", "cut", "missing"))
    for id_ in (1, 2, 3):
        more = "num.partitions=0\n" if broken == "value" and id_ == 2 else ""
        yield f"b{id_}.properties", BROKER.format(id=1 if broken == "id" and id_ == 2 else id_, more=more), True
    described = ""
    for name in ("orders", "payments", "clicks")[: rng.randint(1, 3)]:
        isr = rng.choice(("1,2,3", "1,2")) if broken != "isr" else "1"
        leader = "none" if broken == "leader" else "1"
        described += HEAD.format(name=name, least=rng.choice((1, 2))) + PARTITION.format(
            name=name, leader=leader, isr=isr
        )
    yield "t.txt", described.removesuffix("\tIsr: 1,2,3\n") if broken == "cut" else described, True
    yield "producer.properties", "acks=all\n", True
    if broken == "missing":
        yield "audit.toml", '[topic.refunds]\nproducer = "producer.properties"\n', True


def audit_random(seed: int, monkeypatch: pytest.MonkeyPatch) -> AuditOutcome:
    rng = random.Random(seed)
    words = rng.choice(MIXES)

    def answer_table(*_: object) -> Table:
        cells = ((question.name, cell.name) for question in OF_TOPICS for cell in CELLS)
        return {cell: Answer(rng.choice(words), "model", "as drawn", ("acks",)) for cell in cells}

    def nothing(*_: object) -> tuple[()]:
        return ()

    def report_lines(*_: object) -> list[str]:
        return ["A record is written.", "It is lost."]

    monkeypatch.setattr(verdicts, "explore_losses", nothing)
    monkeypatch.setattr(verdicts, "other_cases", nothing)
    monkeypatch.setattr(verdicts, "service_cases", nothing)
    monkeypatch.setattr(verdicts, "loss_cases", nothing)
    monkeypatch.setattr(verdicts, "answers_of_signature", answer_table)
    monkeypatch.setattr(document, "loss_scenario_sentences", report_lines)
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    preset = rng.choice([*PRESETS])
    asked = AuditRequest(requirements=parse_requirements([preset]), repairs=False)
    found = audit(*read_cluster_texts(texts(rng), options, "x"), asked)
    assert found.document["required"] == preset
    return found


def expected_exit(found: Mapping[str, Any]) -> int:
    """From the document alone, as an operator would read it."""
    results = [check["result"] for subject in found["subjects"] for check in subject["checks"]]
    if "failed" in results or any(outage["certain"] for outage in found["outages"]):
        return 1
    open_ = {"depends", "not checked"} & {*results} or not results
    return 5 if open_ or any(finding["kind"] == "incomplete" for finding in found["findings"]) else 0


@pytest.mark.parametrize("seed", range(40))
def test_every_report_says_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = audit_random(seed, monkeypatch)
    report = json.loads(json.dumps(found.document))
    assert found.exit == report["exit"] == expected_exit(report)
    sign = {0: "✓", 1: "✗", 5: "?"}[found.exit]
    headline = audit_verdict_line(report)
    assert headline[0] == sign and audit_markdown(report).startswith(f"# {sign}")
    assert audit_page(report, TextFormat()).text().startswith(sign)
    marks = {subject_mark(subject) for subject in report["subjects"]}
    assert not ({"✗", "?"} & marks and found.exit == 0)
    log = audit_sarif(report)["runs"][0]
    assert log["invocations"][0]["exitCode"] == found.exit
    assert {result["kind"] for result in log["results"]} <= {"fail"}
    red = any(result["level"] == "error" for result in log["results"])
    assert red is (found.exit != 0)
    root = ElementTree.fromstring(audit_junit(report))
    failures = [element for suite in root for case in suite for element in case if element.tag == "failure"]
    assert bool(failures) is (found.exit != 0)
    assert sum(int(suite.attrib["failures"]) for suite in root) == len(failures)


def test_it_meets_every_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {audit_random(seed, monkeypatch).exit for seed in range(40)} == {0, 1, 5}


def test_junit_is_what_jenkins_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    schema: Any = xmlschema.XMLSchema(str(SCHEMA))
    root = ElementTree.fromstring(audit_junit(audit_random(3, monkeypatch).document))
    for case in root.iter("testcase"):  # GitLab reads these two, and Jenkins passes them over
        case.attrib.pop("file", None)
        case.attrib.pop("line", None)
    schema.validate(root)
