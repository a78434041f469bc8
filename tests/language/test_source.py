"""An author's own text: the words of an expression, on one line, as they stand in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.source import NoSourceError, file_text, function_node, text_at, words
from tidegate.language.where import Where

TEXT = "def first(a):\n    return (a +\n        'ü'  )\n\n\ndef second(b):\n    return  b  +  1\n"


def test_words_are_those_of_the_author_and_of_several_lines_one_is_made(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(TEXT, encoding="utf-8")
    text = file_text(str(file))
    assert {name for name, _ in text.functions} == {"first", "second"}
    first, second = text.functions["first", 1], text.functions["second", 6]
    assert words(str(file), second.body[0].value) == "b  +  1"  # type: ignore[attr-defined]
    assert words(str(file), first.body[0].value) == "a + 'ü'"  # type: ignore[attr-defined]
    assert text_at(Where(str(file), 7, 12, 7, 19)) == "b  +  1"
    assert text_at(Where(str(file), 2, 12, 3, 12)) == "a + 'ü'"


def test_text_that_is_gone_is_no_source(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    with pytest.raises(NoSourceError):
        file_text(str(file))
    file.write_text("def", encoding="utf-8")
    with pytest.raises(NoSourceError):
        file_text(str(file))


def test_a_function_is_found_by_its_name_and_line() -> None:
    assert function_node(test_text_that_is_gone_is_no_source).name == "test_text_that_is_gone_is_no_source"
    made: dict[str, object] = {}
    exec("def nowhere(): pass", made)
    with pytest.raises(NoSourceError):
        function_node(made["nowhere"])  # type: ignore[arg-type]
