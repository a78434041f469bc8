"""Arguments of the functions of `tidegate` that are of a wrong type or out of range: each is a UsageError that names
the argument, what was given, and what to give."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import cast

from ..language.errors import UsageError, suggest_name


def check_names(name: str, given: object) -> tuple[str, ...]:
    """Several texts, as a list or another iterable; one text stands for itself alone. UsageError for anything else."""
    if isinstance(given, str):
        return (given,)
    values: tuple[object, ...] = tuple(cast("Iterable[object]", given)) if isinstance(given, Iterable) else (None,)
    found = tuple(value for value in values if isinstance(value, str))
    if len(found) != len(values):
        raise UsageError(f'{name}={given!r}: give a list of texts, as in {name}=["..."]')
    return found


def check_text(name: str, given: object, known: Collection[str] = ()) -> str | None:
    """A text, or None where nothing is given. UsageError for anything else, and for what is not in `known`."""
    if given is not None and not isinstance(given, str):
        raise UsageError(f'{name}={given!r}: give it as text, as in {name}="{given}"')
    if given is not None and known and given not in known:
        raise UsageError(f"{name}={given!r}: there is no such value; {suggest_name(given, known)}")
    return given


def check_path(name: str, given: object) -> str | Path:
    """A path, as text or as a Path. UsageError for anything else."""
    if not isinstance(given, (str, Path)):
        raise UsageError(f"{name}={given!r}: give a path, as text or as a pathlib.Path")
    return given


def check_whole_number(name: str, given: object, least: int) -> None:
    """UsageError unless it is a whole number from `least`, or None."""
    if given is None or (isinstance(given, int) and not isinstance(given, bool) and given >= least):
        return
    raise UsageError(f"{name}={given!r}: give a whole number from {least}")


def check_truth(name: str, given: object) -> None:
    """UsageError unless it is True or False."""
    if not isinstance(given, bool):
        raise UsageError(f"{name}={given!r}: give True or False")


def check_seconds(name: str, given: object) -> None:
    """UsageError unless it is a time in seconds above 0, or None."""
    if given is None or (isinstance(given, (int, float)) and not isinstance(given, bool) and 0 < given < float("inf")):
        return
    raise UsageError(f"{name}={given!r}: give a number of seconds above 0, or None for no limit")


def check_probability(name: str, given: object) -> None:
    """UsageError unless it is a number from 0 to 1."""
    if isinstance(given, (int, float)) and not isinstance(given, bool) and 0 <= given <= 1:
        return
    raise UsageError(f"{name}={given!r}: give a number from 0 to 1")
