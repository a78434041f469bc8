"""A file that a page, a docstring or a comment names is there."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ..conftest import ROOT

NAMED = re.compile(r"(?<![\w/.*<{$~-])((?:[\w.-]+/)*[\w-]+\.(?:py|md|toml|svg))(?![\w/*(])")
"""A file's name in a text, with the folders before it; not a pattern, nor the end of an address."""

OTHERS = {
    "mine.py": "a user's model",
    "mine_proof.py": "its proof",
    "NAME_proof.py": "its proof",
    "my_protocol.py": "a user's model",
    "other.py": "a user's model",
    "pair.py": "a model that a page writes",
    "pair.toml": "what is recorded of it",
    "states.svg": "a graph that a command writes",
    "none.toml": "what is not there, in a test",
    "CONFIGURATION.md": "librdkafka's",
    "coordinator/heartbeat.py": "kafka-python's",
    "spec/X.toml": "of whatever model",
    "model/NAME.py": "of whatever model",
    "spec/NAME.toml": "of whatever model",
    "cli/VERB.py": "of whatever verb",
    "spec/Y.toml": "of whatever model",
}
"""What is named and is no file of ours."""


@cache
def tracked_files() -> frozenset[str]:
    """The files of the repository, tracked or new, by their paths from its root."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return frozenset(name for name in names if name and (ROOT / name).is_file())


def prose(path: Path) -> Iterator[str]:
    """What a file says to people: of a page all but its samples, of a program its comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    if not NAMED.search(text):
        return
    if path.suffix == ".md":
        yield re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def names_of_no_file(path: Path) -> list[str]:
    """The names in a file's prose that are no file: a path from the root or from a folder around it, a bare name
    anywhere."""
    bare = {Path(name).name for name in tracked_files()}
    around = [folder for folder in path.parents if folder == ROOT or ROOT in folder.parents]
    found = {name for text in prose(path) for name in NAMED.findall(text)} - OTHERS.keys()
    return sorted(
        name
        for name in found
        if not (any((folder / name).is_file() for folder in around) if "/" in name else name in bare)
    )


def test_every_file_that_is_named_is_there() -> None:
    paths = [ROOT / name for name in sorted(tracked_files()) if name.endswith((".py", ".md"))]
    read = [path for path in paths if "fixtures" not in path.parts]
    assert len(read) > 300
    found = {str(path.relative_to(ROOT)): names for path in read if (names := names_of_no_file(path))}
    assert found == {}


@pytest.mark.parametrize(
    ("name", "text", "missing"),
    [
        ("a.md", "see `gone.py`, [x](../gone/y.md) and\n```\nsample.py\n```", ["../gone/y.md", "gone.py"]),
        ("a.md", "README.md, spec/kraft.toml, https://example.org/x.py and spec/*.md", []),
        ("a.py", '"""Of gone.py."""\nx = "never.py"  # of model/gone.py\n', ["gone.py", "model/gone.py"]),
    ],
)
def test_a_file_that_is_not_there_is_found(tmp_path: Path, name: str, text: str, missing: list[str]) -> None:
    (tmp_path / name).write_text(text)
    found = {one for said in prose(tmp_path / name) for one in NAMED.findall(said)}
    assert sorted(one for one in found if not (ROOT / one).exists()) == missing


NAMES_OF_A_FILE = re.compile(r"((?:`\w+`(?:, | and )?)+)\s+(?:of|in)\s+`((?:[\w-]+/)+[\w-]+\.py)`")
"""Names that a page says are in a file."""


def names_not_in_their_file(text: str) -> list[str]:
    """Of the names that a text says are in a file of ours those that are not."""
    found = [(name, file) for names, file in NAMES_OF_A_FILE.findall(text) for name in re.findall(r"\w+", names)]
    files = {file: (ROOT / file).read_text(encoding="utf-8") for _, file in found if (ROOT / file).is_file()}
    return [
        f"{name} of {file}"
        for name, file in found
        if name != "and" and file in files and not re.search(rf"\b{name}\b", files[file])
    ]


def test_every_name_that_a_page_says_is_in_a_file_is_there() -> None:
    pages = [ROOT / name for name in sorted(tracked_files()) if name.endswith(".md")]
    wrong = {page: found for page in pages if (found := names_not_in_their_file(page.read_text(encoding="utf-8")))}
    assert not wrong


def test_a_name_that_is_not_in_its_file_is_found() -> None:
    text = "cut with `tier_parameters` and `torn_rows` of\n`tests/support/shipped.py`, and `x` of `tests/none.py`"
    assert names_not_in_their_file(text) == ["torn_rows of tests/support/shipped.py"]
