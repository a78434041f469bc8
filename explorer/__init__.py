"""The engines. Each takes a bound model and a `Search` and returns a `Verdict`; models and properties arrive as
values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # who needs a part of this package alone, such as the cache, imports no engine
    from ..language.model import Model
    from ..language.verdict import Verdict
    from .search import Report, Search


def explore_plainly(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Exhaustive exploration by plain Python, see `plain`."""
    from .plain import check

    return check(model, search, report)


def explore_natively(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Exhaustive exploration by compiled code, see `native.search`, which takes a moment to import."""
    from .native.search import check

    return check(model, search, report)


def explore_on_spark(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Exhaustive exploration spread over Spark, see `spark`. UsageError, with what installs it, when pyspark is
    missing."""
    from .projections import refuse_projection

    refuse_projection(search, "spark")
    try:
        from .spark.session import check
    except ModuleNotFoundError as error:
        raise _missing_package_error(error, "--engine spark") from None
    return check(model, search, report)


def walk_at_random(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Random walks, see `native.walks`; in Spark's tasks where the search names a cluster. UsageError, with what
    installs it, when pyspark is then missing."""
    from .projections import refuse_projection

    refuse_projection(search, "walk")
    if search.cluster is None:
        from .native.walks import check

        return check(model, search, report)
    try:
        from .spark.session import walk_at_random
    except ModuleNotFoundError as error:
        raise _missing_package_error(error, "--master") from None
    return walk_at_random(model, search, report)


def _missing_package_error(error: ModuleNotFoundError, what: str) -> Exception:
    """A package of Spark's that is not installed, in words; another's error as it is."""
    missing = (error.name or "").partition(".")[0]
    if missing not in ("pyspark", "pyarrow", "pandas", "numpy"):
        return error
    from ..language.errors import UsageError

    return UsageError(f"{what} needs {missing}, which is not installed: pip install '.[spark]' in the clone")


Engine: TypeAlias = "Callable[[Model, Search, Report | None], Verdict]"

ENGINES: Mapping[str, Engine] = {
    "native": explore_natively,
    "python": explore_plainly,
    "walk": walk_at_random,
    "spark": explore_on_spark,
}
"""Every engine by the name that `--engine` takes."""

EXHAUSTIVE = ("native", "python")
"""The engines that see every state within the bounds, and count them."""
