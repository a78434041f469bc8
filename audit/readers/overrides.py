"""The file that `docker compose` merges into a compose file when both lie in one folder (Merge Compose files)."""

from __future__ import annotations

from pathlib import Path

from ..cluster import Origin
from .parsed_file import Part

MAIN = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
OVERRIDE = (
    "compose.override.yml",
    "compose.override.yaml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
)
MERGED = "give what `docker compose config` prints, which is both files as they are merged, instead of them"


def is_override(path: str) -> bool:
    """Whether a file has a name of those that are merged into another."""
    return Path(path).name in OVERRIDE


def beside(path: Path) -> Part | None:
    """What is said where a compose file is given alone, and an override file lies beside it; else None."""
    found = next((each for each in OVERRIDE if path.name in MAIN and path.with_name(each).is_file()), None)
    return None if found is None else unread(str(path.with_name(found)))


def unread(path: str) -> Part:
    """What is said of an override file: it changes the brokers of another file, and is not merged here."""
    part = Part("docker-compose override")
    what = f"{path} was not read: `docker compose up` merges it into the compose file beside it"
    part.note("incomplete", "error", what, Origin(path), MERGED)
    return part
