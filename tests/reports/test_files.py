"""Files of reports: each is replaced whole, and a trace is short and comes back as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.reports.files import json_text, trace_text, write_json, write_text, write_trace

from ..support.traces import counterexample


def test_a_trace_comes_back_and_has_a_line_for_each_step(tmp_path: Path) -> None:
    document = counterexample("examples/lock.py:careless", "one_inside")
    text = trace_text(document)
    assert json.loads(text) == document
    assert len(text.splitlines()) < len(json_text(document).splitlines())
    write_trace(tmp_path / "trace.json", document)
    assert (tmp_path / "trace.json").read_text(encoding="utf-8") == text


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "one")
    write_json(path, {"ü": [1]})
    assert path.read_text(encoding="utf-8") == json_text({"ü": [1]}) == '{\n  "ü": [\n    1\n  ]\n}\n'
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    with pytest.raises(OSError, match=r".*"):
        write_text(tmp_path / "file" / "below", "x")
