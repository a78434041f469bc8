"""Where the steps of a saved trace stand, in it and in the model.

Also of: `places`.
"""

from __future__ import annotations

import json
from pathlib import Path

from lsprotocol import types
from pygls.workspace import Workspace
from tidegate.editor.places import client_range, line_range, path_of, uri_of
from tidegate.editor.trace_steps import step_at, trace_steps


def test_a_step_is_found_in_a_text_however_it_is_laid_out(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n" * 9, encoding="utf-8")
    steps = [
        {"i": number, "sentence": f"Step {number}.", "where": {"file": "mine.py", "line": 1}, "statement": place}
        for number, place in ((1, {"file": "mine.py", "line": 4}), (2, None), (11, {"file": "gone.py", "line": 1}))
    ]
    document = {"schema": "tidegate.trace/1", "property": {"i": 1}, "steps": steps, "states": [{"i": 1}]}
    for indent, lines in ((2, [6, 16]), (None, [1, 1])):
        found = trace_steps(json.dumps(document, indent=indent), tmp_path / "report" / "a.trace.json", [])
        assert [(step.number, step.line, step.file.name, step.statement) for step in found] == [
            (1, found[0].line, "mine.py", 4), (2, found[1].line, "mine.py", 1)
        ]  # fmt: skip
        assert [step.line for step in found] == lines or indent == 2
    assert step_at(found, 0) is None
    assert trace_steps("[]", tmp_path / "a.trace.json", []) == []
    assert trace_steps("{", tmp_path / "a.trace.json", []) == []


def test_a_place_lies_within_the_text_that_there_is_now(tmp_path: Path) -> None:
    path = tmp_path / "a b.py"
    path.write_text("x\n  é = 𝔹 \n", encoding="utf-8")
    uri, workspace = uri_of(path), Workspace(None, types.TextDocumentSyncKind.Incremental)
    assert path_of(uri) == path
    place = {"file": str(path), "line": 2, "column": 7, "end_line": 2, "end_column": 11}
    assert client_range(workspace, uri, place) == types.Range(types.Position(1, 6), types.Position(1, 8))  # type: ignore[arg-type]
    assert line_range(workspace, uri, 2) == types.Range(types.Position(1, 2), types.Position(1, 7))
    beyond = {"file": str(path), "line": 9, "column": 70, "end_line": 9, "end_column": 70}
    assert client_range(workspace, uri, beyond).start.line == 1  # type: ignore[arg-type]
    assert line_range(workspace, uri_of(tmp_path / "gone.py"), 3).start.line == 2
