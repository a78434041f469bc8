"""The folders as layers, by a tool that is not ours: what follows imports shows no arrow that runs up."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import grimp
import pytest

from .conftest import ROOT
from .test_style import ALLOWED, FILES, name_of, tree_of


@pytest.fixture
def graph() -> grimp.ImportGraph:
    """Every import of ours that stands in the checkout."""
    return grimp.build_graph("tidegate", cache_dir=None)


def layers() -> list[grimp.Layer]:
    """The layers of pyproject.toml, the uppermost first; the folders of one do not import each other."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contract = tomllib.loads(text)["tool"]["importlinter"]["contracts"][0]
    return [grimp.Layer(*line.split(" | ")) for line in contract["layers"]]


def arrows_up(graph: grimp.ImportGraph) -> set[tuple[str, str]]:
    """Who imports whom against the layers, by folder."""
    found = graph.find_illegal_dependencies_for_layers(layers=layers(), containers={"tidegate"})
    return {(imported.importer, imported.imported) for imported in found}


def table() -> dict[str, set[str]]:
    """Who may import whom, as ARCHITECTURE.md has it."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    allowed: dict[str, set[str]] = {}
    for folder, may in re.findall(r"^\| `(\w+)/` \| .* \| (.+) \|$", text, flags=re.MULTILINE):
        named = set(re.findall(r"`(\w+)`", may))
        allowed[folder] = set(allowed) - named if may.startswith("all of these") else named
    return allowed


def test_the_table_of_folders_is_the_one_that_is_checked() -> None:
    given = {folder: may - {"spec"} for folder, may in ALLOWED.items() if folder != "spec"}
    assert {folder: may for folder, may in table().items() if folder in given} == given


def test_no_arrow_runs_up(graph: grimp.ImportGraph) -> None:
    assert len(graph.modules) > 300
    assert arrows_up(graph) == set()
    graph.add_import(importer="tidegate.language.ir", imported="tidegate.cli.main")
    assert ("tidegate.language", "tidegate.cli") in arrows_up(graph)


def test_every_import_between_folders_is_in_the_table(graph: grimp.ImportGraph) -> None:
    inside = {module for module in graph.modules if module.count(".") > 1}
    arrows = {
        (importer.split(".")[1], imported.split(".")[1])
        for importer in inside
        for imported in graph.find_modules_directly_imported_by(importer)
        if imported in inside
    }
    assert ("cli", "api") in arrows and ("explorer", "language") in arrows
    assert {(one, other) for one, other in arrows if one != other and other not in ALLOWED[one]} == set()


def test_no_two_modules_import_each_other(graph: grimp.ImportGraph) -> None:
    """Nor three in a circle, imports for type checkers alone included: what two modules share stands below both."""
    below = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert "tidegate.language.model" in below["tidegate.language.judge"]
    TopologicalSorter(below).prepare()  # which refuses a circle, and names it
    below["tidegate.language.model"].add("tidegate.language.judge")
    with pytest.raises(CycleError):
        TopologicalSorter(below).prepare()


MOST_IMPORT_LINES = 18
"""With which a module of a protocol begins: a list of names that does not fit on a line comes whole, by `import *`."""


def test_a_specification_begins_with_few_imports() -> None:
    """It is read as a text, from its top: four lines of imports on average. Pyright finds what no import brings."""
    files = [path for path in FILES if path.relative_to(ROOT).parts[0] in ("model", "invariants")]
    lines: dict[str, int] = {}
    for path in files:
        header = [node for node in tree_of(path).body if isinstance(node, (ast.Import, ast.ImportFrom))]
        lines[name_of(path)] = sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in header)
    assert len(files) > 100 and {name: count for name, count in lines.items() if count > MOST_IMPORT_LINES} == {}
    assert sum(lines.values()) < 5 * len(files)


OF_EACH_MODEL = {"view", "profiles"}
"""What a module that claims something of a model has of its own, whatever the model has."""


def test_a_star_brings_no_name_twice_and_no_module_makes_it_again() -> None:
    """Who reads a name in a specification finds one thing of that name: decision 30."""
    wrong: list[str] = []
    starred = 0
    for path in (path for path in FILES if path.relative_to(ROOT).parts[0] in ("model", "invariants")):
        folder, found = path.relative_to(ROOT).parent, dict[str, object]()
        for node in tree_of(path).body:
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                starred += 1
                above = folder.parts[: len(folder.parts) - node.level + 1]
                module = import_module(".".join(filter(None, ("tidegate", *above, node.module))))
                public = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
                brought = {name: getattr(module, name) for name in public}
                twice = (name for name, thing in brought.items() if found.get(name, thing) is not thing)
                wrong += [f"{name_of(path)}: {name} is brought twice" for name in twice]
                found |= brought
        wrong += [
            f"{name_of(path)}: {name} is brought by a star" for name in _made_by(path) & set(found) - OF_EACH_MODEL
        ]
    assert starred > 60 and wrong == []


def _made_by(path: Path) -> set[str]:
    """What a module defines at its top."""
    names = set[str]()
    for node in tree_of(path).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case _:
                continue
    return names


MOST_FLOORS = 9
"""Of modules in `audit/` that stand on one another: what a reader has to go through, at most, to understand one."""


def test_an_audit_has_few_floors(graph: grimp.ImportGraph) -> None:
    inside = {module for module in graph.modules if module.startswith("tidegate.audit.")}
    below = {module: graph.find_modules_directly_imported_by(module) & inside for module in inside}
    floors: dict[str, int] = {}
    for module in TopologicalSorter(below).static_order():  # which refuses a circle
        floors[module] = 1 + max((floors[other] for other in below[module]), default=0)
    assert len(inside) > 100 and max(floors.values()) <= MOST_FLOORS


def test_the_linter_of_imports_is_content() -> None:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", program, "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "2 kept, 0 broken" in done.stdout, done.stdout + done.stderr


def test_every_folder_with_modules_is_installed() -> None:
    """`pip install .` copies the packages that pyproject.toml names, and no other: a folder that it does not name is
    there in a clone, and missing where Tidegate is installed."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {".".join(("tidegate", *path.relative_to(ROOT).parts[:-1])) for path in FILES}
    assert sorted(settings["packages"]) == sorted(folders | set(settings["package-data"]) - {"*"})
