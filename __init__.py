"""Tidegate: a formal specification of Kafka's high availability that runs.

Users' models import from `tidegate.language`; the command is `tidegate`, or `python -m tidegate`.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__: str


def __getattr__(name: str) -> str:
    """The version, looked up when it is asked for: that takes longer than most imports. AttributeError otherwise."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("tidegate")
