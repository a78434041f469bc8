"""Tidegate: a formal specification of Kafka's high availability that runs.

    import tidegate as tg

    tg.check("replication:kip320", replicas=2).holds

`tidegate.api` says what there is. Users' models import from `tidegate.language`; the command is `tidegate`, or
`python -m tidegate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import CheckResult, Exploration, ProofResult, Simulation, check, explore, load, prove, simulate

__all__ = [
    "CheckResult",
    "Exploration",
    "ProofResult",
    "Simulation",
    "__version__",
    "check",
    "explore",
    "load",
    "prove",
    "simulate",
]

__version__: str


def __getattr__(name: str) -> Any:
    """What is asked for, imported only then: the functions need the engines, and those take half a second."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tidegate")
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
