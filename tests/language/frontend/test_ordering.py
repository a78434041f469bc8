"""Ordered domains, all sets, sequences side by side, the first of some values, powers: every engine says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import steps
from tidegate.language.values import State

from ...support.engines import agree, bind_text, reachable_states, text_of
from ...support.smt import formula_report, judge_report

BEFORE = '''
seats = constant(3, minimum=1, maximum=4, says="seats")


class Seat(Domain, size=seats, ordered=True):
    """A place on a ring."""


class Node(Domain, size=2, symmetric=True):
    """A node."""
'''
FIELDS = """
at: Seat
count: Annotated[int, Range(0, 99)]
row: Annotated[Seq[Small], Capacity(3)]
other: Annotated[Seq[Small], Capacity(2)]
group: Set[Seat]
"""
START = "at=Seat(0)\ncount=0\nrow=Seq([2, 3, 1])\nother=Seq([1, 3])\ngroup=Set(Seat)"


def counting(folder: Path, says: str, **options: object) -> list[int]:
    """What an expression comes to at each seat, in both engines and in formulas."""
    body = f"""
    @action
    def step(s: World) -> None:
        '''A step.'''
        s.count = {says}
        s.at = next(s.at)
    """
    model = bind_text(folder, text_of(FIELDS, START, body, before=BEFORE), **options)
    verdict = agree(model)
    assert verdict is not None and verdict.failure is None
    states = reachable_states(model, 6, seed=1)
    encoding = finite_encoding(model)
    for state in states:
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))
    return [
        next(read(step.state_after, "count") for step in steps(model, state)) for state in sorted(states, key=seat)[-3:]
    ]


def read(state: State, field: str) -> Any:
    """A field of a state."""
    return getattr(state, field)


def seat(state: State) -> tuple[bool, int]:
    """Where a state stands on the ring, the initial state first."""
    return read(state, "count") != 0 or read(state, "at").index != 0, read(state, "at").index


@pytest.mark.parametrize(
    ("says", "values"),
    [
        ("position(s.at) + 1", [1, 2, 3]),
        ("position(previous(s.at)) * 10 + position(next(s.at))", [21, 2, 10]),
        ("1 if s.at < Seat(1) else 2 if s.at <= Seat(1) else 3", [1, 2, 3]),
        ("position(max(s.at, Seat(1))) + 2 * position(min(x for x in Seat if x >= s.at))", [1, 3, 6]),
        ("sum(1 for q in subsets(s.group) if s.at in q) + 9 * sum(1 for q in subsets(Seat))", [76, 76, 76]),
        ("sum(i * x for i, x in enumerate(s.row)) + position(s.at)", [5, 6, 7]),
        ("sum(x * y for x, y in zip(s.row, s.other)) + position(s.at)", [11, 12, 13]),
        ("choose(x for x in s.row if x != 2) + position(choose(q for q in Seat if q > s.at or q == s.at))", [3, 4, 5]),
        ("2 ** position(s.at) + 3 ** 2", [10, 11, 13]),
        ("position(Seat((position(s.at) + 2) % len(Seat))) + 5", [7, 5, 6]),
        ("sum(len(q) for q in subsets(range(2))) + len({p for p in Seat if p < s.at})", [4, 5, 6]),
    ],
)
def test_what_is_said_of_order(says: str, values: list[int], tmp_path: Path) -> None:
    assert counting(tmp_path, says) == values


def test_the_size_may_be_open(tmp_path: Path) -> None:
    assert counting(tmp_path, "10 + position(next(s.at))", open={"seats"}) == [11, 12, 10]


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("choose(x for x in s.row if x > 3)", "min"),
        ("position(choose(x for x in Seat if x != s.at and x == s.at))", "nothing to choose from"),
        ("position(Seat(position(s.at) + 2))", "has no member"),
    ],
)
def test_where_there_is_no_value_it_is_an_error_of_the_model(says: str, message: str, tmp_path: Path) -> None:
    body = f"@action\ndef step(s: World) -> None:\n    '''A.'''\n    s.count = {says}\n    s.at = next(s.at)\n"
    verdict = agree(bind_text(tmp_path, text_of(FIELDS, START, body, before=BEFORE)))
    assert verdict is not None and verdict.failure is not None


def test_a_loop_visits_what_was_there_when_it_began(tmp_path: Path) -> None:
    body = """
    @action
    def step(s: World) -> None:
        '''A step.'''
        require(s.count == 0)
        for i, x in enumerate(s.row):
            s.row = s.row[1:]
            s.count = s.count * 4 + i + x
        for x, y in zip(s.other, s.other):
            s.other = Seq([3])
            s.count += x + y
        for some in subsets(s.group):
            s.group = Set()
            s.count += 1 if len(some) == 2 else 0
    """
    model = bind_text(tmp_path, text_of(FIELDS, START, body, before=BEFORE))
    verdict = agree(model)
    assert verdict is not None and verdict.outcome == "deadlock"
    assert max(read(state, "count") for state in reachable_states(model, 3, 1)) == (2 * 4 + 4) * 4 + 3 + 8 + 3


@pytest.mark.parametrize(
    ("says", "reported"),
    [
        ("choose(x for x in Node if x != s.who)", "depends on the order of the members"),
        ("min(1 for q in subsets(Node) if s.who in q)", None),
    ],
)
def test_choose_breaks_symmetry_and_all_sets_do_not(says: str, reported: str | None, tmp_path: Path) -> None:
    field = "s.who = " + says if reported else f"s.count = {says}\n    s.who = other"
    body = f"@action\ndef step(s: World, other: Node) -> None:\n    '''A step.'''\n    {field}\n"
    text = text_of("who: Node\ncount: Small", "who=Node(0)\ncount=0", body, before=BEFORE)
    model = bind_text(tmp_path, text)
    refusals = symmetry_of(model).refusals
    assert (reported in refusals[0]) if reported else not refusals
    agree(model, symmetry=True)


@pytest.mark.parametrize(
    ("before", "says", "code"),
    [
        ("class Bad(Domain, size=2, ordered=True, symmetric=True):\n    '''B.'''\n", "s.count", "TG411"),
        ("class Many(Domain, size=17):\n    '''M.'''\n", "sum(1 for q in subsets(Many))", "TG412"),
        ("", "position(Node(0))", "TG206"),
        ("", "1 if Node(0) < Node(1) else 0", "TG206"),
        ("", "position(next(Node(0)))", "TG206"),
        ("", "2 ** (s.count - 1)", "TG112"),
        ("", "choose(x + 1 for x in s.row)", "TG211"),
        ("", "sum(i for i, x in enumerate(s.row, 1))", "TG211"),
        ("", "sum(i for i in enumerate(s.row))", "TG116"),
        ("", "sum(i for i, x in enumerate(s.group))", "TG216"),
        ("", "sum(x for x in zip(s.row))", "TG211"),
        ("", "len(subsets(Seat))", "TG113"),
        ("", "position(max((x for x in Seat), default=0))", "TG207"),
    ],
)
def test_what_is_refused(before: str, says: str, code: str, tmp_path: Path) -> None:
    bad = "bad: Bad\n" if "Bad" in before else ""
    body = f"@action\ndef step(s: World) -> None:\n    '''A.'''\n    s.count = {says}\n"
    start = START + ("\nbad=Bad(0)" if bad else "")
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text_of(FIELDS + bad, start, body, before=BEFORE + "\n\n" + before))
    assert {error.code for error in caught.value.errors} == {code}
