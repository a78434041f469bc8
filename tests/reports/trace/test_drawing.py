"""A state graph as a picture: each node and edge once, where no two boxes lie on each other."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import networkx
from hypothesis import given
from hypothesis import strategies as st
from tidegate.reports.trace.drawing import draw_graph

SVG = "{http://www.w3.org/2000/svg}"


def graph_of(edges: list[tuple[int, int]], nodes: int) -> networkx.DiGraph:
    """A graph with the fields that a state graph has; its first node is initial and on the path."""
    graph = networkx.DiGraph()
    for node in range(nodes):
        graph.add_node(str(node), label=f"n{node}", states=1, initial=node == 0, on_path=node == 0, centre=False)
    for one, other in edges:
        graph.add_edge(str(one), str(other), label=f"go({one}, {other})", on_path=False)
    return graph


def boxes(picture: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each node's box."""
    found = [node.attrib for node in ElementTree.fromstring(picture).iter(f"{SVG}rect")]
    numbers = [[float(box[name]) for name in ("x", "y", "width", "height")] for box in found]
    return [(x, y, x + width, y + height) for x, y, width, height in numbers]


@given(st.data())
def test_boxes_lie_apart_and_within_the_picture(data: st.DataObject) -> None:
    nodes = data.draw(st.integers(1, 6))
    ends = st.integers(0, nodes - 1)
    edges = data.draw(st.lists(st.tuples(ends, ends), max_size=10, unique=True))
    picture = draw_graph(graph_of(edges, nodes))
    assert f"<title>{nodes} nodes</title>" in picture
    found = boxes(picture)
    assert len(found) == nodes
    width, height = map(float, re.findall(r'viewBox="0 0 (\d+) (\d+)"', picture)[0])
    assert all(left >= 0 and top >= 0 and right <= width and bottom <= height for left, top, right, bottom in found)
    for (a, b, c, d), (e, f, g, h) in combinations(found, 2):
        assert c <= e or g <= a or d <= f or h <= b, "two boxes lie on each other"


def test_an_edge_says_its_action_and_a_node_of_several_states_how_many() -> None:
    graph = graph_of([(0, 1), (1, 1)], 2)
    graph.nodes["1"]["states"] = 3
    picture = draw_graph(graph)
    assert "3 states" in picture and "go(0, 1)" in picture and "go(1, 1)" in picture
    assert "<style>" in picture


def test_in_a_page_a_node_leads_to_the_states_of_the_run_that_it_is() -> None:
    picture = draw_graph(graph_of([(0, 1)], 2), {"n0": [0, 2]})
    assert 'role="group"' in picture and "<style>" not in picture
    assert picture.count("<text") < draw_graph(graph_of([(0, 1)], 2)).count("<text"), "steps beside it have titles"


def test_what_a_model_is_called_is_text() -> None:
    graph = graph_of([], 1)
    graph.nodes["0"]["label"] = "<b>&"
    assert "&lt;b&gt;&amp;" in draw_graph(graph)
