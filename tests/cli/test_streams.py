"""What a command does where nobody reads its output, or a disk does not take it: in processes of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from ..conftest import ROOT

COMMANDS = [
    ("check", ("check", "examples/liveness/printer.py", "--keep-going"), 3),
    ("check --json", ("check", "examples/liveness/printer.py", "--keep-going", "--json"), 3),
    ("models", ("models",), 0),
    ("spec", ("spec", "replication"), 0),
    ("help of a verb", ("check", "--help"), 0),
    ("usage", ("check", "examples/liveness/printer.py", "--engine", "nothing"), 64),
]
EACH = pytest.mark.parametrize(
    ("arguments", "exit_"),
    [
        pytest.param(*row[1:], id=row[0], marks=[] if row[0] in ("check", "usage") else [pytest.mark.long])
        for row in COMMANDS
    ],
)
"""Each command starts a process: the ordinary tier has the two that end differently."""
FULL = "tidegate: the output could not be written: No space left on device\n"


def run_in_shell(arguments: Sequence[str], shell: str) -> tuple[int, str, str]:
    """The exit, the output and the errors of `tidegate ARGUMENTS` followed by what a shell is told."""
    line = f'"$0" -m tidegate "$@" {shell}'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line, sys.executable, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@EACH
def test_a_reader_that_ends_early_changes_no_exit(arguments: tuple[str, ...], exit_: int) -> None:
    """It used to be 70. The reader is gone before anything is written."""
    code, out, err = run_in_shell(arguments, "| true")
    assert (code, out) == (exit_, "")
    assert "Traceback" not in err
    assert "BrokenPipe" not in err
    assert bool(err) == (exit_ == 64)


@EACH
def test_a_full_disk_is_one_sentence_and_no_verdict(arguments: tuple[str, ...], exit_: int) -> None:
    """It used to be a traceback and 70. What goes to standard error alone is not touched by it."""
    code, _, err = run_in_shell(arguments, ">/dev/full")
    assert (code, err) == (74, FULL) if exit_ != 64 else code == 64


@EACH
def test_errors_that_cannot_be_written_change_no_exit(arguments: tuple[str, ...], exit_: int) -> None:
    """It used to be 1, which says that a property of safety is violated."""
    code, out, _ = run_in_shell(arguments, "2>/dev/full")
    assert code == exit_
    assert bool(out) == (exit_ != 64)


@pytest.mark.parametrize(
    "closed", [">&-", *(pytest.param(closed, marks=pytest.mark.long) for closed in ("2>&-", "<&- >&- 2>&-"))]
)
def test_a_stream_that_is_closed_changes_no_exit(closed: str) -> None:
    """Errors do not go where the result goes instead, either."""
    code, out, err = run_in_shell(COMMANDS[0][1], closed)
    assert (code, err) == (3, "")
    assert bool(out) == (closed == "2>&-")


@pytest.mark.long
def test_who_watches_a_file_ends_with_the_reader() -> None:
    assert run_in_shell([*COMMANDS[0][1], "--watch"], "| head -1")[0] == 3
