"""Actions: native code takes each step with the arguments that plain Python does."""

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
    def step(s: World, a: Node, i: Small, flag: bool, who: Node) -> None:
        '''A step.'''
        s.n[a] = i if flag else 0
        if who == a:
            s.one = who
"""


@pytest.mark.parametrize("symmetric", [False, True])
def test_steps_with_arguments_of_each_kind(tmp_path: Path, symmetric: bool) -> None:
    verdict = agree(bind_text(tmp_path, text_of(FIELDS, START, BODY)), symmetry=symmetric)
    assert verdict is not None and (verdict.distinct_states or 0) > 3
