"""An audit's document as Markdown."""

from __future__ import annotations

import json

from tidegate.reports.audit.markdown import audit_markdown

from ...conftest import Run
from ...support.index_pages import CLUSTERS, OLD


def test_in_markdown_a_mark_begins_no_list_and_the_end_is_no_step(tidegate: Run) -> None:
    document = json.loads(tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--json").out)
    subject = document["subjects"][0]
    subject["table"]["no-loss"]["crash@all"] |= {"word": "not checked", "why": "there was no time"}
    text = audit_markdown(document)
    assert "- \\- there was no time" in text
    assert "- - " not in text
    assert f"\n\n{subject['loss']['scenario'][-1][:12]}" in text


def test_the_row_of_what_fails_comes_first_and_each_table_is_one(tidegate: Run) -> None:
    """GitHub takes a table whose second line has fewer cells than its heading for text."""
    text = audit_markdown(json.loads(tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--json").out))
    lines = text.splitlines()
    assert lines[lines.index("| topics | records | writes | decided by | change |") + 2].startswith(
        "| ✗ orders | acknowledged"
    )
    tables = [at for at, line in enumerate(lines) if line.startswith("|") and set(line) <= set("|- ")]
    assert len(tables) > 1
    assert all(len({line.count(" | ") for line in lines[at - 1 : at + 2]}) == 1 for at in tables)
