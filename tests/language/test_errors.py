"""Errors of a model's text: each mistake once, in the order of the text, with its place and what is near."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import Diagnostics, ModelErrors, path_for_reader, suggest_name
from tidegate.language.where import Where


def place_of_line(line: int, file: str = "model.py") -> Where:
    return Where(file, line, 4, line, 9)


def test_a_mistake_is_noted_once_and_all_are_in_the_order_of_the_text() -> None:
    noted = Diagnostics()
    noted.add("TG202", place_of_line(7), "later")
    noted.add("TG201", place_of_line(3), "earlier")
    noted.add("TG202", place_of_line(7), "said again")
    assert noted.count == 2
    assert noted.first_message() == "later"
    with pytest.raises(ModelErrors) as caught:
        noted.raise_if_any()
    assert [(error.code, error.message) for error in caught.value.errors] == [("TG201", "earlier"), ("TG202", "later")]


def test_nothing_noted_raises_nothing() -> None:
    Diagnostics().raise_if_any()
    assert Diagnostics().first_message() == ""


def test_codes_that_there_are_besides() -> None:
    noted = Diagnostics()
    noted.add("TG001", place_of_line(1), "unreadable")
    assert not noted.has_other_than("TG001", "TG002")
    assert noted.has_other_than("TG002")


def test_a_mistake_is_rendered_with_its_line_and_a_caret(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("one\nabc defgh ij\n", encoding="utf-8")
    noted = Diagnostics()
    noted.add("TG201", place_of_line(2, str(file)), "the cause", "the way out")
    with pytest.raises(ModelErrors) as caught:
        noted.raise_if_any()
    lines = caught.value.render().splitlines()
    assert f"{file}:2" in "\n".join(lines)
    assert any("abc defgh ij" in line for line in lines)
    assert any(set(line.strip(" |")) == {"^"} and line.count("^") == 5 for line in lines)
    assert "the cause" in caught.value.render() and "the way out" in caught.value.render()


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("fetsh", ["fetch", "crash"], "did you mean fetch?"),
        ("zzz", ["fetch", "crash"], "known: fetch, crash"),
        ("zzz", [], ""),
    ],
)
def test_what_is_near_is_named(name: str, known: list[str], said: str) -> None:
    assert suggest_name(name, known) == said


def test_a_path_below_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert path_for_reader(str(tmp_path / "a" / "b.py")) == "a/b.py"
    assert path_for_reader("/elsewhere/b.py") == "/elsewhere/b.py"
