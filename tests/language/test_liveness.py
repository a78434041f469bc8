"""Properties of whole runs as values: a case for each combination of their parameters' values."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import holds
from tidegate.language.liveness import values_of

from ..support.engines import HEADER, bind_text
from ..support.steps import run_of

TEXT = (
    HEADER.replace("action,", "action, always_possible, leads_to, weak,")
    + '''
class Node(Domain, size=2):
    """A node."""


@state
class World:
    """The state."""

    asked: Set[Node]


@initial
def start() -> World:
    """Nobody asks."""
    return World(asked=Set())


@action
def ask(s: World, node: Node) -> None:
    """{node} asks."""
    require(node not in s.asked)
    s.asked.add(node)


@action
def answer(s: World, node: Node) -> None:
    """{node} is answered."""
    require(node in s.asked)
    s.asked.discard(node)


def answered(s: World, node: Node) -> bool:
    """No question of the node is open."""
    return node not in s.asked


@leads_to(answered, weak(answer, each="node"))
def who_asks_is_answered(s: World, node: Node) -> bool:
    """Who asks is answered."""
    return node in s.asked


@always_possible
def quiet(s: World) -> bool:
    """Nobody asks."""
    return len(s.asked) == 0
'''
)


def test_each_value_of_a_parameter_is_a_case(tmp_path: Path) -> None:
    model = bind_text(tmp_path, TEXT)
    answered, quiet = model.liveness
    assert (answered.kind, quiet.kind) == ("leads_to", "always_possible")
    assert [dict(case.arguments) for case in answered.cases] == [
        {"node": node} for node in values_of(model.action("ask"), "node", model.values)
    ]
    state = run_of(model, "ask(B)").states()[-1]
    asked_b = answered.cases[1]
    assert asked_b.when is not None
    assert [holds(model, prop, state) for prop in (asked_b.when, asked_b.then)] == [True, False]
    assert [case.when for case in quiet.cases] == [None]


@pytest.mark.parametrize(
    ("fairness", "said"),
    [
        ('weak("answr", each="node")', "answr"),
        ('weak(answer, each="nod")', "answer has no parameter nod"),
    ],
)
def test_fairness_of_what_there_is_not_is_refused(tmp_path: Path, fairness: str, said: str) -> None:
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, TEXT.replace('weak(answer, each="node")', fairness))
    assert [error.code for error in caught.value.errors] == ["TG318"]
    assert said in caught.value.errors[0].message


STEPS_WHERE = """

def _does_ask(s: World, node: Node) -> bool:
    return node in s.asked


def _is_other(s: World, other: Node) -> bool:
    return other in s.asked


def _is_second(s: World, node: Node) -> bool:
    return 4 // len(s.asked) == 2


def is_quiet(s: World, node: Node) -> bool:
    return node not in s.asked


@leads_to(is_quiet, weak(ask, where={where}))
def is_sent(s: World, node: Node) -> bool:
    return node in s.asked
"""


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("_does_ask", None),
        ("_is_other", "_is_other reads other, and ask has no parameter other of this type"),
        ("_is_second", "_is_second may be an error of the model in some states, where no step can be taken"),
    ],
)
def test_which_steps_a_fairness_means_is_a_predicate_with_a_value(where: str, says: str | None, tmp_path: Path) -> None:
    text = TEXT + STEPS_WHERE.format(where=where)
    if says is None:
        prop = next(prop for prop in bind_text(tmp_path, text).liveness if prop.name == "is_sent")
        assert prop.fairness[0].text() == "weak(ask, where=_does_ask)"
        return
    with pytest.raises(ModelErrors) as raised:
        bind_text(tmp_path, text)
    assert [(error.code, error.message) for error in raised.value.errors] == [("TG318", says)]
