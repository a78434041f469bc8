"""Formulas of TLA+ on one line and on several."""

from __future__ import annotations

from tidegate.reports.tla.terms import (
    ATOM,
    LOOSE,
    NEGATION,
    Binder,
    Conditional,
    FlatFormula,
    Implication,
    Junction,
    LetDefinition,
    conjunction,
    define,
    flat_text,
    lay_out,
    lay_out_parts,
)

A, B = FlatFormula("a", ATOM), FlatFormula("b", ATOM)
LONG = FlatFormula("x" * 60, ATOM)


def test_what_binds_loosely_stands_in_parentheses_inside_of_what_binds_tightly() -> None:
    either = Junction("\\/", (A, B))
    assert flat_text(Junction("/\\", (either, FlatFormula("~a", NEGATION)))) == "(a \\/ b) /\\ ~a"
    assert flat_text(Implication(Binder("\\A x \\in S", A), B)) == "(\\A x \\in S : a) => b"
    assert flat_text(Conditional(A, LetDefinition("x", A, B), B)) == "IF a THEN LET x == a IN b ELSE b"
    assert flat_text(FlatFormula("a => b", LOOSE), ATOM) == "(a => b)"


def test_nothing_joined_is_true_and_one_part_is_itself() -> None:
    assert flat_text(conjunction([])) == "TRUE"
    assert conjunction([A]) is A


def test_a_long_formula_is_broken_where_it_joins_and_its_bullets_stand_under_each_other() -> None:
    both = Junction("/\\", (LONG, Junction("\\/", (LONG, LONG))))
    assert lay_out(both, 4, "    ") == [
        f"    /\\ {LONG.text}",
        f"    /\\ \\/ {LONG.text}",
        f"       \\/ {LONG.text}",
    ]
    assert lay_out_parts(Junction("/\\", (A, B)), 2) == ["  /\\ a", "  /\\ b"]


def test_a_choice_a_binder_and_an_implication_are_broken_too() -> None:
    assert lay_out(Conditional(A, LONG, LONG), 0) == ["IF a", f"THEN {LONG.text}", f"ELSE {LONG.text}"]
    assert lay_out(Binder("\\A x \\in S", Junction("/\\", (LONG, LONG))), 0)[:2] == [
        "\\A x \\in S :",
        f"  /\\ {LONG.text}",
    ]
    assert lay_out(Implication(LONG, LONG), 0) == [f"({LONG.text}) =>", f"  ({LONG.text})"]


def test_definitions_share_one_let_and_what_they_are_for_comes_last() -> None:
    assert lay_out(define([("x", A), ("y", B)], Junction("/\\", (A, B))), 4, "    ") == [
        "    LET x == a",
        "        y == b",
        "    IN /\\ a",
        "       /\\ b",
    ]
