"""Runs the command line as a user does, in a process forked from one that has imported everything.

Importing takes longer than most commands do. A test of the process itself (how it starts, what it imports, what a
signal does to it) starts one with `subprocess`.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_SECONDS = 300
_TIDEGATE = re.compile(r"\btidegate (?=[a-z-])")
_FOR_THE_SHELL = frozenset("|&;<>()$`*?[]{}~#!\n")


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command that has ended."""

    exit: int
    out: str
    err: str


_INTERRUPTED = """
import os, signal, sys
from tidegate.cli import check
from tidegate.cli.entry import treat_sigterm_as_interrupt
from tidegate.cli.main import main

def interrupt(seen):
    if {when}:
        os.kill(os.getpid(), signal.{number})

treat_sigterm_as_interrupt()
check.report_for = lambda line: interrupt
sys.exit(main(sys.argv[1:]))
"""


def run_interrupted(
    arguments: Sequence[str], when: str, cache: Path, number: str = "SIGINT"
) -> subprocess.CompletedProcess[str]:
    """`tidegate check ...` in a process that gets a real Ctrl-C, or another signal, when it reports what `when` says of
    `seen`, a `Progress`: at that point of the search, however busy the machine is."""
    return subprocess.run(
        [sys.executable, "-c", _INTERRUPTED.format(when=when, number=number), *arguments],
        env={**os.environ, "TIDEGATE_CACHE": str(cache)}, capture_output=True, text=True, check=False,
        timeout=TIMEOUT_SECONDS,
    )  # fmt: skip


def run_without(module: str, arguments: Sequence[str]) -> CommandResult:
    """`tidegate ...` in a process that cannot import `module`, as where its extra is not installed. A module taken out
    of a process that goes on leaves its packages with attributes of two generations."""
    program = (
        f"import sys; sys.modules[{module!r}] = None\nfrom tidegate.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False,
        timeout=TIMEOUT_SECONDS,
    )  # fmt: skip
    return CommandResult(done.returncode, done.stdout, done.stderr)


class Commands:
    """Forks commands from a warm process, one at a time; the warm process begins with the first."""

    def __init__(self) -> None:
        self._warm: subprocess.Popen[bytes] | None = None

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], *, merge: bool = False
    ) -> CommandResult:
        """`tidegate ARGUMENTS` in a folder, with an environment. `merge`: errors go where the output goes."""
        with tempfile.TemporaryDirectory() as files:
            out, err = Path(files) / "out", Path(files) / ("out" if merge else "err")
            command = {
                "arguments": list(arguments), "folder": str(folder), "environment": dict(environment),
                "out": str(out), "err": str(err),
            }  # fmt: skip
            exit_ = self._exit(command)
            out_text = out.read_text(encoding="utf-8")
            return CommandResult(exit_, out_text, "" if merge else err.read_text(encoding="utf-8"))

    def shell(self, command: str, folder: Path, environment: Mapping[str, str]) -> CommandResult:
        """A line as it stands in a page, standard error among the output. What asks nothing of a shell needs none."""
        line = command.replace("\\\n", " ")
        if line.startswith("tidegate ") and not _FOR_THE_SHELL & set(line):
            return self.run(shlex.split(line)[1:], folder, environment, merge=True)
        done = subprocess.run(
            _TIDEGATE.sub(f"{sys.executable} -m tidegate ", command), shell=True, cwd=folder, env=dict(environment),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False,
            timeout=TIMEOUT_SECONDS,
        )  # fmt: skip
        return CommandResult(done.returncode, done.stdout, "")

    def close(self) -> None:
        """Ends the warm process."""
        if self._warm is not None:
            self._warm.communicate(timeout=TIMEOUT_SECONDS)

    def _exit(self, command: Mapping[str, object]) -> int:
        if self._warm is None:
            program = str(Path(__file__).with_name("warm_process.py"))
            self._warm = subprocess.Popen(
                [sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )  # no buffer: what a first line brings with it `select` would not see
        warm = self._warm
        assert warm.stdin is not None
        assert warm.stdout is not None
        warm.stdin.write(f"{json.dumps(command)}\n".encode())
        child = int(warm.stdout.readline())
        if not select.select([warm.stdout], [], [], TIMEOUT_SECONDS)[0]:
            os.kill(child, signal.SIGKILL)
            warm.stdout.readline()
            raise TimeoutError(f"tidegate {command['arguments']} took longer than {TIMEOUT_SECONDS} s")
        return int(warm.stdout.readline())
