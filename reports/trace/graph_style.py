"""How a state graph looks, in a file of its own and within a page, where its colours are the page's."""

from __future__ import annotations

_RULES = """
text { fill: var(--ink); text-anchor: middle; }
.edge text { font-size: 10px; fill: var(--line); paint-order: stroke; stroke: var(--node); stroke-width: 3px; }
.edge .loop { text-anchor: start; }
.edge path { fill: none; stroke: var(--line); marker-end: url(#tip); }
.edge.way path { stroke: var(--way); stroke-width: 3; }
.node rect { fill: var(--node); stroke: var(--line); }
.node.initial rect { stroke: var(--first); stroke-width: 2.5; }
.node.way rect { stroke: var(--way); stroke-width: 3; }
.node.centre rect { fill: #f0e44255; }
marker path { fill: var(--line); }
""".strip().splitlines()
_FONT = 'font: 11px ui-monospace, "DejaVu Sans Mono", monospace;'

FILE_STYLE = "\n".join((
    "svg { color-scheme: light dark; --ink: #1a1e24; --node: #fff; --line: #586170; --way: #b3261e; --first: #0b57d0;",
    f"  background: #f6f7f8; {_FONT} }}",
    "@media (prefers-color-scheme: dark) {",
    "  svg { --ink: #e8eaed; --node: #1b1e24; --line: #a3adba; --way: #ff9a90; --first: #8ab4f8;",
    "    background: #14161a; } }",
    *_RULES,
))  # fmt: skip
"""The style of an SVG file."""

PAGE_STYLE = "\n".join((
    "#graph { position: relative; }",
    "#graph .controls { position: absolute; right: 1rem; top: .4rem; }",
    "#graph .scrolled { max-height: 60vh; overflow: auto; cursor: grab; user-select: none; }",
    "#graph .edge:hover path { stroke: var(--accent); stroke-width: 3; }",
    "#graph .scrolled svg { margin: 0 auto; }",
    "#graph svg { --node: var(--panel); --line: var(--muted); --way: var(--bad); --first: var(--accent);",
    f"  display: block; {_FONT} }}",
    *(f"#graph {rule}" for rule in _RULES),
    "#graph .node text { stroke: none; }",
    "#graph [data-steps] { cursor: pointer; }",
    "#graph .here rect { fill: var(--selected); }",
    "@media print { #graph { display: none; } }",
))  # fmt: skip
"""What a page with a graph has beside its own style."""
