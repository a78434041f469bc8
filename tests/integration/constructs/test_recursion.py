"""Helpers that call themselves mean the same in every engine, and say so where their bound is met."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.language.errors import ModelErrors

from ...support.engines import agree, bind_text, reachable_states, text_of
from ...support.smt import formula_report, judge_report

BEFORE = """
from tidegate.language import recursive

depth = constant(3, minimum=0, maximum=5, says='how deep helpers call themselves')


class Node(Domain, size=4):
    '''A node.'''


@recursive(depth=depth)
def total(n: int) -> int:
    '''0 + 1 + ... + n.'''
    return 0 if n <= 0 else n + total(n - 1)


@recursive(depth=depth + 1)
def root(parent: Map[Node, Node | None], node: Node) -> Node:
    '''Where the way up ends.'''
    up = parent[node]
    if up is None:
        return node
    return root(parent, up)


@recursive(depth=4)
def is_even(n: int) -> bool:
    '''By way of the other.'''
    return True if n == 0 else is_odd(n - 1)


@recursive(depth=4)
def is_odd(n: int) -> bool:
    '''By way of the other.'''
    return False if n == 0 else is_even(n - 1)


@recursive(depth=3)
def first_zero(row: Seq[Small], at: int) -> int | None:
    '''Where the first 0 is, if there is one.'''
    if at >= len(row):
        return None
    return at if row[at] == 0 else first_zero(row, at + 1)
"""
FIELDS = """
count: Annotated[int, Range(0, 10)]
parent: Map[Node, Node | None]
row: Annotated[Seq[Small], Capacity(2)]
even: bool
"""
START = "count=0\nparent=Map({n: None for n in Node})\nrow=Seq([3])\neven=True"
BODY = """
@action
def add(s: World, n: Small) -> None:
    '''A sum.'''
    s.count = total(n)
    s.even = is_even(s.count % 5)


@action
def hang(s: World, node: Node, below: Node) -> None:
    '''A node is hung below another.'''
    require(s.parent[node] is None and root(s.parent, below) != node)
    s.parent[node] = below


@action
def push(s: World, n: Small) -> None:
    '''The row grows.'''
    limit(len(s.row) < 2)
    s.row.append(n)
    s.even = first_zero(s.row, 0) is None


@invariant
def ends(s: World) -> bool:
    '''Every way up ends.'''
    return all(s.parent[root(s.parent, n)] is None for n in Node)
"""


def test_recursion_means_the_same_in_every_engine(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE))
    verdict = agree(model)
    assert verdict is not None
    assert (verdict.failure, (verdict.distinct_states or 0) > 100) == (None, True)
    encoding = finite_encoding(model)
    for state in reachable_states(model, 2, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_bound_that_is_met_is_an_error_of_the_model(depth: int, tmp_path: Path) -> None:
    verdict = agree(bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE), constants={"depth": depth}))
    assert verdict is not None and verdict.failure is not None
    assert "deep, which is its bound" in verdict.failure.message


def test_a_depth_has_a_value(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors, match="a value for depth"):
        bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE), open={"depth"})
