"""Statements: what each becomes in the typed form."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language import ir
from tidegate.language.errors import ModelErrors
from tidegate.language.types import Int

from ...support.forms import show_body
from ...support.frontend import action_body

BODIES = {
    "each conjunct of a require is a guard of its own": (
        "require(flag and i > 0 and (flag or i < 2))",
        ["require flag", "require (i > 0)", "require (flag or (i < 2))"],
    ),
    "writes go through a path": (
        """
        s.lit[m] = flag
        s.queue[node].append(Entry(node, i))
        s.queue[node].truncate(i)
        s.seen.add(node)
        s.seen.discard(s.owner)
        s.notes.remove(Note(node, None))
        s.queue[node] = s.queue[node][1:]
        """,
        [
            "lit[m] = flag",
            "queue[node].append(Entry(node, i))",
            "queue[node].truncate(i)",
            "seen.add(node)",
            "seen.discard(s.owner!)",
            "notes.remove(Note(node, None))",
            "queue[node] = s.queue[node][1:]",
        ],
    ),
    "augmented assignment reads the cell and writes it": (
        "s.count += 1\ns.seen |= {node}\nn = 1\nn *= 2\ns.count = n",
        ["count = (s.count + 1)", "seen = (s.seen | Set(node))", "n := 1", "n := (n * 2)", "count = n"],
    ),
    "options take None and plain values": (
        "s.owner = None\ns.owner = node\nx: Option[Node] = None\nx = node\ns.owner = x",
        ["owner = None", "owner = +node", "x := None", "x := +node", "owner = x"],
    ),
    "people's statements are left out": (
        "'''A step.'''\nprint(i)\nbreakpoint()\n...\npass\ns.count = 0",
        ["count = 0"],
    ),
    "an assert stays": ("assert i > 0\ns.count = 0", ["assert (i > 0)", "count = 0"]),
    "a loop variable has one name of its own": (
        """
        for n in Node:
            s.seen.add(n)
        for n in range(2):
            s.count = n
        s.lit[m] = all(n in s.seen for n in Node)
        """,
        [
            "for n in Node:",
            "  seen.add(n)",
            "for n_2 in 0..2:",
            "  count = n_2",
            "lit[m] = all((n_3 in s.seen) for n_3 in Node)",
        ],
    ),
}


@pytest.mark.parametrize("claim", BODIES)
def test_statements(claim: str, tmp_path: Path) -> None:
    body, expected = BODIES[claim]
    assert show_body(action_body(tmp_path, body)) == expected


def test_a_guard_keeps_its_text_and_place(tmp_path: Path) -> None:
    require, limit = action_body(tmp_path, "require(i  >  0)\nlimit(\n    s.count\n    < top\n)")
    assert isinstance(require, ir.Require)
    assert isinstance(limit, ir.Limit)
    assert (require.text, limit.text) == ("i  >  0", "s.count < top")
    assert (limit.where.end_line - require.where.line, require.where.column) == (3, 12)


def test_a_name_that_a_loop_changes_is_wide(tmp_path: Path) -> None:
    body = action_body(tmp_path, "total = 0\nfor e in s.queue[node]:\n    total += e.number\ns.count = total")
    store = body[-1]
    assert isinstance(store, ir.Store)
    assert isinstance(store.value.type, Int)
    assert store.value.type.hi >= 2**40


def test_a_name_bound_on_both_ways_has_both_values(tmp_path: Path) -> None:
    body = action_body(tmp_path, "if flag:\n    n = 1\nelse:\n    n = 5\ns.count = n")
    store = body[-1]
    assert isinstance(store, ir.Store)
    assert store.value.type == Int(1, 5)


def test_dead_branches_are_still_checked(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors):
        action_body(tmp_path, "if not brave:\n    s.count = s.seen")
