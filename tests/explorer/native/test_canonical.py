"""Native code's choice among states that differ by renaming."""

from __future__ import annotations

import itertools

import pytest
from tidegate.explorer.native.canonical import orders_of_ties


@pytest.mark.parametrize("size", [2, 4, 5])
def test_orders_of_ties_move_only_what_ties(size: int) -> None:
    rows, starts = orders_of_ties(size)
    for pattern in range(1 << size - 1):
        keys = [sum(1 - (pattern >> at & 1) for at in range(place)) for place in range(size)]
        kept = [row for row in itertools.permutations(range(size)) if [keys[at] for at in row] == keys]
        mine = rows[starts[pattern] : starts[pattern + 1]]
        assert sorted(mine) == kept and mine[0] == tuple(range(size))
