"""Loops: native code goes round as often, and in the order, that plain Python does."""

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
    def step(s: World, a: Node, i: Small) -> None:
        '''A step.'''
        require(all(s.n[b] <= 3 for b in Node if b != a) and any(b == a for b in Node))
        s.k = min(sum(s.n[b] for b in Node), 3)
        s.n[a] = max((s.n[b] for b in s.seen), default=i)
"""


@pytest.mark.parametrize("symmetric", [False, True])
def test_quantifiers_and_sums(tmp_path: Path, symmetric: bool) -> None:
    verdict = agree(bind_text(tmp_path, text_of(FIELDS, START, BODY)), symmetry=symmetric)
    assert verdict is not None and (verdict.distinct_states or 0) > 3
