"""Operators: the typed forms that several operands make."""

from __future__ import annotations

import ast

import pytest
from tidegate.language import ir
from tidegate.language.frontend.operations import conjunction, disjunction, is_shapeless
from tidegate.language.types import Bool
from tidegate.language.where import Where

HERE = Where("m.py", 1, 0, 1, 1)
YES = ir.Const(1, Bool(), HERE)
NO = ir.Const(0, Bool(), HERE)


def test_one_operand_stands_for_itself_and_several_in_their_order() -> None:
    assert conjunction([YES], HERE) is YES
    assert disjunction([NO], HERE) is NO
    both, either = conjunction([YES, NO], HERE), disjunction([YES, NO], HERE)
    assert isinstance(both, ir.And) and both.operands == (YES, NO)
    assert isinstance(either, ir.Or) and either.operands == (YES, NO)


@pytest.mark.parametrize(("text", "shapeless"), [("Set()", True), ("Seq([])", True), ("s.log", False), ("1", False)])
def test_what_takes_its_type_from_the_other_operand(text: str, shapeless: bool) -> None:
    assert is_shapeless(ast.parse(text, mode="eval").body) == shapeless
