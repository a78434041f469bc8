"""Directories that do not last: those that are emptied, and those that are in memory."""

from __future__ import annotations

TEMPORARY = ("/" + "tmp", "/var/" + "tmp")

IN_MEMORY = ("/dev/shm", "/run")
"""What is below these is in memory on Linux, and gone when the host loses power."""


def is_temporary(directory: str) -> bool:
    """Whether cleaners, restarts or a loss of power empty it."""
    return is_in_memory(directory) or _is_below(directory, TEMPORARY)


def is_in_memory(directory: str) -> bool:
    """Whether a loss of power takes all of it."""
    return _is_below(directory, IN_MEMORY)


def _is_below(directory: str, places: tuple[str, ...]) -> bool:
    """Whether a directory is one of these, or in it."""
    return f"{directory.strip()}/".startswith(tuple(f"{place}/" for place in places))
