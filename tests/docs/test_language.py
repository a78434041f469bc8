"""docs/language.md is executed: its model grows block by block, its commands print what the page shows, and each cell
of its tables is tried. docs/errors.md is generated from the table of codes and its examples; TIDEGATE_UPDATE=1 writes
it.
"""

from __future__ import annotations

import ast
import doctest
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.language.binding import load
from tidegate.language.errors import CODES, ModelErrors

from ..conftest import ROOT
from ..support.commands import Commands
from .test_commands import Example, commands

PAGES = (ROOT / "docs" / "language.md", ROOT / "docs" / "looking-inside.md")
"""The second goes on with the model of the first."""
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
ERRORS = ROOT / "docs" / "errors.md"
FIXTURES = ROOT / "tests" / "fixtures" / "errors"

# --- the model of the page --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stage:
    """A block of the page: Python that adds to the model, or a command that is run with the model as it is by then."""

    line: int
    model: str
    example: Example | None


def stages() -> Iterator[Stage]:
    model = ""
    for block in re.finditer(r"^```(python|console)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        line = TEXT.count("\n", 0, block.start(2)) + 1
        if block[1] == "python":
            model = join_texts(model, block[2])
            yield Stage(line, model, None)
        else:
            yield from (
                Stage(command.line, model, command) for command in commands(PAGES[0].stem, block[2].splitlines(), line)
            )


def join_texts(model: str, more: str) -> str:
    """The model with more text; what is defined again replaces what was there."""
    texts = dict(definitions(model))
    for name, text in definitions(more):
        texts[name] = text
    return "\n\n\n".join(texts.values()) + "\n"


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Each statement's text, by the name it defines; by itself where it defines none."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        said = "\n".join(lines[first - 1 : node.end_lineno])
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                yield name, said
            case _:
                yield said, said


STAGES = list(stages())
GROWTH = [stage for stage in STAGES if stage.example is None and "@initial" in stage.model and "@action" in stage.model]
COMMANDS = [stage for stage in STAGES if stage.example is not None]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which the commands of the page are run one after another."""
    return tmp_path_factory.mktemp("workshop")


@pytest.mark.parametrize("stage", GROWTH, ids=lambda stage: f"line {stage.line}")
def test_the_model_is_whole_after_each_block(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "pair.py"
    file.write_text(stage.model, encoding="utf-8")
    verdict = ENGINES["python"](load(file).bind(), Search(), None)
    assert verdict.verdict == "holds"


@pytest.mark.parametrize("stage", COMMANDS, ids=lambda stage: f"line {stage.line}")
def test_the_commands_do_what_the_page_says(stage: Stage, workshop: Path, cache: Path, commands: Commands) -> None:
    example = stage.example
    assert example is not None
    (workshop / "pair.py").write_text(stage.model, encoding="utf-8")
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    done = commands.shell(example.command, workshop, environment)
    assert done.exit == example.exit, done.out
    checker = doctest.OutputChecker()
    assert checker.check_output(example.output, done.out, doctest.ELLIPSIS), f"$ {example.command}\n{done.out}"


# --- the tables of the page -------------------------------------------------------------------------------------------

TRIAL = '''\
"""A model to try things in."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Bag, Capacity, Domain, Ghost, Map, Option, Range, Seq, Set, action, choose, initial, is_majority, position,
    previous, record, replace, require, state, subsets,
)

class Replica(Domain, size=2):
    """A broker."""

class Seat(Domain, size=3, ordered=True):
    """A place on a ring."""

@record
class Ack:
    """An answer."""
    done: bool

class Mode(Enum):
    """How fast."""
    SLOW = 1
    FAST = 2

Number = Annotated[int, Range(0, 3)]

@record
class Pair:
    """Two numbers."""
    first: Number
    second: Number

@state
class World:
    """A cell of every kind."""
    n: Number
    ok: bool
    mode: Mode
    leader: Option[Replica]
    pair: Pair
    m: Map[Replica, Number]
    q: Annotated[Seq[Number], Capacity(3)]
    isr: Set[Replica]
    late: Annotated[Set[Pair], Capacity(3)]
    seat: Seat
    seats: Set[Seat]
    both: tuple[Replica, Number]
    tried: ANNOTATION

@initial
def start() -> World:
    """The first state."""
    return World(
        n=0, ok=True, mode=Mode.SLOW, leader=None, pair=Pair(first=0, second=0), m=Map({r: 0 for r in Replica}),
        q=Seq(), isr=Set(), late=Set(), seat=Seat(0), seats=Set(Seat), both=(Replica(0), 0), tried=VALUE,
    )

@action
def step(s: World, r: Replica) -> None:
    """A step."""
    STATEMENT
'''


def rows(heading: str) -> list[list[str]]:
    """The cells of the table that follows a heading, its two first lines left out."""
    table = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def codes_of(folder: Path, annotation: str = "bool", value: str = "True", statement: str = "pass") -> set[str]:
    """The codes of the mistakes in the trial model with this field and this step."""
    file = folder / "trial.py"
    text = TRIAL.replace("ANNOTATION", annotation).replace("VALUE", value).replace("STATEMENT", statement)
    text = (
        text
        if statement.startswith("require")
        else text.replace(f"    {statement}\n", f"    s.ok = s.ok\n    {statement}\n")
    )
    file.write_text(text, encoding="utf-8")
    try:
        load(file).bind()
    except ModelErrors as errors:
        return {error.code for error in errors.errors}
    return set()


def as_statement(text: str) -> str:
    """An expression of the page becomes an assignment; a call that is a statement stays one."""
    effects = ("print", "breakpoint", "require", ".append", ".add")
    match ast.parse(text).body:
        case [ast.Expr(value=ast.Call(func=func))] if ast.unparse(func).endswith(effects):
            return text
        case [ast.Expr()]:
            return f"value = {text}"
        case _:
            return text


@pytest.mark.parametrize("row", rows("The types"), ids=lambda row: row[0])
def test_each_type_has_the_value_that_is_shown(row: list[str], tmp_path: Path) -> None:
    assert codes_of(tmp_path, row[0].strip("`"), row[1].strip("`")) == set()


@pytest.mark.parametrize("row", rows("The Python in a model"), ids=lambda row: row[0])
def test_each_construct_is_as_the_table_says(row: list[str], tmp_path: Path) -> None:
    _, allowed, refused = row
    for snippet in re.findall(r"`([^`]+)`", allowed):
        assert codes_of(tmp_path, statement=as_statement(snippet)) == set(), snippet
    wrong = re.findall(r"`([^`]+)` (TG\d+)", refused)
    assert len(wrong) == refused.count("TG")
    for snippet, code in wrong:
        assert codes_of(tmp_path, statement=as_statement(snippet)) == {code}, snippet


def test_the_page_names_codes_that_exist() -> None:
    assert set(re.findall(r"TG\d\d\d", TEXT)) <= set(CODES)


@pytest.mark.parametrize("page", ["language.md", "errors.md", "engine.md"])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


# --- the page of errors -----------------------------------------------------------------------------------------------

INTRODUCTION = """\
# What can be wrong with a model's text

Before a model runs, its text is read and checked, and everything that is wrong with it is reported at once: a code and
its meaning, the place, the line with a caret, the cause, and the nearest legal form. `tidegate` ends with exit 65.

A code keeps its meaning for ever. Below is each of them with a file that has the mistake and the exact text for it.
This page is generated from [language/errors.py](../language/errors.py) and
[tests/fixtures/errors/](../tests/fixtures/errors/); `TIDEGATE_UPDATE=1 pytest tests/docs/test_language.py` writes it.
"""

GROUPS = {
    "TG0": ("Reading the file", "The file must be a Python module with a state, a first state and an action."),
    "TG1": ("Not in the language", "Python that has no meaning here; [language.md](language.md) lists what has."),
    "TG2": ("Types", "Everything has one finite type, known before the model runs. Nothing is converted silently."),
    "TG3": ("Rules of a step", "What a guard, an action, a helper and a property may do."),
    "TG4": ("Bounds", "Whatever is stored has bounds that fit a machine word."),
}


def errors_page() -> str:
    """docs/errors.md, from the codes and their examples."""
    parts = [INTRODUCTION]
    for group, (title, about) in GROUPS.items():
        parts.append(f"## {group}xx: {title}\n\n{about}\n")
        parts += [entry(code, meaning) for code, meaning in CODES.items() if code.startswith(group)]
    return "\n".join(parts)


def entry(code: str, meaning: str) -> str:
    """One code with its example."""
    reported, _, _ = (FIXTURES / f"{code}.txt").read_text(encoding="utf-8").rpartition("\n\n")
    file = f"[{code}.py](../tests/fixtures/errors/{code}.py)"
    return f"### {code}: {meaning}\n\n{file}\n\n```text\n{reported}\n```\n"


def test_the_page_of_errors_is_up_to_date() -> None:
    if os.environ.get("TIDEGATE_UPDATE"):
        ERRORS.write_text(errors_page(), encoding="utf-8")
    assert ERRORS.read_text(encoding="utf-8") == errors_page()
    assert all(f"\n### {code}: " in errors_page() for code in CODES)
