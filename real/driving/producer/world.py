"""What the driver of traces of a producer asks of a cluster, and what is to be seen of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ....language.immutable import immutable


@immutable
class LoggedBatch:
    """A batch in a log: its record; the producer id, 1 for the first that is in the log and 0 for none; the epoch and
    the sequence, 0 where there is no producer id."""

    record: int
    pid: int
    epoch: int
    sequence: int


@immutable
class ProducerObservation:
    """What is seen: the leader, its log of each partition, and what the producer was told of records."""

    leader: int | None
    logs: Mapping[str, tuple[LoggedBatch, ...]]
    outcomes: Mapping[int, str]


def number_producers(logs: Mapping[str, list[tuple[int, int, int, int]]]) -> dict[str, tuple[LoggedBatch, ...]]:
    """Batches as `(record, producer id, epoch, sequence)`, -1 for none, with producer ids by their first batch."""
    ids = list(dict.fromkeys(pid for log in logs.values() for _, pid, _, _ in log if pid >= 0))
    return {
        name: tuple(
            LoggedBatch(record, ids.index(pid) + 1, epoch, sequence) if pid >= 0 else LoggedBatch(record, 0, 0, 0)
            for record, pid, epoch, sequence in log
        )
        for name, log in logs.items()
    }


class ProducerWorld(Protocol):
    """What the driver needs; `cluster.ProducerCluster` says what each of these does."""

    def observe(self) -> ProducerObservation: ...
    def count_batches(self, broker: int) -> int: ...
    def send_record(self, record: int, partition: int, seconds: float) -> bool: ...
    def close_client(self, seconds: float) -> bool: ...
    def restart_client(self, keep: int | None, *, forget: bool) -> None: ...
    def known_leader(self, partition: int, seconds: float) -> int: ...
    def count_pending_requests(self, broker: int) -> int: ...
    def pass_request(self, broker: int) -> None: ...
    def pending_response(self, broker: int) -> int | None: ...
    def pass_response(self, broker: int) -> None: ...
    def cut_connection(self, broker: int, *, keep: bool) -> None: ...
    def pass_kept_request(self) -> None: ...
    def kept_response(self) -> int | None: ...
    def move_leader(self, broker: int, seconds: float) -> bool: ...
    def shrink_isr(self, leader: int, *, bait: bool, seconds: float) -> bool: ...
    def set_writable(self, leader: int, is_writable: bool, seconds: float) -> bool: ...
    def pass_fetch(self, leader: int, seconds: float) -> bool: ...
