"""Folders of output are proved before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.cli.output import prepare_directory
from tidegate.language.errors import UsageError


def test_an_out_directory_is_proved_before_anything_runs(tmp_path: Path) -> None:
    assert prepare_directory(tmp_path / "new").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="it is a file"):
        prepare_directory(tmp_path / "file")
    with pytest.raises(UsageError, match="does not exist"):
        prepare_directory(tmp_path / "no" / "such")
