"""`tidegate lsp`: what it says without its library, and that it ends where nobody speaks. `tests/editor` speaks."""

from __future__ import annotations

import subprocess
import sys

from tidegate.cli import lsp

from ..support.commands import run_without


def test_without_the_extra_it_says_what_to_install() -> None:
    said = run_without("pygls", ["lsp"])
    assert said.exit == 64
    assert said.err == "tidegate: lsp needs pygls, which is not installed: pip install '.[editor]' in the clone\n"


def test_it_ends_with_its_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tidegate", "lsp", "--stdio"], input="", capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "") and "tidegate lsp" in lsp.EXAMPLES
