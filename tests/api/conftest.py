"""What tests of the Python API share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import ROOT


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> Path:
    """A directory with the examples in it, as a user's is."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIDEGATE_CACHE", str(cache))
    return tmp_path
