"""What many tests share: shipped models, bound once in a process, and tables of which a sample is ordinary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.constants import Value
from tidegate.language.model import Model

from ..conftest import ROOT

mark = pytest.mark
T = TypeVar("T")
KEPT = 48
"""Bound models that a process keeps: binding one takes up to a second, and some ten MB."""


def bind_shipped(
    name: str, constants: Mapping[str, Value] | None = None, *, ghosts: bool = True, called: str | None = None
) -> Model:
    """A shipped model such as `kraft:kip595` with some constants. Nobody may change it: other tests have it, too."""
    return _bind_cached(name, tuple(sorted((constants or {}).items())), ghosts, called or name)


@lru_cache(KEPT)
def _bind_cached(name: str, constants: tuple[tuple[str, Value], ...], ghosts: bool, called: str) -> Model:
    definition, profile = find(name)
    return definition.bind(called, dict(constants), profile, ghosts=ghosts)


def one_less(sizes: Mapping[str, int], least: Mapping[str, int]) -> list[dict[str, int]]:
    """The bounds with one less of one constant, wherever there may be one less: down to what `least` has, or none."""
    return [{**sizes, name: size - 1} for name, size in sizes.items() if size > least.get(name, 0)]


def said_plainly(target: str, constants: Mapping[str, Value | str], name: str, *, symmetry: bool = False) -> str:
    """What plain Python says of a property of a shipped model with these constants: violated, holds."""
    definition, profile = find(target)
    model = definition.bind(target, constants, profile, properties=[name])
    found = ENGINES["python"](model, Search(symmetry=symmetry, deadlocks=False), None)
    (prop,) = (prop for prop in found.properties if prop.name == name)
    return prop.verdict


LONG_STRIDE = 6
"""Of the rows that are not ordinary the long tier has one of so many, and the nightly one the others."""


def tier_parameters(
    every: Iterable[T],
    ordinary: Callable[[T], bool],
    name: Callable[[T], str] = str,
    long: Callable[[T], bool] | None = None,
) -> list[Any]:
    """Parameters of a test: those that are `ordinary` as they are, of the others those that are `long` (None: each
    sixth) for the long tier, and the rest for the nightly one: decision 16."""
    rows = list(every)
    return [
        pytest.param(row, id=name(row), marks=marks)
        for row, marks in zip(rows, _tier_marks(rows, ordinary, long), strict=True)
    ]


def _tier_marks(
    rows: Sequence[T], ordinary: Callable[[T], bool], long: Callable[[T], bool] | None
) -> Iterator[list[pytest.MarkDecorator]]:
    """The marks of each row."""
    others = 0
    for row in rows:
        if ordinary(row):
            yield []
            continue
        yield [mark.long if (others % LONG_STRIDE == 0 if long is None else long(row)) else mark.nightly]
        others += 1


def gate_parameters(every: Iterable[T], ordinary: Callable[[T], bool], name: Callable[[T], str] = str) -> list[Any]:
    """As `tier_parameters`, of a test that makes recorded checks again: the gate, which `.ci/run` runs whole, makes
    those that are not `ordinary`."""
    return tier_parameters(every, ordinary, name, long=lambda row: False)


def tiered_rows(every: Iterable[Sequence[Any]], ordinary: Callable[[Sequence[Any]], bool]) -> list[Any]:
    """As `tier_parameters`, of a test that takes several parameters: each row has their values."""
    rows = list(every)
    return [pytest.param(*row, marks=marks) for row, marks in zip(rows, _tier_marks(rows, ordinary, None), strict=True)]


def is_exhausted(model: str, profile: str, bounds: str, name: str, sizes: Mapping[str, int]) -> bool:
    """Whether a property is recorded as holding, exhausted, of a profile in bounds at least as large."""
    definition, _ = find(model)
    defaults = {constant: one.default for constant, one in definition.constants.items()}
    recorded = [
        {**defaults, **definition.profiles[profile], **check.constants}
        for check in read_record_file(ROOT / "spec" / f"{model}.toml").checks
        if (check.profile, check.bounds) == (profile, bounds)
        and check.counts
        and name in check.properties
        and check.properties[name].verdict == "holds"
    ]
    return any(all(_is_at_least(found[constant], size) for constant, size in sizes.items()) for found in recorded)


def _is_at_least(value: object, size: int) -> bool:
    """Whether a constant is a number, and not smaller."""
    return isinstance(value, int) and value >= size
