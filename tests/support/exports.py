"""What the tests of exports share: counterexamples with their recorded texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tidegate.reports.document import Document

from .traces import counterexample

SHOWN = {
    "lock": ("examples/lock.py:careless", "one_inside"),
    "kip101": ("replication:kip101", "strong_isr"),
    "truncate_to_hw": ("replication:truncate_to_hw", "strong_isr"),
}


def message(**changes: Any) -> Document:
    """A message of a trace document."""
    plain: Document = {
        "id": 0, "pool": "network", "name": "Vote", "text": "Vote()", "record": {}, "source": "A", "to": "B",
        "sent": 1, "received": [], "ended": None, "end": "in flight", "copy": False,
    }  # fmt: skip
    return {**plain, **changes}


def saved_trace(folder: Path) -> Path:
    """The lock's counterexample, saved in a folder."""
    path = folder / "one_inside.trace.json"
    path.write_text(json.dumps(counterexample("examples/lock.py:careless", "one_inside")))
    return path
