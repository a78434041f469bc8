"""Collecting: everything that a module holds, in the order of its text, and files that are imported apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.collecting import Collector, abstract_modules, import_file, modules_of
from tidegate.language.errors import Diagnostics, ModelErrors, UsageError

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
    assert modules_of(module) == (module,) and abstract_modules(module) == ()


def test_the_abstract_model_is_the_one_that_is_refined() -> None:
    module = import_file(ROOT / "examples" / "two_phase.py", Diagnostics())
    (abstract,) = abstract_modules(module)
    assert str(abstract.__file__).endswith("tcommit.py")


def test_a_file_that_is_not_there_and_one_that_is_not_python(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        import_file(tmp_path / "none.py", Diagnostics())
    wrong = tmp_path / "wrong.py"
    wrong.write_text("x => 1\n", encoding="utf-8")
    with pytest.raises(ModelErrors) as caught:
        import_file(wrong, Diagnostics())
    assert [error.code for error in caught.value.errors] == ["TG001"]


def test_a_module_without_a_state_is_no_model(tmp_path: Path) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text("x = 1\n", encoding="utf-8")
    module = import_file(empty, Diagnostics())
    with pytest.raises(ModelErrors):
        Collector(module, (), Diagnostics()).collect()
