"""Types: how many values each has."""

from __future__ import annotations

import pytest
from tidegate.language.types import (
    Bool,
    Identity,
    Int,
    Map,
    Option,
    Pool,
    Record,
    Seq,
    Subset,
    Type,
    has_elements,
    scalar_size,
    sequence_counts,
    set_count,
    value_count,
)  # fmt: skip

NODE = Identity("Node", 3, False, ("A", "B", "C"), int)
PAIR = Record("Pair", (("left", Bool()), ("right", Int(1, 3))), object)


@pytest.mark.parametrize(
    ("type_", "count"),
    [
        (Bool(), 2),
        (Int(-2, 2), 5),
        (NODE, 3),
        (Option(NODE), 4),
        (PAIR, 6),
        (Map(NODE, Bool()), 8),
        (Subset(NODE), 8),
        (Seq(Bool(), 2), 1 + 2 + 4),
        (Pool(PAIR, 2, False), 1 + 6 + 15),
    ],
)
def test_values_are_counted(type_: Type, count: int) -> None:
    assert value_count(type_) == count


def test_what_has_no_list_of_values_is_refused() -> None:
    with pytest.raises(TypeError):
        value_count(Pool(PAIR, 2, True))
    with pytest.raises(TypeError):
        scalar_size(Option(NODE))


def test_sequences_and_sets_by_their_size() -> None:
    assert sequence_counts(Seq(NODE, 3)) == [1, 3, 9, 27]
    assert set_count(3, 5) == 8, "no set has more members than there are"


def test_what_holds_elements() -> None:
    assert has_elements(Map(NODE, Option(Record("R", (("log", Seq(Bool(), 1)),), object))))
    assert not has_elements(Map(NODE, Subset(NODE)))


def test_a_field_is_found_by_name() -> None:
    assert PAIR.field_type("right") == Int(1, 3)
    with pytest.raises(KeyError):
        PAIR.field_type("middle")
