"""What a profile makes impossible: nobody is warned of it, and where it happens that is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors

from ..conftest import Run

TEXT = '''
"""A lamp that may break."""

from __future__ import annotations

from tidegate.language import action, constant, invariant, reachable, require, initial, state

solid = constant(False, says="it does not break")
profiles = {{"new": {{"solid": True}}, "old": {{"solid": False}}}}
impossible = {impossible}


@state
class Lamp:
    """A lamp."""

    on: bool  # whether it is on
    broken: bool  # whether it is broken


@initial
def start() -> Lamp:
    """It is off."""
    return Lamp(on=False, broken=False)


@action
def switch(s: Lamp) -> None:
    """Somebody switches it."""
    s.on = not s.on and not s.broken


@action
def shatter(s: Lamp) -> None:
    """It breaks."""
    require(s.on and not (solid and s.on))
    s.broken = True


@invariant
def is_known(s: Lamp) -> bool:
    """It is on or off."""
    return s.on or not s.on


@reachable
def is_dark_for_good(s: Lamp) -> bool:
    """It is broken."""
    return s.broken
'''
DECLARED = '{"new": ("shatter", "is_dark_for_good")}'


def model_path(folder: Path, impossible: str) -> str:
    """The file of the model that declares this impossible."""
    path = folder / "lamp.py"
    path.write_text(TEXT.format(impossible=impossible), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_nobody_is_warned_of_what_a_profile_makes_impossible(engine: str, tidegate: Run, tmp_path: Path) -> None:
    for impossible, warned in (("{}", True), (DECLARED, False)):
        done = tidegate("check", f"{model_path(tmp_path, impossible)}:new", "--engine", engine)
        said = " ".join(done.out.split())
        assert done.exit == 0
        assert ("! never happens: shatter, is_dark_for_good" in said) is warned
        assert ("impossible with this profile, as the model says: shatter, is_dark_for_good" in said) is not warned
        assert ("No reachable state is like this." in said) is warned


def test_what_is_said_to_be_impossible_and_happens_is_no_answer(tidegate: Run, tmp_path: Path) -> None:
    path = model_path(tmp_path, '{"old": ("shatter", "is_dark_for_good")}')
    done = tidegate("check", f"{path}:old")
    assert done.exit == 4
    text = "holds, but shatter, is_dark_for_good happens, which the model says this profile makes impossible"
    assert text in " ".join(done.out.split())
    report = json.loads(tidegate("check", f"{path}:old", "--json").out)
    assert (report["outcome"], report["never_happens"]) == ("vacuous", [])
    assert report["happens_though_impossible"] == report["impossible"] == ["shatter", "is_dark_for_good"]


def test_a_profile_that_is_set_otherwise_makes_nothing_impossible(tmp_path: Path) -> None:
    model = load(model_path(tmp_path, DECLARED))
    assert model.bind(profile="new").impossible == ("shatter", "is_dark_for_good")
    assert model.bind(profile="new", constants={"solid": False}).impossible == ()
    assert model.bind().impossible == ()


@pytest.mark.parametrize(
    ("impossible", "says"),
    [
        ('{"newer": ("shatter",)}', "there is no profile newer"),
        ('{"new": ("shater",)}', "shater, which is impossible with new, is no action and no @reachable"),
        ('{"new": ("is_known",)}', "is_known, which is impossible with new, is no action and no @reachable"),
        ('{"new": "shatter"}', "these are no outcomes by the name of a profile"),
        ("3", "these are no outcomes by the name of a profile"),
    ],
)
def test_what_is_no_outcome_or_no_profile_is_refused(impossible: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as raised:
        load(model_path(tmp_path, impossible))
    assert [(error.code, error.message) for error in raised.value.errors] == [("TG007", says)]
