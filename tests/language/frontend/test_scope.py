"""Scopes: a name has one meaning of its own, and one that is nothing says what is near."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors
from tidegate.language.frontend.scope import undefined_name_advice

from ...support.forms import show_body
from ...support.frontend import action_body


def test_a_name_of_the_language_is_to_be_imported() -> None:
    assert undefined_name_advice("is_majority", ["top"]) == "from tidegate.language import is_majority"
    assert undefined_name_advice("tpo", ["top", "room"]) == "did you mean top?"


def test_a_name_that_is_bound_again_inside_is_another(tmp_path: Path) -> None:
    body = action_body(tmp_path, "for n in Node:\n    s.seen.add(n)\nfor n in Node:\n    s.seen.discard(n)\n")
    assert show_body(body) == ["for n in Node:", "  seen.add(n)", "for n_2 in Node:", "  seen.discard(n_2)"]


def test_one_mistake_in_a_value_is_said_once(tmp_path: Path) -> None:
    """A name whose value is wrong causes no more messages."""
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, "x = nothing_here\ny = x + 1\ns.count = y + x")
    assert [error.where.line for error in caught.value.errors] == [caught.value.errors[0].where.line]
    assert "nothing_here" in caught.value.errors[0].message
