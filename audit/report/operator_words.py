"""What goes wrong with a topic, in the words of whoever runs the cluster: what happens, by which fault, and when."""

from __future__ import annotations

from collections.abc import Mapping

from ..questions.questions import QUESTION
from ..questions.situations import LOST, UNREAD, Cell

_HAPPENS: Mapping[str, str] = {
    LOST: "acknowledged records are lost",
    UNREAD: "what was read is taken back",
    "no-divergence": "logs differ",
    "no-stale-reads": "followers serve consumers wrongly",
    "writable": "writes stop",
    "readable": "reads stop",
    "no-duplicates": "records are written twice",
    "in-order": "records change their order",
    "groups": "consumer groups are stuck",
    "no-skips": "consumers skip records",
}
assert _HAPPENS.keys() == QUESTION.keys(), "each question has its words"


def what_happens(question: str) -> str:
    """What a topic suffers where a question is answered with a loss: `acknowledged records are lost`."""
    return _HAPPENS[question]


def happens_when(question: str, cell: Cell, least_isr: int | None, replicas: int | None) -> str:
    """`writes stop when a broker crashes while only 2 replicas are in sync`. `least_isr` is the smallest ISR that is
    written to, `replicas` how many there are; None where that is not known."""
    within = text_of_replicas_in_sync(cell, least_isr, replicas)
    comma = "," if within and "," in cell.fault.when else ""
    return f"{what_happens(question)} when {cell.fault.when}{comma}{within}"


def text_of_replicas_in_sync(cell: Cell, least_isr: int | None, replicas: int | None) -> str:
    """` while only one replica is in sync`; "" where all are."""
    match cell.situation.name:
        case "min-isr" | "one" if replicas == 1:
            return ""
        case "min-isr" if least_isr is not None and least_isr == replicas:
            return ""
        case "min-isr" if least_isr != 1:
            many = f"{least_isr} replicas" if least_isr else "as many replicas as min.insync.replicas asks for"
            return f" while only {many} are in sync"
        case "min-isr" | "one":
            return " while only one replica is in sync"
        case _:
            return ""
