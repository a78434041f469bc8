"""Traversal: what a form reads and writes, its helpers included."""

from __future__ import annotations

from pathlib import Path

from ...support.frontend import bind_functions
from .test_helpers import HELPERS


def test_reads_and_writes_go_through_helpers(tmp_path: Path) -> None:
    text = (
        HELPERS
        + """

@action
def step(s: World, note: Note) -> None:
    require(is_free(s, note.to))
    s.count = 0
    s.seen.add(note.to)
"""
    )
    form = bind_functions(tmp_path, text).actions[0].form
    assert form.reads == {"owner", "queue", "lit", "notes"}
    assert form.writes == {"count", "seen"}
    assert form.parameters[0].pool == "notes"
