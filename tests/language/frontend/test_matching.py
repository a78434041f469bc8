"""How a value of one type is taken for another."""

from __future__ import annotations

import pytest
from tidegate.language.frontend.intervals import UNBOUNDED_INT
from tidegate.language.frontend.matching import common_type, is_member, is_type_fitting, tuple_type, widen_type
from tidegate.language.records import union_of
from tidegate.language.types import Bool, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit

NODE = Identity("Node", 2, False, ("A", "B"), int)
VOTE = Record("Vote", (("term", Int(0, 3)),), int)
BEAT = Record("Beat", (("up", Bool()),), str)
UNION = union_of([VOTE, BEAT])


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        (Int(0, 2), Int(1, 5), Int(0, 5)),
        (Bool(), Int(0, 1), None),
        (Unit(), NODE, Option(NODE)),
        (Option(Int(0, 1)), Int(2, 3), Option(Int(0, 3))),
        (Seq(Int(0, 1), 2), Seq(Int(0, 4), 3), Seq(Int(0, 4), 3)),
        (Subset(Int(0, 3)), Subset(Int(2, 9)), Subset(Int(0, 9))),
        (Subset(Int(0, 3)), Subset(Int(2, 99)), None),
        (Map(NODE, Int(0, 1)), Map(NODE, Int(1, 2)), Map(NODE, Int(0, 2))),
        (Pool(VOTE, 2, False), Pool(VOTE, 3, True), None),
        (UNION, VOTE, UNION),
        (VOTE, BEAT, None),
        (tuple_type([Int(0, 1), Bool()]), tuple_type([Int(2, 3), Bool()]), tuple_type([Int(0, 3), Bool()])),
        (tuple_type([Int(0, 1), Bool()]), tuple_type([Bool()] * 3), None),
    ],
)
def test_the_type_that_holds_both(left: Type, right: Type, joined: Type | None) -> None:
    assert common_type(left, right) == joined
    if {type(left), type(right)} != {Record}:
        assert common_type(right, left) == joined


def test_a_plain_annotation_takes_what_was_found() -> None:
    assert widen_type(UNBOUNDED_INT, Int(2, 3)) == Int(2, 3)
    assert widen_type(Int(0, 1), Int(2, 3)) == Int(0, 3)
    assert widen_type(Int(0, 5), Int(2, 3)) == Int(0, 5)
    assert widen_type(Seq(UNBOUNDED_INT, -1), Seq(Int(0, 1), 4)) == Seq(Int(0, 1), 4)


def test_what_can_stand_for_another() -> None:
    assert is_type_fitting(Int(0, 9), Int(0, 1)), "a store checks bounds"
    assert not is_type_fitting(Option(NODE), NODE) and not is_type_fitting(Pool(VOTE, 1, True), Pool(VOTE, 1, False))
    assert is_member(VOTE, UNION) and not is_member(VOTE, BEAT)
