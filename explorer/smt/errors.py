"""What can be wrong with asking Z3 about a model."""

from __future__ import annotations

from pathlib import Path

from ...language.errors import UsageError
from ...language.where import Where


class NotUnboundedError(Exception):
    """The text says something that has no meaning here without bounds: where, what, and what to write instead."""

    def __init__(self, where: Where, message: str, remedy: str) -> None:
        super().__init__(f"{where.file}:{where.line}: {message}; {remedy}")
        self.where = where
        self.message = message
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[NotUnboundedError], tuple[Where, str, str]]:
        return (NotUnboundedError, (self.where, self.message, self.remedy))


def endless_value_error(where: Where) -> NotUnboundedError:
    """What is said of a line that takes values without an end as a whole."""
    return NotUnboundedError(
        where,
        "values without an end are compared, searched or counted as a whole",
        "compare them element by element, or ask whether a set has one element",
    )


def endless_exponent_error(where: Where) -> NotUnboundedError:
    """What is said of a power whose exponent has no end."""
    return NotUnboundedError(
        where, "the exponent of ** has no bound here", "an exponent in which no constant without a bound plays a part"
    )


class UnsayableError(Exception):
    """A property that was asked for has no meaning without bounds: its name, why, and the place in the text."""

    def __init__(self, name: str, reason: str, file: str, line: int) -> None:
        super().__init__(f"{name} has no meaning without bounds: {reason}")
        self.file = file
        self.line = line


class HintsError(Exception):
    """A file of hints that holds none: the file, the line, and what is wrong there."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line


class MissingExtraError(UsageError):
    """A solver is not installed, or cannot be used: exit 64, with the line that installs it."""
