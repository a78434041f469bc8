"""What the tests of the faces share: running the command line as a user does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings
from tidegate.cli.main import main

ROOT = Path(__file__).resolve().parent.parent

# The same examples in every run, so that two runs differ only by what was changed; TIDEGATE_DEEP=1 draws new ones.
settings.register_profile("same", derandomize=True, database=None)
if not os.environ.get("TIDEGATE_DEEP"):
    settings.load_profile("same")

# A shell that starts the tests in its background has them ignore Ctrl-C, and so would every command that they start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True, slots=True)
class Done:
    """A command that has ended."""

    exit: int
    out: str
    err: str


Run = Callable[..., Done]

Said = Callable[..., tuple[int, str]]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of compiled kernels for the whole session, apart from the user's."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def tidegate(cache: Path) -> Run:
    """`tidegate("check", "examples/lock.py")` in a process of its own, started in the repository."""

    def run(*arguments: str, cwd: Path = ROOT) -> Done:
        environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8"}
        environment.pop("NO_COLOR", None)
        done = subprocess.run(
            [sys.executable, "-m", "tidegate", *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """`said("gate", "none.toml")` in this process, for what is told before anything runs: the exit and all output."""

    def run(*arguments: str) -> tuple[int, str]:
        exit_ = main(arguments)
        printed = capsys.readouterr()
        return int(exit_), printed.out + printed.err

    return run
