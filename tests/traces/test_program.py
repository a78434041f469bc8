"""The program that made something: its version, and its commit from a clone, from a wheel, or not at all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tidegate.traces import program


def test_the_commit_of_a_clone_is_gits() -> None:
    assert program.tool_commit() == program.commit_of(Path(program.__file__).parents[1])


def test_a_wheel_has_its_commit_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_PACKAGE", tmp_path)
    assert program.tool_commit() is None
    (tmp_path / "commit.txt").write_text("0123abc\n", encoding="ascii")
    assert program.tool_commit() == "0123abc"


def test_a_package_inside_somebody_elses_repository_has_not_that_ones_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    inside = tmp_path / "site-packages" / "tidegate"
    inside.mkdir(parents=True)
    monkeypatch.setattr(program, "_PACKAGE", inside)
    assert program.tool_commit() is None


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["/opt/bin/tidegate", "check", "my model.py"], "tidegate check 'my model.py'"),
        ([str(Path(program.__file__).parents[1] / "__main__.py"), "doctor"], "tidegate doctor"),
        (["/usr/bin/pytest", "-q"], None),
    ],
)
def test_a_command_line_is_one_to_type_again(
    argv: list[str], line: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", argv)
    assert program.command_line() == line
