"""Shapes: native code compares, selects and takes apart values as plain Python does."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...support.engines import agree, bind_text, text_of

FIELDS = """
n: Map[Node, Small]
k: Small
seen: Set[Node]
one: Option[Node]
log: Map[Node, Annotated[Seq[Small], Capacity(2)]]
"""
START = """
n=Map({x: 0 for x in Node})
k=0
seen=Set()
one=None
log=Map({x: Seq() for x in Node})
"""
BODY = """
    @action
    def step(s: World, a: Node, b: Node, i: Small, flag: bool) -> None:
        '''A step.'''
        require(s.one is None or s.one != a)
        before = s.log[a]
        s.log[a] = s.log[b] if flag else Seq([i])
        s.one = a if before == s.log[a] else s.one
"""


@pytest.mark.parametrize("symmetric", [False, True])
def test_values_are_taken_apart(tmp_path: Path, symmetric: bool) -> None:
    verdict = agree(bind_text(tmp_path, text_of(FIELDS, START, BODY)), symmetry=symmetric)
    assert verdict is not None and (verdict.distinct_states or 0) > 3
