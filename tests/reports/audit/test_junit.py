"""JUnit and SARIF of an audit stand at the lines that decide, and say with the exit and the JSON what there is to mend.

Also of: `sarif`, `unmet`.
"""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tidegate.audit.answers.baseline import AcceptedFinding
from tidegate.audit.answers.requirements import PRESETS, parse_requirement
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.situations import BY_NAME
from tidegate.audit.report.operator_words import happens_when
from tidegate.reports.audit.junit import audit_junit
from tidegate.reports.audit.sarif import audit_sarif
from tidegate.reports.audit.terminal import audit_verdict_line
from tidegate.reports.audit.unmet import unmet_text

from ...audit.report.test_summary import audit_topics, topic_text
from ...conftest import ROOT

SCHEMAS = ROOT / "tests" / "fixtures" / "schemas"
SETTINGS = (
    "acks", "min.insync.replicas", "replication factor", "unclean.leader.election.enable", "enable.idempotence",
)  # fmt: skip
TODAY = datetime.date(2026, 1, 1)


def junit_root(document: dict[str, Any]) -> ElementTree.Element:
    return ElementTree.fromstring(audit_junit(document).partition("\n")[2])


def sarif_results(document: dict[str, Any]) -> list[dict[str, Any]]:
    return audit_sarif(document)["runs"][0]["results"]


def check_that_faces_agree(document: dict[str, Any]) -> None:
    """The exit, the JSON, the headline, JUnit and SARIF: all of them pass, or none does."""
    root, results = junit_root(document), sarif_results(document)
    failing = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert sum(int(suite.get("failures", "")) for suite in root) == len(failing)
    errors = [result for result in results if result["level"] == "error"]
    unmet = [
        check
        for subject in document["subjects"]
        for check in subject["checks"]
        if check["result"] not in ("met", "accepted")
    ]
    passes = document["exit"] == 0
    assert passes is (not failing) is (not errors), (document["exit"], len(failing), len(errors))
    assert audit_verdict_line(document).startswith("✓ ") is passes
    assert not (passes and unmet)
    assert audit_sarif(document)["runs"][0]["invocations"][0]["exitCode"] == document["exit"]
    assert all(result["kind"] == "fail" for result in results)  # what is open has no level by the standard
    stand = {(case.get("file"), case.get("line")) for case in failing}
    for result in errors:
        place = result["locations"][0]["physicalLocation"]
        line = place.get("region", {}).get("startLine")
        if line is not None:
            assert (place["artifactLocation"]["uri"], str(line)) in stand


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[tuple[str, str, bool]], Options, list[str], bool]:
    """Files of a small cluster with this and that wrong or missing, what is stated of it, what is required, and whether
    what fails is accepted."""
    topics = draw(st.lists(st.tuples(st.sampled_from(["orders", "logs", "__consumer_offsets"]), st.integers(1, 2)),
                           max_size=3, unique_by=lambda topic: topic[0]))  # fmt: skip
    files = [("c/topics.txt", "".join(topic_text(name, least, 1) for name, least in topics), True)] if topics else []
    acks = draw(st.sampled_from(["", "0", "1", "all"]))
    if draw(st.booleans()):
        files.append(
            ("c/p.properties", f"bootstrap.servers=b:1\nkey.serializer=x\n{f'acks={acks}' if acks else ''}\n", True)
        )
    if draw(st.booleans()):
        least = draw(st.sampled_from(["0", "1"]))
        files.append(("c/server.properties", f"node.id=1\nlog.dirs=/d\nmin.insync.replicas={least}\n", True))
    if draw(st.booleans()):
        stated = draw(st.sampled_from(['require = "dev"', 'require = "strict"', "requires = 1", ""]))
        files.append(("c/audit.toml", f'[topic.".*"]\n{stated}\n', True))
    version = draw(st.sampled_from([None, "3.9.0", "9.9.9"]))
    required = draw(st.sampled_from(["standard", "dev", "no-duplicates=crash@all", "no-loss=leader-move@all"]))
    return files, Options(kafka_version=version, distribution="apache"), [required], draw(st.booleans())


@settings(max_examples=10, deadline=None)
@given(clusters())
def test_exit_junit_sarif_and_json_never_contradict_each_other(cache: Path, made: Any) -> None:
    files, options, required, accepts = made
    assume(files)
    asked = tuple(requirement for text in required for requirement in parse_requirement(text))
    request = AuditRequest(requirements=asked, folder=cache, seconds=60.0, workers=1, repairs=False, today=TODAY)
    cluster, findings = read_cluster_texts(files, options, "x")
    document = audit(cluster, findings, request).document
    check_that_faces_agree(document)
    entries = [
        AcceptedFinding(re.escape(name), (check["require"],), SETTINGS, "known", TODAY)
        for subject in document["subjects"]
        for name in subject["topics"]
        for check in subject["checks"]
        if check["result"] != "met"
    ]
    if accepts:
        done = audit(cluster, findings, AuditRequest(
            requirements=asked, folder=cache, seconds=60.0, workers=1, repairs=False, today=TODAY,
            accepted_findings=tuple(entries),
        ))  # fmt: skip
        check_that_faces_agree(done.document)


def test_where_nothing_is_required_of_what_was_read_nothing_passes() -> None:
    texts = [("topics.txt", topic_text("__consumer_offsets", 1, 1), True)]
    cluster, findings = read_cluster_texts(texts, Options(kafka_version="3.9.0", distribution="apache"), "x")
    asked = tuple(parse_requirement("no-duplicates=crash@all"))
    document = audit(cluster, findings, AuditRequest(requirements=asked, seconds=0.0)).document
    assert document["exit"] == 5
    says = "nothing was checked: what is required is about none of the topics that were read; require what is"
    assert audit_verdict_line(document) == f"? {says}"
    (result,) = [result for result in sarif_results(document) if result["level"] == "error"]
    assert (result["ruleId"], result["message"]["text"]) == ("nothing-checked", says)
    check_that_faces_agree(document)


@pytest.fixture(scope="module")
def two_faults() -> dict[str, Any]:
    """Topics of one replica: one with too much asked of it, and a producer that waits for nobody."""
    return audit_topics(topic_text("orders", 1, 1) + topic_text("payments", 2, 1), "client.id=a\nacks=1\n")


def test_each_case_has_the_file_and_line_of_what_decides_it(two_faults: dict[str, Any]) -> None:
    cases = {case.get("name", ""): case for case in junit_root(two_faults).iter("testcase")}
    stops = next(case for name, case in cases.items() if name.startswith("writable=crash@all [") and "orders" in name)
    assert (stops.get("file"), stops.get("line")) == ("cluster/topics.txt", "1")
    failure = stops.find("failure")
    assert failure is not None
    assert failure.get("message") == (
        "cluster/topics.txt:1: writes stop when a process dies, decided by replication factor=1"
    )
    assert all(case.get("file") and case.get("line") for case in cases.values())
    assert places_of_losses(two_faults) == {("cluster/topics.txt", "1"), ("cluster/topics.txt", "3")}


def places_of_losses(document: dict[str, Any]) -> set[tuple[str | None, str | None]]:
    """File and line of each case that asks for losses."""
    cases = junit_root(document).iter("testcase")
    return {(case.get("file"), case.get("line")) for case in cases if case.get("name", "").startswith("no-loss=")}


def test_of_three_replicas_what_a_producer_waits_for_decides() -> None:
    document = audit_topics(topic_text("orders", 2, 3), "client.id=a\nacks=1\n")
    assert places_of_losses(document) == {("cluster/producer.properties", "2")}


def test_both_are_valid(two_faults: dict[str, Any], tmp_path: Path) -> None:
    """By Jenkins's schema, which has neither a file nor a line of a case; those who know them read them there."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validate(audit_sarif(two_faults), schema)
    root = junit_root(two_faults)
    for case in root.iter("testcase"):
        del case.attrib["file"], case.attrib["line"]
    path = tmp_path / "junit.xml"
    ElementTree.ElementTree(root).write(path)
    schema_of_jenkins: Any = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))
    schema_of_jenkins.validate(str(path))


def test_what_a_running_cluster_has_is_in_no_file(two_faults: dict[str, Any]) -> None:
    """Its address is no artifact: the resource is named alone."""
    asked = "k1:9092,k2:9092"
    text = json.dumps(two_faults)
    for entry in two_faults["files"]:
        text = text.replace(json.dumps(entry["path"]), json.dumps(asked))
    document = json.loads(text)
    document["files"] = [{"path": asked, "format": "a running cluster"}]
    (run,) = audit_sarif(document)["runs"]
    places = [place for result in run["results"] for place in result["locations"]]
    assert places and all(place.keys() == {"logicalLocations"} for place in places)
    assert all(place["logicalLocations"][0]["fullyQualifiedName"].startswith(asked) for place in places)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(audit_sarif(document), json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text("utf-8")))


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ("failed", "writes stop, decided by acks=1"),
        ("accepted", "writes stop, decided by acks=1 (accepted)"),
        ("depends", "it is not known whether writes stop: it depends on acks; give --acks"),
        ("not checked", "it was not decided whether writes stop: no time"),
    ],
)
def test_what_is_not_met_is_said_in_words(result: str, says: str) -> None:
    check = {
        "result": result, "text": "writes stop", "on": ["acks"], "why": "no time", "deciding": [{"says": "acks=1"}],
        "note": "accepted" if result == "accepted" else "",
    }  # fmt: skip
    assert unmet_text(check, {"not_given": {"acks": "--acks"}}) == says


def test_every_preset_is_said_in_words() -> None:
    for preset in PRESETS.values():
        for one in preset.requirements:
            text = happens_when(one.question, BY_NAME[one.cell], 2, 3)
            assert " when " in text and "=" not in text and "@" not in text
