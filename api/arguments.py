"""Arguments of the functions of `tidegate` that are of a wrong type or out of range: each is a UsageError that names
the argument, what was given, and what to give."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import cast

from ..language.errors import UsageError, suggest_name


def check_names(name: str, given_value: object) -> tuple[str, ...]:
    """Several texts, as a list or another iterable; one text stands for itself alone. UsageError for anything else."""
    if isinstance(given_value, str):
        return (given_value,)
    values: tuple[object, ...] = (
        tuple(cast("Iterable[object]", given_value)) if isinstance(given_value, Iterable) else (None,)
    )
    found = tuple(value for value in values if isinstance(value, str))
    if len(found) != len(values):
        raise UsageError(f'{name}={given_value!r}: give a list of texts, as in {name}=["..."]')
    return found


def check_text(name: str, value: object, known_texts: Collection[str] = ()) -> str | None:
    """A text, or None where nothing is given. UsageError for anything else, and for what is not in `known_texts`."""
    if value is not None and not isinstance(value, str):
        raise UsageError(f'{name}={value!r}: give it as text, as in {name}="{value}"')
    if value is not None and known_texts and value not in known_texts:
        raise UsageError(f"{name}={value!r}: there is no such value; {suggest_name(value, known_texts)}")
    return value


def check_path(name: str, value: object) -> str | Path:
    """A path, as text or as a Path. UsageError for anything else."""
    if not isinstance(value, (str, Path)):
        raise UsageError(f"{name}={value!r}: give a path, as text or as a pathlib.Path")
    return value


def check_whole_number(name: str, value: object, least: int) -> None:
    """UsageError unless it is a whole number from `least`, or None."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= least):
        return
    raise UsageError(f"{name}={value!r}: give a whole number from {least}")


def check_truth(name: str, value: object) -> None:
    """UsageError unless it is True or False."""
    if not isinstance(value, bool):
        raise UsageError(f"{name}={value!r}: give True or False")


def check_seconds(name: str, value: object) -> None:
    """UsageError unless it is a time in seconds above 0, or None."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf")):
        return
    raise UsageError(f"{name}={value!r}: give a number of seconds above 0, or None for no limit")


def check_probability(name: str, value: object) -> None:
    """UsageError unless it is a number from 0 to 1."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return
    raise UsageError(f"{name}={value!r}: give a number from 0 to 1")
