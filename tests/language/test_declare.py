"""Marks: a record is a frozen dataclass."""

from __future__ import annotations

from tidegate.language import Set, replace

from ..support.drafts import A, Note


def test_replace_leaves_the_record_as_it_was() -> None:
    note = Note(A, 1, Set())
    assert replace(note, text=2) == Note(A, 2, Set())
    assert note.text == 1
