"""The program that made a trace, a report or a page: its version, and the commit that it was built from."""

from __future__ import annotations

import functools
import shlex
import sys
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def tool_version() -> str:
    """The program and its version."""
    from importlib.metadata import PackageNotFoundError, version  # most commands end without needing it

    try:
        return f"tidegate {version('tidegate')}"
    except PackageNotFoundError:
        return "tidegate"


def tool_commit() -> str | None:
    """The git commit that the program was built from, or that its clone is at, `-dirty` behind it when files differ
    from it; None where neither is known."""
    recorded = _PACKAGE / "commit.txt"  # setup.py writes it into a wheel
    if recorded.is_file():
        return recorded.read_text(encoding="ascii").strip() or None
    return commit_of(_PACKAGE) if (_PACKAGE / ".git").exists() else None


def command_line() -> str | None:
    """The command line that this process is, to be typed again; None where it is another program that uses ours."""
    program = Path(sys.argv[0])
    ours = program.stem == "tidegate" or (program.name == "__main__.py" and program.parent == _PACKAGE)
    return shlex.join(["tidegate", *sys.argv[1:]]) if ours else None


@functools.lru_cache(maxsize=16)
def commit_of(folder: Path) -> str | None:
    """The git commit that a folder is at, `-dirty` behind it when files differ from it; None where there is no git or
    no work tree."""
    import subprocess  # as in `tool_version`

    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=7"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
