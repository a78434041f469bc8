"""The tests mirror the tree: each module has its file of tests, which uses it, and each protocol has a folder.

The tests of `explorer/native/layout.py` are `tests/explorer/native/test_layout.py`. They import the module, or what
calls it: of a room whose modules are driven through one door, such as the readers of an audit through
`audit.auditing`, the door (`DOORS`); of a verb, they run it by its name. A file of tests in the same folder may stand
for a module besides, where it imports it and its docstring says so: "Also of: `states`.". What a protocol's text and
properties promise is tested in `tests/model/NAME/`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import grimp
import pytest
from tidegate.cli.verbs import VERBS
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS

from .conftest import ROOT
from .test_style import FILES, tree_of

TESTS = ROOT / "tests"
PROTOCOLS = ("model", "invariants")
"""Folders whose modules make up protocols, each of which has one folder of tests for its text and its properties."""

_COMPILED = "text for our own compiler, which Python cannot call: native/test_search and test_kernels run it"
_BROKERS = "it starts real brokers: real/driving/test_brokers has a trace for each of its steps"
_TERMS = "its terms are compared with plain Python by test_encoding, over models of every construct"
WITHOUT: Mapping[str, str] = {
    "cli/audit_confirm.py": _BROKERS,
    "cli/audit_files.py": "its pages are opened by reports/audit/test_html",
    "explorer/native/edges_kernel.py": _COMPILED,
    "explorer/native/graph_kernel.py": _COMPILED,
    "explorer/native/initials_kernel.py": _COMPILED,
    "explorer/native/kernel.py": _COMPILED,
    "explorer/native/liveness.py": "explorer/liveness/test_liveness has each of its answers, beside plain Python's",
    "explorer/native/observation_search.py": "it follows logs: real/history has them",
    "explorer/native/shard_kernel.py": _COMPILED,
    "explorer/smt/claims.py": "cli/test_prove_verdicts has each of its verdicts",
    "explorer/smt/expressions.py": _TERMS,
    "explorer/smt/statements.py": _TERMS,
    "explorer/smt/type_bounds.py": _TERMS,
    "explorer/smt/unions.py": _TERMS,
    "explorer/spark/adapter.py": "it runs in Spark's own processes: test_spark starts them",
    "explorer/spark/daemon.py": "it is such a process",
    "explorer/spark/matrix.py": "it runs in Spark's own processes: cli/test_gate and test_sweep start them",
    "language/frontend/refining.py": "language/test_refinement and test_refinement_messages have all that it makes",
    "real/driving/consumers/world.py": "the shape of what its driver is given: no code",
    "real/driving/controllers/cluster.py": _BROKERS,
    "real/driving/family.py": "the shape of a family: no code",
    "real/driving/nodes/client.py": _BROKERS,
    "real/driving/producer/cluster.py": _BROKERS,
    "real/driving/transactions/cluster.py": _BROKERS,
    "real/inprocess/controllers.py": "it runs Kafka's own classes: cli/test_hunt starts them",
}
"""Modules without tests of their own, each with the reason: one in twenty at most."""
PROTOCOLS_WITHOUT: tuple[str, ...] = ()

DOORS: Mapping[str, str | tuple[str, ...]] = {
    "api": "tidegate",
    "audit": "tidegate.audit.auditing",
    "cli/audit_several": "audit",
    "cli/export_tla": "export",
    "cli/main": "check",
    "cli/saved_traces": "replay",
    "cli/streams": "check",
    "cli/witnesses": "check",
    "explorer": "tidegate.explorer",
    "explorer/native": "tidegate.explorer.native.search",
    "explorer/smt": "tidegate.explorer.smt.induction",
    "explorer/spark": "tidegate.explorer.spark.driver",
    "language": ("tidegate.language", "tidegate.language.binding"),
    "real/driving/partition": "tidegate.real.driving.partition.plan",
    "real/history": "validate",
    "real/validation": "validate",
    "reports/tla": "tidegate.reports.tla.module",
    "testing": "tidegate.testing",
    "traces": "tidegate.traces.document",
}
"""Rooms whose modules are driven through one door: a module that calls each of them, or a verb of the command line."""


def modules() -> list[str]:
    """Every module that has its own file of tests, by its path: packages are what their modules are."""
    paths = [path.relative_to(ROOT) for path in FILES if not path.name.startswith("__")]
    return [path.as_posix() for path in paths if path.parts[0] not in PROTOCOLS]


def imported_by(test: Path) -> set[str]:
    """The dotted names that a file of tests imports."""
    return {name for _, name in _imports(test)}


def _imports(test: Path) -> Iterator[tuple[int, str]]:
    """The names of each import, with its level: 0 of what is installed, else how far up it begins."""
    for node in ast.walk(tree_of(test)):
        match node:
            case ast.ImportFrom(module=module, names=names, level=level):
                yield from ((level, ".".join(filter(None, (module, alias.name)))) for alias in names)
                yield level, module or ""
            case ast.Import(names=names):
                yield from ((0, alias.name) for alias in names)
            case _:
                continue


@cache
def used_by(test: Path) -> frozenset[str]:
    """What a file of tests imports, itself or through other files of `tests/`."""
    found, seen, waiting = set[str](), {test}, [test]
    while waiting:
        here = waiting.pop()
        for level, name in _imports(here):
            other = here.parents[level - 1].joinpath(*name.split(".")).with_suffix(".py") if level else here
            if level == 0:
                found.add(name)
            elif other not in seen and other.is_file() and other.name != "conftest.py":
                seen.add(other)
                waiting.append(other)
    return frozenset(found)


def runs_verb(test: Path, verb: str) -> bool:
    """Whether a file of tests runs a verb: a call of `tidegate`, `main` or another with its name first."""
    return any(isinstance(node, ast.Constant) and node.value == verb for node in ast.walk(tree_of(test)))


def dotted_name(module: str) -> str:
    """`tidegate.explorer.native.layout` of `explorer/native/layout.py`."""
    return ".".join(("tidegate", *Path(module).with_suffix("").parts))


def doors_of(module: str) -> tuple[str, ...]:
    """The doors of a module, or of the nearest folder that has one. A verb of the command line is its own."""
    places = [Path(module).with_suffix("").as_posix(), *(folder.as_posix() for folder in Path(module).parents)]
    if places[1] == "cli" and places[0] not in DOORS:
        return (Path(module).stem.replace("_", "-"),)
    found = next((DOORS[place] for place in places if place in DOORS), ())
    return (found,) if isinstance(found, str) else found


def is_imported(module: str, used: frozenset[str]) -> bool:
    """Whether a module, or something of it, is among the dotted names."""
    name = dotted_name(module)
    return any(one == name or one.startswith(f"{name}.") for one in used)


def is_used(module: str, test: Path) -> bool:
    """Whether a file of tests imports a module, or goes through a door to it."""
    used = used_by(test)
    return is_imported(module, used) or any(
        door in used if door.startswith("tidegate") else runs_verb(test, door) for door in doors_of(module)
    )


@cache
def has_tests(test: Path) -> bool:
    """Whether there is a test in a file, and something that it asserts."""
    tree = tree_of(test)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return bool(tests) and any(isinstance(node, ast.Assert) for node in ast.walk(tree))


@cache
def named_besides(folder: Path) -> dict[str, list[Path]]:
    """The modules that files of tests in a folder say they are of besides, each with these files."""
    found: dict[str, list[Path]] = {}
    for test in sorted(folder.glob("test_*.py")):
        docstring = ast.get_docstring(tree_of(test)) or ""
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
    """But for the few of `WITHOUT`, which is exact."""
    assert untested_modules() - set(WITHOUT) == set(), "write tests/FOLDER/test_MODULE.py"
    assert set(WITHOUT) - untested_modules() == set(), "it has tests now: take it off the list"
    assert len(WITHOUT) * 20 <= len(modules())


def test_each_file_of_tests_uses_its_module() -> None:
    """A file of that name which tests something else would stand for nothing."""
    files = {module: TESTS / Path(module).parent / f"test_{Path(module).name}" for module in modules()}
    assert [module for module, test in files.items() if test.is_file() and not is_used(module, test)] == []


def test_what_is_driven_through_a_door_is_reached_from_it() -> None:
    """Else a file of tests could go through the door and never come to its module."""
    graph = grimp.build_graph("tidegate", cache_dir=None)
    wrong: list[str] = []
    for module in modules():
        test = TESTS / Path(module).parent / f"test_{Path(module).name}"
        if test.is_file() and not is_imported(module, used_by(test)):
            doors = [VERBS[door].module if door in VERBS else door for door in doors_of(module)]
            name = dotted_name(module)
            if not any(door in (name, "tidegate") or graph.chain_exists(door, name) for door in doors):
                wrong.append(f"{doors} do not come to {name}")
    assert wrong == []


def test_who_stands_for_a_module_besides_imports_it() -> None:
    wrong: list[str] = []
    for folder in {TESTS / Path(module).parent for module in modules()}:
        for name, tests in named_besides(folder).items():
            module = f"{folder.relative_to(TESTS).as_posix()}/{name}.py"
            assert (ROOT / module).is_file(), f"there is no {module}"
            wrong += [
                f"{test.relative_to(TESTS)} does not import {module}"
                for test in tests
                if not is_imported(module, frozenset(imported_by(test)))
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
