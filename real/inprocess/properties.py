"""The properties once more, in plain Python, on what was seen of all nodes after each step.

The host has judged as it went, and fast. What it found is shown only where this judge, which knows nothing of how the
host does it, finds the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Seen: TypeAlias = Sequence[Mapping[str, Any]]
Record: TypeAlias = tuple[int, int]
JUDGED = frozenset({"one_leader", "committed_stays", "leader_has_committed", "high_watermark_grows"})
"""The properties that this judge knows; the others are about what Kafka throws, tells its controller, or comes to."""


def failing_properties(states: Sequence[Seen]) -> set[str]:
    """Which properties fail in a history, given what is seen of each node after each step."""
    leaders: dict[int, tuple[int, int]] = {}
    committed: list[tuple[Record | None, int]] = []
    reached: dict[tuple[int, int], int] = {}
    found = set[str]()
    for state in states:
        for node, seen in enumerate(state, 1):
            if seen["up"]:
                found |= _failing(node, seen, leaders, committed, reached)
    return found


def _failing(
    node: int,
    answer: Mapping[str, Any],
    leaders: dict[int, tuple[int, int]],
    committed_records: list[tuple[Record | None, int]],
    high_watermarks: dict[tuple[int, int], int],
) -> set[str]:
    """What fails of one node in one state, given all before it. `leaders` has who leads an epoch, `committed_records`
    the record at each offset and the epoch in which it was first seen to be committed, `high_watermarks` each life's
    high watermark."""
    life, end, epoch = (node, int(answer["incarnation"])), int(answer["high_watermark"]), int(answer["epoch"])
    found = set[str]()
    if 0 <= end < high_watermarks.get(life, 0):
        found.add("high_watermark_grows")
    high_watermarks[life] = max(end, high_watermarks.get(life, 0))
    for offset, record in _records(answer):
        if offset >= end:
            break
        if offset < len(committed_records):
            known = committed_records[offset][0]
            found |= {"committed_stays"} if known is not None and known != record else set()
        else:
            committed_records.extend((None, epoch) for _ in range(offset - len(committed_records)))
            committed_records.append((record, epoch))
    if end > int(answer["end"]):
        found.add("committed_stays")
    if answer["role"] == "Leader":
        if leaders.setdefault(epoch, life) != life:
            found.add("one_leader")
        log = dict(_records(answer))
        start = int(answer["start"])
        behind = ((offset, one) for offset, (one, of) in enumerate(committed_records) if of < epoch and offset >= start)
        found |= (
            {"leader_has_committed"} if any(one is not None and log.get(at) != one for at, one in behind) else set()
        )
    return found


def _records(answer: Mapping[str, Any]) -> Iterator[tuple[int, Record]]:
    for place, (epoch, number) in enumerate(answer["log"]):
        yield int(answer["start"]) + place, (int(epoch), int(number))
