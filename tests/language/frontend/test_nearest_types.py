"""What is written in the place of a type that is not in the language."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.language.frontend.nearest_types import nearest_type, text_of_name
from tidegate.language.values import Seq


@pytest.mark.parametrize(
    ("value", "name", "instead"),
    [
        (dict, "dict", "Map[K, V]"),
        (float, "float", "Annotated[int, Range(lo, hi)]"),
        (Seq, "Seq", "Annotated[Seq[T], Capacity(n)]"),
        (complex, "complex", "int with a Range, bool, an Enum, a Domain, a @record, Map, Seq, Set or Bag"),
        (3, "3", "int with a Range, bool, an Enum, a Domain, a @record, Map, Seq, Set or Bag"),
    ],
)
def test_a_type_of_pythons_has_a_name_and_something_in_its_place(value: Any, name: str, instead: str) -> None:
    assert (text_of_name(value), nearest_type(value)) == (name, instead)
