"""Types as JSON has them."""

from __future__ import annotations

import pytest
from tidegate.language.records import box_type, tuple_of
from tidegate.language.types import Bool, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit
from tidegate.traces.type_text import type_to_json

NODE = Identity("Node", 2, False, ("A", "B"), int)
PAIR = Record("Pair", (("a", Bool()),), object)


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        (Bool(), {"kind": "bool"}),
        (Unit(), {"kind": "unit"}),
        (Seq(Bool(), 3), {"kind": "seq", "of": {"kind": "bool"}, "capacity": 3}),
        (Subset(NODE), {"kind": "set", "of": type_to_json(NODE)}),
        (box_type(Subset(NODE), "Set[Node]"), {"kind": "set", "of": type_to_json(NODE)}),
        (Pool(PAIR, 2, True), {"kind": "bag", "of": type_to_json(PAIR), "capacity": 2}),
        (PAIR, {"kind": "record", "name": "Pair", "fields": {"a": {"kind": "bool"}}}),
        (tuple_of([Bool(), Bool()], "t"), {"kind": "tuple", "of": [{"kind": "bool"}] * 2}),
        (Map(NODE, Bool()), {"kind": "map", "key": type_to_json(NODE), "value": {"kind": "bool"}}),
    ],
)
def test_a_type_by_its_kind_and_parts(type_: Type, kind: dict[str, object]) -> None:
    assert type_to_json(type_) == kind


def test_numbers_have_their_bounds_and_members_stand_elsewhere() -> None:
    assert type_to_json(Option(Int(1, 4))) == {"kind": "option", "of": {"kind": "int", "lo": 1, "hi": 4}}
    assert type_to_json(NODE) == {"kind": "identity", "name": "Node"}
