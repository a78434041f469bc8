"""Hints say with which lemmas to begin. They make proofs fast, and nothing else: no hint proves what is not so."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from tidegate.cli.main import main
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.hints import Hints
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.questions import ProofQuestions
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.proof import Proof
from tidegate.reports.exits import Exit

from ...conftest import ROOT
from ...support.shipped import tiered_rows

FOLLOWER = (ROOT / "tests" / "fixtures" / "models" / "follower.py").read_text(encoding="utf-8")
MORE = '''

@lemma
def low_has_a_sign(s: Pair) -> bool:
    """Needs no other."""
    return s.low >= 0


@lemma
def ahead_of_nothing(s: Pair) -> bool:
    """The first, in other words."""
    return s.low < s.high + 1
'''
TEXT = FOLLOWER.replace("or s.low < s.high", "or s.low != s.high") + MORE
LEMMAS = ("in_order", "low_has_a_sign", "ahead_of_nothing")
FALSE = '''

@lemma
def never_two(s: Pair) -> bool:
    """Not so."""
    return s.high != 2
'''


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a directory of its own, and a cache."""
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def write_model(text: str = TEXT) -> str:
    Path("mine.py").write_text(text, encoding="utf-8")
    return "mine.py"


def write_hints(**actions: dict[str, str]) -> Path:
    path = Path("mine.hints.json")
    path.write_text(json.dumps({"schema": "tidegate.hints/1", **actions}), encoding="utf-8")
    return path


def induction(path: str, asked: ProofRequest | None = None) -> Induction:
    definition = load(Path(path))
    return Induction(definition, definition.bind(path), asked or ProofRequest())


def proof_of(path: str) -> Proof:
    return induction(path).prove(lambda _: None)


def test_what_a_proof_needed_is_recorded_beside_its_lemmas(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model()
    assert main(["prove", path, "--record-hints"]) is Exit.HOLDS
    assert "recorded the lemmas that 9 proofs needed in " in capsys.readouterr().err
    held = json.loads(Path("mine.hints.json").read_text())
    assert held["schema"] == "tidegate.hints/1"
    assert held["follow"] == {
        "types": "",
        "in_order": "in_order",
        "low_has_a_sign": "",  # it is a type, that of both numbers
        "ahead_of_nothing": "ahead_of_nothing",  # the goal itself is tried before all lemmas
    }
    assert held["no action"] == {"not_ahead_by_two": "in_order"}
    assert main(["prove", path, "--no-cache"]) is Exit.HOLDS


def test_what_was_not_proved_now_keeps_its_hint() -> None:
    path = write_model()
    write_hints(follow={"in_order": "ahead_of_nothing"}, lead={"in_order": "in_order low_has_a_sign"})
    assert main(["prove", path, "--record-hints", "--lemma", "low_has_a_sign"]) is Exit.CONDITIONAL
    held = json.loads(Path("mine.hints.json").read_text())
    assert held["follow"]["in_order"] == "ahead_of_nothing"
    assert held["lead"]["in_order"] == "in_order low_has_a_sign"
    assert held["lead"]["low_has_a_sign"] == ""


@pytest.mark.parametrize("hint", ["", "low_has_a_sign", "ahead_of_nothing", "there is none of these"])
def test_a_wrong_hint_takes_nothing_away(hint: str) -> None:
    everywhere = {goal: hint for goal in ("types", *LEMMAS)}
    write_hints(lead=everywhere, follow=everywhere)
    proof = proof_of(write_model())
    assert (proof.word, proof.notes) == ("proved", ())


@pytest.mark.parametrize("hint", ["", "in_order", "never_two", "in_order never_two low_has_a_sign"])
def test_no_hint_proves_what_is_not_so(hint: str) -> None:
    write_hints(lead={"never_two": hint})
    proof = proof_of(write_model(TEXT + FALSE))
    assert proof.word == "refuted"
    assert {finding.obligation.goal for finding in proof.findings if finding.word == "refuted"} == {"never_two"}


def test_a_lemma_left_out_only_makes_a_proof_harder() -> None:
    """With any of the lemmas assumed, nothing is proved that all of them do not prove."""
    made = induction(write_model(TEXT + FALSE.replace("s.high != 2", "s.high != 2 or s.low > 0")))
    questions = ProofQuestions(made.model, made.symmetric, SolverEffort())
    names = [lemma.name for lemma in made.lemmas]
    subsets = [frozenset(some) for size in range(len(names)) for some in itertools.combinations(names, size)]
    proved = 0
    for obligation in made.obligations():
        from_all = questions.is_proved_from(obligation, None)
        from_some = [questions.is_proved_from(obligation, some) for some in subsets]
        assert from_all or not any(from_some), obligation
        proved += from_all
    assert 0 < proved < len(made.obligations())  # both happen


UNREADABLE = [
    (b"", 1, "this is not JSON: Expecting value"),
    (b'{\n\n"schema"', 3, "this is not JSON: Expecting ':' delimiter"),
    (b"[]", 1, 'it must be an object whose "schema" is "tidegate.hints/1"'),
    (b'{"schema": "tidegate.hints/9"}', 1, 'it must be an object whose "schema" is "tidegate.hints/1"'),
    (
        b'{"schema": "tidegate.hints/1",\n "lead":\n ["in_order"]}',
        2,
        "lead: an object is expected, its keys goals",
    ),
    (
        b'{"schema": "tidegate.hints/1",\n "lead": {\n  "in_order": 3}}',
        3,
        "lead, in_order: a text is expected, the names of lemmas",
    ),
    (b'{"schema": "tidegate.hints/1",\n "lead": {"in_order": {"a": 1}}}', 2, "this is nested too deeply"),
    (b"\n" + b"[" * 200_000, 2, "this is nested too deeply"),
    (b'{"a":\n' * 200_000, 3, "this is nested too deeply"),
    (b'{"schema": ' + b"9" * 10_000 + b"}", 1, "it holds a number, and hints have none"),
    (b'{"schema": "tidegate.hints/1",\n "le\xffad": {}}', 2, "this is not UTF-8 text"),
]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    tiered_rows(UNREADABLE, lambda row: b"hints/1" in row[0] or len(row[0]) < 3),
)
def test_hints_that_cannot_be_read_are_an_error_with_its_line(
    text: bytes, line: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.hints.json").write_bytes(text)
    assert main(["prove", write_model()]) is Exit.UNREADABLE
    said = capsys.readouterr().err
    assert f"mine.hints.json:{line}: {message}" in said and said.count("\n") == 1
    assert said.endswith("; correct it, remove it, or write it anew with --record-hints\n")
    assert main(["prove", write_model(), "--record-hints"]) is Exit.HOLDS
    assert "what it held is not kept" in " ".join(capsys.readouterr().out.split())
    assert main(["prove", write_model()]) is Exit.HOLDS


def test_hints_change_nothing_that_was_kept() -> None:
    path = write_model()
    assert main(["prove", path]) is Exit.HOLDS
    write_hints(lead={"in_order": ""})
    folder = Path("cache")
    proof = induction(path, ProofRequest(folder=folder)).prove(lambda _: None)
    assert all(finding.is_cached for finding in proof.findings)


def test_hints_that_cannot_be_written_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.hints.json").mkdir()
    assert main(["prove", write_model(), "--record-hints"]) is Exit.USAGE
    assert "the hints could not be recorded: " in capsys.readouterr().err
    assert main(["prove", write_model(), "--record-hints", "--candidates"]) is Exit.USAGE
    assert "leave out --candidates" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["replication:kip320", "raft:paper"])
def test_the_hints_that_ship_are_of_the_lemmas_that_ship(name: str) -> None:
    """Everything but what holds at first has one, and each names lemmas that there are."""
    definition, profile = find(name)
    made = Induction(definition, definition.bind(name, {}, profile), ProofRequest())
    assert made.hints.path is not None and made.hints.notes == []
    names = {lemma.name for lemma in made.lemmas}
    held = json.loads(made.hints.path.read_text(encoding="utf-8"))
    assert {word for goals in list(held.values())[1:] for said in goals.values() for word in said.split()} <= names
    lacking = [
        obligation
        for obligation in made.obligations()
        if obligation.kind != "initial" and made.hints.lemmas_for(obligation) is None
    ]
    stated = {lemma.name for lemma in made.lemmas} | {""}
    assert [obligation for obligation in lacking if obligation.goal in stated] == []


def test_a_model_without_lemmas_has_no_hints() -> None:
    assert Hints(()).path is None
