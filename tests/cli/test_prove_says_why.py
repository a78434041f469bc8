"""What `prove` says of actions: why one never happens, which ones are off, and that one cannot be stated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.cli.main import main
from tidegate.reports.exits import Exit

TEXT = '''
from typing import Annotated

from tidegate.language import Range, action, constant, initial, lemma, limit, require, state

top = constant(2, minimum=1, maximum=9)
wide = constant(2, minimum=1, maximum=9)
zero = constant(1, minimum=0, maximum=3)
Number = Annotated[int, Range(0, top)]


@state
class World:
    """A number and a mark."""

    x: Number
    bad: bool


@initial
def start() -> World:
    """At first."""
    return World(x=0, bad=False)


@action
def grow(s: World) -> None:
    """It grows."""
    limit(s.x < top)
    s.x += 1


@action
def step(s: World) -> None:
    """It goes wrong."""
    require(s.x >= 5)
    require(GUARD)
    s.bad = True


@lemma
def ok(s: World) -> bool:
    """Nothing went wrong."""
    return not s.bad
'''


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a cache, and a working directory, of its own."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("TIDEGATE_CACHE", str(folder))
    monkeypatch.chdir(tmp_path)


def write_model(guard: str) -> str:
    Path("mine.py").write_text(TEXT.replace("GUARD", guard), encoding="utf-8")
    return "mine.py"


def said_of(path: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    """The exit of a proof, and its page in one line."""
    capsys.readouterr()
    exit_ = main(["prove", path, "--workers", "1", *options])
    return exit_, " ".join(capsys.readouterr().out.split())


def test_a_guard_that_types_and_constants_make_false_does_not_contradict_the_lemmas(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`x` is at most `top`, and `wide` is kept at 2: no lemma has a part in that."""
    path = write_model("top < wide")
    for _ in range(2):  # once more, from what was kept
        exit_, said = said_of(path, capsys)
        why = "step can never happen: its guard is false in every state that the types allow, with these constants"
        assert exit_ is Exit.VACUOUS and f"vacuous {why}" in said
        assert "contradicts the lemmas" not in said


def test_a_guard_that_a_lemma_makes_false_contradicts_the_lemmas(capsys: pytest.CaptureFixture[str]) -> None:
    exit_, said = said_of(write_model("s.bad"), capsys)
    assert exit_ is Exit.VACUOUS and "step can never happen: its guard contradicts the lemmas" in said


def test_an_action_that_a_constant_switches_off_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """As `check` names it: the proof says nothing of it."""
    path = write_model("zero == 0")
    exit_, said = said_of(path, capsys)
    assert exit_ is Exit.HOLDS and "with wide=2, zero=1 switched off by constants: step assumes" in said
    assert main(["prove", path, "--workers", "1", "--json"]) is Exit.HOLDS
    document = json.loads(capsys.readouterr().out)
    assert (document["switched_off"], document["spent"], document["never"]) == (["step"], [], [])
    assert "switched off by constants: step" in document["claim"]


def test_where_no_action_is_off_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model("s.x > 9 or s.bad")
    main(["prove", path, "--workers", "1", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["switched_off"] == [] and "switched off" not in " ".join(document["claim"])


def test_an_action_that_cannot_be_stated_ends_the_proof_before_anything_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A proof speaks of every step: with an action left out nothing is proved."""
    guard = "sum(1 for n in range(s.x)) == 3"
    path = write_model(guard)
    line = Path(path).read_text(encoding="utf-8").splitlines().index(f"    require({guard})") + 1
    assert main(["prove", path, "--workers", "1"]) is Exit.MODEL_TEXT
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(f"tidegate: mine.py:{line}: the action step cannot be stated without bounds, so nothing ")
    assert "is proved: `sum` goes over something that has no end here; " in error
