"""The examples under `--help`: every one is a command line that its verb takes, about things that exist, and those that
are quick are run. What the command line imports before it answers.

Also of: `verbs`.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from tidegate.api.models import bind_model, find_definition
from tidegate.cli.options import model_choice_of
from tidegate.cli.verbs import VERBS, command_parser

from ..conftest import ROOT, Run
from ..support.commands import Commands
from ..support.shipped import tier_parameters

QUICK = {
    "check replication:kip320", "demo", "explain", "export", "models", "replay", "show", "simulate", "spec",
    "sweep replication:kip320 --vary", "check replication:kip101", "check mine.py", "check examples/lock.py",
    "check replication:truncate_to_hw --set", "explore",
}  # fmt: skip
"""What examples begin with that need neither a cluster nor a broker, nor minutes."""

NOT_RUN = ("spark", "--web", "--watch", "--drop", "report/strong_isr.trace.json --shrink", "spec")


def examples(verb: str) -> Iterator[str]:
    """The command lines of a verb's examples, without what is said of them."""
    text = import_module(VERBS[verb].module).EXAMPLES.replace("\\\n", " ")
    for line in re.findall(r"^  (tidegate .*)$", text, re.MULTILINE):
        command = re.split(r" {3,}(?=[a-z])", line)[0]
        yield from (part.strip() for part in re.split(r"; (?=\w+ )|>", command) if part.strip().startswith("tidegate "))


EVERY = [(verb, example) for verb in VERBS for example in examples(verb)]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "examples").symlink_to(ROOT / "examples")
    lock = (ROOT / "examples" / "lock.py").read_text(encoding="utf-8")
    (folder / "mine.py").write_text(lock.replace("careless", "broken"), encoding="utf-8")
    return folder


def test_every_verb_has_examples() -> None:
    assert {verb for verb, _ in EVERY} == set(VERBS)


@pytest.mark.parametrize(("verb", "example"), EVERY, ids=[example for _, example in EVERY])
def test_an_example_is_about_what_there_is(
    verb: str, example: str, workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workshop)
    first, *rest = shlex.split(example)[1:]
    options = command_parser(first).parse_args([first, *rest])
    model = getattr(options, "model", None)
    if isinstance(model, str) and not model.endswith(".json"):
        definition, _ = find_definition(model)
        if hasattr(options, "properties"):
            bind_model(model_choice_of(options))
        if first == "explain" and options.action is not None:
            assert options.action in {action.name for action in definition.bind(model).actions}
    assert verb in VERBS


RUN = [
    (verb, example)
    for verb, example in EVERY
    if any(example.removeprefix("tidegate ").startswith(text) for text in QUICK)
    and not any(program in example for program in NOT_RUN)
]
FIRST = dict(reversed(RUN))
"""Of each verb the first example."""


@pytest.mark.parametrize("example", tier_parameters([example for _, example in RUN], set(FIRST.values()).__contains__))
def test_a_quick_example_does_what_it_says(example: str, workshop: Path, cache: Path, commands: Commands) -> None:
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8"}
    if "report/one_inside" in example or "before.trace" in example:
        commands.run(["check", "examples/lock.py:careless", "--out", "report"], workshop, environment)
        for name in ("before", "after"):
            (workshop / f"{name}.trace.json").write_bytes((workshop / "report" / "one_inside.trace.json").read_bytes())
    if "report/run" in example:
        commands.run(["simulate", "raft:no_fsync", "--seed", "1", "--out", "report"], workshop, environment)
    if "report/strong_isr" in example and not (workshop / "report" / "strong_isr.trace.json").is_file():
        commands.run(["check", "replication:kip101", "--out", "report"], workshop, environment)
    done = commands.run(shlex.split(example)[1:], workshop, environment)
    assert done.exit in (0, 1, 3, 4), (done.out, done.err)


def test_a_sweep_over_a_value_that_cannot_be_says_so_before_it_begins(tidegate: Run) -> None:
    reported = tidegate("sweep", "replication:kip320", "--vary", "truncation=common_prefix,own_epoch")
    assert (reported.exit, reported.out) == (64, "")
    assert "truncation=own_epoch: it must be one of" in reported.err


def imported_modules(*arguments: str) -> set[str]:
    """The modules that a command line has imported when it ends."""
    program = (
        "import sys\nfrom tidegate.cli.entry import run\n"
        f"sys.argv = ['tidegate', *{list(arguments)!r}]\n"
        "try:\n    run()\nfinally:\n    print(sorted(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(ast.literal_eval(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_needs_no_verb_imports_none(option: str) -> None:
    ours = {text for text in imported_modules(option) if text.startswith("tidegate.")}
    assert ours == {
        "tidegate.cli",
        "tidegate.cli.bytecode",
        "tidegate.explorer",
        "tidegate.explorer.cache",
        "tidegate.cli.entry",
        "tidegate.cli.streams",
        "tidegate.cli.verbs",
        "tidegate.reports",
        "tidegate.reports.exits",
    } | ({"tidegate.traces", "tidegate.traces.program"} if option == "--version" else set())


def test_a_check_imports_only_what_it_needs() -> None:
    found = imported_modules("check", "examples/lock.py")
    for absent in (
        "z3",
        "pyspark",
        "networkx",
        "numpy",
        "javaproperties",
        "ruamel",
        "tidegate.audit",
        "tidegate.model.raft",
    ):
        assert absent not in found, absent
    assert "tidegate.explorer.native.search" in found
