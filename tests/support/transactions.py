"""What the tests of driven transactions share: traces, and a world that does as it is told."""

from __future__ import annotations

from functools import cache
from typing import Any

from tidegate.invariants.catalogue import find
from tidegate.language.judge import run_text, run_until_shown
from tidegate.language.verdict import PropertyVerdict, PropertyWord
from tidegate.traces.document import trace_document

BEGUN = "init_producer(A); begin(A); add_partition(client=A, partition=P); "


HANGS = (
    f"{BEGUN}give_up_produce(client=A, partition=P); end(client=A, commit=false); write_marker(P); complete; "
    "late_produce_arrives(Request(kind=PRODUCE, epoch=1, partition=P, txn=1, batch=0, sequence=0, commit=false, "
    "coordinator=0))"
)


LATE_END = (
    f"{BEGUN}give_up_end(client=A, commit=false); end(client=A, commit=false); begin(A); write_marker(P); complete; "
    "add_partition(client=A, partition=P); produce(client=A, partition=P); late_end_arrives(Request(kind=END, epoch=1, "
    "partition=none, txn=0, batch=0, sequence=0, commit=false, coordinator=0)); write_marker(P); complete; "
    "add_partition(client=A, partition=Q); produce(client=A, partition=Q); end(client=A, commit=true); write_marker(Q)"
)


LATE_MARKER = (
    f"{BEGUN}end(client=A, commit=false); begin(A); repeat_marker(P); write_marker(P); complete; "
    "add_partition(client=A, partition=P); add_partition(client=A, partition=Q); produce(client=A, partition=P); "
    "produce(client=A, partition=Q); end(client=A, commit=true); write_marker(Q); late_marker_arrives(Request("
    "kind=MARKER, epoch=2, partition=P, txn=0, batch=0, sequence=0, commit=false, coordinator=0))"
)


ONE: dict[str, Any] = {"clients": 1, "partitions": 1, "transactions": 1}


LATE_WRITE: dict[str, Any] = {**ONE, "late_produces": 1}


TWO: dict[str, Any] = {"clients": 1, "partitions": 2, "transactions": 2}


@cache
def _document(steps: str, profile: str, property_: str, constants: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    definition, _ = find("transactions")
    model = definition.bind(
        "transactions", constants=dict(constants), profile=profile, ghosts=True, properties=(property_,)
    )
    prop, run = model.properties[0], run_text(model, steps)
    assert run_until_shown(model, prop, run) is not None
    verdict: PropertyWord = "reached" if prop.kind == "reachable" else "violated"
    return trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, verdict, run))


def document(steps: str, profile: str, property_: str, **constants: Any) -> dict[str, Any]:
    """A trace of transactions in whose end a property shows."""
    return _document(steps, profile, property_, tuple(sorted(constants.items())))


HANGING = (HANGS, "kafka_2_5", "nothing_hangs")


ENDED_LATE = (LATE_END, "kafka_3_6", "atomic_visibility")


MARKED_LATE = (LATE_MARKER, "kafka_4_1", "atomic_visibility")
