"""Which conditions are switches: they depend on constants alone, and not on the state."""

from __future__ import annotations

from . import ir


def is_constant(expression: ir.Expr) -> bool:
    """Whether the expression depends on constants, folded or open, and on nothing else: then it is a switch, not a
    guard."""
    match expression:
        case ir.Const() | ir.OpenConst():
            return True
        case ir.Not(operand=operand):
            return is_constant(operand)
        case ir.And(operands=operands) | ir.Or(operands=operands):
            return all(is_constant(operand) for operand in operands)
        case ir.Compare(left=left, right=right) | ir.Arithmetic(left=left, right=right):
            return is_constant(left) and is_constant(right)
        case ir.Choice(condition=condition, yes=yes, no=no):
            return is_constant(condition) and is_constant(yes) and is_constant(no)
        case _:
            return False
