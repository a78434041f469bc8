"""Where the nodes of a layered drawing stand in their layers: near what they are joined to, no further apart than they
must be.

A layout library gives the layers and the order in each. From sweep to sweep each node is drawn to the mean of its
neighbours in other layers; nodes that would come too near each other share a place to be drawn to, as the regression
that keeps an order does (pool adjacent violators), so that a layer is at each time as near to what it is drawn to as
its order and the room that its nodes need allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

SWEEPS = 24
"""After so many nothing moves that one sees."""


def compact_layers(
    layers: Sequence[Sequence[int]],
    neighbours: Mapping[int, Sequence[int]],
    widths: Mapping[int, float],
) -> dict[int, float]:
    """The middle of each node, from left to right. `layers` has the nodes of each layer in their order, `neighbours`
    what each node is joined to, `widths` the room that each needs."""
    middles: dict[int, float] = {}
    for layer in layers:
        for node, edge in zip(layer, _packed_middles(layer, widths), strict=True):
            middles[node] = edge
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            drawn = [_mean_value([middles[other] for other in neighbours[node]] or [middles[node]]) for node in layer]
            middles.update(zip(layer, _keep_apart(drawn, _packed_middles(layer, widths)), strict=True))
    first = min(middles[node] - widths[node] / 2 for node in middles)
    return {node: middle - first for node, middle in middles.items()}


def _packed_middles(layer: Sequence[int], widths: Mapping[int, float]) -> list[float]:
    """The middles of a layer's nodes where they stand close to each other, the first at 0."""
    steps = [(widths[one] + widths[other]) / 2 for one, other in pairwise(layer)]
    return list(accumulate(steps, initial=0.0))


def _keep_apart(wanted_places: Sequence[float], room: Sequence[float]) -> list[float]:
    """The places nearest to what the nodes are drawn to that leave each its room, in their order."""
    groups: list[tuple[float, int]] = []  # the mean of those that stand close to each other, and how many they are
    for place, near in zip(wanted_places, room, strict=True):
        mean, many = place - near, 1
        while groups and groups[-1][0] > mean:
            other, others = groups.pop()
            mean, many = (mean * many + other * others) / (many + others), many + others
        groups.append((mean, many))
    means = [mean for mean, many in groups for _ in range(many)]
    return [mean + near for mean, near in zip(means, room, strict=True)]


def _mean_value(values: Sequence[float]) -> float:
    return sum(values) / len(values)
