"""Files of a cache: written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tidegate.explorer.cache import cache_directory, write_whole


def test_a_file_is_replaced_whole_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "kept.o"
    write_whole(path, b"one")
    write_whole(path, b"other")
    assert path.read_bytes() == b"other"
    assert [entry.name for entry in path.parent.iterdir()] == ["kept.o"]


def test_a_disk_that_takes_nothing_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    write_whole(tmp_path / "file" / "kept.o", b"one")
    assert (tmp_path / "file").read_bytes() == b""


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path / "mine"))
    assert cache_directory() == tmp_path / "mine" and (tmp_path / "mine").is_dir()
    monkeypatch.delenv("TIDEGATE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "users"))
    assert cache_directory() == tmp_path / "users" / "tidegate"
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("TIDEGATE_CACHE", os.fspath(tmp_path / "file" / "cache"))
    assert cache_directory() is None
