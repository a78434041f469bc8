"""Collecting: everything that a module holds, in the order of its text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.collecting import Collector
from tidegate.language.errors import Diagnostics, ModelErrors
from tidegate.language.user_files import import_file

from ..conftest import ROOT


def test_what_a_file_holds_is_collected_in_the_order_of_its_text() -> None:
    module = import_file(ROOT / "examples" / "lock.py", Diagnostics())
    collected = Collector(module, (), Diagnostics()).collect()
    assert list(collected.constants) == ["clients", "compare_and_set"]
    assert dict(collected.profiles["careless"]) == {"compare_and_set": False}
    assert collected.state_class.__name__ == "Lock"
    assert [(function.__name__, mark.role) for function, mark in collected.functions] == [
        ("start", "initial"), ("look", "action"), ("take", "action"), ("leave", "action"),
        ("one_inside", "invariant"), ("somebody_inside", "reachable"),
    ]  # fmt: skip
    assert [domain.__name__ for domain in collected.domains] == ["Client"]


def test_a_module_without_a_state_is_no_model(tmp_path: Path) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text("x = 1\n", encoding="utf-8")
    module = import_file(empty, Diagnostics())
    with pytest.raises(ModelErrors):
        Collector(module, (), Diagnostics()).collect()
