"""What a proof depends on besides the model: our own text that makes formulas, all of it, and the solver.

The text is that of every module of the package that the proof imports, at first or later, directly or through others:
found by reading the import statements. A module that is forgotten in a list would let a proof outlive its reason.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import cast

from ...language.code_digest import text_digest

ROOT = f"{__package__}.induction"
"""The module of which all imports are followed."""


@cache
def prover_digest() -> str:
    """A digest of what a proof depends on besides the model."""
    import z3

    files = dict(sorted(modules_imported().items()))
    total = hashlib.sha256(f"{z3.get_full_version()} {' '.join(files)} {text_digest(files.values())}".encode())
    return total.hexdigest()


def modules_imported(root: str = ROOT) -> dict[str, Path]:
    """The modules of the package that a module imports, itself included, and their files."""
    package = root.partition(".")[0]
    found: dict[str, Path] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        path = None if name in found else _file_of(name)
        if path is not None:
            found[name] = path
            waiting += [text for text in _imported_modules(name, path) if text.partition(".")[0] == package]
    return found


def _file_of(name: str) -> Path | None:
    """A module's file; None for a name in a module, and for what is no text."""
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, AttributeError):
        return None
    origin = None if spec is None else spec.origin
    return Path(origin) if origin is not None and origin.endswith(".py") else None


def _imported_modules(name: str, path: Path) -> Iterator[str]:
    """The names of what may be modules in a module's import statements, and the packages that it is in. Of a package
    itself, which may offer what the proof does not use, those statements that are executed when it is imported."""
    is_package = path.name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    text = ast.parse(path.read_bytes())
    for node in text.body if is_package else _statements_within(text.body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module or ""
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
    while package:
        yield package
        package = package.rpartition(".")[0]


def _statements_within(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Statements, and those inside of them."""
    for statement in body:
        yield statement
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(statement, part, None)
            if isinstance(inner, list):
                yield from _statements_within(cast("list[ast.AST]", inner))
