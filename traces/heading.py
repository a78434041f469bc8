"""What a trace document says of the run as a whole: of which commit and tool it is, and the command that replays it."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..language.constants import Value
from ..language.judge import format_run
from ..language.model import Model
from ..language.verdict import Run


def replay_line(model: Model, run: Run, breaking: str | None = None) -> str:
    """The command that replays a run, and after it the step that breaks the model, if there is one: what differs from
    the constants' defaults, or from the profile that the model's name ends with, is set in it."""
    return replay_command(model, "; ".join(part for part in (format_run(model, run), breaking) if part))


def replay_line_of_loop(model: Model, run: Run, loop: int, claim: str) -> str:
    """The command that replays a run which returns to state `loop` after its last step, and checks a property of
    liveness by it."""
    return f"{replay_line(model, run)} --loop {loop} --property {claim}"


def replay_command(model: Model, steps: str) -> str:
    """The command that replays a text of steps with the constants that a model is bound to."""
    settings = [f"--set {name}={value}" for name, value in _settings(model)]
    ghosts = ["--ghosts"] if model.ghosts and any(field.ghost for field in model.fields) else []
    return " ".join(["tidegate replay", shlex.quote(model.name), *settings, *ghosts, f'--steps "{steps}"'])


def _settings(model: Model) -> Iterator[tuple[str, str]]:
    profiles: Mapping[str, Mapping[str, Value]] = model.namespace.get("profiles", {})
    profile = profiles.get(model.name.rpartition(":")[2], {})
    for name, constant in model.constants.items():
        if model.values[name] != profile.get(name, constant.default):
            yield name, str(plain_constant(model.values[name])).lower()


def plain_constant(value: Value) -> bool | int | str:
    """A constant's value as it is given on the command line: an enum by its value."""
    return value if isinstance(value, int) else str(value.value)


@functools.lru_cache(maxsize=16)
def commit_of(folder: Path) -> str | None:
    """The git commit that a folder is at, `-dirty` behind it when files differ from it; None where there is no git or
    no work tree."""
    import subprocess  # as in `tool`: most commands end without a trace, and this takes a while to load

    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=7"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def tool() -> str:
    """The program and its version."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"tidegate {version('tidegate')}"
    except PackageNotFoundError:
        return "tidegate"
