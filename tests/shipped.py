"""What many tests share: shipped models, bound once in a process, and tables of which a sample is ordinary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.constants import Value
from tidegate.language.model import Model

T = TypeVar("T")
KEPT = 48
"""Bound models that a process keeps: binding one takes up to a second, and some ten MB."""


def shipped(
    name: str, constants: Mapping[str, Value] | None = None, *, ghosts: bool = True, called: str | None = None
) -> Model:
    """A shipped model such as `kraft:kip595` with some constants. Nobody may change it: other tests have it, too."""
    return _bound(name, tuple(sorted((constants or {}).items())), ghosts, called or name)


@lru_cache(KEPT)
def _bound(name: str, constants: tuple[tuple[str, Value], ...], ghosts: bool, called: str) -> Model:
    definition, profile = find(name)
    return definition.bind(called, dict(constants), profile, ghosts=ghosts)


def tiered(every: Iterable[T], ordinary: Callable[[T], bool], name: Callable[[T], str] = str) -> list[Any]:
    """Parameters of a test: those that are `ordinary` as they are, the others for the long tier."""
    return [pytest.param(row, id=name(row), marks=[] if ordinary(row) else [pytest.mark.long]) for row in every]


def tiered_rows(every: Iterable[Sequence[Any]], ordinary: Callable[[Sequence[Any]], bool]) -> list[Any]:
    """As `tiered`, of a test that takes several parameters: each row has their values."""
    return [pytest.param(*row, marks=[] if ordinary(row) else [pytest.mark.long]) for row in every]
