"""What a state may hold: each store is checked by its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tidegate.language import Map, Seq, Set
from tidegate.language import types as t
from tidegate.language.checks import check_for
from tidegate.language.values import ModelError

from ..support.drafts import LOG, LOGS, NODE, NOTE, SMALL, A, B, C, Note, draft_of, everyone

WRONG_WRITES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda s: setattr(s, "n", 10), "n: 10 is outside 0..9"),
    (lambda s: setattr(s, "n", None), "n: none where an integer is needed"),
    (lambda s: setattr(s, "who", 1), "who: 1 where a Node is needed"),
    (lambda s: s.log.__setitem__(A, Seq([1] * 5)), r"log\[A\]: 5 elements are more than the capacity of 4"),
    (lambda s: s.log[A].append(10), r"log\[A\]\[0\]: 10 is outside 0..9"),
    (lambda s: [s.log[A].append(1) for _ in range(5)], r"log\[A\] is full: its capacity is 4"),
    (lambda s: s.log[A].truncate(1), r"log\[A\] cannot be truncated to 1: its length is 0"),
    (lambda s: s.log[A].__setitem__(0, 1), "index 0 is outside a Seq of length 0"),
    (lambda s: s.notes.add(Note(A, 11, Set())), "notes: Note.text: 11 is outside 0..9"),
    (lambda s: s.notes.remove(Note(A, 1, Set())), "Note.* is not in notes"),
    (lambda s: setattr(s, "other", 1), "Town has no field other"),
    (lambda s: s.other, "Town has no field other"),
]


@pytest.mark.parametrize(("write", "message"), WRONG_WRITES)
def test_every_store_is_checked(write: Any, message: str) -> None:
    log = Map({node: Seq[int]() for node in everyone()})
    s = draft_of(n=(SMALL, 0), who=(t.Option(NODE), None), log=(LOGS, log), notes=(t.Pool(NOTE, 2), Set()))
    with pytest.raises(ModelError, match=message):
        write(s)


def test_a_store_takes_pythons_own_containers_even_inside_records() -> None:
    s = draft_of(notes=(t.Pool(NOTE, 2), set[Note]()), note=(NOTE, Note(None, 0, Set())), log=(LOG, [1, 2]))
    note: Any = Note(A, 1, {B})  # pyright: ignore[reportArgumentType]
    s.notes.add(note)
    s.note = note
    assert note in s.notes
    assert isinstance(s.note.readers, Set)
    assert list(s.log) == [1, 2]


def test_a_map_is_total_and_in_the_order_of_its_keys() -> None:
    check = check_for(t.Map(NODE, SMALL), {})
    assert list(check(Map({C: 0, A: 1, B: 2}))) == [A, B, C]
    with pytest.raises(ModelError, match="the Map has no value for C"):
        check(Map({A: 0, B: 0}))
