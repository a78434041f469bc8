"""The pages of docs/ are executed: every command is run, must print what the page shows, and end with the exit it says.

In a block, a line that starts with `$ ` is a command, continued by lines that start with `> `; what follows is its
output, standard error included, where `...` stands for anything. A last line `[exit 1]` is its exit; else it is 0.
All commands share one directory.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from .commands import Commands
from .conftest import ROOT

PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.stem != "language")
"""All but the page that builds a model as it goes; `test_docs_language` runs that one."""


@dataclass(frozen=True, slots=True)
class Example:
    """A command of a page, where it stands, and what must come of it."""

    page: str
    line: int
    command: str
    output: str
    exit: int


def examples(page: Path) -> Iterator[Example]:
    text = page.read_text(encoding="utf-8")
    for block in re.finditer(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        first = text.count("\n", 0, block.start(1)) + 1
        yield from commands(page.stem, block[1].splitlines(), first)


def commands(page: str, lines: list[str], first: int) -> Iterator[Example]:
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        more = [line[2:] for line in lines[start + 1 : end] if line.startswith("> ") or line == ">"]
        output = lines[start + 1 + len(more) : end]
        said = re.fullmatch(r"\[exit (\d+)\]", output[-1]) if output else None
        shown = output[:-1] if said else output
        command = "\n".join([lines[start][2:], *more])
        yield Example(page, first + start, command, "".join(f"{line}\n" for line in shown), int(said[1]) if said else 0)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the examples in it, in which the commands of the pages are run one after another."""
    folder = tmp_path_factory.mktemp("workshop")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.mark.parametrize(
    "example",
    [example for page in PAGES for example in examples(page)],
    ids=lambda each: f"{each.page} line {each.line}",
)
def test_the_page_is_true(example: Example, workshop: Path, cache: Path, commands: Commands) -> None:
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    done = commands.shell(example.command, workshop, environment)
    assert done.exit == example.exit, done.out
    checker = doctest.OutputChecker()
    assert checker.check_output(example.output, done.out, doctest.ELLIPSIS), f"$ {example.command}\n{done.out}"
