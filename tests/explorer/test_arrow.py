"""States as Arrow tables: the type of each column, and values of JSON as the columns have them."""

from __future__ import annotations

import pytest
from tidegate.explorer.arrow import arrow_type, column_value
from tidegate.language.records import tuple_of, union_of
from tidegate.language.types import Bool, Identity, Int, Map, Option, Pool, Record, Seq, Type

pyarrow = pytest.importorskip("pyarrow")

NODE = Identity("Node", 2, False, ("A", "B"), int)
PAIR = Record("Pair", (("a", Bool()), ("n", Int(0, 3))), object)
OTHER = Record("Other", (("b", Bool()),), str)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (Int(0, 3), "int64"),
        (Option(Bool()), "bool"),
        (NODE, "string"),
        (PAIR, "struct<a: bool, n: int64>"),
        (union_of([PAIR, OTHER]), "string"),
        (Seq(PAIR, 2), "list<item: struct<a: bool, n: int64>>"),
        (Map(Bool(), Int(0, 1)), "struct<false: int64, true: int64>"),
    ],
)
def test_the_type_of_a_column(type_: Type, text: str) -> None:
    assert str(arrow_type(type_, {})) == text


def test_values_as_their_column_has_them() -> None:
    assert column_value(Option(PAIR), None) is None
    assert column_value(tuple_of([Bool(), Int(0, 3)], "t"), [True, 2]) == {"0": True, "1": 2}
    assert column_value(union_of([PAIR, OTHER]), {"kind": "Other", "b": True}) == '{"kind": "Other", "b": true}'
    assert column_value(Pool(PAIR, 2, False), [{"a": True, "n": 1}]) == [{"a": True, "n": 1}]
    assert column_value(Map(Bool(), Option(Int(0, 1))), {"false": None, "true": 1}) == {"false": None, "true": 1}
