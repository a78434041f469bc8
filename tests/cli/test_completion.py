"""Completion for shells: the script has what the parser has, and each shell completes with it as a person types."""

from __future__ import annotations

import argparse
import os
import pty
import select
import shutil
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tidegate.cli.completion import completion_script

PROMPT = "READY> "
SHELLS: Mapping[str, tuple[Sequence[str], str]] = {
    "bash": (("bash", "--norc", "-i"), 'eval "$(tidegate --print-completion bash)"'),
    "zsh": (("zsh", "-f", "-i"), 'autoload -U compinit; compinit -u -D; eval "$(tidegate --print-completion zsh)"'),
    "fish": (("fish", "--no-config", "-i"), "tidegate --print-completion fish | source"),
}
"""How each begins without its owner's files, and the line of docs/cli.md that a start file has."""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_has_the_verbs_and_options_of_the_parser(shell: str) -> None:
    parser = argparse.ArgumentParser("tidegate")
    parser.add_subparsers().add_parser("measure", help="measures").add_argument("--exactly", action="store_true")
    script = completion_script(parser, shell)
    assert "measure" in script and "exactly" in script


class ShellSession:
    """A shell on a terminal of its own."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal

    def type_text(self, text: str) -> None:
        """What a person types."""
        os.write(self._terminal, text.encode())

    def wait_for(self, text: str) -> str:
        """What the shell writes up to a text. AssertionError where it does not come within a minute."""
        seen, until = "", time.monotonic() + 60
        while text not in seen:
            left = until - time.monotonic()
            assert left > 0 and select.select([self._terminal], [], [], left)[0], f"no {text!r} in {seen!r}"
            seen += os.read(self._terminal, 4096).decode(errors="replace")
        return seen


@contextmanager
def start_shell(shell: str, home: Path) -> Generator[ShellSession]:
    """The shell, in a folder where there is one model, with `tidegate` in its path."""
    command, _ = SHELLS[shell]
    child, terminal = pty.fork()
    if child == 0:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        os.chdir(home)
        os.execvpe(command[0], list(command), {"PATH": path, "HOME": str(home), "TERM": "dumb", "PS1": PROMPT})
    try:
        yield ShellSession(terminal)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_verbs_options_and_files(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "my_model.py").write_text("", encoding="utf-8")
    _, line = SHELLS[shell]
    with start_shell(shell, tmp_path) as session:
        session.type_text(f"{line}; echo is'_'loaded\n")
        session.wait_for("is_loaded\r\n")
        for typed, whole in (("tidegate gloss", "glossary"), ("tidegate check --symm", "--symmetry")):
            session.type_text(f"{typed}\t")
            session.wait_for(whole.removeprefix(typed.split()[-1]))
            session.type_text("\x15")
        session.type_text("tidegate check my_mo\t")
        session.wait_for("del.py")
        session.type_text("\x15exit\n")
