"""Whether brokers may be restarted, on a terminal: the answer, then what stops, what can be lost, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document import Document
from ..text_page import TextFormat, TextPage

_MARKS = {"yes": "✓", "no": "✗", "not known": "?"}
_ANSWER_TEXTS = {
    "yes": "may be restarted now",
    "no": "must not be restarted now",
    "not known": "may be restarted or not: that is not known",
}
_STYLES = {"yes": "green", "no": "red bold", "not known": "yellow"}
_TITLED_FIELDS = (("stops", "stops"), ("waits", "first"), ("loses", "can be lost"), ("unknown", "not known"))
MAX_LINES = 8
"""What is listed of one kind for one broker."""


def restarts_page(document: Document, text_format: TextFormat) -> TextPage:
    """The whole page."""
    page = TextPage(text_format)
    answers: list[Mapping[str, Any]] = document["brokers"]
    for answer in answers:
        word = answer["may_restart"]
        page.line(f"{_MARKS[word]} broker {answer['broker']} {_ANSWER_TEXTS[word]}", style=_STYLES[word])
        for part, title in _TITLED_FIELDS:
            said = answer[part]
            for text in said[:MAX_LINES]:
                page.line(f"{title}: {text}", indent=2, hang=4)
            if len(said) > MAX_LINES:
                page.line(f"{title}: and {len(said) - MAX_LINES} more; --json has all", indent=2, hang=4)
    page.blank()
    for note in document["notes"]:
        page.line(note)
    return page
