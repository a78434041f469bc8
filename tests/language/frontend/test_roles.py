"""Marked functions as a whole: initial values and budgets."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from tidegate.language import ir

from ...support.forms import show, show_body
from ...support.frontend import bind_functions, definition


def test_initial_values_follow_the_fields(tmp_path: Path) -> None:
    text = """
    @action(kind="fault", budget="crashes")
    def step(s: World) -> None:
        s.count = 0
    """
    its = definition(tmp_path, text)
    whole, plain = its.bind(), its.bind(ghosts=False, constants={"crashes": 4})
    assert [field.name for field in whole.fields][-3:] == ["high", "past", "crashes_left"]
    assert show(whole.initials[0].form.result).endswith("Pool(), 0, Seq(), 1)")
    assert [field.name for field in plain.fields][-2:] == ["notes", "crashes_left"]
    assert show(plain.initials[0].form.result).endswith("Pool(), 4)")


def test_a_budget_is_a_limit_after_the_guards_and_spent_at_the_end(tmp_path: Path) -> None:
    text = """
    @action(kind="fault", budget="crashes")
    def step(s: World, flag: bool) -> None:
        require(s.count > 0)
        n = 1
        if flag:
            require(s.owner is None)
            s.count = n
        limit(s.count < top)

    @action(kind="fault", budget="crashes")
    def other(s: World) -> None:
        s.count = 0
    """
    first, second = bind_functions(tmp_path, text.replace("        limit(s.count < top)\n", "")).actions
    assert show_body(first.form.body) == [
        "require (s.count > 0)",
        "n := 1",
        "if flag:",
        "  require none(s.owner)",
        "  limit (s.crashes_left > 0)",
        "  count = n",
        "else:",
        "  limit (s.crashes_left > 0)",
        "crashes_left = (s.crashes_left - 1)",
    ]
    assert show_body(second.form.body)[0] == "limit (s.crashes_left > 0)"
    assert cast(ir.Limit, second.form.body[0]).budget == "crashes"
    assert "crashes_left" in second.form.reads & second.form.writes
