"""Choices: native code tries a parameter with the values that plain Python does, in its order."""

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
    def step(s: World, some: Set[Node], o: Option[Node], c: Color) -> None:
        '''A step.'''
        s.seen = some
        s.one = None if o is None else o
        s.k = 1 if c == Color.RED else 2
"""


@pytest.mark.parametrize("symmetric", [False, True])
def test_parameters_of_each_type(tmp_path: Path, symmetric: bool) -> None:
    verdict = agree(bind_text(tmp_path, text_of(FIELDS, START, BODY)), symmetry=symmetric)
    assert verdict is not None and (verdict.distinct_states or 0) > 3
