"""What the driver of traces of a producer asks of a cluster, and what is to be seen of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ....language.immutable import immutable


@immutable
class Written:
    """A batch in a log: its record; the producer id, 1 for the first that is in the log and 0 for none; the epoch and
    the sequence, 0 where there is no producer id."""

    record: int
    pid: int
    epoch: int
    sequence: int


@immutable
class ProducerSeen:
    """What is seen: the leader, its log of each partition, and what the producer was told of records."""

    leader: int | None
    logs: Mapping[str, tuple[Written, ...]]
    outcomes: Mapping[int, str]


def numbered(logs: Mapping[str, list[tuple[int, int, int, int]]]) -> dict[str, tuple[Written, ...]]:
    """Batches as `(record, producer id, epoch, sequence)`, -1 for none, with producer ids by their first batch."""
    ids = list(dict.fromkeys(pid for log in logs.values() for _, pid, _, _ in log if pid >= 0))
    return {
        name: tuple(
            Written(record, ids.index(pid) + 1, epoch, sequence) if pid >= 0 else Written(record, 0, 0, 0)
            for record, pid, epoch, sequence in log
        )
        for name, log in logs.items()
    }


class World(Protocol):
    """What the driver needs; `cluster.Producing` says what each of these does."""

    def look(self) -> ProducerSeen: ...
    def has(self, broker: int) -> int: ...
    def hand_over(self, record: int, partition: int, within: float) -> bool: ...
    def close_client(self, within: float) -> bool: ...
    def die(self, keep: int | None, *, forget: bool) -> None: ...
    def believes(self, partition: int, within: float) -> int: ...
    def queued(self, broker: int) -> int: ...
    def let_request(self, broker: int) -> None: ...
    def answer(self, broker: int) -> int | None: ...
    def let_answer(self, broker: int) -> None: ...
    def cut(self, broker: int, *, keep: bool) -> None: ...
    def let_late(self) -> None: ...
    def late_answer(self) -> int | None: ...
    def move(self, broker: int, within: float) -> bool: ...
    def alone(self, leader: int, *, bait: bool, within: float) -> bool: ...
    def take_writes(self, leader: int, on: bool, within: float) -> bool: ...
    def fetches(self, leader: int, within: float) -> bool: ...
