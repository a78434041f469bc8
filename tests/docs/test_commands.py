"""The pages of docs/ are executed: every command is run, must print what the page shows, and end with the exit it says.

In a block, a line that starts with `$ ` is a command, continued by lines that start with `> `; what follows is its
output, standard error included, where `...` stands for anything. A last line `[exit 1]` is its exit; else it is 0.
All commands share one directory. Those of `LONG` are run with the long tests.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tidegate.api.models import bind_model
from tidegate.cli.options import model_choice_of
from tidegate.cli.verbs import command_parser

from ..conftest import ROOT
from ..support.commands import Commands
from ..support.shipped import LONG_STRIDE, tier_parameters

PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.stem not in ("language", "looking-inside"))
"""All but the two that build a model as they go; `test_language` runs those."""


@dataclass(frozen=True, slots=True)
class Example:
    """A command of a page, where it stands, and what must come of it."""

    page: str
    line: int
    command: str
    output: str
    exit: int
    long: bool = False
    """Whether it stands in a block with a command of `LONG`."""
    nightly: bool = False
    """Whether the long tier passes over that block, too."""


LONG = (
    "audit examples/clusters/last-replica-standing", "check kraft:kafka_12619 --bounds figure_8",
    "check kraft:kip595 --bounds empty_disk", "check kraft:kafka_14238", "check kraft:kafka_15489", "check raft:no_",
    "check raft:own_word", "check raft:same_name", "check raft:count_replicas", "check raft --bounds four_terms",
    "check partition_as_log:last_replica_standing", "--to dot --raw",
    "audit examples/clusters/good/topics.txt", "audit examples/clusters/strimzi", "--engine spark",
    "check kraft:kafka_12619 --bounds three_epochs", "check kraft:kip595 --bounds large",
    "check kraft:kip996", "prove kraft:kafka_12619", "prove replication:kip320",
    "--baseline accepted.toml", "audit shop --kafka-version 3.9",
)  # fmt: skip
"""Commands that take seconds of a processor, and do what ordinary tests look at: the large searches are in spec/, and
the audit's examples, the proofs and Spark have files of tests of their own."""

LONG_PAGES = ("groups", "kraft", "producers", "raft", "refinement", "transactions", "zookeeper")
"""Pages of which the first block alone is ordinary: their other commands are of one kind, and none needs its output."""
LONG_AS_A_WHOLE = ("proofs",)
"""Pages that build a model as they go, so that each block needs those before it."""


def examples(page: Path) -> Iterator[Example]:
    text = page.read_text(encoding="utf-8")
    for number, block in enumerate(re.finditer(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)):
        first = text.count("\n", 0, block.start(1)) + 1
        long = any(word in block[1] for word in LONG) or (number > 0 and page.stem in LONG_PAGES)
        long = long or page.stem in LONG_AS_A_WHOLE
        nightly = page.stem in LONG_PAGES and number > 0 and number % LONG_STRIDE != 1
        for example in commands(page.stem, block[1].splitlines(), first):
            yield replace(example, long=long, nightly=nightly)


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
    tier_parameters(
        [example for page in PAGES for example in examples(page)],
        lambda example: not example.long,
        lambda example: f"{example.page} line {example.line}",
        lambda example: not example.nightly,
    ),
)
def test_the_page_is_true(example: Example, workshop: Path, cache: Path, commands: Commands) -> None:
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    done = commands.shell(example.command, workshop, environment)
    assert done.exit == example.exit, done.out
    checker = doctest.OutputChecker()
    assert checker.check_output(example.output, done.out, doctest.ELLIPSIS), f"$ {example.command}\n{done.out}"


def unexecuted_commands() -> Iterator[tuple[str, str]]:
    """The command lines of other blocks, each with its page: for clusters, for hours, for models of one's own."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            for line in re.findall(r"^tidegate (.*?)(?: +#.*)?$", block, re.MULTILINE) if language != "console" else ():
                yield page.stem, line.replace(" ... ", " ").replace("MODEL", "replication:kip320")


@pytest.mark.parametrize(("page", "line"), list(unexecuted_commands()))
def test_what_a_page_shows_and_nothing_executes_is_a_command_all_the_same(page: str, line: str) -> None:
    verb, *rest = shlex.split(line)
    options = command_parser(verb).parse_args([verb, *rest])
    if "model" not in options:
        return  # a command about no model
    model = bind_model(model_choice_of(options))
    asked: list[str] = options.properties or []
    assert set(asked) <= {prop.name for prop in model.properties}, page


@pytest.mark.parametrize("command", LONG)
def test_a_page_has_each_long_command(command: str) -> None:
    assert any(command in example.command for page in PAGES for example in examples(page)), "no page has it any more"
