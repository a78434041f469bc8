"""A state graph as one SVG file: layers from the initial states downwards, laid out by the library fast-sugiyama.

The library is given a graph without loops and cycles, of which it makes layers and few crossings: a step back to a
state that is met earlier is turned round for it, and drawn in its own direction.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import hypot

import fast_sugiyama
import networkx

from .graph_style import OF_A_FILE

_Layout = tuple[list[tuple[int, tuple[float, float]]], float, float, object]
"""The places of the nodes of a part of a graph, and what is not asked for here."""
_LETTER, _LINE, _MARGIN, _GAP, _BESIDE = 6.7, 15, 30, 84, 150
_LABEL = 21
"""Letters of an edge's label; its title has all of it."""


def drawing(graph: networkx.DiGraph, steps: Mapping[str, Sequence[int]] | None = None) -> str:
    """The graph of `quotient` as SVG: initial states with a blue edge, the way of a run thick and red. It is a file;
    with `steps`, a part of a page: they are, by a node's label, the states of the run that it is.
    """
    lines = {name: _lines(node) for name, node in graph.nodes.items()}
    boxes = {name: (max(map(len, text)) * _LETTER + 16, len(text) * _LINE + 10) for name, text in lines.items()}
    places = _places(graph, boxes)
    right = max(places[name][0] + boxes[name][0] / 2 for name in places) + _MARGIN
    right += 24 + _LABEL * _LETTER if any(source == target for source, target in graph.edges) else 0
    below = max(places[name][1] + boxes[name][1] / 2 for name in places) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right:.0f} {below:.0f}" width="{right:.0f}" '
        f'height="{below:.0f}" role="{"img" if steps is None else "group"}"><title>{len(lines)} nodes</title>'
        + (f"<style>{OF_A_FILE}</style>" if steps is None else ""),
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" orient="auto" '
        'markerUnits="userSpaceOnUse"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>',
        *_edges(graph, places, boxes),
        *(_node(graph.nodes[name], lines[name], places[name], boxes[name], steps or {}) for name in lines),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _lines(node: Mapping[str, object]) -> list[str]:
    text = str(node["label"]).split("\n")
    return [*text, f"{node['states']} states"] if node["states"] != 1 else text


def _places(graph: networkx.DiGraph, boxes: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """The middle of each node. Nodes of no edge, and parts that are apart, stand beside each other."""
    wide, tall = (max(size[axis] for size in boxes.values()) for axis in (0, 1))
    order = _met(graph)
    met = {(order[one], order[other]) for one, other in graph.edges if one != other}
    numbered = sorted({(min(pair), max(pair)) for pair in met})
    layouts: list[_Layout] = []
    if numbered:
        layouts += fast_sugiyama.from_edges(numbered, vertex_spacing=1, dummy_vertices=False)
    names = list(order)
    places: dict[str, tuple[float, float]] = {}
    left = wide / 2 + _MARGIN
    for positions, *_ in layouts:
        columns = sorted({x for _, (x, _) in positions})
        rows = sorted({y for _, (_, y) in positions}, reverse=_falls(positions))
        step = min((b - a for a, b in pairwise(columns)), default=1.0)
        scale = (wide + _BESIDE) / max(step, 1.0)
        for number, (x, y) in positions:
            along = left + (x - columns[0]) * scale
            places[names[number]] = (along, tall / 2 + _MARGIN + rows.index(y) * (tall + _GAP))
        left = max(x for x, _ in places.values()) + wide + _BESIDE
    for name in (name for name in names if name not in places):
        places[name] = (left, tall / 2 + _MARGIN)
        left += wide + _BESIDE
    return places


def _falls(positions: Sequence[tuple[int, tuple[float, float]]]) -> bool:
    """Whether the layer of the first node, which nothing leads to, has the largest coordinate."""
    heights = {number: y for number, (_, y) in positions}
    return heights[min(heights)] == max(heights.values())


def _met(graph: networkx.DiGraph) -> dict[str, int]:
    """The nodes in the order in which a search breadth first from the initial ones meets them, with their places."""
    found: dict[str, int] = {}
    waiting: list[str] = [name for name, node in graph.nodes.items() if node["initial"]]
    for name in [*waiting, *graph.nodes]:
        queue = deque([name])
        while queue:
            here = queue.popleft()
            if here not in found:
                found[here] = len(found)
                queue += graph.successors(here)
    return found


def _edges(
    graph: networkx.DiGraph, places: Mapping[str, tuple[float, float]], boxes: Mapping[str, tuple[float, float]]
) -> Iterator[str]:
    for (source, target), edge in graph.edges.items():
        way = " way" if edge["on_path"] else ""
        (x, y), (width, tall) = places[source], boxes[source]
        if source == target:
            start = x + width / 2
            d, at = f"M{start:.1f},{y - 6:.1f} c26,-12 26,24 0,12", (start + 24, y + 3)
        else:
            bend = 18 if graph.has_edge(target, source) else 0
            d, at = _curve((x, y), places[target], (width, tall), boxes[target], bend)
        label = edge["label"] if len(edge["label"]) <= _LABEL else f"{edge['label'][: _LABEL - 1]}…"
        anchor = ' class="loop"' if source == target else ""
        yield (
            f'<g class="edge{way}"><title>{escape(edge["label"])}</title><path d="{d}"/>'
            f'<text{anchor} x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(label)}</text></g>'
        )


def _curve(
    start: tuple[float, float], end: tuple[float, float], of: tuple[float, float], to: tuple[float, float], bend: float
) -> tuple[str, tuple[float, float]]:
    """A line from one box's edge to another's, bent to its left, and where its label stands."""
    (x1, y1), (x2, y2) = start, end
    long = hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = (x2 - x1) / long, (y2 - y1) / long

    def at_edge(size: tuple[float, float]) -> float:
        sides = [side / 2 / abs(part) for side, part in zip(size, (dx, dy), strict=True) if abs(part) > 1e-9]
        return min(sides)

    a, b = at_edge(of), long - at_edge(to)
    begin, finish = (x1 + dx * a, y1 + dy * a), (x1 + dx * b, y1 + dy * b)
    middle = ((begin[0] + finish[0]) / 2 - dy * bend * 2, (begin[1] + finish[1]) / 2 + dx * bend * 2)
    label = ((begin[0] + finish[0]) / 2 - dy * bend, (begin[1] + finish[1]) / 2 + dx * bend + 3)
    curve = f"Q{middle[0]:.1f},{middle[1]:.1f} {finish[0]:.1f},{finish[1]:.1f}"
    return f"M{begin[0]:.1f},{begin[1]:.1f} {curve}", label


def _node(
    node: Mapping[str, object],
    lines: list[str],
    place: tuple[float, float],
    box: tuple[float, float],
    steps: Mapping[str, Sequence[int]],
) -> str:
    (x, y), (width, tall) = place, box
    looks = [name for name, part in (("initial", "initial"), ("way", "on_path"), ("centre", "centre")) if node[part]]
    text = "".join(
        f'<text x="{x:.1f}" y="{y - tall / 2 + 17 + at * _LINE:.1f}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    )
    leads = _leads(lines, steps.get(str(node["label"]), ()))
    return (
        f'<g class="{" ".join(["node", *looks])}"{leads}><rect x="{x - width / 2:.1f}" y="{y - tall / 2:.1f}" '
        f'width="{width:.1f}" height="{tall:.1f}" rx="6"/>{text}</g>'
    )


def _leads(lines: list[str], steps: Sequence[int]) -> str:
    """What makes a node on the run lead to its steps."""
    if not steps:
        return ""
    numbers = " ".join(map(str, steps))
    said = f"{'state' if len(steps) == 1 else 'states'} {numbers.replace(' ', ', ')} of the run: {', '.join(lines)}"
    return f' data-steps="{numbers}" role="button" tabindex="0" aria-label="{escape(said)}"'
