"""Bugs planted in the shipped models: each is the models' own text with one piece replaced, as a package of its own."""

from __future__ import annotations

import importlib
import itertools
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import read_record_file
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, find
from tidegate.language.binding import Definition, load
from tidegate.language.model import Model

from ..conftest import ROOT

_numbers = itertools.count()


@dataclass(frozen=True)
class Mutant:
    """A model's name in the catalogue, the file in `model/` with the bug, the text that is replaced, and by what."""

    model: str
    file: str
    text: str
    replacement: str

    def __post_init__(self) -> None:
        PLANTED.append(self)

    @property
    def is_there(self) -> bool:
        """Whether the text stands in the file, once."""
        return (ROOT / "model" / self.file).read_text(encoding="utf-8").count(self.text) == 1


PLANTED: list[Mutant] = []
"""Every bug of the test files that were collected."""


def plant(folder: Path, mutant: Mutant) -> Callable[[str], ModuleType]:
    """Copies the models and their properties into a folder, with the bug in them. Answers what imports one of the
    copied modules by its name below the package: `model.raft`."""
    name = f"mutant{next(_numbers)}"
    package = folder / name
    for part in ("model", "invariants"):
        shutil.copytree(ROOT / part, package / part, ignore=shutil.ignore_patterns("__pycache__"))
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for dots in ("....", "...", ".."):
            text = text.replace(f"from {dots}language", "from tidegate.language")
        path.write_text(text, encoding="utf-8")
    file = package / "model" / mutant.file
    text = file.read_text(encoding="utf-8")
    assert mutant.is_there
    file.write_text(text.replace(mutant.text, mutant.replacement), encoding="utf-8")

    def import_module(module: str) -> ModuleType:
        sys.path.insert(0, str(folder))
        try:
            return importlib.import_module(f"{name}.{module}")
        finally:
            sys.path.remove(str(folder))

    return import_module


def plant_mutant(folder: Path, mutant: Mutant, claims: str | None = None) -> Definition:
    """The definition of a model with the bug, planted in a folder, with its own properties or with `claims` of what
    must happen in it, which are named as in the catalogue."""
    module = CATALOGUE[mutant.model].room
    planted = plant(folder, mutant)
    asked = module if claims is None else LIVENESS_CLAIMS[claims].properties
    return load(planted(f"model.{module}"), (planted(f"invariants.{asked}"),))


@dataclass(frozen=True)
class Case:
    """A bug, the profile and the bounds of `spec/` in which it shows, and the property that fails; of what must happen,
    the claims that have it."""

    says: str
    mutant: Mutant
    profile: str | None
    bounds: str
    fails: str
    claims: str | None = None

    def model(self, folder: Path | None) -> Model:
        """The model with the bug, planted in a folder; without one, as it is."""
        name = self.claims or self.mutant.model
        definition = find(name)[0] if folder is None else plant_mutant(folder, self.mutant, self.claims)
        bounds = read_record_file(ROOT / "spec" / f"{name}.toml").bounds[self.bounds]
        values = {constant: str(value) for constant, value in bounds.items()}
        return definition.bind(name, values, self.profile, properties=[self.fails])

    def verdicts(self, folder: Path, search: Search) -> dict[str, str]:
        """What the native engine says of the property, of the model as it is and with the bug."""
        found = dict[str, str]()
        for what, where in (("as it is", None), ("with the mistake", folder)):
            (prop,) = ENGINES["native"](self.model(where), search, None).properties
            found[what] = prop.verdict
        return found


TURNS_RED = {"as it is": "holds", "with the mistake": "violated"}
