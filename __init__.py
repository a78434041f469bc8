"""Tidegate: a formal specification of Kafka's high availability that runs.

    import tidegate as tg

    tg.check("replication:kip320", replicas=2).holds

`tidegate.api` says what there is. Users' models import from `tidegate.language`; the command is `tidegate`, or
`python -m tidegate`.
"""

from __future__ import annotations

import sys
from importlib import import_module
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
    if name == "audit":
        return import_module(f"{__name__}.audit")
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The functions and results, and the packages that are imported: what TAB offers."""
    packages = (name for name in globals() if f"{__name__}.{name}" in sys.modules)
    return sorted({*__all__, *packages})


class _Audit(ModuleType):
    """The package `tidegate.audit`, which is the function `audit` as well: both have this name."""

    def __call__(self, *files: Any, **options: Any) -> Any:
        """`tidegate.api.audit`."""
        from .api import audit

        return audit(*files, **options)


class _FrontDoor(ModuleType):
    """This package: what an import puts into it as `audit` can be called."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute, as an import of a package within this one does."""
        if name == "audit" and isinstance(value, ModuleType):
            value.__class__ = _Audit
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontDoor
