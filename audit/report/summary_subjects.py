"""What the summary's rows and its headline both say of a subject: its topics, what came of them, when writes stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..facts.facts import WRITES_NOTHING

Document = dict[str, Any]
Read = Mapping[str, Any]

WRITES = "writable"
"""The question whether writes go on."""
STOPS = {
    "leader-move": "though nothing is wrong",
    "restart": "while one broker restarts",
    "crash": "while one broker is down",
}
"""When writes stop, by the fault."""


def topic_names(subject: Read) -> list[str]:
    """The names of a subject's topics."""
    return list(subject["topics"])


def result_of(subject: Read) -> str:
    """`failed`, `open` or `met`: the worst of what its requirements come to."""
    results = {check["result"] for check in subject["checks"]}
    return "failed" if "failed" in results else "open" if results & {"depends", "not checked"} else "met"


def silent_producers(checks: Iterable[Read]) -> list[str]:
    """`producer.properties writes nothing`: why some of these checks fail on writes though nothing is wrong with the
    brokers; each reason once."""
    reasons = (check["why"].partition(":")[0] for check in checks if check["question"] == WRITES)
    return list(dict.fromkeys(reason for reason in reasons if WRITES_NOTHING in reason))
