"""Annotations: the types that they stand for, with the constants' values in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import ModelErrors
from tidegate.language.types import Identity, Int, Map, Option, Pool, Seq

from ...support.frontend import bind_functions

IDLE = "@action\ndef step(s: World) -> None:\n    s.count = 0\n"


def test_fields_have_the_types_that_their_annotations_say(tmp_path: Path) -> None:
    model = bind_functions(tmp_path, IDLE, constants={"top": 4, "room": 1})
    types = {field.name: field.type for field in model.fields}
    assert types["count"] == Int(0, 4)
    owner, queue, notes = types["owner"], types["queue"], types["notes"]
    assert isinstance(owner, Option) and isinstance(owner.of, Identity) and owner.of.size == 2
    assert isinstance(queue, Map) and isinstance(queue.value, Seq) and queue.value.capacity == 1
    assert isinstance(notes, Pool) and not notes.multiple
    assert [field.name for field in model.fields if field.ghost] == ["high", "past"]


@pytest.mark.parametrize(
    ("annotation", "code"),
    [
        ("int", "TG404"),
        ("Annotated[int, Range(3, 1)]", "TG401"),
        ("Seq[Node]", "TG405"),
        ("float", "TG209"),
        ("list[int]", "TG209"),
    ],
)
def test_what_stands_for_no_bounded_type_is_refused(annotation: str, code: str, tmp_path: Path) -> None:
    text = f"@record\nclass Odd:\n    part: {annotation}\n\n\n" + IDLE.replace("World)", "World, odd: Odd)")
    with pytest.raises(ModelErrors) as caught:
        bind_functions(tmp_path, text)
    assert code in [error.code for error in caught.value.errors]
