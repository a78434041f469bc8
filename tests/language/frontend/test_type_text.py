"""Types as authors write them."""

from __future__ import annotations

from tidegate.language.frontend.type_text import describe
from tidegate.language.types import Bool, Identity, Map, Option, Pool, Record, Subset

NODE = Identity("Node", 2, False, ("A", "B"), int)


def test_types_as_an_author_writes_them() -> None:
    pair = Record("Pair", (("a", Bool()),), object)
    assert describe(Map(NODE, Option(pair))) == "Map[Node, Pair | None]"
    assert describe(Pool(pair, 2, True)) == "Bag[Pair]" and describe(Subset(NODE)) == "Set[Node]"
    assert describe(None) == "the state"
