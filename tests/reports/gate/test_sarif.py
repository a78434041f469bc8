"""What the gate writes: valid against the schemas of its formats, and the same text for the same record.

TIDEGATE_UPDATE=1 records the texts in tests/fixtures/gate."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema
from tidegate.reports.gate.sarif import finding_fingerprint, relative_uri
from tidegate.traces.document import SCHEMA as TRACE

from ...conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "gate"
SCHEMAS = ROOT / "tests" / "fixtures" / "schemas"
FILES = ("junit.xml", "results.sarif", "summary.md")


@pytest.fixture(scope="module")
def gate_output(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The directory that one run of the gate wrote, over a check of each kind."""
    folder = tmp_path_factory.mktemp("gate")
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8", "CI": ""}
    command = [sys.executable, "-m", "tidegate", "gate", "tests/fixtures/gate/gate.toml", "--out", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 6, done.stdout + done.stderr
    return folder


def sarif(out: Path) -> Any:
    return json.loads((out / "results.sarif").read_text(encoding="utf-8"))


def results(out: Path) -> list[Any]:
    return sarif(out)["runs"][0]["results"]


# --- schemas ----------------------------------------------------------------------------------------------------------


def test_the_sarif_is_valid(gate_output: Path) -> None:
    schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    validator: Any = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    validator.validate(sarif(gate_output))


def test_the_junit_is_valid(gate_output: Path) -> None:
    schema: Any = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))
    schema.validate(str(gate_output / "junit.xml"))


def test_the_junit_has_what_ants_schema_wants_too(gate_output: Path) -> None:
    """That schema is not ours to ship; these are its demands."""
    root = ElementTree.parse(gate_output / "junit.xml").getroot()
    assert not root.attrib
    for number, suite in enumerate(root):
        wanted = ("package", "name", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time")
        assert all(suite.get(name) for name in wanted)
        assert suite.get("id") == str(number)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", ""))
        tags = [element.tag for element in suite]
        cases = [tag for tag in tags if tag == "testcase"]
        assert tags == ["properties", *cases, "system-out", "system-err"]
        for case in suite.iter("testcase"):
            assert [element.tag for element in case] in ([], ["failure"], ["error"], ["skipped"])
            assert all(element.get("type") for element in case if element.tag != "skipped")


# --- golden texts -----------------------------------------------------------------------------------------------------


def normalize_text(text: str) -> str:
    """The text with what differs from run to run and from machine to machine made one."""
    text = text.replace(f"{ROOT}/", "")
    text = re.sub(r'(time|timestamp)="[^"]*"', r'\1="?"', text)
    text = re.sub(r"\d[\d.]* (ms|s|min)\b", "? s", text)
    text = re.sub(r'"(startTimeUtc|semanticVersion)": "[^"]*"', r'"\1": "?"', text)
    return re.sub(r" at commit `[^`]*`", "", text)


@pytest.mark.parametrize("name", FILES)
def test_the_reports_say_the_same(name: str, gate_output: Path) -> None:
    found = normalize_text((gate_output / name).read_text(encoding="utf-8"))
    recorded = FIXTURES / name
    if os.environ.get("TIDEGATE_UPDATE"):
        recorded.write_text(found, encoding="utf-8")
    assert found == recorded.read_text(encoding="utf-8")


# --- what must be in them ---------------------------------------------------------------------------------------------


def test_a_finding_stands_at_the_last_steps_action_and_its_flow_has_every_step(gate_output: Path) -> None:
    found = next(
        result for result in results(gate_output) if result["level"] == "error" and result["ruleId"] == "one_inside"
    )
    text = (ROOT / "examples" / "lock.py").read_text(encoding="utf-8").splitlines()
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "examples/lock.py", "uriBaseId": "%SRCROOT%"}
    assert text[place["region"]["startLine"] - 1] == "    s.place[client] = Place.INSIDE"
    steps = found["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == [
        "1. A looks and finds the lock free.",
        "2. B looks and finds the lock free.",
        "3. A takes the lock and goes in.",
        "4. B takes the lock and goes in.",
    ]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines[0] == lines[1] != lines[2] == lines[3]
    replay = "tidegate replay examples/lock.py:careless --set clients=3 --property one_inside "
    replay += '--steps "look(A); look(B); take(A); take(B)"'
    assert found["properties"]["replay"] == replay
    assert found["attachments"][0]["artifactLocation"]["uri"].endswith("one_inside.html")


def test_what_is_recorded_is_a_suppressed_note(gate_output: Path) -> None:
    found = next(
        result for result in results(gate_output) if result["level"] == "note" and result["ruleId"] == "one_inside"
    )
    justification = "recorded in tests/fixtures/gate/gate.toml:19: this model must fail"
    assert found["suppressions"] == [{"kind": "external", "status": "accepted", "justification": justification}]


def test_a_count_that_differs_stands_at_its_entry(gate_output: Path) -> None:
    found = next(result for result in results(gate_output) if result["ruleId"] == "counts")
    place = found["locations"][0]["physicalLocation"]
    line = place["region"]["startLine"]
    assert place["artifactLocation"]["uri"] == "tests/fixtures/gate/gate.toml"
    text = (FIXTURES / "gate.toml").read_text(encoding="utf-8").splitlines()
    assert text[line - 1] == "[[check]]"
    assert text[line + 1] == "distinct_states = 4"
    assert found["message"]["text"] == "examples/lock.py:careful defaults: distinct_states: recorded 4, found 3"


def test_every_uri_is_relative(gate_output: Path) -> None:
    text = (gate_output / "results.sarif").read_text(encoding="utf-8")
    uris = re.findall(r'"uri": "([^"]*)"', text)
    assert uris
    assert not [uri for uri in uris if uri.startswith("/") or ":" in uri or "\\" in uri or " " in uri]


def test_a_fingerprint_is_of_the_claim_and_the_actions_not_of_their_text() -> None:
    def claim(action: str, sentence: str, name: str = "safe") -> Any:
        return {"name": name, "document": {"model": "m", "steps": [{"action": action, "sentence": sentence}]}}

    check = {"name": "m defaults"}
    first = finding_fingerprint(check, claim("send", "A sends."))
    assert first == finding_fingerprint({"name": "m small"}, claim("send", "A sends a message."))
    assert first != finding_fingerprint(check, claim("take", "A sends."))
    assert first != finding_fingerprint(check, claim("send", "A sends.", "other"))


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("model/raft/protocol.py", "model/raft/protocol.py"),
        ("my model/ä.py", "my%20model/%C3%A4.py"),
        ("/opt/venv/lib/python3.12/site-packages/tidegate/model/raft.py", "tidegate/model/raft.py"),
        ("/elsewhere/of/mine.py", "mine.py"),
        (str(Path.cwd() / "here.py"), "here.py"),
    ],
)
def test_no_uri_tells_where_a_machine_keeps_things(file: str, uri: str) -> None:
    assert relative_uri(file) == uri


def test_every_counterexample_has_its_trace_and_its_page(gate_output: Path) -> None:
    report = json.loads((gate_output / "report.json").read_text(encoding="utf-8"))
    claims = [claim for check in report["checks"] for claim in check["claims"] if claim["html"]]
    assert len(claims) == 5
    for claim in claims:
        trace = json.loads((gate_output / claim["trace"]).read_text(encoding="utf-8"))
        assert trace["schema"] == TRACE
        assert trace["replay"] == claim["replay"]
        assert (gate_output / claim["html"]).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [claim["document"] for check in report["checks"] for claim in check["claims"]].count(None) > 5
    assert len({claim["html"] for claim in claims}) == 5


def test_a_failure_tells_the_whole_story(gate_output: Path) -> None:
    root = ElementTree.parse(gate_output / "junit.xml").getroot()
    reported = next(element for element in root.iter("failure") if "one_inside" in (element.get("message") or ""))
    assert reported.get("message") == "one_inside: recorded holds, found violated after 4 steps"
    text = reported.text or ""
    for part in ("B takes the lock and goes in.", "tidegate replay examples/lock.py:careless --set clients=3", ".html"):
        assert part in text
    skipped = next(root.iter("skipped"))
    assert skipped.get("message") == "tier nightly"
