"""The pictures that a model draws itself, as a page holds them: from state to state most of their text is alike, so
that each part of it stands in the page once, and a picture is the numbers of its parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

Document = dict[str, Any]

_TAG = re.compile(r"(?=<)")
"""Where a part begins: a tag, with the text up to the next one."""


def share_picture_parts(documents: Sequence[Document]) -> tuple[list[Document], list[str]]:
    """The traces with each picture as the numbers of its parts, and the parts of them all; `pictured` in model.js puts
    them together again."""
    numbers: dict[str, int] = {}
    return [_document_in_parts(document, numbers) for document in documents], list(numbers)


def _document_in_parts(document: Document, numbers: dict[str, int]) -> Document:
    if document["view"] is None or document["view"]["kind"] != "drawing":
        return document
    return document | {"frames": {at: _frame_in_parts(frame, numbers) for at, frame in document["frames"].items()}}


def _frame_in_parts(frame: Document, numbers: dict[str, int]) -> Document:
    if frame["board"] is None:
        return frame
    parts = [numbers.setdefault(part, len(numbers)) for part in _TAG.split(frame["board"]["svg"])]
    return frame | {"board": frame["board"] | {"svg": parts}}
