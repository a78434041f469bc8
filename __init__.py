"""Tidegate: a formal specification of Kafka's high availability that runs.

    import tidegate as tg

    tg.check("replication:kip320", replicas=2).holds

`tidegate.api` says what there is. Users' models import from `tidegate.language`; the command is `tidegate`, or
`python -m tidegate`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import (
        AuditResult,
        CheckResult,
        Exploration,
        ProofResult,
        Simulation,
        audit,
        check,
        explore,
        load,
        prove,
        simulate,
    )

__all__ = [
    "AuditResult",
    "CheckResult",
    "Exploration",
    "ProofResult",
    "Simulation",
    "__version__",
    "audit",
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


class _FrontDoor(ModuleType):
    """This package. Its `audit` is the function, also after the package `tidegate.audit` was imported, which Python
    would put in its place; imports find that package by its name as they find any other."""

    @property
    def audit(self) -> Any:
        """The function `audit`."""
        return __getattr__("audit")

    @audit.setter
    def audit(self, _: ModuleType) -> None:
        """What an import does with a package's attribute."""


sys.modules[__name__].__class__ = _FrontDoor
