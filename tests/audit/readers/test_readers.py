"""The folder of readers: what it loads, and what not."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
from tidegate.audit import reading, readers
for module in pkgutil.walk_packages(readers.__path__, readers.__name__ + "."):
    importlib.import_module(module.name)
print(*sorted(name for name in sys.modules if name.split(".")[0] in ("tidegate", "llvmlite", "z3")))
"""


def test_readers_load_no_engine_and_no_model() -> None:
    """A reader runs no rule and explores nothing: neither the native engine nor a model is imported with one."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "tidegate.audit.readers.containers.kubernetes" in loaded
    folders = {name.split(".")[1] for name in loaded if name.startswith("tidegate.")}
    assert folders == {"audit", "language"} and not {"llvmlite", "z3"} & {*loaded}, folders
    rooms = {name.split(".")[2] for name in loaded if name.startswith("tidegate.audit.")}
    assert rooms == {"kafka", "cluster", "readers", "joining", "reading"}
