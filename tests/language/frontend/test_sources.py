"""What a loop ranges over means the same in every engine: aliases of ranges, values in a row, members with numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors

from ...support.engines import agree, bind_text, reachable_states, text_of
from ...support.smt import formula_report, judge_report

BEFORE = """
n = constant(2, minimum=1, maximum=3, says='slots')
Slot = Annotated[int, Range(0, n)]


class Seat(Domain, size=3, ordered=True):
    '''A seat.'''


@record
class Note:
    '''A message.'''

    at: Seat
    number: Slot
"""
FIELDS = """
full: Map[Slot, bool]
chosen: Set[Slot]
seat: Seat
count: Small
row: Annotated[Seq[Small], Capacity(3)]
notes: Annotated[Set[Note], Capacity(9)]
"""
START = """
full=Map({i: False for i in Slot})
chosen=Set(Slot)
seat=Seat(0)
count=0
row=Seq([2, 0, 1])
notes={Note(at=seat, number=i) for seat in Seat for i in range(2)}
"""
BODY = """
@action
def fill(s: World, slot: Slot) -> None:
    '''A slot is filled.'''
    for i in Slot:
        if i <= slot:
            s.full[i] = any(not s.full[j] for j in Slot)
    s.chosen = {i for i in Slot if not s.full[i]}
    s.count = sum(1 for some in subsets(Slot) if some <= s.chosen) % len(Slot)


@action
def sit(s: World) -> None:
    '''Seats by their numbers.'''
    for i, seat in enumerate(Seat):
        if s.row[i] == s.count % 3:
            s.seat = seat
    for number in (2, s.count, 0):
        if number in s.chosen:
            s.count = number
    s.count = (s.count + sum(x * (i + 1) for i, x in zip(range(2), s.row))) % 4


@action
def take(s: World, note: Note) -> None:
    '''A note is taken.'''
    require(note.at == s.seat and len(s.notes) > 4)
    s.notes.remove(note)
"""


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_loops(slots: int, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE), constants={"n": slots})
    verdict = agree(model)
    assert verdict is not None
    assert (verdict.failure, (verdict.distinct_states or 0) > 20) == (None, True)
    encoding = finite_encoding(model)
    for state in reachable_states(model, 3, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


def test_a_range_with_an_open_end(tmp_path: Path) -> None:
    body = """
@action
def go(s: World) -> None:
    '''A step.'''
    s.count = sum(1 for i in Slot)
"""
    path = tmp_path / "opened.py"
    path.write_text(text_of("count: Annotated[int, Range(0, 9)]", "count=0", body, before=BEFORE))
    definition = load(path)
    for slots in (1, 3):
        opened = native(definition.bind(constants={"n": slots}, open={"n"}), Search())
        assert opened.distinct_states == 2
        assert native(definition.bind(constants={"n": slots}), Search()).distinct_states == 2


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        ("enumerate(Seat)", "enumerate(s.notes)", "TG216"),
        ("zip(range(2), s.row)", "zip(range(s.count), s.row)", "TG216"),
        ("(2, s.count, 0)", "(2, s.seat)", "TG203"),
        ("s.count = number", "s.count = Slot", "TG221"),
        ("seat = Seat(0)", "s.seat = s.seat + 1", "TG205"),
    ],
)
def test_what_is_refused(was: str, now: str, code: str, tmp_path: Path) -> None:
    body = BODY.replace("s.seat = seat", "s.seat = seat\n    seat = Seat(0)")
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text_of(FIELDS, START.replace(was, now), body.replace(was, now), before=BEFORE))
    assert code in {error.code for error in caught.value.errors}
