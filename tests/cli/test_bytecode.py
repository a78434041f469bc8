"""Compiled Python in our cache, where Python keeps none itself."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidegate.cli.bytecode import cache_bytecode

from ..conftest import ROOT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules; Python writes no bytecode, and our cache is empty."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    sys.modules.pop("kept_module", None)


def load_again(text: str | None, folder: Path) -> int:
    """The number that the module holds, imported anew; `text` is written to it before."""
    if text is not None:
        (folder / "kept_module.py").write_text(text, encoding="utf-8")
    sys.modules.pop("kept_module", None)
    importlib.invalidate_caches()
    return importlib.import_module("kept_module").NUMBER


def kept_files(folder: Path) -> list[Path]:
    """What is in our cache."""
    return sorted((folder / "cache").rglob("*.pyc"))


def test_code_is_kept_once_and_made_again_when_the_source_changes(folder: Path) -> None:
    cache_bytecode()
    assert load_again("NUMBER = 1\n", folder) == 1
    (kept,) = kept_files(folder)
    data = kept.read_bytes()
    assert load_again(None, folder) == 1
    assert kept.read_bytes() == data
    assert load_again("NUMBER = 22\n", folder) == 22
    assert kept_files(folder) == [kept]
    assert not list(folder.rglob("__pycache__"))


def test_what_is_kept_for_another_source_is_not_used(folder: Path) -> None:
    cache_bytecode()
    load_again("NUMBER = 1\n", folder)
    (kept,) = kept_files(folder)
    data = kept.read_bytes()
    load_again("NUMBER = 22\n", folder)
    kept.write_bytes(data)
    assert load_again(None, folder) == 22


def test_nothing_is_done_where_python_keeps_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    finders = [*sys.meta_path]
    cache_bytecode()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "pycache_prefix", str(folder / "prefix"))
    cache_bytecode()
    assert sys.meta_path == finders


def test_a_command_keeps_what_it_imports(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPYCACHEPREFIX"}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "TIDEGATE_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT / ".paths")}
    done = subprocess.run(
        [sys.executable, "-m", "tidegate", "glossary", "orbit"], env=environment, cwd=tmp_path, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    with_python = list((ROOT / "cli" / "__pycache__").glob("glossary.*.pyc"))
    assert with_python or len(list(tmp_path.rglob("*.pyc"))) > 20
