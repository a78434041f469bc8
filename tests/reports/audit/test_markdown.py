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
