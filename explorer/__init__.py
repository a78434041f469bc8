"""The engines. Each takes a bound model and a `Search` and returns a `Verdict`; models and properties arrive as
values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..language.errors import UsageError
from ..language.model import Model
from ..language.verdict import Verdict
from .plain import check as explore_plainly
from .projections import refuse_projection
from .search import Report, Search


def explore_natively(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Exhaustive exploration by compiled code, see `native.search`, which takes a moment to import."""
    from .native.search import check

    return check(model, search, report)


def explore_boundedly(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Bounded model checking by SAT, see `smt.bmc`. UsageError, with what installs it, when z3-solver is missing."""
    refuse_projection(search, "bmc")
    try:
        from .smt.bmc import check
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "z3":
            raise
        raise UsageError(
            "--engine bmc needs z3-solver, which is not installed: pip install '.[prove]' in the clone"
        ) from None
    return check(model, search, report)


def explore_on_spark(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Exhaustive exploration spread over Spark, see `spark`. UsageError, with what installs it, when pyspark is
    missing."""
    refuse_projection(search, "spark")
    try:
        from .spark.session import check
    except ModuleNotFoundError as error:
        raise _missing_package_error(error, "--engine spark") from None
    return check(model, search, report)


def walk_at_random(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Random walks, see `native.walks`; in Spark's tasks where the search names a cluster. UsageError, with what
    installs it, when pyspark is then missing."""
    refuse_projection(search, "walk")
    if search.cluster is None:
        from .native.walks import check

        return check(model, search, report)
    try:
        from .spark.session import walk
    except ModuleNotFoundError as error:
        raise _missing_package_error(error, "--master") from None
    return walk(model, search, report)


def _missing_package_error(error: ModuleNotFoundError, what: str) -> Exception:
    """A package of Spark's that is not installed, in words; another's error as it is."""
    missing = (error.name or "").partition(".")[0]
    if missing not in ("pyspark", "pyarrow", "pandas", "numpy"):
        return error
    return UsageError(f"{what} needs {missing}, which is not installed: pip install '.[spark]' in the clone")


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
