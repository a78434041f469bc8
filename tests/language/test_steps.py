"""An early `return` in an action or in a step helper means the same in every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.engines import agree, bind_text, text_of

BEFORE = """
losses = constant(2, minimum=0, maximum=3, says='losses')

"""
BODY = """
def count_on(s: World, by: Small) -> None:
    '''Counts on, unless there is a reason not to.'''
    if s.color == Color.RED:
        if by == 0:
            return
        elif by == 1:
            s.count = 0
            return
        s.color = Color.GREEN
    else:
        match s.color:
            case Color.GREEN if by == 2:
                s.color = Color.BLUE
                return
            case Color.BLUE:
                if by > 1:
                    return
                s.color = Color.RED
    if s.count > 2:
        s.count = by
        return
    s.count = s.count + 1


@action(kind="fault", budget="losses")
def lose(s: World, by: Small) -> None:
    '''Something is lost.'''
    require(s.count != by)
    if by == 3:
        require(s.color == Color.BLUE)
        s.color = Color.RED
        return
    count_on(s, by)
    if s.count == 1:
        return
    s.last = by


@action
def go(s: World, by: Small) -> None:
    '''A step.'''
    if s.last == by:
        if by > 1:
            return
    require(s.color != Color.BLUE or by < 2)
    if s.count == 3:
        limit(by != 1)
    count_on(s, by)
    s.last = by
"""


@pytest.mark.parametrize("losses", [0, 2])
def test_early_returns(losses: int, tmp_path: Path) -> None:
    text = text_of("count: Small\nlast: Small\ncolor: Color", "count=0\nlast=0\ncolor=Color.RED", BODY, before=BEFORE)
    verdict = agree(bind_text(tmp_path, text, constants={"losses": losses}))
    assert verdict is not None
    assert (verdict.failure, (verdict.distinct_states or 0) > 10) == (None, True)
