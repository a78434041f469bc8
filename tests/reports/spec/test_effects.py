"""Effects: what a step writes, as formulas."""

from __future__ import annotations

from tidegate.language import ir
from tidegate.language.forms import ActionForm
from tidegate.language.types import Bool
from tidegate.reports.spec.effects import action_lines

from ...support.formulas import HERE, OFFSET, REPLICA, name, number, state_field, up


def test_effects_prime_what_they_write_and_a_second_write_again() -> None:
    cell = ir.Place("count", (name("a"),), OFFSET, HERE)
    other = ir.Place("count", (name("b"),), OFFSET, HERE)

    def plus_one(place: ir.Place, index: str) -> ir.Store:
        old = ir.Index(state_field("count"), name(index), OFFSET, HERE)
        return ir.Store(place, ir.Arithmetic("+", old, number(1), OFFSET, HERE), HERE)

    body = (
        ir.Require(up("a"), "s.up[a]", HERE),
        ir.Limit(up("b"), "s.up[b]", HERE),
        plus_one(cell, "a"),
        plus_one(other, "b"),
        plus_one(cell, "a"),
    )
    lines = action_lines(ActionForm("act", "s", (), body, frozenset(), frozenset(), HERE))
    assert lines == [
        "when    up[a]",
        "within  up[b]",
        "then    count′[a] = count[a] + 1",
        "        count″[b] = count′[b] + 1",
        "        count‴[a] = count″[a] + 1",
    ]


def test_a_loop_over_its_own_cells_is_for_all_and_any_other_goes_in_order() -> None:
    def loop(index: str) -> list[str]:
        place = ir.Place("up", (name(index),), Bool(), HERE)
        body = (ir.Store(place, ir.Not(up(index), Bool(), HERE), HERE),)
        statement = ir.For("r", REPLICA, ir.Members(REPLICA, HERE), body, HERE)
        return action_lines(ActionForm("act", "s", (), (statement,), frozenset(), frozenset(), HERE))

    assert loop("r") == ["then    ∀ r ∈ Replica:", "          up′[r] = ¬up[r]"]
    assert loop("a") == ["then    for each r ∈ Replica in order:", "          up′[a] ≔ ¬up′[a]"]
