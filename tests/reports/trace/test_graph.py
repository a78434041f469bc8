"""State graphs: drawn in layers, with the way to the violation."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx
import pytest

from ...conftest import RunHere
from ...support.exports import saved_trace


def read(text: str, tmp_path: Path) -> networkx.DiGraph:
    path = tmp_path / "graph.graphml"
    path.write_text(text, encoding="utf-8")
    return networkx.read_graphml(path)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return saved_trace(tmp_path)


def test_a_quotient_is_by_any_expression(run_here: RunHere, tmp_path: Path) -> None:
    asked = ["export", "examples/lock.py:careless", "--to", "graphml"]
    counted = "sum(1 for c in Client if place[c] == Place.INSIDE), held"
    graph = read(run_here(*asked, "--quotient", counted)[1], tmp_path)
    labels = sorted(node["label"].split("=")[-2][0] + node["label"].split("=")[-1] for node in graph.nodes.values())
    assert labels == ["0false", "1false", "1true", "2true"]
    assert run_here(*asked, "--quotient", "len(held)")[0] == 64
    assert run_here(*asked, "--quotient", "held +")[0] == 64


def test_a_graph_is_drawn_in_layers_with_every_node_and_edge(run_here: RunHere) -> None:
    if not os.environ.get("CI"):
        pytest.importorskip("fast_sugiyama")  # in CI, which installs it, it must be there
    exit_, text = run_here("export", "examples/lock.py:careless", "--to", "svg", "--raw")
    graph = read_graph(text)
    assert exit_ == 0
    assert len(graph["node"]) == 12 and len(graph["node initial"]) == 1
    tops = {node.find("{*}rect").get("y"): node for node in (*graph["node"], *graph["node initial"])}
    assert min(map(float, tops)) == float(graph["node initial"][0].find("{*}rect").get("y"))
    boxes = [tuple(float(node.find("{*}rect").get(part)) for part in ("x", "y")) for node in graph["node"]]
    assert len(set(boxes)) == len(boxes), "no node lies on another"
    refused, message = run_here("export", "replication:kip320", "--set", "replicas=2", "--to", "svg", "--raw")
    assert refused == 64 and "more than 300 are not drawn" in message


@pytest.mark.parametrize("model", ["examples/lock.py:careless", "examples/peterson.py"])
def test_edges_go_round_boxes_and_no_label_lies_on_another_or_on_a_box(run_here: RunHere, model: str) -> None:
    if not os.environ.get("CI"):
        pytest.importorskip("fast_sugiyama")  # in CI, which installs it, it must be there
    graph = read_graph(run_here("export", model, "--to", "svg", "--raw")[1])
    parts = ("x", "y", "width", "height")
    boxes = [
        tuple(float(node.find("{*}rect").get(part)) for part in parts)
        for node in (*graph["node"], *graph["node initial"])
    ]
    labels: list[tuple[float, ...]] = []
    for edge in graph["edge"]:
        text = edge.find("{*}text")
        assert text is not None and text.text, "every label has room here"
        wide = 6 * len(text.text)  # of a monospace font of 10 px
        labels.append((float(text.get("x")) - wide / 2, float(text.get("y")) - 8, wide, 10.0))
    for number, one in enumerate(labels):
        assert not any(overlap(one, other) for other in (*labels[number + 1 :], *boxes))
    for edge in graph["edge"]:
        joints = re.findall(r"(-?[0-9.]+),(-?[0-9.]+)(?: C|$)", edge.find("{*}path").get("d"))
        for x, y in [tuple(map(float, joint)) for joint in joints][1:-1]:
            assert not any(overlap((x, y, 0, 0), box) for box in boxes), "an edge passes beside boxes"


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two rectangles, by corner and size, have something in common."""
    return all(one[axis] < other[axis] + other[axis + 2] and other[axis] < one[axis] + one[axis + 2] for axis in (0, 1))


def read_graph(text: str) -> dict[str, list[Any]]:
    """The groups of a drawing by their class."""
    found: dict[str, list[Any]] = {}
    for group in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}g"):
        found.setdefault(group.get("class") or "", []).append(group)
    return found


def test_a_quotient_merges_states_and_counts_actions(run_here: RunHere, tmp_path: Path) -> None:
    exit_, text = run_here("export", "examples/lock.py:careful", "--to", "graphml", "--quotient", "held")
    graph = read(text, tmp_path)
    assert exit_ == 0
    assert {node["label"]: node["states"] for node in graph.nodes.values()} == {"held=false": 1, "held=true": 2}
    assert sorted(edge["label"] for edge in graph.edges.values()) == ["leave ×2", "take ×2"]
    free = next(node for node in graph.nodes.values() if node["label"] == "held=false")
    assert str(free["initial"]).lower() == "true"


def test_the_numbers_of_a_raw_graph_are_those_of_the_check(run_here: RunHere, tmp_path: Path) -> None:
    small = ["replication", "--set", "replicas=2", "--set", "max_leader_epoch=1"]
    graph = read(run_here("export", *small, "--to", "graphml", "--raw")[1], tmp_path)
    assert graph.number_of_nodes() == 957
    merged = read(run_here("export", *small, "--to", "graphml", "--quotient", "quorum.isr, quorum.leader")[1], tmp_path)
    assert sum(node["states"] for node in merged.nodes.values()) == 957
    assert sum(edge["steps"] for edge in merged.edges.values()) == 1800


def test_too_many_nodes_are_refused_with_their_number(run_here: RunHere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidegate.reports.trace.graph.MAX_NODES", 500)
    exit_, text = run_here("export", "replication", "--set", "replicas=2", "--to", "dot", "--raw")
    reported = (
        "merge states with --quotient EXPRESSIONS, or look at what is near a step of a trace: --around N --radius K"
    )
    assert exit_ == 64
    assert text == f"tidegate: the graph has 957 nodes, and more than 500 are not drawn; {reported}\n"


def test_the_way_to_the_violation_is_drawn_thick(run_here: RunHere, trace: Path) -> None:
    exit_, text = run_here("export", str(trace), "--to", "dot", "--raw")
    assert exit_ == 0
    thick = re.findall(r'-> \w+ \[label="([^"]*)", penwidth=3\]', text)
    assert sorted(thick) == ["look(A)", "look(B)", "take(A)", "take(B)"]
    assert len(re.findall(r"^  s\d+ \[", text, re.MULTILINE)) == 13
    assert text.count("peripheries=2") == 1


def test_the_neighbourhood_of_a_step(run_here: RunHere, trace: Path) -> None:
    near = run_here("export", str(trace), "--to", "dot", "--around", "3", "--radius", "1")[1]
    assert len(re.findall(r"^  s\d+ \[", near, re.MULTILINE)) == 4  # the state before, the state, and two after it
    assert near.count("fillcolor=lightyellow") == 1
    wider = run_here("export", str(trace), "--to", "dot", "--around", "3", "--radius", "3")[1]
    assert len(re.findall(r"^  s\d+ \[", wider, re.MULTILINE)) > 4


def test_a_label_with_quotes_and_backslashes_is_escaped() -> None:
    from tidegate.reports.trace.graph import quotient_graph, to_dot

    text = to_dot(quotient_graph(['a="\\"', "b"], [(0, 1, "go"), (0, 1, "go"), (1, 1, "stay")], initial=[0]))
    assert r's0 [label="a=\"\\\"", peripheries=2];' in text
    assert '  s0 -> s1 [label="go ×2"];' in text
