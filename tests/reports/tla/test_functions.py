"""Helpers as operators: names that are bound again, loops, and branches that return."""

from __future__ import annotations

import textwrap
from pathlib import Path

from tidegate.reports.tla.module import export_to_tla

from ...support.frontend import bind_functions


def _operator(path: Path, helper: str, call: str) -> list[str]:
    """The operator that a helper of the shared world becomes."""
    text = f"""{textwrap.dedent(helper)}

@action
def rest(s: World) -> None:
    s.count = 0

@invariant
def claim(s: World) -> bool:
    return {call}
"""
    lines = export_to_tla(bind_functions(path, text), "world").module.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("found("))
    return lines[at : lines.index("", at)]


def test_a_branch_that_returns_is_a_choice(tmp_path: Path) -> None:
    helper = """
        def found(s: World, node: Node) -> int:
            if node in s.seen:
                return 1
            if s.count > 0:
                return 2
            return 3
    """
    assert _operator(tmp_path, helper, "all(found(s, n) > 0 for n in Node)") == [
        "found(node) == IF node \\in seen THEN 1 ELSE IF count > 0 THEN 2 ELSE 3"
    ]


def test_a_name_that_is_bound_again_is_another_name(tmp_path: Path) -> None:
    helper = """
        def found(s: World, node: Node) -> int:
            size = s.count
            if node in s.seen:
                size = size + 1
            return size
    """
    assert _operator(tmp_path, helper, "all(found(s, n) >= 0 for n in Node)") == [
        "found(node) ==",
        "    LET size == count",
        "        size_3 == IF node \\in seen THEN size + 1 ELSE size",
        "    IN size_3",
    ]


def test_a_loop_that_looks_for_something_is_an_exists(tmp_path: Path) -> None:
    helper = """
        def found(s: World, wanted: Number) -> bool:
            for node in Node:
                if len(s.queue[node]) == wanted:
                    return False
            return True
    """
    assert _operator(tmp_path, helper, "found(s, s.count)") == [
        "found(wanted) == IF \\E node \\in Node : Len(queue[node]) = wanted THEN FALSE ELSE TRUE"
    ]


def test_a_loop_that_counts_is_a_fold(tmp_path: Path) -> None:
    helper = """
        def found(s: World, node: Node) -> int:
            total = 0
            for entry in s.queue[node]:
                total = total + entry.number
            return total
    """
    assert _operator(tmp_path, helper, "all(found(s, n) >= 0 for n in Node)") == [
        "found(node) ==",
        "    LET total == 0",
        "        visit(so_far, entry_2) == so_far + entry_2.number",
        "        visited == Fold(visit, total, queue[node])",
        "    IN visited",
    ]
