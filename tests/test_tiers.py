"""What is ordinary and what is long: sampling leaves no file and no shipped model without an ordinary test."""

from __future__ import annotations

from collections import defaultdict

import pytest
from tidegate.invariants.catalogue import CATALOGUE

from .conftest import COLLECTED, ROOT, file_of

TESTS = ROOT / "tests"
OTHERS = ("long", "nightly", "cluster", "matrix", "proof", "brokers")
"""The marks of tests that the ordinary tier leaves out."""
BY_HAND = {"audit/kafka/test_tables", "model/test_mutants", "real/driving/test_brokers"}
"""Files of which no test is ordinary: each of their tests begins with the proof of a whole model, starts brokers, or
reads jars."""


def is_ordinary(item: pytest.Item) -> bool:
    return not any(item.get_closest_marker(mark) for mark in OTHERS)


def test_every_file_has_an_ordinary_test(request: pytest.FixtureRequest) -> None:
    """But those whose every test starts real brokers."""
    files: defaultdict[str, bool] = defaultdict(bool)
    for item in request.config.stash[COLLECTED]:
        if not item.get_closest_marker("brokers"):
            files[file_of(item.path)] |= is_ordinary(item)
    without = {name for name, ordinary in files.items() if not ordinary}
    assert without <= BY_HAND, "mark one test of each kind as ordinary: decision 16"


def test_every_shipped_model_has_an_ordinary_test(request: pytest.FixtureRequest) -> None:
    """By the names of parametrized tests, where all files are collected; a part of them shows nothing."""
    collected = request.config.stash[COLLECTED]
    if {item.path for item in collected} != set(TESTS.rglob("test_*.py")):
        pytest.skip("only some of the files are collected")
    names = [item.name for item in collected if is_ordinary(item) and "[" in item.name]
    missing = {model for model in CATALOGUE if not any(model in name for name in names)}
    assert not missing, "give each a row that is ordinary: decision 16"
