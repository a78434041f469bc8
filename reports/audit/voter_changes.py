"""Whether the voters of KRaft may be changed, on a terminal: the answer, then why not, what to do, and what to know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document import Document
from ..text_page import TextFormat, TextPage

_MARKS = {"yes": "✓", "no": "✗", "not known": "?"}
_STYLES = {"yes": "green", "no": "red bold", "not known": "yellow"}
_CHANGE_TEXTS = {"add": "be added", "remove": "be removed", "replace": "get another disk"}
_TITLED_FIELDS = (("stops", "why not"), ("waits", "first"), ("meanwhile", "meanwhile"), ("unknown", "not known"))


def voter_changes_page(document: Document, text_format: TextFormat) -> TextPage:
    """The whole page."""
    page = TextPage(text_format)
    answers: list[Mapping[str, Any]] = document["changes"]
    for answer in answers:
        word, what = answer["may_change"], _CHANGE_TEXTS[answer["change"]]
        says = {"yes": f"may {what} now", "no": f"must not {what} now", "not known": f"may {what} or not: not known"}
        page.line(f"{_MARKS[word]} controller {answer['controller']} {says[word]}", style=_STYLES[word])
        for part, title in _TITLED_FIELDS:
            for text in answer[part]:
                page.line(f"{title}: {text}", indent=2, hang=4)
        if answer["may_fail"] is not None:
            left = answer["may_fail"] or "none"
            page.line(f"then {left} of the controllers that run may fail", indent=2, hang=4)
    page.blank()
    for note in document["notes"]:
        page.line(note)
    return page
