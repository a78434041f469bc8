"""How many elements a container holds whose author states nothing."""

from __future__ import annotations

from tidegate.language.frontend.capacities import with_full_capacity
from tidegate.language.types import Bool, Pool, Record


def test_a_set_of_few_possible_members_has_room_for_all() -> None:
    pair = Record("Pair", (("a", Bool()), ("b", Bool())), object)
    made = with_full_capacity(Pool(pair, 1, False))
    assert isinstance(made, Pool) and made.capacity >= 1
