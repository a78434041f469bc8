"""Folders that are made once and kept: whole or not at all; a damaged one is said to be damaged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tidegate.language.errors import UnreadableError
from tidegate.real.driving.nodes.kept_folders import MANIFEST, kept_folder


def fill(folder: Path) -> None:
    """Two files, one in a folder of its own."""
    (folder / "deep").mkdir()
    (folder / "a.jar").write_bytes(b"first")
    (folder / "deep" / "B.class").write_bytes(b"second")


def must_not_fill(folder: Path) -> None:
    """Fails: the folder is there."""
    raise AssertionError(f"{folder} is filled a second time")


def test_a_folder_is_made_once(tmp_path: Path) -> None:
    assert kept_folder(tmp_path / "cache" / "it", fill) == tmp_path / "cache" / "it"
    assert (kept_folder(tmp_path / "cache" / "it", must_not_fill) / "deep" / "B.class").read_bytes() == b"second"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["it"]


@pytest.mark.parametrize(
    ("file", "content", "named"),
    [
        ("a.jar", b"fir", "a.jar"),
        ("deep/B.class", b"secoNd", "deep/B.class"),
        ("a.jar", None, "a.jar"),
        ("c.jar", b"more", "c.jar"),
        (MANIFEST, b"", "a.jar"),
        (MANIFEST, b"\xff\xfe", MANIFEST),
    ],
    ids=["truncated", "changed", "gone", "more than was written", "empty manifest", "no manifest at all"],
)
def test_a_damaged_folder_is_refused(tmp_path: Path, file: str, content: bytes | None, named: str) -> None:
    folder = kept_folder(tmp_path / "it", fill)
    (folder / file).unlink(missing_ok=True)
    if content is not None:
        (folder / file).write_bytes(content)
    with pytest.raises(UnreadableError) as caught:
        kept_folder(folder, must_not_fill)
    assert str(caught.value) == (
        f"{folder} is damaged: {named} in it is not what was written; delete the folder, and it is made again"
    )


def test_half_a_folder_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "it").mkdir()
    (tmp_path / "it" / "a.jar").write_bytes(b"fi")
    assert (kept_folder(tmp_path / "it", fill) / "a.jar").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_who_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        kept_folder(tmp_path / "it", must_not_fill)
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_taken_away_a_day_later(tmp_path: Path) -> None:
    for name, age in (("making-old", 90_000), ("making-new", 10)):
        (tmp_path / name).mkdir()
        then = (tmp_path / name).stat().st_mtime - age
        os.utime(tmp_path / name, (then, then))
    kept_folder(tmp_path / "it", fill)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it", "making-new"]


def test_who_was_slower_takes_what_the_faster_one_made(tmp_path: Path) -> None:
    def fill_late(folder: Path) -> None:
        kept_folder(tmp_path / "it", fill)
        (folder / "a.jar").write_bytes(b"mine")

    assert (kept_folder(tmp_path / "it", fill_late) / "a.jar").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["it"]
