"""The process that commands of the tests are forked from: it has imported what they need and has no threads.

Each line of its input is a command as JSON: `arguments`, `folder`, `environment`, and the files `out` and `err`. For
each it prints the id of the process that it forks, and when that has ended, its exit (minus a signal's number). It
ends with its input.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib import import_module
from typing import Any

from tidegate.cli.entry import reduce_garbage_collection
from tidegate.cli.main import main
from tidegate.cli.verbs import VERBS
from tidegate.invariants.catalogue import CATALOGUE

LATE = (
    "tidegate.explorer.native.search",
    "tidegate.explorer.native.walks",
    "tidegate.explorer.smt.induction",
    "z3",
)
"""What verbs import when they need it, and most commands need."""


def requests() -> dict[str, Any] | None:
    """Forks a process for each command. Returns the command in the forked process, None in this one at the end."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return json.loads(line)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


def enter(command: dict[str, Any]) -> None:
    """Gives this process the command's directory, environment and files."""
    os.chdir(command["folder"])
    os.environ.clear()
    os.environ.update(command["environment"])
    tempfile.tempdir = None
    files = (
        (os.devnull, os.O_RDONLY),
        (command["out"], os.O_WRONLY | os.O_CREAT | os.O_APPEND),
        (command["err"], os.O_WRONLY | os.O_CREAT | os.O_APPEND),
    )
    for stream, (path, flags) in enumerate(files):
        opened = os.open(path, flags)
        os.dup2(opened, stream)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # open as long as the process is there
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    models = (f"tidegate.invariants.{entry.room}" for entry in CATALOGUE.values())
    for module in (*(verb.module for verb in VERBS.values()), *models, *LATE):
        import_module(module)
    reduce_garbage_collection()
    asked = requests()
    if asked is not None:
        enter(asked)
        sys.exit(main(asked["arguments"]))
