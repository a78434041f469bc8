"""A command in a process of its own: its exit and what it printed, on which stream."""

from __future__ import annotations

from tidegate.explorer.commands import run_command


def test_what_a_command_ends_with_and_prints() -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(6)"
    done = run_command(["-c", program])
    assert (done.exit, done.stdout, done.stderr) == (6, "out\n", "err\n")
    assert done.seconds > 0


def test_a_command_that_breaks_down_is_an_exit_like_another() -> None:
    done = run_command(["-c", "import os; os.abort()"])
    assert done.exit < 0 and done.stdout == ""
