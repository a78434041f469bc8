"""Every error code has a file that makes it, with its exact text beside it. TIDEGATE_UPDATE=1 records the texts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.errors import CODES, Diagnostics, ModelErrors
from tidegate.language.ir import Where

FIXTURES = Path(__file__).parent / "fixtures" / "errors"


def errors_of(path: Path) -> ModelErrors:
    """What is wrong with a file that is meant to be wrong."""
    with pytest.raises(ModelErrors) as caught:
        load(path).bind()
    return caught.value


def assert_text(path: Path, text: str) -> None:
    """Compares with the recorded text, or records it when asked to."""
    if os.environ.get("TIDEGATE_UPDATE"):
        path.write_text(text + "\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text + "\n"


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_its_exact_text(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    errors = errors_of(FIXTURES / f"{code}.py")
    assert {each.code for each in errors.errors} == {code}
    assert_text(FIXTURES / f"{code}.txt", errors.render())


def test_all_mistakes_of_a_file_are_found_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    errors = errors_of(FIXTURES / "ten_mistakes.py")
    assert len({each.code for each in errors.errors}) == len(errors.errors) == 10
    lines = [each.where.line for each in errors.errors]
    assert lines == sorted(lines)
    assert_text(FIXTURES / "ten_mistakes.txt", errors.render())


def test_no_fixture_without_a_code() -> None:
    assert {each.stem for each in FIXTURES.glob("*.py")} == {*CODES, "ten_mistakes"}


def test_a_code_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(AssertionError):
        Diagnostics().add("TG999", Where("m.py", 1, 0, 1, 1), "cause")


def test_the_caret_counts_characters_and_ast_counts_bytes(tmp_path: Path) -> None:
    file = tmp_path / "accents.py"
    file.write_text("é = 1 + x\n", encoding="utf-8")
    notes = Diagnostics()
    notes.add("TG201", Where(str(file), 1, 9, 1, 10), "nothing here is called x")
    with pytest.raises(ModelErrors) as caught:
        notes.raise_if_any()
    assert "\n1 | é = 1 + x\n  |         ^\n" in caught.value.render()
