"""Files of a model that are not Python: all are found at once, however they are imported."""

from __future__ import annotations

from pathlib import Path

from tidegate.language.syntax_errors import syntax_errors


def test_each_file_beside_that_cannot_be_parsed_is_found(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text("from one import x\nimport whole\nimport json\nthis is wrong\n", encoding="utf-8")
    (tmp_path / "one.py").write_text("from two import y\nx = = 1\n", encoding="utf-8")
    (tmp_path / "two.py").write_text("def\n", encoding="utf-8")
    (tmp_path / "whole.py").write_text("import model\nz = 1\n", encoding="utf-8")
    (tmp_path / "unused.py").write_text("also wrong here\n", encoding="utf-8")
    found = {(Path(str(error.filename)).name, error.lineno) for error in syntax_errors(model)}
    assert found == {("one.py", 2), ("two.py", 1)}
