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

from .conftest import ROOT

_numbers = itertools.count()


@dataclass(frozen=True)
class Mutant:
    """A model's name, the file in `model/` that has the bug, the text that is replaced, and by what."""

    model: str
    file: str
    text: str
    by: str

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
    file.write_text(text.replace(mutant.text, mutant.by), encoding="utf-8")

    def imported(module: str) -> ModuleType:
        sys.path.insert(0, str(folder))
        try:
            return importlib.import_module(f"{name}.{module}")
        finally:
            sys.path.remove(str(folder))

    return imported
