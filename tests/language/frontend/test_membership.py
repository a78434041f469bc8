"""Records of a set: which may lie outside its type, and have to be checked."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from tidegate.language import ir
from tidegate.language.frontend.membership import is_stored, unchecked_elements
from tidegate.language.frontend.traversal import traverse_forms

from ...support.forms import show
from ...support.frontend import action_body, expression

SETS = {
    "s.notes | {Note(node, None)}": [],
    "s.notes | {Note(node, i)}": [],
    "s.notes | {Note(node, i + 1)}": ["Note(node, +(i + 1))"],
    "{replace(n, to=node) for n in s.notes}": ["n{to=node}"],
}


@pytest.mark.parametrize("text", SETS)
def test_which_records_are_checked(text: str, tmp_path: Path) -> None:
    store = cast(ir.Store, action_body(tmp_path, f"s.notes = {text}")[-1])
    found = [element for node in traverse_forms(store.value) for element, _ in unchecked_elements(node)]
    assert [show(element) for element in found] == SETS[text]


def test_what_a_state_holds_was_checked(tmp_path: Path) -> None:
    assert is_stored(expression(tmp_path, "s.queue[node][i]")) and is_stored(expression(tmp_path, "s.entry"))
    assert not is_stored(expression(tmp_path, "Entry(node, i)"))
    assert is_stored(expression(tmp_path, "i"), {"i"}) and not is_stored(expression(tmp_path, "i"))
