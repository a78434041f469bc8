"""A state graph as one SVG file: layers from the initial states downwards, laid out by the library fast-sugiyama.

The library is given a graph without loops and cycles, of which it makes layers and few crossings: a step back to a
state that is met earlier is turned round for it, and drawn in its own direction. Longer edges go
through the places that it keeps free between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any, cast

import fast_sugiyama
import networkx

from ...language.immutable import immutable
from .compact import compact_layers
from .graph_style import FILE_STYLE
from .routes import Edge, Point, Size, curve_path, place_labels, route_edges

_Layout = tuple[list[tuple[int, Point]], float, float, list[tuple[int, int]]]
"""The places of the nodes of a part of a graph, its size, and its edges."""
_LETTER, _SMALL, _LINE, _MARGIN = 6.7, 6.2, 15, 30
_BESIDE, _CLOSE = 90, 34
"""What is between boxes of a layer: in a file, and in a page, where only the steps of the run have labels."""
_GAPS = (84.0, 130.0, 200.0, 300.0)
"""What is between layers: the least of these with which all labels have room."""
_LABEL = 21
"""Letters of an edge's label; its title has all of it."""


@immutable
class _DrawnGraph:
    """Where nodes, edges and labels are."""

    places: Mapping[str, Point]
    edge_points: Mapping[Edge, Sequence[Point]]
    labels: Mapping[Edge, Point]


def draw_graph(graph: networkx.DiGraph, steps: Mapping[str, Sequence[int]] | None = None) -> str:
    """The graph of `quotient` as SVG: initial states with a blue edge, the way of a run thick and red. It is a file;
    with `steps`, a part of a page: they are, by a node's label, the states of the run that it is. In a page, which has
    little room, the steps beside the run have titles and no labels.
    """
    said = {edge: steps is None or bool(about["on_path"]) for edge, about in graph.edges.items()}
    lines = {name: _node_lines(node) for name, node in graph.nodes.items()}
    boxes = {name: (max(map(len, text)) * _LETTER + 16, len(text) * _LINE + 10) for name, text in lines.items()}
    drawn = _lay_out_with_labels(graph, boxes, said, _BESIDE if steps is None else _CLOSE)
    places = drawn.places
    sides = [places[name][0] + boxes[name][0] / 2 for name in places]
    right = max([*sides, *(x for points in drawn.edge_points.values() for x, _ in points)]) + _MARGIN
    right += 24 + _LABEL * _LETTER if any(source == target and said[source, target] for source, target in said) else 0
    below = max(places[name][1] + boxes[name][1] / 2 for name in places) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right:.0f} {below:.0f}" width="{right:.0f}" '
        f'height="{below:.0f}" role="{"img" if steps is None else "group"}"><title>{len(lines)} nodes</title>'
        + (f"<style>{FILE_STYLE}</style>" if steps is None else ""),
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" orient="auto" '
        'markerUnits="userSpaceOnUse"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>',
        *_edge_elements(graph, places, boxes, drawn, said),
        *(_node_element(graph.nodes[name], lines[name], places[name], boxes[name], steps or {}) for name in lines),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _lay_out_with_labels(
    graph: networkx.DiGraph, boxes: Mapping[str, Size], labels: Mapping[Edge, bool], apart: float
) -> _DrawnGraph:
    """Layers so far from each other that each label which is `labels` has room; where a graph has too many, titles
    alone say the rest. Boxes of a layer are this far `apart`."""
    sizes = {
        edge: (len(_edge_label(about)) * _SMALL if labels[edge] else 0.0, _SMALL * 2)
        for edge, about in graph.edges.items()
    }
    beside = {
        name: ((boxes[name][0] + sizes[name, name][0]) / 2 + 24, sizes[name, name])
        for name in graph.nodes
        if (name, name) in sizes
    }

    def lay_out(gap: float) -> _DrawnGraph:
        places, between = _place_nodes(graph, boxes, gap, apart)
        along = route_edges(between, places, boxes)
        labelled = {edge: points for edge, points in along.items() if labels[edge]}
        loops = [((places[name][0] + far, places[name][1]), size) for name, (far, size) in beside.items()]
        return _DrawnGraph(
            places, along, place_labels(labelled, sizes, [*((places[name], boxes[name]) for name in places), *loops])
        )

    tries = map(lay_out, _GAPS)
    found = next(tries)
    for other in tries:
        if len(found.labels) == sum(labels[edge] for edge in found.edge_points):
            break
        found = other
    return found


def _node_lines(node: Mapping[str, object]) -> list[str]:
    text = str(node["label"]).split("\n")
    return [*text, f"{node['states']} states"] if node["states"] != 1 else text


def _place_nodes(
    graph: networkx.DiGraph, boxes: Mapping[str, Size], gap: float, apart: float
) -> tuple[dict[str, Point], dict[Edge, list[Point]]]:
    """The middle of each node, and the free places that each edge between two nodes goes through. Parts that are apart
    stand beside each other."""
    tall = max(height for _, height in boxes.values())
    places: dict[str, Point] = {}
    between: dict[Edge, list[Point]] = {}
    order = _breadth_first_order(graph)
    left: float = _MARGIN
    for names in _connected_parts(graph, order):
        number = {name: at for at, name in enumerate(names)}
        edges = [(one, other) for one, other in graph.edges if one != other and one in number]
        positions, chain = _lay_out_part(
            sorted({(min(number[a], number[b]), max(number[a], number[b])) for a, b in edges})
        )
        rows = sorted({y for _, y in positions.values()}, reverse=_is_top_down(positions))
        layers = [[at for at, (_, y) in sorted(positions.items(), key=lambda one: one[1]) if y == row] for row in rows]
        middles = compact_layers(
            layers, _joined_nodes(chain, positions), _node_widths(positions, [boxes[name] for name in names], apart)
        )
        here = {
            at: (left + middles[at], tall / 2 + _MARGIN + number * (tall + gap))
            for number, layer in enumerate(layers)
            for at in layer
        }
        places |= {name: here[at] for name, at in number.items()}
        for one, other in edges:
            a, b = number[one], number[other]
            through = [here[at] for at in chain[min(a, b), max(a, b)]]
            between[one, other] = through if a < b else through[::-1]
        left += apart + max(middles[at] + (boxes[names[at]][0] if at < len(names) else 0) / 2 for at in here)
    return places, between


def _connected_parts(graph: networkx.DiGraph, order: Mapping[str, int]) -> list[list[str]]:
    """The nodes of each part of the graph, as `order` has them."""
    beside: dict[str, list[str]] = {name: [] for name in order}
    for one, other in graph.edges:
        beside[one].append(other)
        beside[other].append(one)
    parts: list[list[str]] = []
    seen: set[str] = set()
    for name in order:
        if name not in seen:
            part, waiting = {name}, [name]
            while waiting:
                found = [other for other in beside[waiting.pop()] if other not in part]
                part.update(found)
                waiting += found
            seen |= part
            parts.append(sorted(part, key=order.__getitem__))
    return parts


def _joined_nodes(chain: Mapping[tuple[int, int], Sequence[int]], nodes: Iterable[int]) -> dict[int, list[int]]:
    """What each node and each free place is joined to, in the layers beside its own."""
    beside: dict[int, list[int]] = {node: [] for node in nodes}
    for (begin, end), through in chain.items():
        for one, other in pairwise([begin, *through, end]):
            beside[one].append(other)
            beside[other].append(one)
    return beside


def _node_widths(nodes: Iterable[int], boxes: Sequence[Size], apart: float) -> dict[int, float]:
    """The room that each needs: the first have boxes, the others are places that an edge goes through."""
    return {at: boxes[at][0] + apart if at < len(boxes) else apart / 3 for at in nodes}


def _lay_out_part(
    edges: Sequence[tuple[int, int]],
) -> tuple[dict[int, Point], dict[tuple[int, int], list[int]]]:
    """Where the library puts nodes 0, 1, ... of one part, and between the ends of each edge what it keeps free; those
    have numbers, too, after the nodes'."""
    if not edges:
        return {0: (0.0, 0.0)}, {}
    nodes = {number for edge in edges for number in edge}
    ((positions, _, _, pieces),) = cast(
        "Sequence[_Layout]", fast_sugiyama.from_edges(edges, vertex_spacing=1, dummy_vertices=True)
    )
    after = {one: other for one, other in pieces if one not in nodes}
    chain: dict[tuple[int, int], list[int]] = {}
    for begin, there in pieces:
        if begin in nodes:
            through: list[int] = []
            at = there
            while at not in nodes:
                through.append(at)
                at = after[at]
            chain[begin, at] = through
    return dict(positions), chain


def _is_top_down(positions: Mapping[int, Point]) -> bool:
    """Whether the layer of the first node, which nothing leads to, has the largest coordinate."""
    return positions[0][1] == max(y for _, y in positions.values())


def _breadth_first_order(graph: networkx.DiGraph) -> dict[str, int]:
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


def _edge_elements(
    graph: networkx.DiGraph,
    places: Mapping[str, Point],
    boxes: Mapping[str, Size],
    drawn_graph: _DrawnGraph,
    labels: Mapping[Edge, bool],
) -> Iterator[str]:
    for (source, target), edge in graph.edges.items():
        way = " way" if edge["on_path"] else ""
        if source == target:
            (x, y), (width, _) = places[source], boxes[source]
            d, at = f"M{x + width / 2:.1f},{y - 6:.1f} c26,-12 26,24 0,12", (x + width / 2 + 24, y + 3)
        else:
            d, middle = curve_path(drawn_graph.edge_points[source, target]), drawn_graph.labels.get((source, target))
            at = None if middle is None else (middle[0], middle[1] + 4)
        anchor = ' class="loop"' if source == target else ""
        text = (
            ""
            if at is None or not labels[source, target]
            else f'<text{anchor} x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(_edge_label(edge))}</text>'
        )
        yield f'<g class="edge{way}"><title>{escape(edge["label"])}</title><path d="{d}"/>{text}</g>'


def _edge_label(edge: Mapping[str, Any]) -> str:
    return edge["label"] if len(edge["label"]) <= _LABEL else f"{edge['label'][: _LABEL - 1]}…"


def _node_element(
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
    leads = _step_link(lines, steps.get(str(node["label"]), ()))
    return (
        f'<g class="{" ".join(["node", *looks])}"{leads}><rect x="{x - width / 2:.1f}" y="{y - tall / 2:.1f}" '
        f'width="{width:.1f}" height="{tall:.1f}" rx="6"/>{text}</g>'
    )


def _step_link(lines: list[str], steps: Sequence[int]) -> str:
    """What makes a node on the run lead to its steps."""
    if not steps:
        return ""
    numbers = " ".join(map(str, steps))
    said = f"{'state' if len(steps) == 1 else 'states'} {numbers.replace(' ', ', ')} of the run: {', '.join(lines)}"
    return f' data-steps="{numbers}" role="button" tabindex="0" aria-label="{escape(said)}"'
