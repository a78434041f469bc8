"""A state graph as DOT and as GraphML, states merged where they are equal on some fields; through networkx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import networkx

MAX_NODES = 2_000
"""More nodes than this nobody looks at; drawing them takes minutes."""


def quotient_graph(
    names: Sequence[str],
    edges: Iterable[tuple[int, int, str]],
    *,
    initial: Iterable[int],
    path: Sequence[int] = (),
    centre: int | None = None,
) -> networkx.DiGraph:
    """The graph whose nodes are the different `names` of states (a state's number is its place there).

    `edges` are the numbers of two states and an action; an edge of the graph counts them by action. `path` is the run
    to draw thick, `centre` the state of it that is looked at.
    """
    graph = networkx.DiGraph()
    numbers: dict[str, int] = {}
    for name in names:
        numbers.setdefault(name, len(numbers))
    sizes = Counter(names)
    begins = {names[number] for number in initial}
    on_path = {names[number] for number in path}
    for name, number in numbers.items():
        graph.add_node(
            f"s{number}",
            label=name,
            states=sizes[name],
            initial=name in begins,
            on_path=name in on_path,
            centre=centre is not None and names[centre] == name,
        )
    counts: dict[tuple[int, int], Counter[str]] = {}
    for source, target, action in edges:
        counts.setdefault((numbers[names[source]], numbers[names[target]]), Counter())[action] += 1
    thick = {(numbers[names[a]], numbers[names[b]]) for a, b in pairwise(path)}
    for (source, target), actions in counts.items():
        graph.add_edge(
            f"s{source}",
            f"s{target}",
            label=actions_text(actions),
            steps=actions.total(),
            on_path=(source, target) in thick,
        )
    return graph


def actions_text(actions: Mapping[str, int]) -> str:
    """`fetch ×12, crash`: the actions of an edge, the most frequent first."""
    ordered = sorted(actions.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(name if number == 1 else f"{name} ×{number}" for name, number in ordered)


def to_dot(graph: networkx.DiGraph) -> str:
    """The graph as Graphviz reads it."""
    lines = ["digraph states {", '  node [shape=box, fontname="monospace"];']
    for name, node in graph.nodes.items():
        says = f"{node['label']}\n{node['states']} states" if node["states"] > 1 else node["label"]
        styles = ["penwidth=3"] if node["on_path"] else []
        styles += ["peripheries=2"] if node["initial"] else []
        styles += ["style=filled", "fillcolor=lightyellow"] if node["centre"] else []
        lines.append(f"  {name} [{', '.join([f'label={_quote_dot(says)}', *styles])}];")
    for (source, target), edge in graph.edges.items():
        thick = ", penwidth=3" if edge["on_path"] else ""
        lines.append(f"  {source} -> {target} [label={_quote_dot(edge['label'])}{thick}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quote_dot(text: str) -> str:
    """A text as DOT takes it, its lines centred."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def to_graphml(graph: networkx.DiGraph) -> str:
    """The graph as GraphML: labels, sizes, and what is on the path, as attributes."""
    return "\n".join(networkx.generate_graphml(graph, named_key_ids=True)) + "\n"
