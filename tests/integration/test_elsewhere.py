"""A system that is not Linux, as far as one can be had on Linux: the tests of engines, audit and gate pass there, too.

`tests/support/elsewhere/sitecustomize.py` says what is away. Tests of a solver's process that is ended are left out:
where processes cannot be forked there is none.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ..conftest import ROOT

ELSEWHERE = ROOT / "tests" / "support" / "elsewhere"
FILES = (
    "explorer/test_plain.py", "explorer/native/test_search.py", "explorer/native/test_workers.py",
    "explorer/native/test_memory.py", "explorer/native/test_walks.py", "explorer/smt/test_induction.py",
    "explorer/spark/test_levels.py", "audit/exploring/test_inference.py", "gates", "cli/test_gate.py",
)  # fmt: skip
_LOOK = """
import ctypes, mmap, multiprocessing, os
from pathlib import Path
print(multiprocessing.get_all_start_methods(), os.sysconf("SC_PAGE_SIZE"), hasattr(mmap, "MAP_NORESERVE"),
      hasattr(os, "sched_getaffinity"), hasattr(ctypes.CDLL(None), "prctl"), Path("/proc/self/statm").exists())
try:
    Path("/proc/self/statm").read_text()
except FileNotFoundError:
    print("no /proc")
"""


def run_elsewhere(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ELSEWHERE)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_what_only_linux_has_is_away() -> None:
    said = run_elsewhere("-c", _LOOK).stdout.splitlines()
    assert said[0].startswith("['spawn'] 16384 False False False") and said[1] == "no /proc"


@pytest.mark.parametrize(
    "arguments",
    [("doctor",), ("check", "raft", "--bounds", "small"), pytest.param(("prove", "raft"), marks=pytest.mark.long)],
)
def test_a_command_answers_there(arguments: tuple[str, ...]) -> None:
    done = run_elsewhere("-m", "tidegate", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_the_tests_of_engines_audit_and_gate_pass_there() -> None:
    files = [f"tests/{path}" for path in FILES]
    done = run_elsewhere("-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *files)
    assert done.returncode == 0, done.stdout[-4000:]
