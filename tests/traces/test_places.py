"""Where things stand in an author's files, the same on every machine."""

from __future__ import annotations

from pathlib import Path

from tidegate.traces.places import path_in_repository


def test_a_place_in_no_repository_has_no_folder_of_its_authors_machine(tmp_path: Path) -> None:
    path_in_repository.cache_clear()
    assert path_in_repository(str(tmp_path / "lock.py")) == "lock.py"
    (tmp_path / "mine" / ".git").mkdir(parents=True)
    assert path_in_repository(str(tmp_path / "mine" / "models" / "lock.py")) == "models/lock.py"
