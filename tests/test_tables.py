"""Tables of constants at module level mean the same in every engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt.encoding import finite
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.errors import ModelErrors

from .engines import agree, bound, reachable_states, text_of
from .smt import judged, told

BEFORE = """
class Node(Domain, size=3, symmetric=True):
    '''A node.'''


@record
class Pair:
    '''Two numbers.'''

    first: Small
    lit: Color | None


NEAR = Map({Node(0): Set([Node(1)]), Node(1): Set([Node(0), Node(2)]), Node(2): Set([Node(1)])})
PRIME = Set([2, 3])
ROW = Seq([3, 1, 2])
BEST = Pair(first=2, lit=Color.RED)
STEP = Map({1: Color.RED, 2: Color.BLUE})
"""
BODY = """
@action
def walk(s: World, to: Node) -> None:
    '''A step.'''
    require(to in NEAR[s.at])
    s.at = to
    s.count = ROW[s.count % 3] if s.count not in PRIME else BEST.first - 2
    s.lit = STEP[2] == Color.BLUE and BEST.lit is not None and sum(ROW) == 6
"""
FIELDS, START = "at: Node\ncount: Small\nlit: bool", "at=Node(0)\ncount=0\nlit=False"


def test_tables_mean_the_same_in_every_engine(tmp_path: Path) -> None:
    model = bound(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE))
    verdict = agree(model)
    assert verdict is not None and (verdict.failure, verdict.distinct_states) == (None, 4)
    encoding = finite(model)
    for state in reachable_states(model, 4, seed=1):
        assert sorted(told(model, encoding, state)) == sorted(judged(model, state))


def test_a_table_that_names_members_is_not_folded(tmp_path: Path) -> None:
    model = bound(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE))
    assert "names one member" in symmetry_of(model).refusals[0]


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        (", Node(2): Set([Node(1)])})", "})", "TG203"),
        ("Set([2, 3])", "Set([2, 99])", "TG402"),
        ("Seq([3, 1, 2])", "Seq([3, Color.RED])", "TG203"),
        ("Seq([3, 1, 2])", "Seq()", "TG214"),
        ("Set([Node(0), Node(2)])", "Set([Node(0), Node(4)])", "TG202"),
    ],
)
def test_what_is_refused(was: str, now: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        bound(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE.replace(was, now)))
    assert {each.code for each in caught.value.errors} == {code}
