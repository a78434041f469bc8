"""Helpers: each is elaborated for the types of its arguments, and for the states that it is given."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from tidegate.language import ir

from ...support.forms import show, show_body
from ...support.frontend import action_body, bind_functions

HELPERS = """
def is_free(w: World, n: Node, mode_: Mode = Mode.ON) -> bool:
    if w.owner == n:
        return False
    for e in w.queue[n]:
        if e.number > 1:
            return False
    return w.lit[mode_]


def fenced() -> bool:
    return brave
"""


NEWEST = """
def newest(s: World, n: Node) -> Option[Entry]:
    if len(s.queue[n]) == 0:
        return None
    return s.queue[n][len(s.queue[n]) - 1]
"""


def test_a_helper_is_elaborated_for_the_callers_state(tmp_path: Path) -> None:
    body = action_body(tmp_path, "require(is_free(s, node))\nrequire(is_free(s, n=node))\nrequire(fenced())", HELPERS)
    assert show_body(body) == ["require is_free(node, ON)"] * 2
    calls = [cast(ir.Call, cast(ir.Require, statement).condition) for statement in body]
    assert calls[0].function is calls[1].function
    function = calls[0].function
    assert function.states == ("s",)
    assert show_body(function.body) == [
        "if (s.owner == +n):",
        "  return False",
        "for e in s.queue[n]:",
        "  if (e.number > 1):",
        "    return False",
        "return s.lit[mode_]",
    ]


def test_a_helper_returns_what_it_declares(tmp_path: Path) -> None:
    let, store = action_body(tmp_path, "e = newest(s, node)\ns.entry = e", NEWEST)
    assert show(store) == "entry = e!"
    call = cast(ir.Call, cast(ir.Let, let).value)
    assert show_body(call.function.body)[1:] == ["  return None", "return +s.queue[n][(len(s.queue[n]) - 1)]"]


def test_a_transition_sees_two_states(tmp_path: Path) -> None:
    text = """
    def counted(s: World) -> int:
        return s.count

    @action
    def step(s: World) -> None:
        s.count = 0

    @transition
    def falls(before: World, after: World) -> bool:
        return counted(after) <= counted(before)
    """
    form = bind_functions(tmp_path, text).properties[0].form
    assert form is not None
    assert form.states == ("before", "after")
    (returned,) = form.body
    compare = cast(ir.Compare, cast(ir.Return, returned).value)
    inner = [show_body(cast(ir.Call, term).function.body) for term in (compare.left, compare.right)]
    assert inner == [["return after.count"], ["return before.count"]]
