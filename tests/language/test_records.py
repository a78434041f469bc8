"""Record types: tuples, unions and boxed sets, taken apart and put together."""

from __future__ import annotations

from dataclasses import dataclass

from tidegate.language.records import (
    absent_part,
    box_type,
    is_box,
    is_tuple,
    is_value_of,
    make_record,
    part_called,
    part_of,
    parts_of,
    tuple_of,
    unbox_type,
    union_of,
)  # fmt: skip
from tidegate.language.types import Bool, Identity, Int, Option, Record, Seq, Subset
from tidegate.language.values import Seq as SeqValue
from tidegate.language.values import Set

NODE = Identity("Node", 2, False, ("A", "B"), int)


@dataclass(frozen=True)
class Vote:
    """A vote."""

    term: int
    accepts: bool


@dataclass(frozen=True)
class Beat:
    """A heartbeat."""

    term: int


VOTE = Record("Vote", (("term", Int(0, 3)), ("accepts", Bool())), Vote)
BEAT = Record("Beat", (("term", Int(0, 3)),), Beat)


def test_a_tuple_is_its_parts() -> None:
    pair = tuple_of((Int(0, 3), Bool()), "tuple[int, bool]")
    assert is_tuple(pair) and not is_tuple(VOTE)
    assert parts_of(pair, (2, True)) == (2, True)
    assert make_record(pair, [2, True]) == (2, True)
    assert is_value_of(pair, (2, True)) and not is_value_of(pair, (2,))


def test_a_record_is_its_fields() -> None:
    assert parts_of(VOTE, Vote(1, True)) == (1, True)
    assert make_record(VOTE, (1, True)) == Vote(1, True)
    assert part_of(VOTE, Vote(1, True), "accepts") is True
    assert part_called(Vote(1, True), "term") == 1 and part_called(Beat(1), "accepts") is None


def test_a_union_shares_the_parts_of_one_name_and_type() -> None:
    union = union_of([VOTE, BEAT])
    assert [name for name, _ in union.fields] == ["@kind", "term", "accepts"]
    assert union.name == "Beat | Vote", "records are in the order of their names"
    for value in (Vote(2, True), Beat(3)):
        assert is_value_of(union, value)
        assert make_record(union, parts_of(union, value)) == value
    assert not is_value_of(union, 3)


def test_a_box_holds_a_set() -> None:
    box = box_type(Subset(NODE), "Set[Node]")
    assert is_box(box) and not is_box(VOTE)
    assert unbox_type(box) == Subset(NODE) and unbox_type(VOTE) is VOTE
    assert is_value_of(box, Set([0]))


def test_what_is_not_there_is_zero() -> None:
    assert absent_part(Int(2, 5)) == 2
    assert absent_part(Bool()) is False
    assert absent_part(Seq(Bool(), 2)) == SeqValue()
    assert absent_part(Option(NODE)) is None
