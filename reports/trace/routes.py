"""Where the edges of a drawn state graph run, and where their labels stand.

An edge that spans several layers goes through the places that the layout keeps free for it in the layers between, as a
curve that leaves and reaches boxes upright. A label stands on its edge where it covers no other label and no box.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

Point = tuple[float, float]
Size = tuple[float, float]
Edge = tuple[str, str]

_PORTS = 0.7
"""How much of a box's width edges begin and end at."""
_SPOTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)
"""Where along a piece of an edge a label may stand, the best first."""


def route_edges(
    free_places: Mapping[Edge, Sequence[Point]], places: Mapping[str, Point], boxes: Mapping[str, Size]
) -> dict[Edge, list[Point]]:
    """The points of each edge, from box to box by way of the free places `free_places`. What begins or ends at one side
    of a box is spread over it, in the order of where it goes."""
    towards: dict[tuple[str, bool], list[tuple[float, Edge, bool]]] = {}
    for edge in free_places:
        source, target = edge
        inner = [*free_places[edge]]
        for name, other, begins in (
            (source, inner[0] if inner else places[target], True),
            (target, inner[-1] if inner else places[source], False),
        ):
            towards.setdefault((name, other[1] > places[name][1]), []).append((other[0], edge, begins))
    ends: dict[tuple[Edge, bool], Point] = {}
    for (name, below), met in towards.items():
        (x, y), (width, tall) = places[name], boxes[name]
        for number, (_, edge, begins) in enumerate(sorted(met)):
            along = ((number + 0.5) / len(met) - 0.5) * width * _PORTS
            ends[edge, begins] = (x + along, y + (tall if below else -tall) / 2)
    return {edge: [ends[edge, True], *inner, ends[edge, False]] for edge, inner in free_places.items()}


def curve_path(points: Sequence[Point]) -> str:
    """A curve through points of different layers, upright in each."""
    (x, y), *_ = points
    parts = [f"M{x:.1f},{y:.1f}"]
    for (x1, y1), (x2, y2) in pairwise(points):
        half = (y1 + y2) / 2
        parts.append(f"C{x1:.1f},{half:.1f} {x2:.1f},{half:.1f} {x2:.1f},{y2:.1f}")
    return " ".join(parts)


def place_labels(
    routes: Mapping[Edge, Sequence[Point]], sizes: Mapping[Edge, Size], taken_rooms: Sequence[tuple[Point, Size]]
) -> dict[Edge, Point]:
    """The middle of each label, on its edge and beside all others and all that is `taken_rooms`; those without room are
    left out. The edges with the fewest places come first."""
    kept = [*taken_rooms]
    found: dict[Edge, Point] = {}
    for edge in sorted(routes, key=lambda edge: (len(routes[edge]), edge)):
        free = (
            at
            for at in _label_places(routes[edge])
            if not any(_do_boxes_overlap(at, sizes[edge], *other) for other in kept)
        )
        at = next(free, None)
        if at is not None:
            found[edge] = at
            kept.append((at, sizes[edge]))
    return found


def _label_places(points: Sequence[Point]) -> Iterator[Point]:
    """Places on an edge."""
    for share in _SPOTS:
        for (x1, y1), (x2, y2) in pairwise(points):
            a, b, c, d = (1 - share) ** 3, 3 * share * (1 - share) ** 2, 3 * share**2 * (1 - share), share**3
            yield (a + b) * x1 + (c + d) * x2, a * y1 + (b + c) * (y1 + y2) / 2 + d * y2


def _do_boxes_overlap(one: Point, of: Size, other: Point, to: Size) -> bool:
    """Whether two boxes, by middle and size, have something in common."""
    return all(abs(a - b) < (p + q) / 2 for a, b, p, q in zip(one, other, of, to, strict=True))
