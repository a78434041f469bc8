"""The beginning and the end of a trace that is too long to be shown whole. The document itself holds every step; what
people look at, a page or a terminal, holds these.
"""

from __future__ import annotations

from ..document import Document
from .states import document_states

MAX_STEPS = 5000
"""A longer trace is cut."""

KEPT_STEPS = 500
"""How many steps are kept at either end."""


def cut_trace(document: Document) -> Document:
    """The document, or of a longer one its first and its last steps, as its `truncated` then says. The first state and
    frame behind the gap are whole.
    """
    count = len(document["steps"])
    if count <= MAX_STEPS:
        return document
    first, last = KEPT_STEPS + 1, count - KEPT_STEPS
    kept = [at for at in range(count + 1) if not first <= at <= last]
    rows = {str(at): document["states"][str(at)] for at in kept}
    rows[str(last + 1)] = next(state for at, state in document_states(document) if at == last + 1)
    return document | {
        "steps": [step for step in document["steps"] if not first <= step["i"] <= last],
        "states": {"keyframe_every": document["states"]["keyframe_every"], **rows},
        "frames": _kept_frames(document, kept, last + 1),
        "truncated": {
            "steps": count,
            "first": first,
            "last": last,
            "says": f"steps {first:,} to {last:,} of {count:,} are left out",
        },
    }


def count_steps(document: Document) -> int:
    """The steps of the whole run, those that are left out too."""
    return len(document["steps"]) if document["truncated"] is None else document["truncated"]["steps"]


def _kept_frames(document: Document, kept_states: list[int], state_behind: int) -> Document:
    """The frames that are kept; the one behind the gap with every lane, and the board, as they were last drawn."""
    if not document["frames"]:
        return {}
    whole: Document = {"lanes": {}, "board": None}
    for at in range(state_behind + 1):
        frame = document["frames"][str(at)]
        whole["lanes"] |= frame["lanes"]
        whole["board"] = frame["board"] or whole["board"]
    return {str(at): document["frames"][str(at)] | (whole if at == state_behind else {}) for at in kept_states}
