"""The engines. Each takes a bound model and a `Search` and returns a `Verdict`; models and properties arrive as
values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..language.errors import UsageError
from ..language.model import Model
from ..language.verdict import Verdict
from .native.search import check as explore_natively
from .native.walks import check as walk_at_random
from .plain import check as explore_plainly
from .search import Report, Search


def explore_boundedly(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Bounded model checking by SAT, see `smt.bmc`. UsageError, with what installs it, when z3-solver is missing."""
    try:
        from .smt.bmc import check
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "z3":
            raise
        raise UsageError(
            "--engine bmc needs z3-solver, which is not installed; install it with: pip install 'tidegate[prove]'"
        ) from None
    return check(model, search, report)


def explore_on_spark(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Exhaustive exploration spread over Spark, see `spark`. UsageError, with what installs it, when pyspark is
    missing."""
    try:
        from .spark.session import check
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("pyspark", "pyarrow", "pandas", "numpy"):
            raise
        raise UsageError(
            f"--engine spark needs {missing}, which is not installed; install it with: pip install 'tidegate[spark]'"
        ) from None
    return check(model, search, report)


Engine: TypeAlias = Callable[[Model, Search, Report | None], Verdict]

ENGINES: Mapping[str, Engine] = {
    "native": explore_natively,
    "python": explore_plainly,
    "walk": walk_at_random,
    "bmc": explore_boundedly,
    "spark": explore_on_spark,
}
"""Every engine by the name that `--engine` takes."""

EXHAUSTIVE = ("native", "python")
"""The engines that see every state within the bounds, and count them."""
