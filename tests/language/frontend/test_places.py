"""Cells of the state: what a write goes to, and why a path leads to none."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from tidegate.language import ir
from tidegate.language.errors import ModelErrors

from ...support.forms import show
from ...support.frontend import action_body, bind_functions


@pytest.mark.parametrize(
    ("write", "field", "indexes"),
    [("s.count = 0", "count", []), ("s.lit[m] = flag", "lit", ["m"]), ("s.queue[node] = Seq()", "queue", ["node"])],
)
def test_a_path_is_a_field_and_its_indexes(write: str, field: str, indexes: list[str], tmp_path: Path) -> None:
    place = cast(ir.Store, action_body(tmp_path, write)[0]).place
    assert (place.field, [show(index) for index in place.indexes]) == (field, indexes)


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("q = s.queue\nq[node] = Seq()", "TG108", "q is the value at the moment it was bound"),
        ("s.entry.number = 1", "TG120", "s.entry is a record, and records never change"),
        ("s.queue[node][:1] = Seq()", "TG215", "cannot be written by index"),
        ("s.seen[node] = True", "TG215", "a part of Set[Node] cannot be written by index"),
    ],
)
def test_what_is_no_cell_says_why(body: str, code: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, body)
    (error,) = caught.value.errors
    assert error.code == code and said in error.message


@pytest.mark.parametrize(("returns", "code"), [("int", "TG304"), ("", "TG305")])
def test_what_only_looks_writes_nothing(returns: str, code: str, tmp_path: Path) -> None:
    helper = "def looked(s: World) -> int:\n    s.count = 0\n    return 1\n\n\n" if returns else ""
    first = "s.count = looked(s)" if returns else "s.count = 1"
    prop = "" if returns else "@invariant\ndef safe(s: World) -> bool:\n    s.count = 0\n    return True\n"
    text = f"{helper}@action\ndef step(s: World) -> None:\n    {first}\n\n\n{prop}"
    with pytest.raises(ModelErrors) as caught:
        bind_functions(tmp_path, text)
    assert [error.code for error in caught.value.errors] == [code]
