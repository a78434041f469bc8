"""What can be wrong with asking Z3 about a model."""

from __future__ import annotations

from ..language.errors import UsageError
from ..language.ir import Where


class NotUnbounded(Exception):
    """The text says something that has no meaning here without bounds: where, what, and what to write instead."""

    def __init__(self, where: Where, message: str, remedy: str) -> None:
        super().__init__(f"{where.file}:{where.line}: {message}; {remedy}")
        self.where = where
        self.message = message
        self.remedy = remedy


class ExtraMissing(UsageError):
    """z3-solver is not installed: exit 64, with the line that installs it."""
