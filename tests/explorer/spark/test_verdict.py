"""Failures and collisions as the native engine says them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search
from tidegate.explorer.spark import driver
from tidegate.language.model import Model

from ...support.engines import bind_text, text_of
from ...support.sharded import comparable_verdict
from ...support.shards import run_in_loop

COUNTER = """
@action
def rise(s: World) -> None:
    '''Rises.'''
    {rise}

@invariant
def small(s: World) -> bool:
    '''It stays small.'''
    return {small}

@transition
def slow(before: World, after: World) -> bool:
    '''It does not jump.'''
    return {slow}

@reachable
def nine(s: World) -> bool:
    '''It is nine.'''
    return s.count == 9
"""


FAILING = {
    "an invariant": {"small": "s.count < 12"},
    "a transition": {"slow": "after.count != 13"},
    "a deadlock": {"rise": "require(s.count < 11); s.count = s.count + 1"},
    "a step out of range": {"rise": "s.count = s.count + 1"},
    "a property that cannot be evaluated": {"small": "14 // (10 - s.count) < 99"},
}


@pytest.mark.parametrize("what", FAILING)
@pytest.mark.parametrize("keep_going", [False, pytest.param(True, marks=pytest.mark.long)])
def test_failures_are_those_of_the_native_engine(what: str, keep_going: bool, tmp_path: Path) -> None:
    parts = {"rise": "limit(s.count < 20); s.count = s.count + 1", "small": "s.count < 99", "slow": "True"}
    text = text_of("count: Annotated[int, Range(0, 20)]", "count=0", COUNTER.format(**{**parts, **FAILING[what]}))
    model, search = bind_text(tmp_path, text), Search(keep_going=keep_going)
    verdict = run_in_loop(model, tmp_path, search, shards=2)
    assert comparable_verdict(verdict) == comparable_verdict(native(model, search)) and verdict.verdict == "violated"


def test_too_many_expected_collisions_are_inconclusive(
    kip320: Model, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "COLLISIONS_MAX", 1e-20)
    verdict = run_in_loop(kip320, tmp_path, Search(cache=cache))
    assert verdict.verdict == "inconclusive" and "--fingerprint 128 makes fewer" in verdict.assurance
