"""Folding: what constants decide is gone from the typed form, and no error is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.types import Int

from ...support.forms import show, show_body
from ...support.frontend import action_body, bind_functions, definition, expression

BODIES = {
    "what a constant decides is folded": (
        """
        if brave and mode == Mode.ON:
            s.count = top if brave else 0
        else:
            s.count = 1
        if not brave or flag:
            s.count = 2
        require_nothing = 1 + 2
        """,
        ["count = 3", "if flag:", "  count = 2", "require_nothing := 3"],
    ),
}


@pytest.mark.parametrize("claim", BODIES)
def test_what_is_decided(claim: str, tmp_path: Path) -> None:
    body, expected = BODIES[claim]
    assert show_body(action_body(tmp_path, body)) == expected


def test_folding_never_hides_an_error(tmp_path: Path) -> None:
    """What comes before a false constant may fail when evaluated, and has to stay."""
    certain, partial = "s.count > 0 and not brave", "s.queue[node][0].number > 0 and not brave"
    assert show(expression(tmp_path, certain)) == "False"
    assert show(expression(tmp_path, partial)) == "((s.queue[node][0].number > 0) and False)"


def test_a_constant_guard_switches_an_action_off(tmp_path: Path) -> None:
    text = """
    @action
    def step(s: World) -> None:
        require(not brave or mode is Mode.OFF)
        require(s.count > 0)
        s.count = 0
    """
    its = definition(tmp_path, text)
    assert its.bind().actions[0].switched_off
    assert not its.bind(constants={"brave": False}).actions[0].switched_off
    assert its.bind(open=["brave", "mode"]).actions[0].switched_off
    assert not its.bind(open=["brave"], constants={"brave": False}).actions[0].switched_off


def test_open_constants_stay_in_the_forms(tmp_path: Path) -> None:
    text = """
    @action
    def step(s: World) -> None:
        require(brave)
        limit(s.count < last)
        s.count += 1
    """
    model = bind_functions(tmp_path, text, open=["top", "brave", "crashes"])
    assert show_body(model.actions[0].form.body)[:2] == ["require $brave", "limit (s.count < ($top - 1))"]
    count = model.field("count").type
    assert isinstance(count, Int)
    assert (count.lo, count.hi, count.lo_open) == (0, 5, None)
    assert count.hi_open is not None
    assert count.hi_open.value(model.values) == 3
