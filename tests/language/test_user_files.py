"""Users' files, which are imported apart from all others."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from tidegate.language.errors import Diagnostics, ModelErrors, UsageError
from tidegate.language.user_files import import_file


def test_a_file_that_is_not_there_and_one_that_is_not_python(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        import_file(tmp_path / "none.py", Diagnostics())
    wrong = tmp_path / "wrong.py"
    wrong.write_text("x => 1\n", encoding="utf-8")
    with pytest.raises(ModelErrors) as caught:
        import_file(wrong, Diagnostics())
    assert [error.code for error in caught.value.errors] == ["TG001"]


def test_two_files_of_one_name_are_two_modules_and_neither_stays_importable(tmp_path: Path) -> None:
    modules: list[ModuleType] = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "parts.py").write_text(f"number = {number}\n", encoding="utf-8")
        (folder / "model.py").write_text("from parts import number\n", encoding="utf-8")
        modules.append(import_file(folder / "model.py", Diagnostics()))
    assert [vars(module)["number"] for module in modules] == [1, 2]
    assert "parts" not in sys.modules and str(tmp_path / "1") not in sys.path
