"""Truth values and numbers as terms that fold what is known: Python's own `bool` and `int` wherever a value is a
constant, Z3's terms elsewhere.

A number carries the interval it lies in. That decides the width of its bit-vector, and answers comparisons between
disjoint intervals without a solver. Numbers are mathematical integers: no operation here wraps around.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias, cast

import z3

_z3: Any = z3
"""The solver's functions below its Python classes, which know the sorts of what they are given. Formulas are made of
hundreds of thousands of terms, and to compare their sorts each time takes longer than to make them."""

Bit: TypeAlias = bool | z3.BoolRef
"""A truth value: known, or a term."""

Bound: TypeAlias = int | float
"""An end of an interval: an integer or an infinity."""


# --- truth values -----------------------------------------------------------------------------------------------------


def and_bits(*bits: Bit) -> Bit:
    """The conjunction; True of none."""
    return conjunction(bits)


def conjunction(bits: Iterable[Bit]) -> Bit:
    """All of them."""
    kept: list[z3.BoolRef] = []
    for bit in bits:
        if bit is False:
            return False
        if bit is not True:
            kept.append(bit)
    if not kept:
        return True
    return kept[0] if len(kept) == 1 else _join_terms(_z3.Z3_mk_and, kept)


def _join_terms(make: Any, bits: Sequence[Any]) -> z3.BoolRef:
    """Some truth values, joined by the solver's function that makes a term of many."""
    terms = (_z3.Ast * len(bits))(*[bit.as_ast() for bit in bits])
    return cast(z3.BoolRef, _z3.BoolRef(make(bits[0].ctx_ref(), len(bits), terms)))


def _choose_term(condition: Any, yes: Any, no: Any) -> Any:
    """The one or the other, which are of one sort."""
    return _z3.Z3_mk_ite(condition.ctx_ref(), condition.as_ast(), yes.as_ast(), no.as_ast())


def or_bits(*bits: Bit) -> Bit:
    """The disjunction; False of none."""
    return disjunction(bits)


def disjunction(bits: Iterable[Bit]) -> Bit:
    """Any of them."""
    kept: list[z3.BoolRef] = []
    for bit in bits:
        if bit is True:
            return True
        if bit is not False:
            kept.append(bit)
    if not kept:
        return False
    return kept[0] if len(kept) == 1 else _join_terms(_z3.Z3_mk_or, kept)


def negation(bit: Bit) -> Bit:
    """Its opposite."""
    if isinstance(bit, bool):
        return not bit
    return cast(z3.BoolRef, bit.arg(0)) if _is_negation(bit) else cast(z3.BoolRef, _z3.BoolRef(_make_not(bit)))


def _is_negation(bit: Any) -> bool:
    context, term = bit.ctx_ref(), bit.as_ast()
    if _z3.Z3_get_ast_kind(context, term) != _z3.Z3_APP_AST:
        return False
    return bool(_z3.Z3_get_decl_kind(context, _z3.Z3_get_app_decl(context, term)) == _z3.Z3_OP_NOT)


def _make_not(bit: Any) -> Any:
    return _z3.Z3_mk_not(bit.ctx_ref(), bit.as_ast())


def implies(premise: Bit, conclusion: Bit) -> Bit:
    """Not the first, or the second."""
    return or_bits(negation(premise), conclusion)


def bits_equal(left: Bit, right: Bit) -> Bit:
    """Both or neither."""
    if isinstance(left, bool):
        return right if left else negation(right)
    if isinstance(right, bool):
        return left if right else negation(left)
    return True if left.eq(right) else left == right


def choose_bit(condition: Bit, yes: Bit, no: Bit) -> Bit:
    """The one or the other."""
    if isinstance(condition, bool):
        return yes if condition else no
    if isinstance(yes, bool):
        return or_bits(condition, no) if yes else and_bits(negation(condition), no)
    if isinstance(no, bool):
        return or_bits(negation(condition), yes) if no else and_bits(condition, yes)
    return yes if yes.eq(no) else cast(z3.BoolRef, _z3.BoolRef(_choose_term(condition, yes, no)))


def boolean_term(bit: Bit) -> z3.BoolRef:
    """The truth value as a term of Z3."""
    return z3.BoolVal(bit) if isinstance(bit, bool) else bit


# --- numbers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """An integer from `lo` to `hi`: an `int` when it is known, else a term."""

    term: int | z3.BitVecRef | z3.ArithRef
    lo: Bound
    hi: Bound

    @property
    def is_constant(self) -> bool:
        """Whether it is a constant."""
        return isinstance(self.term, int)


def constant_number(value: int) -> Number:
    """A constant."""
    return Number(int(value), int(value), int(value))


def chosen_term(condition: z3.BoolRef, yes: Term, no: Term) -> Term:
    """The one or the other of two terms of one sort."""
    made = _z3.BitVecRef if isinstance(yes, z3.BitVecRef) else _z3.ArithRef
    return cast(Term, made(_choose_term(condition, yes, no)))


def bit_count(term: z3.BitVecRef) -> int:
    """How many bits a bit-vector has."""
    held = cast(Any, term)
    context = held.ctx_ref()
    return cast(int, _z3.Z3_get_bv_sort_size(context, _z3.Z3_get_sort(context, held.as_ast())))


@cache
def constant_vector(value: int, size: int) -> z3.BitVecRef:
    """A constant as a bit-vector."""
    return z3.BitVecVal(value, size)


Operation: TypeAlias = Literal["+", "-", "*", "//", "%", "**", "min", "max"]
Term: TypeAlias = z3.BitVecRef | z3.ArithRef
