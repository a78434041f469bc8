"""What the tests of pages in a terminal share: reports at two widths and in ASCII."""

from __future__ import annotations

from functools import cache

from tidegate.explorer.plain import check
from tidegate.explorer.search import Search
from tidegate.language.binding import load
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ..conftest import ROOT


def lock(profile: str) -> Model:
    """The lock of the examples in a profile."""
    return load(ROOT / "examples" / "lock.py").bind(f"lock:{profile}", profile=profile)


@cache
def violated_lock() -> tuple[Model, Verdict]:
    """The careless lock, and its verdict."""
    model = lock("careless")
    return model, check(model, Search())
