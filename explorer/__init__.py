"""The engines. Each takes a bound model and a `Search` and returns a `Verdict`; models and properties arrive as
values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..language.model import Model
from ..language.verdict import Verdict
from .native.search import check as explore_natively
from .native.walks import check as walk_at_random
from .plain import check as explore_plainly
from .search import Report, Search

Engine: TypeAlias = Callable[[Model, Search, Report | None], Verdict]

ENGINES: Mapping[str, Engine] = {"native": explore_natively, "python": explore_plainly, "walk": walk_at_random}
"""Every engine by the name that `--engine` takes."""
