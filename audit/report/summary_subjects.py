"""What the summary's rows and its headline both say of a subject: its topics, what came of them, when writes stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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


def worst_result(subject: Read) -> str:
    """`failed`, `open` or `met`: the worst of what its requirements come to."""
    results = {check["result"] for check in subject["checks"]}
    return "failed" if "failed" in results else "open" if results & {"depends", "not checked"} else "met"


def has_failed(check: Read, question: str) -> bool:
    """Whether a requirement about a question is not met."""
    return bool(check["result"] == "failed" and check["question"] == question)


def silent_producers(subjects: Iterable[Read]) -> list[str]:
    """`producer.properties writes nothing`: why writes fail of some of these subjects though nothing is wrong with the
    brokers; each reason once."""
    failing = (subject for subject in subjects if any(has_failed(check, WRITES) for check in subject["checks"]))
    return list(dict.fromkeys(subject["writes_nothing"] for subject in failing if subject["writes_nothing"]))
