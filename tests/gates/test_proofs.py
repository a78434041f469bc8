"""Proofs in a gate file: what is recorded of them, compared with what a proof says, and every report of it.

Also of: `checks`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tidegate.cli.main import main
from tidegate.explorer.commands import CommandResult
from tidegate.gates.checks import proof_result
from tidegate.gates.proofs import prove_arguments
from tidegate.gates.records import read_record_file
from tidegate.language.errors import UsageError
from tidegate.reports.exits import Exit

from ..conftest import ROOT

FOLLOWER = ROOT / "tests" / "fixtures" / "models" / "follower.py"
HEAD = 'schema = "tidegate.spec/1"\nmodel = "mine.py"\n\n'
PROVED = HEAD + '[[prove]]\nexpect = { not_ahead_by_two = "proved" }\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, and a cache of its own."""
    (tmp_path / "mine.py").write_text(FOLLOWER.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gate(text: str, *options: str) -> Exit:
    Path("gate.toml").write_text(text, encoding="utf-8")
    return Exit(main(["gate", "gate.toml", *options]))


def test_a_proof_that_is_as_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(PROVED, "--out", "out") is Exit.HOLDS
    assert "ok  mine.py, proved" in capsys.readouterr().out
    (check,) = json.loads(Path("out/report.json").read_text(encoding="utf-8"))["checks"]
    assert (check["kind"], check["expected"]["verdict"]) == ("proof", "proved")
    reported = [(claim["name"], claim["verdict"], claim["result"]) for claim in check["claims"]]
    assert reported == [("not_ahead_by_two", "proved", "ok"), ("outcome", "proved", "ok")]
    cases = ElementTree.parse("out/junit.xml").getroot().iter("testcase")
    assert [case.get("name") for case in cases] == [
        "not_ahead_by_two [mine.py, proved]",
        "outcome [mine.py, proved]",
    ]


def test_a_proof_that_is_refuted_differs_in_every_report(capsys: pytest.CaptureFixture[str]) -> None:
    text = PROVED.replace("[[prove]]", "[[prove]]\nset = { careful = false }")
    assert gate(text, "--out", "out") is Exit.UNEXPECTED
    said = " ".join(capsys.readouterr().out.split())
    assert "differs mine.py careful=false, proved" in said
    assert "verdict: recorded proved, found refuted: step follow in_order refuted" in said
    failed = [
        element
        for element in ElementTree.parse("out/junit.xml").getroot().iter("testcase")
        if element.find("failure") is not None
    ]
    assert [(element.get("name") or "").partition(" ")[0] for element in failed] == ["not_ahead_by_two", "outcome"]
    assert "found refuted" in Path("out/summary.md").read_text(encoding="utf-8")
    assert json.loads(Path("out/results.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]


def test_what_is_recorded_as_refuted_is_no_difference() -> None:
    recorded = '[[prove]]\nset = { careful = false }\nverdict = "refuted"\n'
    assert gate(HEAD + recorded) is Exit.HOLDS
    assert gate(HEAD + '[[prove]]\nverdict = "refuted"\n') is Exit.UNEXPECTED


def test_a_property_that_there_is_not_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(PROVED.replace("not_ahead_by_two", "not_ahead")) is Exit.UNEXPECTED
    assert "not_ahead: the model has no such property" in capsys.readouterr().out


def test_a_proof_that_ends_early_is_inconclusive() -> None:
    Path("gate.toml").write_text(PROVED, encoding="utf-8")
    (entry,) = read_record_file(Path("gate.toml")).proofs
    assert prove_arguments(entry, 3.0) == ["prove", "mine.py", "--time", "3.0", "--workers", "1", "--json"]
    report: dict[str, object] = {
        "schema": "tidegate.proof/2", "verdict": "not proved", "properties": [], "unstated": [], "left_out": [],
        "known_false": [], "obligations": [], "vacuous": [], "stopped": "the time was up after 3 s",
    }  # fmt: skip
    result = proof_result(entry, CommandResult(5, json.dumps(report), "", 3.0))
    assert (result.result, result.exit) == ("inconclusive", Exit.INCONCLUSIVE)
    assert "the time was up after 3 s" in result.differences[0].text
    broken = proof_result(entry, CommandResult(65, "", "mine.py:3: no", 3.0))
    assert (broken.result, broken.exit) == ("cannot run", Exit.MODEL_TEXT)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('verdict = "true"', "prove 1, verdict: 'true' is not one of proved, conditional"),
        ('expect = { a = "holds" }', "prove 1, a: 'holds' is not one of proved"),
        ("engine = 'walk'", "prove 1: nothing is called 'engine' here"),
        ('bounds = "small"', "prove 1: no [bounds.small] in this file"),
    ],
)
def test_a_mistake_in_a_proof_is_named_with_its_place(table: str, says: str) -> None:
    Path("gate.toml").write_text(f"{HEAD}[[prove]]\n{table}\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_record_file(Path("gate.toml"))
    assert says in str(caught.value)


def test_an_entry_asks_for_what_it_expects_alone_and_every_lemma() -> None:
    text = PROVED.replace("[[prove]]", "[[prove]]\nonly = true")
    assert gate(text, "--out", "out") is Exit.HOLDS
    (entry,) = read_record_file(Path("gate.toml")).proofs
    asked = prove_arguments(entry, None)
    assert asked[2:6] == ["--lemma", "all", "--property", "not_ahead_by_two"]
    assert prove_arguments(replace(entry, only=False), None)[2:] == ["--workers", "1", "--json"]
