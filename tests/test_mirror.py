"""The tests mirror the tree: each module has its file of tests, which uses it, and each protocol has a folder.

The tests of `explorer/native/layout.py` are `tests/explorer/native/test_layout.py`. A file of tests in the same folder
may stand for a module besides, where it uses it and its docstring says so: "Also of: `states`.". What a protocol's text
and properties promise is tested in `tests/model/NAME/`.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS

from .conftest import ROOT
from .test_style import FILES

TESTS = ROOT / "tests"
PROTOCOLS = ("model", "invariants")
"""Folders whose modules make up protocols, each of which has one folder of tests for its text and its properties."""

WITHOUT: tuple[str, ...] = (
    "api/auditing.py", "api/checking.py", "api/simulating.py", "audit/cluster/settings.py",

    "audit/repairs/after_repair.py", "audit/report/cluster_words.py",
    "audit/report/document.py", "cli/audit_confirm.py", "cli/audit_files.py", "cli/cluster_words.py",
    "cli/explore_prompt.py", "cli/neighbourhood.py", "cli/validate_files.py", "explorer/native/canonical.py",
    "explorer/native/edges_kernel.py", "explorer/native/graph_kernel.py", "explorer/native/initials_kernel.py",
    "explorer/native/kernel.py", "explorer/native/liveness.py", "explorer/native/network.py",
    "explorer/native/observation_search.py", "explorer/native/projection_kernel.py", "explorer/native/shard_kernel.py",
    "explorer/smt/claims.py", "explorer/smt/expressions.py", "explorer/smt/houdini.py", "explorer/smt/statements.py",
    "explorer/smt/unions.py", "explorer/spark/adapter.py", "explorer/spark/daemon.py",
    "explorer/spark/matrix.py", "gates/document.py", "gates/files.py", "language/frontend/refining.py",
    "real/driving/consumers/world.py", "real/driving/controllers/cluster.py", "real/driving/family.py",
    "real/driving/nodes/client.py", "real/driving/nodes/group_wire.py", "real/driving/producer/cluster.py",
    "real/driving/stages.py", "real/driving/transactions/cluster.py", "real/driving/transactions/wire.py",
    "real/inprocess/controllers.py", "real/logs/batches.py",
    "reports/audit/html.py", "reports/audit/markdown.py",
    "reports/check/html.py", "reports/gate/html.py",
    "reports/gate/summary.py", "reports/gate/terminal.py", "reports/spec/mathematics.py", "reports/spec/summary.py",
    "reports/trace/drawing.py", "reports/trace/lanes.py", "reports/validate.py",
)  # fmt: skip
"""Modules without tests of their own: those of other folders go through them. The list only becomes shorter."""
PROTOCOLS_WITHOUT: tuple[str, ...] = ()


def modules() -> list[str]:
    """Every module that has its own file of tests, by its path: packages are what their modules are."""
    paths = [path.relative_to(ROOT) for path in FILES if not path.name.startswith("__")]
    return [path.as_posix() for path in paths if path.parts[0] not in PROTOCOLS]


def imported_by(test: Path) -> set[str]:
    """The dotted names that a file of tests imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module=str(module), names=names, level=0):
                found |= {module, *(f"{module}.{alias.name}" for alias in names)}
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case _:
                continue
    return found


@cache
def has_tests(test: Path) -> bool:
    """Whether there is a test in a file, and something that it asserts."""
    tree = ast.parse(test.read_text(encoding="utf-8"))
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return bool(tests) and any(isinstance(node, ast.Assert) for node in ast.walk(tree))


@cache
def named_besides(folder: Path) -> dict[str, list[Path]]:
    """The modules that files of tests in a folder say they are of besides, each with these files."""
    found: dict[str, list[Path]] = {}
    for test in sorted(folder.glob("test_*.py")):
        docstring = ast.get_docstring(ast.parse(test.read_text(encoding="utf-8"))) or ""
        for names in re.findall(r"^Also of: (.*(?:\n.+)*)", docstring, flags=re.MULTILINE):
            for name in re.findall(r"`(\w+)`", names):
                found.setdefault(name, []).append(test)
    return found


def untested_modules() -> set[str]:
    """The modules that no file of tests is of."""
    missing: set[str] = set()
    for module in modules():
        path = Path(module)
        folder = TESTS / path.parent
        besides = named_besides(folder).get(path.stem, [])
        own = folder / f"test_{path.name}"
        if not (own.is_file() and has_tests(own)) and not besides:
            missing.add(module)
    return missing


def test_each_module_has_its_tests() -> None:
    """`WITHOUT` names those that have none yet: it is exact, so that it only becomes shorter."""
    assert len(modules()) > 400
    assert untested_modules() - set(WITHOUT) == set(), "write tests/FOLDER/test_MODULE.py"
    assert set(WITHOUT) - untested_modules() == set(), "it has tests now: take it off the list"


def test_who_stands_for_a_module_besides_uses_it() -> None:
    wrong: list[str] = []
    for folder in {TESTS / Path(module).parent for module in modules()}:
        for name, tests in named_besides(folder).items():
            module = ".".join(("tidegate", *folder.relative_to(TESTS).parts, name))
            package = module.rpartition(".")[0]
            wrong += [
                f"{test.relative_to(TESTS)} does not use {module}"
                for test in tests
                if not any(used in (module, package) or used.startswith(f"{module}.") for used in imported_by(test))
            ]
    assert wrong == []


@pytest.mark.parametrize("name", sorted({*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS}))
def test_each_protocol_has_its_folder(name: str) -> None:
    """That of the model which a refinement or a claim of liveness is about, too; what it is about is its first name."""
    protocol = name.partition("_as_")[0].removesuffix("_live")
    folders = [TESTS / "model" / protocol, TESTS / "model" / "studies" / protocol]
    found = [test for folder in folders for test in folder.glob("test_*.py") if has_tests(test)]
    assert found or protocol in PROTOCOLS_WITHOUT
    assert not (found and protocol in PROTOCOLS_WITHOUT), "it has tests now: take it off the list"
