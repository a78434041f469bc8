"""Notation: how formulas are written."""

from __future__ import annotations

from dataclasses import replace

from tidegate.language import ir
from tidegate.language.types import Bool, Map, Seq, Subset
from tidegate.reports.spec.notation import NotationScope, lay_out_expression, show_expression, type_text

from ...support.formulas import HERE, OFFSET, REPLICA, name, number, up


def every(body: ir.Expr, *conditions: ir.Expr) -> ir.Quantified:
    generator = ir.Generator("r", REPLICA, ir.Members(REPLICA, HERE), conditions)
    return ir.Quantified("all", (generator,), body, None, Bool(), HERE)


def test_connectives_bind_as_in_mathematics() -> None:
    either = ir.Or((up("a"), up("b")), Bool(), HERE)
    both = ir.And((either, ir.Not(up("c"), Bool(), HERE)), Bool(), HERE)
    assert show_expression(both, NotationScope()) == "(up[a] ∨ up[b]) ∧ ¬up[c]"
    assert show_expression(ir.Not(both, Bool(), HERE), NotationScope()) == "¬((up[a] ∨ up[b]) ∧ ¬up[c])"


def test_not_a_or_b_reads_as_an_implication() -> None:
    implication = ir.Or((ir.Not(up("a"), Bool(), HERE), up("b")), Bool(), HERE)
    assert show_expression(implication, NotationScope()) == "up[a] ⇒ up[b]"
    assert show_expression(ir.And((implication, up("c")), Bool(), HERE), NotationScope()) == "(up[a] ⇒ up[b]) ∧ up[c]"


def test_quantifiers_and_their_conditions() -> None:
    assert show_expression(every(up("r")), NotationScope()) == "∀ r ∈ Replica: up[r]"
    assert show_expression(every(up("r"), up("a")), NotationScope()) == "∀ r ∈ Replica: up[a] ⇒ up[r]"
    assert (
        show_expression(replace(every(up("r"), up("a")), kind="any"), NotationScope()) == "∃ r ∈ Replica: up[a] ∧ up[r]"
    )
    assert show_expression(replace(every(number(1), up("r")), kind="sum"), NotationScope()) == "|{r ∈ Replica : up[r]}|"
    assert show_expression(replace(every(name("r"), up("r")), kind="set"), NotationScope()) == "{r ∈ Replica : up[r]}"


def test_the_state_after_a_step_wears_a_prime() -> None:
    change = ir.Compare("!=", up("a", "before"), up("a", "after"), Bool(), HERE)
    assert show_expression(change, NotationScope(states={"before": 0, "after": 1})) == "up[a] ≠ up′[a]"


def test_long_formulas_break_at_their_connectives() -> None:
    long = ir.And(tuple(every(up("r"), up("a" * 30)) for _ in range(3)), Bool(), HERE)
    lines = lay_out_expression(long, NotationScope(), 4)
    assert [line[:8] for line in lines] == ["    ∧ ∀ "] * 3


def test_types_are_sets() -> None:
    assert type_text(Map(REPLICA, Seq(OFFSET, 3))) == "[Replica → Seq(0..2, ≤ 3)]"
    assert type_text(Subset(REPLICA)) == "𝒫(Replica)"
