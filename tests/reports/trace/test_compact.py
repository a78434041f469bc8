"""Nodes of a layered drawing: in their order, no nearer than they must be, and near what they are joined to."""

from __future__ import annotations

from tidegate.reports.trace.compact import compact_layers


def test_nodes_of_a_layer_keep_their_order_and_their_room() -> None:
    widths = dict.fromkeys(range(4), 10.0)
    middles = compact_layers([[0], [1, 2, 3]], {0: [1, 2, 3], 1: [0], 2: [0], 3: [0]}, widths)
    assert middles[1] < middles[2] < middles[3]
    assert middles[2] - middles[1] >= 10 and middles[3] - middles[2] >= 10
    assert abs(middles[0] - middles[2]) < 10, "who is joined to all stands over the midst"


def test_who_is_joined_to_one_stands_over_it() -> None:
    middles = compact_layers([[0], [1]], {0: [1], 1: [0]}, {0: 10.0, 1: 40.0})
    assert abs(middles[0] - middles[1]) < 1
