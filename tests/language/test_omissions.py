"""What stands in a model's files and would be left out of it without a word."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import FunctionType, ModuleType
from typing import cast

import pytest
from tidegate.language.declare import mark_of
from tidegate.language.omissions import half_import_warnings, look_alikes, unfinished_decorators

TEXT = '''
from tidegate.language import action, invariant, leads_to, state, weak


@state
class World:
    """The state."""

    count: int


@action
def step(s: World) -> None:
    """A step."""
    helper(s)


def helper(s: World) -> bool:
    return s.count == 0


def forgotten(s: World) -> bool:
    return s.count == 1


def answer(s: World) -> int:
    return s.count


def _private(s: World) -> bool:
    return True


@leads_to
def half(s: World) -> bool:
    return True


@invariant
def whole(s: World) -> bool:
    """Holds."""
    return True
'''


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "omitted.py"
    path.write_text(TEXT.replace("@leads_to\n", "@weak\n"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("omitted", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_a_function_that_looks_like_a_property_and_is_called_nowhere(module: ModuleType) -> None:
    assert [node.name for _, node in look_alikes([module], "World")] == ["forgotten"]


def test_a_decorator_that_took_the_function_for_its_argument(module: ModuleType) -> None:
    assert [node.name for _, node in unfinished_decorators([module])] == ["half"]


def test_a_marked_function_that_the_model_does_not_have(module: ModuleType) -> None:
    step, whole = (cast(FunctionType, getattr(module, name)) for name in ("step", "whole"))
    assert mark_of(step) is not None
    assert list(half_import_warnings([module], [step, whole])) == []
    assert list(half_import_warnings([module], [step])) == [
        "whole (@invariant) of omitted.py is not in this model: import it by name too, if it belongs to it"
    ]
