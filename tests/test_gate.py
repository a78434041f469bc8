"""The gate: what is recorded comes out, what is recorded wrongly is found, every way to end has its exit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tidegate.cli.exits import Exit
from tidegate.cli.gate import judged
from tidegate.cli.recorded import read, shipped

from .conftest import ROOT, Run

LOCK = f"""
schema = "tidegate.spec/1"
model = "{ROOT / "examples" / "lock.py"}"
[bounds.three]
says = "Three clients."
clients = 3
[[check]]
profile = "careful"
bounds = "three"
symmetry = true
distinct_states = 2
transitions = 4
depth = 2
[check.expect]
one_inside = "holds"
somebody_inside = "reached"
[[check]]
profile = "careless"
tier = "nightly"
[check.expect]
one_inside = {{ violated = 4 }}
"""


@pytest.fixture
def gate_file(tmp_path: Path) -> Path:
    path = tmp_path / "gates" / "lock.toml"
    path.parent.mkdir()
    path.write_text(LOCK)
    return path


def test_a_users_gate_file_passes_as_recorded(tidegate: Run, gate_file: Path) -> None:
    done = tidegate("gate", str(gate_file.parent), "--tier", "nightly")
    assert done.exit == 0, done.out
    assert "2 ok of 2 checks" in done.out
    assert "not run" not in done.out


def test_constants_may_be_left_open(tidegate: Run, gate_file: Path) -> None:
    text = gate_file.read_text()
    gate_file.write_text(text.replace("[bounds.three]", 'open = ["compare_and_set"]\n[bounds.three]'))
    assert tidegate("gate", str(gate_file)).exit == 0
    gate_file.write_text(text.replace("[bounds.three]", 'open = ["compare_or_set"]\n[bounds.three]'))
    done = tidegate("gate", str(gate_file))
    assert done.exit == 64
    assert "no constant compare_or_set to leave open; did you mean compare_and_set?" in " ".join(done.out.split())
    gate_file.write_text(text.replace("[bounds.three]", "open = [3]\n[bounds.three]"))
    assert "open: 3 is no name of a constant" in tidegate("gate", str(gate_file)).err


def test_it_says_what_was_not_run(tidegate: Run, gate_file: Path) -> None:
    done = tidegate("gate", str(gate_file))
    assert done.exit == 0
    assert "1 ok of 1 check\nnot run: 1 recorded check, left out by --tier or --only" in done.out
    assert tidegate("gate", str(gate_file), "--only", "nothing").exit == 64


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("distinct_states = 2", "distinct_states = 3", "distinct_states: recorded 3, found 2"),
        ("depth = 2", "depth = 9", "depth: recorded 9, found 2"),
        ("transitions = 4", "transitions = 3", "transitions: recorded 3, found 4"),
        ("violated = 4", "violated = 3", "one_inside: recorded a counterexample of 3 steps, found one of 4"),
        ("{ violated = 4 }", '"holds"', "one_inside: recorded holds, found violated after 4 steps"),
        ('"reached"', '"missing"', "somebody_inside: recorded missing, found reached"),
        ("symmetry = true", "symmetry = false", "distinct_states: recorded 2, found 4"),
    ],
)
def test_a_difference_exits_6_and_says_which(tidegate: Run, gate_file: Path, old: str, new: str, told: str) -> None:
    gate_file.write_text(LOCK.replace(old, new, 1))
    done = tidegate("gate", str(gate_file), "--tier", "nightly")
    assert done.exit == 6
    assert told in done.out


def test_an_unrecorded_violation_is_told_with_its_trace(tidegate: Run, gate_file: Path, tmp_path: Path) -> None:
    gate_file.write_text(LOCK.replace("{ violated = 4 }", '"holds"', 1))
    done = tidegate("gate", str(gate_file), "--tier", "nightly", "--junit", str(tmp_path / "report.xml"))
    assert '--steps "look(A); look(B); take(A); take(B)"' in done.out
    failure = ElementTree.parse(tmp_path / "report.xml").getroot().find(".//failure")
    assert failure is not None
    assert "B takes the lock and goes in." in (failure.text or "")


def test_out_of_time_is_never_green(tidegate: Run, tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    path.write_text(
        'schema = "tidegate.spec/1"\nmodel = "replication"\n[[check]]\nset = { max_leader_epoch = 9 }\n'
        '[check.expect]\nweak_isr = "holds"\n'
    )
    done = tidegate("gate", str(path), "--time", "0.2", "--out", str(tmp_path))
    assert done.exit == 5
    assert "inconclusive" in done.out
    cases = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (cases.get("tests"), cases.get("failures")) == ("1", "1")
    assert json.loads((tmp_path / "gate.json").read_text())["exit"] == 5


def test_a_model_that_is_wrong_is_told_with_its_own_exit(tidegate: Run, gate_file: Path) -> None:
    wrong = gate_file.parent / "wrong.py"
    wrong.write_text("x = 1\n")
    gate_file.write_text(re.sub("model = .*", 'model = "wrong.py"', LOCK))
    done = tidegate("gate", str(gate_file))
    assert done.exit == 65
    assert "TG003" in done.out


def test_junit_has_a_case_per_property_and_one_for_the_counts(tidegate: Run, gate_file: Path, tmp_path: Path) -> None:
    gate_file.write_text(LOCK.replace("depth = 2", "depth = 9"))
    tidegate("gate", str(gate_file), "--junit", str(tmp_path / "report.xml"))
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    failed = {case.get("name", "").partition(" ")[0]: len(case) for case in suite}
    assert failed == {"one_inside": 0, "somebody_inside": 0, "counts": 1}


def test_the_shipped_record_of_async_isr_comes_out(tidegate: Run) -> None:
    done = tidegate("gate", "--only", "async_isr", "--json")
    report = json.loads(done.out)
    assert done.exit == 0
    assert {each["result"] for each in report["checks"]} == {"ok"}
    assert report["not_run"] > 50


def test_every_shipped_check_expects_something_and_has_a_name_of_its_own() -> None:
    checks = [check for path in shipped() for check in read(path).checks]
    assert len(checks) > 80
    assert all(check.properties or check.counts for check in checks)
    assert all(check.source for check in checks)


def test_a_vacuous_run_differs_unless_it_is_recorded_as_one(gate_file: Path) -> None:
    check = read(gate_file).checks[0]
    report = {
        "verdict": "holds", "outcome": "vacuous", "failure": None, "distinct_states": 2, "transitions": 4, "depth": 2,
        "actions": [{"name": "leave", "fired": 0, "switched_off": False}],
        "properties": [
            {"name": "one_inside", "verdict": "holds", "steps": None},
            {"name": "somebody_inside", "verdict": "reached", "steps": 1},
        ],
    }  # fmt: skip
    result = judged(check, report, 0.0)
    assert result.exit is Exit.UNEXPECTED
    assert result.differences == ("outcome: recorded none, found vacuous: leave never happens",)
