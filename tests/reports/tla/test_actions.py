"""Actions: guards, and what each variable becomes."""

from __future__ import annotations

import textwrap
from pathlib import Path

from tidegate.reports.tla.module import export_to_tla

from ...support.frontend import bind_functions


def _action(path: Path, body: str) -> list[str]:
    """An action of the shared world in TLA+, without what it leaves as it is."""
    inside = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    text = f"@action\ndef step(s: World, node: Node, i: Number) -> None:\n{inside}\n"
    lines = export_to_tla(bind_functions(path, text), "world").module.splitlines()
    at = lines.index("step(node, i) ==")
    return [line for line in lines[at + 1 : lines.index("", at)] if "/\\ UNCHANGED <<" not in line]


def test_guards_come_first_and_a_cell_is_written_in_its_map(tmp_path: Path) -> None:
    body = """
        require(s.owner is None and i > 0)
        s.lit[Mode.ON] = True
        s.queue[node].append(Entry(node, i))
        s.owner = node
    """
    assert _action(tmp_path, body) == [
        "    /\\ owner = None",
        "    /\\ i > 0",
        "    /\\ owner' = node",
        "    /\\ queue' = [queue EXCEPT ![node] = Append(@, [by |-> node, number |-> i])]",
        '    /\\ lit\' = [lit EXCEPT !["on"] = TRUE]',
    ]


def test_what_is_read_after_a_write_is_the_new_value(tmp_path: Path) -> None:
    body = """
        s.count = i
        s.high = s.count + 1 if s.count < top else s.count
    """
    assert _action(tmp_path, body) == [
        "    LET count_now == i",
        "    IN /\\ count' = count_now",
        "       /\\ high' = (IF count_now < 3 THEN count_now + 1 ELSE count_now)",
    ]


def test_a_branch_chooses_values_and_its_guards_are_asked_if_it_is_taken(tmp_path: Path) -> None:
    body = """
        if node in s.seen:
            require(i > 0)
            s.count = i
        else:
            s.seen.add(node)
    """
    lines = _action(tmp_path, body)
    assert "IF node \\in seen THEN i > 0 ELSE TRUE" in "\n".join(lines)
    assert lines[-3:] == [
        "    /\\ IF node \\in seen",
        "       THEN count' = i /\\ UNCHANGED seen",
        "       ELSE seen' = seen \\union {node} /\\ UNCHANGED count",
    ]


def test_a_loop_that_writes_is_one_fold_of_all_it_changes(tmp_path: Path) -> None:
    body = """
        for other in Node:
            if other != node:
                s.queue[other].append(Entry(other, i))
                s.count = len(s.queue[other])
    """
    text = "\n".join(_action(tmp_path, body))
    assert "Fold(visit, <<queue, count>>, NodeOrder)" in text
    assert "queue' = visited[1]" in text
    assert "count' = visited[2]" in text
