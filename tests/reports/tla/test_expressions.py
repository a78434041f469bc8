"""Expressions as formulas."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.reports.tla.module import export_to_tla

from ...support.frontend import bind_functions


def _guard(path: Path, text: str) -> str:
    """The guard that an action of the shared world asks, in TLA+."""
    body = f"""@action
def step(s: World, node: Node, other: Node, i: Number) -> None:
    require({text})
    s.count = i
"""
    lines = export_to_tla(bind_functions(path, body), "world").module.splitlines()
    at = lines.index("step(node, other, i) ==")
    return " ".join(line.strip() for line in lines[at + 1 : lines.index("", at) - 2]).removeprefix("/\\ ")


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("s.owner == node", "owner = node"),
        ("s.owner is not None", "owner # None"),
        ("node not in s.seen", "node \\notin seen"),
        (
            "len(s.queue[node]) > 0 and s.queue[node][0].number == i",
            "Len(queue[node]) > 0 /\\ queue[node][1].number = i",
        ),
        (
            "len(s.queue[node]) == 0 or s.queue[node][len(s.queue[node]) - 1].number == i",
            "Len(queue[node]) # 0 => queue[node][Len(queue[node])].number = i",
        ),
        ("s.count == 0 or node == other", "count = 0 \\/ node = other"),
        ("is_majority(s.seen)", "2 * Cardinality(seen) > Cardinality(Node)"),
        ("all(n in s.seen for n in Node if n != node)", "\\A n \\in Node : n # node => n \\in seen"),
        ("sum(1 for n in Node if n in s.seen) == i", "Cardinality({n \\in Node : n \\in seen}) = i"),
        ("sum(len(s.queue[n]) for n in Node) == i", "Sum([n \\in Node |-> Len(queue[n])]) = i"),
        ("{n for n in Node if n != node} <= s.seen", "{n \\in Node : n # node} \\subseteq seen"),
        ("s.entry == Entry(node, i)", "entry = [by |-> node, number |-> i]"),
        ("min(s.count, i) == max(s.count, i)", "Min(count, i) = Max(count, i)"),
    ],
)
def test_an_expression_is_the_formula_that_an_author_of_tla_would_write(
    tmp_path: Path, text: str, formula: str
) -> None:
    assert _guard(tmp_path, text) == formula
