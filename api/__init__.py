"""Tidegate from Python: what the command does, as functions whose results show themselves in a notebook.

    import tidegate as tg

    verdict = tg.check("replication:kip320", replicas=2)
    verdict.holds, verdict.properties
    verdict.states().to_pandas()

Every function takes a model as the command does, `replication:kip320`, `mine.py`, `mine.py:profile`, or one that `load`
has bound. Constants are keyword arguments; one that has the name of an option is given in `constants={"seed": 3}`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .auditing import AuditResult, audit
    from .checking import CheckResult, check
    from .exploring import Exploration, explore
    from .models import load
    from .proving import ProofResult, prove
    from .simulating import Simulation, simulate

__all__ = [
    "AuditResult",
    "CheckResult",
    "Exploration",
    "ProofResult",
    "Simulation",
    "audit",
    "check",
    "explore",
    "load",
    "prove",
    "simulate",
]

_MODULES = {
    "AuditResult": "auditing",
    "CheckResult": "checking",
    "Exploration": "exploring",
    "ProofResult": "proving",
    "Simulation": "simulating",
    "audit": "auditing",
    "check": "checking",
    "explore": "exploring",
    "load": "models",
    "prove": "proving",
    "simulate": "simulating",
}


def __getattr__(name: str) -> Any:
    """What is asked for, imported only then: whoever checks a model needs nothing of the audit."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """The functions and results: what TAB offers."""
    return sorted(__all__)
