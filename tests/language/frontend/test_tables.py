"""Tables of constants at module level mean the same in every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import initial_states

from ...support.engines import agree, bind_text, reachable_states, text_of
from ...support.smt import formula_report, judge_report

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
    model = bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE))
    verdict = agree(model)
    assert verdict is not None and (verdict.failure, verdict.distinct_states) == (None, 4)
    encoding = finite_encoding(model)
    for state in reachable_states(model, 4, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


def test_a_table_that_names_members_is_not_folded(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE))
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
        bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE.replace(was, now)))
    assert {error.code for error in caught.value.errors} == {code}


CONSTANTS = """
size = constant(2, minimum=1, maximum=3, says='a number')
base = constant(0, minimum=0, maximum=2, says='another')
mode = constant(Color.GREEN, says='a color')

class Node(Domain, size=2):
    '''A node.'''


@record
class Pair:
    '''Two numbers.'''

    first: Small
    lit: Color | None = mode
    second: Small = size


ROW = Seq([size, base, base + 1])
NEAR = Map({Node(0): Set([size, 1]), Node(1): Set([base])})
BEST = Pair(first=base, second=size)
NESTED = Seq([Seq([BEST, Pair(size)]), Seq([Pair(1)])])


def moved(by: int, most: int = size, least: int = base) -> int:
    '''A number within bounds.'''
    return max(least, min(by, most))
"""
WITH_CONSTANTS = """
@action
def walk(s: World, to: Small) -> None:
    '''A step.'''
    require(to in NEAR[s.at] or to == ROW[0] or to == ROW[2])
    s.at = Node(1) if s.at == Node(0) else Node(0)
    s.count = moved(s.count + to)
    s.pair = Pair(moved(3, 2), second=BEST.second) if s.count == base else NESTED[0][1]
    s.lit = Pair(1) == NESTED[1][0] and BEST.lit == mode and s.pair.second == size
"""


@pytest.mark.parametrize("values", [{}, {"size": 3}, {"size": 1, "base": 2, "mode": "BLUE"}, {"base": 1}])
def test_constants_in_tables_and_defaults_have_their_values(values: dict[str, Any], tmp_path: Path) -> None:
    fields, start = "at: Node\ncount: Small = base\nlit: bool\npair: Pair", "at=Node(0)\nlit=False\npair=Pair(first=0)"
    model = bind_text(tmp_path, text_of(fields, start, WITH_CONSTANTS, before=CONSTANTS), constants=values)
    verdict = agree(model)
    assert verdict is not None and verdict.failure is None and (verdict.distinct_states or 0) > 2
    state = next(initial_states(model))
    assert (state.count, state.pair.second) == (values.get("base", 0), values.get("size", 2))
    encoding = finite_encoding(model)
    for state in reachable_states(model, 4, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


def test_a_table_keeps_constants_open(tmp_path: Path) -> None:
    fields, start = "count: Small", "count=0"
    body = """
@action
def walk(s: World) -> None:
    '''A step.'''
    s.count = ROW[1] if s.count in PRIME else ROW[0]
"""
    before = "n = constant(1, minimum=1, maximum=2, says='n')\nROW = Seq([n, n + 1])\nPRIME = Set([n, 0])\n"
    path = tmp_path / "opened.py"
    path.write_text(text_of(fields, start, body, before=before))
    for value in (1, 2):
        verdict = native(load(path).bind(constants={"n": value}, open={"n"}), Search(deadlocks=False))
        assert verdict.distinct_states == 3, verdict


def test_an_open_constant_is_no_key(tmp_path: Path) -> None:
    before = "n = constant(1, minimum=0, maximum=1, says='n')\nROW = Map({n: 2})\n"
    body = "@action\ndef walk(s: World) -> None:\n    '''A step.'''\n    s.count = ROW[s.count]"
    path = tmp_path / "opened.py"
    path.write_text(text_of("count: Small", "count=0", body, before=before))
    with pytest.raises(ModelErrors, match="TG203"):
        load(path).bind(open={"n"})


def test_sets_in_a_table_may_differ_in_their_numbers_and_be_empty(tmp_path: Path) -> None:
    before = """
NEAR = Map({0: Set([1]), 1: Set([0, 2]), 2: Set()})
ODD = Set([1, 3])

@record
class Pair:
    '''A number, and some.'''

    first: Small
    some: Set[Small]

PAIR = Pair(first=1, some=Set([1, 2]))
"""
    body = """
@action
def walk(s: World, to: Small) -> None:
    '''A step.'''
    require(s.count < 3 and to in NEAR[s.count])
    s.count = to
    s.odd = ODD if to == 2 else PAIR.some
"""
    model = bind_text(tmp_path, text_of("count: Small\nodd: Set[Small]", "count=0\nodd=Set()", body, before=before))
    verdict = agree(model)
    assert verdict is not None and verdict.distinct_states == 4


SETS = """
A = Set([2])
B = Set([3])
C = Set([0, 3])
ROWS = Seq([Set([1]), Set([2, 3])])


most = constant(2, minimum=2, maximum=3, says="with 3, a number that has no place is put into a set")


def either(count: int) -> Set[int]:
    '''One of two tables.'''
    return A | B if count > 1 else C | B


def joined(one: Set[int], other: Set[int]) -> Set[int]:
    '''The members of both.'''
    return one | other


def limited(some: Set[Small]) -> int:
    '''How many there are.'''
    return len(some)
"""
WITH_SETS = """
@action
def take(s: World, one: Small) -> None:
    '''A step.'''
    require(A != B and not A <= B and B <= C and A != {one} and len(A | {one, one + 1} | B) > 2)
    s.held = joined(s.held, A if one > 1 else C) - B
    s.some = s.held & either(one)
    s.perhaps = A | {one} if s.perhaps is None else None if s.perhaps == C else s.perhaps & C
    s.signed = (s.signed ^ {-min(one, most)}) & (A | {-1})
    s.many = Map({n: A if n == Node(0) else C for n in Node})


@action
def drop(s: World, one: Small) -> None:
    '''A step.'''
    require(one in s.held | B and limited(s.some | C - A if one < 3 else A) > 0)
    s.held = s.held - {one}
    s.some = {x + 1 for x in ROWS[one % 2] if x + 1 <= 3}


@invariant
def small(s: World) -> bool:
    '''A property.'''
    return s.held != C or s.held | A > C and s.many[Node(1)] <= C | A
"""
SET_FIELDS = (
    "held: Set[Small]\nsome: Set[Small]\nperhaps: Set[Small] | None\nsigned: Set[Signed]\nmany: Map[Node, Set[Small]]"
)
SET_START = "held=Set()\nsome=B\nperhaps=A\nsigned=Set([-1])\nmany=Map({n: Set() for n in Node})"


def test_sets_of_different_numbers_are_compared_and_joined(tmp_path: Path) -> None:
    before = BEFORE.split("@record")[0] + SETS
    model = bind_text(tmp_path, text_of(SET_FIELDS, SET_START, WITH_SETS, before=before))
    verdict = agree(model)
    assert verdict is not None and (verdict.distinct_states or 0) > 20
    encoding = finite_encoding(model)
    for state in reachable_states(model, 12, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


def test_a_number_that_a_set_has_no_room_for_is_an_error_in_every_engine(tmp_path: Path) -> None:
    before = BEFORE.split("@record")[0] + SETS
    model = bind_text(tmp_path, text_of(SET_FIELDS, SET_START, WITH_SETS, before=before), constants={"most": 3})
    verdict = agree(model)
    assert (
        verdict is not None
        and verdict.failure is not None
        and verdict.failure.message == message_of_number("-3", "-2..2")
    )
    state = next(initial_states(model))
    found = sorted(formula_report(model, finite_encoding(model), state))
    assert found == sorted(judge_report(model, state)) and any(text.endswith("breaks") for text in found)


def message_of_number(number: str, of: str) -> str:
    """What is said where a number is put into a set that has no room for it: the cause, and what to do."""
    return (
        f"{number} is outside {of}, the range of the set that it is put into; "
        "require a number within it, or declare a wider range where the set comes from"
    )


GROUPS = """
GROUPS = Set([Set([2]), Set([2, 3])])


def groups() -> Set[Set[Small]]:
    '''The same, with room for every number.'''
    return Set([Set([2]), Set([2, 3])])
"""
WITH_GROUPS = """
@action
def take(s: World, one: Small) -> None:
    '''A step.'''
    require(FROM | {Set([one])} != FROM)
    s.held = Set([one])
"""


@pytest.mark.parametrize(("table", "lacks_room"), [("GROUPS", True), ("groups()", False)])
def test_a_set_of_sets_has_room_for_the_numbers_in_it_or_for_those_declared(
    table: str, lacks_room: bool, tmp_path: Path
) -> None:
    body = WITH_GROUPS.replace("FROM", table)
    model = bind_text(tmp_path, text_of("held: Set[Small]", "held=Set()", body, before=GROUPS))
    verdict = agree(model)
    assert verdict is not None
    message = None if verdict.failure is None else verdict.failure.message
    assert message == (message_of_number("0", "2..3") if lacks_room else None)
    encoding = finite_encoding(model)
    for state in reachable_states(model, 4, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


MAPS = """
NEAR = Map({Node(0): Set([0]), Node(1): Set([1]), Node(2): Set([0, 1])})
FAR = Map({Node(0): Set([2]), Node(1): Set([3]), Node(2): Set([2, 3])})
"""
WITH_MAPS = """
@action
def go(s: World, to: Node) -> None:
    '''A step.'''
    require(s.many != FAR)
    s.many[to] = NEAR[to] if s.many[to] == Set() else FAR[to]


@reachable
def all_near(s: World) -> bool:
    '''The table of small numbers.'''
    return s.many == NEAR


@reachable
def all_far(s: World) -> bool:
    '''The table of larger ones.'''
    return FAR == s.many


@invariant
def never_alike(s: World) -> bool:
    '''No map is both.'''
    return not (s.many == NEAR and s.many == FAR)
"""


def test_maps_to_sets_of_different_numbers_are_compared(tmp_path: Path) -> None:
    before = BEFORE.split("@record")[0] + MAPS
    start = "many=Map({n: Set() for n in Node})"
    model = bind_text(tmp_path, text_of("many: Map[Node, Set[Small]]", start, WITH_MAPS, before=before))
    verdict = agree(model)
    assert verdict is not None
    assert {prop.name: prop.verdict for prop in verdict.properties} == {
        "all_near": "reached",
        "all_far": "reached",
        "never_alike": "holds",
    }
    encoding = finite_encoding(model)
    for state in reachable_states(model, 27, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


@pytest.mark.parametrize(
    ("body", "code", "cause"),
    [
        ("require(s.held <= s.far)", "TG402", "these sets together have"),
        ("x = A\n    x = B", "TG213", "x was Set[int] of 2..2"),
        ("s.held = unsettled(1)", "TG203", "another return gives Set[int] of 2..2"),
    ],
)
def test_which_sets_of_numbers_are_not_joined(body: str, code: str, cause: str, tmp_path: Path) -> None:
    before = SETS + "\n\ndef unsettled(n: int) -> Set[int]:\n    '''x'''\n    if n > 0:\n"
    before += "        return A\n    return B\n"
    fields = "held: Set[Small]\nfar: Set[Annotated[int, Range(60, 99)]]"
    action = f"@action\ndef step(s: World) -> None:\n    '''A step.'''\n    {body}\n    s.held = s.held | B\n"
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text_of(fields, "held=Set()\nfar=Set()", action, before=before))
    assert [error.code for error in caught.value.errors] == [code]
    assert cause in str(caught.value)
