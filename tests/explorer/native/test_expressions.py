"""Expressions: native code gives each the value that plain Python does."""

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
    def step(s: World, a: Node, i: Small, flag: bool) -> None:
        '''A step.'''
        require(i != 0)
        s.k = (s.k * 2 + i) % 4 if flag else max(min(i, 3) - s.k // i, 0)
        s.seen = (s.seen | {a}) - {x for x in Node if x != a and flag}
"""


@pytest.mark.parametrize("symmetric", [False, True])
def test_every_operator(tmp_path: Path, symmetric: bool) -> None:
    verdict = agree(bind_text(tmp_path, text_of(FIELDS, START, BODY)), symmetry=symmetric)
    assert verdict is not None and (verdict.distinct_states or 0) > 3
