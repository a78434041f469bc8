"""docs/published.md: each model of examples/published, with the lines that it has."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

from ..conftest import ROOT

PAGE = (ROOT / "docs" / "published.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| \[(\w+)\]\(\S+\) \| .* \| (\d+) \| (\d+) \|$", re.MULTILINE)
LAID_OUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def code_lines(path: Path) -> int:
    """A file's lines of code: without comments, documentation, empty lines and imports."""
    text = path.read_text(encoding="utf-8")
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            left_out |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            left_out |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in LAID_OUT:
            code |= set(range(token.start[0], token.end[0] + 1))
    return len(code - left_out)


def test_each_model_has_its_lines() -> None:
    shown = {name: int(ours) for name, _, ours in ROW.findall(PAGE)}
    assert shown == {path.stem: code_lines(path) for path in (ROOT / "examples" / "published").glob("*.py")}


def test_what_is_longer_is_named() -> None:
    rows = [(name, int(theirs), int(ours)) for name, theirs, ours in ROW.findall(PAGE)]
    named = re.findall(r"^\| ([\w, ]+) \| [^|]+ \|$", PAGE.partition("| longer here |")[2], re.MULTILINE)
    assert {name for name, theirs, ours in rows if ours > theirs} == set(", ".join(named).split(", "))
    assert f"| together | | {sum(row[1] for row in rows)} | {sum(row[2] for row in rows)} |" in PAGE
