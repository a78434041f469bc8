"""What pages, docstrings and comments name is there: files of the repository, parts of a module beside, decisions."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from ..test_style import ROOT, tree_of

FOLDERS = (
    "api", "audit", "bench", "cli", "docs", "editor", "editors", "examples", "explorer", "gates", "invariants",
    "language", "model", "real", "reports", "spec", "testing", "tests", "traces",
)  # fmt: skip
PATH = re.compile(r"(?<![\w./-])((?:[\w.-]+/)+[\w.-]+\.(?:py|md|toml|js|css|java|svg|ya?ml))(?![\w/])")
MODULE = re.compile(r"`([a-z_]+\.py)`")
PART = re.compile(r"`([a-z_]+)\.([A-Za-z_]+)`")
ENDINGS = ("log", "md", "parquet", "py", "stat", "toml", "txt")
"""After a dot these say what kind of file it is."""
DECISION = re.compile(r"\bdecision (\d+)\b|\[\w+ (\d+)\]\([\w./-]*decisions/(\d+)-", re.IGNORECASE)
"""A record of docs/decisions that is named by its number, and perhaps linked."""
STAND_INS = frozenset({"mine.py", "pair.py", "gates/lock.toml", "gates/new.toml", "docs/upgrade.html"})
"""Files of the reader, or of others."""


@cache
def files() -> tuple[Path, ...]:
    """Every file that says something, apart from what is made (pages of spec/) and what others wrote."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")] + [
        *ROOT.glob("*.md"),
        ROOT / "pyproject.toml",
    ]
    return tuple(
        path
        for path in found
        if path.suffix in (".py", ".md", ".toml", ".js")
        and "node_modules" not in path.parts
        and "build" not in path.parts
    )


def said_in(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page, and of a program its docstrings and comments, with their numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        lines = ((number, line) for number, line in enumerate(text.splitlines(), 1))
        yield from ((number, line) for number, line in lines if line.lstrip().startswith(("//", "/*", "*")))
    elif path.suffix == ".py":
        begins = True
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            is_docstring = token.type == tokenize.STRING and begins and token.string.lstrip("rR").startswith('"""')
            if token.type == tokenize.COMMENT or is_docstring:
                yield from enumerate(token.string.splitlines(), token.start[0])
            begins = token.type not in (tokenize.OP, tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
    else:
        yield from enumerate(text.splitlines(), 1)


def missing_files(path: Path, text: str) -> list[str]:
    """The files that a text names and that are not there: by their path from the root, or the file's own folder, or by
    a name in backticks that no module has. A name with capitals, such as `spec/NAME.toml`, stands for any."""
    found = [name for name in PATH.findall(text) if name.split("/")[0] in FOLDERS and not re.search("[A-Z]", name)]
    missing = [name for name in found if not (ROOT / name).exists() and not (path.parent / name).exists()]
    return [name for name in [*missing, *set(MODULE.findall(text)) - module_names()] if name not in STAND_INS]


@cache
def module_names() -> frozenset[str]:
    return frozenset(path.name for path in files() if path.suffix == ".py")


@cache
def parts_of(path: Path) -> frozenset[str]:
    """What a module defines or imports for all of it, and what its classes have."""
    found: set[str] = set()
    bodies = [tree_of(path).body, *(thing.body for thing in tree_of(path).body if isinstance(thing, ast.ClassDef))]
    for node in (
        node for body in bodies for statement in body for node in (statement, *ast.iter_child_nodes(statement))
    ):
        names = (getattr(node, field, None) for field in ("id", "name", "asname"))
        found |= {name for name in names if isinstance(name, str)}
    return frozenset(found)


@cache
def modules_of(folder: str) -> Mapping[str, list[Path]]:
    """The modules of a folder of the root and of those in it, by name."""
    found: dict[str, list[Path]] = {}
    for path in (ROOT / folder).rglob("*.py"):
        found.setdefault(path.stem, []).append(path)
    return found


def missing_parts(path: Path, text: str) -> list[str]:
    """What a text names of a module of the same folder of the root, as `module.part`, and the module has not."""
    near = modules_of(path.relative_to(ROOT).parts[0])
    named = [(module, part) for module, part in PART.findall(text) if module in near and part not in ENDINGS]
    return [
        f"{module}.{part}"
        for module, part in named
        if not any(part in parts_of(file) for file in near[module]) and part not in near
    ]


def missing_decisions(text: str) -> list[str]:
    """The numbers by which a text names records of docs/decisions that are not there, or links to another one."""
    there = {path.name[:4] for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")}
    numbers = [{number.zfill(4) for number in match.groups() if number} for match in DECISION.finditer(text)]
    return [" and ".join(sorted(number)) for number in numbers if len(number) > 1 or not number <= there]


def test_a_file_that_is_named_exists() -> None:
    assert len(files()) > 1000
    assert [
        f"{path.relative_to(ROOT)}:{number}: {name}"
        for path in files()
        for number, line in said_in(path)
        for name in missing_files(path, line)
    ] == []


def test_a_part_of_a_module_that_is_named_exists() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{number}: {name}"
        for path in files()
        if path.suffix == ".py"
        for number, line in said_in(path)
        for name in missing_parts(path, line)
    ] == []


def test_a_decision_that_is_named_is_on_record() -> None:
    assert [
        f"{path.relative_to(ROOT)}: {number}"
        for path in files()
        if path != Path(__file__)
        for number in missing_decisions(path.read_text(encoding="utf-8"))
    ] == []


def test_what_does_not_exist_is_found() -> None:
    here = ROOT / "audit" / "answers" / "runs_shown.py"
    assert missing_files(here, "see audit/questions.py and audit/questions/cases.py") == ["audit/questions.py"]
    assert missing_files(here, "`lost.py`, `cases.py`, spec/NAME.toml, other/lost.py, ../docs/lost.md") == ["lost.py"]
    assert missing_parts(here, "`case_order.within`, `case_order.is_within`, `log.dirs`") == ["case_order.within"]
    assert missing_decisions("decision 16, ([record 16](decisions/0016-what.md)), Decision 63") == ["0063"]
    assert missing_decisions("[decision 7](../decisions/0008-checks-are-forked.md)") == ["0007 and 0008"]


def test_docstrings_and_comments_are_read_and_other_strings_are_not() -> None:
    lines = dict(said_in(Path(__file__)))
    assert lines[1].startswith('"""What pages') and "docs/none.py" not in "".join(lines.values())
    assert any("node_modules" in line for line in lines.values()) is False
