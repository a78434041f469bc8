"""The parts of a bound model, in the order of its text."""

from __future__ import annotations

import dataclasses

from tidegate.language import ir
from tidegate.language.binding import load
from tidegate.language.model_parts import is_checked

from ..conftest import ROOT


def test_the_parts_of_a_model_stand_in_the_order_of_its_text() -> None:
    model = load(ROOT / "examples" / "lock.py").bind()
    assert [action.name for action in model.actions] == ["look", "take", "leave"]
    assert [prop.name for prop in model.properties] == ["one_inside", "somebody_inside"]
    assert [prop.kind for prop in model.properties] == ["invariant", "reachable"]
    assert all(isinstance(prop.form, ir.Function) for prop in model.properties)


def test_a_lemma_is_checked_only_where_it_is_chosen() -> None:
    definition = load(ROOT / "examples" / "lock.py")
    function, mark = next(marked for marked in definition.functions if marked[0].__name__ == "one_inside")
    assert is_checked(function, mark, None) and is_checked(function, mark, frozenset({"one_inside"}))
    assert not is_checked(function, mark, frozenset({"somebody_inside"}))
    lemma = dataclasses.replace(mark, role="lemma")
    assert not is_checked(function, lemma, None) and is_checked(function, lemma, frozenset({"one_inside"}))
