"""The actions of an abstract model as pure functions of two of its states."""

from __future__ import annotations

from tidegate.language import ir
from tidegate.language.frontend.abstract_steps import (
    conjunction,
    disjunction,
    range_checked_value,
    range_conditions,
    truth,
)
from tidegate.language.judge import holds
from tidegate.language.types import Bool, Int
from tidegate.language.where import Where

from ...support.forms import show
from ...support.steps import run_of
from ...support.traces import bind_model

HERE = Where("model.py", 1, 0, 1, 1)


def number(lo: int, hi: int) -> ir.Name:
    return ir.Name("n", Int(lo, hi), HERE)


def test_of_nothing_all_is_true_and_any_is_false() -> None:
    one = ir.Name("p", Bool(), HERE)
    assert (show(conjunction([], HERE)), show(disjunction([], HERE))) == ("True", "False")
    assert conjunction([one], HERE) is one and disjunction([one], HERE) is one
    assert show(disjunction([one, truth(True, HERE)], HERE)) == "(p or True)"


def test_only_what_an_interval_leaves_open_is_asked() -> None:
    declared = Int(0, 3)
    assert [show(condition) for condition in range_conditions(number(0, 3), declared)] == []
    assert [show(condition) for condition in range_conditions(number(-1, 9), declared)] == ["(n >= 0)", "(n <= 3)"]
    assert range_checked_value(number(0, 3), declared) == number(0, 3)
    assert isinstance(range_checked_value(number(0, 9), declared), ir.Call)


def test_an_abstract_action_leads_from_one_image_to_the_other_or_the_step_is_none() -> None:
    for impatient in (False, True):
        model = bind_model("examples/minute_clock.py", minutes=2, impatient=impatient)
        (prop,) = [prop for prop in model.properties if prop.refinement is not None]
        one, other, last = run_of(model, "tick; tick").states()
        assert holds(model, prop, one, other, action="tick"), "the hour stays as it is"
        assert holds(model, prop, other, last, action="tick") is not impatient
