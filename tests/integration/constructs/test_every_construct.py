"""A model that uses every type and construct: native code and plain Python agree on what it means."""

from __future__ import annotations

import itertools

import pytest
from tidegate.explorer.native.effort import FULL_EFFORT, QUICK_EFFORT
from tidegate.language.binding import Definition, load

from ...conftest import ROOT
from ...support.engines import agree, agree_on, compile_model, reachable_states
from ...support.shipped import tier_parameters

EVERYTHING = ROOT / "tests" / "fixtures" / "models" / "every_construct.py"


@pytest.fixture(scope="module")
def everything() -> Definition:
    """The model that uses every type and construct."""
    return load(EVERYTHING)


BOUND = tuple(itertools.product((None, "fast", "off"), (True, False)))
"""Profiles, and whether ghosts are kept."""
ORDINARY = ((None, True), ("fast", False), ("off", True))


@pytest.mark.parametrize("how", tier_parameters(BOUND, lambda how: how in ORDINARY))
def test_every_construct_means_the_same_in_native_code_and_plain_python(
    how: tuple[str | None, bool], everything: Definition, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, ghosts = how
    model = everything.bind(profile=profile, ghosts=ghosts, constants={"nodes": 2, "room": 1, "top": 2})
    for effort in (QUICK_EFFORT, FULL_EFFORT):
        native = compile_model(model, effort=effort)
        agree_on(native, reachable_states(model, 40, seed=7))
        native.frontier.close()
    assert {action.name for action in model.actions if action.switched_off} == ({"push"} if profile == "off" else set())
    capsys.readouterr()  # the model prints, and its prints are seen in plain Python only


def test_empty_containers_go_with_others_in_both_engines() -> None:
    """The same text is read by the type checker, with the tests."""
    agree(load(EVERYTHING.with_name("empty_containers.py")).bind())
