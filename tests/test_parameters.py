"""Parameters that are options, sets and maps: every engine tries the same values, in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3
from tidegate.explorer.smt.encoding import finite
from tidegate.explorer.smt.states import constant_state
from tidegate.explorer.smt.terms import formula
from tidegate.explorer.smt.transition import instances
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import bindings, initial_states
from tidegate.language.values import show

from .engines import agree, bound, text_of

BODY = '''
@action
def step(s: World, some: Map[Node, Color | None], maybe: Set[Node] | None) -> None:
    """A step."""
    require(maybe is None or Node(0) in maybe)
    s.some = some
    s.count = 0 if maybe is None else len(maybe)
'''


def test_every_value_of_a_map_and_of_an_option_is_tried_in_order(tmp_path: Path) -> None:
    text = text_of("some: Map[Node, Color | None]\ncount: Small", "some=Map({n: None for n in Node})\ncount=0", BODY)
    model = bound(tmp_path, text)
    tried = [show(binding["some"]) for binding in bindings(model, model.actions[0], next(initial_states(model)))]
    assert len(tried) == 16 * 5
    assert tried[:15:5] == ["{A: none, B: none}", "{A: none, B: RED}", "{A: none, B: GREEN}"]
    verdict = agree(model)
    assert verdict is not None and verdict.distinct_states == 16 * 3
    agree(model, symmetry=True)


def test_where_the_size_of_a_domain_is_open_the_members_that_exist_are_tried(tmp_path: Path) -> None:
    before = (
        "nodes = constant(2, minimum=1, maximum=3, says='nodes')\n\n\nclass Node(Domain, size=nodes):\n    '''A.'''\n"
    )
    text = text_of(
        "some: Map[Node, Color | None]\ncount: Small", "some=Map({n: None for n in Node})\ncount=0", BODY, before=before
    )
    closed, opened = agree(bound(tmp_path, text)), agree(bound(tmp_path, text, open={"nodes"}))
    assert closed is not None and opened is not None
    assert closed.distinct_states == opened.distinct_states == 16 * 3


def test_arguments_of_different_types_are_different_terms(tmp_path: Path) -> None:
    body = """
    @action
    def step(s: World, nodes: Set[Node], colors: Set[Color], one: Map[Node, bool], other: Map[bool, bool]) -> None:
        '''A step.'''
        require(len(nodes) == 2 and len(colors) == 0)
        s.count = 1
    """
    model = bound(tmp_path, text_of("count: Small", "count=0", body))
    encoding = finite(model)
    (instance,) = instances(model, encoding, constant_state(model, encoding, next(initial_states(model))))
    solver = z3.Solver()
    solver.add(formula(instance.valid), formula(instance.happens))
    assert solver.check() == z3.sat


def test_a_parameter_with_too_many_values_is_refused(tmp_path: Path) -> None:
    body = """
    @action
    def step(s: World, some: Map[Small, Map[Small, Small]]) -> None:
        '''A step.'''
        s.count = some[0][0]
    """
    with pytest.raises(ModelErrors, match=r"some has 4,294,967,296 values") as caught:
        bound(tmp_path, text_of("count: Small", "count=0", body))
    assert [error.code for error in caught.value.errors] == ["TG308"]
