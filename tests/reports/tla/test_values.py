"""Types as sets of TLA+."""

from __future__ import annotations

from enum import Enum

import pytest
from tidegate.language.types import Bool, Enumeration, Int, Map, Option, Pool, Record, Seq, Subset
from tidegate.reports.tla.names import Names
from tidegate.reports.tla.values import NotInTLAError, bound_text, constant_text, member_text, part_name, set_text


class Mode(Enum):
    """A mode."""

    SLOW = "slow"
    FAST = 2


MODE = Enumeration("Mode", ("SLOW", "FAST"), Mode)
ENTRY = Record("Entry", (("id", Int(0, 3)), ("mode", MODE)), object)


def _names() -> Names:
    names = Names()
    names.declare(Mode, "Mode")
    return names


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (Int(-1, 3), "((-1)..3)"),
        (Option(Bool()), "(BOOLEAN \\union {None})"),
        (Map(MODE, Seq(ENTRY, 2)), "[Mode -> UpTo([id: (0..3), mode: Mode], 2)]"),
        (Subset(MODE), "(SUBSET Mode)"),
        (Pool(ENTRY, 3), "(SUBSET [id: (0..3), mode: Mode])"),
        (Record("pair", (("0", Bool()), ("1", MODE)), tuple), "(BOOLEAN \\X Mode)"),
    ],
)
def test_a_type_is_the_set_of_its_values(type_: object, text: str) -> None:
    assert set_text(type_, _names(), is_listed=False) == text  # pyright: ignore[reportArgumentType]


def test_a_bag_is_no_set() -> None:
    with pytest.raises(NotInTLAError, match="a bag is no set of values"):
        set_text(Pool(ENTRY, 3, multiple=True), _names())


def test_a_member_is_its_text_and_a_part_of_a_union_has_its_plain_name() -> None:
    assert [member_text(MODE, 0), member_text(MODE, 1)] == ['"slow"', '"FAST"']
    assert [part_name("@kind"), part_name("epoch@Vote"), part_name("id")] == ["kind", "epoch", "id"]
    assert [constant_text(1, Bool(), _names()), constant_text(0, Option(Bool()), _names())] == ["TRUE", "None"]
    assert bound_text(-2, None, _names()) == "(-2)"
