"""A file of a model as text: its functions and classes, its comments, and its words."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tidegate.language.declare import action
from tidegate.language.frontend import source as module
from tidegate.language.frontend.source import Source, argument_place, first_code_line, read_source, source_of_function

TEXT = """\
# about one
one = 1  # beside


class Place:
    # above, and
    # above again
    x: int
    y: int  # beside


@decorated
@twice
def moved(a):
    return (a +
            one)
"""


def test_comments_are_beside_or_above() -> None:
    source = Source("m.py", TEXT)
    assert source.comment_of(source.tree.body[0]) == "beside"
    fields = dict(source.annotated_fields(source.classes["Place"]))
    assert {name: source.comment_of(field) for name, field in fields.items()} == {
        "x": "above, and above again", "y": "beside",
    }  # fmt: skip


def test_a_function_begins_with_its_first_decorator() -> None:
    source = Source("m.py", TEXT)
    function = source.functions[12]
    assert (function.name, first_code_line(function)) == ("moved", 12)
    returned = function.body[0]
    assert isinstance(returned, ast.Return) and returned.value is not None
    assert source.text_of(returned.value) == "a + one", "what spans lines is written again"
    where = source.where(returned)
    assert (where.line, where.end_line) == (15, 16)


def test_statements_by_what_they_assign_and_by_their_words() -> None:
    source = Source("m.py", TEXT)
    assert list(source.assignments()) == ["one"]
    assert source.statements_by_word["twice"] == [source.tree.body[2]]
    assert source.statements_by_word["one"] == [source.tree.body[0], source.tree.body[2]]


def test_a_file_is_parsed_once_until_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(TEXT, encoding="utf-8")
    before = read_source(str(file))
    assert read_source(str(file)) is before
    file.write_text(TEXT + "\n\nlater = 2\n", encoding="utf-8")
    assert "later" in read_source(str(file)).assignments()


@action(kind="fault", budget="crashes")
def crash(s: object) -> None:
    """A fault."""


def test_the_place_of_what_a_decorator_is_given() -> None:
    where = argument_place(crash, "crashes")
    line = Path(where.file).read_text(encoding="utf-8").splitlines()[where.line - 1]
    assert line[where.column : where.end_column] == '"crashes"'
    found = source_of_function(crash)
    assert found is not None and found[1].name == "crash"


@pytest.mark.parametrize("rows", [1, 7, 40, 60])
@pytest.mark.parametrize("deep", [1, 3, 20, 40])
def test_what_is_shallow_is_found_so_at_once_and_nothing_deep_is_missed(
    rows: int, deep: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "(" * deep + " and ".join(["a < b < c"] * rows) + ",)" * deep
    tree = ast.parse(text)
    found = module._nested_too_deep(tree)  # pyright: ignore[reportPrivateUsage]

    def nothing_known(_: ast.Module) -> int:
        return module.NESTED_MAX + 1

    monkeypatch.setattr(module, "_depth_at_most", nothing_known)
    assert found is module._nested_too_deep(tree), "the depths themselves, one by one"  # pyright: ignore[reportPrivateUsage]
    shallow = ast.parse(TEXT)
    assert module._nested_too_deep(shallow) is None  # pyright: ignore[reportPrivateUsage]
